"""How a method says that it cannot do what it is asked."""

from __future__ import annotations

from collections.abc import Sequence

from entryprune.engine.errors import EntryPruneError


class RefusalError(EntryPruneError):
    """A method cannot do this task; a benchmark records the reason and goes on.

    Parameters
    ----------
    method : str
        The selector that refuses.
    reason : {"task", "too_few", "package", "data"}
        In one word: it cannot do this kind of task, it finds fewer features than asked for, the
        package behind it is not installed, or it cannot work with data of this kind.
    message : str
        What was got, what is allowed and what to do.
    found : sequence of int
        The features that it found, the best first, where they are too few.

    Examples
    --------
    >>> try:
    ...     raise RefusalError("Fisher score", "task", "It needs classes.")
    ... except ValueError as refusal:
    ...     print(refusal.reason, "|", refusal)
    task | Fisher score: It needs classes.
    """

    def __init__(self, method: str, reason: str, message: str, found: Sequence[int] = ()) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.reason = reason
        self.message = message
        self.found = tuple(found)

    def __reduce__(self) -> tuple[object, ...]:
        # An exception that came from another process is built anew from its parts.
        return type(self), (self.method, self.reason, self.message, self.found)
