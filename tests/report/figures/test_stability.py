import pytest

from entryprune.report.figures.stability import Stability, draw_stability

STABILITIES = [
    Stability("MNIST", "EntryPrune", 0.13, 5),
    Stability("MNIST", "LassoNet", 0.71, 5),
    Stability("HAR", "EntryPrune", None, 5),
    Stability("HAR", "LassoNet", 1.0, 5),
]


def bars(axes):
    return [patch for container in axes.containers for patch in container.patches]


def test_bars_have_the_indices_on_an_axis_from_zero_to_one(legend_texts):
    figure = draw_stability(STABILITIES)
    axes = figure.axes[0]
    assert [bar.get_height() for bar in bars(axes)] == [0.13, 0.71, 1.0]
    assert axes.get_ylim() == (0, 1)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("data set", "average Jaccard index")
    assert legend_texts(figure) == ["EntryPrune", "LassoNet"]


def test_a_missing_index_leaves_a_gap_at_its_place():
    axes = draw_stability(STABILITIES).axes[0]
    centres = [bar.get_x() + bar.get_width() / 2 for bar in bars(axes)]
    assert centres[0] < 0 < centres[1] < 1 < centres[2]


def test_methods_have_hatches_of_their_own():
    first, second, third = bars(draw_stability(STABILITIES).axes[0])
    assert first.get_hatch() != second.get_hatch() == third.get_hatch()


@pytest.mark.parametrize(("n_runs", "expected"), [(5, "Over 5 runs"), (20, "Over 5 to 20 runs")])
def test_the_number_of_runs_is_told(n_runs, expected):
    figure = draw_stability([*STABILITIES, Stability("SMK", "LassoNet", 0.4, n_runs)])
    assert figure.legends[0].get_title().get_text() == expected


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw_stability(STABILITIES[:1]))
    datasets, methods = many
    nothing_is_cut_off(draw_stability([Stability(d, "EntryPrune", 0.2, 5) for d in datasets]))
    nothing_is_cut_off(draw_stability([Stability(d, m, 0.2, 5) for d in datasets for m in methods]))
