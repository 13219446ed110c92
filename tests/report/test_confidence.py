import json
from dataclasses import replace

import numpy as np
import pytest

from entryprune.report import KCurve, Validation
from entryprune.report.confidence import AnyOf, Standing, Sureness


def any_of(n=3, verdict="confirmed"):
    return AnyOf(
        names=[f"g{i}" for i in range(n)], columns=range(n), frequency=0.956, verdict=verdict
    )


@pytest.fixture
def sure(build):
    """A report of three features, the last of them not looked at, and a runner-up."""
    standings = {
        2: Standing(frequency=0.92, verdict="confirmed"),
        3: Standing(frequency=0.4, verdict="tentative"),
        9: Standing(frequency=0.07, verdict="rejected"),
    }
    report = build.selection()
    selected = type(report.selected)(
        names=("radius", "texture", "area"),
        columns=(2, 3, 4),
        scores=(1.0, 0.5, 0.1),
        runners_up=[("next", 9, 0.05)],
    )
    return build.selection(
        selected=selected,
        sureness=Sureness(
            statement="Of 10,000 features one is confirmed.",
            standings=standings,
            threshold=0.75,
            n_half_samples=100,
            n_per_fit=3,
            n_confirmed=2,
            expected_false=0.1,
            agreement=0.456,
            agreement_interval=(0.4, 0.512),
            jaccard=0.333,
            kuncheva=0.45,
            names={2: "radius", 3: "texture", 4: "area", 9: "next"},
            groups=[any_of(), any_of(2, "rejected")],
            others=["stranger"],
        ),
    )


def test_features_and_runners_up_know_how_sure_they_are(sure):
    assert [one.standing and one.standing.verdict for one in sure.features] == [
        "confirmed",
        "tentative",
        None,
    ]
    assert sure.runners_up[0].standing.frequency == 0.07
    assert sure.rows()[0]["frequency"] == 0.92
    assert sure.rows()[0]["verdict"] == "confirmed"


def test_a_report_without_it_has_no_such_columns(build, capsys):
    report = build.selection()
    assert "verdict" not in report.rows()[0]
    report.show()
    assert "verdict" not in capsys.readouterr().out
    assert "How sure" not in report.to_html()


def test_agreement_is_told_as_far_as_it_is_known(sure):
    alone = replace(sure.sureness, agreement_interval=None, jaccard=None, kuncheva=None)
    assert alone.agreement_text == (
        "How alike the selections are: Nogueira's index is 0.46; 1 if all are the same, about 0 by "
        "chance."
    )
    assert replace(alone, agreement=None).agreement_text == ""


def test_json_has_every_feature_that_was_ever_selected(sure):
    never = {7: Standing(frequency=0.0, verdict="rejected", interval=(0.0, 0.04))}
    facts = replace(sure.sureness, standings={**never, **sure.sureness.standings})
    facts.standings[3] = replace(facts.standings[3], interval=(0.3, 0.5))
    found = json.loads(replace(sure, sureness=facts).to_json())["stability"]
    assert (found["agreement_interval"], found["jaccard"], found["kuncheva"]) == (
        [0.4, 0.512],
        0.333,
        0.45,
    )
    assert [one["feature"] for one in found["ever_selected"]] == ["radius", "texture", "next"]
    assert found["ever_selected"][1] == {
        "feature": "texture",
        "column": 3,
        "frequency": 0.4,
        "interval": [0.3, 0.5],
        "verdict": "tentative",
    }


def test_all_ways_to_see_it_tell_the_same(sure, build, capsys):
    sure.show()
    shown = " ".join(capsys.readouterr().out.split())
    page, fragment = sure.to_html(), sure._repr_html_()
    for text in ("Of 10,000 features one is confirmed.", "92 %", "tentative", "stranger", "g0, g1"):
        assert text in shown, text
        assert text in page, text
        assert text in fragment, text
    assert "next (0.05, 7 %, rejected)" in shown
    assert "How sure each feature is" in page
    assert (
        "Nogueira's index is 0.46 (95 % interval 0.40 to 0.51), Kuncheva's 0.45; 1 if all are the "
        "same, about 0 by chance. Of all that any two selected, both have a share of 0.33 "
        "(Jaccard)."
    ) in build.read(page).text


def test_the_verdict_says_how_many_are_confirmed(sure, build, capsys):
    facts = {"what": "the selected", "learner": "svm", "metric": "accuracy (%)", "n_splits": 5}
    scores = [90.0, 91.0, 92.0, 91.0, 90.0]
    validation = Validation(**facts, mean=90.8, sd=0.8, fold_scores=scores, guesses=[60.0] * 5)
    full = build.full_selection(validation=[validation])

    def with_verdicts(*verdicts):
        standings = {
            column: Standing(frequency=0.5, verdict=verdict)
            for column, verdict in zip(full.selected.columns, verdicts, strict=False)
        }
        return replace(full, sureness=replace(sure.sureness, standings=standings))

    alone = full.verdict.removesuffix(".")
    report = with_verdicts("confirmed", "tentative")
    said = "1 of the 3 selected is confirmed, with at most 0.1 wrong ones to be expected."
    assert report.verdict == f"{alone}; {said}"
    report.show()
    assert said in " ".join(capsys.readouterr().out.split())
    assert said in report.to_html()
    assert with_verdicts("rejected").verdict == f"{alone}; none of the 3 selected is confirmed."
    every = with_verdicts(*["confirmed"] * 3).verdict
    assert (
        every
        == f"{alone}; all 3 selected are confirmed, with at most 0.1 wrong ones to be expected."
    )
    # Without a cross-validation there is no verdict.
    assert sure.verdict == ""


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["confirmed"], "it is confirmed, with at most 0.1 wrong ones to be expected"),
        (["rejected"], "it is not confirmed"),
        (["confirmed"] * 2, "both are confirmed, with at most 0.1 wrong ones to be expected"),
        (
            ["confirmed"] * 2 + ["tentative", None],
            "2 of the 4 selected are confirmed, with at most 0.1 wrong ones to be expected",
        ),
    ],
)
def test_how_many_of_the_selected_are_confirmed(sure, verdicts, said):
    standings = [one and Standing(frequency=0.5, verdict=one) for one in verdicts]
    assert sure.sureness.of_selected(standings) == said


def test_a_group_is_a_sentence_and_a_rejected_one_is_none(sure):
    _, others, group = sure.sureness.sentences
    assert others == "Confirmed, but not selected: stranger."
    assert group == (
        "Any one of these three will do (confirmed; one or more of them on 96 % of the half "
        "samples): g0, g1, g2."
    )
    assert "these 12 will do" in any_of(12).text
    assert any_of(12).text.endswith("g0, g1, g2, g3, g4, g5 and 6 more.")


def test_the_page_says_what_took_part(sure):
    said = "took part a second time"
    assert said in sure.to_html()
    alone = replace(sure, sureness=replace(sure.sureness, has_shadows=False))
    assert said not in alone.to_html()


FOUND = {
    "k": np.array([2, 4, 8, 16]),
    "score": np.array([0.70, 0.89, 0.90, 0.905]),
    "behind_error": np.array([0.02, 0.02, 0.02, 0.0]),
}


def test_the_best_the_enough_and_the_edge_are_told():
    named = {"best": 16, "parsimonious": 4}
    assert KCurve.of(FOUND, 30, **named).sentences == [
        "The share of variance explained is best with K = 16: 0.905.",
        "K = 4 (0.89) is enough: the fewest features that are within one standard error of it.",
        "The best K is at the edge of what was tried (2 to 16), so more features may do better "
        "still.",
    ]
    # There are no more than all.
    assert len(KCurve.of(FOUND, 16, **named).sentences) == 2
    low = KCurve.of(FOUND, 30, best=2, parsimonious=2).sentences
    assert len(low) == 2
    assert "so fewer features may do" in low[-1]


def test_what_does_not_fit_is_refused():
    facts = {"ks": [2, 4], "scores": [0.5, 0.6], "behind_errors": [0.1, 0.0], "best": 4}
    with pytest.raises(ValueError, match="got 2 K, 1 scores and 2 errors"):
        KCurve(**facts | {"scores": [1.0]}, parsimonious=2)
    with pytest.raises(ValueError, match=r"K = 5 is not among those tried: \[2, 4\]"):
        KCurve(**facts, parsimonious=5)


def test_a_best_number_within_noise_is_not_told_for_an_answer():
    named = {"best": 16, "parsimonious": 2}
    (said,) = KCurve.of(FOUND, 30, **named, is_within_noise=True).sentences
    assert said == (
        "No number of features up to 16 clearly explains anything in samples that were left out: "
        "the share of variance explained is best with K = 16, 0.905, which is within one standard "
        "error of nothing."
    )


def test_where_no_number_explains_anything_none_is_enough():
    curve = KCurve(ks=[1, 2], scores=[-0.2, -0.1], behind_errors=[0.2, 0.0], best=2, parsimonious=1)
    assert curve.sentences == [
        "No number of features up to 2 explains anything in samples that were left out."
    ]
