"""scikit-learn's estimator checks, on one 2-D array."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from viewfuse import METHODS
from viewfuse.exceptions import ParameterError


class _TwoAtLeast:
    """Replaces n_clusters=1 by 2: some of scikit-learn's checks set it, but viewfuse refuses one cluster."""

    def fit(self, X, y=None):
        asked, self.n_clusters = self.n_clusters, max(self.n_clusters, 2)
        try:
            return super().fit(X, y)
        finally:
            self.n_clusters = asked


def _lenient(method):
    """The method with ``_TwoAtLeast``, as a global name of this module so that it can be pickled."""
    name = f"TwoAtLeast{method.__name__}"
    globals()[name] = type(name, (_TwoAtLeast, method), {"__module__": __name__, "__doc__": method.__doc__})
    return globals()[name]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([_lenient(method)(n_clusters=2) for method in METHODS.values()])
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("key", list(METHODS))
def test_one_cluster_is_refused(key):
    with pytest.raises(ParameterError, match="n_clusters must be a whole number of at least 2"):
        METHODS[key](n_clusters=1).fit([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]])
