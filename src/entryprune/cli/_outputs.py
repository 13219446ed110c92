"""What `entryprune select` writes and shows."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from entryprune._text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from entryprune.cli._answer import Answer
    from entryprune.cli._reading import Question
    from entryprune.data import TableRequest

_MOST_SHOWN = 20


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


def parse_shape(text: str | None) -> tuple[int, int] | None:
    """Return the height and width of images.

    Examples
    --------
    >>> parse_shape("28x28")
    (28, 28)
    """
    if text is None:
        return None
    height, _, width = text.lower().partition("x")
    if not (height.isdigit() and width.isdigit()):
        raise ValueError(f"--image takes height and width in pixels, such as 28x28; got {text!r}.")
    return int(height), int(width)


def check_image(shape: tuple[int, int] | None, question: Question) -> None:
    """Make sure that the features can be the pixels of an image."""
    n_features = len(question.table.feature_names)
    if shape is not None and shape[0] * shape[1] != n_features:
        raise ValueError(
            f"--image {shape[0]}x{shape[1]} has {shape[0] * shape[1]} pixels, but there are "
            f"{n_features} features."
        )


def tell(lines: Iterable[str]) -> None:
    """Show lines on the error stream, so that the output stays the answer alone."""
    for line in lines:
        print(printable(line), file=sys.stderr)


def write_features(answer: Answer, path: Path) -> None:
    """Write the ranked features as CSV or, with everything that was asked, as JSON."""
    from entryprune._files import write_text
    from entryprune.report._spreadsheet import defused
    from entryprune.report.table import Table, to_csv

    if path.suffix.lower() == ".json":
        write_text(path, json.dumps(answer.to_json(), indent=1, ensure_ascii=False) + "\n")
        return
    rows = tuple(tuple(row.values()) for row in answer.features())
    table = Table("features", ("rank", "feature", "column", "score"), rows)
    write_text(path, to_csv(defused(table)))


def write_reduced(request: TableRequest, question: Question, answer: Answer, path: Path) -> None:
    """Write the table with only the selected columns."""
    from entryprune.data import write_columns

    chosen = set(answer.names)
    in_order = [name for name in question.table.feature_names if name in chosen]
    write_columns(request, in_order, path)


def write_model(answer: Answer, path: Path) -> None:
    """Write the fitted selector, with the names of its features."""
    from entryprune import save

    save(answer.selector, path)


def show(answer: Answer, *, as_json: bool) -> None:
    """Show what was selected."""
    if as_json:
        print(json.dumps(answer.to_json(), ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table as Shown
    from rich.text import Text

    if answer.is_interrupted:
        tell(["Interrupted: this is what was known by then, and it may not have settled."])
    shown = Shown("rank", "feature", "column", answer.score_name)
    rows = answer.features()
    for row in rows[:_MOST_SHOWN]:
        # Names come from strangers' files: as text, not as rich's markup.
        score = _short(row["score"])
        shown.add_row(str(row["rank"]), Text(printable(row["feature"])), str(row["column"]), score)
    console = Console()
    console.print(shown)
    if len(rows) > _MOST_SHOWN:
        console.print(f"and {len(rows) - _MOST_SHOWN} more; --output writes all.")
    if answer.is_by_evidence:
        console.print(f"What it brings: {answer.score_unit} that would be lost without it.")
    _show_runners_up(answer, console)
    _show_pairs(answer, console)


def _show_runners_up(answer: Answer, console: Console) -> None:
    from rich.text import Text

    rows = answer.runners_up()
    if not rows:
        return
    scores = [f" ({_short(row['score'])})" if row["score"] is not None else "" for row in rows]
    named = [f"{row['feature']}{score}" for row, score in zip(rows, scores, strict=True)]
    how = ", with what each would bring" if answer.is_by_evidence else ""
    console.print(Text(printable(f"Next, not selected{how}: {', '.join(named)}")), soft_wrap=True)


def _show_pairs(answer: Answer, console: Console) -> None:
    from rich.table import Table as Shown
    from rich.text import Text

    from entryprune.report._pairs import pairs_text
    from entryprune.report._texts import probability_text

    rows = answer.pairs()
    if rows:
        which = "These two matter" if len(rows) == 1 else "The two in each row matter"
        console.print(f"\n{which} only together:")
        shown = Shown("feature", "and", "strength (SD)", "p, corrected")
        for row in rows[:_MOST_SHOWN]:
            names = [Text(printable(name)) for name in row["names"]]
            shown.add_row(*names, _short(row["strength"]), probability_text(row["p_value"]))
        console.print(shown)
    if len(rows) > _MOST_SHOWN:
        console.print(f"and {len(rows) - _MOST_SHOWN} more; --output FILE.json writes all.")
    said = pairs_text(
        answer.pairs_searched,
        n_found=len(rows),
        n_selected=len(answer.names),
        is_interrupted=answer.is_interrupted,
    )
    if said:
        console.print(said, soft_wrap=True)


def _short(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"
