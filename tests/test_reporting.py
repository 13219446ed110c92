"""Reports of fitted selectors and of comparisons, as Python objects."""

import html
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.feature_selection import SelectKBest

import entryprune
from entryprune import (
    EntryPruneClassifier,
    EntryPruneRegressor,
    EntryPruneSurvival,
    Report,
    StabilitySelector,
    compare,
    find_suspects,
)
from entryprune.baselines import (
    METHODS,
    FisherSelector,
    L1Selector,
    VarianceSelector,
    make_selector,
)
from entryprune.bench.predictions import Prediction
from entryprune.bench.validation import FoldResults
from entryprune.encoding import Encoder
from entryprune.report.files import methods_text
from entryprune.reporting import method_of
from entryprune.reporting._compare import _settings_by_method
from entryprune.reporting._facts import _meaning, data_facts, predictions


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def fitted(cancer):
    return EntryPruneClassifier(n_features_to_select=4, random_state=0).fit(*cancer)


@pytest.fixture(scope="module")
def report(fitted, cancer):
    return Report.from_selector(fitted, *cancer, target_name="diagnosis")


# -- one selection ------------------------------------------------------------------------------


def test_it_tells_what_the_selector_found(report, fitted, cancer):
    X, _ = cancer
    names = [str(name) for name in fitted.get_feature_names_out()]
    assert sorted(one.name for one in report.features) == sorted(names)
    for one in (*report.features, *report.runners_up):
        column = X.columns.get_loc(one.name)
        assert one.column == column + 1
        assert one.score == fitted.scores_[column]
        assert one.rank == fitted.ranking_[column]
    assert len(report.runners_up) == 5
    assert report.k == 4
    assert report.data.class_counts == [("0", 212), ("1", 357)]
    assert report.provenance.seed == 0
    assert report.provenance.settings["interactions"] is True
    # A table of numbers has no levels and no gaps, and classes no quantile and, here, no order.
    idle = {"kept", "max_levels", "missing", "ordinal", "quantile"}
    assert not idle & report.provenance.settings.keys()
    assert report.pairs_searched == 1.0


def test_the_page_the_text_and_the_fragment_tell_the_same(report, capsys, tmp_path):
    report.show()
    shown = capsys.readouterr().out
    report.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page == report.to_html()
    fragment = report._repr_html_()
    assert "<script" not in fragment
    for name in report.to_frame()["feature"]:
        assert name in shown
        assert name in page
        assert f">{name}</td>" in fragment
    assert "EntryPruneClassifier(n_features_to_select=4" in page
    assert "--" not in shown
    assert "The command that was run" not in page


def test_near_duplicates_are_found_when_they_are_asked_for(report, cancer):
    X, _ = cancer
    for one, near in zip(report.features, report.near_duplicates, strict=True):
        others = X.drop(columns=report.selected.names).corrwith(X[one.name])
        expected = others[others.abs() >= 0.9]
        assert dict(near) == pytest.approx(expected.to_dict(), abs=1e-9)
    assert any(report.near_duplicates)


def test_names_come_from_the_caller_the_frame_or_the_position(cancer):
    X, y = cancer
    selector = FisherSelector(2).fit(X.to_numpy(), y)
    bare = Report.from_selector(selector, X.to_numpy(), y)
    assert [one.name for one in bare.features] == [f"x{i}" for i in selector.selected_indices_]
    framed = Report.from_selector(selector, X, y)
    assert [one.name for one in framed.features] == list(X.columns[selector.selected_indices_])
    named = Report.from_selector(
        selector, X, y, feature_names=[f"gene {i}" for i in range(30)], column_numbers=range(5, 35)
    )
    assert named.features[0].name == f"gene {selector.selected_indices_[0]}"
    assert named.features[0].column == selector.selected_indices_[0] + 5


def test_a_quantity_has_a_range_and_no_classes():
    X, y = load_diabetes(return_X_y=True)
    selector = EntryPruneRegressor(n_features_to_select=3, random_state=0).fit(X, y)
    report = Report.from_selector(selector, X, y)
    assert report.data.task == "regression"
    assert report.data.target_range == (25.0, 346.0)
    assert not report.data.class_counts


def test_pixels_are_shown_where_they_lie(cancer):
    X, y = cancer
    selector = FisherSelector(3).fit(X, y)
    report = Report.from_selector(selector, X, y, image_shape=(5, 6))
    assert report.images.n_selected == 3
    assert report.images.n_examples == 2
    assert '<section id="mask">' in report.to_html()


@pytest.mark.usefixtures("threads_for_processes")
def test_a_validation_uses_the_settings_of_the_selector():
    # As they are, the second column varies most; scaled to one size, the first, which says all.
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    X = np.column_stack([0.01 * y, 100 * rng.normal(size=60)])
    selector = VarianceSelector(1).fit(X, y)
    report = Report.from_selector(selector, X, y, validate=True, n_repeats=2)
    everything, selected = report.validation
    assert everything.mean == 100.0
    assert selected.mean < 75
    assert (selected.n_splits, selected.n_repeats) == (5, 2)
    assert selected.what == "the selected 1"
    assert report.validation_sentences[0] in report._repr_html_()
    assert selector.selected_indices_.tolist() == [1]


@pytest.mark.usefixtures("threads_for_processes")
def test_a_validation_no_better_than_a_guess_is_told():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1], [30, 10])
    selector = FisherSelector(1).fit(X, y)
    report = Report.from_selector(selector, X, y, validate=True, metric="accuracy")
    assert report.headline.is_nothing
    assert report.verdict.startswith("Nothing ")
    assert report.verdict.endswith(
        "always guessing the most frequent class: accuracy 75.0 % instead of 75.0 %."
    )


def test_nothing_learned_is_known_of_the_selector_and_told_first(capsys):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(100, 20)), rng.integers(0, 2, size=100)
    with pytest.warns(entryprune.NothingLearnedWarning) as caught:
        selector = EntryPruneClassifier(n_features_to_select=3, random_state=0).fit(X, y)
    assert selector.learned_ is False
    report = Report.from_selector(selector, X, y)
    assert report.selected.warnings == (str(caught[0].message),)
    report.show()
    assert capsys.readouterr().out.startswith("Nothing was learned: ")


class Chosen(VarianceSelector):
    """One that tried several K."""

    def fit(self, X, y):
        super().fit(X, y)
        self.k_curve_ = {
            "k": np.array([1, 2, 3]),
            "score": np.array([0.8, 0.9, 0.91]),
            "standard_error": np.array([0.03, 0.03, 0.03]),
            "behind": np.array([0.11, 0.01, 0.0]),
            "behind_error": np.array([0.02, 0.02, 0.0]),
        }
        return self


def test_a_selector_that_chose_k_shows_its_curve(cancer):
    report = Report.from_selector(Chosen(2).fit(*cancer), *cancer)
    assert (report.k_curve.best, report.k_curve.parsimonious) == (3, 2)
    assert '<section id="k_curve">' in report.to_html()
    assert "so more features may do better still" in report.to_html()


def test_the_page_names_the_numbers_that_the_selectors_take(cancer, monkeypatch):
    # Another rule there is another here: there is but one.
    monkeypatch.setattr("entryprune.selectors._how_many.parsimonious_size", lambda curve: 1)
    report = Report.from_selector(Chosen(1).fit(*cancer), *cancer)
    assert report.k_curve.parsimonious == 1


def test_the_predictions_are_of_samples_that_were_kept_aside(cancer):
    X, y = cancer
    report = Report.from_selector(FisherSelector(2).fit(X, y), X, y, validate=True, n_repeats=2)
    found = report.predictions
    # Each sample once a repetition, and as right as the folds say.
    assert len(found.true) == 2 * len(y)
    assert sorted(found.true[: len(y)]) == sorted(map(str, y))
    right = np.mean(np.asarray(found.true) == np.asarray(found.predicted))
    assert 100 * right == pytest.approx(report.validation[1].mean, abs=0.5)
    assert found.auc > 0.9
    assert (found.second, found.n_repeats) == ("1", 2)
    assert report.to_json() == report.to_json()


@pytest.mark.parametrize(
    ("labels", "second"),
    [
        (np.array([2, 10], dtype=object), "2"),  # as texts they are in the other order
        (np.array([1.0, 2.0], dtype=object), "2"),
        (np.array([1.0, 2.0]), "2"),
        (np.array(["no", "yes"]), "yes"),
    ],
)
def test_a_class_has_one_name_and_its_own_scores(labels, second):
    y = np.tile(labels, 5)
    seen = y.astype(str) if y.dtype == object else y  # as a cross-validation has them
    classes, numbers = np.unique(seen, return_inverse=True)
    fold = Prediction(np.arange(10), seen, classes, np.eye(2)[numbers])
    results = FoldResults("fisher", 1, (100.0,), None, (), "", {}, (fold,))
    found = predictions(results, y, "classification")
    assert found.second == second
    assert found.auc == 1.0
    assert found.sentences[-1] == "Every sample was predicted right."
    X = np.arange(20.0).reshape(10, 2)
    counts = data_facts(X, y, ["a", "b"], "y", "classification").class_counts
    assert {name for name, _ in counts} == set(found.true)


def test_what_does_not_fit_is_refused(cancer, fitted):
    X, y = cancer
    with pytest.raises(ValueError, match="EntryPruneClassifier has no selected_indices_"):
        Report.from_selector(EntryPruneClassifier(3), X, y)
    with pytest.raises(ValueError, match=r"SelectKBest has no .* of another package"):
        Report.from_selector(SelectKBest().fit(X, y), X, y)
    with pytest.raises(
        ValueError, match="X has 29 columns, but EntryPruneClassifier was fitted on"
    ):
        Report.from_selector(fitted, X.iloc[:, 1:], y)
    with pytest.raises(ValueError, match="y have a value for each of its rows"):
        Report.from_selector(fitted, X, y[1:])
    with pytest.raises(ValueError, match="feature_names has 2 entries for 30 columns"):
        Report.from_selector(fitted, X, y, feature_names=["a", "b"])


def test_what_was_fitted_on_another_table_is_refused(cancer):
    X, y = cancer
    selector = FisherSelector(2).fit(X, y)
    stable = StabilitySelector(estimator=FisherSelector(), n_pairs=2, random_state=3).fit(X, y)
    other = X.rename(columns={"mean area": "size"})
    with pytest.raises(
        ValueError, match=r"Column 4 of X is called 'size', but FisherSelector .* it 'mean area'"
    ):
        Report.from_selector(selector, other, y)
    renamed = FisherSelector(2).fit(other, y)
    for table in (other, other.to_numpy()):  # a selector knows the names of its table, too
        with pytest.raises(ValueError, match=r"called 'size', but StabilitySelector was fitted"):
            Report.from_selector(renamed, table, y, stability=stable)
    bare = FisherSelector(2).fit(X.to_numpy(), y)
    for table, labels in ((X.to_numpy()[:, ::-1], y), (X.to_numpy()[:-1], y[:-1])):
        with pytest.raises(ValueError, match="stability was fitted on another table than X"):
            Report.from_selector(bare, table, labels, stability=stable)
    # The same in another type, in another kind of table and under another name is the same.
    for table in (X, X.astype(np.float32), X.to_numpy(dtype=object)):
        names = [f"gene {i}" for i in range(30)]
        report = Report.from_selector(selector, table, y, feature_names=names, stability=stable)
        assert report.sureness.seed == 3


@pytest.mark.parametrize("name", METHODS)
def test_a_selector_knows_its_method(name):
    for task in METHODS[name].tasks:
        assert method_of(make_selector(name, 3, task=task)) == name


class Bare(SelectKBest):
    """As little as a selector of another package may have."""

    def fit(self, X, y):
        super().fit(X, y)
        self.support_ = self.get_support()
        self.selected_indices_ = np.flatnonzero(self.support_)
        return self


def test_a_selector_of_another_package_needs_little(cancer):
    X, y = cancer
    report = Report.from_selector(Bare(k=2).fit(X, y), X, y)
    assert report.method == "Bare"
    assert len(report.features) == report.k == 2
    assert report.runners_up == ()
    assert "Of 30 features, Bare selected these 2" in report.to_html()


def test_a_class_that_nobody_registered_goes_by_its_own_name():
    class Mine(L1Selector):
        pass

    assert method_of(Mine(3)) == "Mine"


# -- a comparison -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def comparison(cancer, in_threads):
    X, y = cancer
    with in_threads():
        return compare(X, y, ["fisher", "mrmr"], [1, 3], n_repeats=1, target_name="diagnosis")


def test_a_comparison_has_the_methods_and_what_to_compare_them_with(comparison, cancer):
    _, y = cancer
    frame = comparison.to_frame()
    assert frame[["method", "K"]].to_numpy().tolist() == [
        ["Fisher score", 1],
        ["Fisher score", 3],
        ["mRMR", 1],
        ["mRMR", 3],
        ["all features", 30],
        ["random features", 1],
        ["random features", 3],
        ["guessing", 0],
    ]
    means = frame["mean"]
    assert (means[:5] > 85).all()
    assert means[7] == pytest.approx(100 * max(np.bincount(y)) / len(y), abs=0.1)
    assert comparison.selected_often[0].features[0][2] == 5


def test_the_stability_in_a_comparison_is_that_of_its_selections(comparison):
    # A filter that takes the same feature in all folds agrees with itself.
    frame = comparison.to_frame().set_index(["method", "K"])
    alone = [one for one in comparison.frequencies if len(one.counts) == one.k]
    assert alone
    for one in alone:
        assert frame.loc[(one.method, one.k), "stability"] == 1.0
    assert np.isnan(frame.loc[("all features", 30), "stability"])


def test_the_same_selections_serve_every_measure_and_learner(cancer, tmp_path):
    X, y = cancer
    asked = {"methods": ["fisher"], "k": 2, "n_repeats": 1, "store": tmp_path / "done.jsonl"}
    compare(X, y, metric="auc", **asked)
    before = asked["store"].read_bytes()
    balanced = compare(X, y, metric="balanced-accuracy", **asked)
    assert asked["store"].read_bytes() == before
    assert balanced.judgements[0].metric == "balanced accuracy (%)"
    assert balanced.judgements[0].guess.mean == 50.0
    learner = "support vector machine with classes of equal weight"
    assert balanced.judgements[0].learner == learner
    loss = compare(X, y, metric="log-loss", **asked)
    assert loss.judgements[0].learner == "logistic regression"
    assert not loss.judgements[0].higher_is_better
    assert 0 < loss.judgements[0].results[0].mean < loss.judgements[0].guess.mean
    assert asked["store"].read_bytes().startswith(before)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_page_and_comparison_mean_the_same_by_guessing(task):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), rng.standard_t(2, size=30)
    if task == "classification":
        y = np.repeat([0, 1], [13, 17])
    page = Report.from_selector(VarianceSelector(2).fit(X, y), X, y, validate=True, n_repeats=2)
    comparison = compare(X, y, ["variance"], 2, n_repeats=2)
    (guess,) = comparison.guesses
    assert list(page.validation[-1].guesses) == list(guess.fold_scores)
    assert page.validation[-1].guess == guess.mean
    if task == "regression":
        assert guess.mean < -1  # that of the other samples is not the mean of a fold


def test_methods_that_cannot_do_the_task_are_left_out():
    X, y = load_diabetes(return_X_y=True)
    report = compare(X, y, ["fisher", "variance"], 3, n_repeats=1, metric="mae")
    assert report.remarks == ("Fisher score is left out: it does classification only.",)
    (judgement,) = report.judgements
    assert [one.method for one in judgement.results] == ["Variance"]
    # The median is the best guess by this measure, and lower is better.
    assert judgement.guess.mean == pytest.approx(np.abs(y - np.median(y)).mean(), rel=0.02)
    assert judgement.reference.mean < judgement.guess.mean
    with pytest.raises(ValueError, match=r"None of these methods does regression: fisher, mrmr\."):
        compare(X, y, ["fisher", "mrmr"], 3)


def test_on_noise_nothing_is_recommended(capsys):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 8)), np.tile([0, 1], 30)
    report = compare(X, y, ["fisher", "variance"], 2, n_repeats=1)
    assert report.judgements[0].kind == "nothing"
    report.show()
    for text in (capsys.readouterr().out, report.to_html(), report._repr_html_()):
        assert "nothing here predicts clearly better than guessing (50.0 %)" in text
        assert "Use " not in text


def test_settings_go_to_the_methods_that_have_them(cancer):
    X, y = cancer
    asked = {"k": 2, "n_repeats": 1}
    assert _settings_by_method(["variance", "l1"], "classification", {"scale": "standard"}) == {
        "variance": {},
        "l1": {"scale": "standard"},
    }
    with pytest.raises(
        ValueError, match=r"methods \(fisher, l1\) has a parameter 'scales'\. Did you mean 'scale'"
    ):
        compare(X, y, ["fisher", "l1"], settings={"scales": 1}, **asked)
    # A parameter of the published algorithm plays no part in the default one.
    with pytest.raises(ValueError, match="has a parameter 'patience'"):
        compare(X, y, ["entryprune-exchange"], settings={"patience": 5}, **asked)
    with pytest.raises(ValueError, match="random_state cannot be among the settings: seed says it"):
        compare(X, y, ["l1"], settings={"random_state": 5}, **asked)


def test_a_comparison_can_be_seen_in_all_ways(comparison, capsys, tmp_path):
    comparison.show()
    statement = comparison.judgements[0].statement
    assert capsys.readouterr().out.startswith(statement)
    comparison.save(tmp_path / "page.html")
    assert "Comparison of methods: diagnosis" in (tmp_path / "page.html").read_text("utf-8")
    assert statement in html.unescape(comparison._repr_html_())
    assert "<script" not in comparison._repr_html_()


@pytest.mark.usefixtures("threads_for_processes")
def test_a_comparison_goes_on_from_its_store(cancer, tmp_path):
    X, y = cancer
    store = tmp_path / "done.jsonl"
    first = compare(X, y, ["fisher"], 2, n_repeats=1, store=store)
    before = store.read_bytes()
    again = compare(X, y, ["fisher"], 2, n_repeats=1, store=store)
    assert store.read_bytes() == before
    pd.testing.assert_frame_equal(first.to_frame(), again.to_frame())
    # Of another table nothing is known.
    compare(X, 1 - y, ["fisher"], 2, n_repeats=1, store=store)
    assert store.read_bytes() != before


def test_what_cannot_be_compared_is_refused(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match="Did you mean 'fisher'"):
        compare(X, y, ["fischer"])
    with pytest.raises(ValueError, match="k must be from 1 to the number of features, 30; got 31"):
        compare(X, y, ["fisher"], [2, 31])
    holes = X.copy()
    holes.iloc[[3, 9], 0] = [np.nan, np.inf]
    with pytest.raises(
        ValueError, match=r"X has 2 missing or infinite values, in 'mean radius'\. Fill"
    ):
        compare(holes, y, ["fisher"], 2)
    with pytest.raises(ValueError, match="at least one method and one K"):
        compare(X, y, [])
    with pytest.raises(ValueError, match="Name another method, too"):
        compare(X, y, ["random"], 2)
    with pytest.raises(ValueError, match="Did you mean 'accuracy'"):
        compare(X, y, ["fisher"], 2, metric="acuracy")
    with pytest.raises(ValueError, match=r"mae is a measure for regression.*Take one of accuracy,"):
        compare(X, y, ["fisher"], 2, metric="mae")


# -- the package --------------------------------------------------------------------------------


def test_the_names_are_public_and_import_nothing_heavy_before_they_are_used():
    assert {"Report", "compare"} <= set(entryprune.__all__)
    code = (
        "import sys; from entryprune import Report, compare\n"
        "print(*[m for m in ('torch', 'sklearn', 'matplotlib', 'jinja2', 'pandas') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_columns_that_should_hardly_be_features_are_found_and_noted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    X = np.column_stack([rng.normal(size=40) + y, np.arange(40), 5 * y])
    names = ["size", "row", "outcome"]
    suspects = find_suspects(X, y, feature_names=names)
    assert [(one.name, one.column, one.kind) for one in suspects] == [
        ("row", 1, "running number"),
        ("outcome", 2, "copy"),
    ]
    notes = [
        "Check 'row': it counts the samples (0, 1, 2, ...). That is hardly a feature: leave it "
        "out.",
        "Check 'outcome': it has one value for each class. Leave out what is not known before the "
        "target is.",
    ]
    selector = FisherSelector(n_features_to_select=1).fit(X, y)
    report = Report.from_selector(selector, X, y, feature_names=names)
    assert list(report.data.cautions) == notes
    found = compare(X, y, ["fisher"], 1, feature_names=names, n_repeats=1)
    assert list(found.data.cautions) == notes


def test_few_samples_are_told_once_by_page_and_screen(capsys):
    X, y = np.arange(24.0).reshape(12, 2) % 7, np.repeat(["a", "b", "c"], [6, 5, 1])
    selection = Report.from_selector(FisherSelector(1).fit(X, y), X, y)
    for report in (selection, compare(X, y, ["fisher"], 1, n_repeats=1)):
        report.show()
        for text in (report.to_html(), report._repr_html_(), capsys.readouterr().out):
            assert text.count("There are only 12 samples") == 1
            assert text.count("1 class has one sample only: c") == 1


def test_fewer_samples_than_folds_are_refused_before_the_work():
    with pytest.raises(ValueError, match="needs at least 5 samples, and there are 4"):
        compare(np.eye(4), [0, 1, 0, 1], ["fisher"], 1)


# -- what a score means -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (
            np.log(3) / 100,
            "together 3 times as probable: no strong evidence, which begins at about 20",
        ),
        (np.log(50) / 100, "together 50 times as probable: strong evidence"),
        (0.5, "together more than a million times as probable: strong evidence"),
        (-0.1, "None brings anything."),
    ],
)
def test_whether_a_score_is_large_is_told(score, said):
    said_of_all = _meaning("What it is.", [score, None], 100)
    assert said_of_all.startswith("What it is. ")
    assert said in said_of_all


def test_a_greedy_method_has_no_threshold_and_no_order_by_score(cancer):
    selector = make_selector("mrmr", 5).fit(*cancer)
    report = Report.from_selector(selector, *cancer)
    scores = [one.score for one in report.features]
    assert scores != sorted(scores, reverse=True)
    assert report.threshold is None
    meaning = report.selected.score_meaning
    assert "in nats" in meaning
    assert meaning.endswith(f"The largest is {max(scores):.4g}.")
    page = report.to_html()
    assert "threshold" not in page
    assert "best first, by score" not in page


def test_a_score_that_others_exceed_is_no_threshold(cancer):
    selector = make_selector("forest-permutation", 2, n_estimators=20, random_state=0).fit(*cancer)
    assert Report.from_selector(selector, *cancer).threshold > 0
    # As where trees are better off without their features, and one that no tree uses has 0.
    selector.scores_[selector.support_] = [-0.1, -0.1]
    report = Report.from_selector(selector, *cancer)
    assert report.threshold is None
    assert report.selected.score_meaning.endswith("The largest is -0.1.")


@pytest.mark.parametrize(
    ("scores", "threshold"),
    [
        ([3.0, 1.0, 2.0], 2.0),
        ([3.0, np.nan, 2.0], None),  # who knows why
        ([1.0, 3.0, 2.0], None),  # such as p-values
    ],
)
def test_scores_of_others_are_a_threshold_only_where_they_rank_all(scores, threshold):
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.tile([0, 1], 15)
    selector = SelectKBest(k=2).fit(X, y)
    selector.scores_ = np.array(scores)
    selector.selected_indices_ = np.array([0, 2])
    selector.support_ = np.array([True, False, True])
    selector.n_features_to_select = "auto"  # whatever that means elsewhere
    report = Report.from_selector(selector, X, y)
    assert report.threshold == threshold
    assert report.selected.score_meaning == report.asked == ""


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("auto", "auto: as few features as do as well as any number"),
        ("best", "best: the number of features that does best"),
        (0.1, "10 % of the features"),
        (None, "half of the features"),
        (4, ""),
    ],
)
@pytest.mark.parametrize("kind", [EntryPruneClassifier, FisherSelector])
def test_what_was_asked_for_is_told_beside_what_came_of_it(cancer, kind, asked, words):
    report = Report.from_selector(kind(asked, random_state=0).fit(*cancer), *cancer)
    assert report.asked == words
    assert report.k == len(report.features)
    answer = json.loads(report.to_json())
    assert answer["settings"]["n_features_to_select"] == asked
    assert answer["k"] == len(answer["selected"])


def test_all_that_are_confirmed_can_be_asked_for(cancer):
    stable = StabilitySelector(estimator=FisherSelector(), n_pairs=5, random_state=0).fit(*cancer)
    assert Report.from_selector(stable, *cancer).asked == "all that are confirmed"


def test_a_budget_alone_is_asked_for_in_money(cancer):
    selector = EntryPruneClassifier(costs=[1.0] * 30, budget=3.0, random_state=0).fit(*cancer)
    report = Report.from_selector(selector, *cancer)
    assert report.asked == "what the budget pays for"
    assert report.provenance.settings["n_features_to_select"] is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": "auto"}, "k takes whole numbers from 1; got 'auto'"),
        ({"k": [2, 0]}, "k takes whole numbers from 1; got 0"),
        ({"n_repeats": 0}, "n_repeats takes whole numbers from 1; got 0"),
        ({"seed": -1}, "seed takes whole numbers from 0; got -1"),
        ({"methods": "fishr"}, "There is no method 'fishr'"),
    ],
)
def test_what_a_comparison_cannot_take_is_told_before_it_starts(wrong, message):
    with pytest.raises(ValueError, match=message):
        compare(np.eye(20), np.arange(20) % 2, **wrong)


def test_suspects_are_found_beside_columns_of_text():
    X = pd.DataFrame({"place": list("abcd") * 10, "row": range(40), "size": [5.0, 3.0] * 20})
    found = find_suspects(X, [0, 0, 1, 1] * 10)
    assert [(one.name, one.column, one.kind) for one in found] == [
        ("place", 0, "separator"),
        ("row", 1, "running number"),
    ]


def test_a_number_that_each_fold_decides_on_is_not_told_as_that_of_all_samples(in_threads):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 12))
    y = X[:, :4].sum(axis=1) + 2 * rng.normal(size=120) > 0
    report = Report.from_selector(EntryPruneClassifier("auto", random_state=0).fit(X, y), X, y)
    with in_threads():
        _, selected = report.validate().validation
    assert len(selected.sizes) == 5
    assert len(set(selected.sizes)) > 1
    low, high = min(selected.sizes), max(selected.sizes)
    assert selected.what == f"{low} to {high} features, as each fold decides"


# -- how the folds are made -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def patients():
    """Three samples each of twenty patients, who can be told apart and say nothing of others."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    X = rng.normal(size=(20, 8))[groups] + 0.05 * rng.normal(size=(60, 8))
    return X, rng.permutation(np.arange(20) % 2)[groups], groups


@pytest.mark.usefixtures("threads_for_processes")
def test_samples_of_one_patient_are_kept_together_and_everyone_says_so(patients, capsys):
    X, y, groups = patients
    selector = FisherSelector(4).fit(X, y)
    blind = Report.from_selector(selector, X, y, validate=True)
    told = Report.from_selector(selector, X, y, validate=True, groups=groups)
    again = Report.from_selector(selector, X, y, groups=groups).validate()
    assert blind.validation[-1].mean > told.validation[-1].mean + 20
    assert again.validation[-1].fold_scores == told.validation[-1].fold_scores
    note = (
        "Checked by cross-validation by groups (none of the 20 groups of samples is on both sides "
        "of a fold)."
    )
    assert told.folds_note == note
    assert blind.folds_note == ""
    told.show()
    assert note in capsys.readouterr().out.replace("\n", " ")
    assert note in told.to_html()
    assert json.loads(told.to_json())["folds"] == note
    assert (
        "judged by 5-fold cross-validation by groups (none of the 20 groups of samples is on both "
        "sides of a fold), with the selection"
    ) in methods_text(told)


@pytest.mark.usefixtures("threads_for_processes")
def test_a_comparison_can_be_in_order_of_time(patients, capsys):
    X, y, _ = patients
    mixed = np.random.default_rng(0).permutation(60)
    report = compare(X[mixed], y[mixed], "fisher", 2, order=mixed, n_repeats=2)
    assert report.folds_note.startswith("Checked by cross-validation in order of time (each fold")
    assert report.judgements[0].n_folds == 5  # which are not repeated
    # 10 samples for each 10, 20, 30, 40 and 50
    assert report.test_ratio == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5) / 5)
    assert report.folds_note in report.to_html()
    report.show()
    assert "in order of time" in capsys.readouterr().out
    assert compare(X, y, "fisher", 2, cv="time").contenders[0].fold_scores == (
        report.contenders[0].fold_scores
    )
    assert compare(X, y, "fisher", 2, cv=3, n_repeats=1).judgements[0].n_folds == 3


# -- what is asked of the features besides to predict ---------------------------------------------


@pytest.fixture(scope="module")
def sensors():
    """A kept sensor, a barred one, a group of two, and costs of which a budget pays some."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 10)), columns=[f"s{i}" for i in range(10)])
    y = (X["s0"] + X["s1"] + X["s2"] > 0).astype(int)
    selector = EntryPruneClassifier(
        None,
        costs={"s0": 5, "s1": 2.5, "s9": 0.5},
        budget=4,
        keep=["s9"],
        bar=["s4"],
        feature_groups={"vibration": ["s1", "s2"], "heat": ["s5", "s6"]},
        random_state=0,
    )
    return selector.fit(X, y), X, y


def test_costs_groups_and_who_was_kept_are_told(sensors, capsys):
    report = Report.from_selector(*sensors)
    assert report.panel.total == 4.0
    rows = {row["feature"]: row for row in report.rows()}
    assert {name: row["cost"] for name, row in rows.items()} == {"s9": 0.5, "s1": 2.5, "s2": 1.0}
    assert {name: row["group"] for name, row in rows.items()} == {
        "s9": None, "s1": "vibration", "s2": "vibration",
    }  # fmt: skip
    assert [name for name, row in rows.items() if row["kept"]] == ["s9"]
    sentences = [
        "Together they cost 4 of a budget of 4.",
        "Kept as asked, whatever they bring: s9.",
        "Barred as asked, whatever they bring: s4.",
        "Groups are selected as one: these are 2 groups or single features, with 3 features in "
        "all.",
    ]
    assert report.panel_sentences == sentences
    report.show()
    shown = " ".join(capsys.readouterr().out.split())
    page = " ".join(report.to_html().split())
    for sentence in sentences:
        assert sentence in shown
        assert html.escape(sentence) in page
        assert sentence in methods_text(report)
    assert json.loads(report.to_json())["panel"] == {
        "total_cost": 4.0, "budget": 4.0, "kept": ["s9"], "barred": ["s4"], "units": 2,
    }  # fmt: skip
    assert "cost" in report.to_csv().splitlines()[0]
    # What is barred is no next best feature.
    assert "s4" not in [one.name for one in report.runners_up]
    assert len(report.runners_up) > 3


@pytest.mark.usefixtures("threads_for_processes")
def test_the_folds_keep_bar_and_pay_too(sensors):
    report = Report.from_selector(*sensors, validate=True)
    assert report.validation[-1].what == "3 features, as each fold decides"


def test_without_any_of_it_there_is_no_panel(report):
    assert report.panel is None
    assert "panel" not in json.loads(report.to_json())
    assert "cost" not in report.to_csv()


# -- tables that are not all numbers ---------------------------------------------------------------


@pytest.fixture(scope="module")
def loans():
    """Return a frame with a category, a date and gaps, of which the category decides."""
    rng = np.random.default_rng(0)
    purpose = np.resize(["car", "house", "boat"], 90)
    y = np.where((purpose == "boat") ^ (rng.random(90) < 0.1), "bad", "good")
    income = rng.normal(size=90)
    income[::6] = np.nan
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 90), "D")
    X = pd.DataFrame(
        {"income": income, "purpose": purpose, "opened": days, "n": rng.normal(size=90)}
    )
    X["code"] = X["purpose"].map({"car": "c", "house": "h", "boat": "b"})
    return X, y


def as_arrow(X):
    return pa.Table.from_pandas(X, preserve_index=False)


@pytest.mark.parametrize("make", [lambda X: X, pl.from_pandas, as_arrow])
def test_a_report_of_a_frame_tells_of_levels_dates_and_gaps(loans, make):
    X, y = make(loans[0]), loans[1]
    selector = EntryPruneClassifier(
        3, missing="impute", keep=["income", "opened"], bar=["code"], random_state=0
    ).fit(X, y)
    report = Report.from_selector(selector, X, y, target_name="loan")
    told = {one.name: one for one in report.breakdowns}
    assert {name: one.kind for name, one in told.items()} == {
        "purpose": "levels",
        "opened": "date",
        "income": "gaps",
    }
    assert told["purpose"].high.name == "boat"
    assert told["income"].levels[0].n_samples in {15, 75}
    row = next(row for row in report.rows() if row["feature"] == "purpose")
    assert (row["highest_in"], row["lowest_in"] in {"car", "house"}) == ("boat", True)
    assert row["effect"] > 1.5
    assert report.near_duplicates[row["rank"] - 1] == [("code", pytest.approx(1))]
    assert any("Gaps were filled in 1 column" in note for note in report.data.notes)
    page = report.to_html()
    assert page == Report.from_selector(selector, X, y, target_name="loan").to_html()
    assert '<section id="levels">' in page
    content = json.loads(report.to_json())["selected"][row["rank"] - 1]["levels"]
    assert content["outcome"] == "share with loan = bad"


def test_a_report_of_a_baseline_can_be_made_of_the_table_behind_its_numbers(loans):
    X, y = loans
    numbers = Encoder.fit(X, missing="impute").one_column_each(X)
    selector = FisherSelector(2).fit(numbers, y)
    report = Report.from_selector(selector, X, y)
    assert report.selected.names[0] in {"purpose", "code"}
    assert report.breakdowns[0].kind == "levels"


def test_a_report_of_a_sparse_table_is_that_of_the_dense_one():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 40)) < 0.2) * rng.random((60, 40))
    y = X[:, 3] + X[:, 7] > 0
    reports = [
        Report.from_selector(EntryPruneClassifier(3, random_state=0).fit(table, y), table, y)
        for table in (X, sparse.csr_matrix(X))
    ]
    texts = [json.loads(report.to_json()) for report in reports]
    assert texts[0] == texts[1]


def test_a_comparison_of_a_frame_fills_gaps_if_that_is_asked_for(loans, in_threads):
    X, y = loans
    asked = {"k": 1, "n_repeats": 1, "metric": "accuracy"}
    with pytest.raises(ValueError, match="missing values in 1 column"):
        compare(X, y, ["l1"], **asked)
    with in_threads():
        report = compare(X, y, ["entryprune-exchange", "l1"], missing="impute", **asked)
    best = {one.method: one.mean for one in report.contenders}
    assert best["EntryPrune exchange"] > 80
    assert any(
        note.startswith("L1: each feature is given as one number") for note in report.remarks
    )
    assert {one.n_folds for one in report.contenders} == {5}


# -- times until an event, several targets, weights -----------------------------------------------


@pytest.fixture(scope="module")
def followed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    time, watched = rng.exponential(np.exp(-2 * X[:, 6])), rng.exponential(2.0, size=150)
    return X, np.column_stack([np.minimum(time, watched), time <= watched])


@pytest.mark.usefixtures("threads_for_processes")
def test_a_report_of_survival_speaks_of_events_and_risks(followed):
    X, y = followed
    structured = np.array(
        [(event > 0, time) for time, event in y], dtype=[("seen", bool), ("days", float)]
    )
    selector = EntryPruneSurvival(n_features_to_select=2, random_state=0).fit(X, structured)
    report = Report.from_selector(selector, X, structured, target_name="days", validate=True)
    assert (report.data.task, report.data.n_events) == ("survival", int(y[:, 1].sum()))
    assert report.features[0].name == "x6"
    assert report.features[0].effect.size > 3
    everything, selected = report.validation
    assert everything.metric == selected.metric == "concordance"
    assert selected.mean > 0.75
    assert set(selected.guesses) == {0.5}
    # Who has the event soon is in the third with the highest risk.
    thirds = report.predictions.by_risk
    assert [len(rows) for rows in thirds.values()] == [50, 50, 50]
    times = np.asarray(report.predictions.true)[:, 0]
    assert np.median(times[thirds["high risk"]]) < np.median(times[thirds["low risk"]]) / 5
    assert "of the third with the highest predicted risk" in report.predictions.sentences[0].lower()
    page = report.to_html()
    for text in ("Events seen", "Kaplan-Meier", "hazard ratio per SD", "times until an event"):
        assert text in page


@pytest.mark.usefixtures("threads_for_processes")
def test_survival_is_compared_with_what_can_do_it(followed):
    X, y = followed
    X = X * np.where(np.arange(8) == 1, 3, 1)  # where most varies, nothing is told
    report = compare(X, y, methods=["cox-score", "l1", "variance"], k=1, task="survival")
    means = {one.method: one.mean for one in report.contenders}
    assert means["Cox score"] > 0.75
    assert means["Variance"] < 0.65
    assert report.guesses[0].mean == 0.5
    assert report.warnings == ["L1 is left out: it does classification and regression only."]
    with pytest.raises(ValueError, match="None of these methods does survival: l1, mrmr"):
        compare(X, y, methods=["l1", "mrmr"], k=1, task="survival")
    with pytest.raises(ValueError, match="accuracy is a measure for classification"):
        compare(X, y, k=1, task="survival", metric="accuracy")


@pytest.mark.usefixtures("threads_for_processes")
def test_several_targets_have_effects_of_their_own_and_a_mean_score():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6))
    y = pd.DataFrame({"height": X[:, 1] + 0, "weight": 100 * X[:, 4]})
    selector = EntryPruneRegressor(n_features_to_select=2, random_state=0).fit(X, y.to_numpy())
    report = Report.from_selector(selector, X, y, validate=True)
    assert (report.data.target, report.data.targets) == ("height, weight", ("height", "weight"))
    by_name = {one.name: one.by_target for one in report.features}
    assert by_name["x1"]["height"] == pytest.approx(1)
    assert by_name["x4"]["weight"] == pytest.approx(1)
    assert abs(by_name["x4"]["height"]) < 0.3
    assert report.validation[1].mean > 90
    assert [one.text.split(":")[0] for one in report.distributions] == [
        "height" if one.name == "x1" else "weight" for one in report.features
    ]
    assert "effect on weight" in report.rows()[0]
    assert "correlation: weight" in report.to_html()
    found = compare(X, y, methods=["variance", "l1"], k=2)
    assert found.warnings == ["L1 is left out: it knows one target only."]


@pytest.mark.usefixtures("threads_for_processes")
def test_settings_of_a_comparison_may_name_features():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    told = {"keep": ["d"], "bar": "b", "costs": {"c": 3.0}}
    found = compare(X, X["a"] > 0, ["entryprune-exchange"], k=2, settings=told, n_repeats=1)
    assert found.warnings == []
    assert {name for name, *_ in found.frequencies[0].counts} <= {"a", "c", "d"}
    assert found.frequencies[0].counts[0][::2] == ("d", 5)
    assert found.provenance.settings["keep"] == ["d"]


@pytest.mark.usefixtures("threads_for_processes")
def test_folds_know_the_order_of_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    labels = np.array(["low", "middle", "high"])[np.digitize(X[:, 1], [-0.5, 0.5])]
    y = pd.Series(pd.Categorical(labels, ["low", "middle", "high"], ordered=True))
    selector = EntryPruneClassifier(1, ordinal=True, random_state=0).fit(X, y)
    report = Report.from_selector(selector, X, y)
    assert report.source.class_order == ["low", "middle", "high"]
    given = []

    def cross_validate(*args, selector, **others):
        given.append(selector.ordinal)
        raise InterruptedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("entryprune.bench.validation.cross_validate", cross_validate)
        with pytest.raises(InterruptedError):
            report.validate()
    assert given == [["low", "middle", "high"]]
    found = compare(X, y, ["entryprune-exchange"], 1, settings={"ordinal": True}, n_repeats=1)
    assert found.warnings == []
    assert found.frequencies[0].counts == [("x1", 2, 5)]


@pytest.mark.usefixtures("threads_for_processes")
def test_weights_reach_the_selections_of_folds_and_zero_is_not_there(followed):
    X, _ = followed
    y = X[:, 2] > 0
    # Half of the samples say something else, and count for nothing.
    y[75:] = X[75:, 5] > 0
    weights = np.where(np.arange(150) < 75, 2.0, 1e-6)
    weights[140:] = 0
    selector = EntryPruneClassifier(n_features_to_select=1, random_state=0)
    selector.fit(X, y, sample_weight=weights)
    report = Report.from_selector(selector, X, y, sample_weight=weights, validate=True)
    assert (report.data.n_samples, report.features[0].name) == (140, "x2")
    found = compare(X, y, methods=["entryprune-exchange", "fisher"], k=1, sample_weight=weights)
    assert found.warnings == ["Fisher score takes no weights: for it all samples count the same."]
    ours = next(one for one in found.frequencies if one.method == "EntryPrune exchange")
    assert ours.counts[0][::2] == ("x2", 10)
