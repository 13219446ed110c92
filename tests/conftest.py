import multiprocessing
import os
import threading
from contextlib import contextmanager
from multiprocessing.connection import Connection
from types import SimpleNamespace

import numpy as np
import pytest

from entryprune.baselines import METHODS
from entryprune.bench import runner, worker
from entryprune.cli import main
from entryprune.data import load


@pytest.fixture(autouse=True)
def registries_as_they_were():
    """Take back what a test registers: others count on the lists being as they are shipped."""
    kept = [METHODS, load._REGISTERED]
    before = [dict(registry) for registry in kept]
    yield
    for registry, entries in zip(kept, before, strict=True):
        registry.clear()
        registry.update(entries)


class Thread(threading.Thread):
    """A thread that can be started, waited for and ended like a process."""

    def __init__(self, target, args, daemon):
        connection, circumstances = args
        # Whoever starts a process closes the end of the pipe that it has been given.
        own = Connection(os.dup(connection.fileno()))
        super().__init__(target=target, args=(own, circumstances), daemon=daemon)

    def start(self):
        # A process would have none of what those before it were given.
        for kept in (worker._dataset.cache_clear, worker._parts.cache_clear, worker._given.clear):
            kept()
        super().start()

    def kill(self):
        """Do nothing: it ends when nobody is at the other end of its pipe any more."""


@pytest.fixture(scope="session")
def in_threads():
    """Return what lets cases run in threads beside the test, for as long as it is entered.

    All else is the same: what goes through the pipes, and the store. A process takes seconds to
    start; bench/test_runner.py and others test those.
    """
    context = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=Thread)

    @contextmanager
    def entered():
        with pytest.MonkeyPatch.context() as patch:
            threads = SimpleNamespace(get_context=lambda method: context)
            patch.setattr(runner, "multiprocessing", threads)
            yield

    return entered


@pytest.fixture
def threads_for_processes(in_threads):
    """Run the cases of a test in threads."""
    with in_threads():
        yield


@pytest.fixture
def entryprune(monkeypatch, capsys):
    """Return a function that runs the command line and returns exit code, output and errors."""

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["entryprune", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        code = stop.value.code
        return (0 if code is None else code), shown.out, shown.err

    return call


@pytest.fixture
def easy():
    """Two of twelve columns tell three classes apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, size=150)
    X = rng.normal(size=(150, 12))
    X[:, 3] += 3.0 * (y == 1)
    X[:, 8] += 3.0 * (y == 2)
    return X, y


@pytest.fixture
def easy_regression():
    """Two of twelve columns make up the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 12))
    return X, 2.0 * X[:, 3] - 3.0 * X[:, 8] + 0.1 * rng.normal(size=150)
