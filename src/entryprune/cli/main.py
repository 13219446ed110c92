"""The command `entryprune` and its subcommands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from entryprune import __version__
from entryprune.cli import bench
from entryprune.cli._messages import explained, telling_interrupts
from entryprune.cli._outputs import outlive_listeners
from entryprune.cli.apply import apply
from entryprune.cli.compare import compare
from entryprune.cli.demo import demo
from entryprune.cli.select import select

app = typer.Typer(
    help="Find the few columns that matter: feature selection with neural networks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Boxes around the help would take as long to load as all the rest.
    rich_markup_mode=None,
)
for command in (select, apply, compare, demo):
    app.command()(telling_interrupts(command))
app.add_typer(bench.app, name="bench")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line; an error is one line that says what to do, and exit code 2."""
    outlive_listeners()
    with explained():
        app()
    sys.exit(0)
