"""Curves of those who are still without the event."""

import numpy as np

from entryprune.report.plots import plot_feature_distributions, plot_survival

Y = np.array([[1.0, 1], [2, 0], [3, 1], [4, 1], [5, 0], [6, 1]])


def test_each_group_has_its_steps_to_its_last_time():
    ax = plot_survival(Y, {"all": np.arange(6), "none": np.array([], dtype=int)}, time="weeks")
    (line,) = ax.get_lines()
    assert line.get_xdata().tolist() == [0, 1, 3, 4, 6, 6]
    # 5 of 6, then 3 of 4 and 2 of 3 of these; the last one has the event, too.
    expected = [1, 5 / 6, 5 / 8, 5 / 12, 0, 0]
    np.testing.assert_allclose(line.get_ydata(), 100 * np.array(expected))
    assert ax.get_xlabel() == "weeks"


def test_features_part_the_samples_at_their_median_or_by_their_two_values():
    X = np.column_stack([[1.0, 2, 3, 4, 5, np.nan], [0, 0, 1, 1, 1, 0]])
    first, second = plot_feature_distributions(X, Y, ["dose", "arm"], task="survival")
    assert [text.get_text() for text in first.get_legend().get_texts()] == ["up to 3", "above 3"]
    assert [text.get_text() for text in second.get_legend().get_texts()] == ["0", "1"]
    assert second.get_lines()[1].get_ydata().tolist() == [100, 100 * 2 / 3, 100 / 3, 100 / 3]
