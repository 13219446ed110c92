"""A whole run by growth and exchange."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.growth import Growth, Listener, Stopped
from entryprune.engine.exchange.hands import Deck, Table
from entryprune.engine.exchange.seating import Seating
from entryprune.engine.losses import make_loss
from entryprune.engine.network import Adam, make_network
from entryprune.engine.records import Chosen, Record, Selection
from entryprune.engine.window import Window

if TYPE_CHECKING:
    from torch import Generator, Tensor, nn

    from entryprune.engine.losses import LossFunction
    from entryprune.engine.records import Callback
    from entryprune.engine.settings import ExchangeSettings, NetworkSettings, Problem


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
    table = table_of(problem, settings)
    history = _History(settings.n_selected, callback)
    growth, was_stopped = _grown(table, settings, generator, history.tell)
    seating = growth.seating
    last = seating.scan()
    if settings.budget is None:
        _fill_up(seating, last, settings.n_selected)
    scores = _scores(seating, last)
    ranked = _ranked(seating, scores, last.cpu())
    chosen = ranked[: len(seating.order)]
    found = tuple(pair.interaction for pair in seating.pairs)
    interactions = tuple(pair for pair in found if pair.first != pair.second)
    learned = (
        bool(found)
        or was_stopped
        or _learned(table, problem.middle, replace(settings, reach=seating.reach), generator)
    )
    entry = torch.tensor([growth.entry_scores.get(int(feature), 0.0) for feature in chosen])
    return Selection(
        chosen=Chosen(chosen, entry),
        first_chosen=Chosen(chosen, entry),
        network=train_predictor(
            problem,
            settings,
            table.grouping.columns_of(chosen.sort().values),
            weight_decay=settings.weight_decay,
            generator=generator,
        ),
        history=tuple(history.records),
        n_rotations=len(history.records),
        stop_reason="callback" if was_stopped else "done",
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
    growth, _ = _grown(table_of(problem, settings), settings, generator, lambda *_: None)
    return growth.seating


def table_of(problem: Problem, settings: NetworkSettings) -> Table:
    """Return the data in the terms of growth: what is to be explained depends on the loss."""
    responses = responses_of(
        problem.targets, problem.n_outputs, settings.loss, settings.quantile, problem.weights
    )
    return Table(problem.source, responses, problem.grouping, problem.weights)


def responses_of(
    targets: Tensor,
    n_outputs: int,
    loss: str | LossFunction,
    quantile: float = 0.5,
    weights: Tensor | None = None,
) -> Tensor:
    """Return what there is to explain of the targets, as numbers: samples by directions."""
    if not isinstance(loss, str):
        loss = "squared_error" if targets.dtype.is_floating_point else "cross_entropy"
    values = make_loss(loss, quantile).responses(targets, n_outputs, weights)
    if not targets.dtype.is_floating_point:
        return values
    # Squares of very large or very small numbers have no place in single precision.
    size = values.abs().amax()
    return values / size if size > 0 else values


def _grown(
    table: Table, settings: ExchangeSettings, generator: torch.Generator, listener: Listener
) -> tuple[Growth, bool]:
    """Take all seats; say also whether the listener ended it.

    With a budget, what is best for its cost first may leave no room for one that is worth its
    price. So features are also taken by what they bring alone, and the better seating counts.
    """
    was_stopped = False
    grown = []
    for per_cost in (True, False) if settings.budget is not None else (True,):
        growth = Growth(Deck(table, settings), settings, generator, listener, per_cost=per_cost)
        grown.append(growth)
        try:
            growth.run(settings.n_selected)
            growth.exchange()
        except Stopped:
            was_stopped = True
            break
    return max(grown, key=lambda one: one.seating.evidence), was_stopped


def _fill_up(seating: Seating, last: Tensor, n_selected: int) -> None:
    """After an early end, give the free seats to the best impressions."""
    missing = n_selected - len(seating.order)
    if missing > 0:
        order = last.sort(descending=True, stable=True).indices.tolist()
        seated = set(seating.order)
        seating.order += [feature for feature in order if feature not in seated][:missing]


def _ranked(seating: Seating, scores: Tensor, last: Tensor) -> Tensor:
    """Return all features: the seated ones in their order, then the others by what they bring.

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
    """Return what each feature brings, in log evidence per sample, beside the other seated ones.

    The next best are tried. All others follow from their impressions, by the ratio that the next
    best had.
    """
    count = seating.hand.count
    scores = (last * seating.gain_per_impression).cpu().double()
    scores[scores == -torch.inf] = 0.0
    next_best = last.topk(min(_TRIED, len(last))).indices.tolist()
    gains = {f: seating.gain(f) / count for f in next_best if last[f] > 0}
    promised = sum(float(scores[feature]) for feature in gains)
    if promised > 0:
        scores *= min(max(sum(gains.values()), 0.0) / promised, 1.0)
    for feature, gain in gains.items():
        scores[feature] = gain
    for feature, lost in seating.missed().items():
        scores[feature] = lost / count
    for feature in seating.kept_singles:
        scores[feature] = seating.evidence_lost(feature) / count
    for pair in seating.pairs:
        without = seating.evidence_without_pair(pair)
        for feature in pair.features:
            scores[feature] = max(float(scores[feature]), (seating.evidence - without) / count)
    return scores


def _learned(
    table: Table, middle: int | None, settings: ExchangeSettings, generator: torch.Generator
) -> bool:
    """Say whether what is learned from one half of some samples holds for the other.

    Each half is predicted from the features that the other half would select. Under chance the
    products of predictions and targets vary about zero; how far, targets in random order show.
    """
    n_in_all = table.source.n_cases
    n_cases = n_in_all // 2 if middle is None else min(middle, n_in_all - middle)
    if n_cases < _FEWEST_CASES:
        return True
    few = replace(
        settings,
        n_selected=min(settings.n_selected, _ENOUGH_SEATS),
        interactions=False,
        short_reach=settings.reach,
        kept=(),
        costs=None,
        budget=None,
    )
    found, half = 0.0, 0
    for half in sorted({min(half, n_cases) for half in _HALVES}):
        found = _agreement(table, few, half, middle)
        if found > _OBVIOUS:
            return True
    if half > _MOST_SHUFFLED or found < _HOPELESS:
        return found > _CLEAR
    for _ in range(_N_SHUFFLES):
        order = torch.randperm(n_in_all, generator=generator).to(table.responses.device)
        shuffled = replace(table, responses=table.responses[order])
        if _agreement(shuffled, few, half, middle) >= found:
            return False
    return True


def _agreement(table: Table, few: ExchangeSettings, half: int, middle: int | None) -> float:
    """Return by how many standard deviations halves of so many samples predict each other."""
    products, counts = [], []
    middle = half if middle is None else middle
    one, other = range(middle - half, middle), range(middle, middle + half)
    for cases, others in ((one, other), (other, one)):
        growth = Growth(Deck(table, few, cases), few, torch.Generator(), lambda *_: False)
        growth.run(few.n_selected)
        hand = Deck(table, few, others).deal()
        products.append(growth.seating.agreement(hand))
        counts.append(
            torch.ones_like(products[-1]) if hand.case_weights is None else hand.case_weights
        )
    agreement, count = torch.cat(products), torch.cat(counts)
    size = float(torch.dot(agreement.square(), count).sqrt())
    return float(torch.dot(agreement, count)) / size if size > 0 else 0.0


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


# -- the network behind predictions ----------------------------------------------------------------


_N_EPOCHS = 40
_FEWEST_STEPS, _MOST_STEPS = 200, 4000


@torch.no_grad()
def train_predictor(
    problem: Problem,
    settings: NetworkSettings,
    columns: Tensor,
    *,
    weight_decay: float,
    generator: Generator,
) -> nn.Module:
    """Train a network on `columns`, given in ascending order, and return it on the CPU.

    The step size falls to nothing towards the end, so that the last mini-batches do not decide.
    """
    device = problem.targets.device
    window = Window(
        problem.source,
        problem.targets,
        n_selected=len(columns),
        n_validation=0,
        batch_size=settings.batch_size,
        weights=problem.weights,
    )
    window.resize(len(columns))
    window.fill(0, columns.to(device))
    optimizer = Adam(settings.learning_rate, weight_decay)
    network = make_network(
        settings,
        problem.n_outputs,
        n_inputs=len(columns),
        max_rows=window.batch_size,
        optimizer=optimizer,
        generator=generator,
        device=device,
    )
    n_steps = _N_EPOCHS * window.n_training // window.batch_size
    n_steps = min(max(n_steps, _FEWEST_STEPS), _MOST_STEPS)
    for step in range(n_steps):
        optimizer.learning_rate = settings.learning_rate * (1.0 - step / n_steps)
        network.backward(window.next_batch())
        network.step()
    network.refuse_divergence()
    return network.to_module(torch.arange(len(columns)))
