"""The names of the room are there when they are asked for."""

import pytest

from entryprune import encoding


def test_all_names_are_there():
    assert dir(encoding) == encoding.__all__
    assert all(getattr(encoding, name).__name__ == name for name in encoding.__all__)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match=r"'entryprune.encoding' has no attribute 'Decoder'"):
        encoding.Decoder  # noqa: B018
