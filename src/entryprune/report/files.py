"""Reports to take elsewhere: files for programs, and a paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entryprune._text import counted, json_text, some_of
from entryprune.report.checks import majority_text
from entryprune.report.confidence import percent
from entryprune.report.statistics import EFFECT_NAMES
from entryprune.report.table import Table, defused
from entryprune.report.text import MISSING, number_text
from entryprune.report.validation import gain_over, guess_text, is_all_of, score_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from entryprune.report.base import DataFacts
    from entryprune.report.comparison import ComparisonReport, Judgement, Result
    from entryprune.report.confidence import KCurve, Sureness
    from entryprune.report.levels import Breakdown
    from entryprune.report.selected import Feature
    from entryprune.report.selection import SelectionReport
    from entryprune.report.validation import Validation


def features_table(report: SelectionReport) -> Table:
    """Return the ranked features with all that is known of each; no text in it is a formula."""
    rows = report.rows()
    near = [named_duplicates(ones, len(ones)) for ones in report.near_duplicates]
    return defused(
        Table(
            "features",
            (*rows[0], "near_duplicates"),
            tuple((*row.values(), ones) for row, ones in zip(rows, near, strict=True)),
        )
    )


def selection_json(report: SelectionReport) -> str:
    """Return all that is the same whenever it is asked again, as JSON."""
    data, selected, place = report.data, report.selected, report.data.place
    found = {one.rank: one for one in report.breakdowns}
    headline, curve = report.headline, report.k_curve
    content = {
        **_asked(data),
        "method": report.method_name or report.method,
        "k": report.k,
        "seed": report.provenance.seed,
        "settings": dict(report.provenance.settings),
        "threads": report.provenance.n_threads,
        "interrupted": report.is_interrupted,
        "notes": [*data.notes, *data.cautions, *selected.warnings, *report.remarks],
        "version": report.provenance.versions.get("entryprune"),
        "verdict": headline.text if headline else None,
        "score": selected.score_unit or selected.score_name,
        "score_meaning": selected.score_meaning or None,
        "effect": EFFECT_NAMES[data.task],
        "selected": [
            {
                **row,
                "near_duplicates": [
                    {"feature": name, "correlation": value} for name, value in near
                ],
                **({"levels": _levels(found[row["rank"]])} if row["rank"] in found else {}),
            }
            for row, near in zip(report.rows(), report.near_duplicates, strict=True)
        ],
        **_panel(report),
        "runners_up": [_runner_up(report, one) for one in report.runners_up],
        "pairs": [
            {
                "names": list(one.names),
                f"{place}s": list(one.columns),
                "strength": one.strength,
                "p_value": one.p_value,
            }
            for one in report.pairs
        ],
        "pairs_searched": report.pairs_searched,
        "validation": [
            {
                "features": one.what,
                "learner": one.learner,
                "measure": one.metric,
                "mean": one.mean,
                "sd": one.sd,
                "folds": list(one.fold_scores),
                "guess": one.guess,
            }
            for one in report.validation
        ],
        "folds": report.folds_note or None,
        "k_curve": None
        if curve is None
        else {
            "k": list(curve.ks),
            "score": list(curve.scores),
            "behind_error": list(curve.behind_errors),
            "measure": curve.measure,
            "best": curve.best,
            "enough": curve.parsimonious,
            "is_at_edge": curve.is_at_edge,
            "is_within_noise": curve.is_within_noise,
        },
    }
    if report.sureness is not None:
        content["stability"] = _sureness(report.sureness, place)
    return json_text(content, indent=1, ensure_ascii=False, default=_plain) + "\n"


def _levels(one: Breakdown) -> dict[str, Any]:
    """Return where it lies what a feature tells that is no plain number."""
    return {
        "kind": one.kind,
        "part": one.part or None,
        "text": one.text.replace("\u00a0", " "),
        "outcome": one.what,
        "groups": [
            {
                "level": level.name,
                "n_samples": level.n_samples,
                "outcome": level.outcome,
                **({"class": level.label} if level.label else {}),
            }
            for level in one.levels
        ],
    }


def _panel(report: SelectionReport) -> dict[str, Any]:
    """Return what was asked of the features besides to predict; nothing where nothing was."""
    asked = report.panel
    if asked is None:
        return {}
    kept = zip(report.selected.names, asked.kept, strict=False)
    return {
        "panel": {
            "total_cost": asked.total,
            "budget": asked.budget,
            "kept": [name for name, is_kept in kept if is_kept],
            "barred": list(asked.barred),
            "units": asked.n_units,
        }
    }


def comparison_table(report: ComparisonReport) -> Table:
    """Return the results with what they are compared with; no text in it is a formula."""
    rows = report.rows()
    return defused(Table("comparison", tuple(rows[0]), tuple(tuple(row.values()) for row in rows)))


def comparison_json(report: ComparisonReport) -> str:
    """Return all that a comparison tells as JSON."""
    data, provenance = report.data, report.provenance
    content = {
        **_asked(data),
        "seed": provenance.seed,
        "settings": dict(provenance.settings),
        "interrupted": report.interrupted is not None,
        "notes": [
            *([report.interruption] if report.interruption else []),
            *data.notes,
            *data.cautions,
            *report.remarks,
        ],
        "version": provenance.versions.get("entryprune"),
        "folds": report.folds_note or None,
        "verdicts": [_judgement(one) for one in report.judgements],
        "frequencies": [
            {
                "method": one.method,
                "k": one.k,
                "folds": one.n_times,
                "features": [
                    {"feature": name, data.place: column, "times": n}
                    for name, column, n in one.features
                ],
            }
            for one in report.selected_often
        ],
    }
    return json_text(content, indent=1, ensure_ascii=False, default=_plain) + "\n"


def _judgement(one: Judgement) -> dict[str, Any]:
    """Return a verdict and the results behind it, those to compare with among them."""
    recommended = None if one.choice is None else one.results[one.choice]
    return {
        "verdict": one.statement,
        "kind": one.kind,
        "method": recommended.method if recommended else None,
        "k": recommended.k if recommended else None,
        "learner": one.learner,
        "measure": one.metric,
        "higher_is_better": one.higher_is_better,
        "sureness": list(one.sureness),
        "results": [_result(row) for row in one.results],
        "compared_with": [_result(row) for row in one.others],
    }


def _result(row: Result) -> dict[str, Any]:
    return {
        "method": row.method,
        "k": row.k,
        "mean": row.mean,
        "sd": row.sd,
        "n_folds": row.n_folds,
        "folds": list(row.fold_scores),
        "gain": row.gain,
        "gain_low": row.gain_low,
        "gain_high": row.gain_high,
        "verdict": row.verdict,
        "behind": row.behind,
        "behind_error": row.standard_error,
        "stability": row.stability,
        "seconds": row.seconds,
        "remark": row.note,
    }


def _asked(data: DataFacts) -> dict[str, Any]:
    """Return what was read, and what is to be predicted."""
    return {
        "table": data.file_name,
        "n_samples": data.n_samples,
        "n_features": data.n_features,
        "target": data.target,
        "task": data.task,
        "classes": [{"class": label, "n_samples": n} for label, n in data.class_counts],
        **({"targets": list(data.targets)} if data.targets else {}),
        **(
            {"n_events": data.n_events, "median_time": data.median_time}
            if data.n_events is not None
            else {}
        ),
    }


def named_duplicates(ones: Sequence[tuple[str, float | None]], most: int) -> str:
    """Return near duplicates with their correlations in one text."""
    named = (f"{name} ({MISSING if value is None else f'{value:.3f}'})" for name, value in ones)
    return some_of(named, most, separator="; ", last="; and ")


def _runner_up(report: SelectionReport, one: Feature) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "feature": one.name,
        report.data.place: one.column,
        "score": one.score,
        **report.standing_row(one),
    }


def _sureness(facts: Sureness, place: str) -> dict[str, Any]:
    """Return what is said of all features together."""
    return {
        "statement": facts.statement,
        "half_samples": facts.n_half_samples,
        "features_per_fit": facts.n_per_fit,
        "seed": facts.seed,
        "threshold": facts.threshold,
        "confirmed": facts.n_confirmed,
        "expected_false": facts.expected_false,
        "agreement": facts.agreement,
        "agreement_interval": facts.agreement_interval,
        "jaccard": facts.jaccard,
        "kuncheva": facts.kuncheva,
        "confirmed_but_not_selected": list(facts.others),
        "groups": [
            {
                "features": list(one.names),
                f"{place}s": list(one.columns),
                "frequency": one.frequency,
                "verdict": one.verdict,
            }
            for one in facts.groups
        ],
        "ever_selected": [
            {
                "feature": facts.names.get(column),
                place: column,
                "frequency": one.frequency,
                "interval": one.interval,
                "verdict": one.verdict,
            }
            for column, one in facts.often_first
        ],
    }


def _plain(value: Any) -> Any:
    """Return what JSON does not hold: a number of numpy's, or the name of a function or network."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return getattr(value, "__qualname__", type(value).__name__)


# Said elsewhere in the paragraph, or without influence on the result.
_NOT_NAMED = {
    *("n_features_to_select", "random_state", "verbose", "callback", "device", "n_jobs"),
    *("feature_groups", "keep", "bar", "costs", "budget", "kept"),
}
_MOST_CLASSES = 12


def methods_text(report: SelectionReport) -> str:
    """Return what was done, with counts, settings, seeds and versions."""
    data, provenance = report.data, report.provenance
    seed = "" if provenance.seed is None else f", seed {provenance.seed}"
    n_selected = len(report.selected.names)
    said = [
        f"{counted(n_selected, 'feature')} of {data.n_features:,} "
        f"{'was' if n_selected == 1 else 'were'} selected with {report.method}{_version(report)}"
        f"{seed}, to predict {data.target} in {counted(data.n_samples, 'sample')}{_target(data)}."
    ]
    said += report.panel_sentences
    if report.k_curve is not None:
        asked = provenance.settings.get("n_features_to_select")
        is_best = asked == "best" if isinstance(asked, str) else n_selected == report.k_curve.best
        said.append(_how_many(report.k_curve, is_best=is_best))
    settings = {
        name: value
        for name, value in provenance.settings.items()
        if name not in _NOT_NAMED and value is not None
    }
    if settings:
        said.append(f"Settings: {', '.join(f'{n} = {value}' for n, value in settings.items())}.")
    if report.sureness is not None:
        said += _half_samples(report.sureness, _version(report))
    said += _validation(report)
    others = [f"{n} {v}" for n, v in provenance.versions.items() if n != "entryprune"]
    if others:
        threads = f", {counted(provenance.n_threads, 'thread')}" if provenance.n_threads else ""
        said.append(f"Computed with {', '.join(others)}{threads}.")
    return " ".join(said)


def _how_many(curve: KCurve, *, is_best: bool) -> str:
    rule = (
        "the number that did best"
        if is_best
        else "the smallest that was not worse than the best by more than one standard error of the "
        "difference"
    )
    return (
        f"Their number is {rule}, by the {curve.measure} in samples that were left out of the "
        f"selection, of {len(curve.ks)} numbers from {min(curve.ks)} to {max(curve.ks)}."
    )


def _half_samples(facts: Sureness, version: str) -> list[str]:
    """Say how it was found out how sure each feature is."""
    seed = "" if facts.seed is None else f", seed {facts.seed}"
    beside = (
        ", and more often than any of the features with their samples in another order that took "
        "part beside them"
        if facts.has_shadows
        else ""
    )
    which = "one is" if facts.n_confirmed == 1 else f"{facts.n_confirmed:,} are"
    return [
        f"How sure each feature is was judged by complementary pairs stability selection{version}: "
        f"the same selection, of {counted(facts.n_per_fit, 'feature')}, on both halves of "
        f"{counted(facts.n_half_samples // 2, 'split')} of the samples{seed}. Of all features "
        f"{'none is' if not facts.n_confirmed else which} confirmed, that is selected on at least "
        f"{percent(facts.threshold)} of the {facts.n_half_samples:,} half samples{beside}; at most "
        f"{facts.false_text} of these are expected to be false "
        "(Shah and Samworth, 2013)."
    ]


def _version(report: SelectionReport) -> str:
    version = report.provenance.versions.get("entryprune")
    return f" (entryprune {version})" if version else ""


def _target(data: DataFacts) -> str:
    if data.n_events is not None:
        return f" ({counted(data.n_events, 'event')} seen)"
    if data.class_counts:
        return f" ({some_of((f'{label}: {n:,}' for label, n in data.class_counts), _MOST_CLASSES)})"
    if data.target_range is None:
        return ""
    low, high = data.target_range
    return f" (from {number_text(low)} to {number_text(high)})"


def _validation(report: SelectionReport) -> list[str]:
    ones = report.validation
    selected = next((one for one in ones if not one.is_all), None)
    if selected is None:
        return []
    everything = next((one for one in ones if one.is_all), None)
    times = f", repeated {selected.n_repeats} times" if selected.n_repeats > 1 else ""
    how = f" {selected.how}" if selected.how else ""
    said = [
        f"Prediction was judged by {selected.n_splits}-fold cross-validation{how}{times}, with the "
        f"selection made anew in each fold from its training samples alone: {selected.measure} of "
        f"a {selected.learner} was {_reached(selected)}"
        + (f", and {_reached(everything)} with all features" if everything else "")
        + (
            f"; {guess_text(report.data, selected)} gives {score_text(selected, selected.guess)}"
            if selected.guess is not None
            else ""
        )
        + (f"; {majority}." if (majority := majority_text(report.data, selected.metric)) else ".")
    ]
    gap = gain_over(selected, everything.fold_scores) if everything else None
    if gap is not None and not is_all_of(report.data, len(report.selected.names), selected):
        unit = " points" if selected.is_percent else ""
        said.append(
            f"The difference is {gap.mean:+.3g}{unit} (95 % interval {gap.low:+.3g} to "
            f"{gap.high:+.3g}, corrected for training samples that folds share; Nadeau and Bengio, "
            "2003)."
        )
    return said


def _reached(one: Validation) -> str:
    spread = "" if one.sd is None else f" (SD {score_text(one, one.sd)} over folds)"
    return f"{score_text(one, one.mean)}{spread}"
