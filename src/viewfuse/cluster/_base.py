"""Base class of the estimators: accepted data, validation and fitted attributes. A method adds parameters and a solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from .._utils import hooks
from .._utils.device import is_on_accelerator, moves_to, to_host
from .._utils.extras import require
from .._utils.text import listed
from .._utils.warn import recording, suppressing, texts_of, warn
from ..exceptions import DegenerateGraphWarning, EncodingWarning, KindWarning, UnusedColumnsWarning, ViewsTypeError
from ..linalg import assign_clusters, numbered_by_size, occurrences, order_by_size, renumbered
from ..linalg.threads import one_thread, threads_for
from ..views import (
    RELATIONS,
    Views,
    align_graph_frames,
    as_frame,
    holds_dask,
    holds_views,
    is_dataframe,
    is_table,
    split_columns,
    warn_of_suspicious_values,
)
from ._checks import (
    check_different_samples,
    check_enough_samples,
    check_finite_results,
    check_graphs,
    check_not_split_by_view,
    nonconstant_views,
    restored_on_failure,
    solving,
)
from ._constraints import ANYTHING, Constraint, Count, check_parameters
from ._docs import filled
from ._matching import Columns
from ._memory import MemoryDemand, check_memory
from ._saving import write_model
from ._solution import Solution
from .contradiction import warn_of_contradictions

__all__ = ["Cut", "EmbeddingMixin", "MultiViewClusterer", "RelabelMixin"]

Cut = Callable[[np.ndarray], Any]  # positions of samples → their labels


class MultiViewClusterer(ClusterMixin, BaseEstimator):
    """Base class of the multi-view clusterers, and of your own.

    A subclass has the parameters ``n_clusters`` and ``views`` and, if it draws random numbers, ``random_state``. It
    implements one method, :meth:`cluster_views`. Everything else is inherited: the forms of the data, its validation and
    messages, sparse and constant views, the numbering of the clusters, ``fit_predict``, ``save`` and scikit-learn's tools.

    Examples
    --------
    >>> import numpy as np
    >>> import viewfuse as vf
    >>> from sklearn.cluster import KMeans
    >>> class Concatenated(vf.MultiViewClusterer):
    ...     def __init__(self, n_clusters=8, *, views=None, random_state=None):
    ...         self.n_clusters, self.views, self.random_state = n_clusters, views, random_state
    ...
    ...     def cluster_views(self, views, random_state):
    ...         points = np.hstack([view / np.abs(view).max() for view in views])
    ...         return KMeans(self.n_clusters, n_init=10, random_state=random_state).fit_predict(points)
    >>> views = vf.datasets.make_views(n_samples=60, n_clusters=3, random_state=0)
    >>> vf.metrics.accuracy(views.y, Concatenated(3, random_state=0).fit(views).labels_)
    1.0
    """

    n_clusters: Any
    views: Any
    labels_: Any
    verdict_: Any
    _points: Any
    affinity: str = "self-expressive"

    _parameter_constraints: ClassVar[dict[str, Sequence[Constraint]]] = {
        "n_clusters": [Count(2)],
        "views": ANYTHING,  # split_columns checks them against the data
        "random_state": ANYTHING,  # checked by scikit-learn's check_random_state
    }
    _counts_clusters: ClassVar[bool] = False  # whether n_clusters may be "auto"
    _memory_demand: ClassVar[MemoryDemand | None] = None  # None: the method makes no n × n array
    _gives_verdict = True  # False for fits inside other fits
    _most_on_one_thread: ClassVar[int] = 500  # samples: for so few, one thread is as fast as several
    _most_clustered: ClassVar[int | None] = None  # samples; see _n_clustered
    _unsaved_parameters: ClassVar[tuple[str, ...]] = ()  # ``save`` leaves them out, ``load`` sets them to None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__doc__ is not None:
            cls.__doc__ = filled(cls.__doc__)

    def fit(self, X: Any, y: Any = None) -> MultiViewClusterer:
        """Cluster the samples.

        Parameters
        ----------
        X : list, tuple or dict of (n_samples, n_features) views, Views, or one 2-D array or DataFrame
            A list or dict of DataFrames is joined on the ids, and its columns are encoded (``encoding_``), as in
            :class:`viewfuse.Views`. One 2-D array or DataFrame is split into views by the
            parameter ``views``; without it, the data is a single view.
        y : ignored

        Returns
        -------
        self
        """
        check_not_split_by_view(X)
        with restored_on_failure(self), recording() as given:
            self._fit_checked(X)
            self.notes_ = texts_of(given, *getattr(X, "notes", ()))
        return self

    def _fit_checked(self, X: Any) -> None:
        views = self._checked_views(X)
        arrays, present = self._arrays(views)
        least = 2 if self.n_clusters == "auto" else self.n_clusters
        check_enough_samples(views, least)
        if self.affinity == "precomputed":
            check_graphs(views, arrays)
        used = nonconstant_views(views, arrays, present)
        self._describe(X, views)
        demand = self._demand()
        on_device = moves_to(getattr(self, "device", None), arrays) or is_on_accelerator(arrays[used[0]])
        if demand is not None and not on_device:
            check_memory(self, demand.bytes([arrays[v] for v in used]), len(views))
        few_differ = not check_different_samples([arrays[v] for v in used], least)  # then k-means finds too few clusters
        with (
            solving(self),
            one_thread() if on_device else threads_for(len(views), self._most_on_one_thread),
            suppressing(lambda w: few_differ and isinstance(w, DegenerateGraphWarning) and w.parameter == "n_clusters"),
        ):
            self._fit(views, arrays, used)
            self._number_clusters()
            if self._gives_verdict and self.affinity != "precomputed":
                warn_of_contradictions(views, arrays, present, self.labels_, counted=self.n_clusters == "auto")

    def _arrays(self, views: Views) -> tuple[list[Any], np.ndarray | None]:
        """The views as floating-point arrays, and which samples are present in which view.

        The mask is None if the method needs all samples in all views.
        """
        return views.float_arrays(), None

    def _checked_views(self, X: Any) -> Views:
        """Check the parameters and convert the data to views."""
        self._validate_params()
        views = self._as_views(X)
        if self._gives_verdict and self.affinity != "precomputed":
            with one_thread():  # the steps are short
                warn_of_suspicious_values(views)
        related = [name for name, kind in zip(views.names, views.kinds, strict=True) if kind in RELATIONS]
        if related and self.affinity != "precomputed":
            warn(
                KindWarning(
                    f"{type(self).__name__} takes features only: the rows of {', '.join(map(repr, related))} are used as "
                    "features, although they are relations between samples.",
                    hint="Use AutoFusion, GFSC or GF, which take graphs, kernels and distances as such.",
                    view=related[0],
                    parameter="kinds",
                )
            )
        return views

    def _describe(self, X: Any, views: Views) -> None:
        """Set the fitted attributes that describe the data."""
        if not _is_one_matrix(X):
            self.__dict__.pop("feature_names_in_", None)  # from an earlier fit
            self.n_features_in_ = _n_columns(views)
        self.view_names_ = np.asarray(views.names, dtype=object)
        self.encoding_ = views.encoding
        self._columns = Columns.of(views)

    def save(self, path: str | Path) -> Path:
        """Save the estimator, fitted or not, to a file that :func:`viewfuse.load` reads.

        The file holds arrays and JSON; nothing is pickled. An existing file is replaced after the new one is complete. A
        ``callback`` is not saved.
        """
        return write_model(self, path)

    def _validate_params(self) -> None:
        """Raise ParameterError if a parameter violates its constraint. scikit-learn's own check has the same name."""
        check_parameters(self.get_params(deep=False), self._parameter_constraints)
        self._check_combinations()

    def _check_combinations(self) -> None:
        """Raise ParameterError for parameters that are valid alone but not together."""

    def _demand(self) -> MemoryDemand | None:
        """Memory demand of a fit with the current parameters."""
        return self._memory_demand

    def cluster_views(self, views: list[Any], random_state: np.random.RandomState) -> np.ndarray | Solution:
        """Cluster the samples: the one method that a method of your own implements.

        Parameters
        ----------
        views : list of (n_samples, n_features) arrays
            Finite floating-point numbers; a view that was given as a sparse matrix is a SciPy sparse array. Views whose
            samples are all equal are left out. They must not be changed.
        random_state : RandomState
            All random numbers come from here, so that one seed gives one result.

        Returns
        -------
        labels : (n_samples,) array of int
            Any numbers; the base class numbers the clusters by size. To return more than labels, such as an embedding, a
            graph or weights of the views, return a :class:`viewfuse.cluster.Solution`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no cluster_views(views, random_state).")

    def _fit(self, views: Views, arrays: list[Any], used: list[int]) -> None:
        rng = check_random_state(getattr(self, "random_state", None))
        found = self.cluster_views([_as_numpy(arrays[v]) for v in used], rng)
        solution = found if isinstance(found, Solution) else Solution(labels=found)
        self._record_solution(solution, views, used, rng)

    def _record_solution(self, solution: Solution, views: Views, used: list[int], rng: np.random.RandomState) -> None:
        """Set the fitted attributes; k-means clusters ``solution.points`` if there are no labels."""
        edges = solution.graph.data if sp.issparse(solution.graph) else solution.graph
        check_finite_results(self, solution.objective, solution.embedding, edges, solution.weights)
        self._points = solution.points
        if solution.points is None:
            self.labels_ = self._checked_labels(solution.labels, len(views))
        else:
            starts = getattr(self, "n_init", 10)
            self.labels_ = assign_clusters(solution.points, self.n_clusters, n_init=starts, random_state=rng)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        self.history_ = dict(solution.history)
        if solution.objective is not None:
            self.objective_ = self.history_["objective"] = np.asarray(solution.objective)
        if solution.embedding is not None:
            self.embedding_ = solution.embedding
        if solution.graph is not None:
            self.affinity_matrix_ = solution.graph
        if solution.weights is not None:
            self.view_weights_ = self._weights_of_all_views(np.asarray(solution.weights), used, views.n_views)

    def _checked_labels(self, labels: Any, n_samples: int) -> np.ndarray:
        """Labels 0 … k − 1 from any whole numbers; ``n_clusters_`` is set if there are not ``n_clusters`` different ones."""
        found = np.asarray(labels)
        if found.shape != (n_samples,) or found.dtype.kind not in "iu":
            raise ViewsTypeError(
                f"{type(self).__name__}.cluster_views returned an array of shape {found.shape} and type {found.dtype}.",
                hint=f"Return {n_samples} labels, whole numbers, one for each sample.",
            )
        numbers, compact = np.unique(found, return_inverse=True)
        self.__dict__.pop("n_clusters_", None)  # from an earlier fit
        if len(numbers) != self.n_clusters:
            self.n_clusters_ = len(numbers)
        return compact.astype(np.int64)

    def _n_clustered(self, n_samples: int) -> int:
        """How many samples the method clusters; the others are assigned like new samples."""
        return n_samples if self._most_clustered is None else min(n_samples, self._most_clustered)

    def _shared_cut(self, views: Views, n_clusters: int, rng: np.random.RandomState) -> Cut | None:
        """A function that clusters some of the samples anew, on a graph of the views that is learned here once.

        The graph must not have been drawn towards the clusters of a fit, or they would come back in every part of it. None:
        the method has no such graph, so some samples can only be clustered by another fit.
        """
        return None

    def _number_clusters(self) -> None:
        """Number the clusters by size, the largest 0, and clusters of equal size by their first sample.

        The numbers then depend on the clusters only: not on the seed, the number of threads or the order of a computation.
        """
        order = order_by_size(*self._occurrences(getattr(self, "n_clusters_", self.n_clusters)))
        if (order != np.arange(len(order))).any():
            self._renumber(order)
            if hasattr(self, "verdict_"):
                self.verdict_ = self.verdict_.renumbered(order)

    def _certainty(self) -> float:
        """What confidences are multiplied by: near 0 if the verdict is that there are no clusters."""
        verdict = getattr(self, "verdict_", None) if self._gives_verdict else None
        return 1.0 if verdict is None else float(verdict.certainty)

    def _occurrences(self, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
        """Size and first sample of each cluster."""
        return occurrences(to_host(self.labels_), n_clusters)

    def _renumber(self, order: np.ndarray) -> None:
        """Give cluster ``order[i]`` the number i. A method that keeps more than labels for each cluster extends this."""
        self.labels_ = renumbered(self.labels_, order)

    def _as_views(self, X: Any, *, reset: bool = True) -> Views:
        if holds_dask(X):
            raise ViewsTypeError(
                f"{type(self).__name__} does not read Dask collections.",
                hint="Use AnchorGFSC, or give the data in memory: frame.compute().",
            )
        if not _is_one_matrix(X):
            if self.views is not None:
                raise ViewsTypeError(
                    "views= splits the columns of one 2-D array or DataFrame, but the data is already in views "
                    f"({type(X).__name__}).",
                    hint="Leave views= out.",
                    parameter="views",
                    value=self.views,
                )
            if not reset:
                return self._columns.matched(self._encoded_as_in_fit(X))
            if isinstance(X, Views):
                return X
            if self.affinity == "precomputed":
                return Views(align_graph_frames(X), types=False)
            return Views(X)
        if getattr(X, "ndim", 2) > 2:
            raise ViewsTypeError(
                f"A {X.ndim}-D array of shape {X.shape} is neither one matrix nor a list of views.",
                hint="If its first axis is the axis of views, pass list(X).",
            )
        return self._views_of_one(self._as_matrix(as_frame(X), reset=reset), reset=reset)

    def _encoded_as_in_fit(self, X: Any) -> Views:
        """New samples in views, in the order of the fit, encoded as its samples were."""
        encoding = getattr(self, "encoding_", None)  # a fit on Dask views has none
        if not isinstance(X, Views):
            return Views(X if holds_views(X) else self._columns.members_in_order(X), encoding=encoding)
        views = self._columns.in_order(X)
        return views if encoding is None or views.encoding is encoding else Views(views, encoding=encoding)

    def _with_absent_views(self, views: Views) -> Views:
        """New samples with those views of the fit that none of them is in; their rows are marked as missing."""
        known, n = self._columns, len(views)
        where = [views.names.index(name) if name in views.names else None for name in known.names]
        there = np.ones((n, views.n_views), dtype=bool) if views.present is None else views.present
        completed = Views(
            [sp.csr_array((n, known.widths[v])) if w is None else views.arrays[w] for v, w in enumerate(where)],
            names=known.names,
            ids=views.ids,
            present=np.stack([np.zeros(n, dtype=bool) if w is None else there[:, w] for w in where], axis=1),
            types=False,
        )
        names = [known.columns[v] if w is None else views.feature_names[w] for v, w in enumerate(where)]
        completed.feature_names = tuple(names)
        completed.kinds = tuple(known.kinds[v] if w is None else views.kinds[w] for v, w in enumerate(where))
        completed.encoding, completed.id_name, completed.notes = self.encoding_, views.id_name, views.notes
        return completed

    def _views_of_one(self, matrix: Any, *, reset: bool) -> Views:
        """The views of one array or DataFrame: groups of its columns or, without ``views``, all of them."""
        options: dict[str, Any] = {"encoding": None if reset else getattr(self, "encoding_", None)}
        if self.affinity == "precomputed":
            options["types"] = False
        # Row names are only used in messages. One frame has nothing to match, so they need not be unique.
        index = matrix.index if is_dataframe(matrix) and matrix.index.is_unique else None
        if is_dataframe(matrix) and index is None:
            matrix = matrix.reset_index(drop=True)
        if self.views is None:
            views = Views({"all": matrix}, **options)
        else:
            views, unused = split_columns(matrix, self.views, **options)
            if unused:
                warn(
                    UnusedColumnsWarning(
                        f"{len(unused)} of {matrix.shape[1]} columns are in no group of views= and are not used: "
                        f"{listed(unused)}.",
                        parameter="views",
                        value=self.views,
                    )
                )
        return views if index is None or views.ids is not None else Views(views, ids=index)

    def _as_matrix(self, X: Any, *, reset: bool) -> Any:
        """One matrix, validated by scikit-learn; a DataFrame is validated by ``Views``, whose messages name its columns."""
        if is_dataframe(X):
            if not reset and hasattr(self, "feature_names_in_"):
                X = self._in_order_of_fit(X)
            validate_data(self, X, skip_check_array=True, reset=reset)
            return X
        kind = getattr(getattr(X, "dtype", None), "kind", None)
        if kind in ("c", "U", "S"):
            Views({"all": X})  # raises an error that says what these values are
        try:
            return validate_data(self, X, accept_sparse=True, dtype="numeric", ensure_all_finite=False, reset=reset)
        except ValueError:
            if kind == "O" and X.ndim == 2:
                Views({"all": X})  # raises an error that names the first value that is not a number
            raise

    def _in_order_of_fit(self, frame: Any) -> Any:
        """The columns of the fit, in its order, where a frame has them in another."""
        names = list(self.feature_names_in_)
        if list(frame.columns) == names or set(names) != set(frame.columns):
            return frame
        warn(EncodingWarning("The columns are in another order than in the fit, and are matched by name."))
        return frame[names]

    def _weights_of_all_views(self, weights: np.ndarray, used: list[int], n_views: int) -> np.ndarray:
        """Weights of all views; the views that are not used have weight 0."""
        full = np.zeros((*weights.shape[:-1], n_views))
        full[..., used] = weights
        return full

    def _repr_html_inner(self) -> str:
        """scikit-learn's diagram and, of a fitted estimator, a small summary above it."""
        diagram = estimator_html_repr(self)
        if hooks.notebook_summary is None or not hasattr(self, "labels_"):
            return diagram
        return hooks.notebook_summary(self) + diagram

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        shown = {"text/plain": repr(self)}
        return {**shown, "text/html": self._repr_html_inner()} if get_config()["display"] == "diagram" else shown

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True  # empty cells are filled from similar samples
        tags.input_tags.pairwise = self.affinity == "precomputed"
        tags.input_tags.positive_only = self.affinity == "precomputed"
        return tags


class EmbeddingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """``fit_transform`` and ``set_output`` for methods that embed the samples."""

    embedding_: Any

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Cluster the samples and return their embedding, one row per sample.

        With ``set_output(transform="pandas")`` the index of the frame has the ids of the samples.
        """
        data = X if _is_one_matrix(X) else self._as_views(X)
        embedding = self.fit(data).embedding_
        ids = getattr(data, "ids", None)
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform", get_config()["transform_output"])
        if ids is None or wanted != "pandas":
            return embedding
        return require("pandas").DataFrame(to_host(embedding), index=ids)  # scikit-learn names the columns

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


class RelabelMixin(EmbeddingMixin):
    """``relabel`` for methods whose only random step after the embedding is k-means."""

    n_clusters: Any
    _points: Any  # the rows that k-means clusters

    def relabel(self, *, n_init: int = 1, random_state: Any = None) -> np.ndarray:
        """Labels of another k-means run on the fitted embedding. The fitted attributes do not change."""
        check_is_fitted(self)
        k = getattr(self, "n_clusters_", self.n_clusters)
        rng = check_random_state(random_state)
        return numbered_by_size(assign_clusters(self._points, k, n_init=n_init, random_state=rng))


def _as_numpy(array: Any) -> Any:
    return array if sp.issparse(array) else to_host(array)


def _is_one_matrix(X: Any) -> bool:
    """Whether the data is one (samples × features) matrix: an array, a frame, or nested lists of numbers."""
    if sp.issparse(X):  # before Mapping, because a dok_array is one
        return True
    if isinstance(X, (Views, Mapping)) or holds_views(X):
        return False
    if is_table(X):
        return True
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and all(isinstance(row, (list, tuple)) and not _is_nested(row) for row in X)
    return hasattr(X, "shape") or hasattr(X, "__array__")


def _n_columns(views: Views) -> int:
    """The number of columns of all views, as they were given."""
    return sum(int(member.shape[1]) for member in views.raw_members())


def _is_nested(row: Any) -> bool:
    return any(isinstance(value, (list, tuple)) or bool(getattr(value, "shape", ())) for value in row)
