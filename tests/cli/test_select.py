import base64
import csv
import html
import importlib.util
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet
from sklearn.datasets import load_breast_cancer, load_diabetes

PAPER = ("--method", "entryprune", "--set", "patience=3", "--set", "batches_per_rotation=3")


def write_csv(path, names, columns):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(zip(*columns, strict=True))
    return path


@pytest.fixture
def cancer(tmp_path):
    """A table as people have it: ids, text, a constant, and the target among the features."""
    X, y = load_breast_cancer(return_X_y=True)
    names = [name.replace(" ", "_") for name in load_breast_cancer().feature_names]
    n = len(y)
    columns = [
        [f"P{i}" for i in range(n)],
        np.where(y == 1, "benign", "malignant"),
        ["clinic A"] * n,
        np.full(n, 7),
        *X.T,
    ]
    return write_csv(
        tmp_path / "cancer.csv", ["patient", "diagnosis", "clinic", "batch", *names], columns
    )


@pytest.fixture
def ask(entryprune, cancer):
    def call(*arguments, target="diagnosis", k="5", method=()):
        return entryprune(
            "select", cancer, "--target", target, "-k", k, "--id-column", "patient",
            *method, *arguments,
        )  # fmt: skip

    return call


def test_it_says_what_it_read_before_it_shows_what_it_selected(ask):
    code, out, err = ask()
    assert code == 0, err
    assert "569 samples, 32 features (31 numbers, 1 of categories)" in err
    assert "2 classes: benign (357), malignant (212)" in err
    assert "Task: classification (by the look of the target" in err
    assert "2 features are constant: they can tell nothing." in err
    assert re.search(r"rank.*feature.*column.*what it brings", out)


def test_the_algorithm_of_the_paper_has_entry_scores_and_no_runners_up(ask):
    code, out, err = ask(method=PAPER)
    assert code == 0, err
    assert re.search(r"rank.*feature.*column.*entry score", out)
    assert "not selected" not in out
    answer = json.loads(ask("--json", method=PAPER)[1])
    assert answer["score"] == "entry score"
    assert answer["runners_up"] == answer["pairs"] == []


def test_all_outputs_agree_and_a_rerun_gives_the_same_files(ask, entryprune, tmp_path, cancer):
    def places(folder):
        folder.mkdir()
        return {
            "--output": folder / "features.csv",
            "--reduced": folder / "reduced.csv",
            "--model": folder / "model.safetensors",
        }

    found = []
    for name in ("one", "two"):
        files = places(tmp_path / name)
        code, _, err = ask(*(str(part) for pair in files.items() for part in pair))
        assert code == 0, err
        found.append({option: path.read_bytes() for option, path in files.items()})
    assert found[0] == found[1]
    rows = list(csv.DictReader(found[0]["--output"].decode().splitlines()))
    assert [row["rank"] for row in rows] == ["1", "2", "3", "4", "5"]
    reduced = list(csv.reader(found[0]["--reduced"].decode().splitlines()))
    assert set(reduced[0]) == {row["feature"] for row in rows} | {"patient", "diagnosis"}
    assert [line[reduced[0].index("patient")] for line in reduced[1:4]] == ["P0", "P1", "P2"]
    # And in new data, by name, though the columns are in another order.
    header, *lines = csv.reader(cancer.read_text().splitlines())
    shuffled = write_csv(
        tmp_path / "new.csv",
        header[::-1],
        list(zip(*(line[::-1] for line in lines[:20]), strict=True)),
    )
    out = tmp_path / "applied.csv"
    code, _, err = entryprune(
        "apply", tmp_path / "one" / "model.safetensors", shuffled, "-o", out,
        "--target", "diagnosis", "--id-column", "patient",
        "--predictions", tmp_path / "predicted.csv",
    )  # fmt: skip
    assert code == 0, err
    applied = csv.DictReader(out.read_text().splitlines())
    assert set(applied.fieldnames) == {row["feature"] for row in rows} | {"patient", "diagnosis"}
    predicted = list(csv.DictReader((tmp_path / "predicted.csv").read_text().splitlines()))
    assert [row["patient"] for row in predicted[:2]] == ["P0", "P1"]
    assert {row["prediction"] for row in predicted} <= {"benign", "malignant"}


def test_json_for_machines_is_all_there_is_on_the_output(ask):
    code, out, _ = ask("--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["task"] == "classification"
    assert len(answer["selected"]) == 5
    assert answer["interrupted"] is False
    assert answer["selected"][0].keys() == {
        *("rank", "feature", "column", "score", "effect", "near_duplicates"),
        *("highest_in", "highest_mean", "lowest_in", "lowest_mean"),
    }
    assert answer["method"] == "entryprune-exchange"
    assert answer["score"] == "log evidence per sample"
    assert answer["pairs"] == []


def test_scores_are_what_features_bring_and_runners_up_follow_in_rank(ask, tmp_path):
    from entryprune import load

    model = tmp_path / "model.safetensors"
    code, out, err = ask("--json", "--model", model)
    assert code == 0, err
    answer, selector = json.loads(out), load(model)
    rows = [*answer["selected"], *answer["runners_up"]]
    assert [row["rank"] for row in rows] == list(range(1, 11))
    names = selector.feature_names_in_.tolist()
    for row in rows:
        column = names.index(row["feature"])
        assert selector.ranking_[column] == row["rank"]
        assert selector.scores_[column] == row["score"]
    shown = ask()[1]
    line = next(line for line in shown.splitlines() if line.startswith("Next, not selected"))
    assert [name for name in names if f"{name} (" in line] == sorted(
        (row["feature"] for row in answer["runners_up"]), key=names.index
    )


def test_the_threads_used_are_told(ask, tmp_path):
    page = tmp_path / "page.html"
    code, out, _ = ask("--json", "--threads", "1", "--report", page, "--repeats", "0")
    assert code == 0
    assert json.loads(out)["threads"] == 1
    text = page.read_text(encoding="utf-8")
    assert re.search(r"threads used[^<]*</th><td>1</td>", text)


@pytest.fixture(scope="module")
def xor(tmp_path_factory):
    """Whether two of twelve columns have the same sign, which neither tells alone."""
    X = np.random.default_rng(0).normal(size=(300, 12))
    y = np.where(X[:, 2] * X[:, 7] > 0, "same", "other")
    names = [f"[b]gene {i}" for i in range(12)]
    path = tmp_path_factory.mktemp("xor") / "xor.csv"
    return write_csv(path, [*names, "sign"], [*X.T, y])


def test_two_that_matter_only_together_are_shown(entryprune, xor, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    code, shown, err = entryprune(
        "select", xor, "-t", "sign", "-k", "3", "--report", page, "--repeats", "0", "-o", out
    )
    assert code == 0, err
    assert "These two matter only together:" in shown
    assert re.search(r"\[b\]gene 2 .*\[b\]gene 7 .*< 0.0001", shown)
    (pair,) = json.loads(out.read_text())["pairs"]
    assert pair["names"] == ["[b]gene 2", "[b]gene 7"]
    assert pair["columns"] == [3, 8]
    assert pair["strength"] > 5
    assert pair["p_value"] < 1e-6
    assert json.loads(out.read_text())["pairs_searched"] == 1.0
    assert shown.splitlines()[-1] == "All pairs were looked at."
    text = page.read_text(encoding="utf-8")
    assert '<section id="pairs">' in text
    assert "for the number of pairs looked at. All pairs were looked at.</p>" in text
    assert 'id="growth"' in text
    assert 'id="convergence"' not in text
    assert "[b]gene 2 and [b]gene 7 against each other" in text


NO_PAIR = "No two features were selected only for what they do together. "


def test_no_pairs_are_a_sentence_and_no_section(ask, tmp_path):
    page = tmp_path / "page.html"
    _, shown, _ = ask("--report", page, "--repeats", "0")
    assert "only together" not in shown
    assert f"\n{NO_PAIR}All pairs were looked at.\n" in shown
    text = page.read_text(encoding="utf-8")
    assert f"<p>{NO_PAIR}All pairs were looked at.</p>" in text
    assert '<section id="pairs">' not in text
    assert 'id="growth"' in text
    assert 'id="convergence"' not in text


def test_pairs_that_were_searched_in_part_are_told_with_the_share(ask, tmp_path, monkeypatch):
    from entryprune.engine.exchange import growth

    def hurried(hand, residuals, *, work, generator):
        # Two classes leave residuals of one direction, so that this is for 10 of the 32 columns.
        work = 2 * hand.n_cases * 10.5**2
        return find_pairs(hand, residuals, work=work, generator=generator)

    find_pairs = growth.find_pairs
    monkeypatch.setattr(growth, "find_pairs", hurried)
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    code, shown, err = ask("--report", page, "--repeats", "0", "--output", out)
    assert code == 0, err
    assert json.loads(out.read_text())["pairs_searched"] == pytest.approx(45 / 496)
    said = (
        f"{NO_PAIR}9.1 % of all pairs were looked at; all would take too long. Leave out features "
        "that cannot matter (--drop) to look at more."
    )
    assert shown.splitlines()[-1] == said
    assert f"<p>{said}</p>" in page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """So few cases that among 80 columns some two always look as if they belonged together."""
    X = np.random.default_rng(0).normal(size=(24, 80))
    path = tmp_path_factory.mktemp("tiny") / "tiny.csv"
    return write_csv(path, [*(f"x{i}" for i in range(80)), "y"], [*X.T, X[:, 2] > 0])


def test_too_few_cases_for_pairs_are_told(entryprune, tiny, tmp_path):
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    arguments = ("select", tiny, "-t", "y", "-k", "3")
    code, shown, err = entryprune(*arguments, "--report", page, "--repeats", "0", "-o", out)
    assert code == 0, err
    said = "Pairs of features were not looked for: there are too few samples for so many features."
    assert shown.splitlines()[-1] == said
    assert f"<p>{said}</p>" in page.read_text(encoding="utf-8")
    assert json.loads(out.read_text())["pairs_searched"] == 0.0


@pytest.mark.parametrize(
    "options", [("--set", "interactions=false"), ("--method", "fisher"), PAPER], ids=" ".join
)
def test_nothing_is_said_of_pairs_that_were_not_asked_for(entryprune, tiny, tmp_path, options):
    page, out = tmp_path / "page.html", tmp_path / "out.json"
    arguments = ("select", tiny, "-t", "y", "-k", "3", *options)
    code, shown, err = entryprune(*arguments, "--report", page, "--repeats", "0", "-o", out)
    assert code == 0, err
    assert "looked" not in shown + page.read_text(encoding="utf-8")
    assert json.loads(out.read_text())["pairs_searched"] is None


def test_no_score_is_minus_nothing(entryprune, tiny):
    code, shown, err = entryprune("select", tiny, "-t", "y", "-k", "3")
    assert code == 0, err
    assert " (0)" in shown
    assert "-0)" not in shown


def test_nothing_learned_is_told_first_and_on_the_page(entryprune, tmp_path):
    rng = np.random.default_rng(2)
    path = write_csv(
        tmp_path / "noise.csv",
        [*(f"x{i}" for i in range(20)), "y"],
        [*rng.normal(size=(20, 100)), rng.integers(0, 2, size=100)],
    )
    page = tmp_path / "page.html"
    arguments = ("select", path, "-t", "y", "-k", "3")
    code, _, err = entryprune(*arguments, "--report", page, "--repeats", "0")
    assert code == 0
    assert "\nNothing was learned: " in err
    text = page.read_text(encoding="utf-8")
    assert text.index("Nothing was learned: ") < text.index("<section")
    notes = json.loads(entryprune(*arguments, "--json")[1])["notes"]
    assert notes[-1].startswith("Nothing was learned: ")


def test_constant_columns_have_a_page_all_the_same(entryprune, tmp_path):
    path = write_csv(tmp_path / "flat.csv", ["a", "b", "y"], [[1] * 20, [2] * 20, [0, 1] * 10])
    page = tmp_path / "page.html"
    code, out, err = entryprune(
        "select", path, "-t", "y", "-k", "1", "--report", page, "--repeats", "0"
    )
    assert code == 0, err
    assert "lost without it; one of 0 or less brings nothing beside the others." in out
    assert 'id="growth"' not in page.read_text(encoding="utf-8")


def test_a_parameter_of_the_default_is_refused_by_the_algorithm_of_the_paper(ask):
    code, out, err = ask("--set", "interactions=false", method=PAPER)
    assert (code, out) == (2, "")
    assert "--set interactions is for --method entryprune-exchange" in err
    assert ask("--set", "interactions=false", "--set", "flex=auto")[0] == 0


def test_another_method_with_the_same_command(ask, tmp_path):
    code, out, err = ask("--method", "fisher", "--json", method=())
    assert code == 0, err
    names = [row["feature"] for row in json.loads(out)["selected"]]
    assert "worst_concave_points" in names


def test_scores_of_a_greedy_method_are_no_threshold_on_screen_page_and_in_json(ask, tmp_path):
    page, answer = tmp_path / "page.html", tmp_path / "answer.json"
    code, out, err = ask(
        *("--method", "mrmr", "--report", page, "--repeats", "0", "-o", answer), method=()
    )
    assert code == 0, err
    text = page.read_text(encoding="utf-8")
    meaning = json.loads(answer.read_text(encoding="utf-8"))["score_meaning"]
    assert "in nats" in meaning
    assert meaning in out
    assert meaning in html.unescape(text)
    assert "best first<" in text
    assert "threshold" not in text


def test_json_has_null_where_a_score_is_infinite(entryprune, tmp_path):
    # The first column tells the classes apart without any spread: its Fisher score is infinite.
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 20)
    path = write_csv(tmp_path / "a.csv", ["a", "b", "y"], [y * 3, rng.normal(size=40), y])
    output = tmp_path / "ranked.json"
    _, out, _ = entryprune(
        "select", path, "-t", "y", "-k", "2", "--method", "fisher", "--json", "-o", output
    )

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    for text in (out, output.read_text(encoding="utf-8")):
        answer = json.loads(text, parse_constant=refuse)
        assert [one["feature"] for one in answer["selected"]] == ["a", "b"]
        assert answer["selected"][0]["score"] is None
        assert answer["selected"][1]["score"] > 0


def test_a_method_that_cannot_do_the_task_is_refused_in_words_of_the_command_line(
    entryprune, tmp_path
):
    X, y = load_diabetes(return_X_y=True)
    path = write_csv(tmp_path / "a.csv", ["a", "b", "y"], [X[:, 0], X[:, 1], y])
    code, _, err = entryprune("select", path, "-t", "y", "-k", "1", "--method", "fisher")
    assert code == 2
    assert "Fisher score does classification only, and this is regression." in err
    assert "--task classification" in err
    assert "task=" not in err


def test_numbers_as_a_target_are_regression(entryprune, tmp_path):
    data = load_diabetes()
    path = write_csv(
        tmp_path / "diabetes.csv",
        [*data.feature_names, "progression"],
        [*data.data.T, data.target],
    )
    code, out, err = entryprune("select", path, "--target", "progression", "-k", "3", "--json")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["task"] == "regression"
    assert "bmi" in [row["feature"] for row in answer["selected"]]
    assert "numbers from 25 to 346" in err


@pytest.mark.usefixtures("threads_for_processes")
def test_the_page_is_written_with_a_cross_validation(ask, tmp_path):
    page, out = tmp_path / "report.html", tmp_path / "features.json"
    code, shown, err = ask("--report", page, "--output", out, "--method", "fisher", method=())
    assert code == 0, err
    text = page.read_text(encoding="utf-8")
    assert "all 32 features" in text
    assert "the selected 5" in text
    assert "entryprune select" in text
    # The verdict is the first of the answer, and in the files, which are those of the page.
    answer = json.loads(out.read_text("utf-8"))
    assert shown.splitlines()[0] == answer["verdict"]
    assert re.match(r"5 features (lose|do|gain|are) .* guessing the most .* gives 62\.7 %", shown)
    assert [len(one["folds"]) for one in answer["validation"]] == [5, 5]
    content = re.search(r"data:application/json;charset=utf-8;base64,([^\"]+)", text)[1]
    assert base64.b64decode(content) == out.read_bytes()


def test_a_list_with_tabs_is_the_same_again(entryprune, tiny, tmp_path):
    places = [tmp_path / "one.tsv", tmp_path / "two.tsv"]
    for place in places:
        code, shown, err = entryprune(
            "select", tiny, "-t", "y", "-k", "3", "--method", "fisher", "-o", place
        )
        assert code == 0, err
        assert shown.startswith("How well they predict was not checked; --report does that.\n")
    one, two = (place.read_text("utf-8") for place in places)
    assert one == two
    (header, first, *_) = (line.split("\t") for line in one.splitlines())
    row = dict(zip(header, first, strict=True))
    assert (row["rank"], row["feature"], row["column"]) == ("1", "x2", "3")
    X = np.random.default_rng(0).normal(size=(24, 80))[:, 2]
    assert row["highest_in"] == "True"
    assert float(row["highest_mean"]) == pytest.approx(X[X > 0].mean())


def test_features_that_are_rows_of_the_file_are_called_so(entryprune, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    table, labels = tmp_path / "genes.csv", tmp_path / "labels.csv"
    genes = [("a", rng.normal(size=40)), ("b", y + 0.1 * rng.normal(size=40))]
    genes += [("c", rng.normal(size=40))]
    lines = [",".join(["gene", *(f"s{i}" for i in range(40))])]
    lines += [",".join([name, *map(str, values)]) for name, values in genes]
    table.write_text("\n".join(lines) + "\n")
    labels.write_text("\n".join(["sample,sick", *(f"s{i},{label}" for i, label in enumerate(y))]))
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    code, shown, err = entryprune(
        "select", table, "--transpose", "--target-file", labels, "-k", "1", "-o", out,
        "--report", page, "--repeats", "0",
    )  # fmt: skip
    assert code == 0, err
    assert "column" not in shown
    (row,) = json.loads(out.read_text())["selected"]
    # Rows are counted below the header.
    assert (row["feature"], row["row"]) == ("b", 2)
    assert ">row</th>" in page.read_text("utf-8")


def test_a_class_of_one_and_a_handful_of_samples_are_told_first(entryprune, tmp_path):
    path = write_csv(
        tmp_path / "few.csv", ["a", "b", "y"], [range(11), [5, 1] * 5 + [3], [*"xxxxxyyyyyz"]]
    )
    page = tmp_path / "page.html"
    code, _, err = entryprune(
        "select", path, "-t", "y", "-k", "1", "--method", "fisher", "--report", page
    )
    assert code == 0, err
    text = page.read_text(encoding="utf-8")
    for said in ("There are only 11 samples", "1 class has one sample only: z"):
        assert err.count(f"\n{said}") == text.count(said) == 1
        assert text.index(said) < text.index("<section")
    # And of other words for the same there are none.
    assert err.count("11 samples") == 2
    assert err.count("one sample") == 2


BAD = [
    (("--target", "diagnosi"), "Did you mean 'diagnosis'"),
    (("--target", "batch"), "has one value only"),
    (("-k", "33"), r"asks for more features than cancer.csv has \(32\)"),
    (("--method", "fischer"), "Did you mean 'fisher'"),
    (("--task", "ranking"), "--task takes one of auto, classification, regression"),
    (("--task", "regression"), "needs numbers, but the target 'diagnosis' holds text"),
    (("--output", "none/features.csv"), "there is no folder none"),
    (("--output", "features.pdf"), "must end in .csv or .tsv or .json"),
    (("--image", "28"), "--image takes height and width"),
    (("--image", "5x5"), "--image is for the page: name it with --report"),
    (("--set", "random_state=3"), "--set random_state=3 cannot be set so: --seed does it"),
    (("--set", "patience"), "--set takes NAME=VALUE"),
    (("--set", "patient=3"), "--set patient: the method has no such parameter"),
    (("--set", "max_exchanges=-3"), "--set max_exchanges takes a whole number from 0"),
    (
        ("--set", "flex=true"),
        "--set flex is for --method entryprune and means nothing to entryprune-exchange. Take "
        "--method entryprune, or leave out --set flex.$",
    ),
    (("--set", "preset=paper"), "cannot be set so: the method's name does it, entryprune or"),
    (("--drop", "clinics"), "clinic"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[" ".join(b[0]) for b in BAD])
def test_what_is_wrong_is_told_in_one_line(entryprune, cancer, changes, message):
    arguments = {"--target": "diagnosis", "-k": "5", "--id-column": "patient"}
    arguments.update(dict([changes]))
    before = sorted(cancer.parent.iterdir())
    code, out, err = entryprune(
        "select", cancer, *(part for pair in arguments.items() for part in pair)
    )
    assert (code, out) == (2, "")
    # What was read may stand before it.
    complaint = [line for line in err.splitlines() if line.startswith("entryprune: ")]
    assert complaint == err.splitlines()[-1:]
    assert "Traceback" not in err
    assert re.search(message, complaint[0])
    assert sorted(cancer.parent.iterdir()) == before


def test_pixels_that_do_not_fit_are_told(ask, tmp_path):
    code, _, err = ask("--image", "5x5", "--report", tmp_path / "page.html")
    assert code == 2
    assert "--image 5x5 has 25 pixels, but there are 32 features" in err


def test_missing_values_are_counted_and_named(entryprune, tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("a,b,c,y\n1,,3,0\n2,5,6,1\n3,,1,0\n4,2,2,1\n")
    asked = ("select", path, "--target", "y", "-k", "1")
    code, _, err = entryprune(*asked, "--missing", "error")
    assert code == 2
    assert "2 missing values in 1 feature: 'b' (2). Take --missing impute, leave out" in err
    code, _, err = entryprune(*asked, "--method", "fisher")
    assert code == 0, err
    assert (
        "filled in 1 column, with a column more that says where: 'b' (2 gaps: the median, 3.5)"
        in err
    )


def test_infinite_values_are_refused_whatever_becomes_of_gaps(entryprune, tmp_path):
    path = tmp_path / "infinite.csv"
    path.write_text("a,b,c,y\n1,,3,0\n2,inf,6,1\n3,,1,0\n4,2,2,1\n")
    code, _, err = entryprune("select", path, "--target", "y", "-k", "1")
    assert code == 2
    assert "1 infinite value in 1 feature: 'b' (1). Replace them" in err


def test_no_target_is_told(entryprune, cancer):
    code, _, err = entryprune("select", cancer, "-k", "3")
    assert code == 2
    assert "What is to be predicted from cancer.csv?" in err
    assert "--target (such as 'patient', 'diagnosis', 'clinic'), or a file" in err


def test_no_target_names_what_is_no_feature(entryprune, tmp_path):
    path = tmp_path / "plants.csv"
    path.write_text("site,width,kind\nx,1,a\ny,2,b\n")
    assert (
        "--target (such as 'kind'), or" in entryprune("select", path, "--drop", "site", "-k", 1)[2]
    )
    arrays = tmp_path / "arrays.npz"
    np.savez(arrays, X=np.eye(3), Y=np.arange(3))
    assert "--target (such as 'Y'), or" in entryprune("select", arrays, "-k", 1)[2]


def test_columns_are_counted_as_in_the_file(ask):
    _, out, _ = ask("--method", "fisher", "--json", method=())
    header = ["patient", "diagnosis", "clinic", "batch"]
    names = [name.replace(" ", "_") for name in load_breast_cancer().feature_names]
    for row in json.loads(out)["selected"]:
        assert (header + names)[row["column"] - 1] == row["feature"]


@pytest.mark.parametrize("option", ["--output", "--reduced", "--model"])
def test_what_is_read_is_never_overwritten(ask, cancer, option):
    before = cancer.read_bytes()
    code, _, err = ask(option, cancer, "--method", "fisher", method=())
    assert code == 2
    assert "is what is to be read, which is never overwritten" in err
    assert cancer.read_bytes() == before


@pytest.mark.usefixtures("threads_for_processes")
def test_a_selection_no_better_than_a_guess_is_told(entryprune, tmp_path):
    rng = np.random.default_rng(1)
    path = write_csv(
        tmp_path / "noise.csv",
        ["a", "b", "c", "y"],
        [*rng.normal(size=(3, 40)), [0] * 30 + [1] * 10],
    )
    page = tmp_path / "page.html"
    code, _, err = entryprune(
        *("select", path, "--target", "y", "-k", "1", "--method", "fisher", "--report", page),
        *("--metric", "accuracy"),
    )
    assert code == 0, err
    said = "than always guessing the most frequent class: accuracy "
    assert said in page.read_text(encoding="utf-8")


@pytest.fixture
def uneven(tmp_path):
    """One of four columns tells a rare class."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(120) % 8 == 0, "ill", "well")
    X = rng.normal(size=(120, 4))
    X[y == "ill", 2] += 4.0
    path = tmp_path / "uneven.csv"
    rows = [",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)]
    path.write_text("\n".join(["a,b,c,d,y", *rows]) + "\n")
    return path


@pytest.mark.usefixtures("threads_for_processes")
def test_uneven_classes_are_told_by_screen_page_and_json(entryprune, uneven, tmp_path):
    page, output = tmp_path / "page.html", tmp_path / "list.json"
    common = ("select", uneven, "-t", "y", "-k", "1", "--method", "fisher", "-o", output)
    code, shown, err = entryprune(*common, "--report", page)
    assert code == 0, err
    note = (
        "The classes are uneven (well 87.5 %, ill 12.5 %), so accuracy would say little of the "
        "rare ones and is not the measure here; --metric accuracy takes it all the same."
    )
    assert f"Note: {note}" in shown
    assert note in page.read_text(encoding="utf-8")
    answer = json.loads(output.read_text())
    assert note in answer["notes"]
    assert {one["measure"] for one in answer["validation"]} == {"AUC"}
    assert answer["classes"] == [
        {"class": "ill", "n_samples": 15},
        {"class": "well", "n_samples": 105},
    ]
    # Nothing is measured without the page, so there is nothing to say of the measure.
    code, shown, _ = entryprune(*common)
    assert "uneven" not in shown


@pytest.mark.usefixtures("threads_for_processes")
def test_the_measure_of_the_page_can_be_chosen(entryprune, uneven, tmp_path):
    page, output = tmp_path / "page.html", tmp_path / "list.json"
    common = ("select", uneven, "-t", "y", "-k", "1", "--method", "fisher", "-o", output)
    code, shown, err = entryprune(*common, "--report", page, "--metric", "log-loss")
    assert code == 0, err
    assert "fold 1 of 5, Fisher score, K = 1: log loss of logistic regression" in err
    verdict = shown.splitlines()[0]
    assert ": log loss " in verdict
    assert verdict.endswith(" and the most frequent class, well, has 87.5 % of the samples.")
    answer = json.loads(output.read_text())
    assert answer["verdict"] == verdict
    assert {one["measure"] for one in answer["validation"]} == {"log loss"}
    # Shares of 7 / 8 and 1 / 8.
    assert answer["validation"][0]["guess"] == pytest.approx(0.377, abs=0.001)
    assert "uneven" not in shown
    text = page.read_text(encoding="utf-8")
    assert verdict.replace(" %", "\u00a0%") in text
    assert "log loss (lower is better)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--metric", "auc"), "--metric is for the page: name it with --report"),
        (("--metric", "acuracy", "--report", "p.html"), "Did you mean 'accuracy'"),
        (("--metric", "rmse", "--report", "p.html"), "rmse is a measure for regression"),
    ],
)
def test_a_measure_that_cannot_be_taken_is_told_before_the_work(
    entryprune, uneven, arguments, message, monkeypatch
):
    monkeypatch.chdir(uneven.parent)
    code, _, err = entryprune("select", uneven, "-t", "y", "-k", "1", *arguments)
    assert code == 2
    assert message in err


def interrupted(arguments, folder, *signs, seconds=120):
    """Run the command line as in a terminal, and press Ctrl-C when each sign has been shown.

    Return its exit code, output and errors.
    """
    terminal, its_end = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "entryprune.cli", *arguments],
        stderr=its_end,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(its_end)
    deadline, shown, to_come = time.monotonic() + seconds, b"", list(signs)
    try:
        while True:
            left = max(deadline - time.monotonic(), 0)
            assert select.select([terminal], [], [], left)[0], shown.decode()
            try:
                more = os.read(terminal, 4096)
            except OSError:  # Linux says so that there is nobody left to write
                more = b""
            if not more:
                break
            shown += more
            if to_come and to_come[0] in shown.decode(errors="replace"):
                to_come.pop(0)
                # To all of its processes, as a terminal does.
                os.killpg(process.pid, signal.SIGINT)
        assert not to_come, shown.decode()
        out, _ = process.communicate(timeout=seconds)
    finally:
        process.kill()
        os.close(terminal)
    return process.returncode, out, re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", shown.decode())


needs_signals = pytest.mark.skipif(os.name == "nt", reason="Windows sends signals differently")


@needs_signals
def test_an_interrupt_ends_with_what_is_known_so_far(cancer, tmp_path):
    out, page = tmp_path / "features.json", tmp_path / "page.html"
    arguments = [
        "select", cancer, "--target", "diagnosis", "-k", "5", "--id-column", "patient",
        "--output", out, "--report", page, "--method", "entryprune", "--set", "patience=5000",
    ]  # fmt: skip
    code, shown, err = interrupted(arguments, tmp_path, "rotation 2")
    assert code == 0, err
    assert "Stopping with what is known so far" in err
    assert "Interrupted: this is what was known by then" in err
    assert "entry score" in shown
    answer = json.loads(out.read_text())
    assert answer["interrupted"] is True
    assert len(answer["selected"]) == 5
    assert "was not checked, because the run was interrupted" in page.read_text(encoding="utf-8")
    assert [path.name for path in Path(tmp_path).iterdir() if "partial" in path.name] == []


@needs_signals
@pytest.mark.parametrize(
    ("method", "setting", "signs"),
    [
        ("neurofs", "max_epochs=100000", ["/100000"]),
        ("entryprune", "batches_per_rotation=10000000", ["starting", "Ctrl-C again to give up"]),
    ],
)
def test_with_nothing_to_show_an_interrupt_says_so_and_writes_nothing(
    cancer, tmp_path, method, setting, signs
):
    out = tmp_path / "features.csv"
    arguments = [
        "select", cancer, "--target", "diagnosis", "-k", "5", "--id-column", "patient",
        "--output", out, "--method", method, "--set", setting,
    ]  # fmt: skip
    code, shown, err = interrupted(arguments, tmp_path, *signs)
    assert (code, shown) == (130, ""), err
    assert err.splitlines()[-1] == "entryprune: interrupted"
    assert "Traceback" not in err
    assert not out.exists()


@needs_signals
def test_an_interrupted_check_is_left_out_of_the_page(cancer, tmp_path):
    page = tmp_path / "page.html"
    arguments = [
        "select", cancer, "--target", "diagnosis", "-k", "5", "--id-column", "patient",
        "--method", "fisher", "--report", page, "--repeats", "1000",
    ]  # fmt: skip
    code, shown, err = interrupted(arguments, tmp_path, "fold 1 of 5000")
    assert code == 0, err
    assert "rank" in shown
    assert "The check of how well it predicts was interrupted, and is left out." in err
    assert "Traceback" not in err
    text = page.read_text(encoding="utf-8")
    assert "interrupted, and is left out" in text
    assert '<section id="accuracy">' not in text
    assert [path.name for path in Path(tmp_path).iterdir() if "partial" in path.name] == []


@needs_signals
def test_an_interrupted_comparison_says_where_it_goes_on(cancer, tmp_path):
    store = tmp_path / "done.jsonl"
    arguments = [
        "compare", cancer, "--target", "diagnosis", "-k", "5", "--id-column", "patient",
        "--methods", "fisher", "--store", store, "--repeats", "1000",
    ]  # fmt: skip
    code, shown, err = interrupted(arguments, tmp_path, "fold 2 of 5000")
    assert code == 0, err
    assert shown.startswith("Interrupted: this is what was finished of 5,000 folds")
    assert f"What was finished is in {store}; the same command goes on from there." in " ".join(
        err.split()
    )
    assert "Traceback" not in err
    assert store.read_text().count("\n") >= 1


# -- names from strangers -----------------------------------------------------------------------


@pytest.fixture
def hostile(tmp_path):
    """Columns whose names are formulas to a spreadsheet, and commands to a terminal."""
    y = np.tile([0, 1], 40)
    noise = np.random.default_rng(0).normal(size=(3, 80))
    names = ["=HYPERLINK(1)", "red\x1b[31m", "turned\u202eback", "constant\x07", "y"]
    columns = [y + 0.1 * noise[0], y + 0.2 * noise[1], y + 0.3 * noise[2], np.ones(80), y]
    # A text file with such signs is refused; this one is not.
    path = tmp_path / "hostile.parquet"
    parquet.write_table(pyarrow.table(dict(zip(names, columns, strict=True))), path)
    return path


def test_names_are_no_formulas_in_the_list_that_is_written(entryprune, hostile, tmp_path):
    out = tmp_path / "features.csv"
    code, _, err = entryprune(
        "select", hostile, "-t", "y", "-k", "3", "-o", out, "--method", "fisher"
    )
    assert code == 0, err
    names = [row["feature"] for row in csv.DictReader(out.read_text("utf-8").splitlines())]
    assert names[0] == "'=HYPERLINK(1)"


@pytest.mark.usefixtures("threads_for_processes")
def test_names_do_not_steer_the_terminal(entryprune, hostile, tmp_path):
    for arguments in (
        ("select", hostile, "-t", "y", "-k", "2"),
        ("select", hostile, "-t", "y", "-k", "3", "--method", "fisher"),
        ("compare", hostile, "-t", "y", "-k", "2", "--methods", "fisher", "--repeats", "1"),
    ):
        code, out, err = entryprune(*arguments)
        assert code == 0, err
        assert not set(out + err) & {"\x1b", "\u202e", "\x07"}
    out = entryprune("select", hostile, "-t", "y", "-k", "3", "--method", "fisher")[1]
    assert r"red\x1b[31m" in out
    assert r"turned\u202eback" in out


def test_json_has_names_as_they_are(entryprune, hostile):
    _, out, _ = entryprune("select", hostile, "-t", "y", "-k", "3", "--method", "fisher", "--json")
    assert {row["feature"] for row in json.loads(out)["selected"]} == {
        "=HYPERLINK(1)", "red\x1b[31m", "turned\u202eback",
    }  # fmt: skip


@pytest.mark.usefixtures("threads_for_processes")
def test_the_page_is_validated_with_the_settings_that_were_asked_for(entryprune, tmp_path):
    # As they are, the second column varies most; scaled to one size, the first.
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    path = write_csv(
        tmp_path / "units.csv", ["small", "large", "y"], [0.01 * y, 9 * rng.normal(size=60), y]
    )
    page = tmp_path / "page.html"
    code, out, err = entryprune(
        "select", path, "-t", "y", "-k", "1", "--method", "variance", "--report", page
    )
    assert code == 0, err
    assert "large" in out
    text = page.read_text(encoding="utf-8")
    selected = re.search(r"the selected 1</td>.*?<td[^>]*>([\d.]+) ± ", text, re.DOTALL)
    assert float(selected[1]) < 75


# -- tables that are not all numbers ---------------------------------------------------------------


def test_a_banks_table_is_taken_as_it_is_and_what_decides_is_found(entryprune, tmp_path):
    path = Path(__file__).parents[2] / "benchmarks" / "bank.py"
    specification = importlib.util.spec_from_file_location("bank", path)
    bank = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(bank)
    table, page = tmp_path / "bank.csv", tmp_path / "page.html"
    bank.write(table, bank.bank())
    code, out, err = entryprune(
        "select", table, "-t", "default", "-k", "7", "--json", "--report", page, "--repeats", "0",
    )  # fmt: skip
    assert code == 0, err
    answer = json.loads(out)
    found = {one["feature"]: one for one in answer["selected"]}
    assert found.keys() >= set(bank.TRUE)
    assert "47 features (40 numbers, 5 of categories, 1 date, 1 of two levels)" in err
    assert "'months_in_job' (472 gaps: the median, 51)" in err
    assert "'branch' (481 of 500 levels)" in err
    assert "Check 'customer_id': it has hardly any text twice" in err
    assert found["purpose"]["highest_in"] == "business"
    assert found["months_in_job"]["levels"]["groups"][0]["level"] == "missing"
    text = page.read_text(encoding="utf-8")
    assert "where it is business (374 samples)" in text
    assert "Missing in 472 samples (16\u00a0%): 16.5\u00a0% of these have default = 1" in text


@pytest.fixture
def words(tmp_path):
    """Return a table with a category that tells the class, and a date and gaps that do not."""
    days = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(60)]
    numbers = ["" if i % 5 == 0 else i % 4 for i in range(60)]
    rows = [f"{'xyz'[i % 3]},{days[i]},{numbers[i]},{int(i % 3 == 1)}" for i in range(60)]
    path = tmp_path / "words.csv"
    path.write_text("\n".join(["letter,when,number,y", *rows]))
    return path


@pytest.mark.parametrize("method", ["fisher", "mrmr", "entryprune"])
def test_methods_that_know_one_number_for_each_feature_say_so(entryprune, words, method):
    settings = ("--set", "patience=2") if method == "entryprune" else ()
    code, out, err = entryprune(
        "select", words, "-t", "y", "-k", "3", "--method", method, *settings, "--json"
    )
    assert code == 0, err
    assert {one["feature"] for one in json.loads(out)["selected"]} == {"letter", "when", "number"}
    is_told = "each feature is given as one number: levels are numbered" in err
    assert is_told == (method != "entryprune")


def test_everything_works_with_categories_dates_and_gaps(entryprune, words, tmp_path, in_threads):
    page, reduced = tmp_path / "page.html", tmp_path / "reduced.csv"
    with in_threads():
        code, out, err = entryprune(
            "select", words, "-t", "y", "-k", "3", "--report", page, "--reduced", reduced
        )
    assert code == 0, err
    assert "letter: y = 1: 100\u00a0% where it is y (20 samples)" in out
    assert "accuracy: 100" in out or "100.0 %" in out or "100 ±" in out
    # What is written is what was read.
    assert reduced.read_text().splitlines()[:2] == ["letter,when,number,y", "x,2024-01-01,,0"]


def test_what_missing_may_be_is_told(entryprune, words):
    code, _, err = entryprune("select", words, "-t", "y", "-k", "1", "--missing", "drop")
    assert code == 2
    assert "--missing takes one of impute, error; got 'drop'." in err
