"""Each bad input gets an error that says what is wrong and what to do."""

import numpy as np
import pandas as pd
import pytest
import torch

from entryprune import EntryPruneClassifier, EntryPruneRegressor
from entryprune.baselines import FisherSelector
from entryprune.engine import DivergedError


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_nan_and_infinity_in_x_name_the_column(easy, quick, value, word):
    X, y = easy
    X = X.copy()
    X[4, 7] = value
    with pytest.raises(ValueError, match=rf"{word}.*1 of 12 columns: column 7\."):
        EntryPruneClassifier(2, **quick).fit(X, y)
    frame = pd.DataFrame(X).add_prefix("gene ")
    with pytest.raises(ValueError, match=rf"{word}.*'gene 7'"):
        EntryPruneClassifier(2, **quick).fit(frame, y)
    fitted = EntryPruneClassifier(2, **quick).fit(*easy)
    with pytest.raises(ValueError, match=word):
        fitted.predict(X)


def test_many_bad_columns_are_counted_not_listed(easy, quick):
    X = np.full_like(easy[0], np.nan)
    with pytest.raises(ValueError, match=r"12 of 12 columns.*column 4 and 7 more.*SimpleImputer"):
        EntryPruneClassifier(2, **quick).fit(X, easy[1])


def test_who_can_fill_gaps_in_says_so(easy):
    X = easy[0].copy()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match=r'column 2\. Set missing="impute" to have them filled in'):
        EntryPruneClassifier(2).fit(X, easy[1])
    with pytest.raises(ValueError, match=r"column 2\. Impute or drop them first"):
        FisherSelector(2).fit(X, easy[1])


def test_large_values_whose_sum_overflows_are_no_infinity(easy, quick):
    X, y = easy
    X = X * 1e307
    assert EntryPruneClassifier(2, **quick).fit(X, y).support_[[3, 8]].all()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_in_y_are_refused(easy, quick, value):
    y = easy[1].astype(float)
    y[3] = value
    for cls in (EntryPruneClassifier, EntryPruneRegressor):
        with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity)"):
            cls(2, **quick).fit(easy[0], y)


@pytest.mark.parametrize("k", [0, -1, 13, 1.5, 0.0, -0.5])
def test_an_impossible_k_is_refused_with_what_is_allowed(easy, quick, k):
    with pytest.raises(ValueError, match=rf"from 1 to 12.*fraction.*got {k!r}"):
        EntryPruneClassifier(k, **quick).fit(*easy)


def test_one_class_is_refused(easy, quick):
    with pytest.raises(ValueError, match=r"one class only \(1\); at least two classes"):
        EntryPruneClassifier(2, **quick).fit(easy[0], np.ones(150, dtype=int))


def test_continuous_targets_are_no_classes(easy, quick):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        EntryPruneClassifier(2, **quick).fit(easy[0], easy[0][:, 0])


def test_a_mask_is_not_lost_in_silence(easy, quick):
    X, y = easy
    masked = np.ma.masked_array(X, mask=X > 2)
    with pytest.raises(ValueError, match=rf"X is a masked array with {(X > 2).sum()} masked"):
        EntryPruneClassifier(3, **quick).fit(masked, y)
    with pytest.raises(ValueError, match="y is a masked array"):
        EntryPruneClassifier(3, **quick).fit(X, np.ma.masked_array(y, mask=y == 1))
    unmasked = EntryPruneClassifier(3, **quick).fit(np.ma.masked_array(X), y)
    assert (
        unmasked.selected_indices_.tolist()
        == EntryPruneClassifier(3, **quick).fit(X, y).selected_indices_.tolist()
    )
    for method in (unmasked.predict, unmasked.transform):
        with pytest.raises(ValueError, match=rf"X is a masked array with {(X > 2).sum()} masked"):
            method(masked)
    assert np.array_equal(unmasked.transform(np.ma.masked_array(X)), unmasked.transform(X))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", 1], "y mixes texts and other values, such as 'a' and 1"),
        (["a", None], r"y has 75 missing labels"),
        (["a", np.nan], r"y has 75 missing labels"),
    ],
)
def test_labels_that_cannot_be_put_in_order_are_named(easy, quick, labels, message):
    with pytest.raises(ValueError, match=message):
        EntryPruneClassifier(3, **quick).fit(easy[0], np.array(labels * 75, dtype=object))


@pytest.mark.parametrize("dtype", [str, object])
def test_texts_are_no_quantity(easy, dtype):
    with pytest.raises(ValueError, match="y must hold numbers for regression, but has texts such"):
        EntryPruneRegressor(3).fit(easy[0], np.array(["a", "b"] * 75, dtype=dtype))


@pytest.mark.parametrize("make", [pd.DataFrame, np.asarray])
def test_a_table_without_columns_is_told(easy, quick, make):
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(150, 0\)\) while a minimum"):
        EntryPruneClassifier(3, **quick).fit(make(easy[0][:, :0]), easy[1])


def test_lengths_that_differ_are_refused(easy, quick):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[150, 149\]"):
        EntryPruneClassifier(2, **quick).fit(easy[0], easy[1][:-1])


def test_text_in_an_array_is_named_by_its_column(quick):
    X = [[1, "a"], [2, "b"], [3, "a"], [4, "b"]]
    with pytest.raises(ValueError, match=r"not: column 1\."):
        EntryPruneClassifier(1, **quick).fit(X, [0, 1, 0, 1])


def test_who_takes_tables_of_texts_says_so(easy):
    X = easy[0].astype(object)
    X[:, 5] = "a"
    with pytest.raises(
        ValueError, match=r"not: column 5\. In a DataFrame .* pandas\.DataFrame\(X\)"
    ):
        EntryPruneClassifier(2).fit(X, easy[1])
    with pytest.raises(ValueError, match=r"not: column 5\. Encode them first"):
        FisherSelector(2).fit(X, easy[1])


def test_numbers_held_as_objects_are_numbers(easy, quick):
    X, y = easy
    assert EntryPruneClassifier(2, **quick).fit(X.astype(object), y).support_[[3, 8]].all()


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("interactions", "sometimes"),
        ("max_exchanges", -1),
        ("max_exchanges", 1.5),
        ("candidate_ratio", 0.0),
        ("candidate_ratio", 1.1),
        ("batches_per_rotation", 0),
        ("patience", 0),
        ("stopping", "never"),
        ("change_metric", "size"),
        ("preset", "fast"),
        ("scale", "robust"),
        ("validation_fraction", 1.0),
        ("learning_rate_init", 0.0),
        ("body", "mlp"),
        ("loss", "hinge"),
        ("callback", 3),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_name(easy, quick, parameter, value):
    selector = EntryPruneClassifier(2, **{**quick, parameter: value})
    with pytest.raises(ValueError, match=rf"'{parameter}' parameter.*Got {value!r} instead"):
        selector.fit(*easy)


@pytest.mark.parametrize(
    ("preset", "parameter", "value"),
    [
        ("exchange", "patience", 5),
        ("exchange", "candidate_ratio", 0.5),
        ("exchange", "flex", False),
        ("exchange", "max_epochs", None),
        ("exchange", "validation_fraction", 0.1),
        ("paper", "interactions", False),
        ("paper", "max_exchanges", 0),
    ],
)
@pytest.mark.parametrize("cls", [EntryPruneClassifier, EntryPruneRegressor])
def test_a_parameter_of_the_other_preset_is_refused(easy, cls, preset, parameter, value):
    selector = cls(2, preset=preset, **{parameter: value})
    other = {"exchange": "paper", "paper": "exchange"}[preset]
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the whole message is compared
        selector.fit(*easy)
    assert str(raised.value) == (
        f"{parameter} is a parameter of preset='{other}', and the preset is '{preset}', where it "
        f"means nothing. Say preset='{other}', or leave {parameter} out."
    )
    assert not hasattr(selector, "n_features_in_")


@pytest.mark.parametrize("preset", ["exchange", "paper"])
def test_auto_is_refused_by_no_preset(easy, preset):
    selector = EntryPruneClassifier(2, preset=preset)
    everything = {name: "auto" for name, value in selector.get_params().items() if value == "auto"}
    assert {"patience", "interactions"} <= everything.keys()
    fitted = selector.set_params(**everything, callback=lambda record: True).fit(*easy)
    assert fitted.support_.sum() == 2


def test_hidden_layers_need_a_width(easy, quick):
    with pytest.raises(ValueError, match=r"hidden_layer_sizes must be positive"):
        EntryPruneClassifier(2, hidden_layer_sizes=(10, 0), **quick).fit(*easy)
    with pytest.raises(ValueError, match=r"give its width in hidden_layer_sizes"):
        EntryPruneClassifier(2, hidden_layer_sizes=(), body=torch.nn.Linear(3, 3), **quick).fit(
            *easy
        )


def test_a_device_that_is_not_there_is_refused(easy, quick):
    with pytest.raises(ValueError, match=r"device='warp' cannot be used here.*'auto' or 'cpu'"):
        EntryPruneClassifier(2, device="warp", **quick).fit(*easy)


def test_values_beyond_single_precision_need_scaling(easy, quick):
    X, y = easy
    with pytest.raises(ValueError, match=r"beyond single precision.*scale='minmax'"):
        EntryPruneClassifier(2, scale=None, **quick).fit(X * 1e300, y)


def test_divergence_is_told_with_the_parameters_that_cure_it(easy, quick):
    selector = EntryPruneClassifier(2, learning_rate_init=1e30, **quick)
    with pytest.raises(DivergedError, match=r"Lower learning_rate_init.*scale='minmax'"):
        selector.fit(*easy)
    assert not hasattr(selector, "support_")


def test_predict_before_fit_says_so(easy):
    with pytest.raises(ValueError, match="not fitted"):
        EntryPruneClassifier(2).predict(easy[0])
