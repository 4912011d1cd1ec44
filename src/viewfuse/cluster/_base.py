"""The shell every estimator shares: ways in, validation, fitted attributes. A method adds its parameters and its solver."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils.device import free_memory
from ..exceptions import UnusedColumnsWarning, ViewsTypeError
from ..linalg import assign_clusters
from ..linalg.threads import threads_for
from ..views import Views, align_graph_frames, holds_views, is_dataframe, split_columns
from ._checks import check_enough_samples, check_graphs, check_n_clusters, informative_views, solving
from ._memory import check_memory
from ._saving import write_model

__all__ = ["EmbeddingMixin", "MultiViewClusterer", "RelabelMixin"]


class MultiViewClusterer(ClusterMixin, BaseEstimator):
    """Base of the multi-view clusterers.

    A subclass has the parameters ``n_clusters`` and ``views``, checks its others in ``_check_parameters`` and solves in
    ``_fit(views, arrays, used)``, where ``arrays`` are valid floating-point views and ``used`` the positions of those in
    which samples differ.
    """

    n_clusters: Any
    views: Any
    affinity: str = "self-expressive"
    _counts_clusters = False  # whether n_clusters may be "auto"
    _html_summary: Callable[[Any], str] | None = None  # set by viewfuse.inspection, which this package cannot import

    def fit(self, X: Any, y: Any = None) -> MultiViewClusterer:
        """Cluster the samples.

        Parameters
        ----------
        X : list, tuple or dict of (n_samples, n_features) views, Views, or one 2-D array or DataFrame
            A list or dict of DataFrames is joined on the index. One 2-D array or DataFrame is split by the estimator's
            ``views=``; without it, it is one view.
        y : ignored

        Returns
        -------
        self
        """
        views = self._checked_views(X)
        arrays, present = self._arrays(views)
        check_enough_samples(views, 2 if self.n_clusters == "auto" else self.n_clusters)
        if self.affinity == "precomputed":
            check_graphs(views, arrays)
        used = informative_views(views, arrays, present)
        self._describe(X, views)
        if getattr(self, "device", None) is None and free_memory(arrays[used[0]]) is None:  # not on a GPU
            check_memory(self, [arrays[v] for v in used])
        with solving(self), threads_for(len(views)):
            self._fit(views, arrays, used)
        return self

    def _arrays(self, views: Views) -> tuple[list[Any], np.ndarray | None]:
        """The views as floating-point arrays, and who has which: None where the method needs everybody in all of them."""
        return views.float_arrays(), None

    def _checked_views(self, X: Any) -> Views:
        """The parameters checked, the data as views."""
        check_n_clusters(self.n_clusters, may_be_auto=self._counts_clusters)
        self._check_parameters()
        return self._as_views(X)

    def _describe(self, X: Any, views: Views) -> None:
        """Remember what the data is called."""
        if not _is_one_matrix(X):
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        self.view_names_ = np.asarray(views.names, dtype=object)
        self.n_features_in_ = views.shape[1]

    def save(self, path: str | Path) -> Path:
        """Write the estimator, fitted or not, to a file that :func:`viewfuse.load` reads: arrays and JSON, nothing pickled.

        A file already there is replaced once the new one is whole.
        """
        return write_model(self, path)

    def _check_parameters(self) -> None:
        """Raise ParameterError for a parameter that cannot be."""

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _fit")

    def _as_views(self, X: Any, *, reset: bool = True) -> Views:
        if not _is_one_matrix(X):
            if self.views is not None:
                raise ViewsTypeError(
                    "views= splits the columns of one 2-D array or DataFrame, but the data is already in views "
                    f"({type(X).__name__}); leave views= out."
                )
            if isinstance(X, Views):
                return X
            return Views(align_graph_frames(X) if self.affinity == "precomputed" else X)
        if getattr(X, "ndim", 2) > 2:
            raise ViewsTypeError(
                f"A {X.ndim}-D array of shape {X.shape} is neither one matrix nor a list of views; "
                "pass list(X) if its first axis counts the views."
            )
        matrix = self._as_matrix(X, reset=reset)
        # Row names serve the messages; within one frame there is nothing to match, so they need not be distinct.
        index = X.index if is_dataframe(X) and X.index.is_unique else None
        if self.views is None:
            views = Views({"all": matrix})
        else:
            views, unused = split_columns(matrix, self.views)
            if unused:
                warnings.warn(
                    f"{unused} of {matrix.shape[1]} columns are in no group of views= and are not used.",
                    UnusedColumnsWarning,
                    stacklevel=3,
                )
        return views if index is None else Views(views, ids=index)

    def _as_matrix(self, X: Any, *, reset: bool) -> Any:
        """One matrix, checked as scikit-learn checks it; a DataFrame is left to ``Views``, which names its columns."""
        if is_dataframe(X):
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X.reset_index(drop=True)
        kind = getattr(getattr(X, "dtype", None), "kind", None)
        if kind in ("c", "U", "S"):
            Views({"all": X})  # raises, and says what these values are
        try:
            return validate_data(self, X, accept_sparse=True, dtype="numeric", ensure_all_finite=False, reset=reset)
        except ValueError:
            if kind == "O" and X.ndim == 2:
                Views({"all": X})  # names the value that is not a number
            raise

    def _weights_of_all_views(self, weights: np.ndarray, used: list[int], n_views: int) -> np.ndarray:
        """Weights of all views, 0 for those set aside."""
        full = np.zeros((*weights.shape[:-1], n_views))
        full[..., used] = weights
        return full

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram and, of a fitted estimator, a small summary above it."""
        diagram = estimator_html_repr(self)
        summary_html = type(self)._html_summary
        return summary_html(self) + diagram if summary_html is not None and hasattr(self, "labels_") else diagram

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        return {**shown, "text/html": self._repr_html_inner()} if get_config()["display"] == "diagram" else shown

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags


class EmbeddingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """For methods that embed the samples: ``fit_transform``, and ``set_output`` for DataFrames out."""

    embedding_: Any

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Cluster the samples and return their embedding, one row per sample."""
        return self.fit(X).embedding_

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


class RelabelMixin(EmbeddingMixin):
    """For methods in which nothing but k-means is random once the embedding is there: repetitions need not fit again."""

    n_clusters: Any
    _points: Any  # the embedding's rows as k-means gets them

    def relabel(self, *, n_init: int = 1, random_state: Any = None) -> np.ndarray:
        """Labels of one more k-means run on the fitted embedding; the fit itself stays as it is."""
        check_is_fitted(self)
        k = getattr(self, "n_clusters_", self.n_clusters)
        return assign_clusters(self._points, k, n_init=n_init, random_state=check_random_state(random_state))


def _is_one_matrix(X: Any) -> bool:
    """Whether the data is one (samples × features) matrix: an array, a frame, or nested lists of numbers."""
    if sp.issparse(X):  # before Mapping: scipy's dictionary of keys is one
        return True
    if isinstance(X, (Views, Mapping)) or holds_views(X):
        return False
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and all(isinstance(row, (list, tuple)) and not _is_nested(row) for row in X)
    return hasattr(X, "shape") or hasattr(X, "__array__")


def _is_nested(row: Any) -> bool:
    return any(isinstance(value, (list, tuple)) or bool(getattr(value, "shape", ())) for value in row)
