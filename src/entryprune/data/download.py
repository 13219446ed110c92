"""Fetch a file from the net and check it."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any

from entryprune.data.errors import DatasetError
from entryprune.data.info import Source

_TIMEOUT = 30.0
_CHUNK = 2**16


def fetch(source: Source, folder: Path) -> Path:
    """Download a file into a folder."""
    pooch = _import_pooch()
    from entryprune.data.progress import DownloadBar

    path = folder / source.file_name
    failures = []
    for url in (source.url, *source.mirrors):
        try:
            with DownloadBar(source.file_name) as bar:
                download = pooch.HTTPDownloader(
                    progressbar=bar, chunk_size=_CHUNK, timeout=_TIMEOUT
                )
                download(url, str(path), None)
            _check(path, url, source)
            return path
        except OSError as error:  # what the package under pooch raises is one of these
            failures.append(f"{url}: {_reason(error)}")
            path.unlink(missing_ok=True)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
    raise DatasetError(
        f"{source.file_name} could not be downloaded. Is there a connection to the internet? "
        f"({'; '.join(failures)})."
    )


def _check(path: Path, url: str, source: Source) -> None:
    if source.checksum is None:
        return
    kind, expected = source.checksum.split(":")
    with path.open("rb") as file:
        got = hashlib.file_digest(file, kind).hexdigest()
    if got != expected:
        raise DatasetError(
            f"{source.file_name} from {url} has the wrong checksum: {kind} {got}, not {expected} "
            f"(published by: {source.published}). It was damaged on the way, or has been replaced."
        )


def _import_pooch() -> Any:
    try:
        return importlib.import_module("pooch")
    except ImportError as error:
        raise DatasetError(
            "Downloading needs the package pooch: pip install 'entryprune[bench]'."
        ) from error


def _reason(error: OSError) -> str:
    """Return why a download failed, in a few words."""
    # The package under pooch wraps the reason twice, each time with the address.
    cause = getattr(error.args[0], "reason", None) if error.args else None
    text = (str(cause or error).strip() or type(error).__name__).splitlines()[0]
    return (text.split("): ", 1)[-1] if text.startswith("HTTP") else text)[:200]
