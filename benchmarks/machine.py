"""What machine a benchmark runs on, and whether it is quiet enough to believe its times."""

from __future__ import annotations

import os
import platform

from rich.console import Console


def announce(console: Console, *details: str) -> None:
    """Print the machine, what else matters of it, and how busy it has been."""
    load = os.getloadavg()[0]
    console.print(", ".join([platform.machine(), *details, f"load before the run {load:.2f}"]))
    if load > 0.5:
        console.print("[bold]The machine is busy: don't believe these times.[/bold]")
