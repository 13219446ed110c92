"""Parts that the pages have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from entryprune._text import some_of
from entryprune.report._texts import number_text, seconds_text, shorten
from entryprune.report.page._document import Section
from entryprune.report.page._markup import Html, bullets, join, tag
from entryprune.report.page._tables import pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Letters of a note or a setting that are shown, and classes that are named.
_MOST_LETTERS, _MOST_CLASSES = 2000, 30


def notice(texts: Sequence[str]) -> Html:
    """Return a box that cannot be overlooked; nothing if there is nothing to say."""
    said = [shorten(text, _MOST_LETTERS) for text in texts if text]
    return tag("div", bullets(said), class_="notice", role="note") if said else Html()


def data_section(data: Mapping[str, Any], more: Mapping[str, str]) -> Section:
    """Tell what was read and asked for."""
    values = {
        "File": data["file_name"],
        "Cases": f"{data['n_cases']:,}",
        "Features": f"{data['n_features']:,}",
        "Target": data["target"],
        "Kind of target": "classes" if data["task"] == "classification" else "numbers",
    }
    if data["classes"]:
        named = (f"{one['label']} ({one['n_cases']:,})" for one in data["classes"])
        values["Classes (cases)"] = some_of(named, _MOST_CLASSES)
    if data["target_range"]:
        low, high = data["target_range"]
        values["Values of the target"] = f"{number_text(low)} to {number_text(high)}"
    values |= {name: value for name, value in more.items() if value}
    notes = [shorten(note, _MOST_LETTERS) for note in data["notes"]]
    content = [pairs("The data and the question", values)]
    if notes:
        content += [tag("h3", "Notes on the data"), bullets(notes)]
    return Section("data", "What was read and asked", join(content))


def again_section(again: Mapping[str, Any]) -> Section:
    """Tell how to do it again."""
    content = [tag("p", "The command that was run:"), tag("pre", again["command"], tabindex=0)]
    if again["command_again"] != again["command"]:
        content += [
            tag("p", "This one gives the same result:"),
            tag("pre", again["command_again"], tabindex=0),
        ]
    settings = {name: _value(value) for name, value in again["settings"].items()}
    if again["seed"] is not None:
        settings = {"seed (random numbers)": str(again["seed"]), **settings}
    machine = dict(again["machine"])
    if again["n_threads"] is not None:
        machine["threads used (may matter in the last digit)"] = str(again["n_threads"])
    for caption, values in (
        ("Every setting as it was used", settings),
        ("Versions", again["versions"]),
        ("Machine", machine),
    ):
        if values:
            content.append(pairs(caption, values))
    return Section("again", "How to do it again", join(content))


def time_text(seconds: float | None) -> str:
    """Return a time, or nothing if it is not known."""
    return "" if seconds is None else seconds_text(seconds)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else shorten(value, _MOST_LETTERS)
