import sys

import numpy as np
import pytest

from entryprune.baselines import METHODS, RefusalError, make_selector

NEEDY = [method for method in METHODS.values() if method.package is not None]


@pytest.mark.parametrize("method", NEEDY, ids=lambda method: method.name)
def test_missing_package_is_named_with_the_cure(method, monkeypatch):
    monkeypatch.setitem(sys.modules, method.package, None)
    X = np.random.default_rng(0).normal(size=(20, 4))
    selector = make_selector(method.name, 2)
    with pytest.raises(RefusalError, match=r"pip install 'entryprune\[peers\]'") as refusal:
        selector.fit(X, np.arange(20) % 2)
    assert refusal.value.reason == "package"
    assert refusal.value.method == method.title
    assert f"the package '{method.package}'" in refusal.value.message
    assert not hasattr(selector, "support_")


def test_the_four_packages_are_all_there():
    assert {method.package for method in NEEDY} == {"autonfs", "boruta", "lassonet", "lightgbm"}
