"""scikit-learn's own checks, in the 2-D mode."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from viewfuse import GF, GFSC, AnchorGFSC

# These set n_clusters to 1, which viewfuse refuses on purpose: one cluster is no clustering. They are run below with 2.
SETS_ONE_CLUSTER = dict.fromkeys(
    [
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_methods_subset_invariance",
    ],
    "scikit-learn sets n_clusters=1, which viewfuse refuses",
)


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([GFSC(), GF(), AnchorGFSC()], expected_failed_checks=lambda estimator: SETS_ONE_CLUSTER)
def test_estimator(estimator, check):
    check(estimator)


class _TwoAtLeast(GFSC):
    """GFSC that takes scikit-learn's n_clusters=1 for 2, so that the checks which set it run too."""

    def fit(self, X, y=None):
        asked, self.n_clusters = self.n_clusters, max(self.n_clusters, 2)
        try:
            return super().fit(X, y)
        finally:
            self.n_clusters = asked


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([_TwoAtLeast()])
def test_estimator_with_two_clusters(estimator, check):
    check(estimator)
