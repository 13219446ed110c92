"""Draw the rooms of the package and who imports whom, from the code itself.

    python docs/architecture.py            # writes the picture, and the table in architecture.md
    python docs/architecture.py --check    # says whether they are as the code is
    python docs/architecture.py --count    # modules, lines, and what one `select` touches

Nothing of the package is imported to draw it: syntax trees are enough.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "entryprune"
PICTURE, PAGE = HERE / "architecture.svg", HERE / "architecture.md"
START, END = "<!-- rooms: made by architecture.py -->", "<!-- end of rooms -->"

# Sizes in pixels.
BOX, ROW, GAP, MARGIN = (204, 62), 122, 28, 20


@dataclass
class Room:
    """A folder of the package, or a module beside the folders."""

    name: str
    purpose: str = ""
    n_modules: int = 0
    n_lines: int = 0
    imports: set[str] = field(default_factory=set)

    @property
    def is_leaf(self) -> bool:
        """Whether everyone may import it."""
        return self.name.startswith("_")


def rooms() -> dict[str, Room]:
    """Read the package."""
    found: dict[str, Room] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts == ("__init__",):
            continue
        room = found.setdefault(parts[0], Room(parts[0]))
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        room.n_modules += 1
        room.n_lines += text.count("\n")
        if len(parts) == 1 or parts[1:] == ("__init__",):
            room.purpose = (ast.get_docstring(tree) or "").split("\n")[0]
        room.imports |= {name for name in _imported(tree) if name != parts[0]}
    known = set(found)
    for room in found.values():
        room.imports &= known
    return found


def _imported(tree: ast.Module) -> set[str]:
    """Return the rooms that a module imports, at any depth and also for types only."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            top, *rest = node.module.split(".")
            if top == PACKAGE.name:
                names |= {rest[0]} if rest else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            parts = [alias.name.split(".") for alias in node.names]
            names |= {part[1] for part in parts if part[0] == PACKAGE.name and len(part) > 1}
    return names


def levels(found: dict[str, Room]) -> list[list[Room]]:
    """Return the rooms in rows: each lies just below the lowest of those that import it."""
    importers: dict[str, list[str]] = {name: [] for name in found}
    for room in found.values():
        for other in room.imports:
            importers[other].append(room.name)
    depth: dict[str, int] = {}

    def of(name: str, below: tuple[str, ...] = ()) -> int:
        if name in below:
            raise SystemExit(f"Rooms import each other in a circle: {' -> '.join((name, *below))}")
        if name not in depth:
            above = [of(other, (name, *below)) for other in importers[name]]
            depth[name] = 1 + max(above, default=-1)
        return depth[name]

    rows = defaultdict(list)
    for name, room in found.items():
        if not room.is_leaf:
            rows[of(name)].append(room)
    return [rows[level] for level in sorted(rows)]


def picture(found: dict[str, Room]) -> str:
    """Return the rooms and their imports as SVG."""
    rows = levels(found)
    leaves = [room for room in found.values() if room.is_leaf]
    widest = max(len(row) for row in rows)
    width = 2 * MARGIN + widest * BOX[0] + (widest - 1) * GAP
    height = 2 * MARGIN + len(rows) * ROW + BOX[1]
    places: dict[str, tuple[float, float]] = {}
    for y, row in enumerate(rows):
        left = (width - len(row) * BOX[0] - (len(row) - 1) * GAP) / 2
        for x, room in enumerate(row):
            places[room.name] = (left + x * (BOX[0] + GAP), MARGIN + y * ROW)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" role="img" '
        f'aria-label="The rooms of the package and which imports which">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for name, place in places.items():
        parts += [_arrow(place, places[other]) for other in _nearest(name, found)]
    for name, place in places.items():
        parts.append(_box(found[name], place, "#eef3fb"))
    names = ", ".join(room.name for room in leaves)
    middle = height - MARGIN - BOX[1] / 2
    parts.append(
        f'<text x="{width / 2}" y="{middle}" text-anchor="middle" font-size="13" fill="#333">'
        f"Everyone may import the leaves: {escape(names)}</text>"
    )
    return "\n".join([*parts, "</svg>\n"])


def _nearest(name: str, found: dict[str, Room]) -> list[str]:
    """Return what a room imports, without what those import themselves: arrows would hide boxes."""
    mine = {other for other in found[name].imports if not found[other].is_leaf}
    return sorted(mine - {far for other in mine for far in _reached(other, found)})


def _reached(name: str, found: dict[str, Room]) -> set[str]:
    near = found[name].imports
    return near.union(*(_reached(other, found) for other in near))


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    x1, y1 = start[0] + BOX[0] / 2, start[1] + BOX[1]
    x2, y2 = end[0] + BOX[0] / 2, end[1]
    bend = (y2 - y1) / 2
    return (
        f'<path d="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}" '
        f'fill="none" stroke="#777" marker-end="url(#tip)"/>'
    )


def _box(room: Room, place: tuple[float, float], colour: str) -> str:
    x, y = place
    plural = "" if room.n_modules == 1 else "s"
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="6" fill="{colour}" '
        f'stroke="#345"/>'
        f'<text x="{x + BOX[0] / 2:g}" y="{y + 27:g}" text-anchor="middle" font-size="16" '
        f'font-weight="bold">{escape(room.name)}</text>'
        f'<text x="{x + BOX[0] / 2:g}" y="{y + 47:g}" text-anchor="middle" font-size="12" '
        f'fill="#444">{room.n_modules} module{plural}</text>'
    )


def table(found: dict[str, Room]) -> str:
    """Return the rooms as a table, the outermost first."""
    ordered = [room for row in levels(found) for room in row]
    ordered += [room for room in found.values() if room.is_leaf]
    lines = ["| room | what it is | modules | imports |", "| --- | --- | --- | --- |"]
    for room in ordered:
        imports = ", ".join(f"`{name}`" for name in sorted(room.imports)) or "nothing of ours"
        lines.append(f"| `{room.name}` | {room.purpose} | {room.n_modules} | {imports} |")
    return "\n".join(lines)


def page(found: dict[str, Room]) -> str:
    """Return the page with its table as the code is."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{table(found)}\n\n{END}{after}"


# Run in a process of its own: what is imported and opened between here and there.
_TOUCHED = """
import sys, builtins, io, os
table, page = sys.argv[1:]
opened = 0
def watch(event, arguments):
    global opened
    opened += event == "open" and str(arguments[0]) == table
sys.addaudithook(watch)
sys.argv = ["entryprune", "select", table, "--target", "y", "-k", "2", "--report", page,
            "--repeats", "0"]
from entryprune.cli.main import app
try:
    app(standalone_mode=False)
finally:
    modules = [name for name in sys.modules if name.split(".")[0] == "entryprune"]
    print("touched", len(modules), opened)
"""


def _kinds(path: Path) -> Counter[str]:
    """Return how many lines of a module are what."""
    text = path.read_text(encoding="utf-8")
    signs = {"": "blank", "#": "comments"}
    kinds = [signs.get(line.strip()[:1], "code") for line in text.splitlines()]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kinds[node.lineno - 1 : node.end_lineno] = ["imports"] * _height(node)
        is_documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if is_documented and ast.get_docstring(node):
            first = node.body[0]
            kinds[first.lineno - 1 : first.end_lineno] = ["docstrings"] * _height(first)
    return Counter(kinds)


def _height(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def count() -> None:
    """Print how large the package is, and what one selection with its page touches."""
    found = rooms()
    total = Counter(modules=1, lines=len((PACKAGE / "__init__.py").read_text().splitlines()))
    for room in sorted(found.values(), key=lambda room: -room.n_lines):
        total.update(modules=room.n_modules, lines=room.n_lines)
        print(f"{room.name:12s} {room.n_modules:4d} modules {room.n_lines:7,d} lines")
    print(f"{'all':12s} {total['modules']:4d} modules {total['lines']:7,d} lines")
    kinds = sum((_kinds(path) for path in PACKAGE.rglob("*.py")), Counter())
    print("of these", ", ".join(f"{n:,} {kind}" for kind, n in kinds.most_common()))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "small.csv")
        rows = [f"{i % 7},{i % 5},{i % 3},{'ab'[i % 2]}" for i in range(30)]
        path.write_text("\n".join(["u,v,w,y", *rows, ""]), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-c", _TOUCHED, str(path), str(Path(folder, "page.html"))],
            capture_output=True,
            text=True,
            check=True,
        )
    touched = next(line for line in done.stdout.splitlines() if line.startswith("touched"))
    _, n_modules, n_opened = touched.split()
    print(f"select with a page: imports {n_modules} modules, opens its CSV {n_opened} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--count", action="store_true")
    options = parser.parse_args()
    if options.count:
        count()
        return
    found = rooms()
    wanted = {PICTURE: picture(found), PAGE: page(found)}
    for path, text in wanted.items():
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                raise SystemExit(f"{path.name} is not as the code is: python docs/architecture.py")
        else:
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
