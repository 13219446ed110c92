"""A whole run by growth and exchange."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.growth import Growth, Stopped
from entryprune.engine.exchange.hands import Deck
from entryprune.engine.exchange.predictor import train_predictor
from entryprune.engine.exchange.seating import Seating
from entryprune.engine.records import Chosen, Record, Selection

if TYPE_CHECKING:
    from torch import Tensor

    from entryprune.engine.exchange.settings import ExchangeSettings
    from entryprune.engine.records import Callback
    from entryprune.engine.settings import Problem

# Runners-up whose worth is worked out.
_TRIED = 10
# Seats that are enough to see whether anything can be learned.
_ENOUGH_SEATS = 8
# With fewer in a half, classes may be missing there, and nothing can be said.
_FEWEST_CASES = 10
# Samples in the halves that predict each other: a few show what is obvious, and are quick.
_HALVES = (150, 400, 1600)
# Standard deviations by which they do so: beyond any doubt, less often than in one of 100 tables of
# noise if halves are large, and not worth a closer look.
_OBVIOUS, _CLEAR, _HOPELESS = 3.5, 2.6, 1.8
# The closer look at small halves, which may have other ideas of chance: so many targets in random
# order must all predict worse.
_N_SHUFFLES, _MOST_SHUFFLED = 19, 150


@torch.no_grad()
def select_by_exchange(
    problem: Problem,
    settings: ExchangeSettings,
    *,
    seed: int,
    callback: Callback | None = None,
) -> Selection:
    """Select features by growth and exchange; `problem.n_validation` plays no part."""
    generator = torch.Generator().manual_seed(seed)
    targets = _as_values(problem)
    deck = Deck(problem.source, targets, settings)
    history = _History(settings.n_selected, callback)
    growth = Growth(deck, settings, generator, history.tell)
    stop_reason = "done"
    try:
        growth.run(settings.n_selected)
        growth.exchange()
    except Stopped:
        stop_reason = "callback"
    seating = growth.seating
    last = seating.scan()
    _fill_up(seating, last, settings.n_selected)
    scores = _scores(seating, last)
    ranked = _ranked(seating, scores, last.cpu())
    chosen = ranked[: settings.n_selected]
    found = tuple(pair.interaction for pair in seating.pairs)
    interactions = tuple(pair for pair in found if pair.first != pair.second)
    learned = (
        bool(found)
        or stop_reason == "callback"
        or _learned(problem, targets, replace(settings, reach=seating.reach), generator)
    )
    entry = torch.tensor([growth.entry_scores.get(int(column), 0.0) for column in chosen])
    return Selection(
        chosen=Chosen(chosen, entry),
        first_chosen=Chosen(chosen, entry),
        network=train_predictor(
            problem,
            settings,
            chosen.sort().values,
            weight_decay=settings.weight_decay,
            generator=generator,
        ),
        history=tuple(history.records),
        n_rotations=len(history.records),
        stop_reason=stop_reason,
        ranked=ranked,
        scores=scores,
        interactions=interactions,
        pairs_searched=max((one.share for one in growth.searches), default=0.0),
        learned=learned,
    )


@torch.no_grad()
def choose_by_exchange(problem: Problem, settings: ExchangeSettings, *, seed: int) -> Seating:
    """Return who is seated by `select_by_exchange`, without working out anything else."""
    generator = torch.Generator().manual_seed(seed)
    deck = Deck(problem.source, _as_values(problem), settings)
    growth = Growth(deck, settings, generator, lambda *_: None)
    growth.run(settings.n_selected)
    growth.exchange()
    return growth.seating


def _as_values(problem: Problem) -> Tensor:
    """Return the targets as numbers: classes become columns of ones and zeros."""
    if problem.targets.dtype.is_floating_point:
        # Squares of very large or very small numbers have no place in single precision.
        size = problem.targets.abs().amax()
        return problem.targets / size if size > 0 else problem.targets
    return torch.nn.functional.one_hot(problem.targets, problem.n_outputs).float()


def _fill_up(seating: Seating, last: Tensor, n_selected: int) -> None:
    """After an early end, give the free seats to the best impressions."""
    missing = n_selected - len(seating.order)
    if missing > 0:
        order = last.sort(descending=True, stable=True).indices.tolist()
        seated = set(seating.order)
        seating.order += [column for column in order if column not in seated][:missing]


def _ranked(seating: Seating, scores: Tensor, last: Tensor) -> Tensor:
    """Return all columns: the seated ones in their order, then the others by what they bring.

    Those that bring the same, such as nothing, follow in the order of their impressions.
    """
    others = scores.clone()
    others[seating.hand.is_constant.cpu()] = -torch.inf
    others[seating.order] = torch.inf
    by_impression = last.sort(descending=True, stable=True).indices
    by_score = by_impression[others[by_impression].sort(descending=True, stable=True).indices]
    seated = torch.tensor(seating.order, dtype=torch.int64)
    return torch.cat([seated, by_score[len(seated) :]])


def _scores(seating: Seating, last: Tensor) -> Tensor:
    """Return what each column brings, in log evidence per sample, beside the other seated ones.

    The next best are tried. All others follow from their impressions, by the ratio that the next
    best had.
    """
    n_cases = seating.hand.n_cases
    scores = (last * seating.gain_per_impression).cpu().double()
    scores[scores == -torch.inf] = 0.0
    next_best = last.topk(min(_TRIED, len(last))).indices.tolist()
    gains = {c: seating.gain(c) / n_cases for c in next_best if last[c] > 0}
    promised = sum(float(scores[column]) for column in gains)
    if promised > 0:
        scores *= min(max(sum(gains.values()), 0.0) / promised, 1.0)
    for column, gain in gains.items():
        scores[column] = gain
    for column, lost in seating.missed().items():
        scores[column] = lost / n_cases
    for pair in seating.pairs:
        without = seating.evidence_without_pair(pair)
        for column in pair.columns:
            scores[column] = max(float(scores[column]), (seating.evidence - without) / n_cases)
    return scores


def _learned(
    problem: Problem, targets: Tensor, settings: ExchangeSettings, generator: torch.Generator
) -> bool:
    """Say whether what is learned from one half of some samples holds for the other.

    Each half is predicted from the columns that the other half would select. Under chance the
    products of predictions and targets vary about zero; how far, targets in random order show.
    """
    n_cases = problem.source.n_cases // 2
    if n_cases < _FEWEST_CASES:
        return True
    found, half = 0.0, 0
    for half in sorted({min(half, n_cases) for half in _HALVES}):
        found = _agreement(problem, targets, settings, half)
        if found > _OBVIOUS:
            return True
    if half > _MOST_SHUFFLED or found < _HOPELESS:
        return found > _CLEAR
    for _ in range(_N_SHUFFLES):
        order = torch.randperm(len(targets), generator=generator).to(targets.device)
        if _agreement(problem, targets[order], settings, half) >= found:
            return False
    return True


def _agreement(problem: Problem, targets: Tensor, settings: ExchangeSettings, half: int) -> float:
    """Return by how many standard deviations halves of so many samples predict each other."""
    few = replace(
        settings,
        n_selected=min(settings.n_selected, _ENOUGH_SEATS),
        interactions=False,
        short_reach=settings.reach,
    )
    products = []
    one, other = range(half), range(half, 2 * half)
    for cases, others in ((one, other), (other, one)):
        growth = Growth(
            Deck(problem.source, targets, few, cases),
            few,
            torch.Generator(),
            lambda *_: False,
        )
        growth.run(few.n_selected)
        products.append(growth.seating.agreement(Deck(problem.source, targets, few, others).deal()))
    agreement = torch.cat(products)
    size = float(agreement.square().sum().sqrt())
    return float(agreement.sum()) / size if size > 0 else 0.0


class _History:
    """Writes down every step, and passes it on."""

    def __init__(self, n_selected: int, callback: Callback | None) -> None:
        self._n_selected, self._callback = n_selected, callback
        self.records: list[Record] = []

    def tell(self, phase: str, seating: Seating, n_changed: int) -> object:
        """Write down a step; anything true ends the search."""
        record = Record(
            phase=phase,
            rotation=len(self.records) + 1,
            epoch=0.0,
            n_steps=len(self.records) + 1,
            training_loss=seating.loss,
            validation_loss=math.nan,
            n_changed=n_changed,
            min_entry_score=math.nan,
            min_weight_sum=math.nan,
            input_size=len(seating.order),
            share_used=len(seating.order) / self._n_selected,
        )
        self.records.append(record)
        return None if self._callback is None else self._callback(record)
