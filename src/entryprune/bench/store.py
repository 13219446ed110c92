"""Cases to run, what came of them, and the file that keeps it, which a killed run cannot spoil."""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import held
from entryprune._text import json_text
from entryprune.methods import get_method

if TYPE_CHECKING:
    from entryprune.bench.predictions import Prediction

# Stands for no selection at all: every feature goes to the learners.
ALL_FEATURES = "all"

PROTOCOLS = {
    "paper": "fixed split (80/20 with seed 42, or the official one), scaling fitted on training "
    "and test cases together: a leak, kept only to compare with published figures",
    "clean": "a new stratified 80/20 split for each seed, scaling fitted on the training cases",
    "cv": "five-fold cross-validation, shuffled anew after every five seeds, scaling fitted on the "
    "training cases",
    "truth": "for data sets whose relevant columns are known: six folds, not shuffled, the columns "
    "in another order in each; after every six seeds the data are made anew; not scaled, for each "
    "selector does that itself",
}
# Seeds 0 to 4 are the folds of the first repetition of cross-validation, 5 to 9 of the second.
N_FOLDS = 5
# As published with the tests that the protocol "truth" is for.
TRUTH, N_TRUTH_FOLDS = "truth", 6

# For a table of the user's own: the folds of "cv", but a selector gets the columns as they are, so
# that its own settings decide whether and how they are scaled. The learners get them scaled.
UNSCALED_FOLDS = "cv, unscaled"

SELECTION = "selection"
REGROWTH_TOY = "regrowth-toy"


@dataclass(frozen=True)
class Case:
    """One selection to make and to score."""

    dataset: str  # a name that `load_dataset` knows, or a path
    method: str  # a name of the registry, or "all" for no selection
    k: int  # 0 for all features
    # Of the selection and the learners; except in the paper's protocol it decides the split, too.
    seed: int
    protocol: str = "paper"
    # Parameters of the selector that differ from the registry's.
    settings: Mapping[str, Any] = field(default_factory=dict)
    kind: str = SELECTION

    @property
    def key(self) -> str:
        """A line that is the same for the same case and for no other."""
        parts = [self.dataset, self.method, f"k={self.k}", f"seed={self.seed}", self.protocol]
        if self.settings:
            parts.append(json.dumps(self.settings, sort_keys=True))
        if self.kind != SELECTION:
            parts.append(self.kind)
        return " ".join(parts)


def grid(
    datasets: Iterable[str],
    methods: Iterable[str],
    ks: Iterable[int],
    seeds: Iterable[int],
    *,
    protocol: str = "paper",
    settings: Mapping[str, Any] | None = None,
) -> list[Case]:
    """Return a case for every combination that can differ from the others.

    A method without randomness runs once in the paper's protocol, where the split is fixed.
    """
    seeds = list(seeds)
    return [
        Case(dataset, method, k, seed, protocol, dict(settings or {}))
        for seed, dataset, method, k in product(seeds, list(datasets), list(methods), list(ks))
        if seed == seeds[0] or protocol != "paper" or get_method(method).is_random
    ]


def all_features(datasets: Iterable[str], *, protocol: str = "paper") -> list[Case]:
    """Return a case for each data set that selects nothing, to compare with."""
    return [Case(dataset, ALL_FEATURES, 0, 0, protocol) for dataset in datasets]


# -- what came of one ------------------------------------------------------------------------------

DONE, REFUSED, FAILED, OVERDUE = "done", "refused", "failed", "overdue"


@dataclass(frozen=True)
class Record:
    """One line of the store."""

    case: Case
    status: str  # "done", "refused", "failed" or "overdue"
    reason: str = ""  # why there is no selection
    seconds: float | None = None  # of the selection alone
    is_alone: bool = False  # no other case ran beside it; only then its time counts
    n_threads: int = 1
    load: float = 0.0  # of the machine, over the minute before
    selected: Sequence[int] = ()  # columns, best first
    # By learner: percent of test cases that it got right; of variance, for quantities.
    accuracies: Mapping[str, float] = field(default_factory=dict)
    # By learner: what each measure is. Of tables of the user's own only.
    metrics: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    # "epochs", "rotations", "own_accuracy" (of the selector's own network), "recall" (share of
    # the columns that are known to matter that was selected).
    measures: Mapping[str, float] = field(default_factory=dict)
    # What a selector reports by rotation: numbers, and the name of the phase.
    curves: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    # "n_features", "n_train", "n_test".
    shape: Mapping[str, int] = field(default_factory=dict)
    title: str = ""  # what tables call the data set
    subset: str = ""  # what part of the data set was used; empty if all of it
    # Every parameter of the selector.
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, Any] = field(default_factory=dict)
    started: str = ""  # when, in UTC
    # By learner: what it says of each test sample. Only where that is asked for, and never stored.
    predictions: Mapping[str, Prediction] = field(default_factory=dict, repr=False)

    @property
    def is_done(self) -> bool:
        """Whether there is a selection."""
        return self.status == DONE

    def to_json(self) -> dict[str, Any]:
        """Return plain data, without what is empty."""
        plain = asdict(replace(self, predictions={}))
        plain["case"] = _without_empty(plain["case"], keep=("k", "seed"))
        return _without_empty(plain, keep=("case", "status"))

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Record:
        """Return the record that `to_json` was called on; JSON has null for what is no number."""
        curves = {
            name: [math.nan if value is None else value for value in values]
            for name, values in plain.get("curves", {}).items()
        }
        return cls(**{**plain, "case": Case(**plain["case"]), "curves": curves})


def _without_empty(mapping: dict[str, Any], keep: tuple[str, ...]) -> dict[str, Any]:
    return {
        name: value
        for name, value in mapping.items()
        if name in keep or not (value is None or value is False or value in ("", [], {}, ()))
    }


# -- the file --------------------------------------------------------------------------------------


class StoreError(ValueError):
    """A file is not a store of results, or cannot be written."""


class Store:
    """Records as lines of JSON, the latest of a case counts.

    Each record is written with one call to the system and forced to the disk, so that what was
    reported as finished is there whatever happens next. A last line that a crash cut short is
    passed over.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[str, Record]:
        """Return the latest record of each case by the case's key, in the order of the file."""
        if not self.path.exists():
            return {}
        lines = self._content().split(b"\n")
        # Without a closing newline the last line was cut short.
        complete = lines[:-1]
        records: dict[str, Record] = {}
        for number, line in enumerate(complete, 1):
            try:
                record = Record.from_json(json.loads(line))
            except (ValueError, TypeError, KeyError) as error:
                if _was_cut_short(line):
                    continue
                raise StoreError(
                    f"Line {number} of {self.path} is not a result of this benchmark ({error}). "
                    f"Name another file with --store, or move this one away."
                ) from error
            records[record.case.key] = record
        return records

    def _content(self) -> bytes:
        if not self._is_packed:
            return self.path.read_bytes()
        try:
            return gzip.decompress(self.path.read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise StoreError(
                f"{self.path} cannot be unpacked ({error}). Name another file with --store."
            ) from error

    @property
    def _is_packed(self) -> bool:
        return self.path.suffix == ".gz"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other runs from the store: they would repeat the same cases, and no time counts."""
        self._refuse_packed()
        with ExitStack() as stack:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(held(self.path))
            except BlockingIOError as error:
                raise StoreError(
                    f"Another run is writing to {self.path}. Wait until it has ended, or name "
                    f"another file with --store."
                ) from error
            except OSError as error:
                raise self._unwritable(error) from error
            yield

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"The results cannot be written to {self.path}: {error.strerror}. Name another file "
            f"with --store."
        )

    def _refuse_packed(self) -> None:
        if self._is_packed:
            raise StoreError(
                f"{self.path} is packed, and can be read only. To go on with it, unpack it with "
                f"'gunzip {self.path}' and name {self.path.with_suffix('')} with --store."
            )

    def append(self, record: Record) -> None:
        """Write a record at the end."""
        self._refuse_packed()
        line = json_text(record.to_json(), separators=(",", ":")).encode()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab+") as file:
                rest = self._mended_end() + line + b"\n"
                while rest:  # a disk that fills up takes a part, and refuses only the next
                    rest = rest[os.write(file.fileno(), rest) :]
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unwritable(error) from error

    def _mended_end(self) -> bytes:
        """Return a newline if the last line was cut short, so that it stays a line of its own."""
        with self.path.open("rb") as file:
            if file.seek(0, os.SEEK_END) == 0:
                return b""
            file.seek(-1, os.SEEK_END)
            return b"" if file.read(1) == b"\n" else b"\n"


class MemoryStore:
    """Records of a run that is done at once, and not kept on disk."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    def read(self) -> dict[str, Record]:
        """Return the latest record of each case by the case's key."""
        return dict(self._records)

    def append(self, record: Record) -> None:
        """Keep a record."""
        self._records[record.case.key] = record


def _was_cut_short(line: bytes) -> bool:
    """Whether a line begins like a record; what a crash left of one does."""
    return line.startswith(b'{"case":') and not line.endswith(b"}")
