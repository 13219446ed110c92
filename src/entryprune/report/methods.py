"""How a selection was made, as a paragraph for a paper's section on methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entryprune._text import counted, some_of
from entryprune.report.headline import gain_over, guess_text, score_text
from entryprune.report.text import number_text

if TYPE_CHECKING:
    from entryprune.report.base import DataFacts
    from entryprune.report.headline import Validation
    from entryprune.report.k_curve import KCurve
    from entryprune.report.selection import SelectionReport

# Said elsewhere in the paragraph, or without influence on the result.
_NOT_NAMED = {"n_features_to_select", "random_state", "verbose", "callback", "device", "n_jobs"}
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
    if report.k_curve is not None:
        said.append(_how_many(report.k_curve, n_selected))
    settings = {
        name: value
        for name, value in provenance.settings.items()
        if name not in _NOT_NAMED and value is not None
    }
    if settings:
        said.append(f"Settings: {', '.join(f'{n} = {value}' for n, value in settings.items())}.")
    said += _validation(report)
    others = [f"{n} {v}" for n, v in provenance.versions.items() if n != "entryprune"]
    if others:
        threads = f", {counted(provenance.n_threads, 'thread')}" if provenance.n_threads else ""
        said.append(f"Computed with {', '.join(others)}{threads}.")
    return " ".join(said)


def _how_many(curve: KCurve, n_selected: int) -> str:
    rule = (
        "the number that did best"
        if n_selected == curve.best
        else "the smallest that was not worse than the best by more than one standard error of the "
        "difference"
    )
    return (
        f"Their number is {rule}, by the {curve.measure} in samples that were left out of the "
        f"selection, of {len(curve.ks)} numbers from {min(curve.ks)} to {max(curve.ks)}."
    )


def _version(report: SelectionReport) -> str:
    version = report.provenance.versions.get("entryprune")
    return f" (entryprune {version})" if version else ""


def _target(data: DataFacts) -> str:
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
    said = [
        f"Prediction was judged by {selected.n_splits}-fold cross-validation{times}, with the "
        f"selection made anew in each fold from its training samples alone: {selected.measure} of "
        f"a {selected.learner} was {_reached(selected)}"
        + (f", and {_reached(everything)} with all features" if everything else "")
        + (
            f"; {guess_text(report.data)} gives {score_text(selected, selected.guess)}."
            if selected.guess is not None
            else "."
        )
    ]
    gap = gain_over(selected, everything.fold_scores) if everything else None
    if gap is not None:
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
