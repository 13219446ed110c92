import pytest

from entryprune.cli import main


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
