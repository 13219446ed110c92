"""The error that a caller can act on."""


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
