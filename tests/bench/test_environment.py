import pytest

from entryprune.bench.environment import PluginError, load_plugins, machine, versions


def test_a_record_tells_what_it_ran_on():
    names = ["entryprune", "numpy", "python", "scikit-learn", "scipy", "torch"]
    assert sorted(versions()) == names
    assert sorted(machine()) == ["cores", "processor", "system"]


def test_a_file_is_run_once_and_two_of_one_name_are_two(tmp_path):
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        (folder / "mine.py").write_text(
            f"with open({str(tmp_path / 'runs')!r}, 'a') as file:\n    file.write('x')\n"
        )
    files = [folder / "mine.py" for folder in folders]
    load_plugins(files)
    load_plugins(files)
    assert (tmp_path / "runs").read_text() == "xx"


def test_a_file_that_cannot_be_run_is_told_by_its_name(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("1 / 0")
    with pytest.raises(PluginError, match=r"broken.py cannot be run: ZeroDivisionError"):
        load_plugins([path])
    # And is not taken for run.
    path.write_text("x = 1")
    load_plugins([path])


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(PluginError, match=r"none.py is not a Python file"):
        load_plugins([tmp_path / "none.py"])
