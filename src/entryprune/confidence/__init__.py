"""How sure: over many half samples, against columns of noise, and how many columns to take."""

from entryprune.confidence.agreement import Agreement
from entryprune.confidence.findings import Group
from entryprune.confidence.stability import StabilitySelector

__all__ = ["Agreement", "Group", "StabilitySelector"]
