"""RigL, a sparse network rewired by gradient, as a feature selector.

U. Evci, T. Gale, J. Menick, P. S. Castro and E. Elsen, Rigging the lottery: making all tickets
winners, ICML 2020. As a feature selector: Z. Atashgahi et al., Supervised feature selection with
neuron evolution in sparse neural networks, Transactions on Machine Learning Research, 2023.
"""

from __future__ import annotations

import numpy as np

from entryprune.baselines._base import Data, Ranking
from entryprune.baselines._rewiring import rewire_by_gradient
from entryprune.baselines._sparse import REPLACED, SparseSelector, finished_scores
from entryprune.engine.settings import setting
from entryprune.selectors._selector import estimator


@estimator()
class RigLSelector(SparseSelector):
    """Select features by the weights of a sparse network that is rewired by gradient.

    After each epoch every layer drops its smallest weights and regrows as many, those whose
    gradients on a mini-batch are largest, from zero. A feature's score is the sum of the absolute
    weights that leave its input.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from entryprune.baselines import RigLSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> small = dict(hidden_layer_sizes=20, learning_rate_init=0.1, batch_size=20, max_epochs=20)
    >>> selector = RigLSelector(2, **small, random_state=0)
    >>> selector.fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    _title = "RigL"

    zeta: float = setting(0.3, *REPLACED)

    def _rank(self, data: Data, n_selected: int, rng: np.random.Generator) -> Ranking:
        del n_selected
        generator = self._generator(rng)
        batches = self._batches(data, generator)
        network = self._predictor(data, generator)
        self._train(
            network,
            batches,
            after_epoch=lambda _: rewire_by_gradient(
                network.layers, self.zeta, network.backward(*batches.one())
            ),
        )
        return Ranking(finished_scores(network.layers[0].strengths(), data.X))
