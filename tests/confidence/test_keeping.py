"""A fitted stability selector in a report and in a file."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression

import entryprune
from entryprune import Report, StabilitySelector
from entryprune.baselines import make_selector
from entryprune.saving import LoadError, SaveError
from entryprune.saving._file import pack, unpack


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 10))
    return X, (X[:, 4] + 0.2 * rng.normal(size=80) > 0).astype(int)


@pytest.fixture(scope="module")
def fitted(table):
    inner = make_selector("fisher", 1)
    return StabilitySelector(estimator=inner, n_pairs=5, random_state=0).fit(*table)


# -- reports ------------------------------------------------------------------------------------


def test_a_report_tells_how_sure_the_features_of_another_fit_are(table, fitted):
    selector = make_selector("fisher", 2).fit(*table)
    report = Report.from_selector(selector, *table, stability=fitted)
    assert report.features[0].name == "x4"
    assert report.features[0].standing.verdict == "confirmed"
    assert report.features[1].standing.frequency == pytest.approx(
        fitted.frequencies_[selector.selected_indices_[1]]
    )
    assert report.sureness.statement == fitted.statement_
    assert report.sureness.others == []


def test_confirmed_features_that_are_not_selected_are_named(table, fitted):
    selector = make_selector("variance", 1).fit(*table)
    assert 4 not in selector.selected_indices_
    assert Report.from_selector(selector, *table, stability=fitted).sureness.others == ["x4"]


def test_the_report_of_a_stability_selector_shows_its_own(table, fitted, capsys):
    report = Report.from_selector(fitted, *table)
    assert report.features[0].score is None
    assert report.rows()[0]["frequency"] == 1
    report.show()
    shown = capsys.readouterr().out
    assert "confirmed" in shown
    assert "score" not in shown


def test_a_report_works_out_the_groups_once(table, fitted, monkeypatch):
    groups, asked = StabilitySelector.groups_.fget, []
    counting = property(lambda selector: asked.append(1) or groups(selector))
    monkeypatch.setattr(StabilitySelector, "groups_", counting)
    Report.from_selector(fitted, *table)
    assert len(asked) == 1


def test_the_threshold_of_a_report_is_the_frequency_that_was_asked_for(table, fitted):
    selector = clone(fitted).set_params(threshold=0.05).fit(*table)
    assert selector.noise_limit_ > 0.05
    report = Report.from_selector(selector, *table)
    facts = json.loads(report.to_json())["stability"]
    assert facts["threshold"] == selector.noise_limit_
    assert f"at least {100 * facts['threshold']:.0f} % of" in facts["statement"]
    assert facts["confirmed"] == (selector.frequencies_ >= facts["threshold"]).sum()
    selector.set_params(threshold=1.0)
    assert Report.from_selector(selector, *table).sureness.threshold == 1.0


def test_a_report_of_nothing_says_what_to_do(table, fitted):
    noise = make_selector("random", 1, random_state=0)
    selector = StabilitySelector(estimator=noise, n_pairs=5, threshold=1.0, random_state=0)
    with pytest.warns(entryprune.NothingLearnedWarning):
        selector.fit(*table)
    told = r"nothing to report\. Of 10 features none .*\. {} more samples\. Or ask .* n_features"
    with pytest.raises(ValueError, match=told.format("Lower threshold, or bring")):
        Report.from_selector(selector, *table)
    selector.set_params(threshold=selector.noise_limit_)
    with pytest.raises(ValueError, match=told.format("Bring")):
        Report.from_selector(selector, *table)


def test_another_table_or_selector_is_refused(table, fitted):
    X, y = table
    selector = make_selector("fisher", 2).fit(X[:, :5], y)
    with pytest.raises(ValueError, match="X has 5 columns, but StabilitySelector was fitted on 10"):
        Report.from_selector(selector, X[:, :5], y, stability=fitted)
    with pytest.raises(ValueError, match="must be a fitted StabilitySelector; got StabilitySel"):
        Report.from_selector(selector, X[:, :5], y, stability=StabilitySelector())


# -- files --------------------------------------------------------------------------------------


def test_all_of_it_comes_back(table, tmp_path):
    X, y = table
    inner = make_selector("mrmr", 1)
    for n in (None, 3):
        first = StabilitySelector(n, estimator=inner, n_pairs=5, random_state=0).fit(X, y)
        entryprune.save(first, tmp_path / "file")
        again = entryprune.load(tmp_path / "file")
        assert repr(again) == repr(first)
        assert (again.verdicts_ == first.verdicts_).all()
        assert again.groups_ == first.groups_
        assert again.agreement_ == first.agreement_
        assert again.statement_ == first.statement_
        assert (again.transform(X) == first.transform(X)).all()
        assert (again.fit(X, y).frequencies_ == first.frequencies_).all()


def test_a_selector_of_others_inside_is_refused(table, tmp_path):
    inner = RFE(LogisticRegression(), n_features_to_select=1)
    selector = StabilitySelector(estimator=inner, n_pairs=2, random_state=0).fit(*table)
    with pytest.raises(SaveError, match="its estimator is a RFE, which is not one of entryprune"):
        entryprune.save(selector, tmp_path / "file")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d, a: d["parameters"]["estimator"]["dict"][0].__setitem__(1, "os"), "not known"),
        (lambda d, a: a["selections_.0"].__setitem__(0, 10), "features that are not there"),
        (lambda d, a: d["fitted"].__setitem__("_stand_ins", {"list": [3]}), "_stand_ins must be"),
        (lambda d, a: d["fitted"].pop("_mean_size"), "lacks"),
    ],
)
def test_a_file_is_checked_before_it_is_used(fitted, tmp_path, change, message):
    path = tmp_path / "file"
    entryprune.save(fitted, path)
    description, arrays = unpack(path.read_bytes())
    change(description, arrays)
    path.write_bytes(pack(description, arrays))
    with pytest.raises(LoadError, match=message):
        entryprune.load(path)
