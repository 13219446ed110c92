import subprocess
import sys

from entryprune.bench.cases import Case, all_features, grid


def test_a_method_without_randomness_runs_once_where_the_split_is_fixed():
    cases = grid(["usps"], ["fisher", "rigl"], [5], range(3))
    assert [case.seed for case in cases if case.method == "fisher"] == [0]
    assert [case.seed for case in cases if case.method == "rigl"] == [0, 1, 2]


def test_with_a_new_split_for_each_seed_every_method_runs_on_all():
    cases = grid(["usps"], ["fisher"], [5], range(3), protocol="clean")
    assert [case.seed for case in cases] == [0, 1, 2]


def test_a_key_tells_cases_apart_by_every_detail():
    base = Case("a", "rigl", 5, 0)
    others = [
        Case("b", "rigl", 5, 0),
        Case("a", "stg", 5, 0),
        Case("a", "rigl", 6, 0),
        Case("a", "rigl", 5, 1),
        Case("a", "rigl", 5, 0, "clean"),
        Case("a", "rigl", 5, 0, settings={"zeta": 0.1}),
        Case("a", "rigl", 5, 0, kind="regrowth-toy"),
    ]
    assert len({case.key for case in [base, *others]}) == 8


def test_a_key_does_not_depend_on_the_order_or_type_of_settings():
    one = Case("a", "rigl", 5, 0, settings={"zeta": 0.1, "hidden_layer_sizes": (10, 20)})
    other = Case("a", "rigl", 5, 0, settings={"hidden_layer_sizes": [10, 20], "zeta": 0.1})
    assert one.key == other.key


def test_all_features_is_one_case_for_a_data_set():
    assert [case.key for case in all_features(["a", "b"])] == [
        "a all k=0 seed=0 paper",
        "b all k=0 seed=0 paper",
    ]


def test_studies_and_cases_need_none_of_the_heavy_packages():
    code = (
        "import sys; import entryprune.bench.studies, entryprune.bench.store, "
        "entryprune.bench.learners; "
        "print([m for m in ('torch', 'sklearn', 'numpy', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
