import pytest

from entryprune.cli._messages import in_options

PARAMETERS = ("n_features_to_select", "max_rotations", "patience", "scale", "task", "max_iter")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("If y holds classes, say task='classification'.",
         "If the target holds classes, say --task classification."),
        ("The 'patience' parameter of A must be an int. Got 0 instead.",
         "--set patience takes a whole number; got 0."),
        ("The 'scale' parameter of A must be a str among {'minmax', 'auto'} or None. Got 'x' "
         "instead.",
         "--set scale takes 'auto' or 'minmax'; got 'x'."),
        ("The 'patience' parameter of A must be an instance of 'bool' or an instance of "
         "'numpy.bool', an int in the range [1, inf) or a float in the range (0.0, 1.0). Got -1 "
         "instead.",
         "--set patience takes a whole number from 1, a number above 0 below 1, true or false; "
         "got -1."),
        ("The 'scale' parameter of A must be a callable. Got 3 instead.",
         "--set scale must be a callable. Got 3 instead."),
        ("Raise max_rotations or lower patience.",
         "Raise --set max_rotations or lower --set patience."),
        ("Or scale the data (scale='minmax' or 'standard').",
         "Or scale the data (--set scale=minmax or scale=standard)."),
        ("n_features_to_select must be at most 3, the number of features in X.",
         "-k must be at most 3, the number of features in the table."),
        ("Say preset='paper', or leave it out.", "Say --method entryprune, or leave it out."),
        ("Give `patience` a number.", "Give --set patience a number."),
        ("The column 'a' had numbers in fit, and now has text such as 'x'. Bring it as numbers.",
         "The column 'a' had numbers when the model was made, and now has text such as 'x'. Bring "
         "it as numbers."),
        ("X has levels in 2 columns: 'marker X level' (2), 'x and y' (1). Mend X, or y.",
         "The table has levels in 2 columns: 'marker X level' (2), 'x and y' (1). Mend the table, "
         "or the target."),
        ("y has one class only ('y').", "The target has one class only ('y')."),
        ("Invalid parameter 'patiense' for estimator A(task='x'). Valid parameters are: "
         "['patience', 'random_state', 'max_iter'].",
         "--set patiense: the method has no such parameter. Did you mean 'patience'? It has "
         "patience, max_iter."),
        # Nothing to translate: names of features, English, parameters of something else.
        ("'task' and 'X' are constant; n_splits=5, X-linked, my_task.",
         "'task' and 'X' are constant; n_splits=5, X-linked, my_task."),
    ],
)  # fmt: skip
def test_messages_name_options(said, told):
    assert in_options(said, PARAMETERS) == told


@pytest.fixture
def quantity(tmp_path):
    path = tmp_path / "quantity.csv"
    rows = [f"{i % 7},{i % 5},{i % 3},{i / 7:.3f}" for i in range(30)]
    path.write_text("\n".join(["a,b,c,y", *rows]))
    return path


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--method", "fisher"),
            "if the numbers of the target stand for classes, --task classification",
        ),
        (("--method", "l1", "--set", "scale=foo"), "--set scale takes 'minmax'"),
        (("--method", "l1", "--set", "scal=foo"), "--set scal: the method has no such parameter."),
    ],
)
def test_what_a_method_refuses_is_told_in_options(entryprune, quantity, options, message):
    code, _, err = entryprune("select", quantity, "--target", "y", "-k", "1", *options)
    assert code == 2
    assert message in err
    assert "task='" not in err
    assert "estimator" not in err


def test_warnings_of_a_method_name_options(entryprune, quantity):
    code, _, err = entryprune(
        *("select", quantity, "--target", "c", "-k", "1", "--method", "rfs", "--set", "max_iter=1")
    )
    assert code == 0
    assert "Raise --set max_iter or --set tol." in err


def test_a_comparison_tells_refusals_in_options(entryprune, quantity):
    code, out, err = entryprune(
        *("compare", quantity, "--target", "y", "-k", "1", "--methods", "l1,fisher"),
        *("--repeats", "1", "--set", "scale=foo"),
    )
    assert (code, out) == (2, "")
    assert "--set scale takes 'minmax'" in err
    assert "fold" not in err
