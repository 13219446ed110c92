import os
import stat
import subprocess
import sys

import pytest

from entryprune._files import write_text, written_aside


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_text_is_written_as_it_is(tmp_path):
    write_text(tmp_path / "a.md", "ä | ±\n")
    assert (tmp_path / "a.md").read_bytes() == "ä | ±\n".encode()
    assert names_in(tmp_path) == ["a.md"]


def test_a_file_that_is_there_is_replaced(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("a much longer text than the new one")
    write_text(str(path), "new")
    assert path.read_text() == "new"


def test_a_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_text("old")

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match=r"Cannot write .*a\.md: No space left on device\. Make sure"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["a.md"]


def test_an_interruption_leaves_no_partial_file(tmp_path, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "a.md", "new")
    assert names_in(tmp_path) == []


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere\. Make it first"):
        write_text(tmp_path / "nowhere" / "a.md", "text")
    assert names_in(tmp_path) == []


def test_a_folder_in_the_place_of_the_file_is_an_error_and_stays(tmp_path):
    (tmp_path / "a.md").mkdir()
    with pytest.raises(OSError, match="Cannot write"):
        write_text(tmp_path / "a.md", "text")
    assert names_in(tmp_path) == ["a.md"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_to_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=r"Cannot write .*may be written to"):
            write_text(tmp_path / "a.md", "text")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_others_may_read_the_file_as_far_as_the_system_lets_them(tmp_path):
    (tmp_path / "plain").write_text("")
    write_text(tmp_path / "a.md", "text")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "a.md")}
    assert len(modes) == 1


def test_what_a_killed_process_left_is_removed_by_the_next_writing(tmp_path):
    killed = "import os, sys; from entryprune._files import written_aside\n"
    killed += "with written_aside(sys.argv[1]) as partial:\n"
    killed += "    partial.write_text('half'); os.kill(os.getpid(), 9)"
    for name in ("a[1].md", "other.md"):
        subprocess.run([sys.executable, "-c", killed, str(tmp_path / name)], check=False)
    assert len(names_in(tmp_path)) == 2
    with written_aside(tmp_path / "a[1].md") as mine:
        mine.write_text("mine")
        write_text(tmp_path / "a[1].md", "another one of this process")
        assert mine.exists()  # somebody is still at it
    left = names_in(tmp_path)
    assert left[1:] == ["a[1].md"]
    assert left[0].endswith(".partial.other.md")
    assert (tmp_path / "a[1].md").read_text() == "mine"
