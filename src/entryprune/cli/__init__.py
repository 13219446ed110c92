"""The command line."""

from entryprune.cli.main import main

__all__ = ["main"]
