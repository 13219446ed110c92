"""Where commands write, and what they say on the way."""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from entryprune._text import printable

if TYPE_CHECKING:
    from entryprune.cli._inputs import Question
    from entryprune.report.comparison import ComparisonReport
    from entryprune.reporting import Report

R = TypeVar("R", "Report", "ComparisonReport")

# What --output may end in.
ANSWERS = (".csv", ".tsv", ".json")


def check_places(places: Mapping[str, Path | None], inputs: Iterable[Path | None]) -> None:
    """Make sure that all files can be written before hours are spent on what goes into them."""
    wanted = {option: path for option, path in places.items() if path is not None}
    for option, path in wanted.items():
        folder = path.parent
        if not folder.is_dir():
            raise ValueError(f"{option} {path}: there is no folder {folder}. Make it first.")
        if path.is_dir():
            raise ValueError(f"{option} {path} is a folder. Name a file.")
        for given in inputs:
            if given is not None and given.exists() and path.exists() and path.samefile(given):
                raise ValueError(
                    f"{option} {path} is what is to be read, which is never overwritten. Name "
                    f"another file."
                )
        _try_to_write(option, path)
    resolved = [path.resolve() for path in wanted.values()]
    if len(set(resolved)) < len(resolved):
        raise ValueError(
            f"{' and '.join(wanted)} must be different files; two of them are the same."
        )


def _try_to_write(option: str, path: Path) -> None:
    import tempfile

    # Permissions do not tell all: the place may be read-only, or no place for files.
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(13, "it may not be changed")
    except OSError as error:
        raise ValueError(
            f"{option} {path} cannot be written: {error.strerror or error}. Name another place."
        ) from error


def check_suffix(option: str, path: Path | None, allowed: tuple[str, ...]) -> None:
    """Make sure that a file's name says what it will hold."""
    if path is not None and path.suffix.lower() not in allowed:
        raise ValueError(f"{option} {path} must end in {' or '.join(allowed)}.")


def write_answer(report: Report | ComparisonReport, path: Path) -> None:
    """Write a report's table or, as JSON, all that it tells, as the file's name says."""
    from entryprune._files import write_text

    made = {".csv": report.to_csv, ".tsv": report.to_tsv, ".json": report.to_json}
    write_text(path, made[path.suffix.lower()]())


def of_file(report: R, question: Question, **provenance: Any) -> R:
    """Return a report that names the file that was read, how it was read, and the command."""
    return replace(
        report,
        data=replace(
            report.data,
            file_name=question.table.path.name,
            # What was left out and guessed, too: a page is read long after the screen is gone.
            notes=question.facts,
            place=question.place,
        ),
        provenance=replace(report.provenance, command=command(), **provenance),
    )


class _Pipe(io.FileIO):
    """A pipe that may be written to when nobody reads it any more."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except BrokenPipeError:
            return memoryview(content).nbytes


def outlive_listeners() -> None:
    """Let the command go on when whoever reads what it says has had enough, as `head` has.

    It has files to write, and nobody is left to be told of an error.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        # A terminal has no reader that could leave, and a program that calls this keeps its own.
        if stream is not None and stream is getattr(sys, f"__{name}__") and not stream.isatty():
            setattr(sys, name, _unbroken(stream))


def _unbroken(stream: io.TextIOWrapper) -> TextIO:
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or stream.write_through,
    )


def tell(lines: Iterable[str]) -> None:
    """Show lines on the error stream, so that the output stays the answer alone."""
    for line in lines:
        print(printable(line), file=sys.stderr)


def command() -> str:
    """Return the command line as it was typed."""
    return shlex.join(["entryprune", *sys.argv[1:]])
