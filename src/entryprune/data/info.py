"""What is known of a data set before it is loaded, and the error if it cannot be."""

from __future__ import annotations

from dataclasses import dataclass

SCALES = ("minmax", "standard")
CLASSIFICATION, REGRESSION = "classification", "regression"


class DatasetError(ValueError):
    """A data set is unknown, not there, damaged, or not what the catalogue expects.

    Examples
    --------
    >>> try:
    ...     raise DatasetError("There is no data set 'mnits'. Did you mean 'mnist'?")
    ... except ValueError as error:
    ...     print(error)
    There is no data set 'mnits'. Did you mean 'mnist'?
    """


@dataclass(frozen=True)
class Source:
    """A file on the net that a data set is made from.

    Attributes
    ----------
    url : str
        Its address.
    checksum : str or None
        "sha256:..." or "md5:..."; None where nobody has published one.
    published : str
        Who published the checksum.
    mirrors : tuple of str
        Further addresses, tried in turn if the first does not answer. A mirror of a file with a
        checksum has the same bytes.

    Examples
    --------
    >>> Source("https://example.org/files/digits.mat").file_name
    'digits.mat'
    """

    url: str
    checksum: str | None = None
    published: str = ""
    mirrors: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """What the file is called."""
        return self.url.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class DatasetInfo:
    """One entry of the catalogue.

    Attributes
    ----------
    name : str
        What the benchmark and the command line call it.
    title : str
        What tables call it.
    domain : str
        Where the data are from.
    n_train : int
        Number of training samples; of all samples if there is no official test part.
    n_test : int or None
        Number of samples of the official test part.
    n_features, n_classes : int
        Its size.
    scale : {"minmax", "standard"}
        How the paper scales it.
    licence : str
        What its owners allow, or that they do not say.
    reference : str
        What to cite.
    sources : tuple of Source
        The files that it is made from.
    fingerprint : str or None
        Of the content, as `entryprune.data.fingerprint` makes it; None where it was never measured.
    image_shape : tuple of int or None
        How the features of a sample are laid out, channels first.
    is_papers : bool
        Whether it is one of the 13 sets of the paper.
    is_embedded : bool
        Whether it comes with scikit-learn.
    file_format : str
        How the sources are read; empty if they cannot be.
    subset : str
        What part of a data set it is; empty for all of it.
    n_relevant : int or None
        How many features are known to matter; None where nobody knows.

    Examples
    --------
    >>> info = DatasetInfo("tiny", "Tiny", "toy", n_train=8, n_test=2, n_features=9, n_classes=2)
    >>> info.n_cases, info.is_long
    (10, True)
    """

    name: str
    title: str
    domain: str
    n_train: int
    n_test: int | None
    n_features: int
    n_classes: int
    scale: str = "minmax"
    licence: str = ""
    reference: str = ""
    sources: tuple[Source, ...] = ()
    fingerprint: str | None = None
    image_shape: tuple[int, ...] | None = None
    is_papers: bool = False
    is_embedded: bool = False
    file_format: str = ""
    subset: str = ""
    n_relevant: int | None = None

    @property
    def n_cases(self) -> int:
        """Number of all samples, training and test together."""
        return self.n_train + (self.n_test or 0)

    @property
    def split(self) -> str:
        """The official split, or how the paper splits it."""
        return "80/20, seed 42" if self.n_test is None else "official"

    @property
    def is_long(self) -> bool:
        """Whether there are more samples than features."""
        return self.n_cases > self.n_features
