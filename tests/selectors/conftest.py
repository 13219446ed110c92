import pytest

# Enough for the paper's algorithm to select well on easy data, and quick.
PAPER = {"preset": "paper", "batches_per_rotation": 10, "patience": 10, "batch_size": 64}
PRESETS = {"exchange": {}, "paper": PAPER}


@pytest.fixture(params=PRESETS)
def quick(request):
    """Parameters for a quick fit, with one preset and then with the other."""
    return {**PRESETS[request.param], "random_state": 0}


@pytest.fixture
def thorough(quick):
    """The same with more rotations, for what is not that easy."""
    return quick | ({"batches_per_rotation": 30, "patience": 20} if "preset" in quick else {})


@pytest.fixture
def paper():
    """Parameters for a quick fit with the paper's algorithm."""
    return {**PAPER, "random_state": 0}
