"""What the report of a comparison is made from: plain data, filled in by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from entryprune.report.run import DataFacts, Provenance


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One method with one number of selected features, judged by one learner and metric.

    Parameters
    ----------
    method : str
        The method's title.
    k : int
        How many features it selected.
    learner, metric : str
        What predicted from them, and how that was judged.
    mean, sd : float or None
        Of the scores over the folds; None if there are none.
    fold_scores : sequence of float, default=()
        The score in each fold; the folds are the same for all, in the same order.
    seconds : float, optional
        Time for one selection.
    higher_is_better : bool, default=True
        Whether a higher score is a better one.
    note : str, default=""
        Such as why there is no score.

    Examples
    --------
    >>> Contender(
    ...     method="EntryPrune", k=25, learner="k-nearest neighbours", metric="accuracy",
    ...     mean=0.9, sd=0.1, fold_scores=[0.8, 0.9, 1.0],
    ... ).k
    25
    """

    method: str
    k: int
    learner: str
    metric: str
    mean: float | None
    sd: float | None = None
    fold_scores: Sequence[float] = ()
    seconds: float | None = None
    higher_is_better: bool = True
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Frequencies:
    """How often one method with one K selected which features.

    Parameters
    ----------
    method : str
        The method's title.
    k : int
        How many features it selected each time.
    n_times : int
        How many times it selected, once in each fold.
    counts : sequence of (str, int, int)
        Name, column number and number of times of each feature that was selected at all.

    Examples
    --------
    >>> Frequencies(method="STG", k=1, n_times=5, counts=[("radius", 3, 4), ("area", 7, 1)]).n_times
    5
    """

    method: str
    k: int
    n_times: int
    counts: Sequence[tuple[str, int, int]]


@dataclass(frozen=True, kw_only=True)
class ComparisonReport:
    """All that the report of a comparison tells. What is not given is left out of it.

    Parameters
    ----------
    data : DataFacts
        What was read.
    contenders : sequence of Contender
        What was compared.
    provenance : Provenance
        How to do it again.
    references : sequence of Contender, default=()
        The same with all features, one for each learner and metric.
    frequencies : sequence of Frequencies, default=()
        Which features were selected how often.
    seconds : float, optional
        How long all of it took.
    ended : {"finished", "interrupted"}, default="finished"
        Whether all that was asked for was tried.
    warnings : sequence of str, default=()
        What was warned of on the way.

    Examples
    --------
    >>> from entryprune.report.run import DataFacts, Provenance
    >>> report = ComparisonReport(
    ...     data=DataFacts(
    ...         file_name="a.csv", n_cases=99, n_features=9, target="y", task="regression"
    ...     ),
    ...     contenders=[
    ...         Contender(method="STG", k=2, learner="ridge", metric="R²", mean=0.5, sd=0.1)
    ...     ],
    ...     provenance=Provenance(command="entryprune compare a.csv"),
    ... )
    >>> len(report.contenders)
    1
    """

    data: DataFacts
    contenders: Sequence[Contender]
    provenance: Provenance
    references: Sequence[Contender] = ()
    frequencies: Sequence[Frequencies] = ()
    seconds: float | None = None
    ended: str = "finished"
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not self.contenders:
            raise ValueError("There is nothing to compare. Give at least one contender.")
