"""Growth and exchange of the seated columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.pairs import Interaction, PairSearch, find_pairs
from entryprune.engine.exchange.seating import Seating

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from entryprune.engine.exchange.hands import Deck
    from entryprune.engine.exchange.settings import ExchangeSettings

# Pairs whose worth is worked out after each search, the strongest first.
_TRIED_PAIRS = 3
# Seats after which it is seen whether a shorter reach explains more, the cases without which that
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


@dataclass
class PairCandidates:
    """Pairs that stand out: the searches for them, those that wait, and those that are seated."""

    searches: list[PairSearch] = field(default_factory=list)
    waiting: list[Interaction] = field(default_factory=list)
    seated: list[Interaction] = field(default_factory=list)


class Growth:
    """Takes seats in portions, each column judged on what the seated ones leave unexplained.

    Parameters
    ----------
    deck : Deck
        Deals the cases.
    settings : ExchangeSettings
        Every choice.
    generator : Generator
        For what the search for pairs draws.
    listener : callable
        Is told of every step.
    """

    def __init__(
        self, deck: Deck, settings: ExchangeSettings, generator: Generator, listener: Listener
    ) -> None:
        self._deck, self._settings, self._generator = deck, settings, generator
        self._listener = listener
        self.seating = Seating(deck.deal(), settings, settings.reach)
        self.entry_scores: dict[int, float] = {}
        self.pairs = PairCandidates()
        self.has_exchanged = False

    def run(self, n_seats: int) -> None:
        """Take seats until `n_seats` are taken."""
        nothing = self._branch()
        rehearsed = min(n_seats, _REHEARSED_SEATS)
        self._take_seats(rehearsed)
        self._rehearse(rehearsed)
        middle = self._branch()
        self._take_seats(n_seats)
        if self._settings.interactions:
            for start in (nothing, middle):
                if self._is_better_with_pairs(start, n_seats):
                    break

    def _branch(self) -> Growth:
        """Return another growth that goes on from here, and that nobody listens to."""
        other = Growth.__new__(Growth)
        other.__dict__.update(self.__dict__)
        other._listener = lambda *_: None
        other.seating, other.entry_scores = self.seating.copy(), dict(self.entry_scores)
        other.pairs = PairCandidates()
        return other

    def _is_better_with_pairs(self, start: Growth, n_seats: int) -> bool:
        """Take the seats from `start` on again with pairs, and keep that if it explains more."""
        start._look_for_pairs()
        self.pairs.searches += start.pairs.searches
        if not start.pairs.waiting:
            return False
        start._take_seats(n_seats)
        mine = self.seating.moved_to(start.seating.hand) if self._deck.has_more else self.seating
        if not start.pairs.seated or start.seating.evidence < mine.evidence + _CHANCE:
            return False
        self.seating, self.entry_scores = start.seating, start.entry_scores
        self.pairs.seated = start.pairs.seated
        self._tell("pairs", len(set(start.seating.order).difference(mine.order)))
        return True

    def _take_seats(self, n_seats: int) -> None:
        hand = self.seating.hand
        work = 2.0 * hand.n_columns * hand.n_cases * hand.block_size
        portion = math.ceil(work / self._settings.scan_work)
        while len(self.seating.order) < n_seats:
            taken_before = len(self.seating.order)
            short_list = self._short_list(self.seating)
            if not len(short_list):
                self._take_constants(n_seats)
                break
            until = min(n_seats, taken_before + portion)
            while len(self.seating.order) < until and self._seat_best(short_list, n_seats):
                pass
            self._tell("growth", len(self.seating.order) - taken_before)
            if self._deck.has_more and len(self.seating.order) < n_seats:
                self.seating = self.seating.moved_to(self._deck.deal())

    def _rehearse(self, n_seats: int) -> None:
        """Take the same seats with a shorter reach, and go on with that if it is clearly better.

        Where many columns work together, as in clusters of many dimensions, only near cases tell
        of each other, and with the usual reach little of that is seen from the start.
        """
        hand = self.seating.hand
        if hand.n_cases < _ENOUGH_TO_REHEARSE:
            return
        rival = self._branch()
        rival.seating = Seating(hand, self._settings, self._settings.short_reach)
        rival.entry_scores = {}
        nothing = rival.seating.evidence
        rival._take_seats(n_seats)
        usual = self.seating
        if self._deck.has_more:
            usual = usual.moved_to(rival.seating.hand)
        explained = max(usual.evidence - nothing, 0.0)
        if rival.seating.evidence - nothing > _CLEARLY_MORE * explained + _CHANCE:
            self.seating, self.entry_scores = rival.seating, rival.entry_scores

    def _short_list(self, seating: Seating) -> Tensor:
        """Judge all columns and return the best."""
        scores = seating.scan()
        n_able = int((scores > -torch.inf).sum())
        return scores.topk(min(self._settings.n_short_list, n_able)).indices.cpu()

    def _seat_best(self, short_list: Tensor, n_seats: int) -> bool:
        """Seat the best column of the short list or a pair; say whether there was any."""
        scores = self.seating.judge(short_list)
        best = int(scores.argmax())
        if scores[best] == -torch.inf:
            return False
        column, before = int(short_list[best]), self.seating.evidence
        without = self.seating.copy() if self.pairs.waiting else None
        self.seating.seat(column)
        if without is not None and self._prefers_pair(without, before, n_seats):
            return True
        self.entry_scores[column] = float(scores[best])
        return True

    # -- pairs ----------------------------------------------------------------------------------

    def _look_for_pairs(self) -> None:
        if len(self.pairs.searches) >= _MOST_SEARCHES:
            return
        search = find_pairs(
            self.seating.hand,
            self.seating.solution.residuals,
            work=self._settings.pair_work,
            generator=self._generator,
        )
        self.pairs.searches.append(search)
        self.pairs.waiting = list(search.found[:_TRIED_PAIRS])

    def _prefers_pair(self, without: Seating, before: float, n_seats: int) -> bool:
        """Seat a pair in place of the column seated last if it brings more for each seat."""
        gain_single = max(self.seating.evidence - before, 0.0)
        for place, interaction in enumerate(self.pairs.waiting):
            new = {interaction.first, interaction.second}.difference(without.order)
            if not new or len(without.order) + len(new) > n_seats:
                continue
            evidence, pair = without.best_with_pair(interaction)
            if (evidence - before) / len(new) > gain_single:
                without.seat_pair(pair)
                self.pairs.seated.append(interaction)
                self.seating = without
                self.entry_scores.update(dict.fromkeys(new, interaction.strength))
                del self.pairs.waiting[place]
                if not self.pairs.waiting:
                    self._look_for_pairs()
                return True
        return False

    def _take_constants(self, n_seats: int) -> None:
        """Fill seats that no varying column is left for: they were asked for."""
        missing = n_seats - len(self.seating.order)
        constants = self.seating.hand.is_constant.nonzero().view(-1).tolist()
        seated = set(self.seating.order)
        self.seating.order += [column for column in constants if column not in seated][:missing]

    # -- exchange -------------------------------------------------------------------------------

    def exchange(self) -> None:
        """Exchange seats that would hardly be missed for better ones."""
        seating = self.seating
        size = max(1, len(seating.singles) // 5)
        for _ in range(self._settings.max_exchanges):
            if not seating.missed() or len(seating.order) >= seating.hand.n_columns:
                break
            trial = self._exchanged(seating, min(size, len(seating.missed())))
            n_new = len(set(trial.order).difference(seating.order))
            # The best of so many columns is better by chance, even if none is.
            by_chance = n_new * math.log(seating.hand.n_columns)
            if n_new and trial.evidence - seating.evidence > by_chance:
                self.seating = seating = trial
                self.has_exchanged = True
                self._tell("exchange", n_new)
            elif size > 1:
                size //= 2
            else:
                break

    def _exchanged(self, seating: Seating, size: int) -> Seating:
        """Return the seating with the `size` least missed columns exchanged for the best others."""
        trial = seating.copy()
        missed = seating.missed()
        trial.unseat(sorted(missed, key=missed.__getitem__)[:size])
        short_list = self._short_list(trial)
        for _ in range(size):
            now = trial.judge(short_list)
            best = int(now.argmax())
            column = int(short_list[best])
            self.entry_scores.setdefault(column, float(now[best]))
            trial.seat(column)
        return trial

    def _tell(self, phase: str, n_changed: int) -> None:
        if self._listener(phase, self.seating, n_changed):
            raise Stopped
