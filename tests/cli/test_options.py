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
    # What a command makes of a table is its own affair, and so are columns beside the features.
    own = {"mixed": True, "sparse": True}
    parts = {field.name for field in fields(TableRequest)} - own.keys() - {"beside"}
    assert shown.keys() == {"k"} | parts
    # Each has a value of its own, so that none can stand for another.
    given = {name: f"the {name}" for name in parts} | {"drop": ["a,b", "c"]}
    command(k=3, **{shown[name]: value for name, value in given.items()})
    assert found == [(3, TableRequest(**{**given, **own, "drop": ("a,b", "c")}))]


def test_text_may_have_decimal_commas_and_another_encoding(entryprune, tmp_path):
    rows = "".join(f"{n % 7},5;{n},25;{'süß' if n % 7 > 3 else 'herb'}\n" for n in range(30))
    path = tmp_path / "t.csv"
    path.write_bytes(f"Größe;b;kind\n{rows}".encode("latin-1"))
    asked = ("select", path, "--target", "kind", "-k", "1", "--method", "fisher")
    code, _, err = entryprune(*asked)
    assert (code, "--encoding: latin-1" in err, err.count("\n")) == (2, True, 1)
    code, _, err = entryprune(*asked, "--encoding", "latin-1")
    assert (code, "say --decimal ," in err) == (2, True)
    code, out, err = entryprune(*asked, "--encoding", "latin-1", "--decimal", ",")
    assert code == 0, err
    assert "Größe" in out


def test_columns_to_leave_out_may_have_commas_in_their_names(entryprune, tmp_path):
    rows = "".join(f"{n % 7},{n % 5},{n % 3},{n % 4},{n % 2}\n" for n in range(30))
    path = tmp_path / "t.csv"
    path.write_text(f'a,b,"a,b","b,c",y\n{rows}')
    asked = ("select", path, "--target", "y", "-k", "1", "--method", "fisher")
    for options, left in (
        (("--drop", "a,b"), "a,b"),
        (("--drop", "a,b", "--drop", "b,c", "--drop", "a"), "a,b, b,c, a"),
        (("--drop", "b , a"), "b, a"),
        (("--drop", "b", "--drop", " a"), "b, a"),
    ):
        code, _, err = entryprune(*asked, *options)
        assert code == 0, err
        assert f"Left out (asked for): {left}." in err
    code, _, err = entryprune(*asked, "--drop", "b,d")
    assert (code, "no column 'd' for what is to be left out" in err) == (2, True)


def test_options_may_mean_something_else_or_nothing():
    @reads_table(target=int, drop=None)
    def command(request: TableRequest) -> None:
        assert (request.target, request.drop) == (5, ())

    parameters = signature(command).parameters
    assert parameters["target"].annotation is int
    assert "drop" not in parameters
    others = {name: None for name in parameters if name != "target"}
    command(target=5, **others)
