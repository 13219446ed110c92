"""Growth and exchange of the seated columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.pairs import SIGNIFICANT, Interaction, PairSearch, find_pairs
from entryprune.engine.exchange.seating import SeatedPair, Seating

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from entryprune.engine.exchange.hands import Deck
    from entryprune.engine.exchange.settings import ExchangeSettings

# Seats that are taken before new samples are dealt.
_SEATS_PER_HAND = 5
# Seats after which it is seen whether a shorter reach explains more, the samples without which that
# cannot be seen, and how many times more it must explain.
_REHEARSED_SEATS = 10
_ENOUGH_TO_REHEARSE = 200
_CLEARLY_MORE = 1.5
# What chance may add to evidence, in natural logarithms.
_CHANCE = 10.0
# Searches for pairs in a run: each may take as long as the rest of the growth.
_MOST_SEARCHES = 6

# Is told of every step; anything true ends the search.
Listener = Callable[[str, Seating, int], object]


class Stopped(Exception):  # noqa: N818 - not an error
    """The listener wants no more."""


@dataclass(frozen=True)
class _Offer:
    """A seating with another pair: who is new, what is gained, and what each of them brings."""

    seating: Seating
    pair: SeatedPair
    new: set[int]
    gain: float
    brought: float


class Growth:
    """Takes seats one by one, each column judged on what the seated ones leave unexplained."""

    def __init__(
        self, deck: Deck, settings: ExchangeSettings, generator: Generator, listener: Listener
    ) -> None:
        self._deck, self._settings, self._generator = deck, settings, generator
        self._listener = listener
        self.seating = Seating(deck.deal(), settings, settings.reach)
        self.entry_scores: dict[int, float] = {}
        self.searches: list[PairSearch] = []
        # What each column brought as it was seated.
        self._gains: dict[int, float] = {}

    def run(self, n_selected: int) -> None:
        """Take seats until `n_selected` are taken, and trade some for pairs that bring more."""
        rehearsed = min(n_selected, _REHEARSED_SEATS)
        self._take_seats(rehearsed)
        if self._may_need_a_shorter_reach():
            self._rehearse(rehearsed)
        self._take_seats(n_selected)
        if self._settings.interactions:
            self._trade_for_pairs()

    def _take_seats(self, n_seats: int) -> None:
        while (n_taken := len(self.seating.order)) < n_seats:
            until = min(n_seats, n_taken + _SEATS_PER_HAND) if self._deck.has_more else n_seats
            while len(self.seating.order) < until:
                scores = self.seating.scan()
                best = int(scores.argmax())
                if scores[best] == -torch.inf:
                    self._take_constants(n_seats)
                    return
                self._seat(best, float(scores[best]))
                self._seat_from_short_list(scores, until)
            if self._deck.has_more and until < n_seats:
                self.seating = self.seating.moved_to(self._deck.deal())

    def _may_need_a_shorter_reach(self) -> bool:
        """Say whether there are samples enough to tell."""
        hand = self.seating.hand
        fewest = max(_ENOUGH_TO_REHEARSE, hand.n_columns)
        return self._settings.short_reach < self._settings.reach and hand.n_cases_in_all >= fewest

    def _rehearse(self, n_seats: int) -> None:
        """Take the same seats with a shorter reach, and go on with that if it is clearly better.

        Where many columns work together, as in clusters of many dimensions, only near samples tell
        of each other, and with the usual reach little of that is seen from the start.
        """
        hand = self.seating.hand
        rival = Growth(self._deck, self._settings, self._generator, lambda *_: None)
        rival.seating = Seating(hand, self._settings, self._settings.short_reach)
        nothing = rival.seating.evidence
        rival._take_seats(n_seats)
        usual = self.seating
        if rival.seating.hand is not hand:
            usual = usual.moved_to(rival.seating.hand)
        explained = max(usual.evidence - nothing, 0.0)
        if rival.seating.evidence - nothing > _CLEARLY_MORE * explained + _CHANCE:
            self.seating, self.entry_scores = rival.seating, rival.entry_scores
            self._gains = rival._gains

    def _seat_from_short_list(self, scores: Tensor, until: int) -> None:
        """Judge only the best of all columns again for each seat, while one of them is the best.

        What is explained makes impressions fainter, but for some weak ones. So as long as one on
        the list has a stronger impression than any other column had at first, no other column is
        likely to be better.
        """
        n_able = int((scores > -torch.inf).sum())
        n_listed = min(self._settings.n_short_list, n_able)
        ordered = scores.topk(min(n_listed + 1, n_able))
        strongest_other = float(ordered.values[n_listed]) if n_able > n_listed else -torch.inf
        short_list = ordered.indices[:n_listed].cpu()
        values = self.seating.hand.read(short_list)
        while len(self.seating.order) < until:
            scores = self.seating.judge(short_list, values)
            best = int(scores.argmax())
            if scores[best] == -torch.inf or float(scores[best]) < strongest_other:
                break
            self._seat(int(short_list[best]), float(scores[best]))

    def _seat(self, column: int, impression: float) -> None:
        before = self.seating.evidence
        self.seating.seat(column)
        self.entry_scores[column] = impression
        self._gains[column] = self.seating.evidence - before
        self._tell("growth", 1)

    def _take_constants(self, n_seats: int) -> None:
        """Fill seats that no varying column is left for: they were asked for."""
        missing = n_seats - len(self.seating.order)
        constants = self.seating.hand.is_constant.nonzero().view(-1).tolist()
        seated = set(self.seating.order)
        self.seating.order += [column for column in constants if column not in seated][:missing]

    # -- pairs ----------------------------------------------------------------------------------

    def _trade_for_pairs(self) -> None:
        """Trade the seats that would be missed least for pairs, as long as pairs bring more."""
        for _ in range(_MOST_SEARCHES):
            search = find_pairs(
                self.seating.hand,
                self.seating.solution.residuals,
                work=self._settings.pair_work,
                generator=self._generator,
            )
            self.searches.append(search)
            promising = self.seating.most_promising(search.found)
            if not self._trade_best(promising):
                break

    def _trade_best(self, promising: list[Interaction]) -> bool:
        """Seat the pairs that bring more than the seats they take, the best first; say if any."""
        has_traded = False
        while offers := [offer for pair in promising if (offer := self._offer(pair)) is not None]:
            # One that shares a column with a better pair may bring much, but little beside it.
            best = max(offers, key=lambda offer: offer.gain)
            self.entry_scores.update(dict.fromkeys(best.new, best.pair.interaction.strength))
            # Who sat there already for little is there for the pair now.
            partners = {c for c in best.pair.columns if self._gains.get(c, 0.0) < best.brought}
            self._sit(best.seating, best.new | partners, best.brought)
            self._tell("pairs", len(best.new))
            has_traded = True
        return has_traded

    def _offer(self, interaction: Interaction) -> _Offer | None:
        """Return what a pair would bring on the seats that are missed least, if that is enough."""
        partners = {interaction.first, interaction.second}
        new = partners.difference(self.seating.order)
        missed = {c: lost for c, lost in self.seating.missed().items() if c not in partners}
        is_seated = any(partners == set(pair.columns) for pair in self.seating.pairs)
        if is_seated or len(missed) < len(new):
            return None
        trial = self.seating.copy()
        trial.unseat(sorted(missed, key=missed.__getitem__)[: len(new)])
        evidence, pair = trial.best_with_pair(interaction)
        # Without the seats that it takes the evidence may rise by itself.
        gain = evidence - max(self.seating.evidence, trial.evidence_with_idle_units(pair))
        # Evidence of e^g is chance in at most one of e^g tables, and so many pairs could have it.
        n_pairs = self.searches[-1].n_pairs
        p_value = min(interaction.p_value, n_pairs * math.exp(-max(gain, 0.0)))
        if gain < _CHANCE or p_value >= SIGNIFICANT:
            return None
        brought = (evidence - trial.evidence) / max(len(new), 1)
        pair = replace(pair, interaction=replace(interaction, p_value=p_value))
        trial.seat_pair(pair)
        return _Offer(trial, pair, new, gain, brought)

    # -- exchange -------------------------------------------------------------------------------

    def exchange(self) -> None:
        """Exchange the seat that would be missed least for the best other column while it pays."""
        # The best of so many columns is better by chance, even if none is.
        by_chance = math.log(max(self.seating.hand.n_columns, 2))
        for _ in range(self._settings.max_exchanges):
            missed = self.seating.missed()
            if not missed or len(self.seating.order) >= self.seating.hand.n_columns:
                break
            trial = self.seating.copy()
            trial.unseat([min(missed, key=missed.__getitem__)])
            scores = trial.scan()
            best = int(scores.argmax())
            if scores[best] == -torch.inf:
                break
            without = trial.evidence
            trial.seat(best)
            if trial.evidence - self.seating.evidence <= by_chance:
                break
            self.entry_scores[best] = float(scores[best])
            self._sit(trial, {best}, trial.evidence - without)
            self._tell("exchange", 1)

    def _sit(self, trial: Seating, gaining: set[int], gain: float) -> None:
        """Take over a seating, in which those who gain come before all who brought less."""
        others = [column for column in trial.order if column not in gaining]
        places = (i for i, column in enumerate(others) if self._gains.get(column, 0.0) < gain)
        place = next(places, len(others))
        trial.order = [*others[:place], *sorted(gaining), *others[place:]]
        self._gains.update(dict.fromkeys(gaining, gain))
        self.seating = trial

    def _tell(self, phase: str, n_changed: int) -> None:
        if self._listener(phase, self.seating, n_changed):
            raise Stopped
