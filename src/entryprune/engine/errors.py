"""Errors that a caller can act on."""


class EntryPruneError(ValueError):
    """Base of the package's own errors; a ``ValueError``, so that scikit-learn callers catch it."""


class DivergedError(EntryPruneError):
    """The training produced values that are not finite, so no selection can be trusted.

    Parameters
    ----------
    what : str
        The values, in words.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The training diverged: {what} are not finite. Lower learning_rate_init, or scale "
            f"the data (scale='minmax' or 'standard')."
        )


class BodyError(EntryPruneError):
    """A user's own body or loss does not fit the network."""
