"""A whole run: the search, and the second training on all the data."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange import ExchangeSettings, select_by_exchange
from entryprune.engine.records import Selection
from entryprune.engine.rules import (
    STOPPING_RULES,
    FixedSize,
    FlexSize,
    Rotations,
    SteppedSize,
    count_candidates,
)
from entryprune.engine.training import Training

if TYPE_CHECKING:
    from collections.abc import Iterator

    from entryprune.engine.records import Callback
    from entryprune.engine.rules import SizeRule, StoppingRule
    from entryprune.engine.settings import NetworkSettings, Problem, Settings


def select(
    problem: Problem,
    settings: Settings | ExchangeSettings,
    *,
    seed: int,
    callback: Callback | None = None,
) -> Selection:
    """Select features.

    With the stopping rule "validation" a first training holds out the validation samples and finds
    how many rotations to make; a second one makes as many on all samples (unless `settings.refit`
    is off). The other rules train once, on all samples. All that is random follows from the seed;
    torch's global generator is neither read nor changed. Once the callback returns anything true,
    what is known by then is the selection.

    Examples
    --------
    The target is the sign of the third of thirty columns.

    >>> import torch
    >>> from entryprune.engine import ArrayColumns, Problem, Settings, select
    >>> values = torch.randn(30, 300, generator=torch.Generator().manual_seed(0))
    >>> problem = Problem(ArrayColumns(values), (values[2] > 0).long(), 2, n_validation=60)
    >>> settings = Settings(n_selected=1, batches_per_rotation=10, patience=10)
    >>> select(problem, settings, seed=0).chosen.features
    tensor([2])
    """
    with _guarded_global_generator(problem, settings, seed):
        if isinstance(settings, ExchangeSettings):
            return select_by_exchange(problem, settings, seed=seed, callback=callback)
        rule = STOPPING_RULES[settings.stopping](settings.patience, settings.max_epochs)
        if settings.stopping == "validation":
            return _search_and_train_again(problem, settings, rule, seed, callback)
        return _train_once(problem, settings, rule, seed, callback)


def _search_and_train_again(
    problem: Problem,
    settings: Settings,
    rule: StoppingRule,
    seed: int,
    callback: Callback | None,
) -> Selection:
    first = Training(
        problem,
        settings,
        n_validation=problem.n_validation,
        size_rule=_first_size(problem, settings),
        stopping_rule=rule,
        seed=seed,
        phase="search",
        callback=callback,
    ).run()
    best = first.best
    if first.stop_reason == "callback" or not settings.refit:
        return Selection(
            chosen=best.snapshot.chosen,
            first_chosen=best.snapshot.chosen,
            network=best.snapshot.network,
            history=first.records,
            n_rotations=best.n_rotations,
            stop_reason=first.stop_reason,
        )
    size: SizeRule = _first_size(problem, settings)
    if settings.flex:
        size = SteppedSize(size.n_candidates, best.n_candidates, best.n_rotations)
    # The first training is gone by now, so that two windows are never held at once.
    training = Training(
        problem,
        settings,
        n_validation=0,
        size_rule=size,
        stopping_rule=Rotations(best.n_rotations),
        seed=seed + 1,  # not the first training's draws again
        phase="final",
        callback=callback,
    )
    second = training.run()
    stopped = second.stop_reason == "callback"
    return Selection(
        chosen=second.last.chosen,
        first_chosen=best.snapshot.chosen,
        network=training.finish(),
        history=first.records + second.records,
        n_rotations=len(second.records),
        stop_reason=second.stop_reason if stopped else first.stop_reason,
    )


def _train_once(
    problem: Problem,
    settings: Settings,
    rule: StoppingRule,
    seed: int,
    callback: Callback | None,
) -> Selection:
    training = Training(
        problem,
        settings,
        n_validation=0,
        size_rule=_first_size(problem, settings),
        stopping_rule=rule,
        seed=seed,
        phase="final",
        callback=callback,
    )
    outcome = training.run()
    return Selection(
        chosen=outcome.last.chosen,
        first_chosen=outcome.last.chosen,
        network=training.finish(),
        history=outcome.records,
        n_rotations=len(outcome.records),
        stop_reason=outcome.stop_reason,
    )


def _first_size(problem: Problem, settings: Settings) -> SizeRule:
    n_columns, n_selected = problem.source.n_columns, settings.n_selected
    ratio, most = settings.candidate_ratio, settings.max_candidates
    if settings.flex:
        return FlexSize(ratio, n_columns, n_selected, most)
    return FixedSize(count_candidates(ratio, n_columns, n_selected, most))


@contextmanager
def _guarded_global_generator(
    problem: Problem, settings: NetworkSettings, seed: int
) -> Iterator[None]:
    """Keep a user's own module (dropout, say) from drawing on torch's global generator."""
    if settings.body is None and isinstance(settings.loss, str):
        yield
        return
    device = problem.targets.device
    on_gpu = device.type == "cuda"
    with torch.random.fork_rng(devices=[device] if on_gpu else []):
        # torch.manual_seed would also seed devices that are not put back afterwards.
        torch.default_generator.manual_seed(seed)
        if on_gpu:
            torch.cuda.manual_seed(seed)
        yield
