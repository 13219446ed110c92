import subprocess
import sys

import entryprune as package

HEAVY = ("torch", "sklearn", "numpy", "scipy", "matplotlib", "pandas")


def heavy_imports(*arguments):
    """Return which heavy packages a call of the command line imports."""
    code = (
        f"import sys; sys.argv = ['entryprune', *{arguments!r}]\n"
        "from entryprune.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('IMPORTED', *[m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_help_and_errors_import_nothing_heavy():
    assert heavy_imports("--help") == []
    assert heavy_imports("bench", "run", "--help") == []
    assert heavy_imports("bench", "run", "--datasets", "usps", "--methods", "nonsense") == []


def test_the_version_is_shown(entryprune):
    assert entryprune("--version") == (0, f"{package.__version__}\n", "")


def test_an_unknown_command_is_told(entryprune):
    code, _, err = entryprune("nonsense")
    assert code == 2
    assert "nonsense" in err
