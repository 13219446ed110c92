import gzip
import hashlib
import io
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
from rich.console import Console

from entryprune.data import DatasetError, Source
from entryprune.data.download import DownloadBar, fetch

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
