import gzip
import hashlib
import io
import struct
import sys
import tarfile
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from rich.console import Console

from entryprune.data import DATASETS, DatasetError, Source, download, fingerprint, load_dataset
from entryprune.data.download import DownloadBar, convert, fetch

CONTENT = b"some bytes " * 1000
SHA256 = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
MD5 = f"md5:{hashlib.md5(CONTENT).hexdigest()}"


@pytest.fixture
def net(monkeypatch):
    """A net of addresses: what each answers, or raises after half of it has come."""
    answers = {}
    asked = []

    def downloader(progressbar, **settings):
        def download(url, output_file, pooch):
            asked.append(url)
            answer = answers[url]
            with open(output_file, "wb") as file:
                progressbar.total = len(CONTENT)
                if not isinstance(answer, bytes):
                    file.write(CONTENT[: len(CONTENT) // 2])
                    raise answer
                file.write(answer)
                progressbar.update(len(answer))
                progressbar.reset()
                progressbar.close()

        return download

    monkeypatch.setitem(sys.modules, "pooch", SimpleNamespace(HTTPDownloader=downloader))
    return SimpleNamespace(answers=answers, asked=asked)


@pytest.mark.parametrize("checksum", [SHA256, MD5, None])
def test_a_file_is_fetched(net, folder, checksum):
    net.answers["https://a/x.gz"] = CONTENT
    path = fetch(Source("https://a/x.gz", checksum), folder)
    assert path == folder / "x.gz"
    assert path.read_bytes() == CONTENT


def test_a_mirror_helps_out(net, folder):
    net.answers |= {"https://a/x.gz": OSError("down"), "https://b/x.gz": CONTENT}
    fetch(Source("https://a/x.gz", SHA256, mirrors=("https://b/x.gz",)), folder)
    assert net.asked == ["https://a/x.gz", "https://b/x.gz"]


def test_no_connection_is_an_error_that_names_every_address(net, folder):
    net.answers |= {"https://a/x": OSError("no route\nat all"), "https://b/x": TimeoutError()}
    with pytest.raises(DatasetError) as caught:
        fetch(Source("https://a/x", mirrors=("https://b/x",)), folder)
    assert str(caught.value) == (
        "x could not be downloaded. Is there a connection to the internet? "
        "(https://a/x: no route; https://b/x: TimeoutError)."
    )
    assert list(folder.iterdir()) == []


def test_a_wrong_checksum_is_an_error(net, folder):
    net.answers["https://a/x"] = CONTENT[:-1]
    with pytest.raises(DatasetError, match="x from https://a/x has the wrong checksum: sha256 "):
        fetch(Source("https://a/x", SHA256, "somebody"), folder)
    assert list(folder.iterdir()) == []


def test_an_interrupted_download_leaves_nothing(net, folder):
    net.answers["https://a/x"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        fetch(Source("https://a/x"), folder)
    assert list(folder.iterdir()) == []


def test_without_pooch_the_error_says_what_to_install(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(DatasetError, match=r"pip install 'entryprune\[bench\]'"):
        fetch(Source("https://a/x"), folder)


# -- the bar ------------------------------------------------------------------------------------


def test_the_bar_is_seen_on_a_terminal_only():
    seen = []
    for is_terminal in (True, False):
        stream = io.StringIO()
        with DownloadBar("x.gz", Console(file=stream, force_terminal=is_terminal)) as bar:
            bar.total = 2000
            bar.update(1000)
        seen.append(stream.getvalue())
    assert "x.gz" in seen[0]
    assert seen[1] == ""


def test_the_bar_takes_what_pooch_does_with_it():
    with DownloadBar("x.gz") as bar:
        bar.total = 0  # what pooch sets if the server does not tell
        assert bar.total == 0
        bar.total = 10
        bar.update(64)
        bar.reset()
        bar.update(bar.total)
        bar.close()
        assert (bar.completed, bar.total) == (10, 10)


# -- the real pooch -----------------------------------------------------------------------------


@contextmanager
def server(pages):
    """Answer on this computer alone; a page that is too short is cut off in the middle."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            n_bytes, body = pages.get(self.path, (None, b""))
            self.send_response(404 if n_bytes is None else 200)
            self.send_header("Content-Length", str(n_bytes or 0))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def test_pooch_itself_fetches_and_fails_as_expected(monkeypatch, folder):
    pytest.importorskip("pooch")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    packed = gzip.compress(CONTENT)
    pages = {"/x.gz": (len(packed), packed), "/cut.gz": (len(packed), packed[:-9])}
    with server(pages) as address:
        path = fetch(Source(f"{address}/none.gz", mirrors=(f"{address}/x.gz",)), folder)
        assert gzip.decompress(path.read_bytes()) == CONTENT
        path.unlink()
        with pytest.raises(DatasetError, match=r"none\.gz could not be downloaded.*404"):
            fetch(Source(f"{address}/none.gz"), folder)
        with pytest.raises(DatasetError, match=r"cut\.gz could not be downloaded"):
            fetch(Source(f"{address}/cut.gz"), folder)
    # Nobody answers any more: the reason is given, not how it is wrapped.
    with pytest.raises(
        DatasetError, match=r"internet\? \(http://127[^ ]*x\.gz: Failed to establish"
    ):
        fetch(Source(f"{address}/x.gz"), folder)
    assert list(folder.iterdir()) == []


# -- from the net to the folder -------------------------------------------------------------------


RNG = np.random.default_rng(0)


# -- small files in the formats of the real ones ------------------------------------------------


def idx(values):
    head = struct.pack(f">HBB{values.ndim}I", 0, 8, values.ndim, *values.shape)
    return gzip.compress(head + values.astype(np.uint8).tobytes())


def mat(X, y, **others):
    file = io.BytesIO()
    scipy.io.savemat(file, {"X": X, "Y": y[:, None], **others}, do_compression=True)
    return file.getvalue()


def cifar(folder, files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, records in files.items():
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size = records.nbytes
            archive.addfile(member, io.BytesIO(records.tobytes()))
    return packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def text(table, delimiter=" "):
    file = io.StringIO()
    np.savetxt(file, table, fmt="%.4f", delimiter=delimiter)
    return file.getvalue()


def compress(content):
    """Write a .Z file without compressing: after each seven bytes comes the code to forget all."""
    packed = b"\x1f\x9d\x90"
    for start in range(0, len(content), 7):
        codes = [*content[start : start + 7], 256]
        packed += sum(code << 9 * place for place, code in enumerate(codes)).to_bytes(9, "little")
    return packed


PIXELS = RNG.integers(0, 256, size=(5, 4, 4), dtype=np.uint8)
IDX = [idx(values) for values in (PIXELS[:3], np.array([7, 8, 7]), PIXELS[3:], np.array([8, 7]))]
CIFAR_10 = RNG.integers(0, 256, size=(8, 3073), dtype=np.uint8)
CIFAR_100 = RNG.integers(0, 256, size=(5, 3074), dtype=np.uint8)
NAMES_10 = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]
# The archive's order is not that of the batches.
PARTS_10 = dict(zip(NAMES_10[::-1], np.split(CIFAR_10, [1, 2, 3, 4, 5])[::-1], strict=True))
TABLE = np.round(RNG.uniform(-1, 1, size=(6, 4)), 4)
CLASSES = np.array([1, 2, 3, 1, 2, 3])
HAR_FILES = {
    "UCI HAR Dataset/train/X_train.txt": text(TABLE[:4]),
    "UCI HAR Dataset/train/y_train.txt": "1\n2\n3\n1\n",
    "UCI HAR Dataset/test/X_test.txt": text(TABLE[4:]),
    "UCI HAR Dataset/test/y_test.txt": "2\n3\n",
}
ISOLET_TABLE = np.column_stack([TABLE, CLASSES])
ISOLET_FILES = {
    "isolet5.data.Z": compress(text(ISOLET_TABLE[4:], ", ").encode()),
    "isolet1+2+3+4.data.Z": compress(text(ISOLET_TABLE[:4], ", ").encode()),
    "isolet.names": "about",
}
SAMPLES = {
    "mnist": (IDX, PIXELS.reshape(5, 16), [7, 8, 7, 8, 7]),
    "cifar10": (
        [cifar("cifar-10-batches-bin", PARTS_10)],
        CIFAR_10[:, 1:],
        CIFAR_10[:, 0],
    ),
    "cifar100": (
        [cifar("cifar-100-binary", {"train.bin": CIFAR_100[:3], "test.bin": CIFAR_100[3:]})],
        CIFAR_100[:, 2:],
        CIFAR_100[:, 1],
    ),
    "har": ([zipped({"UCI HAR Dataset.zip": zipped(HAR_FILES)})], TABLE, CLASSES),
    "isolet": ([zipped(ISOLET_FILES)], TABLE, CLASSES),
    "madelon": ([mat(TABLE, CLASSES)], TABLE, CLASSES),
    "basehock": ([mat(scipy.sparse.csc_matrix(TABLE), CLASSES)], TABLE, CLASSES),
}
N_TEST = {"mnist": 2, "cifar10": 3, "cifar100": 2, "har": 2}


@pytest.fixture
def offer(monkeypatch):
    """Addresses and what is there; a data set's entry is made to fit its small sample."""
    pages = {}

    def fetch(source, folder):
        content = pages[source.url]
        if isinstance(content, Exception):
            raise content
        path = folder / source.file_name
        path.write_bytes(content)
        return path

    monkeypatch.setattr(download, "fetch", fetch)

    def put(name, files=None, **changes):
        sample, X, y = SAMPLES[name]
        info = DATASETS[name]
        n_test = N_TEST.get(name)
        size = {
            "n_train": len(y) - (n_test or 0),
            "n_test": n_test,
            "n_features": X.shape[1],
            "n_classes": len(np.unique(y)),
            "fingerprint": None,
        }
        monkeypatch.setitem(DATASETS, name, replace(info, **{**size, **changes}))
        for source, content in zip(info.sources, files or sample, strict=True):
            pages[source.url] = content

    return put


# -- what goes right ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_a_data_set_is_downloaded_converted_and_kept(offer, cache, name):
    offer(name)
    first = load_dataset(name)
    _, X, y = SAMPLES[name]
    n_train = len(y) - N_TEST.get(name, 0)
    assert np.array_equal(first.X, X[:n_train])
    assert np.array_equal(first.y, y[:n_train])
    if name in N_TEST:
        assert np.array_equal(first.X_test, X[n_train:])
        assert np.array_equal(first.y_test, y[n_train:])
    assert (first.title, first.subset) == (DATASETS[name].title, "")
    assert (first.scale, first.image_shape) == (DATASETS[name].scale, DATASETS[name].image_shape)
    assert DATASETS[name].sources[0].url in first.origin
    assert [path.name for path in cache.iterdir()] == [f"{name}.npz"]


def test_it_is_downloaded_once(offer, monkeypatch):
    offer("madelon")
    first = load_dataset("madelon")
    monkeypatch.setattr(download, "fetch", None)
    again = load_dataset("madelon", download=False)
    assert fingerprint(again) == fingerprint(first)


def test_it_is_kept_in_the_data_folder(offer, folder, cache):
    offer("madelon")
    load_dataset("madelon", folder / "new")
    assert [path.name for path in (folder / "new").iterdir()] == ["madelon.npz"]
    assert not cache.exists()


def test_it_is_kept_in_the_cache_if_the_folder_cannot_be_written_to(offer, folder, cache):
    offer("madelon")
    (folder / "file").touch()
    load_dataset("madelon", folder / "file" / "below")
    assert [path.name for path in cache.iterdir()] == ["madelon.npz"]
    assert load_dataset("madelon", folder / "file" / "below", download=False).title == "Madelon"


def test_no_place_to_write_to_is_an_error(offer, folder, monkeypatch):
    offer("madelon")
    (folder / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "file"))
    with pytest.raises(DatasetError, match=r"No data folder can be written to \(.*ENTRYPRUNE_DATA"):
        load_dataset("madelon")


def test_the_right_fingerprint_is_accepted(offer):
    offer("madelon")
    right = fingerprint(load_dataset("madelon"))
    offer("madelon", fingerprint=right)
    assert load_dataset("madelon").title == "Madelon"


# -- what goes wrong ----------------------------------------------------------------------------


def broken(name, change):
    return [change(content) for content in SAMPLES[name][0]]


def cut(content):
    return content[: len(content) * 2 // 3]


OTHER_IDX = gzip.compress(struct.pack(">HBBI", 0, 13, 1, 1) + b"1234")
NO_TEST = cifar("cifar-10-batches-bin", {n: PARTS_10[n] for n in NAMES_10[:-1]})
ODD_SIZE = cifar("cifar-100-binary", {"train.bin": CIFAR_100[:3].ravel()[:-1]})
NOT_LZW = {**ISOLET_FILES, "isolet5.data.Z": b"text"}


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        *((name, broken(name, cut), "cannot be read") for name in SAMPLES),
        *((name, broken(name, lambda _: b""), "cannot be read") for name in SAMPLES),
        *((name, broken(name, lambda _: b"<html>" * 99), "cannot be read") for name in SAMPLES),
        ("mnist", [OTHER_IDX] * 4, "does not begin like an idx file of bytes"),
        ("cifar10", [NO_TEST], "it has no cifar-10-batches-bin/test_batch.bin"),
        ("cifar100", [ODD_SIZE], "cannot reshape"),
        ("har", [zipped({"other.zip": b""})], "it has no UCI HAR Dataset.zip"),
        ("har", [zipped({"UCI HAR Dataset.zip": zipped({})})], "it has no UCI HAR Dataset/train"),
        ("isolet", [zipped({})], r"it has no isolet1\+2\+3\+4.data.Z"),
        ("isolet", [zipped(NOT_LZW)], "not a file of the Unix program compress"),
    ],
)
def test_a_damaged_file_is_an_error_and_leaves_nothing(offer, cache, name, files, message):
    offer(name, files)
    with pytest.raises(DatasetError, match=message) as caught:
        load_dataset(name)
    assert "The download was cut short, or the file at its address has changed" in str(caught.value)
    assert list(cache.iterdir()) == []


def test_a_file_without_classes_is_an_error(offer, folder):
    path = folder / "madelon.mat"
    scipy.io.savemat(path, {"X": TABLE})
    with pytest.raises(DatasetError, match=r"madelon\.mat cannot be read \(it has no variable Y\)"):
        convert(DATASETS["madelon"], [path])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_train": 2600}, "6 samples instead of 2,600"),
        ({"n_features": 500}, "4 features instead of 500"),
        ({"n_classes": 2}, "3 classes instead of 2"),
    ],
)
def test_another_size_than_the_catalogues_is_an_error(offer, cache, changes, message):
    offer("madelon", **changes)
    match = f"What was downloaded is not Madelon as the catalogue knows it: {message}"
    with pytest.raises(DatasetError, match=match):
        load_dataset("madelon")
    assert list(cache.iterdir()) == []


def test_another_content_than_the_catalogues_is_an_error(offer, cache):
    offer("madelon", fingerprint=DATASETS["madelon"].fingerprint)
    with pytest.raises(DatasetError, match="has the size of Madelon, but other values, classes or"):
        load_dataset("madelon")
    assert list(cache.iterdir()) == []


def test_a_failed_download_says_what_to_do_by_hand(offer, folder, cache):
    offer("mnist", [IDX[0], DatasetError("It rained."), IDX[2], IDX[3]])
    with pytest.raises(DatasetError) as caught:
        load_dataset("mnist", folder)
    message = str(caught.value)
    assert message.startswith(f"MNIST is not in {folder} or {cache}. It rained. To add it by hand")
    assert "put a file mnist.npz with the arrays X (3 x 16) and y, X_test (2 x 16)" in message
    assert all(source.url in message for source in DATASETS["mnist"].sources)
    assert list(folder.iterdir()) == []


def test_running_out_of_memory_is_not_the_files_fault(offer, monkeypatch):
    def read(files):
        raise MemoryError

    offer("madelon")
    monkeypatch.setitem(convert.__globals__["READERS"], "mat", read)
    with pytest.raises(MemoryError):
        load_dataset("madelon")
