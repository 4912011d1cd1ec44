"""The record of a fit: what is made from its facts and its maps."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .._utils.checksum import checksum
from .._utils.extras import require
from ..cluster.verdict import judge_by_neighbors
from ..exceptions import ViewsError
from .agreement import Agreement, Confusion, agreement, confusion
from .border import BorderSample, border_samples
from .features import Cluster, describe_clusters
from .layouts import drawn_samples
from .maps import FitMaps
from .neighborhoods import has_relations, samples_of
from .values import DrawnFeatures, drawn_features

if TYPE_CHECKING:
    import networkx
    from pandas import Series

__all__ = ["FitSummary"]

_MAX_JUDGED = 2000


class FitSummary(FitMaps):
    """Everything known about a fit. The report, the plots, the files and the command line are made from it.

    :func:`summarise` makes it from a fitted estimator and :func:`viewfuse.io.load_results` from a file. Expensive parts
    are computed on first access and then kept. Parts that need the data are None (or empty) without ``views``.

    Attributes
    ----------
    method : str
        Name of the estimator.
    params : dict
        Its parameters. Values that are not Python literals are given as source text.
    versions : dict
        Versions of viewfuse, Python, NumPy, SciPy and scikit-learn, and the system.
    view_names : tuple of str
    sample_ids : (n_samples,) array or None
    id_name : str or None
        The name of the ids in the data.
    known_labels : (n_samples,) array of str, or None
        Labels that came with the data. The fit does not use them.
    view_weights : (n_views,) array, or None if the method does not weight the views
    noise_views : tuple of str
        Views in which the clusters are not visible.
    n_iter : int, or None if the method does not iterate
    converged : bool, or None if the method does not iterate
    stopped : str or None
        What stopped the fit early, ``"callback"`` or ``"max_time"``.
    notes : tuple of str
        What viewfuse warned of when the data was read and in the fit, and what else a reader should know.
    history : dict of arrays
        One value per iteration: ``"objective"``, ``"change"``, ``"weights"``, as far as the method records them.
    own_verdict : dict or None
        The verdict of the fit itself, in plain values (:meth:`Verdict.as_dict`); None if the method gives none.
    counts : dict or None
        Numbers of clusters that were considered, and their scores; None if the number was given.
    choice : dict or None
        What AutoFusion chose and why, in plain values (:meth:`AutoChoice.as_dict`); None for other methods.
    max_drawn : int
        The most samples that have a place on a map.
    saved : dict
        Parts that a file of results holds, by name, so that they need no data.
    views : Views or None
        The data.
    """

    @cached_property
    def verdict(self) -> dict[str, Any] | None:
        """Whether the clusters are real: ``"supported"``, ``"stable"``, ``"null_ratio"``, ``"returned"``, ``"sentence"``.

        It is the verdict of the fit or, if the method gives none, that on the neighbour graphs of the data. Without the data
        that is None.
        """
        given = self.params.get("affinity") == "precomputed"
        if self.own_verdict is not None or self.views is None or given or has_relations(self.views):
            return self.own_verdict
        rows = drawn_samples(self.labels, _MAX_JUDGED)
        labels = np.unique(self.labels[rows], return_inverse=True)[1]
        samples = samples_of(self.views, rows)
        return judge_by_neighbors(samples, labels, self.n_clusters, np.random.RandomState(0)).as_dict()

    @cached_property
    def agreement(self) -> Agreement | None:
        """Agreement of the single-view clusterings; None without the data, and for one cluster."""
        if self.views is None:
            return self.saved.get("agreement")
        if self.neighborhoods is None or self.n_clusters < 2:
            return None
        return agreement(self.labels[self.mapped_rows], self.neighborhoods.views)

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """Size, confidence, separation, typical samples and distinguishing features of each cluster."""
        if self.views is None and "clusters" in self.saved:
            return self.saved["clusters"]
        returned = None if self.verdict is None else self.verdict["returned"]
        return describe_clusters(
            self.labels,
            self.views,
            confidence=self._confidence_between_clusters,
            returned=None if returned is None else np.array(returned, dtype=float),
            neighborhoods=self.neighborhoods if self.spectrum_is_before_cut else None,
            rows=self.mapped_rows,
            names=self.sample_names,
        )

    @cached_property
    def drawn_features(self) -> DrawnFeatures | None:
        """Values of features of ``layout_rows``, for comparisons on the page; None without the data."""
        if self.views is None:
            return self.saved.get("drawn_features")
        return drawn_features(self.views, self.layout_rows, self.labels[self.layout_rows])

    @cached_property
    def border_samples(self) -> tuple[BorderSample, ...]:
        """The 15 samples with the lowest confidence."""
        confidence = self._confidence_between_clusters
        if confidence is None:
            return ()
        return border_samples(self.labels, confidence, self.embedding, self.sample_names)

    @property
    def _confidence_between_clusters(self) -> np.ndarray | None:
        """The confidence; None for one cluster, because confidence compares clusters."""
        return self.confidence if self.n_clusters > 1 else None

    @cached_property
    def confusion(self) -> Confusion | None:
        """Scores and counts against the known labels; None if there are none."""
        return None if self.known_labels is None else confusion(self.known_labels, self.labels)

    @property
    def scores(self) -> dict[str, float] | None:
        """Every score of :func:`viewfuse.metrics.evaluate` against the known labels; None if there are none."""
        return None if self.confusion is None else self.confusion.scores

    @property
    def table_columns(self) -> list[dict[str, Any]]:
        """What was done to each column of tables (:meth:`Encoding.rows`); empty without tables, and without the data."""
        if self.views is None:
            return list(self.saved.get("table_columns", []))
        encoding = None if self.views.tables is None else self.views.encoding
        return [] if encoding is None else encoding.rows()

    def to_series(self) -> Series:
        """The clusters as a pandas Series called ``cluster``, with the ids of the samples as index."""
        return require("pandas").Series(self.labels, index=self.sample_ids, name="cluster")

    def to_networkx(self) -> networkx.Graph:
        """The neighbour graph of the samples before the cut, as a networkx Graph.

        Nodes are ids, or rows without ids, with the attributes ``cluster`` and, if there is one, ``confidence``; edges
        have a ``weight``. Without the data the graph is that of the embedding. It has at most ``max_drawn`` samples.
        """
        if self.neighborhoods is None:
            raise ViewsError(
                "There is neither data nor an embedding, so there is no graph.",
                hint="Pass the views that the model was fitted on to summarise.",
                parameter="views",
            )
        rows = self.mapped_rows
        names = (rows if self.sample_ids is None else self.sample_ids[rows]).tolist()
        graph = require("networkx").Graph()
        for name, row in zip(names, rows, strict=True):
            facts = {"cluster": int(self.labels[row])}
            graph.add_node(
                name, **facts if self.confidence is None else {**facts, "confidence": float(self.confidence[row])}
            )
        edges = sp.triu(self.neighborhoods.fused, k=1).tocoo()
        graph.add_weighted_edges_from(
            (names[i], names[j], float(weight)) for i, j, weight in zip(edges.row, edges.col, edges.data, strict=True)
        )
        return graph

    @cached_property
    def checksums(self) -> dict[str, str]:
        """SHA-256 of the values of each view; empty without the data."""
        if self.views is None:
            return dict(self.saved.get("checksums", {}))
        return dict(zip(self.views.names, map(checksum, self.views.arrays), strict=True))
