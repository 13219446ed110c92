"""What the user knows of samples and features: who belongs together, when, at what cost."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._text import counted, listed, some_of, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from entryprune.data import TableRequest, UserTable

_FOLDS = 5
# The only algorithm that knows of groups, costs and the like.
_KNOWS = "entryprune-exchange"


# -- samples --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SampleDesign:
    """Which samples belong together, in which order they came, and how many folds to make."""

    group_column: str | None = None
    time_column: str | None = None
    folds: int | None = None

    def asked_of(self, request: TableRequest) -> TableRequest:
        """Return a request that reads these columns too, which are then no features."""
        columns = (self.group_column, self.time_column)
        new = [one for one in columns if one is not None and one != request.id_column]
        if self.group_column is not None and self.group_column == self.time_column:
            raise ValueError(
                f"--group-column and --time-column are both {self.time_column!r}. Name two columns."
            )
        return replace(request, beside=(*request.beside, *new))

    def known(self, table: UserTable) -> dict[str, Any]:
        """Return what selectors and folds are told of the samples, by the names of arguments."""
        found = {}
        if self.group_column is not None:
            found["groups"] = self._values(table, self.group_column)
        if self.time_column is not None:
            found["order"] = _times(self._values(table, self.time_column), self.time_column)
        return found

    def check_folds(self, table: UserTable, *, is_checked: bool = True) -> None:
        """Refuse fewer groups than folds before the work begins, if folds are to be made."""
        if not is_checked or self.group_column is None or self.time_column is not None:
            return
        n_groups, n_folds = len(set(self._values(table, self.group_column).tolist())), self.folds
        if n_groups >= (n_folds or _FOLDS):
            return
        remedy = "Name a column with more groups, or bring samples of more groups."
        if n_groups > 1:
            remedy = f"Take --folds {n_groups}, or bring samples of more groups."
        raise ValueError(
            f"--group-column {self.group_column!r} has {counted(n_groups, 'group')} of samples, "
            f"and a cross-validation in {n_folds or _FOLDS} folds takes as many or more. {remedy}"
        )

    def facts(self, table: UserTable) -> list[str]:
        """Say what follows from these columns."""
        said = []
        if self.group_column is not None:
            import numpy as np

            _, sizes = np.unique(self._values(table, self.group_column), return_counts=True)
            low, high = int(sizes.min()), int(sizes.max())
            of = f"{low} to {high}" if low < high else str(high)
            groups = f"{counted(len(sizes), 'group')} of {of} sample{'s' if high > 1 else ''}"
            apart = (
                "none of which is ever on both sides of a split"
                if high > 1
                else "so that nothing is kept together: it may be another column that is meant"
            )
            said.append(
                f"Samples of one {self.group_column} belong together: {groups}, {apart}. It is not "
                f"a feature."
            )
        if self.time_column is not None:
            times = _times(self._values(table, self.time_column), self.time_column)
            said.append(
                f"Samples are in the order of {self.time_column}, from {_shown(times.min())} to "
                f"{_shown(times.max())}: what is tested on comes after what is learned from. It is "
                f"not a feature."
            )
        return said

    def _values(self, table: UserTable, name: str) -> NDArray[Any]:
        if name in table.beside:
            return table.beside[name]
        import numpy as np

        return np.array(table.ids)


def _times(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return numbers, or dates with the year first, of which the order is known."""
    import numpy as np

    if values.dtype.kind in "biufM":
        return values
    for value in values.tolist():
        try:
            np.datetime64(value, "us")
        except (TypeError, ValueError):
            raise ValueError(
                f"--time-column {name!r} must hold numbers, or dates with the year first such as "
                f"2024-03-31; it has {value!r}. Number the samples in their order, or write the "
                f"dates so."
            ) from None
    return values.astype("datetime64[us]")


def _shown(value: Any) -> str:
    if hasattr(value, "dtype") and value.dtype.kind == "M":
        text = str(value.astype("datetime64[s]")).replace("T", " ")
        return text.removesuffix(" 00:00:00")
    return f"{value:g}"


# -- features -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FeatureDesign:
    """Which features are kept, barred and grouped, what they cost, and what may be spent."""

    keep: tuple[str, ...] = ()
    bar: tuple[str, ...] = ()
    feature_groups: Path | None = None
    costs: Path | None = None
    budget: float | None = None

    @property
    def options(self) -> list[str]:
        """The options that were given."""
        given = {
            "--keep": self.keep,
            "--bar": self.bar,
            "--feature-groups": self.feature_groups,
            "--costs": self.costs,
            "--budget": self.budget is not None,
        }
        return [option for option, value in given.items() if value]

    def check(self, method: str, k: int | str | None) -> None:
        """Refuse what cannot be done, before any file is read."""
        from entryprune.methods import get_method

        if k is None and self.budget is None:
            raise ValueError(
                "How many features? Say so with -k, such as -k 10 or -k auto; or say with --budget "
                "what they may cost together."
            )
        if self.budget is not None and isinstance(k, str):
            raise ValueError(
                f"-k {k} finds how many features help, and --budget pays for as many as it can. "
                f"Give -k a number, or leave it out."
            )
        if self.budget is not None and not (math.isfinite(self.budget) and self.budget > 0):
            raise ValueError(f"--budget takes a number above 0; got {self.budget:g}.")
        if self.options and get_method(method).settings.get("preset") != "exchange":
            instead = "; --drop leaves features out" if self.options == ["--bar"] else ""
            raise ValueError(
                f"{self.options[0]} is for --method {_KNOWS}, and {get_method(method).title} knows "
                f"nothing of it. Take that method, or leave out {self.options[0]}{instead}."
            )
        for option, path in (("--feature-groups", self.feature_groups), ("--costs", self.costs)):
            if path is not None and not path.is_file():
                what = "is no file" if path.exists() else "is not there"
                raise ValueError(f"{option} {path} {what}. Name a .csv, .tsv or .json file.")

    def parameters(
        self, names: Sequence[str], k: int | str | None
    ) -> tuple[dict[str, Any], list[str]]:
        """Return the selector's parameters, features by their numbers, and what is to be said."""
        from entryprune.data.tables.request import several

        place = {name: number for number, name in enumerate(names)}
        told: dict[str, Any] = {}
        said: list[str] = []
        for option, texts in (("--keep", self.keep), ("--bar", self.bar)):
            if not texts:
                continue
            asked = list(dict.fromkeys(several(texts, place)))
            for name in asked:
                if name not in place:
                    raise ValueError(
                        f"{option} {name!r}: there is no such feature.{suggestion(name, names)} "
                        f"What is left out, the target and the columns beside it are none."
                    )
            told[option.removeprefix("--")] = [place[name] for name in asked]
        both = [names[i] for i in told.get("keep", ()) if i in told.get("bar", ())]
        if both:
            raise ValueError(f"--keep and --bar both name {listed(both)}. Name each once.")
        if len(told.get("bar", ())) == len(names):
            raise ValueError("--bar names all features. At least one must be left to select.")
        if self.feature_groups is not None:
            found = _read_groups(self.feature_groups, place)
            told["feature_groups"] = {
                title: [place[name] for name in ones if name in place]
                for title, ones in found.items()
                if any(name in place for name in ones)
            }
            said += _strangers(self.feature_groups, found.values(), place)
            groups = told["feature_groups"].values()
            said.append(
                f"{counted(sum(map(len, groups)), 'feature')} in {counted(len(groups), 'group')} "
                f"are selected together or not at all; -k counts groups."
            )
        if self.costs is not None:
            prices = _read_costs(self.costs, place)
            told["costs"] = {place[name]: cost for name, cost in prices.items() if name in place}
            said += _strangers(self.costs, [prices], place)
            unpriced = [name for name in names if name not in prices]
            if unpriced:
                said.append(
                    f"{counted(len(unpriced), 'feature')} not in {self.costs.name} cost 1 each: "
                    f"{some_of(unpriced)}."
                )
        if self.budget is not None:
            told["budget"] = self.budget
        self._check_room(told, names, k)
        return told, said

    def _check_room(self, told: dict[str, Any], names: Sequence[str], k: int | str | None) -> None:
        """Refuse more kept features than there are to be, or than can be paid."""
        group_of = {
            feature: title
            for title, ones in told.get("feature_groups", {}).items()
            for feature in ones
        }
        kept = {group_of.get(i, i) for i in told.get("keep", ())}
        barred = set(told.get("bar", ()))
        n_units = len({group_of.get(i, i) for i in range(len(names)) if i not in barred})
        if isinstance(k, int) and k > n_units:
            of = " and groups" if group_of else ""
            raise ValueError(
                f"-k {k} asks for more than there are to select from: {n_units} features{of}. "
                f"Lower -k."
            )
        if isinstance(k, int) and len(kept) > k:
            raise ValueError(f"--keep names {len(kept)} features, and -k {k} are all. Raise -k.")
        if self.budget is None:
            return
        cost_of: dict[Any, float] = {}
        for i in range(len(names)):
            if i not in barred:
                unit = group_of.get(i, i)
                cost_of[unit] = cost_of.get(unit, 0.0) + told.get("costs", {}).get(i, 1.0)
        needed = sum(cost_of[unit] for unit in kept) if kept else min(cost_of.values())
        if needed > self.budget:
            what = "what --keep names costs" if kept else "the cheapest feature or group costs"
            raise ValueError(
                f"--budget is {self.budget:g}, and {what} {needed:g}. Raise the budget."
            )


def _strangers(path: Path, lists: Iterable[Iterable[str]], place: dict[str, int]) -> list[str]:
    """Say which names of a file are no features of the table; some must be."""
    all_names = [name for ones in lists for name in ones]
    unknown = [name for name in all_names if name not in place]
    if len(unknown) == len(all_names):
        raise ValueError(
            f"{path} names no feature of the table: it has {listed(unknown)}, and the table has "
            f"{listed(place)}. Name features as the table does."
        )
    if not unknown:
        return []
    near = suggestion(unknown[0], place)
    return [f"{path.name} names what is no feature here: {some_of(map(repr, unknown))}.{near}"]


def _read_groups(path: Path, place: dict[str, int]) -> dict[str, list[str]]:
    """Return groups of features: from lines of feature and group, or JSON of lists by group."""
    if path.suffix.lower() == ".json":
        groups = _read_json(path)
        if not all(
            isinstance(ones, list) and all(isinstance(one, str) for one in ones)
            for ones in groups.values()
        ):
            raise ValueError(
                f"{path} must hold a list of features for each group, such as "
                f'{{"vibration": ["x", "y"]}}.'
            )
    else:
        groups = {}
        for feature, group in _read_pairs(path, place, "feature,group"):
            groups.setdefault(group, []).append(feature)
    seen: dict[str, str] = {}
    for title, ones in groups.items():
        for one in ones:
            if one in seen:
                where = f"{seen[one]!r} and {title!r}" if seen[one] != title else f"{title!r} twice"
                raise ValueError(
                    f"{path} has the feature {one!r} in {where}. Name it in one group, once."
                )
            seen[one] = title
    return groups


def _read_costs(path: Path, place: dict[str, int]) -> dict[str, float]:
    """Return what features cost: from lines of feature and cost, or JSON of costs by feature."""
    if path.suffix.lower() == ".json":
        pairs = [(name, str(cost)) for name, cost in _read_json(path).items()]
    else:
        pairs = _read_pairs(path, place, "feature,cost")
    costs: dict[str, float] = {}
    for name, text in pairs:
        try:
            cost = float(text)
        except ValueError:
            cost = math.nan
        if not (math.isfinite(cost) and cost > 0):
            raise ValueError(
                f"{path}: {name!r} costs {text!r}, which is no number above 0. Write numbers such "
                f"as 2.5; what is free may cost 0.001."
            )
        if name in costs:
            raise ValueError(f"{path} has two costs for {name!r}. Keep one line a feature.")
        costs[name] = cost
    return costs


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path} is no JSON from line {error.lineno}, character {error.colno} on. Names and "
            f"texts stand between double quotes, entries between commas."
        ) from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no JSON, which is text in UTF-8.") from error
    if not isinstance(content, dict) or not content:
        raise ValueError(
            f"{path} must hold a JSON object with names, and it holds {content!r:.60}."
        )
    return content


def _read_pairs(path: Path, place: dict[str, int], header: str) -> list[tuple[str, str]]:
    """Return the two columns of a text file; a first line of headings is left out."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except ValueError as error:
        raise ValueError(f"{path} is no text in UTF-8 ({error}). Save it so.") from error
    first = text.split("\n", 1)[0]
    sign = max(",;\t", key=first.count)
    rows = [
        row for row in csv.reader(text.splitlines(), delimiter=sign) if any(map(str.strip, row))
    ]
    pairs = []
    for number, row in enumerate(rows, 1):
        if len(row) != 2 or not all(map(str.strip, row)):
            raise ValueError(
                f"{path} must have two columns, {header}; row {number} is {sign.join(row)!r}."
            )
        pairs.append((row[0] if row[0] in place else row[0].strip(), row[1].strip()))
    if pairs and pairs[0][0] not in place:
        is_named = pairs[0][0].casefold() == header.partition(",")[0]
        if is_named or (header.endswith("cost") and not _is_number(pairs[0][1])):
            del pairs[0]
    if not pairs:
        raise ValueError(f"{path} has no lines. Write {header} in each.")
    return pairs


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
