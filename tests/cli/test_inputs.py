"""What is said of a table before the work starts."""

import json

import numpy as np
import pytest

from entryprune.report.checks import find_suspects

N = 40


@pytest.fixture
def planted(tmp_path):
    """Write a table with an id, a running number, a leak and the order of the file."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    columns = {
        "patient id": rng.choice(10**6, N, replace=False),
        "nr": np.arange(1, N + 1),
        "outcome": 3 - y,
        "day": np.repeat(np.arange(N // 2), 2),
        "g1": rng.normal(size=N) + y,
        "g2": rng.normal(size=N),
        "y": y,
    }
    path = tmp_path / "planted.csv"
    rows = [columns, *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, row)) for row in rows))
    return path


CHECKS = [
    "Check 'patient id': it has a whole number of its own for each sample, as ids have. That is "
    "hardly a feature: name the samples by it (--id-column 'patient id') or leave it out (--drop "
    "'patient id').",
    "Check 'nr': it counts the samples (1, 2, 3, ...). That is hardly a feature: name the samples "
    "by it (--id-column nr) or leave it out (--drop nr).",
    "Check 'outcome': it has one value for each class. Leave out what is not known before the "
    "target is (--drop outcome).",
    "Check 'day': it never falls from one sample to the next. Leave out what only tells when or "
    "where a sample was taken (--drop day).",
]


def test_what_should_hardly_be_a_feature_is_told_first_and_in_the_json(entryprune, planted):
    asked = ("select", planted, "--target", "y", "-k", "1", "--method", "fisher", "--json")
    code, out, err = entryprune(*asked)
    assert code == 0
    told = [line for line in err.splitlines() if line.startswith("Check")]
    assert told == CHECKS
    assert [note for note in json.loads(out)["notes"] if note.startswith("Check")] == CHECKS
    # What they say to do helps.
    code, out, err = entryprune(*asked, "--id-column", "patient id", "--drop", "nr,outcome,day")
    assert "Check" not in err
    assert json.loads(out)["selected"][0]["feature"] == "g1"


@pytest.fixture
def flat(planted):
    """Add text, a column without values, and columns that do not vary."""
    head, *rows = planted.read_text().splitlines()
    lines = [f"{head},name,flat,level,none", *(f"{row},n{i},1,2," for i, row in enumerate(rows))]
    planted.write_text("\n".join(lines))
    return planted


NOTES = [
    "Read planted.csv (csv): 40 samples, 9 features (8 numbers, 1 of categories).",
    "Target y: 2 classes: 0 (",
    "Task: classification (by the look of the target; --task says otherwise).",
    "2 features are constant: they can tell nothing.",
    "Left out (",
]


def test_how_the_table_was_read_is_in_the_json(entryprune, flat):
    asked = ("select", flat, "--target", "y", "-k", "1", "--method", "fisher", "--json")
    notes = json.loads(entryprune(*asked)[1])["notes"]
    assert all(note.startswith(start) for note, start in zip(notes, NOTES, strict=False))
    assert notes[4].endswith(": none.")


@pytest.mark.parametrize(
    "asked",
    [
        ("select", "--method", "fisher", "--repeats", 0),
        ("compare", "--methods", "fisher", "--repeats", 1),
    ],
)
def test_how_the_table_was_read_is_on_the_page(entryprune, flat, tmp_path, asked):
    place = tmp_path / "page.html"
    command, *options = asked
    code, _, err = entryprune(
        command, flat, "--target", "y", "-k", "1", "--report", place, *options
    )
    assert code == 0, err
    page = place.read_text(encoding="utf-8")
    assert all(f"<li>{note}" in page for note in NOTES)


@pytest.mark.parametrize(
    "asked", [("select", "--method", "fisher"), ("compare", "--methods", "fisher", "--repeats", 1)]
)
def test_the_columns_are_looked_through_once(entryprune, planted, monkeypatch, asked):
    looks = []

    def look(*arguments):
        looks.append(arguments)
        return find_suspects(*arguments)

    for module in ("report.checks", "reporting._facts"):
        monkeypatch.setattr(f"entryprune.{module}.find_suspects", look)
    command, *options = asked
    code, _, err = entryprune(command, planted, "--target", "y", "-k", "1", *options)
    assert code == 0, err
    assert len(looks) == 1


def test_a_comparison_tells_them_before_it_starts_and_on_its_page(entryprune, planted, tmp_path):
    page = tmp_path / "page.html"
    code, _, err = entryprune(
        *("compare", planted, "--target", "y", "-k", "1", "--methods", "fisher"),
        *("--repeats", "1", "--report", page),
    )
    assert code == 0
    assert err.index(CHECKS[1]) < err.index("fold 1 of 5")
    assert "it counts the samples (1, 2, 3, ...)" in page.read_text(encoding="utf-8")


def test_of_rows_only_what_can_be_done_is_said(entryprune, tmp_path):
    path = tmp_path / "genes.csv"
    samples = range(1, 21)
    lines = [
        ["gene", *(f"s{i}" for i in samples)],
        ["number", *samples],
        ["BRCA", *(i * i % 23 for i in samples)],
        ["kind", *("ab"[i % 2] for i in samples)],
    ]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines))
    asked = ("select", path, "--transpose", "-k", "1", "--method", "fisher")
    _, _, err = entryprune(*asked, "--target", "kind")
    assert "That is hardly a feature: leave it out (--drop number)." in err
    assert "--id-column" not in err
    _, _, err = entryprune(*asked)
    assert "Name its row with --target" in err


def test_names_with_commas_are_offered_and_taken(entryprune, tmp_path):
    path = tmp_path / "odd.csv"
    rows = [f"{i},{i + 5},{i * i % 23},{i % 2}" for i in range(20)]
    path.write_text("\n".join(['"no, really",n,b,y', *rows]))
    asked = ("select", path, "--target", "y", "-k", "1", "--method", "fisher")
    _, _, err = entryprune(*asked)
    assert "leave it out (--drop 'no, really')." in err
    code, _, err = entryprune(*asked, "--drop", "no, really", "--drop", "n")
    assert (code, "Check" in err) == (0, False)


def test_names_that_no_option_can_take_are_not_offered(entryprune, tmp_path):
    path = tmp_path / "odd.csv"
    rows = [f"{i},{i * i % 23},{i % 2}" for i in range(20)]
    path.write_text("\n".join(['"no\u200b",b,y', *rows]))
    _, _, err = entryprune("select", path, "--target", "y", "-k", "1", "--method", "fisher")
    assert "Check 'no\\u200b': it counts the samples (0, 1, 2, ...)" in err
    assert "leave it out (--drop)." in err


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("a,b,y\n1.5,2,u\n2.5,1,v\n0.5,3,u\n")
    return path


def test_three_samples_are_told_before_the_work(entryprune, three, tmp_path):
    page = tmp_path / "page.html"
    code, _, err = entryprune(
        *("select", three, "--target", "y", "-k", "1", "--method", "fisher", "--report", page)
    )
    assert code == 0
    lines = err.splitlines()
    assert any(line.startswith("There are only 3 samples") for line in lines)
    assert any(line.startswith("1 class has one sample only: v.") for line in lines)
    assert "How well it predicts was not checked. A cross-validation in 5 folds needs" in err
    assert "There are only 3 samples" in page.read_text(encoding="utf-8")


def test_a_comparison_of_three_samples_is_refused_at_once(entryprune, three):
    code, out, err = entryprune("compare", three, "--target", "y", "-k", "1")
    assert code == 2
    assert out == ""
    assert "needs at least 5 samples, and there are 3. Bring more samples, or take fewer" in err
    assert "fold 1" not in err


def test_that_classes_are_many_is_said_once(entryprune, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("a,b,kind\n" + "".join(f"{i % 7},{i % 5},k{i // 2}\n" for i in range(23)))
    code, _, err = entryprune("select", path, "-t", "kind", "-k", "1")
    assert code == 0
    assert "The target has 12 classes in 23 samples" in err
    assert "unique classes" not in err


def test_numbers_with_commas_are_asked_about(entryprune, tmp_path):
    path = tmp_path / "prices.csv"
    rows = [f"{i % 5},{i % 7};{i};{'ab'[i % 2]}" for i in range(20)]
    path.write_text("\n".join(["price;size;kind", *rows]))
    asked = ("select", path, "-t", "kind", "-k", "1", "--method", "fisher")
    code, _, err = entryprune(*asked)
    assert code == 2
    assert "In 'price' prices.csv has numbers with commas; say --decimal ," in err
    assert "Or leave it out with --drop." in err
    assert entryprune(*asked, "--decimal", ",")[0] == 0
    assert entryprune(*asked, "--drop", "price")[0] == 0
