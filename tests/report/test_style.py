import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from entryprune.baselines import METHODS
from entryprune.report.style import (
    NORMAL,
    SMALL,
    dress,
    grid_shape,
    legend_columns,
    looks,
    new_figure,
    offsets,
    panel_grid,
    save_figure,
)

# As many as are registered, and all features.
# Those for survival alone stand in no picture with so many.
NAMES = ["all features", *(n for n, one in METHODS.items() if "classification" in one.tasks)]


def a_figure():
    figure = new_figure(4, 3)
    axes = figure.add_subplot()
    axes.bar([0, 1], [1, 2], hatch="//")
    axes.plot([0, 1], [1, 2], marker="o")
    axes.set_title("Größe & Maß")
    return figure


# -- looks --------------------------------------------------------------------------------------


def test_a_name_has_one_look_wherever_it_comes():
    assert looks(["a", "b", "a", "c", "b"]) == looks(["a", "b", "c"])
    assert list(looks(["b", "a", "b"])) == ["b", "a"]


def test_looks_go_by_position():
    assert looks(["a", "b"])["b"] == looks(["c", "d"])["d"]


@pytest.mark.parametrize("parts", [("colour", "marker"), ("marker", "line"), ("fill", "hatch")])
def test_all_methods_look_different(parts):
    seen = {tuple(getattr(look, part) for part in parts) for look in looks(NAMES).values()}
    assert len(seen) == len(NAMES)


def test_methods_differ_without_colour():
    assert len({look.marker for look in looks(NAMES).values()}) == len(NAMES)
    dozen = list(looks(NAMES[:12]).values())
    assert len({look.hatch for look in dozen[:11]}) == 11


def luminance(colour):
    return float(np.dot(to_rgb(colour), (0.2126, 0.7152, 0.0722)))


def test_colours_of_lines_stand_out_from_white_and_fills_from_black():
    for look in looks(NAMES).values():
        assert luminance(look.colour) < 0.8
        assert luminance(look.fill) > 0.5


# -- figures ------------------------------------------------------------------------------------


def test_a_new_figure_keeps_its_parts_apart():
    figure = new_figure(5, 4)
    assert figure.get_size_inches().tolist() == [5, 4]
    assert type(figure.get_layout_engine()).__name__ == "ConstrainedLayoutEngine"


def test_dressed_axes_have_the_house_sizes_even_for_later_labels():
    axes = new_figure(4, 3).add_subplot()
    dress(axes)
    axes.set_xlabel("later")
    assert axes.xaxis.label.get_size() == NORMAL
    axes.set_yscale("log")
    assert {label.get_size() for label in axes.get_xticklabels() + axes.get_yticklabels()} == {
        SMALL
    }


# -- panels and legends -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_panels", "shape"), [(1, (1, 1)), (4, (1, 4)), (5, (2, 3)), (13, (3, 5))]
)
def test_panels_leave_few_places_empty_and_none_alone_in_its_row(n_panels, shape):
    assert grid_shape(n_panels, max_columns=4) == shape
    grid = panel_grid(n_panels)
    assert (len(grid.panels), grid.n_columns) == (n_panels, shape[1])


def test_entries_of_a_legend_stand_in_lines_of_similar_length():
    assert legend_columns(["EntryPrune", "STG"], width=8) == 2
    assert legend_columns(["EntryPrune flex"] * 7, width=8) == 4


def test_things_side_by_side_stand_around_zero():
    assert offsets(1, room=1.0).tolist() == [0.0]
    assert offsets(2, room=1.0).tolist() == [-0.25, 0.25]


# -- saving -------------------------------------------------------------------------------------


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first = [path.read_bytes() for path in save_figure(a_figure(), tmp_path / "a")]
    second = [path.read_bytes() for path in save_figure(a_figure(), tmp_path / "b")]
    assert first == second


def test_png_and_svg_and_nothing_else_are_written(tmp_path):
    png, svg = save_figure(a_figure(), tmp_path / "k-0.5")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["k-0.5.png", "k-0.5.svg"]
    assert png.read_bytes().startswith(b"\x89PNG")
    width, height = (int.from_bytes(png.read_bytes()[i : i + 4], "big") for i in (16, 20))
    assert (width, height) == (600, 450)
    assert svg.name == "k-0.5.svg"


def test_text_in_the_svg_is_text_and_there_is_no_date(tmp_path):
    text = save_figure(a_figure(), tmp_path / "a")[1].read_text(encoding="utf-8")
    assert ">Größe &amp; Maß</text>" in text
    assert "dc:date" not in text


def test_saving_leaves_the_settings_of_matplotlib_alone(tmp_path):
    before = dict(mpl.rcParams)
    save_figure(a_figure(), tmp_path / "a")
    assert dict(mpl.rcParams) == before


def test_saving_into_a_missing_folder_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        save_figure(a_figure(), tmp_path / "nowhere" / "a")


def test_a_figure_that_cannot_be_drawn_leaves_no_file(tmp_path):
    figure = a_figure()
    figure.axes[0].set_title(r"$\nonsense$")
    with pytest.raises(ValueError, match="nonsense"):
        save_figure(figure, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []
