import pytest

from entryprune.cli._options import names, whole_numbers
from entryprune.cli.select import parse_settings


def test_what_stands_between_commas_is_a_list():
    assert names("a, b,") == ("a", "b")
    assert names(None) == ()
    assert whole_numbers("25,50") == (25, 50)


@pytest.mark.parametrize("text", ["0", "-1", "2.5", "ten"])
def test_a_number_of_features_is_a_whole_one(text):
    with pytest.raises(ValueError, match="whole numbers from 1"):
        whole_numbers(text)


def test_settings_are_numbers_yes_or_no_and_texts():
    settings = ["patience=20", "flex=true", "activation=tanh"]
    assert parse_settings(settings) == {"patience": 20, "flex": True, "activation": "tanh"}
