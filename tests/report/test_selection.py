import json
from dataclasses import asdict

import numpy as np
import pytest

from entryprune.report import Images, Pair, Samples, Selected, SelectionReport
from entryprune.report import selection as selection_module
from entryprune.report.page import render_selection_page


def images_of(n_features=16, n_samples=2):
    mask = np.arange(n_features) < 3
    return Images((4, 4), mask, np.random.default_rng(0).random((n_samples, n_features)) * 255)


def a_pair(first="radius", second="area", **changes):
    facts = {"columns": (2, 4), "strength": 9.876, "p_value": 3e-9}
    return Pair(names=(first, second), **{**facts, **changes})


# -- the facts ----------------------------------------------------------------------------------


def plain(report):
    """Return the facts that follow from what a report was given, as JSON holds them."""
    facts = [*report.features, *report.runners_up, *report.distributions]
    facts += [fact for fact in (report.growth, report.convergence) if fact]
    facts += report.correlation.pairs if report.correlation else ()
    return json.dumps([asdict(fact) for fact in facts], allow_nan=False)


def test_the_facts_are_plain(build):
    report = build.full_selection(images=images_of(), history=build.growth())
    assert report.convergence is None
    assert len(json.loads(plain(report))) == 3 + 3 + 1
    report = build.full_selection(images=images_of())
    assert report.growth is None
    assert report.pairs == ()
    assert len(json.loads(plain(report))) == 3 + 3 + 1
    assert json.dumps(report.near_duplicates, allow_nan=False)


def test_the_facts_of_little_are_plain_too(build):
    selected = Selected(
        names=np.array(["a", "b"]),
        columns=np.array([4, 2]),
        scores=np.array([np.nan, 0.5]),
        other_scores={"w": np.array([np.nan, 1.0], dtype=np.float32)},
        near_duplicates=[[("c", np.float64("nan"))], []],
    )
    report = build.selection(selected=selected)
    plain(report)
    assert [one.score for one in report.features] == [None, 0.5]
    assert report.near_duplicates == [[("c", None)], []]
    assert report.threshold == 0.5
    assert report.convergence is None


def test_an_infinite_score_is_the_largest_and_null_in_json(build, capsys):
    selected = Selected(names=["a", "b"], columns=[4, 2], scores=[np.float64("inf"), 0.5])
    report = build.selection(selected=selected)
    assert [one.score for one in report.features] == [float("inf"), 0.5]
    assert report.threshold == 0.5
    assert report.to_frame()["score"].tolist() == [np.inf, 0.5]
    assert [one["score"] for one in json.loads(report.to_json())["selected"]] == [None, 0.5]
    report.show()
    assert "│ ∞ " in capsys.readouterr().out


def test_the_screen_and_json_say_what_scores_mean(build, capsys):
    selected = Selected(
        names=["a"], columns=[4], scores=[0.5], score_meaning="The more the better."
    )
    report = build.selection(selected=selected)
    report.show()
    assert "\nThe more the better.\n" in capsys.readouterr().out
    assert json.loads(report.to_json())["score_meaning"] == "The more the better."
    assert json.loads(build.selection().to_json())["score_meaning"] is None


def test_facts_are_computed_once(build, monkeypatch):
    calls = []
    for name in ("read_history", "associations"):
        original = getattr(selection_module, name)

        def counting(*arguments, name=name, original=original):
            calls.append(name)
            return original(*arguments)

        monkeypatch.setattr(selection_module, name, counting)
    render_selection_page(build.full_selection())
    assert sorted(calls) == ["associations", "read_history"]


def test_the_facts_tell_when_the_set_last_changed(build):
    history = build.history(6, 2) | {"n_changed": [9, 3, 0, 1, 0, 0, 4, 0]}
    facts = build.selection(history=history).convergence
    assert facts.last_change == 4
    assert (facts.n_search, facts.n_final) == (6, 2)
    assert facts.largest_input == 40


def test_the_strongest_pairs_are_named(build):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:, 2] = -X[:, 0] + 0.01 * rng.normal(size=60)
    report = build.selection(samples=Samples(X, build.samples(3).y))
    (pair,) = report.correlation.pairs
    assert (pair.name, pair.other_name) == ("radius", "area")
    assert pair.correlation < -0.99


# -- what does not fit --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": []}, "no selected features"),
        ({"columns": [1]}, "2 selected features, but columns has 1"),
        ({"scores": [1.0]}, "scores has 1"),
        ({"near_duplicates": [[]]}, "near_duplicates has 1"),
        ({"other_scores": {"w": [1.0]}}, "w has 1"),
    ],
)
def test_lists_of_other_lengths_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Selected(**{"names": ["a", "b"], "columns": [1, 2], **changes})


def test_cases_and_histories_that_do_not_fit_are_refused(build):
    with pytest.raises(ValueError, match="a column for each of the 3 selected"):
        build.selection(samples=build.samples(2))
    with pytest.raises(ValueError, match="one target for each sample"):
        build.selection(samples=Samples(np.zeros((4, 3)), [1, 2]))
    with pytest.raises(ValueError, match="no n_changed"):
        build.selection(history={k: v for k, v in build.history().items() if k != "n_changed"})
    with pytest.raises(ValueError, match="one length"):
        build.selection(history=build.history() | {"n_changed": [1]})
    with pytest.raises(ValueError, match="The values of radius and area must have 60 rows"):
        build.selection(samples=build.samples(3), pairs=[a_pair(values=np.zeros((59, 2)))])
    with pytest.raises(ValueError, match=r"pairs_searched is 12\. Give .* from 0 to 1"):
        build.selection(pairs_searched=12)
    with pytest.raises(ValueError, match="task must be"):
        build.data(task="clustering")


def test_the_callers_data_stay_as_they_are(build):
    report = build.full_selection(n_distributions=1)
    X, history = np.array(report.samples.X), {k: np.array(v) for k, v in report.history.items()}
    render_selection_page(report)
    assert isinstance(report, SelectionReport)
    np.testing.assert_array_equal(report.samples.X, X)
    for name, values in history.items():
        np.testing.assert_array_equal(report.history[name], values)
