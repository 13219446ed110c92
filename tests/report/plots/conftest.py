import pytest


@pytest.fixture
def fits():
    """Return a check that nothing is drawn outside a figure."""

    def check(figure):
        figure.draw_without_rendering()
        box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
        assert min(box.x0, box.y0) >= -0.02
        assert box.x1 <= width + 0.02
        assert box.y1 <= height + 0.02

    return check
