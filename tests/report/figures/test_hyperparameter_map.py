import numpy as np
import pytest
from matplotlib.contour import QuadContourSet

from entryprune.report.figures.hyperparameter_map import draw_hyperparameter_map, smooth_surface
from entryprune.report.figures.rows import Setting, SettingMaps

MARKED = [(0.2, 100), (0.5, 5)]


def draw(*arguments, **more):
    return draw_hyperparameter_map(SettingMaps(*arguments, **more))


def settings_of(n=20, seed=0):
    rng = np.random.default_rng(seed)
    ratios, batches = rng.uniform(0.01, 1, n), rng.integers(1, 151, n)
    values = 90 - 10 * (ratios - 0.3) ** 2 - 5 * (batches / 150 - 0.6) ** 2
    return [Setting(*one) for one in zip(ratios.tolist(), batches.tolist(), values, strict=True)]


def maps(figure):
    return [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]


def colour_bars(figure):
    return [axes for axes in figure.axes if axes.get_label() == "<colorbar>"]


def has_surface(axes):
    return any(isinstance(found, QuadContourSet) for found in axes.collections)


def dots(axes):
    """Return the points that are filled by a value."""
    (found,) = [
        one
        for one in axes.collections
        if not isinstance(one, QuadContourSet) and one.get_array() is not None
    ]
    return found


def test_each_data_set_has_a_map_with_a_colour_bar():
    figure = draw({"HAR": settings_of(), "ARCENE": settings_of(seed=1)})
    assert [axes.get_title() for axes in maps(figure)] == ["HAR", "ARCENE"]
    assert [bar.get_ylabel() for bar in colour_bars(figure)] == ["accuracy (%)"] * 2
    assert all(has_surface(axes) for axes in maps(figure))
    assert maps(figure)[0].get_ylabel() == "mini-batches per rotation"
    assert [axes.get_xlabel() for axes in maps(figure)] == ["candidate ratio"] * 2


def test_points_are_at_their_setting_and_filled_by_their_accuracy():
    settings = settings_of()
    points = dots(maps(draw({"HAR": settings}))[0])
    expected = [(one.candidate_ratio, one.batches_per_rotation) for one in settings]
    assert points.get_offsets().tolist() == pytest.approx(np.array(expected))
    assert points.get_array().tolist() == [one.accuracy for one in settings]


def test_marked_settings_have_a_square_around_them(legend_texts):
    figure = draw({"HAR": settings_of()}, marked=MARKED)
    squares = [
        one
        for one in maps(figure)[0].collections
        if one.get_offsets().tolist() == [list(pair) for pair in MARKED]
    ]
    assert len(squares) == 2  # a white and a black outline
    assert all(square.get_facecolor().size == 0 for square in squares)
    assert "setting of the paper" in legend_texts(figure)
    assert "setting of the paper" not in legend_texts(draw({"HAR": settings_of()}))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_accuracies_are_left_out(missing):
    settings = [*settings_of(), Setting(0.5, 5, missing)]
    assert len(dots(maps(draw({"HAR": settings}))[0]).get_offsets()) == 20


@pytest.mark.parametrize(
    "settings",
    [settings_of(1), settings_of(3), [Setting(0.5, n, 80.0 + n) for n in range(1, 9)]],
    ids=["one", "three", "one ratio"],
)
def test_too_little_for_a_surface_shows_the_points_alone(settings):
    (axes,) = maps(draw({"HAR": settings}, marked=MARKED))
    assert not has_surface(axes)
    assert len(dots(axes).get_offsets()) == len(settings)


def test_equal_accuracies_are_drawn_too():
    settings = [
        Setting(one.candidate_ratio, one.batches_per_rotation, 80.0) for one in settings_of()
    ]
    figure = draw({"HAR": settings})
    figure.draw_without_rendering()
    assert has_surface(maps(figure)[0])


def test_a_data_set_without_results_says_so():
    figure = draw({"HAR": [], "SMK": [Setting(0.2, 5, None)]}, marked=MARKED)
    assert [axes.texts[0].get_text() for axes in maps(figure)] == ["no results"] * 2
    assert colour_bars(figure) == []


def test_no_data_set_is_refused():
    with pytest.raises(ValueError, match="no settings"):
        draw({})


def test_small_and_large_studies_fit(nothing_is_cut_off, many):
    nothing_is_cut_off(draw({"HAR": settings_of()}, marked=MARKED))
    settings = {name: settings_of(3, i) for i, name in enumerate(many[0][:7])}
    nothing_is_cut_off(draw(settings, marked=MARKED))


# -- the surface --------------------------------------------------------------------------------


def test_the_surface_follows_the_values_over_the_rectangle_of_the_points():
    settings = settings_of(40)
    points = np.array([(one.candidate_ratio, one.batches_per_rotation) for one in settings])
    values = np.array([one.accuracy for one in settings])
    x, y, z = smooth_surface(points, values)
    assert (x[0], x[-1]) == pytest.approx((points[:, 0].min(), points[:, 0].max()))
    assert (y[0], y[-1]) == pytest.approx((points[:, 1].min(), points[:, 1].max()))
    expected = 90 - 10 * (x - 0.3) ** 2 - 5 * (y[:, np.newaxis] / 150 - 0.6) ** 2
    assert np.abs(z - expected).max() < 0.5


def test_the_surface_smooths_noise():
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(60, 2))
    _, _, z = smooth_surface(points, 5.0 + rng.normal(size=60))
    assert z.std() < 0.5


def test_the_surface_is_the_same_each_time():
    points = np.random.default_rng(1).uniform(size=(15, 2))
    first, second = (smooth_surface(points, points.sum(axis=1))[2] for _ in range(2))
    assert (first == second).all()
