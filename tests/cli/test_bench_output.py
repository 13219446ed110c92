"""From a study's points to its figure."""

from entryprune.cli._bench_output import _average_accuracy


def test_an_average_that_lacks_a_k_is_not_shown():
    points = [
        {"dataset": "USPS", "method": method, "k": k, "mean": mean}
        for method, k, mean in [
            ("Fisher", 25, 80.0),
            ("Fisher", 50, 90.0),
            ("L1", 50, 95.0),
            ("L1", 25, None),
        ]
    ]
    (axes,) = _average_accuracy({"points": points}, None).axes
    assert [(line.get_label(), list(line.get_xdata())) for line in axes.lines] == [
        ("Fisher", [85.0])
    ]
    assert axes.get_xlabel() == "accuracy, average over K = 25, 50 (%)"
