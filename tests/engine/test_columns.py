"""Columns in their own type, scaled as numpy scales them in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from entryprune.engine import (
    ArrayColumns,
    EntryPruneError,
    Scaling,
    SparseColumns,
    TooLargeError,
    columns,
)
from entryprune.engine.columns import Grouping

INTEGERS = ("uint8", "int8", "int16", "uint16", "int32", "int64")
FLOATS = ("float16", "float32", "float64")


def make_source(values, scale):
    return ArrayColumns(values, None if scale is None else Scaling.fit(values, scale))


def read_all(values, scale):
    source = make_source(torch.from_numpy(values), scale)
    out = torch.full(values.shape, np.nan)
    source.read(torch.arange(len(values)), out=out)
    return out.numpy()


def scaled(values, scale):
    """Return what numpy makes of `values`, in double precision."""
    x = values.astype(np.float64)
    if scale == "minmax":
        low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
        return (x - low) / (high - low)
    if scale == "standard":
        return (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
    return x


def draw(dtype, n_columns=5, n_cases=40):
    rng = np.random.default_rng(0)
    if dtype in FLOATS:
        return (3 + 10 * rng.standard_normal((n_columns, n_cases))).astype(dtype)
    limits = np.iinfo(dtype)
    # Integers beyond 2**53 are rounded by numpy's double precision as well.
    low, high = max(limits.min, -(2**52)), min(limits.max, 2**52)
    values = rng.integers(low, high, (n_columns, n_cases), dtype=dtype, endpoint=True)
    # The extremes are where arithmetic in the integer type itself would wrap around.
    values[:, 0], values[:, 1] = low, high
    return values


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_every_type_is_scaled_as_in_double_precision(dtype, scale):
    values = draw(dtype)
    # A few roundings to single precision, relative to values of the order of one.
    absolute = 0.0 if scale is None else 5e-7
    result = read_all(values, scale)
    np.testing.assert_allclose(result, scaled(values, scale), rtol=3e-7, atol=absolute)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_unscaled_values_are_only_rounded_to_single_precision(dtype):
    values = draw(dtype)
    np.testing.assert_array_equal(read_all(values, None), values.astype(np.float32))


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_minmax_reaches_zero_and_one(dtype):
    result = read_all(draw(dtype), "minmax")
    assert np.all(result.min(axis=1) == 0.0)
    np.testing.assert_allclose(result.max(axis=1), 1.0, rtol=3e-7)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_constant_column_becomes_zero(dtype, scale):
    values = draw(dtype, n_cases=41)
    # Not a sum of powers of two where the type allows: its mean comes with a rounding error.
    values[2] = 7.1 if dtype in FLOATS else 7
    result = read_all(values, scale)
    assert np.all(result[2] == 0.0)
    assert np.all(np.ptp(result[[0, 1, 3, 4]], axis=1) > 0)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_single_case_becomes_zero(scale):
    assert read_all(np.array([[3.5], [-2.0]]), scale).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("step", [1.0, 1e-2, 1e-4, 1e-6])
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_double_column_far_from_zero_keeps_its_variation(scale, step):
    # A time stamp: in single precision all of these would be one and the same number.
    values = 1e9 + step * np.random.default_rng(1).integers(0, 1000, (2, 50))
    # The mean itself is known to a few roundings of a double, which the scale magnifies.
    rounding = 4 * np.spacing(1e9) / values.std()
    np.testing.assert_allclose(
        read_all(values, scale), scaled(values, scale), rtol=1e-6, atol=1e-6 + rounding
    )


def test_an_integer_column_far_from_zero_keeps_its_variation():
    values = 1_700_000_000_000 + np.arange(20).reshape(2, 10)
    np.testing.assert_allclose(read_all(values, "minmax"), scaled(values, "minmax"), rtol=1e-6)


def test_a_single_precision_column_far_from_zero_is_centred():
    values = np.array([[1e7, 1e7 + 1], [1e7 + 3, 1e7]], dtype=np.float32)
    assert read_all(values, "standard").tolist() == [[-1.0, 1.0], [1.0, -1.0]]


@pytest.mark.parametrize("size", [1e60, 1e-60, 1e307, 1e-300])
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_double_column_outside_the_range_of_single_precision_is_scaled(scale, size):
    values = np.array([[0.0, 1.0, 2.0, 5.0]])
    np.testing.assert_allclose(
        read_all(size * values, scale), scaled(values, scale), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_single_precision_column_of_the_widest_span_is_scaled(scale):
    values = np.array([[-3e38, 0.0, 3e38, 1e38]], dtype=np.float32)
    np.testing.assert_allclose(read_all(values, scale), scaled(values, scale), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("dtype", "size"), [("float32", 1e-40), ("float64", 1e-310)])
@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_column_of_subnormal_span_gives_finite_values(scale, dtype, size):
    values = size * np.array([[0.0, 1.0, 2.0, 5.0]]).astype(dtype)
    assert np.all(np.isfinite(read_all(values, scale)))


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_a_span_beyond_double_precision_is_refused(scale):
    values = torch.tensor([[1.0, 2.0], [-1.7e308, 1.7e308]], dtype=torch.float64)
    with pytest.raises(EntryPruneError, match="span more than double precision"):
        Scaling.fit(values, scale)


def test_unscaled_values_beyond_single_precision_are_refused():
    fits = torch.tensor([[1.0, 3e38]], dtype=torch.float64)
    out = torch.empty(1, 2)
    ArrayColumns(fits).read(torch.tensor([0]), out=out)
    assert bool(torch.isfinite(out).all())
    for value in (4e38, -1e60):
        values = torch.tensor([[1.0, 2.0], [1.0, value]], dtype=torch.float64)
        with pytest.raises(TooLargeError, match="beyond single precision"):
            ArrayColumns(values)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_a_source_tells_how_it_scales(dtype, scale):
    values = draw(dtype)
    scaling = make_source(torch.from_numpy(values), scale).scaling(torch.tensor([4, 1]))
    x = values[[4, 1]].astype(np.float64)
    applied = (x - scaling.shift.double().numpy()[:, None]) * scaling.factor.double().numpy()[
        :, None
    ]
    np.testing.assert_allclose(applied, scaled(values, scale)[[4, 1]], rtol=1e-6, atol=1e-6)


def test_an_unknown_scale_is_refused():
    with pytest.raises(EntryPruneError, match=r"'minmax' or 'standard', got 'robust'"):
        Scaling.fit(torch.zeros(2, 3), "robust")


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
@pytest.mark.parametrize("chunk", [1, 80, 100])
def test_reading_in_pieces_equals_reading_at_once(monkeypatch, scale, chunk):
    # 40 cases: pieces of one column (at the least), of two, and of two with a remainder.
    values = draw("int16")
    monkeypatch.setattr(columns, "_CHUNK_VALUES", chunk)
    np.testing.assert_allclose(read_all(values, scale), scaled(values, scale), rtol=3e-7, atol=5e-7)


def test_columns_come_in_the_order_asked_for_and_may_repeat():
    values = draw("uint8")
    out = torch.empty(4, 40)
    ArrayColumns(torch.from_numpy(values)).read(torch.tensor([3, 0, 3, 4]), out=out)
    np.testing.assert_array_equal(out.numpy(), values[[3, 0, 3, 4]].astype(np.float32))


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_values_can_be_read_into_part_of_wider_rows(scale):
    values = draw("uint8")
    wide = torch.full((7, 50), -99.0)
    make_source(torch.from_numpy(values), scale).read(torch.arange(5), out=wide[1:6, 3:43])
    np.testing.assert_allclose(wide[1:6, 3:43].numpy(), scaled(values, scale), rtol=3e-7, atol=5e-7)
    outside = torch.ones_like(wide, dtype=torch.bool)
    outside[1:6, 3:43] = False
    assert torch.all(wide[outside] == -99.0)


@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_the_values_are_neither_copied_nor_written(scale):
    values = torch.from_numpy(draw("float32"))
    before = values.clone()
    source = make_source(values, scale)
    source.read(torch.arange(5), out=torch.empty(5, 40))
    assert source.values.data_ptr() == values.data_ptr()
    assert torch.equal(values, before)


def test_a_source_knows_its_size():
    source = ArrayColumns(torch.zeros(3, 8))
    assert (source.n_columns, source.n_cases) == (3, 8)


def test_a_transposed_matrix_is_read_as_well():
    values = draw("float64")
    cases_first = torch.from_numpy(np.ascontiguousarray(values.T))
    out = torch.empty(5, 40)
    make_source(cases_first.t(), "minmax").read(torch.arange(5), out=out)
    np.testing.assert_allclose(out.numpy(), scaled(values, "minmax"), rtol=3e-7)


# -- scaling on its own -------------------------------------------------------------------------


def test_scaling_by_hand():
    values = torch.tensor([[2.0, 4.0, 6.0], [5.0, 5.0, 5.0], [-1.0, 0.0, 1.0]])
    minmax, standard = (Scaling.fit(values, kind) for kind in ("minmax", "standard"))
    assert minmax.shift.tolist() == [2.0, 5.0, -1.0]
    assert minmax.factor.tolist() == [0.25, 0.0, 0.5]
    assert standard.shift.tolist() == [4.0, 5.0, 0.0]
    np.testing.assert_allclose(standard.factor, [(3 / 8) ** 0.5, 0.0, 1.5**0.5])


def test_a_scaling_works_in_place_on_other_values_of_the_same_columns():
    scaling = Scaling.fit(torch.tensor([[0.0, 10.0], [0.0, 2.0], [1.0, 3.0]]), "minmax")
    values = torch.tensor([[3.0, 2.0, 5.0], [20.0, -5.0, 0.0]])
    result = scaling.of(torch.tensor([2, 0])).apply(values)
    assert result.data_ptr() == values.data_ptr()
    torch.testing.assert_close(values, torch.tensor([[1.0, 0.5, 2.0], [2.0, -0.5, 0.0]]))


@pytest.mark.parametrize(
    ("dtype", "scale", "expected"),
    [
        ("uint8", "standard", torch.float32),
        ("float32", "minmax", torch.float32),
        ("float32", "standard", torch.float64),
        ("int32", "minmax", torch.float64),
        ("float64", "minmax", torch.float64),
    ],
)
def test_a_scaling_knows_the_precision_it_needs(dtype, scale, expected):
    assert Scaling.fit(torch.from_numpy(draw(dtype)), scale).dtype is expected


def test_no_scaling_leaves_values_as_they_are():
    values = torch.from_numpy(draw("float32"))
    assert torch.equal(Scaling.none(5).apply(values.clone()), values)


# -- sparse ---------------------------------------------------------------------------------------


def sparse_of(dense, scale=None):
    """Return the columns of a dense matrix (a row each) without their zeros."""
    is_there = dense != 0
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), is_there.sum(dim=1).cumsum(0)])
    _, samples = is_there.nonzero(as_tuple=True)
    return SparseColumns(starts, samples, dense[is_there], dense.shape[1], scale)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.uint8])
@pytest.mark.parametrize("scale", ["minmax", "standard", None])
def test_sparse_columns_are_the_dense_ones(dtype, scale):
    generator = torch.Generator().manual_seed(0)
    dense = torch.randint(0, 9, (40, 70), generator=generator)
    dense = (dense * (torch.rand(40, 70, generator=generator) < 0.1)).to(dtype)
    dense[7] = 3  # constant
    scaling = None if scale is None else Scaling.fit(dense, scale)
    expected_source, source = ArrayColumns(dense, scaling), sparse_of(dense, scale)
    columns = torch.tensor([7, 39, 0, 12, 7])
    for cases in (slice(None), slice(0, 30), slice(25, 70)):
        n_cases = len(range(70)[cases])
        expected, found = torch.empty(5, n_cases), torch.empty(5, n_cases)
        expected_source.read(columns, out=expected, cases=cases)
        source.read(columns, out=found, cases=cases)
        assert torch.equal(found, expected)
    found, expected = source.scaling(columns), expected_source.scaling(columns)
    # Sums of fewer terms are rounded otherwise, far below single precision.
    torch.testing.assert_close(found.factor, expected.factor, rtol=1e-12, atol=0)
    torch.testing.assert_close(found.shift, expected.shift, rtol=1e-12, atol=0)


@pytest.mark.parametrize("scale", ["minmax", "standard"])
@pytest.mark.parametrize("value", [1e200, 1e-200, -3e300])
def test_sparse_columns_of_any_size_are_scaled(scale, value):
    dense = torch.zeros(2, 5, dtype=torch.float64)
    dense[0, 1:3] = value
    dense[1] = value  # constant, without a zero
    found, expected = sparse_of(dense, scale).scaling(torch.arange(2)), Scaling.fit(dense, scale)
    torch.testing.assert_close(found.shift, expected.shift, rtol=1e-12, atol=0)
    torch.testing.assert_close(found.factor, expected.factor, rtol=1e-12, atol=0)


def test_an_unknown_scale_is_refused_for_sparse_columns_too():
    with pytest.raises(EntryPruneError, match="'minmax' or 'standard', got 'log'"):
        sparse_of(torch.ones(2, 3), "log")


def test_a_sparse_table_without_values_is_all_zeros():
    source = sparse_of(torch.zeros(3, 4), "standard")
    out = torch.ones(3, 4)
    source.read(torch.arange(3), out=out)
    assert not out.any()


def test_columns_come_feature_by_feature_in_the_order_asked_for():
    grouping = Grouping(torch.tensor([0, 0, 1, 2, 2, 2]))
    assert grouping.columns_of(torch.tensor([2, 0])).tolist() == [3, 4, 5, 0, 1]
    assert grouping.columns_of(torch.tensor([], dtype=torch.int64)).tolist() == []
    assert not grouping.is_plain


def test_totals_are_over_all_features_or_some():
    grouping = Grouping(torch.tensor([0, 0, 1]))
    assert grouping.total(torch.tensor([1.0, 2.0, 4.0])).tolist() == [3.0, 4.0]
    some = torch.tensor([1, 0])
    assert grouping.total(torch.tensor([4.0, 1.0, 2.0]), some).tolist() == [4.0, 3.0]


def test_one_column_each_changes_nothing():
    grouping = Grouping.one_each(3)
    values = torch.tensor([1.0, 2.0, 3.0])
    assert grouping.is_plain
    assert grouping.total(values) is values


def test_a_single_column_of_ones_and_zeros_is_a_column_like_others():
    both = torch.tensor([True, True, False])
    grouping = Grouping(torch.tensor([0, 1, 1]), both)
    assert grouping.is_indicator.tolist() == [False, True, False]
