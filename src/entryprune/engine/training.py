"""One training: mini-batches and rotations until a rule says stop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from entryprune.engine.candidates import (
    CHANGE_METRICS,
    REGROWTHS,
    TinyWeights,
    draw_outside,
    relative_scores,
    top_rows,
)
from entryprune.engine.network import Adam, make_network
from entryprune.engine.records import Chosen, Progress, Record
from entryprune.engine.window import Window

if TYPE_CHECKING:
    from torch import nn

    from entryprune.engine.records import Callback
    from entryprune.engine.rules import SizeRule, StoppingRule
    from entryprune.engine.settings import Problem, Settings


@dataclass(frozen=True)
class Snapshot:
    """The selected features and a network on them at one moment."""

    chosen: Chosen
    network: nn.Module


@dataclass(frozen=True)
class Best:
    """Where the running loss was lowest."""

    # the features that the loss was measured for, and their network
    snapshot: Snapshot
    # how many rotations led to them, and the candidates in the input layer at that time
    n_rotations: int
    n_candidates: int


@dataclass(frozen=True)
class Outcome:
    """How a training ended: at its end and at its best, with a record per rotation."""

    last: Snapshot
    best: Best
    records: tuple[Record, ...]
    stop_reason: str


class Training:
    """Algorithm 1 of the paper (and, with a flexible size rule, Algorithm 2) on one data set.

    Its line 2 is the constructor, lines 3 to 16 are `run`; the steps cite theirs.
    """

    def __init__(
        self,
        problem: Problem,
        settings: Settings,
        *,
        n_validation: int,
        size_rule: SizeRule,
        stopping_rule: StoppingRule,
        seed: int,
        phase: str,
        callback: Callback | None = None,
    ) -> None:
        self.settings = settings
        self.size_rule = size_rule
        self.stopping_rule = stopping_rule
        self.phase = phase
        self.callback = callback
        self.generator = torch.Generator().manual_seed(seed)
        self.device = problem.targets.device
        n_inputs = settings.n_selected + size_rule.n_candidates

        # In the beginning every feature in the input layer is a candidate and nothing is seated;
        # after the first selection every seat is taken.
        self.n_seated = 0
        nothing = torch.empty(0, dtype=torch.int64)
        self.features = draw_outside(
            problem.source.n_columns, nothing, n_inputs, self.generator
        ).to(self.device)
        self.entry_scores = torch.empty(0, device=self.device)
        self.window = Window(
            problem.source,
            problem.targets,
            n_selected=settings.n_selected,
            n_validation=n_validation,
            batch_size=settings.batch_size,
            weights=problem.weights,
        )
        self.window.resize(n_inputs)
        self.window.fill(0, self.features)
        self.network = make_network(
            settings,
            problem.n_outputs,
            n_inputs=n_inputs,
            max_rows=self.window.batch_size,
            optimizer=Adam(settings.learning_rate),
            generator=self.generator,
            device=self.device,
        )
        self.metric = CHANGE_METRICS[settings.change_metric]()
        self.tiny_weights = TinyWeights(self.generator)
        self.n_steps = 0
        self.lowest_loss = math.inf
        self.best: Best | None = None
        self.records: list[Record] = []

    @torch.no_grad()
    def run(self) -> Outcome:
        """Rotate until the rule, a bound or the callback says stop."""
        rotation = 0
        while True:
            rotation += 1
            training_loss = self._train_batches()
            validation_loss = self._validation_loss()
            loss = validation_loss
            if not self.window.n_validation and self.n_seated:
                loss = training_loss
            is_new_low = loss is not None and loss < self.lowest_loss
            if loss is not None and is_new_low:
                self._keep_best(rotation, loss)
            n_changed = self._select()
            progress = Progress(rotation, self._epoch(), n_changed, loss, is_new_low)
            reason = self._reason_to_stop(progress)
            record = self._record(progress, training_loss, validation_loss)
            self.records.append(record)
            if self.callback is not None and self.callback(record):
                reason = "callback"
            if reason is not None:
                return self._outcome(rotation, reason)
            self._rotate(progress)

    # -- the steps of a rotation, in their order ------------------------------------------------

    def _train_batches(self) -> float:
        """Train on the rotation's mini-batches and return their mean loss (lines 4 to 8)."""
        n_batches = self.settings.batches_per_rotation
        total = torch.zeros((), device=self.device)
        self.metric.begin(self.network)
        for _ in range(n_batches):
            batch = self.window.next_batch()
            loss, delta = self.network.backward(batch)
            total.add_(loss)
            self.metric.add(self.network, batch.inputs, delta)
            self.network.step()
        self.n_steps += n_batches
        return float(total) / n_batches

    def _validation_loss(self) -> float | None:
        """Return the loss on the validation samples given the seated features alone."""
        if not self.window.n_validation or not self.n_seated:
            return None
        total = sum(
            self.network.loss(batch) * len(batch.targets)
            for batch in self.window.validation_batches()
        )
        return total / self.window.n_validation

    def _keep_best(self, rotation: int, loss: float) -> None:
        self.lowest_loss = loss
        n_candidates = self.network.n_inputs - self.n_seated
        self.best = Best(self._snapshot(), rotation - 1, n_candidates)

    def _select(self) -> int:
        """Seat the top K features in the first rows and return how many are new (lines 9 to 12)."""
        n_selected = self.settings.n_selected
        was_seated = self.n_seated
        scores = relative_scores(self.metric.total(self.network))
        if self.settings.entry_scores:
            # A seated feature is held to the score it entered with, a candidate enters now.
            scores = torch.cat([self.entry_scores, scores[was_seated:]])
        # In a tie the seated feature stays.
        top = top_rows(scores, n_selected).tolist()
        kept = set(top)
        vacated = [row for row in range(n_selected) if row not in kept]
        arrived = [row for row in top if row >= n_selected]
        self.window.move(arrived, vacated)
        self.network.move(arrived, vacated)
        self.entry_scores = scores[:n_selected].clone()
        self.entry_scores[vacated] = scores[arrived]
        self.features[vacated] = self.features[arrived]
        self.n_seated = n_selected
        return len(arrived) if was_seated else n_selected

    def _reason_to_stop(self, progress: Progress) -> str | None:
        reason = self.stopping_rule.check(progress)
        max_rotations, max_epochs = self.settings.max_rotations, self.settings.max_epochs
        if reason is None and max_rotations is not None and progress.rotation >= max_rotations:
            reason = "max_rotations"
        if reason is None and max_epochs is not None and progress.epoch >= max_epochs:
            reason = "max_epochs"
        return reason

    def _rotate(self, progress: Progress) -> None:
        """Let new candidates take the places behind the seated features (lines 13 to 15).

        Algorithm 2 comes before them: the size rule.
        """
        n_selected = self.settings.n_selected
        self.size_rule.after_rotation(progress)
        n_candidates = self.size_rule.n_candidates
        is_resized = n_selected + n_candidates != self.network.n_inputs
        if is_resized:
            self.network.resize(n_selected + n_candidates, n_kept=n_selected)
            self.window.resize(n_selected + n_candidates)
        if n_candidates:
            seated = self.features[:n_selected]
            regrow = REGROWTHS[self.settings.regrowth]
            candidates = regrow(self.window, self.network, seated, n_candidates, self.generator)
            candidates = candidates.to(self.device)
            self.features = torch.cat([seated, candidates])
            self.window.fill(n_selected, candidates)
            self.tiny_weights.redraw(self.network.weights[n_selected:])
        if self.settings.reset_optimizer or is_resized:
            self.network.optimizer.reset()
        else:
            self.network.forget_moments(n_selected)

    def _outcome(self, rotation: int, reason: str) -> Outcome:
        last = self._snapshot()
        best = self.best or Best(last, rotation, self.network.n_inputs - self.n_seated)
        return Outcome(last, best, tuple(self.records), reason)

    @torch.no_grad()
    def finish(self) -> nn.Module:
        """Train the network on the seated features alone and return it.

        Those seated last have seen few mini-batches, and the body still reckons with candidates.
        """
        n_selected = self.settings.n_selected
        self.network.resize(n_selected, n_kept=n_selected)
        self.window.resize(n_selected)
        self.network.optimizer.reset()
        for _ in range(self.settings.finish_rotations * self.settings.batches_per_rotation):
            self.network.backward(self.window.next_batch())
            self.network.step()
        self.network.refuse_divergence()
        return self._snapshot().network

    # -- what there is to report ----------------------------------------------------------------

    def _epoch(self) -> float:
        return self.n_steps * self.window.batch_size / self.window.n_training

    def _record(
        self, progress: Progress, training_loss: float, validation_loss: float | None
    ) -> Record:
        weight_sums = self.network.weights[: self.n_seated].abs().sum(dim=1)
        return Record(
            phase=self.phase,
            rotation=progress.rotation,
            epoch=progress.epoch,
            n_steps=self.n_steps,
            training_loss=training_loss,
            validation_loss=math.nan if validation_loss is None else validation_loss,
            n_changed=progress.n_changed,
            min_entry_score=float(self.entry_scores.min()),
            min_weight_sum=float(weight_sums.min()),
            input_size=self.network.n_inputs,
            share_used=self.stopping_rule.share_used,
        )

    def _snapshot(self) -> Snapshot:
        """Copy the seated features, best first, and their network, in the columns' order."""
        features, rows = self.features[: self.n_seated].sort()
        scores, order = self.entry_scores[rows].sort(descending=True, stable=True)
        chosen = Chosen(features[order].cpu(), scores.cpu())
        return Snapshot(chosen, self.network.to_module(rows))
