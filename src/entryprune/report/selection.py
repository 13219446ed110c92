"""What the report of one selection is made from: plain data, filled in by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from entryprune.report._history import read_history

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from entryprune.report.run import DataFacts, Provenance

Scores = Sequence[float | None]


@dataclass(frozen=True, kw_only=True, eq=False)
class Selected:
    """What came out.

    Parameters
    ----------
    names : sequence of str
        The selected features, best first.
    columns : sequence of int
        Their numbers in the file, as they shall be written.
    scores : sequence of float or None, optional
        What they are ranked by; NaN or None where a feature has none. Not given if the method
        has no scores.
    score_name : str, default="entry score"
        What the scores are.
    score_meaning : str, default=""
        How to read the scores, where the smallest of them is not what a feature had to reach.
    other_scores : mapping of str to sequence of float or None, default={}
        Further columns for the table, by their names.
    near_duplicates : sequence of sequence of (str, float), default=()
        For each selected feature those that were left out because they say nearly the same, with
        their correlations to it.
    runners_up : sequence of (str, int, float or None), default=()
        The next best features, with their columns and scores.
    runners_up_note : str, default=""
        How to read the scores of these, where they are of another kind.
    ended : {"finished", "interrupted", "cut off"}, default="finished"
        Whether the method came to its own end, was interrupted, or met a limit.
    seconds : float, optional
        How long it took.
    warnings : sequence of str, default=()
        What was warned of on the way.

    Examples
    --------
    >>> Selected(names=["radius", "texture"], columns=[1, 2], scores=[0.9, 0.4]).ended
    'finished'
    """

    names: Sequence[str]
    columns: Sequence[int]
    scores: Scores | None = None
    score_name: str = "entry score"
    score_meaning: str = ""
    other_scores: Mapping[str, Scores] = field(default_factory=dict)
    near_duplicates: Sequence[Sequence[tuple[str, float]]] = ()
    runners_up: Sequence[tuple[str, int, float | None]] = ()
    runners_up_note: str = ""
    ended: Literal["finished", "interrupted", "cut off"] = "finished"
    seconds: float | None = None
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(self.names) == 0:
            raise ValueError("There are no selected features, so there is nothing to report.")
        lists: dict[str, Sequence[object]] = {"columns": self.columns}
        if self.scores is not None:
            lists["scores"] = self.scores
        if len(self.near_duplicates):
            lists["near_duplicates"] = self.near_duplicates
        lists |= self.other_scores
        for name, values in lists.items():
            if len(values) != len(self.names):
                raise ValueError(
                    f"There are {len(self.names)} selected features, but {name} has {len(values)} "
                    "entries. Give one for each."
                )


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Two features that matter only together.

    Parameters
    ----------
    names : (str, str)
        The features.
    columns : (int, int)
        Their numbers in the file.
    strength : float
        How far what they do together is from nothing, in standard deviations.
    p_value : float
        How often chance would show a pair as strong, among all pairs that were looked at.
    values : array of shape (n_cases, 2), optional
        Their values, to be drawn.

    Examples
    --------
    >>> Pair(names=("gene A", "gene B"), columns=(3, 17), strength=9.5, p_value=1e-15).names
    ('gene A', 'gene B')
    """

    names: tuple[str, str]
    columns: tuple[int, int]
    strength: float
    p_value: float
    values: ArrayLike | None = None


@dataclass(frozen=True, kw_only=True)
class Validation:
    """One score from cross-validation, with the selection inside the folds.

    Parameters
    ----------
    what : str
        The features it is with, such as "the selected 50" or "all 784 features".
    learner, metric : str
        What predicted, and how that was judged.
    mean, sd : float or None
        Over the folds.
    n_splits, n_repeats : int
        Folds, and how often the cases were split anew.
    higher_is_better : bool, default=True
        Whether a higher score is a better one.

    Examples
    --------
    >>> Validation(
    ...     what="all 784 features", learner="k-nearest neighbours", metric="accuracy", mean=0.95,
    ...     sd=0.01, n_splits=5, n_repeats=1,
    ... ).mean
    0.95
    """

    what: str
    learner: str
    metric: str
    mean: float | None
    sd: float | None
    n_splits: int
    n_repeats: int = 1
    higher_is_better: bool = True


@dataclass(frozen=True, eq=False)
class Cases:
    """The values of the selected features, and the target.

    Parameters
    ----------
    X : array of shape (n_cases, n_selected)
        Its columns in the order of the selected features; NaN where a value is missing.
    y : array of shape (n_cases,)
        The class labels or the numbers to predict.

    Examples
    --------
    >>> Cases([[1.0, 2.0], [3.0, 4.0]], ["benign", "malignant"]).y
    ['benign', 'malignant']
    """

    X: ArrayLike
    y: ArrayLike


@dataclass(frozen=True, eq=False)
class Images:
    """How cases are images.

    Parameters
    ----------
    shape : (height, width) or (3, height, width)
        Of an image. With three channels a case holds all of red, then green, then blue.
    mask : array of bool of shape (n_features,)
        True where a feature is selected.
    samples : array of shape (n_samples, n_features), optional
        A few cases to show.

    Examples
    --------
    >>> Images((2, 2), [True, False, False, True]).shape
    (2, 2)
    """

    shape: tuple[int, ...]
    mask: ArrayLike
    samples: ArrayLike | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectionReport:
    """All that the report of one selection tells. What is not given is left out of it.

    Parameters
    ----------
    data : DataFacts
        What was read.
    n_selected : int
        How many features were asked for.
    method : str
        The method's title.
    selected : Selected
        What came out.
    provenance : Provenance
        How to do it again.
    history : mapping of str to array, optional
        By rotation or step: ``phase``, ``rotation``, ``training_loss``, ``validation_loss``,
        ``n_changed``, ``min_entry_score`` and ``input_size``, as a selector's ``history_``.
        More is ignored.
    pairs : sequence of Pair, default=()
        Features that matter only together, the strongest first. The first is drawn if there are
        its values and the target.
    pairs_searched : float, optional
        Which share of all pairs of features was looked at for them, 0 to 1; not given if pairs
        were not to be looked for.
    validation : sequence of Validation, default=()
        Scores with all and with the selected features.
    cases : Cases, optional
        For how the selected features are distributed and related.
    images : Images, optional
        If features are pixels.
    n_distributions : int, default=12
        How many features, from the first, have their distribution shown.

    Examples
    --------
    >>> from entryprune.report.run import DataFacts, Provenance
    >>> report = SelectionReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=9, target="y", task="regression"
    ...     ),
    ...     n_selected=1,
    ...     method="EntryPrune",
    ...     selected=Selected(names=["radius"], columns=[3], scores=[0.5]),
    ...     provenance=Provenance(command="entryprune select a.csv"),
    ... )
    >>> report.selected.names
    ['radius']
    """

    data: DataFacts
    n_selected: int
    method: str
    selected: Selected
    provenance: Provenance
    history: Mapping[str, ArrayLike] | None = None
    pairs: Sequence[Pair] = ()
    pairs_searched: float | None = None
    validation: Sequence[Validation] = ()
    cases: Cases | None = None
    images: Images | None = None
    n_distributions: int = 12

    def __post_init__(self) -> None:
        if self.history is not None:
            read_history(self.history)
        if self.pairs_searched is not None and not 0 <= self.pairs_searched <= 1:
            raise ValueError(
                f"pairs_searched is {self.pairs_searched}. Give the share of all pairs that was "
                "looked at, from 0 to 1."
            )
        if self.cases is not None:
            shape, n_selected = np.shape(self.cases.X), len(self.selected.names)
            if len(shape) != 2 or shape[1] != n_selected:
                raise ValueError(
                    f"X must have a column for each of the {n_selected} selected features; its "
                    f"shape is {shape}."
                )
            if np.shape(self.cases.y) != shape[:1]:
                raise ValueError(
                    f"X has {shape[0]} cases, but the shape of y is {np.shape(self.cases.y)}. "
                    "Give one target for each case."
                )
            for pair in self.pairs:
                if pair.values is not None and np.shape(pair.values) != (shape[0], 2):
                    raise ValueError(
                        f"The values of {' and '.join(pair.names)} must have {shape[0]} rows, one "
                        f"for each case, and 2 columns; their shape is {np.shape(pair.values)}."
                    )
