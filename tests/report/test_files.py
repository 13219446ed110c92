import json
from types import SimpleNamespace

import numpy as np

from entryprune.report import KCurve, Provenance, Selected
from entryprune.report.files import features_csv, features_tsv, selection_json
from entryprune.report.page import render_selection_page


def test_the_page_holds_the_very_files(build):
    report = build.full_selection()
    page = build.read(render_selection_page(report))
    files = page.downloads()
    assert files["selection.json"] == selection_json(report) == report.to_json()
    rows = [line.split("\t") for line in report.to_tsv().splitlines()]
    assert files["selected-features.tsv"] == rows == files["selected-features.csv"]
    assert rows[0] == [
        *("rank", "feature", "column", "score", "effect"),
        *("highest_in", "highest_mean", "lowest_in", "lowest_mean", "near_duplicates"),
    ]


def test_neither_times_nor_paths_nor_the_machine_are_in_the_files(build):
    one = build.full_selection()
    seconds = Selected(
        **{name: getattr(one.selected, name) for name in ("names", "columns", "scores")},
        near_duplicates=one.selected.near_duplicates,
        seconds=99.0,
    )
    provenance = Provenance(
        command="entryprune select data/wdbc.csv -k 3", machine={"processor": "another"}
    )
    other = build.full_selection(selected=seconds, provenance=provenance)
    for write in (selection_json, features_csv, features_tsv):
        assert write(one) == write(other)


def test_json_has_all_numbers(build):
    curve = KCurve(ks=[1, 2], scores=[0.5, 0.6], behind_errors=[0.1, 0.1], best=2, parsimonious=1)
    provenance = Provenance(
        settings={
            "rate": np.float64(0.5),
            "sizes": (100, np.int64(50)),
            "loss": np.mean,
            "body": SimpleNamespace(),
            "flex": True,
            "nothing": None,
        },
        versions={"entryprune": "1.2", "numpy": "2"},
        seed=3,
    )
    report = build.full_selection(k_curve=curve, provenance=provenance, method_name="entryprune")
    content = json.loads(selection_json(report))
    assert content["method"] == "entryprune"
    assert (content["version"], content["seed"]) == ("1.2", 3)
    assert content["settings"] == {
        "rate": 0.5,
        "sizes": [100, 50],
        "loss": "mean",
        "body": "SimpleNamespace",
        "flex": True,
        "nothing": None,
    }
    assert content["k_curve"]["enough"] == 1
    # As `k_curve_` calls it, whose "standard_error" is that of the score.
    assert content["k_curve"]["behind_error"] == [0.1, 0.1]
    assert "standard_error" not in content["k_curve"]
    assert content["effect"] == "difference (SD)"
    first = content["selected"][0]
    assert first["near_duplicates"] == [{"feature": "twin of radius", "correlation": 0.97}]
    assert first["effect"] == report.features[0].effect.size
    assert [one["mean"] for one in content["validation"]] == [0.9512, 0.9433]
    assert content["verdict"] is None


def test_features_that_are_rows_are_called_so(build):
    report = build.full_selection(data=build.data(place="row"))
    content = json.loads(selection_json(report))
    assert content["selected"][0]["row"] == 2
    assert "column" not in selection_json(report)
    assert "\trow\t" in features_tsv(report).splitlines()[0]
