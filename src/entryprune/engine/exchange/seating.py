"""Who is seated: the features, and the wide network on their columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import torch

from entryprune.engine.exchange.wide import WideNetwork, impressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from torch import Tensor

    from entryprune.engine.exchange.hands import Hand
    from entryprune.engine.exchange.pairs import Interaction
    from entryprune.engine.exchange.wide import Solution
    from entryprune.engine.settings import ExchangeSettings

# A pair of features may depend on each other more finely than a network of many can. Each reach is
# half the one before.
_PAIR_REACHES = (1.0, 0.5, 0.25)


@dataclass(frozen=True, slots=True)
class SeatedPair:
    """Two features with hidden units of their own."""

    interaction: Interaction
    reach: float

    @property
    def features(self) -> tuple[int, int]:
        """The two features."""
        return self.interaction.first, self.interaction.second


class Seating:
    """The seated features on one hand of samples, in the order in which they were seated."""

    def __init__(self, hand: Hand, settings: ExchangeSettings, reach: float) -> None:
        self.hand, self.reach, self._settings = hand, reach, settings
        self.order: list[int] = []
        self.singles: list[int] = []
        self.pairs: list[SeatedPair] = []
        n_outputs = hand.targets.shape[-1]
        noise = settings.noise_for(hand.count_in_all, hand.n_directions, n_outputs)
        self._network = WideNetwork(hand, noise, reach * hand.usual_reach)
        self._solution: Solution | None = None
        self._missed: dict[int, float] | None = None

    # -- who sits -------------------------------------------------------------------------------

    def seat(self, feature: int) -> None:
        """Seat a feature."""
        self._network.add(self._values(feature))
        self.singles.append(feature)
        if feature not in self.order:  # it may sit there already as one of a pair
            self.order.append(feature)
        self._has_changed()

    def unseat(self, features: Iterable[int]) -> None:
        """Free the seats of single features."""
        for feature in features:
            self._network.remove(self._values(feature))
            self.singles.remove(feature)
            self.order.remove(feature)
        self._has_changed()

    def seat_pair(self, pair: SeatedPair) -> None:
        """Seat what of a pair is not seated yet, with hidden units for both."""
        self._network.add_pair(self._pair_kernel(pair))
        self.pairs.append(pair)
        new = dict.fromkeys(pair.features)  # one feature may be its own partner
        self.order += [feature for feature in new if feature not in self.order]
        self._has_changed()

    def copy(self) -> Seating:
        """Return another seating of the same features, to try something with."""
        other = Seating.__new__(Seating)
        other.__dict__.update(self.__dict__)
        other.order, other.singles = list(self.order), list(self.singles)
        other.pairs = list(self.pairs)
        other._network = self._network.copy()
        return other

    def moved_to(self, hand: Hand) -> Seating:
        """Return the same seating on other samples."""
        other = Seating(hand, self._settings, self.reach)
        for feature in self.singles:
            other._network.add(other._values(feature))
        for pair in self.pairs:
            other._network.add_pair(other._pair_kernel(pair))
        other.order, other.singles = list(self.order), list(self.singles)
        other.pairs = list(self.pairs)
        return other

    # -- what it is worth -----------------------------------------------------------------------

    @property
    def solution(self) -> Solution:
        """The network on the seated features, trained when it is first asked for."""
        if self._solution is None:
            self._solution = self._network.solve()
        return self._solution

    @property
    def evidence(self) -> float:
        """Log evidence for the seated features."""
        return self.solution.evidence

    @property
    def loss(self) -> float:
        """Negative log evidence per sample."""
        return -self.evidence / self.hand.count

    @property
    def gain_per_impression(self) -> float:
        """Evidence per sample that an impression of 1 promises at first to one that enters."""
        network = self._network
        return 0.5 / (network.reach**2 * max(network.spread, 1.0) * self.hand.count)

    def scan(self) -> Tensor:
        """Return the impression of every feature; minus infinity for seated and constant ones."""
        judge = partial(impressions, form=self.solution.form)
        scores = self.hand.scan(judge)
        scores[self.hand.is_constant] = -torch.inf
        scores[self.order] = -torch.inf
        return scores

    def judge(self, features: Tensor, values: Tensor) -> Tensor:
        """Return the impression of some features, given the values of all their columns.

        Minus infinity for seated ones.
        """
        scores = impressions(values, self.solution.form)
        scores = self.hand.grouping.total(scores, features)
        scores[torch.isin(features, torch.tensor(self.order))] = -torch.inf
        return scores

    def missed(self) -> dict[int, float]:
        """Return by how much the evidence would fall without each feature that may leave.

        Partners of a pair may not, nor may those whose seat is theirs whatever they bring.
        """
        if self._missed is None:
            stay = {feature for pair in self.pairs for feature in pair.features}
            stay.update(self._settings.kept)
            self._missed = {
                feature: self.evidence_lost(feature)
                for feature in self.singles
                if feature not in stay
            }
        return self._missed

    @property
    def kept_singles(self) -> list[int]:
        """The features that may not leave though they are no partners."""
        in_pairs = {feature for pair in self.pairs for feature in pair.features}
        kept = set(self._settings.kept)
        return [one for one in self.singles if one in kept and one not in in_pairs]

    def evidence_lost(self, feature: int) -> float:
        """Return by how much the evidence would fall without a single feature."""
        trial = self._network.copy()
        trial.remove(self._values(feature))
        return self.evidence - trial.solve().evidence

    def gain(self, feature: int) -> float:
        """Return by how much the evidence would rise with another feature."""
        trial = self._network.copy()
        trial.add(self._values(feature))
        return trial.solve().evidence - self.evidence

    def evidence_without_pair(self, pair: SeatedPair) -> float:
        """Return the evidence if a pair had no hidden units of its own."""
        return self._network.solve(self._pair_kernel(pair), sign=-1.0).evidence

    def agreement(self, others: Hand) -> Tensor:
        """Return, for each case of another hand, its predictions times its targets, summed."""
        singles = torch.tensor(self.singles, dtype=torch.int64)
        mine, theirs = self.hand.read_features(singles), others.read_features(singles)
        predicted = self._network.predict(self.solution, mine, theirs)
        return (predicted * others.targets.flatten(0, 1)).sum(dim=1)

    def most_promising(self, interactions: Sequence[Interaction]) -> list[Interaction]:
        """Return the pairs whose first hidden units would add evidence fastest, one for each reach.

        How fast depends on the reach, so that promises of one reach only can be compared.
        """
        slope = self.solution.slope.flatten()
        promises = torch.empty(len(_PAIR_REACHES), len(interactions))
        for place, interaction in enumerate(interactions):
            kernel = self._pair_kernel(SeatedPair(interaction, _PAIR_REACHES[0])).flatten()
            for row in promises:
                row[place] = torch.dot(kernel, slope)
                # Half the reach is the fourth power. Smaller numbers would be slow to multiply.
                kernel.clamp_(min=1e-3).square_().square_()
        best = promises.argmax(dim=1).tolist() if interactions else []
        return [interactions[place] for place in dict.fromkeys(best)]

    def best_with_pair(self, interaction: Interaction) -> tuple[float, SeatedPair]:
        """Return the evidence with a pair, at the reach that suits it best, and that pair."""
        pairs = [SeatedPair(interaction, reach) for reach in _PAIR_REACHES]
        evidence = [self._network.solve(self._pair_kernel(pair)).evidence for pair in pairs]
        best = max(range(len(pairs)), key=evidence.__getitem__)
        return evidence[best], pairs[best]

    def evidence_with_idle_units(self, pair: SeatedPair) -> float:
        """Return the evidence if a pair had its hidden units and these knew nothing of the samples.

        Any two samples are then as alike to them as two samples are on average.
        """
        kernel = self._pair_kernel(pair)
        alike = self._network.mean_likeness(kernel)
        idle = alike.view(-1, 1, 1).expand_as(kernel).clone()
        idle.diagonal(dim1=1, dim2=2).fill_(1.0)
        return self._network.solve(idle).evidence

    # -- inside ---------------------------------------------------------------------------------

    def _has_changed(self) -> None:
        self._solution = self._missed = None

    def _values(self, feature: int) -> Tensor:
        return self.hand.read_features(torch.tensor([feature]))

    def _pair_kernel(self, pair: SeatedPair) -> Tensor:
        values = self.hand.read_features(torch.tensor(pair.features))
        return self._network.pair_kernel(values, pair.reach)
