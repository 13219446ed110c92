"""Errors that a caller can act on."""


class EntryPruneError(ValueError):
    """Base of the package's own errors; a ``ValueError``, so that scikit-learn callers catch it."""


class DivergedError(EntryPruneError):
    """The training produced values that are not finite, so no selection can be trusted."""


class BodyError(EntryPruneError):
    """A user's own body or loss does not fit the network."""
