import base64
import hashlib
import re

import numpy as np
import pytest

from entryprune.report import (
    Images,
    KCurve,
    Pair,
    Predictions,
    Provenance,
    Samples,
    Selected,
    Validation,
)
from entryprune.report.page import render_selection_page
from entryprune.report.page.render import selection_plots

RANKING = "The selected features, best first, by entry score"
LAST = ["data", "methods", "again"]
ALWAYS = ["ranking", "scores", *LAST]
EVERY = [
    "ranking",
    "accuracy",
    "k_curve",
    "mask",
    "plane",
    "distributions",
    "scores",
    "correlation",
    *LAST,
]
CSV = "selected-features.csv"


def images_of(n_features=16, n_samples=2):
    mask = np.arange(n_features) < 3
    return Images((4, 4), mask, np.random.default_rng(0).random((n_samples, n_features)) * 255)


def a_curve(**changes):
    facts = {"ks": [1, 2, 3], "scores": [0.7, 0.9, 0.91], "behind_errors": [0.01, 0.02, 0.02]}
    facts |= {"best": 3, "parsimonious": 2, "is_at_edge": True, "measure": "accuracy"}
    return KCurve(**facts | changes)


@pytest.fixture(scope="module")
def full(build):
    report = build.full_selection(images=images_of(), k_curve=a_curve())
    return build.read(render_selection_page(report))


# -- what it tells ------------------------------------------------------------------------------


def test_the_answer_comes_first(build, full):
    assert "Of 10,000 features, EntryPrune selected these 3 to predict “diagnosis”." in full.text
    one = build.read(render_selection_page(build.selection(("radius",))))
    assert "selected this one to" in one.text


def test_the_table_ranks_the_features(full):
    assert full.headings[RANKING] == [
        "rank",
        "feature",
        "entry score",
        "difference (SD)",
        "highest and lowest mean",
        "column",
        "near duplicates left out",
    ]
    rows = full.tables[RANKING]
    assert [row[:3] + row[5:] for row in rows] == [
        ["1", "radius", "1.00", "2", "1"],
        ["2", "texture", "0.55", "3", "1"],
        ["3", "area", "0.10", "4", "1"],
    ]
    assert "#correlation" in [link["href"] for link in full.attributes("a")[len(EVERY) :]]
    assert full.tables["Near duplicates that were left out"][0] == [
        "1.\u00a0radius",
        "twin of radius (0.970)",
    ]
    for row in rows:
        assert re.fullmatch(r"0\.\d\d", row[3])
        assert re.fullmatch(r"-?[\d.]+\xa0\((\w+)\), -?[\d.]+\xa0\((?!\1)\w+\)", row[4])


def test_the_download_has_scores_in_full_and_all_near_duplicates(build):
    third = 1 / 3
    duplicates = [[(f"twin {i}", 0.9) for i in range(8)], []]
    selected = Selected(
        names=["a", "b"],
        columns=[1, 2],
        scores=[third, None],
        other_scores={"weight": [float("nan"), -0.25]},
        near_duplicates=duplicates,
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    rows = page.downloads()[CSV]
    assert rows[0] == ["rank", "feature", "column", "score", "weight", "near_duplicates"]
    assert rows[1][:5] == ["1", "a", "1", repr(third), ""]
    assert rows[2] == ["2", "b", "2", "", "-0.25", ""]
    assert rows[1][5].count("twin") == 8
    assert [row[5] for row in page.tables[RANKING]] == ["8", "0"]
    ((_, shown),) = page.tables["Near duplicates that were left out"]
    assert shown.count("twin") == 5
    assert shown.endswith("and 3 more")


def test_methods_without_scores_have_no_column_and_no_plot_for_them(build):
    for scores in (None, [None, float("nan"), None]):
        selected = Selected(names=["a", "b", "c"], columns=[1, 2, 3], scores=scores)
        page = build.read(render_selection_page(build.selection(selected=selected)))
        assert page.headings["The selected features, best first"] == ["rank", "feature", "column"]
        assert page.sections == ["ranking", *LAST]


def test_runners_up_stand_below_the_selected_and_are_not_downloaded(build):
    selected = Selected(
        names=["a", "b"],
        columns=[1, 2],
        scores=[0.5, 0.4],
        other_scores={"weight": [0.1, 0.2]},
        near_duplicates=[[("c", 0.95)], []],
        runners_up=[("c", 3, 0.3), ("d", 9, None)],
        runners_up_note="Mind the gap.",
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    assert page.tables[RANKING][2:] == [
        ["Next, not selected"],
        ["3", "c", "0.300", "", "3", ""],
        ["4", "d", "—", "", "9", ""],
    ]
    assert "Mind the gap." in page.text
    assert len(page.downloads()[CSV]) == 3
    without = Selected(names=["a"], columns=[1], scores=[0.5], runners_up_note="Mind the gap.")
    page = build.read(render_selection_page(build.selection(selected=without)))
    assert "Mind the gap." not in page.text
    assert "Next, not selected" not in page.text


def test_scores_that_do_not_rank_the_features_are_no_threshold(build):
    selected = Selected(
        names=["a", "b"],
        columns=[1, 2],
        scores=[0.1, 0.5],
        score_name="what it brings",
        score_meaning="The more the better.",
        is_by_score=False,
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    assert "The more the better." in page.text
    assert "threshold" not in page.text
    assert "The selected features, best first" in page.tables
    ((_, svg, alt),) = page.pictures()
    assert "from 0.5 down to 0.1" in alt
    assert b"dashed" not in svg
    assert build.selection(selected=selected).threshold is None


def test_what_scores_mean_stands_before_the_threshold(build):
    selected = Selected(
        names=["a", "b"], columns=[1, 2], scores=[0.5, 0.1], score_meaning="The more the better."
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    assert "The selected features, best first, by entry score" in page.tables
    meaning, threshold = (
        page.text.index(said) for said in ("The more the better.", "The threshold is the smallest")
    )
    assert meaning < threshold
    assert "0.1: no feature that is not selected has more. The best has 0.5." in page.text


def test_a_score_without_bounds_is_the_best_and_is_told(build):
    selected = Selected(
        names=["a", "b", "c"], columns=[1, 2, 3], scores=[np.inf, 2319.0, 12.0], score_name="score"
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    ranking = page.tables["The selected features, best first, by score"]
    assert [row[2] for row in ranking] == ["∞", "2,319", "12"]
    assert "The best has ∞." in page.text
    assert "A score of ∞ is larger than any number, and has no bar." in page.text
    ((_, _, alt),) = page.pictures()
    assert "from ∞ down to 12" in alt
    assert "inf" not in page.downloads()["selection.json"].lower()
    # With nothing else there is no bar to draw.
    alone = Selected(names=["a", "b"], columns=[1, 2], scores=[np.inf, np.inf])
    page = build.read(render_selection_page(build.selection(selected=alone)))
    assert page.pictures() == []
    assert "The best has ∞." in page.text


def a_pair(first="radius", second="area", **changes):
    facts = {"columns": (2, 4), "strength": 9.876, "p_value": 3e-9}
    return Pair(names=(first, second), **{**facts, **changes})


def test_pairs_are_named_and_the_strongest_is_drawn(build):
    values = build.samples(3).X[:, [0, 2]]
    pairs = [a_pair(values=values), a_pair("texture", "area", p_value=0.031)]
    page = build.read(render_selection_page(build.selection(samples=build.samples(3), pairs=pairs)))
    assert page.tables["Features that matter only together"] == [
        ["radius", "area", "9.876", "< 0.0001"],
        ["texture", "area", "9.876", "0.031"],
    ]
    assert "The two in each row of the table matter only together" in page.text
    assert page.sections[:3] == ["ranking", "plane", "pairs"]
    drawn = [alt for _, _, alt in page.pictures() if "against each other" in alt]
    assert drawn == [
        f"{names} against each other, a point for each sample, coloured by diagnosis."
        for names in ("radius and texture", "radius and area")
    ]


def test_no_picture_is_drawn_twice(build):
    samples = build.samples(3)
    pair = a_pair("texture", "radius", values=samples.X[:, [1, 0]])
    page = build.read(render_selection_page(build.selection(samples=samples, pairs=[pair])))
    assert "plane" not in page.sections
    assert "pairs" in page.sections


def test_a_pair_without_values_or_target_is_a_table_only(build):
    values = build.samples(3).X[:, [0, 2]]
    for changes in ({"samples": build.samples(3)}, {}):
        pair = a_pair() if changes else a_pair(values=values)
        page = build.read(render_selection_page(build.selection(pairs=[pair], **changes)))
        assert "These two matter only together" in page.text
        assert not [alt for _, _, alt in page.pictures() if "radius and area against" in alt]


def test_pairs_say_how_many_were_looked_at(build):
    report = build.selection(pairs=[a_pair()], pairs_searched=0.0204)
    page = build.read(render_selection_page(report))
    assert "2 % of all pairs were looked at; all would take too long." in page.text
    assert page.text.index("These two matter") < page.text.index("2 % of all pairs")
    assert "No two features" not in page.text


@pytest.mark.parametrize(("searched", "is_said"), [(1.0, True), (0.0, True), (None, False)])
def test_without_pairs_a_sentence_below_the_ranking_says_so(build, searched, is_said):
    report = build.selection(pairs_searched=searched)
    text = render_selection_page(report)
    page = build.read(text)
    assert page.sections[:2] == ["ranking", "scores"]
    note = report.pairs_note
    assert bool(note) == is_said
    ranking = text[text.index('<section id="ranking">') : text.index('<section id="scores">')]
    assert ranking.count(f"<p>{note}</p>") == is_said
    assert page.text.count("looked") == is_said


def test_a_run_that_was_interrupted_before_has_not_too_few_samples(build):
    selected = Selected(names=["a", "b"], columns=[1, 2], ended="interrupted")
    report = build.selection(selected=selected, pairs_searched=0.0)
    said = "Pairs of features were not looked for: the run was interrupted before that."
    assert said in build.read(render_selection_page(report)).text


def test_a_growth_is_a_closed_detail_without_empty_plots(build):
    text = render_selection_page(build.selection(history=build.growth()))
    assert text.index("<details>") < text.index('id="growth"') < text.index("</details>")
    page = build.read(text)
    assert page.sections == ALWAYS
    assert "It was lowest with 3 features: by this measure 1 more added nothing" in page.text
    assert [alt for _, _, alt in page.pictures()][1:] == [
        "Loss against the number of features taken: -0.1 after the first step, -0.34 in the end."
    ]
    history = build.growth((-0.1, -0.3), exchanges=(-0.4, -0.5))
    page = build.read(render_selection_page(build.selection(history=history)))
    assert "exchanged for better ones: 4 exchanges in 2 rounds." in page.text
    assert "It was lowest" not in page.text
    assert "took the places" not in page.text
    # One point says nothing, and no loss nothing at all.
    one = build.read(render_selection_page(build.selection(history=build.growth((-0.1,)))))
    assert {"id": "growth"} in one.attributes("h3")
    assert len(one.pictures()) == 1
    blank = build.growth((float("nan"), float("nan")))
    none = build.read(render_selection_page(build.selection(history=blank)))
    assert {"id": "growth"} not in none.attributes("h3")


def test_pairs_that_take_places_are_part_of_the_growth(build):
    history = build.growth((-0.1, -0.3, -0.2), pairs=(-0.25,), exchanges=(-0.28,))
    page = build.read(render_selection_page(build.selection(history=history)))
    assert "Then 1 pair of features that matter only together took the places" in page.text
    assert "exchanged for better ones: 2 exchanges in 1 round." in page.text
    history = build.growth((-0.1, -0.3, -0.2), pairs=(-0.25, -0.28))
    report = build.selection(history=history)
    page = build.read(render_selection_page(report))
    assert "Then 2 pairs of features" in page.text
    assert "added nothing" not in page.text
    growth = report.growth
    assert (growth.n_steps, growth.n_pairs, growth.n_exchanges) == (3, 2, 0)


def test_the_threads_are_told(build):
    provenance = Provenance(command="entryprune select a.csv", n_threads=np.int64(2))
    report = build.selection(provenance=provenance)
    page = build.read(render_selection_page(report))
    assert page.tables["Machine"] == [["threads used (may matter in the last digit)", "2"]]


def test_the_accuracy_says_what_it_means(full):
    (rows,) = [rows for name, rows in full.tables.items() if "cross-validation" in name]
    assert [row[0] for row in rows] == ["all 30 features", "the selected"]
    assert (rows[0][1], rows[0][4]) == ("0.951 ± 0.012", "5, 2 times")
    assert "repeated inside each fold" in full.text
    assert "not how this very set does" in full.text
    assert "standard deviation (SD) over the folds" in full.text
    assert "higher is better" in full.text


def test_a_metric_for_which_lower_is_better_says_so(build):
    report = build.selection(validation=build.validation(higher_is_better=False))
    assert "lower is better" in build.read(render_selection_page(report)).text


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        ("interrupted", "This is what was known when it was interrupted."),
        ("cut off", "The search was cut off at a limit"),
    ],
)
def test_an_early_end_is_told(build, ended, sentence):
    selected = Selected(names=["a"], columns=[1], scores=[1.0], ended=ended, warnings=["Beware."])
    page = build.read(render_selection_page(build.selection(selected=selected, k=3)))
    assert sentence in page.text
    assert "Beware." in page.text
    assert "3 were asked for; there are 1." in page.text


def test_a_warning_that_says_the_same_is_enough(build):
    selected = Selected(
        names=["a"], columns=[1], ended="cut off", warnings=["The search was cut off at 9."]
    )
    page = build.read(render_selection_page(build.selection(selected=selected)))
    assert page.text.count("cut off") == 1


def test_every_setting_is_there(build):
    provenance = Provenance(
        command="entryprune select a.csv",
        command_again="entryprune select a.csv --seed 7",
        settings={"flex": False, "body": None, "rate": np.float64(0.001), "sizes": (100, 50)},
        seed=np.int64(7),
        versions={"torch": "2.9"},
        machine={"processor": "x86_64"},
    )
    page = build.read(render_selection_page(build.selection(provenance=provenance)))
    assert page.tables["Every setting as it was used"] == [
        ["seed (random numbers)", "7"],
        ["flex", "no"],
        ["body", "none"],
        ["rate", "0.001"],
        ["sizes", "(100, 50)"],
    ]
    assert page.tables["Versions"] == [["torch", "2.9"]]
    assert page.tables["Machine"] == [["processor", "x86_64"]]
    assert "entryprune select a.csv --seed 7" in page.text


def test_what_was_read_is_told(build):
    data = build.data(notes=["The column “id” was left out."])
    page = build.read(render_selection_page(build.selection(data=data)))
    values = dict(page.tables["The data and the question"])
    assert values["Classes (samples)"] == "benign (40), malignant (20)"
    assert values["Asked for"] == "3 features"
    assert "Selected" not in values
    assert "The column “id” was left out." in page.text
    numbers = build.data(task="regression", class_counts=(), target_range=(25.0, 346.0))
    page = build.read(render_selection_page(build.selection(data=numbers)))
    assert dict(page.tables["The data and the question"])["Values of the target"] == "25 to 346"


def test_what_was_asked_for_and_what_came_of_it_are_two_things(build):
    report = build.selection(asked="best: the number of features that does best")
    page = build.read(render_selection_page(report))
    values = dict(page.tables["The data and the question"])
    assert values["Asked for"] == "best: the number of features that does best"
    assert values["Selected"] == "3 features"


def test_the_verdict_comes_before_all_else(build):
    facts = {"learner": "svm", "metric": "accuracy (%)", "n_splits": 5, "sd": 1.0}
    everything, ours = [97, 98, 97, 98, 97], [85, 86, 85, 86, 85]
    validation = [
        Validation(**facts, what="all", mean=97.4, is_all=True, fold_scores=everything),
        Validation(**facts, what="3", mean=85.4, guesses=[66.7] * 5, fold_scores=ours),
    ]
    text = render_selection_page(build.selection(validation=validation))
    said = "3 features lose 12.0 points of accuracy against all 10,000: 85.4\u00a0% instead"
    assert text.index(f'<p class="verdict">{said}') < text.index("Of 10,000 features")
    assert "-12.0 points, with a 95 % interval from -12.0 to -12.0" in text
    bad = [Validation(**facts, what="3", mean=60.0, guesses=[66.7] * 5, fold_scores=[60.0] * 5)]
    text = render_selection_page(build.full_selection(validation=bad))
    assert '<p class="verdict nothing">Nothing here: 3 features predict' in text
    assert "As these features predict nothing, theirs are of chance." in text


def test_without_a_check_the_top_says_so(build):
    page = build.read(render_selection_page(build.selection()))
    assert "How well they predict was not checked." in page.text


@pytest.mark.parametrize(
    ("found", "n_pictures", "said"),
    [
        ({"task": "classification", "true": [*"abb"], "predicted": [*"aab"]}, 1, "b taken for a"),
        (
            {
                "task": "classification",
                "true": [*"ab"],
                "predicted": [*"ab"],
                "scores": [0.1, 0.9],
                "second": "b",
            },
            2,
            "area under the curve (AUC) is 1.00",
        ),
        ({"task": "regression", "true": [1.0, 2.0], "predicted": [1.0, 3.0]}, 1, "off by 0.5"),
    ],
)
def test_predictions_are_drawn_and_told(build, found, n_pictures, said):
    report = build.selection(validation=build.validation(), predictions=Predictions(**found))
    assert len(selection_plots(report)["predictions"]) == n_pictures
    page = build.read(render_selection_page(report))
    assert len(page.pictures()) == 1 + n_pictures
    assert said in page.text


def test_the_k_curve_tells_of_the_edge(build, full):
    assert "The best K is at the edge of what was tried (1 to 3)" in full.text
    assert any(alt.startswith("Accuracy against the number") for _, _, alt in full.pictures())
    one = a_curve(ks=[3], scores=[0.9], behind_errors=[0.1], best=3, parsimonious=3)
    page = build.read(render_selection_page(build.selection(k_curve=one)))
    assert len(page.pictures()) == 1


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("classification", "Where colours and marks lie apart"),
        ("regression", "The colour is area:"),
    ],
)
def test_the_plane_says_how_to_read_it(build, task, said):
    samples, data = build.samples(3), build.data(task=task, target="area", class_counts=())
    if task == "regression":
        samples = Samples(samples.X, np.arange(60.0))
    page = build.read(render_selection_page(build.selection(samples=samples, data=data)))
    assert said in page.text
    assert "points are moved a little" in page.text


def test_one_bar_and_two_features_are_sentences_and_no_pictures(build):
    one = build.read(render_selection_page(build.selection(("radius",))))
    assert one.pictures() == []
    assert "The threshold is the smallest entry score" in one.text
    two = build.read(render_selection_page(build.selection(("a", "b"), samples=build.samples(2))))
    assert re.search(r"The correlation of a and b is -?0\.\d+\.", two.text)
    assert not [alt for _, _, alt in two.pictures() if alt.startswith("Correlation of each two")]


def test_no_near_duplicates_are_a_sentence(build, full):
    page = build.read(render_selection_page(build.selection(samples=build.samples(3))))
    assert "Near duplicates that were left out: none above r = 0.9." in page.text
    assert "none above" not in full.text


def test_features_that_are_rows_are_called_so(build):
    page = build.read(render_selection_page(build.selection(data=build.data(place="row"))))
    assert page.headings[RANKING][-1] == "row"
    assert "column" not in page.text


def test_the_paragraph_on_methods_can_be_copied(build):
    page = build.read(render_selection_page(build.selection()))
    assert {"class": "copied", "data-copy": None} in page.attributes("p")
    assert "3 features of 10,000 were selected with EntryPrune, to predict diagnosis" in page.text


# -- sections -----------------------------------------------------------------------------------


def test_all_sections_come_in_order_and_are_linked(full):
    assert full.sections == EVERY
    links = [link["href"] for link in full.attributes("a") if "download" not in link]
    assert links[: len(EVERY)] == [f"#{name}" for name in EVERY]
    assert set(links) == {f"#{name}" for name in EVERY}


def test_sections_without_data_are_left_out(build):
    page = build.read(render_selection_page(build.selection()))
    assert page.sections == ALWAYS
    assert len(page.pictures()) == 1


@pytest.mark.parametrize("section", ["history", "validation", "samples", "images"])
def test_each_section_comes_with_its_data_alone(build, section):
    data = {
        "history": build.history(),
        "validation": build.validation(),
        "samples": build.samples(3),
        "images": images_of(),
    }
    new = {
        "history": [],
        "validation": ["accuracy"],
        "samples": ["plane", "distributions", "correlation"],
        "images": ["mask"],
    }
    page = build.read(render_selection_page(build.selection(**{section: data[section]})))
    assert page.sections == [name for name in EVERY if name in ALWAYS + new[section]]
    assert ({"id": "convergence"} in page.attributes("h3")) == (section == "history")


def test_a_history_without_losses_or_scores_has_fewer_plots(build):
    history = build.history()
    nothing = np.full(len(history["phase"]), np.nan)
    for gone, n_plots in (
        ((), 3),
        (("validation_loss",), 3),
        (("validation_loss", "training_loss"), 2),
        (("min_entry_score",), 2),
    ):
        report = build.selection(history=history | dict.fromkeys(gone, nothing))
        assert len(selection_plots(report)["convergence"]) == n_plots, gone
        assert len(build.read(render_selection_page(report)).pictures()) == 1 + n_plots


def test_one_feature_has_nothing_to_be_correlated_with(build):
    report = build.selection(("radius",), samples=build.samples(1))
    assert "correlation" not in build.read(render_selection_page(report)).sections


def test_only_the_first_features_have_their_distribution_shown(build):
    names = [f"f{i}" for i in range(20)]
    report = build.selection(names, samples=build.samples(20))
    assert len(report.distributions) == 12
    less = build.selection(names, samples=build.samples(20), n_distributions=3)
    assert render_selection_page(less).count(">Rank ") == 3


def test_a_numerical_target_has_dots(build):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    report = build.selection(
        ("a", "b"), data=build.data(task="regression"), samples=Samples(X, 3 * X[:, 0])
    )
    page = build.read(render_selection_page(report))
    assert "Correlation with the target: 1.00." in page.text
    assert "against the target" in page.text


# -- the file -----------------------------------------------------------------------------------


def test_every_picture_says_what_it_shows_and_is_part_of_the_page(full):
    assert len(full.pictures()) == 1 + 1 + 3 + 3 + 1 + 1 + 1
    for kind, content, alt in full.pictures():
        assert kind in {"data:image/svg+xml;base64", "data:image/png;base64"}
        assert content
        assert len(alt) > 20
    for image in full.attributes("img"):
        assert int(image["width"]) > 100
        assert int(image["height"]) > 50


def test_nothing_comes_from_elsewhere(full):
    for tag, attributes in full.tags:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form"}
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:")), (tag, name)


def test_the_policy_allows_this_style_and_this_script_only(full):
    (policy,) = [
        meta["content"]
        for meta in full.attributes("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    for rule, (text,) in (("style-src", full.styles), ("script-src", full.scripts)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"


def test_phones_are_told_the_width(full):
    assert {
        "name": "viewport",
        "content": "width=device-width, initial-scale=1",
    } in full.attributes("meta")


def test_the_same_report_gives_the_same_page(build):
    pages = {render_selection_page(build.full_selection(n_distributions=1)) for _ in range(2)}
    assert len(pages) == 1


def test_two_hundred_features_stay_under_three_megabytes(build):
    names = [f"a rather long name of a feature, number {i}" for i in range(200)]
    rng = np.random.default_rng(0)
    labels = [f"class {i}" for i in range(30)]
    samples = Samples(rng.normal(size=(3000, 200)), np.resize(labels, 3000))
    report = build.full_selection(names, samples=samples, history=build.history(2000, 1000))
    page = render_selection_page(report)
    assert len(page.encode()) < 3_000_000
    assert len(build.read(page).tables[RANKING]) == 200


def test_a_very_long_table_is_cut_but_the_download_is_whole(build):
    page = build.read(render_selection_page(build.selection([f"f{i}" for i in range(1200)])))
    assert len(page.tables[RANKING]) == 1000
    assert "The first 1,000 of 1,200 rows are shown." in page.text
    assert len(page.downloads()[CSV]) == 1201
