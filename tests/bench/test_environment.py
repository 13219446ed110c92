from entryprune.bench.environment import machine, versions


def test_a_record_tells_what_it_ran_on():
    names = ["entryprune", "numpy", "python", "scikit-learn", "scipy", "torch"]
    assert sorted(versions()) == names
    assert sorted(machine()) == ["cores", "processor", "system"]
