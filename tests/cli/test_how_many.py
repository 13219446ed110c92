import json
import re

import numpy as np
import pytest


@pytest.fixture
def three_of_twelve(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 12))
    y = X[:, :3].sum(axis=1) > 0
    path = tmp_path / "t.csv"
    header = ",".join([*(f"x{i}" for i in range(12)), "y"])
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=header, comments="", fmt="%.6g")
    return path


@pytest.mark.parametrize("method", ["entryprune-exchange", "fisher"])
def test_the_data_decide_how_many(entryprune, three_of_twelve, method):
    code, out, _ = entryprune(
        "select", three_of_twelve, "--target", "y", "-k", "auto", "--method", method, "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert {one["feature"] for one in found["selected"]} >= {"x0", "x1", "x2"}
    assert found["k"] == len(found["selected"]) == found["k_curve"]["enough"] <= 5
    assert found["settings"]["n_features_to_select"] == "auto"


def test_the_page_says_what_was_asked_for_and_what_came_of_it(
    entryprune, three_of_twelve, tmp_path
):
    page = tmp_path / "page.html"
    code, out, _ = entryprune(
        *("select", three_of_twelve, "--target", "y", "-k", "auto"),
        *("--report", page, "--repeats", "0", "--json"),
    )
    text = page.read_text(encoding="utf-8")
    found = dict(re.findall(r'<th scope="row">([^<]*)</th><td>([^<]*)</td>', text))
    assert code == 0
    assert found["Asked for"] == "auto: as few features as do as well as any number"
    assert found["Selected"] == f"{json.loads(out)['k']} features"
    assert found["n_features_to_select"] == "auto"
    assert "Their number is the smallest that was not worse than the best" in text
    # What does it again decides again.
    assert "--target y -k auto --report" in text


def test_the_screen_says_which_number_is_best(entryprune, three_of_twelve):
    code, out, _ = entryprune("select", three_of_twelve, "--target", "y", "-k", "best")
    n_selected = sum(line.startswith("│") for line in out.splitlines())
    assert code == 0
    assert f"The share of variance explained is best with K = {n_selected}: " in out


@pytest.mark.parametrize("k", ["0", "-3", "ten", "2.5", "²", ""])
def test_another_number_is_refused_before_anything_is_read(entryprune, tmp_path, k):
    code, _, err = entryprune("select", tmp_path / "no.csv", "--target", "y", "-k", k)
    assert code == 2
    assert f"-k takes a whole number from 1, 'auto' or 'best'; got {k!r}." in err
