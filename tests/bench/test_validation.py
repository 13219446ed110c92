import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from entryprune import EntryPruneClassifier
from entryprune.baselines import L1Selector, VarianceSelector
from entryprune.bench.folds import make_folds
from entryprune.bench.validation import (
    FoldResults,
    _fingerprint,
    common_folds,
    cross_validate,
    guesses,
)


@pytest.fixture(scope="module")
def units():
    """The first column says all and varies little in its units, the second nothing and much."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    return np.column_stack([0.01 * y, 100 * rng.normal(size=60)]), y


@pytest.mark.usefixtures("threads_for_processes")
def test_a_selector_sees_the_values_as_they_are_and_so_its_own_settings_count(units):
    X, y = units
    # Scaled to one size, the first column would vary more than the second.
    _, one = cross_validate(X, y, "classification", [("variance", 1)])
    assert set(one.selections) == {(1,)}
    _, given = cross_validate(
        X, y, "classification", [("variance", 1)], selector=VarianceSelector(1)
    )
    assert given.selections == one.selections


@pytest.mark.usefixtures("threads_for_processes")
@pytest.mark.parametrize("scale", ["standard", "minmax", None])
def test_the_settings_in_the_folds_are_those_of_the_selector(scale):
    X, y = load_breast_cancer(return_X_y=True)
    selector = L1Selector(3, scale=scale, random_state=7)
    _, one = cross_validate(X, y, "classification", [("l1", 3)], selector=selector)
    assert one.settings == selector.get_params()
    assert len(one.known) == 5


def test_settings_go_to_the_methods_that_they_are_for():
    X, y = load_breast_cancer(return_X_y=True)
    _, variance, l1 = cross_validate(
        X, y, "classification", [("variance", 1), ("l1", 2)], settings={"l1": {"scale": None}}
    )
    assert l1.settings["scale"] is None
    assert "scale" not in variance.settings


def test_another_seed_has_other_folds_and_no_seed_is_too_large():
    y = np.random.default_rng(0).normal(size=40)
    by_seed = [
        tuple(guesses(y, "regression", "r2", make_folds(y, "regression", n_repeats=2, seed=seed)))
        for seed in (0, 1, 2, 20_261_118, 2**40)
    ]
    assert len({len(set(one)) for one in by_seed}) == 1
    assert len({score for one in by_seed for score in one}) == 50


def test_two_processes_find_what_one_finds_in_any_order_of_the_array(in_threads):
    X, y = load_breast_cancer(return_X_y=True)
    with in_threads():
        alone = cross_validate(X, y, "classification", [("fisher", 3)])
    beside = cross_validate(np.asfortranarray(X), y, "classification", [("fisher", 3)], n_jobs=2)
    assert [(one.scores, one.selections) for one in alone] == [
        (one.scores, one.selections) for one in beside
    ]


@pytest.mark.usefixtures("threads_for_processes")
def test_texts_and_few_samples_can_be_classes(units):
    X, y = units
    labels = np.where(y == 1, "yes", "no").astype(object)
    everything, _ = cross_validate(X, labels, "classification", [("fisher", 1)])
    assert everything.known == [100.0] * 5


def test_a_selector_that_no_process_can_be_given_is_refused(units):
    class Local(VarianceSelector):
        pass

    with pytest.raises(ValueError, match=r"Local cannot be cross-validated.*in a module"):
        cross_validate(*units, "classification", [("local", 1)], selector=Local(1))


def test_a_script_needs_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from sklearn.datasets import load_wine\n"
        "from entryprune.bench.validation import cross_validate\n"
        "_, one = cross_validate(*load_wine(return_X_y=True), 'classification', [('fisher', 2)])\n"
        "print('ran', len(one.known))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout == "ran 5\n", done.stderr


# -- predictions --------------------------------------------------------------------------------


def test_predictions_are_those_that_were_scored_and_each_sample_has_one_in_each_repetition():
    X, y = load_breast_cancer(return_X_y=True)
    labels = np.where(y == 1, "benign", "malignant").astype(object)
    for one in cross_validate(
        X,
        labels,
        "classification",
        [("fisher", 3)],
        folds=make_folds(labels, "classification", n_repeats=2),
        keeps_predictions=True,
    ):
        assert len(one.predictions) == len(one.scores) == 10
        for fold, score in zip(one.predictions, one.scores, strict=True):
            right = fold.values == labels[fold.samples]
            assert 100 * right.mean() == pytest.approx(score)
            assert fold.classes.tolist() == ["benign", "malignant"]
            assert fold.scores.shape == (len(fold.samples), 2)
            assert (fold.classes[fold.scores.argmax(axis=1)] == fold.values).all()
        for half in (one.predictions[:5], one.predictions[5:]):
            seen = np.concatenate([fold.samples for fold in half])
            assert sorted(seen.tolist()) == list(range(len(y)))


def test_predictions_of_quantities_have_no_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    _, one = cross_validate(X, X[:, 0], "regression", [("variance", 2)], keeps_predictions=True)
    for fold, score in zip(one.predictions, one.scores, strict=True):
        true = X[fold.samples, 0]
        left = ((true - fold.values) ** 2).sum() / ((true - true.mean()) ** 2).sum()
        assert 100 * (1 - left) == pytest.approx(score)
        assert fold.classes is fold.scores is None


def test_predictions_are_not_kept_unless_asked_for(units, tmp_path):
    for one in cross_validate(*units, "classification", [("fisher", 1)]):
        assert one.predictions == ()
    with pytest.raises(ValueError, match="store keeps no predictions"):
        cross_validate(
            *units, "classification", [], store=tmp_path / "a.jsonl", keeps_predictions=True
        )


def test_a_store_from_before_there_were_measures_is_scored_again_and_not_selected_again(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    store = tmp_path / "done.jsonl"
    asked = {"candidates": [("fisher", 2)], "store": store}
    first = cross_validate(X, y, "classification", **asked)
    lines = [json.loads(line) for line in store.read_text().splitlines()]
    store.write_text("".join(json.dumps({**line, "metrics": {}}) + "\n" for line in lines))
    again = cross_validate(X, y, "classification", **asked)
    assert [one.scores for one in again] == [one.scores for one in first]
    newer = [json.loads(line) for line in store.read_text().splitlines()][len(lines) :]
    # A selection that was made anew would have another time.
    assert sorted(one["started"] for one in newer) == sorted(one["started"] for one in lines)
    assert sorted(str(one.get("seconds")) for one in newer) == sorted(
        str(one.get("seconds")) for one in lines
    )


# -- a run that is ended before its end ---------------------------------------------------------


@pytest.mark.usefixtures("threads_for_processes")
def test_a_callback_ends_a_run_with_what_is_finished(units):
    X, y = units
    # Fold by fold all features, then the method: the eleventh is all features in the sixth fold.
    everything, one = cross_validate(
        X,
        y,
        "classification",
        [("variance", 1)],
        folds=make_folds(y, "classification", n_repeats=2),
        callback=lambda n_done: n_done >= 11,
    )
    assert (everything.missing, one.missing) == ({6, 7, 8, 9}, {5, 6, 7, 8, 9})
    assert (everything.n_finished, one.n_finished) == (6, 5)
    assert [score is None for score in one.scores] == 5 * [False] + 5 * [True]
    whole = cross_validate(X, y, "classification", [("variance", 1)])
    assert everything.within(range(5)).scores == whole[0].scores


def results(missing, n_folds=10):
    scores = tuple(None if i in missing else 90.0 + i for i in range(n_folds))
    return FoldResults("l1", 5, scores, None, (), "", {}, missing=frozenset(missing))


def test_folds_to_compare_by_are_those_of_all_who_went_through_a_round():
    whole, more, few = results({7, 8, 9}), results({9}), results(range(2, 10))
    assert common_folds([whole, more]) == list(range(7))
    # One that has begun only leaves the others what they have.
    assert common_folds([whole, more, few]) == list(range(7))
    assert common_folds([few, results(range(4, 10))]) == []
    # Two rounds that are not the same one.
    assert common_folds([results(range(5)), results(range(5, 10))]) == []
    assert more.within(range(7)).scores == more.scores[:7]
    assert few.within(range(7)) is few


@pytest.fixture(scope="module")
def patients():
    """Three samples each of twenty patients, who can be told apart and say nothing of others."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 3)
    X = rng.normal(size=(20, 30))[groups] + 0.05 * rng.normal(size=(60, 30))
    return X, rng.permutation(np.arange(20) % 2)[groups], groups


@pytest.mark.usefixtures("threads_for_processes")
def test_a_score_of_samples_of_patients_that_were_seen_is_too_good(patients):
    X, y, groups = patients
    scores = []
    for given in (None, groups):
        folds = make_folds(y, "classification", groups=given)
        everything, _ = cross_validate(X, y, "classification", [("fisher", 5)], folds=folds)
        scores.append(np.mean(everything.known))
    assert scores[0] == 100.0
    assert scores[1] < 70.0


@pytest.mark.usefixtures("threads_for_processes")
def test_a_selector_is_told_which_samples_belong_together(patients, tmp_path):
    X, y, groups = patients
    folds = make_folds(y, "classification", groups=groups, n_repeats=1)
    store = tmp_path / "store.jsonl"
    _, one = cross_validate(
        X, y, "classification", [("entryprune-exchange", 2)], folds=folds, store=store
    )
    assert "Nothing was learned" in one.trouble or len(one.known) == 5
    lines = store.read_text().splitlines()
    # Of other folds nothing is known.
    cross_validate(X, y, "classification", [("entryprune-exchange", 2)], store=store)
    assert len(store.read_text().splitlines()) == 2 * len(lines)
    # More repetitions go on from the first.
    more = make_folds(y, "classification", groups=groups, n_repeats=2)
    cross_validate(X, y, "classification", [("entryprune-exchange", 2)], folds=more, store=store)
    assert len(store.read_text().splitlines()) == 3 * len(lines)


# -- tables that are not all numbers ---------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed():
    """Return a frame in which a category tells the class, beside noise with gaps."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 40)
    word = np.where(y == 1, rng.choice(["a", "b"], 80), rng.choice(["c", "d"], 80))
    noise = rng.normal(size=(80, 2))
    noise[::9] = np.nan
    columns = {"x": noise[:, 0], "word": word, "z": noise[:, 1]}
    return pa.table({name: pa.array(one, from_pandas=True) for name, one in columns.items()}), y


@pytest.mark.usefixtures("threads_for_processes")
def test_frames_go_to_selectors_and_their_columns_to_learners(mixed):
    X, y = mixed
    selector = EntryPruneClassifier(1, missing="impute", random_state=0)
    everything, one = cross_validate(
        X, y, "classification", [("entryprune-exchange", 1)], selector=selector
    )
    assert set(one.selections) == {(1,)}
    # Numbered by how frequent they are, the four levels would not tell the classes so well.
    assert one.known == [100.0] * 5
    assert everything.trouble == ""


@pytest.mark.usefixtures("threads_for_processes")
def test_methods_that_know_numbers_only_get_one_for_each_feature(mixed):
    X, y = mixed
    _, one = cross_validate(X, y, "classification", [("l1", 1)])
    assert one.trouble == ""
    assert len(one.selections) == 5


@pytest.mark.usefixtures("threads_for_processes")
def test_sparse_tables_give_what_dense_ones_do():
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 40)
    X = (rng.random((80, 12)) < 0.3) * rng.random((80, 12))
    X[:, 4] = y * (1 + rng.random(80))
    selector = EntryPruneClassifier(2, random_state=0)
    dense, thin = (
        cross_validate(table, y, "classification", [("entryprune-exchange", 2)], selector=selector)
        for table in (X, sparse.csr_array(X))
    )
    assert [one.scores for one in thin] == [one.scores for one in dense]
    assert thin[1].selections == dense[1].selections


def test_the_name_of_a_table_in_a_store_follows_from_all_that_it_holds(mixed):
    X, y = mixed
    place = X.column_names.index("word")
    other = X.column("word").to_pylist()
    other[0] = "e"
    changed = [
        X.rename_columns(["x", "words", "z"]),
        X.set_column(place, "word", [other]),
        X.set_column(0, "x", [[0.0, *X.column("x").to_pylist()[1:]]]),
    ]
    tables = [X, *changed, sparse.csr_array(np.eye(80)), np.eye(80)]
    names = [_fingerprint(table, y) for table in tables]
    assert len(set(names)) == len(names)
    assert _fingerprint(pa.concat_tables([X.slice(0, 30), X.slice(30)]), y) == names[0]
