import pytest


def _nothing_is_cut_off(figure):
    """Check that all that is drawn lies on the figure, and no panel runs into another."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert box.x0 >= -0.01
    assert box.y0 >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01
    texts = [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        texts += [axes.title, axes.xaxis.label, axes.yaxis.label]
    for text in texts:
        if not text.get_text():
            continue
        extent = text.get_window_extent()
        assert extent.x0 >= -1, text
        assert extent.y0 >= -1, text
        assert extent.x1 <= figure.bbox.x1 + 1, text
        assert extent.y1 <= figure.bbox.y1 + 1, text
    # Panels below 0.7 inches cannot be read; that is how a failed layout shows.
    panels = [
        axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        for axes in figure.axes
        if axes.get_label() != "<colorbar>"
    ]
    assert min(panel.width for panel in panels) > 0.7
    assert min(panel.height for panel in panels) > 0.25


def _legend_texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.fixture
def nothing_is_cut_off():
    return _nothing_is_cut_off


@pytest.fixture
def legend_texts():
    return _legend_texts


@pytest.fixture
def many():
    """Return the names of as many data sets and methods as the paper has."""
    images = ["CIFAR-10", "CIFAR-100", "COIL-20", "MNIST", "Fashion-MNIST", "USPS"]
    others = ["HAR", "ISOLET", "ARCENE", "BASEHOCK", "GLA-BRA-180", "Prostate-GE", "SMK"]
    filters = ["Fisher score", "CIFE", "ICAP", "RFS", "LightGBM gain"]
    networks = ["EntryPrune", "EntryPrune flex", "QuickSelection", "STG", "LassoNet", "RigL"]
    return images + others, [*networks, "NeuroFS", *filters]
