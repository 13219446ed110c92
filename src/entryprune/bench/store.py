"""What came of cases, and the file that keeps it, which a killed run cannot spoil."""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from entryprune._files import held
from entryprune._text import json_text
from entryprune.bench.cases import Case

if TYPE_CHECKING:
    from entryprune.bench.predictions import Prediction


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
