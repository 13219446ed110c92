from dataclasses import fields
from inspect import signature

import pytest

from entryprune.cli._options import names, reads_table, whole_numbers
from entryprune.cli.select import parse_settings
from entryprune.data import TableRequest


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


def test_a_command_has_an_option_for_each_part_of_a_request():
    found = []

    @reads_table()
    def command(k: int, request: TableRequest) -> None:
        found.append((k, request))

    shown = {name.rstrip("_"): name for name in signature(command).parameters}
    parts = {field.name for field in fields(TableRequest)}
    assert shown.keys() == {"k"} | parts
    # Each has a value of its own, so that none can stand for another.
    given = {name: f"the {name}" for name in parts}
    command(k=3, **{shown[name]: value for name, value in given.items()})
    assert found == [(3, TableRequest(**{**given, "drop": ("the drop",)}))]


def test_options_may_mean_something_else_or_nothing():
    @reads_table(target=int, drop=None)
    def command(request: TableRequest) -> None:
        assert (request.target, request.drop) == (5, ())

    parameters = signature(command).parameters
    assert parameters["target"].annotation is int
    assert "drop" not in parameters
    others = {name: None for name in parameters if name != "target"}
    command(target=5, **others)
