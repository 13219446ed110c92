def test_the_demo_ends_in_a_page_and_says_where(entryprune, tmp_path, monkeypatch):
    from entryprune.selectors import _presets

    short = {"patience": 2, "batches_per_rotation": 3}
    monkeypatch.setitem(
        _presets.PRESETS, "paper", lambda *shape: {**_presets.paper(*shape), **short}
    )
    folder = tmp_path / "demo"
    code, out, err = entryprune("demo", "-o", folder)
    assert code == 0, err
    assert str(folder / "report.html") in out
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "digits.csv", "features.csv", "reduced.csv", "model.safetensors", "report.html",
    }  # fmt: skip
