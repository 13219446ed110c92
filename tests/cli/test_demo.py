def test_the_demo_ends_in_a_page_and_says_where(entryprune, tmp_path):
    folder = tmp_path / "demo"
    code, out, err = entryprune("demo", "-o", folder)
    assert code == 0, err
    assert str(folder / "report.html") in out
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "digits.csv", "features.csv", "reduced.csv", "model.safetensors", "report.html",
    }  # fmt: skip
    assert "EntryPrune exchange selected these 10" in (folder / "report.html").read_text()
