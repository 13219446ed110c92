import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from entryprune.report import KCurve, Provenance, Selected, SelectionReport, Validation
from entryprune.report.confidence import Sureness
from entryprune.report.files import methods_text, selection_json
from entryprune.report.page import render_comparison_page, render_selection_page


def test_the_page_holds_the_very_files(build):
    report = build.full_selection()
    page = build.read(render_selection_page(report))
    files = page.downloads()
    assert files["selection.json"] == selection_json(report) == report.to_json()
    rows = [line.split("\t") for line in report.to_tsv().splitlines()]
    assert files["selected-features.tsv"] == rows == files["selected-features.csv"]
    assert rows[0] == [
        *("rank", "feature", "column", "score", "effect"),
        *("highest_in", "highest_mean", "lowest_in", "lowest_mean", "near_duplicates"),
    ]


def test_neither_times_nor_paths_nor_the_machine_are_in_the_files(build):
    one = build.full_selection()
    seconds = Selected(
        **{name: getattr(one.selected, name) for name in ("names", "columns", "scores")},
        near_duplicates=one.selected.near_duplicates,
        seconds=99.0,
    )
    provenance = Provenance(
        command="entryprune select data/wdbc.csv -k 3", machine={"processor": "another"}
    )
    other = build.full_selection(selected=seconds, provenance=provenance)
    for write in (SelectionReport.to_json, SelectionReport.to_csv, SelectionReport.to_tsv):
        assert write(one) == write(other)


def test_json_has_all_numbers(build):
    curve = KCurve(ks=[1, 2], scores=[0.5, 0.6], behind_errors=[0.1, 0.1], best=2, parsimonious=1)
    provenance = Provenance(
        settings={
            "rate": np.float64(0.5),
            "sizes": (100, np.int64(50)),
            "loss": np.mean,
            "body": SimpleNamespace(),
            "flex": True,
            "nothing": None,
        },
        versions={"entryprune": "1.2", "numpy": "2"},
        seed=3,
    )
    report = build.full_selection(k_curve=curve, provenance=provenance, method_name="entryprune")
    content = json.loads(selection_json(report))
    assert content["method"] == "entryprune"
    assert (content["version"], content["seed"]) == ("1.2", 3)
    assert content["settings"] == {
        "rate": 0.5,
        "sizes": [100, 50],
        "loss": "mean",
        "body": "SimpleNamespace",
        "flex": True,
        "nothing": None,
    }
    assert content["k_curve"]["enough"] == 1
    # As `k_curve_` calls it, whose "standard_error" is that of the score.
    assert content["k_curve"]["behind_error"] == [0.1, 0.1]
    assert "standard_error" not in content["k_curve"]
    assert content["effect"] == "difference (SD)"
    first = content["selected"][0]
    assert first["near_duplicates"] == [{"feature": "twin of radius", "correlation": 0.97}]
    assert first["effect"] == report.features[0].effect.size
    assert [one["mean"] for one in content["validation"]] == [0.9512, 0.9433]
    assert content["verdict"] is None


def test_features_that_are_rows_are_called_so(build):
    report = build.full_selection(data=build.data(place="row"))
    content = json.loads(selection_json(report))
    assert content["selected"][0]["row"] == 2
    assert "column" not in selection_json(report)
    assert "\trow\t" in report.to_tsv().splitlines()[0]


def test_the_paragraph_has_counts_seeds_settings_and_versions(build):
    facts = {"learner": "support vector machine", "metric": "accuracy (%)", "n_splits": 5}
    validation = [
        Validation(
            **facts, what="all", mean=97.4, sd=0.5, is_all=True, fold_scores=[97, 98, 97, 98, 97]
        ),
        Validation(
            **facts,
            what="3",
            mean=85.4,
            sd=0.6,
            guesses=[66.7] * 5,
            fold_scores=[85, 86, 85, 86, 85],
        ),
    ]
    provenance = Provenance(
        settings={"interactions": True, "verbose": 0, "body": None, "random_state": 7},
        seed=7,
        versions={"python": "3.12", "entryprune": "1.0", "torch": "2.9"},
        n_threads=1,
    )
    text = methods_text(build.selection(validation=validation, provenance=provenance))
    assert text == (
        "3 features of 10,000 were selected with EntryPrune (entryprune 1.0), seed 7, to predict "
        "diagnosis in 60 samples (benign: 40, malignant: 20). Settings: interactions = True. "
        "Prediction was judged by 5-fold cross-validation, with the selection made anew in each "
        "fold from its training samples alone: accuracy of a support vector machine was 85.4 % "
        "(SD 0.6 % over folds), and 97.4 % (SD 0.5 % over folds) with all features; always "
        "guessing the most frequent class gives 66.7 %. The difference is -12 points (95 % "
        "interval -12 to -12, corrected for training samples that folds share; Nadeau and Bengio, "
        "2003). Computed with python 3.12, torch 2.9, 1 thread."
    )


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ("best", "the number that did best"),
        ("auto", "the smallest that was not worse than the best by more than one standard error"),
    ],
)
def test_the_rule_for_how_many_is_the_one_that_was_asked_for(build, asked, rule):
    # Both rules lead to the same number.
    curve = KCurve(ks=[1, 3], scores=[0.5, 0.9], behind_errors=[0.1, 0.0], best=3, parsimonious=3)
    provenance = Provenance(settings={"n_features_to_select": asked})
    text = methods_text(build.selection(k_curve=curve, provenance=provenance))
    assert f"Their number is {rule}" in text


def test_little_is_told_of_little(build):
    data = build.data(task="regression", class_counts=(), target_range=(25.0, 346.0))
    assert methods_text(build.selection(("radius",), data=data)) == (
        "1 feature of 10,000 was selected with EntryPrune, to predict diagnosis in 60 samples "
        "(from 25 to 346)."
    )


def test_the_files_of_a_comparison_have_its_table_and_all_that_it_tells(build):
    nan = float("nan")
    report = build.comparison(warnings=["=1+1"])
    report = replace(
        report, contenders=[replace(report.contenders[0], seconds=nan), *report.contenders[1:]]
    )
    assert "NaN" not in report.to_json()
    content = json.loads(report.to_json())
    assert content["verdicts"][0]["verdict"] == report.judgements[0].statement
    assert content["notes"][-1] == "=1+1"
    assert content["interrupted"] is False
    rows = report.rows()
    ones = [*content["verdicts"][0]["results"], *content["verdicts"][0]["compared_with"]]
    assert [(one["method"], one["k"], one["mean"]) for one in ones[:2]] == [
        (row["method"], row["K"], row["mean"]) for row in rows[:2]
    ]
    lines = report.to_tsv().splitlines()
    assert len(lines) == 1 + len(rows)
    assert lines[0].split("\t") == list(rows[0]) == report.to_csv().splitlines()[0].split(",")
    files = build.read(render_comparison_page(report)).downloads()
    assert files["comparison.json"] == report.to_json()


def test_the_paragraph_says_how_it_was_found_out_how_sure_features_are(build):
    facts = Sureness(
        statement="",
        standings={},
        threshold=0.754,
        n_half_samples=100,
        n_per_fit=6,
        n_confirmed=3,
        expected_false=0.4512,
        seed=7,
    )
    provenance = Provenance(versions={"entryprune": "1.2"})
    text = methods_text(build.selection(sureness=facts, provenance=provenance))
    assert (
        "How sure each feature is was judged by complementary pairs stability selection "
        "(entryprune 1.2): the same selection, of 6 features, on both halves of 50 splits of the "
        "samples, seed 7. Of all features 3 are confirmed, that is selected on at least 75 % of "
        "the 100 half samples, and more often than any of the features with their samples in "
        "another order that took part beside them; at most 0.45 of these are expected to be false "
        "(Shah and Samworth, 2013)."
    ) in text
