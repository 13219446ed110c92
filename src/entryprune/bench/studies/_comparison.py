"""Rows that put our accuracy beside the published one."""

from __future__ import annotations

from collections.abc import Iterable

from entryprune.bench.cases import ALL_FEATURES
from entryprune.bench.learners import get_learner
from entryprune.bench.summary import Group, in_sds
from entryprune.methods import METHODS
from entryprune.report.table import Cell

COLUMNS = (
    *("data set", "K", "method", "learner", "accuracy", "SD", "runs", "published"),
    *("published SD", "difference", "in SDs", "seconds", "seconds, not alone", "remark"),
)

PROTOCOL_NOTE = (
    "Accuracy in percent. Protocol of the paper: scaling fitted on training and test cases "
    "together (a leak), to compare with published figures."
)
CLEAN_NOTE = "Accuracy in percent. Clean protocol: stratified splits, all fitted on training cases."


def method_title(method: str) -> str:
    """Return what tables call a method."""
    if method == ALL_FEATURES:
        return "all features"
    return METHODS[method].title if method in METHODS else method


def rows(groups: Iterable[Group], learners: Iterable[str]) -> tuple[tuple[Cell, ...], ...]:
    """Return a row for each group and learner, ordered by data set, learner and K."""
    listed = list(groups)
    order = {title: place for place, title in enumerate(dict.fromkeys(g.title for g in listed))}
    methods = [ALL_FEATURES, *METHODS]

    def place(one: Group) -> tuple[int, int, int]:
        rank = methods.index(one.method) if one.method in methods else len(methods)
        return order[one.title], one.k, rank

    return tuple(_row(one, learner) for learner in learners for one in sorted(listed, key=place))


def _row(one: Group, learner: str) -> tuple[Cell, ...]:
    ours = one.accuracy(learner)
    known = one.published(learner)
    points, sds = in_sds(ours, known)
    return (
        one.title,
        one.k or "all",
        method_title(one.method),
        get_learner(learner).title,
        ours.mean,
        ours.sd,
        ours.n,
        known.mean if known else None,
        known.sd if known else None,
        points,
        sds,
        one.seconds().mean,
        one.seconds(is_alone=False).mean,
        one.trouble,
    )
