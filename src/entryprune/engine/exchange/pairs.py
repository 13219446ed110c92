"""Pairs of columns that matter together: second impressions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Generator, Tensor

    from entryprune.engine.exchange.hands import Hand

# A column with an effect of its own is for the first impressions. One that is this much stronger
# than the strongest of all columns by chance has one; in small tables three standard deviations do.
_OWN_EFFECT, _FEWEST_DEVIATIONS = 1.15, 3.0
# The strongest pair that waves can show, in units of the root of the number of samples.
_STRONGEST = 0.75
# A pair stands out if one as strong turns up by chance in fewer than one of twenty tables.
SIGNIFICANT = 0.05
_MOST_PAIRS = 20
# The residuals of many classes are searched along their main directions only.
_MOST_DIRECTIONS = 4
_N_PERMUTATIONS, _SHUFFLED_COLUMNS = 2, 1000
# Few enough to stay in the cache until they have been looked at.
_PRODUCTS_AT_ONCE = 1 << 20
# Values ranked at a time, for ranks need ten times the room of their values.
_RANKED_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class Interaction:
    """Two features that explain together what single ones leave unexplained."""

    # The same one twice is a feature whose middle differs from its ends.
    first: int
    second: int
    # Standard deviations by which the sum of their products with the residuals is off zero.
    strength: float
    p_value: float  # how often chance would show a pair as strong somewhere in the table


@dataclass(frozen=True)
class PairSearch:
    """What a search for pairs found."""

    # the strongest pairs, the strongest first, whether or not they stand out
    found: tuple[Interaction, ...]
    n_tried: int
    n_pairs: int

    @property
    def share(self) -> float:
        """Which share of all pairs was looked at."""
        return self.n_tried / max(self.n_pairs, 1)


def find_pairs(hand: Hand, residuals: Tensor, *, work: float, generator: Generator) -> PairSearch:
    """Look for pairs whose products go with the residuals, among columns without own effect.

    Every column is replaced by two waves over its ranks, one that rises once (low against high)
    and one that rises and falls (middle against ends), so that no outlier counts. The product of
    two columns' waves, times the residual and summed over samples, is then nearly normal if the
    pair means nothing. Residuals in random order show how nearly. Where all pairs would take more
    than `work` operations, a random part of the columns is searched. Columns stand for their
    features, which may be the same one. Its levels exclude each other, so that two are no pair.
    """
    weights, count = hand.case_weights, hand.count
    # Residuals of samples that count several times are as many times as large.
    residuals = residuals.reshape(hand.n_cases, -1)
    directions = _main_directions(
        residuals if weights is None else residuals / weights.unsqueeze(1), weights
    )
    n_columns, n_directions = hand.n_columns, directions.shape[1]
    affordable = int(math.sqrt(work / (2 * max(1, n_directions) * hand.n_cases)))
    columns = torch.arange(n_columns)
    if affordable < n_columns:
        columns = torch.randperm(n_columns, generator=generator)[:affordable].sort().values
    n_tried, n_pairs = math.comb(len(columns), 2), math.comb(n_columns, 2)
    if not n_tried or not n_directions:
        return PairSearch((), n_tried, n_pairs)
    n_tests = 2.0 * n_directions * (n_tried + n_columns)
    if _usual_largest(n_tests) > _STRONGEST * math.sqrt(count):
        return PairSearch((), 0, n_pairs)  # with so few samples chance looks like the real thing
    waves = _waves(hand.read(columns), weights)
    # By itself a column may explain the targets, or what the seated ones leave of them.
    targets = _main_directions(hand.targets.flatten(0, 1), weights)
    alone = _counted(torch.cat([targets, directions], dim=1), weights)
    own = torch.mm(waves[0], alone).abs_().amax(dim=1) / math.sqrt(count)
    by_chance = max(_usual_largest(n_directions * n_columns), _FEWEST_DEVIATIONS)
    is_pure = own < _OWN_EFFECT * by_chance
    columns, waves = columns[is_pure.cpu()], [wave[is_pure] for wave in waves]
    features = hand.grouping.feature_of[columns]
    is_level = hand.grouping.is_indicator[columns]
    members = torch.where(is_level, features, hand.n_features + columns)
    counted = _counted(directions, weights) / math.sqrt(count)
    strongest = _strongest(waves, counted, _MOST_PAIRS, members) if len(columns) else []
    # If something stands out: how far does it stand out where there is nothing to find?
    inflation = 1.0
    if strongest and _corrected(strongest[0][0], n_tests) < SIGNIFICANT:
        shuffled = (
            directions[torch.randperm(hand.n_cases, generator=generator).to(directions.device)]
            for _ in range(_N_PERMUTATIONS)
        )
        some_waves = [wave[:_SHUFFLED_COLUMNS] for wave in waves]
        some_members = members[:_SHUFFLED_COLUMNS]
        chance = max(
            found[0]
            for some in shuffled
            for found in _strongest(
                some_waves, _counted(some, weights) / math.sqrt(count), 1, some_members
            )
        )
        n_columns = len(some_waves[0])
        n_shuffled = 2.0 * n_directions * (math.comb(n_columns, 2) + n_columns)
        inflation = max(1.0, chance / _usual_largest(n_shuffled))
    found: dict[tuple[int, int], Interaction] = {}
    for strength, first, second in strongest:
        if strength == 0:
            break  # constant columns
        p_value = _corrected(strength / inflation, n_tests)
        pair = int(features[first]), int(features[second])
        found.setdefault(pair, Interaction(*pair, strength, p_value))
    return PairSearch(tuple(found.values()), n_tried, n_pairs)


def _main_directions(residuals: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return the main directions of centred residuals, each with mean square 1."""
    if weights is None:
        centred, count = residuals - residuals.mean(dim=0), float(len(residuals))
    else:
        count = float(weights.sum())
        roots = weights.sqrt().unsqueeze(1)
        centred = (residuals - (weights @ residuals) / count) * roots
    left, sizes, _ = torch.linalg.svd(centred, full_matrices=False)
    counts = sizes > 1e-3 * sizes[0].clamp(min=1e-12)
    main: Tensor = left[:, counts][:, :_MOST_DIRECTIONS]
    if weights is not None:
        main = main / roots
    return main * math.sqrt(count)


def _counted(directions: Tensor, weights: Tensor | None) -> Tensor:
    """Return directions in which each sample is there as often as it counts."""
    return directions if weights is None else directions * weights.unsqueeze(1)


def _waves(values: Tensor, weights: Tensor | None = None) -> list[Tensor]:
    """Return both waves of each column (row), with mean 0 and mean square 1."""
    waves = [torch.empty_like(values), torch.empty_like(values)]
    n_rows = max(1, _RANKED_AT_ONCE // values.shape[1])
    for start in range(0, len(values), n_rows):
        some = slice(start, start + n_rows)
        _write_waves(values[some], waves[0][some], waves[1][some], weights)
    return waves


def _write_waves(values: Tensor, once: Tensor, twice: Tensor, weights: Tensor | None) -> None:
    """Write the waves of some columns: of one rise, and of a rise and a fall."""
    ranks = _ranks(values) if weights is None else _weighted_ranks(values, weights)
    torch.cos(ranks.mul_(math.pi), out=once)
    # The cosine of the double angle.
    torch.square(once, out=twice).mul_(2.0).sub_(1.0)
    for wave in (once, twice):
        if weights is None:
            wave.sub_(wave.mean(dim=1, keepdim=True))
            size = torch.linalg.vector_norm(wave, dim=1, keepdim=True)
            size.div_(math.sqrt(wave.shape[1]))
        else:
            wave.sub_(torch.mv(wave, weights).div_(weights.sum()).unsqueeze(1))
            size = torch.mv(wave.square(), weights).div_(weights.sum()).sqrt_().unsqueeze(1)
        # A column with hardly any variation has no wave.
        wave.div_(size.masked_fill_(size < 1e-3, torch.inf))


def _ranks(values: Tensor) -> Tensor:
    """Return the share of its row below each value; equal values share the middle of their ranks.

    Neighbours are compared in sorted order, several times as fast as looking each value up.
    """
    n_cases = values.shape[1]
    ordered, places = _sorted(values)
    is_new = ordered[:, 1:] != ordered[:, :-1]
    bounds = torch.arange(1, n_cases, dtype=torch.int32, device=values.device)
    below = torch.zeros_like(ordered, dtype=torch.int32)
    below[:, 1:] = torch.where(is_new, bounds, 0).cummax(dim=1).values
    up_to = torch.full_like(below, n_cases)
    up_to[:, :-1] = torch.where(is_new, bounds, n_cases).flip(1).cummin(dim=1).values.flip(1)
    ranks = below.add_(up_to).to(values.dtype).div_(2 * n_cases)
    return torch.empty_like(ranks).scatter_(1, places, ranks)


def _sorted(values: Tensor) -> tuple[Tensor, Tensor]:
    """Sort each row; return also where its values stood, equal ones in any order."""
    if values.device.type != "cpu":
        return values.sort(dim=1)
    # The sort of numpy is several times as fast as torch's.
    places = torch.from_numpy(values.numpy().argsort(axis=1))
    return values.gather(1, places), places


def _weighted_ranks(values: Tensor, weights: Tensor) -> Tensor:
    """Return the same for samples that count several times, as if there were as many of each."""
    ordered, places = _sorted(values)
    below = weights[places].double().cumsum(dim=1)
    total = float(weights.double().sum())
    is_new = ordered[:, 1:] != ordered[:, :-1]
    start = torch.zeros_like(below)
    start[:, 1:] = torch.where(is_new, below[:, :-1], 0.0).cummax(dim=1).values
    end = torch.full_like(below, total)
    end[:, :-1] = torch.where(is_new, below[:, :-1], total).flip(1).cummin(dim=1).values.flip(1)
    ranks = start.add_(end).div_(2 * total).to(values.dtype)
    return torch.empty_like(ranks).scatter_(1, places, ranks)


def _strongest(
    waves: list[Tensor], directions: Tensor, n_strongest: int, members: Tensor
) -> list[tuple[float, int, int]]:
    """Return the strength and the places of the strongest pairs, the strongest first.

    `directions` are scaled so that the sum over samples of a wave times a direction is in standard
    deviations. A column whose ends differ from its middle is a pair with itself; other columns
    with the same number in `members` are not.
    """
    n_columns = len(waves[0])
    of_column = members.tolist()
    is_plain = len(set(of_column)) == n_columns
    bends = torch.mm(waves[1], directions).abs_().amax(dim=1)
    values, places = bends.topk(min(n_strongest, n_columns))
    found = [
        (value, place, place) for value, place in zip(values.tolist(), places.tolist(), strict=True)
    ]
    bar = found[-1][0] if len(found) == n_strongest else 0.0
    for start, products in _products(waves, directions):
        best = torch.maximum(products.amax(dim=1), products.amin(dim=1).neg_())
        # Twice as many, because two columns may stand in both orders.
        values, rows = best.topk(min(2 * n_strongest, len(best)))
        rows = rows[values > bar]
        if not len(rows):
            continue  # nearly always, so that one look at the products is enough
        some, n_others = products[rows].abs_().view(-1), products.shape[1]
        values, places = some.topk(min(2 * n_strongest, len(some)))
        firsts = rows[places // n_others].tolist()
        found += [
            (value, start + first, start + second)
            for value, first, second in zip(
                values.tolist(), firsts, (places % n_others).tolist(), strict=True
            )
            if first < second  # each pair once
            and (is_plain or of_column[start + first] != of_column[start + second])
        ]
        found = sorted(found, reverse=True)[:n_strongest]
        bar = found[-1][0] if len(found) == n_strongest else 0.0
    return found


def _products(waves: list[Tensor], directions: Tensor) -> Iterator[tuple[int, Tensor]]:
    """Yield, for some columns and all from them on, how strong each pair is, with its sign.

    The tensor is used again for the next columns.
    """
    n_columns = len(waves[0])
    rows_at_once = max(1, _PRODUCTS_AT_ONCE // n_columns)
    room = waves[0].new_empty(min(rows_at_once, n_columns) * n_columns)
    for wave in waves:
        for start in range(0, n_columns, rows_at_once):
            rows, others = wave[start : start + rows_at_once], wave[start:]
            products = room[: len(rows) * len(others)].view(len(rows), len(others))
            for direction in directions.mT:
                torch.mm(rows * direction, others.mT, out=products)
                products.diagonal().zero_()  # no column with itself
                yield start, products


def _corrected(strength: float, n_tests: float) -> float:
    """Return the two-sided p-value of a normal variable, times the number of tests."""
    return min(1.0, n_tests * math.erfc(strength / math.sqrt(2)))


def _usual_largest(n_tests: float) -> float:
    """Return the strength that one of so many tests reaches by chance."""
    return -float(torch.special.ndtri(torch.tensor(0.5 / n_tests, dtype=torch.float64)))
