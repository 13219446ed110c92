import numpy as np

from entryprune.report import Frequencies
from entryprune.report.page import render_comparison_page

RESULTS = "Accuracy of ridge (higher is better)"
OFTEN = "The features selected most often, for each method and K"


def test_the_recommendation_comes_first_and_says_how_sure_it_is(build):
    page = build.read(render_comparison_page(build.comparison()))
    assert "Use EntryPrune with K = 5: accuracy of ridge 0.913 ± 0.015" in page.text
    assert "The best (highest) mean has EntryPrune with K = 20" in page.text
    assert "within one standard error" in page.text
    assert "With all 10,000 features the accuracy is" in page.text
    assert "repeated inside each fold" in page.text


def test_the_table_has_all_results_and_the_reference(build):
    page = build.read(render_comparison_page(build.comparison()))
    rows = page.tables[RESULTS]
    assert [row[:2] for row in rows] == [
        ["EntryPrune", "5"],
        ["EntryPrune", "20"],
        ["STG", "5"],
        ["all features", "10,000"],
    ]
    assert [row[3] for row in rows] == [
        "not clearly worse, recommended",
        "best",
        "worse",
        "all features",
    ]


def test_the_download_has_each_fold(build):
    page = build.read(render_comparison_page(build.comparison()))
    rows = page.downloads()["comparison.csv"]
    assert rows[0][-3:] == ["fold_1", "fold_2", "fold_3"]
    assert [float(cell) for cell in rows[1][-3:]] == [0.90, 0.93, 0.91]
    assert len(rows) == 5


def test_several_learners_are_judged_one_by_one(build):
    contenders = [
        build.contender("STG", k, (0.5 + better, 0.6 + better), learner=learner)
        for learner in ("ridge", "k-NN")
        for k, better in ((5, 0.0), (9, 0.3))
    ]
    page = build.read(render_comparison_page(build.comparison(contenders=contenders)))
    assert page.text.count("Use STG with K = 9") == 2
    assert len(page.pictures()) == 2
    assert page.headings["Scores (higher is better)"][2] == "judged by"


def test_what_has_no_score_is_a_row_with_its_reason(build):
    refused = build.contender("STG", 50, mean=None, sd=None, fold_scores=(), note="needs 100 cases")
    page = build.read(
        render_comparison_page(build.comparison(contenders=[build.contender(), refused]))
    )
    assert page.tables[RESULTS][1][2:5] == ["—", "no score", "—"]
    assert page.tables[RESULTS][1][-1] == "needs 100 cases"
    assert "Without a score: STG with K = 50." in page.text
    none = build.read(render_comparison_page(build.comparison(contenders=[refused])))
    assert "none can be recommended" in none.text


def test_features_are_counted_for_the_recommended_first(build):
    page = build.read(render_comparison_page(build.comparison()))
    rows = page.tables[OFTEN]
    assert rows[0] == ["f0", "0", "EntryPrune", "5", "3 of 3 folds"]
    assert rows[-1] == ["radius", "2", "STG", "2", "3 of 3 folds"]
    assert "How alike the sets from different folds are" in page.tables


def test_only_the_features_selected_most_often_are_shown(build):
    counts = [(f"f{i}", i, 1 + (i == 7)) for i in range(100)]
    often = [Frequencies(method="STG", k=50, n_times=2, counts=counts)]
    page = build.read(render_comparison_page(build.comparison(frequencies=often)))
    assert len(page.tables[OFTEN]) == 25
    assert page.tables[OFTEN][0][0] == "f7"
    # The counts are not those of two sets of 50, so no index is told.
    assert "How alike the sets from different folds are" not in page.tables


def test_what_is_not_known_is_left_out(build):
    page = build.read(
        render_comparison_page(build.comparison(frequencies=(), references=(), seconds=None))
    )
    assert page.sections == ["verdict", "results", "curves", "data", "again"]
    assert "With all" not in page.text


def test_an_interruption_and_warnings_are_told(build):
    page = build.read(
        render_comparison_page(build.comparison(ended="interrupted", warnings=["Beware."]))
    )
    assert "not all that was asked for was tried" in page.text
    assert "Beware." in page.text


def test_a_large_comparison_stays_under_three_megabytes(build):
    rng = np.random.default_rng(0)
    contenders, frequencies = [], []
    for i in range(20):
        for k in (5, 10, 25, 50, 100, 200):
            contenders.append(build.contender(f"method {i}", k, rng.random(50)))
            counts = [(f"a rather long name {j}", j, 50) for j in range(k)]
            frequencies.append(Frequencies(method=f"method {i}", k=k, n_times=50, counts=counts))
    page = render_comparison_page(build.comparison(contenders=contenders, frequencies=frequencies))
    assert len(page.encode()) < 3_000_000


def test_the_same_report_gives_the_same_page(build):
    assert len({render_comparison_page(build.comparison()) for _ in range(2)}) == 1
