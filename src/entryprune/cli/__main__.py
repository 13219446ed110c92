"""So that `python -m entryprune.cli` works where the command is not on the path."""

from entryprune.cli.main import main

main()
