import html

import numpy as np

from entryprune.report import Frequencies, Interruption
from entryprune.report.page import render_comparison_page

RESULTS = "Accuracy of ridge (higher is better)"
OFTEN = "The features selected most often, for each method and K"


def test_the_verdict_comes_first_and_says_how_sure_it_is(build):
    report = build.comparison()
    page = build.read(render_comparison_page(report))
    (judgement,) = report.judgements
    assert judgement.statement.startswith(
        "Too close to call between all 10,000 features (accuracy 0.917, guessing 0.627) and "
        "EntryPrune with K = 5 (0.913): worse by 0.0033 (95 % interval"
    )
    before, _, after = page.text.partition(judgement.statement)
    assert "How sure this is" in after
    assert "All results" not in before
    for sentence in judgement.sureness:
        assert sentence in after
    assert "repeated inside each fold" in page.text


def test_page_terminal_and_fragment_say_the_same(build, capsys):
    contenders = [build.contender("STG", 5, (0.95, 0.96, 0.97))]
    counts = [("no", 90), ("yes", 10)]
    report = build.comparison(
        contenders=contenders, data=build.data(class_counts=counts), warnings=["L1 is left out."]
    )
    report.show()
    shown = capsys.readouterr().out
    page = build.read(render_comparison_page(report)).text
    fragment = html.unescape(report._repr_html_())
    for text in (report.judgements[0].statement, *report.remarks):
        assert text in shown
        assert text in page
        assert text in fragment
    for row in report.rows():
        assert row["method"] in shown
        assert row["method"] in fragment
    assert shown.startswith("Too close to call")


def test_the_table_has_all_results_and_what_to_compare_them_with(build):
    page = build.read(render_comparison_page(build.comparison()))
    rows = page.tables[RESULTS]
    assert [row[:2] for row in rows] == [
        ["EntryPrune", "5"],
        ["EntryPrune", "20"],
        ["STG", "5"],
        ["To compare with"],
        ["all features", "10,000"],
        ["random features", "5"],
        ["guessing", ""],
    ]
    assert page.headings[RESULTS][2:5] == ["accuracy", "gain on all features", "against the best"]
    assert [row[4] for row in rows[:3]] == [
        "not clearly worse",
        "best",
        "worse",
    ]
    assert [row[5] for row in rows[:3]] == ["0.003 ± 0.012", "—", "0.203 ± 0.012"]
    assert "always the same class, which gives 0.627" in page.text
    # A line may end before the interval, not inside it.
    assert rows[0][3] == "-0.0033 (-0.12\u00a0to\u00a0+0.11)"


def test_what_is_to_be_used_is_marked(build):
    contenders = [build.contender("STG", 5, (0.99, 0.99, 0.99))]
    reference = build.contender("all features", 10_000, (0.9, 0.9, 0.9))
    page = build.read(
        render_comparison_page(build.comparison(contenders=contenders, references=[reference]))
    )
    assert page.text.count("recommended") == 1
    assert page.tables[RESULTS][0][4] == "best, recommended"


def test_all_features_are_marked_where_they_are_to_be_kept(build):
    contenders = [build.contender("STG", 5, (0.80, 0.81, 0.80))]
    reference = build.contender("all features", 10_000, (0.99, 0.99, 0.99))
    page = build.read(
        render_comparison_page(build.comparison(contenders=contenders, references=[reference]))
    )
    assert page.text.count("recommended") == 1
    row = next(row for row in page.tables[RESULTS] if row[0] == "all features")
    assert row[4] == "recommended"


def test_the_download_has_each_fold(build):
    page = build.read(render_comparison_page(build.comparison()))
    rows = page.downloads()["comparison.csv"]
    assert rows[0][-3:] == ["fold_1", "fold_2", "fold_3"]
    assert [float(cell) for cell in rows[1][-3:]] == [0.90, 0.93, 0.91]
    assert len(rows) == 7
    assert [row[0] for row in rows[4:]] == ["all features", "random features", "guessing"]


def test_several_learners_are_judged_one_by_one(build):
    contenders = [
        build.contender("STG", k, (0.5 + better, 0.6 + better), learner=learner)
        for learner in ("ridge", "k-NN")
        for k, better in ((5, 0.0), (9, 0.3))
    ]
    alone = {"references": (), "controls": (), "guesses": ()}
    page = build.read(render_comparison_page(build.comparison(contenders=contenders, **alone)))
    assert page.text.count("Use STG with K = 9: accuracy") == 2
    assert len(page.pictures()) == 2
    assert page.headings["Scores (higher is better)"][2] == "judged by"


def test_what_has_no_score_is_a_row_with_its_reason(build):
    refused = build.contender("STG", 50, mean=None, sd=None, fold_scores=(), note="needs 100 cases")
    page = build.read(
        render_comparison_page(build.comparison(contenders=[build.contender(), refused]))
    )
    assert page.tables[RESULTS][1][2:5] == ["—", "—", "no score"]
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
    # No stability is given, so none is told.
    assert "How alike the sets from different folds are" not in page.tables


def test_what_is_not_known_is_left_out(build):
    page = build.read(
        render_comparison_page(
            build.comparison(frequencies=(), references=(), controls=(), guesses=(), seconds=None)
        )
    )
    assert page.sections == ["verdict", "results", "curves", "data", "again"]
    assert "all 10,000 features" not in page.text
    assert "To compare with" not in page.text


def test_an_interruption_and_warnings_are_told(build):
    report = build.comparison(
        interrupted=Interruption(n_folds=10, n_compared=5), warnings=["Beware."]
    )
    page = build.read(render_comparison_page(report))
    assert "Interrupted: all that is said here comes from 5 of 10 folds" in page.text
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
