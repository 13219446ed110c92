"""Growth and exchange of the seated features."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.pairs import SIGNIFICANT, Interaction, PairSearch, find_pairs
from entryprune.engine.exchange.seating import SeatedPair, Seating

if TYPE_CHECKING:
    from torch import Generator, Tensor

    from entryprune.engine.exchange.hands import Deck
    from entryprune.engine.settings import ExchangeSettings

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


class Purse:
    """What features cost, and how much may be spent on all that are seated."""

    def __init__(self, settings: ExchangeSettings, *, per_cost: bool = True) -> None:
        self._costs, self._budget = settings.costs, settings.budget
        # Whether features are compared by what they promise for what they cost.
        self._per_cost = per_cost and self._costs is not None

    @property
    def has_limit(self) -> bool:
        """Whether the seats may be too expensive."""
        return self._budget is not None

    def cost(self, features: Iterable[int]) -> float:
        """Return what features cost together."""
        if self._costs is None:
            return float(len(list(features)))
        return float(self._costs[list(features)].sum())

    def can_pay(self, features: Iterable[int]) -> bool:
        """Say whether features can be had together."""
        # Sums of costs such as 0.1 may be off by rounding.
        return self._budget is None or self.cost(features) <= self._budget * (1 + 1e-9)

    def worth(self, scores: Tensor, seated: Sequence[int], of: Tensor | None = None) -> Tensor:
        """Return the impressions of features, all or `of`, as worth their costs.

        Minus infinity for those that cannot be paid beside the seated ones.
        """
        if self._budget is None and not self._per_cost:
            return scores
        costs = torch.ones(len(scores)) if self._costs is None else self._costs
        if self._costs is not None and of is not None:
            costs = costs[of]
        costs = costs.to(scores.device, scores.dtype)
        if self._per_cost:
            scores = scores / costs
        if self._budget is not None:
            left = self._budget * (1 + 1e-9) - self.cost(seated)
            scores = scores.masked_fill(costs > left, -torch.inf)
        return scores


class Growth:
    """Takes seats one by one, each feature judged on what the seated ones leave unexplained."""

    def __init__(
        self,
        deck: Deck,
        settings: ExchangeSettings,
        generator: Generator,
        listener: Listener,
        *,
        per_cost: bool = True,
    ) -> None:
        self._deck, self._settings, self._generator = deck, settings, generator
        self._listener, self._purse = listener, Purse(settings, per_cost=per_cost)
        self.seating = Seating(deck.deal(), settings, settings.reach)
        self.entry_scores: dict[int, float] = {}
        self.searches: list[PairSearch] = []
        # What each feature brought as it was seated.
        self._gains: dict[int, float] = {}
        self._n_selected = settings.n_selected

    def run(self, n_selected: int) -> None:
        """Take seats until `n_selected` are taken, and trade some for pairs that bring more."""
        self._n_selected = n_selected
        rehearsed = min(n_selected, _REHEARSED_SEATS)
        self._seat_kept()
        self._take_seats(rehearsed)
        if self._may_need_a_shorter_reach():
            self._rehearse(rehearsed)
        self._take_seats(n_selected)
        if self._settings.interactions:
            self._trade_for_pairs()
            self._take_seats(n_selected)  # a pair may cost less than the seats that it took

    def _seat_kept(self) -> None:
        """Seat those who have a seat whatever they bring, the best first."""
        if not self._settings.kept:
            return
        kept = torch.tensor(sorted(self._settings.kept))
        values = self.seating.hand.read_features(kept)
        for _ in range(len(kept)):
            scores = self.seating.judge(kept, values)
            best = int(scores.argmax())
            self._seat(int(kept[best]), float(scores[best]))

    def _take_seats(self, n_seats: int) -> None:
        while (n_taken := len(self.seating.order)) < n_seats:
            until = min(n_seats, n_taken + _SEATS_PER_HAND) if self._deck.has_more else n_seats
            while len(self.seating.order) < until:
                scores = self._purse.worth(self.seating.scan(), self.seating.order)
                best = int(scores.argmax())
                if scores[best] == -torch.inf:
                    if not self._purse.has_limit:
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
        return self._settings.short_reach < self._settings.reach and hand.count_in_all >= fewest

    def _rehearse(self, n_seats: int) -> None:
        """Take the same seats with a shorter reach, and go on with that if it is clearly better.

        Where many columns work together, as in clusters of many dimensions, only near samples tell
        of each other, and with the usual reach little of that is seen from the start.
        """
        hand = self.seating.hand
        rival = Growth(self._deck, self._settings, self._generator, lambda *_: None)
        rival._purse = self._purse
        rival.seating = Seating(hand, self._settings, self._settings.short_reach)
        nothing = rival.seating.evidence
        rival._seat_kept()
        rival._take_seats(n_seats)
        usual = self.seating
        if rival.seating.hand is not hand:
            usual = usual.moved_to(rival.seating.hand)
        explained = max(usual.evidence - nothing, 0.0)
        if rival.seating.evidence - nothing > _CLEARLY_MORE * explained + _CHANCE:
            self.seating, self.entry_scores = rival.seating, rival.entry_scores
            self._gains = rival._gains

    def _seat_from_short_list(self, scores: Tensor, until: int) -> None:
        """Judge only the best of all features again for each seat, while one of them is the best.

        What is explained makes impressions fainter, but for some weak ones. So as long as one on
        the list has a stronger impression than any other feature had at first, no other is
        likely to be better.
        """
        n_able = int((scores > -torch.inf).sum())
        n_listed = min(self._settings.n_short_list, n_able)
        ordered = scores.topk(min(n_listed + 1, n_able))
        strongest_other = float(ordered.values[n_listed]) if n_able > n_listed else -torch.inf
        short_list = ordered.indices[:n_listed].cpu()
        values = self.seating.hand.read_features(short_list)
        while len(self.seating.order) < until:
            scores = self._purse.worth(
                self.seating.judge(short_list, values), self.seating.order, short_list
            )
            best = int(scores.argmax())
            if scores[best] == -torch.inf or float(scores[best]) < strongest_other:
                break
            self._seat(int(short_list[best]), float(scores[best]))

    def _seat(self, feature: int, impression: float) -> None:
        before = self.seating.evidence
        self.seating.seat(feature)
        self.entry_scores[feature] = impression
        self._gains[feature] = self.seating.evidence - before
        self._tell("growth", 1)

    def _take_constants(self, n_seats: int) -> None:
        """Fill seats that no varying feature is left for: they were asked for."""
        missing = n_seats - len(self.seating.order)
        constants = self.seating.hand.is_constant.nonzero().view(-1).tolist()
        seated = set(self.seating.order)
        self.seating.order += [feature for feature in constants if feature not in seated][:missing]

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
            found = [one for one in search.found if self._purse.can_pay({one.first, one.second})]
            promising = self.seating.most_promising(found)
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
            partners = {f for f in best.pair.features if self._gains.get(f, 0.0) < best.brought}
            self._sit(best.seating, best.new | partners, best.brought)
            self._tell("pairs", len(best.new))
            has_traded = True
        return has_traded

    def _offer(self, interaction: Interaction) -> _Offer | None:
        """Return what a pair would bring on the seats that are missed least, if that is enough."""
        partners = {interaction.first, interaction.second}
        new = partners.difference(self.seating.order)
        missed = {f: lost for f, lost in self.seating.missed().items() if f not in partners}
        is_seated = any(partners == set(pair.features) for pair in self.seating.pairs)
        least_missed = sorted(missed, key=missed.__getitem__)
        # Seats that the budget left free are as good as those that are missed least; but more than
        # the pair takes may have to be freed to pay for it.
        n_free = max(self._n_selected - len(self.seating.order), 0)
        all_seated = new.union(self.seating.order)
        n_taken = next(
            (
                n
                for n in range(max(len(new) - n_free, 0), len(missed) + 1)
                if self._purse.can_pay(all_seated.difference(least_missed[:n]))
            ),
            None,
        )
        if is_seated or n_taken is None:
            return None
        trial = self.seating.copy()
        trial.unseat(least_missed[:n_taken])
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
        """Exchange the seat that would be missed least for the best other feature while it pays."""
        # The best of so many features is better by chance, even if none is.
        by_chance = math.log(max(self.seating.hand.n_features, 2))
        for _ in range(self._settings.max_exchanges):
            missed = self.seating.missed()
            if not missed or len(self.seating.order) >= self.seating.hand.n_features:
                break
            trial = self.seating.copy()
            trial.unseat([min(missed, key=missed.__getitem__)])
            scores = self._purse.worth(trial.scan(), trial.order)
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
        others = [feature for feature in trial.order if feature not in gaining]
        places = (i for i, feature in enumerate(others) if self._gains.get(feature, 0.0) < gain)
        place = next(places, len(others))
        trial.order = [*others[:place], *sorted(gaining), *others[place:]]
        self._gains.update(dict.fromkeys(gaining, gain))
        self.seating = trial

    def _tell(self, phase: str, n_changed: int) -> None:
        if self._listener(phase, self.seating, n_changed):
            raise Stopped
