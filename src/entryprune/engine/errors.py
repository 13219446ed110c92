"""Errors that a caller can act on."""


class EntryPruneError(ValueError):
    """Base of the package's own errors; a ``ValueError``, so that scikit-learn callers catch it."""


class DivergedError(EntryPruneError):
    """The training produced values that are not finite, so no selection can be trusted."""

    # What to do. Whoever knows the caller's own words for it may put them here.
    remedy = "Lower the learning rate, or scale the data."

    def __init__(self, what: str) -> None:
        super().__init__(what)

    def __str__(self) -> str:
        return f"The training diverged: {self.args[0]} are not finite. {self.remedy}"


class TooLargeError(EntryPruneError):
    """The data have values that the network cannot compute with."""

    remedy = "Scale the data."

    def __init__(self) -> None:
        super().__init__()

    def __str__(self) -> str:
        return (
            "The data have values beyond single precision (about 3e38), which the network "
            f"computes in. {self.remedy}"
        )


class BodyError(EntryPruneError):
    """A user's own body or loss does not fit the network."""
