"""The file behind `save` and `load`: arrays, and a description that is checked before it is used.

A safetensors file has a JSON header, and behind it the values of all arrays. Our description is
JSON too, in the header under the key "entryprune". Nothing in either can name code to run.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as read_safetensors
from safetensors.numpy import save as make_safetensors

from entryprune.engine.errors import EntryPruneError

Arrays = dict[str, NDArray[Any]]

FORMAT, VERSION, _KEY = "entryprune selector", 1, "entryprune"
_GIVE = "Give a file that entryprune.save or 'entryprune select --model' wrote."
# The same limit as in the safetensors library, which refuses to read longer headers.
_MAX_HEADER = 100_000_000
# Characters of texts that have one width (64 MiB); those of feature names have their own.
_MAX_CHARACTERS = 2**24
_NUMBERS = {np.dtype(order + kind).str for kind in "?bhiqBHIQefd" for order in "<>"}


class SaveError(EntryPruneError):
    """A selector cannot be saved, or not there."""


class LoadError(EntryPruneError):
    """A file is not there, is damaged, or is not a saved selector that can be used here."""


def shown(value: object) -> str:
    """Return something from a file as it may stand in a message: short and on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


# -- the file -----------------------------------------------------------------------------------


def pack(description: dict[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of a file; the same ones for the same content."""
    # The library takes the memory as it lies there, which must therefore be in order.
    ordered = {
        name: np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")
        for name, array in arrays.items()
    }
    signed = {**description, "sha256": _digest(description, ordered)}
    # One key only: the library puts several in any order.
    content = make_safetensors(ordered, {_KEY: _canonical(signed)})
    if int.from_bytes(content[:8], "little") > _MAX_HEADER:
        raise SaveError(
            f"its names and settings take more than the {_MAX_HEADER:,} bytes that a header may "
            f"have. Give the features shorter names."
        )
    return content


def _digest(description: dict[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(_canonical(description).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name} {array.dtype.name} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _canonical(description: dict[str, Any]) -> str:
    """Return JSON that depends on the content only, in ASCII."""
    return json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False)


def read(path: Path) -> bytes:
    """Return the bytes of a file, if it is one."""
    try:
        # A pipe or a device may never end.
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "a pipe or a device"
            raise LoadError(f"it is {what}. {_GIVE}")
        return path.read_bytes()
    except FileNotFoundError:
        raise LoadError("there is no such file. Check the path.") from None
    except MemoryError as error:
        raise LoadError(f"its {path.stat().st_size:,} bytes do not fit into memory.") from error
    except OSError as error:
        raise LoadError(f"it cannot be read ({error.strerror or error}).") from error


def unpack(content: bytes) -> tuple[dict[str, Any], Arrays]:
    """Return description and arrays as they were packed; of the former little is checked here."""
    start = 8 + int.from_bytes(content[:8], "little")
    _check_beginning(content, start - 8)
    _check_length(content, start)
    try:
        header = json.loads(content[8:start])
        text = header["__metadata__"][_KEY]
        description = json.loads(text)
        if description["format"] != FORMAT:
            raise KeyError(FORMAT)
    except (LookupError, TypeError) as error:
        raise LoadError(f"it is a safetensors file, but not a selector. {_GIVE}") from error
    except (ValueError, RecursionError) as error:
        raise LoadError(
            f"its header is not valid JSON ({shown(str(error))}). Get it anew."
        ) from error
    _check_version(description)
    arrays = _read_arrays(content, start, header)
    try:
        checksum = description.pop("sha256", None)
        is_whole = checksum == _digest(description, arrays)
        # Numbers that are not finite and keys that stand there twice would not come out the same.
        is_whole &= text == _canonical({**description, "sha256": checksum})
    except ValueError:
        is_whole = False
    if not is_whole:
        raise LoadError(
            "it was changed or damaged after it was saved (its checksum does not match). Get the "
            "file anew, or save the selector again."
        )
    return description, arrays


def _check_beginning(content: bytes, n_header: int) -> None:
    if len(content) < 9 or content[8:9] != b"{" or n_header > _MAX_HEADER:
        if content[:4] == b"PK\x03\x04" or re.match(rb"\x80[\x02-\x05]", content):
            raise LoadError(
                "it looks like a pickle or a file of torch.save, which is never opened because "
                "it can run any code. Save the selector with entryprune.save."
            )
        # Of anything else the number would tell nothing.
        is_like_one = content[8:9] == b"{"
        detail = f", its header would have {n_header:,} bytes" if is_like_one else ""
        raise LoadError(f"it is not a safetensors file ({len(content):,} bytes{detail}). {_GIVE}")


def _check_length(content: bytes, n_expected: int) -> None:
    if len(content) < n_expected:
        raise LoadError(
            f"it was cut short: {len(content):,} of at least {n_expected:,} bytes are there. Copy "
            f"or download it again."
        )


def _check_version(description: dict[str, Any]) -> None:
    found = description.get("version")
    if type(found) is not int or found < 1:
        raise LoadError(f"its format has no valid version (got {shown(found)}).")
    if found > VERSION:
        raise LoadError(
            f"it was written by {writer(description)} in version {found} of the format, and this "
            f"entryprune reads up to version {VERSION}. Upgrade with: pip install -U entryprune"
        )


def writer(description: dict[str, Any]) -> str:
    """Return which version of the package wrote a file, in words."""
    match description.get("versions"):
        case {"entryprune": str(found)}:
            return f"entryprune {found:.30}"
    return "entryprune (unknown version)"


def _read_arrays(content: bytes, start: int, header: dict[str, Any]) -> Arrays:
    try:
        ends = (entry["data_offsets"][1] for name, entry in header.items() if name[:2] != "__")
        _check_length(content, start + max(ends, default=0))
        # Copies, because these are views that cannot be written to.
        return {name: array.copy() for name, array in read_safetensors(content).items()}
    except LoadError:
        raise
    except (SafetensorError, LookupError, TypeError, ValueError) as error:
        raise LoadError(
            f"its arrays are damaged ({shown(str(error))}). Get the file anew."
        ) from error


# -- values -------------------------------------------------------------------------------------


def encode(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a value as JSON, and put what is an array into `arrays`."""
    if isinstance(value, np.generic):
        value = value.item()
    code: Any
    if value is None or isinstance(value, bool | int | str):
        code = value
    elif isinstance(value, float):
        code = value if math.isfinite(value) else {"float": repr(value)}
    elif isinstance(value, tuple | list):
        items = [encode(item, f"{name}.{i}", arrays) for i, item in enumerate(value)]
        code = {"tuple" if isinstance(value, tuple) else "list": items}
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        # Pairs, because the keys of JSON are sorted and the order of these may matter.
        code = {
            "dict": [[key, encode(item, f"{name}.{key}", arrays)] for key, item in value.items()]
        }
    elif isinstance(value, dict) and all(isinstance(key, int | float | str) for key in value):
        pairs = [(key, item) for key, item in value.items()]
        code = {"pairs": encode(pairs, name, arrays)}
    elif isinstance(value, torch.device):
        code = {"device": str(value)}
    elif isinstance(value, np.ndarray):
        code = _encode_array(value, name, arrays)
    else:
        raise SaveError(
            f"{name} is a {type(value).__name__}, and only numbers, texts, arrays and tuples, "
            f"lists and dictionaries of them can be saved."
        )
    return code


def _from_pairs(pairs: list[Any]) -> dict[Any, Any]:
    """Return a dictionary whose keys are not all texts."""
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise LoadError(f"a dictionary has {shown(pair)} in place of a key and a value.")
        if not isinstance(pair[0], int | float | str):
            raise LoadError(f"a dictionary has the key {shown(pair[0])}.")
    return dict(pairs)


def _encode_array(array: NDArray[Any], name: str, arrays: Arrays) -> dict[str, Any]:
    kind = array.dtype.kind
    is_text = kind == "U" or (kind == "O" and all(isinstance(item, str) for item in array.flat))
    if is_text and array.ndim == 1:
        return {"strings": array.tolist(), "dtype": "object" if kind == "O" else array.dtype.str}
    if array.dtype.str not in _NUMBERS:
        raise SaveError(
            f"{name} is an array of type {array.dtype}, and only those of bool, integers, floats "
            f"of up to 64 bits, and one-dimensional ones of texts can be saved."
        )
    arrays[name] = array
    return {"tensor": name, "dtype": array.dtype.str}


def decode(code: Any, arrays: Arrays) -> Any:
    """Return the value that `encode` was given; the arrays that it needs leave `arrays`."""
    value: Any
    match code:
        case None | bool() | int() | float() | str():
            value = code
        case {"float": "nan" | "inf" | "-inf" as text}:
            value = float(text)
        case {"list": [*items]}:
            value = [decode(item, arrays) for item in items]
        case {"tuple": [*items]}:
            value = tuple(decode(item, arrays) for item in items)
        case {"dict": [*pairs]} if _is_dict(pairs):
            value = {key: decode(item, arrays) for key, item in pairs}
        case {"pairs": {"list": [*_]} as items}:
            value = _from_pairs(decode(items, arrays))
        case {"device": str(name)} if re.fullmatch("[a-z]{1,20}(:[0-9]{1,2})?", name):
            try:
                value = torch.device(name)
            except RuntimeError as error:
                raise _unknown(code) from error
        case {"tensor": name, "dtype": str(dtype)}:
            value = take(name, arrays)
            if dtype not in _NUMBERS or np.dtype(dtype).newbyteorder("=") != value.dtype:
                raise LoadError(
                    f"the array {shown(name)} has the type {value.dtype}, not {shown(dtype)}."
                )
            value = value.astype(dtype, copy=False)
        case {"strings": [*texts], "dtype": str(dtype)} if all(type(t) is str for t in texts):
            value = _decode_texts(texts, dtype)
        case _:
            raise _unknown(code)
    return value


def _is_dict(pairs: list[Any]) -> bool:
    """Tell whether these are names, each of which is there once, with values."""
    names = [pair[0] for pair in pairs if isinstance(pair, list) and len(pair) == 2]
    names = [name for name in names if isinstance(name, str)]
    return len({*names}) == len(pairs)


def _unknown(code: object) -> LoadError:
    return LoadError(f"its description has something unknown: {shown(code)}.")


def take(name: object, arrays: Arrays) -> NDArray[Any]:
    """Return an array, which leaves `arrays`: each is there for one thing."""
    if not isinstance(name, str) or name not in arrays:
        raise LoadError(f"the array {shown(name)} is missing, or used twice.")
    return arrays.pop(name)


def _decode_texts(texts: list[str], dtype: str) -> NDArray[Any]:
    width = re.fullmatch("object()|[<>]U([0-9]{1,9})", dtype)
    # All texts are given the same width, so a few bytes could ask for any amount of memory.
    if width is None or int(width[2] or 0) * len(texts) > _MAX_CHARACTERS:
        raise _unknown({"strings": texts, "dtype": dtype})
    array = np.array(texts, dtype=dtype)
    if array.tolist() != texts:
        raise LoadError(f"texts do not fit the type {shown(dtype)}.")
    return array
