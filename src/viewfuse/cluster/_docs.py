"""Texts that the docstrings of several estimators share, each written once.

A line of a class docstring that holds nothing but names in braces is replaced by the texts of those names::

    Parameters
    ----------
    {n_clusters}
    lam : float, default=0.1
        Weight of the agreement between the views.
    {affinity, n_neighbors, alpha, scaling}

:class:`~viewfuse.cluster.MultiViewClusterer` does this when a subclass is defined, so ``help``, Sphinx and doctest see the
complete text. ``{example: KEY}`` becomes an example that fits ``METHODS[KEY]``.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import indent

__all__ = ["filled"]

_TEXTS = {
    # Parameters of all or most estimators
    "n_clusters": "n_clusters : int, default=8",
    "views": """
        views : dict or list, default=None
            The columns of each view, if the data is one 2-D array or DataFrame:
            ``{"sound": slice(0, 20), "image": ["r", "g", "b"]}``.
        """,
    "max_iter": """
        max_iter : int
            Largest number of iterations.
        """,
    "n_init": """
        n_init : int, default=10
            Number of k-means runs on the embedding; the best one is kept.
        """,
    "random_state": "random_state : int, RandomState or None, default=None",
    # Parameters of the comparison methods
    "affinity": """
        affinity : {"gaussian", "adaptive-neighbors", "self-expressive", "cosine", "precomputed"}
            The graph of each view: Gaussian with median bandwidth; adaptive neighbours; ``(G + αI)⁻¹G``; cosine. With
            "precomputed" the views themselves are (n_samples, n_samples) graphs.
        """,
    "affinity_of_features": """
        affinity : {"gaussian", "adaptive-neighbors", "self-expressive", "cosine"}
            The graph of each view: Gaussian with median bandwidth; adaptive neighbours; ``(G + αI)⁻¹G``; cosine.
        """,
    "n_neighbors": """
        n_neighbors : int or None
            Keep only the strongest edges of each sample; None keeps all (adaptive neighbours: 10).
        """,
    "alpha": """
        alpha : float, default=10
            Regularisation of the self-expressive graph.
        """,
    "scaling": """
        scaling : {"unit-samples", "min-max", "unit-spread"}
            How a view is scaled: samples to unit length; the whole view to [−1, 1], as in the paper; or centred and with
            mean squared distance 1. Distances are the same after the last two as before, up to a factor.
        """,
    "tol": """
        tol : float
            Stop when the objective decreases by less than this share of itself.
        """,
    "n_starts": """
        n_init : int, default=10
            Number of random starts; the best one is kept.
        """,
    # Parameters of the later methods, which follow their authors' programs
    "program_scaling": """
        scaling : {"standard-samples", "standard-features", "unit-samples", "none"}
            How a view is scaled: every sample, or every feature, to mean 0 and standard deviation 1; samples to unit length;
            or not at all. The default is that of the program. A view with one or two features gets "standard-features"
            instead of "standard-samples", with a warning.
        """,
    "n_init_if_not_separated": """
        n_init : int, default=10
            Number of k-means runs on the embedding, used only if the graph does not fall apart into the clusters.
        """,
    # Parameters of the fusion methods
    "n_clusters_or_auto": """
        n_clusters : int or "auto", default=8
            "auto": the number is estimated on at most 2,000 samples; it is 1, with a warning, if there are no clusters. See
            :func:`viewfuse.selection.choose_n_clusters`.
        """,
    "variant": """
        variant : {"robust", "published", "paper"}, default="robust"
            "robust" is scale-free: samples are scaled to unit length and centred
            (:mod:`viewfuse.graphs.deviations`), views have equal trace, the embedding is degree-normalized, and no edge
            counts more than six average edges. "published" is the authors' program, iteration for iteration. "paper" is
            Algorithm 1 as printed.
        """,
    "affinity_or_graphs": """
        affinity : {"self-expressive", "precomputed"}, default="self-expressive"
            "precomputed": the views are (n_samples, n_samples) graphs with non-negative edge weights. DataFrames are joined
            on rows and columns. Cross-validation is not supported for graphs: it selects rows but not columns.
        """,
    "own_weights": """
        view_weights : dict of float by view name, or sequence, default=None
            Factors on the learned weights of the views; 1 for views that are not named. A view with 0 is left out of the
            clusters, but stays in the report.
        fixed_view_weights : dict of float by view name, or sequence, default=None
            Weights of the views that are used instead of learned ones.
        """,
    "consensus_tol": """
        max_iter : int, default=200
            Largest number of iterations.
        tol : float, default=1e-3
            Stop when the relative change c of the consensus graph is below tol. The robust variant also stops when the
            extrapolated remaining change c·q/(1 − q) is below 5·(1 − q)·tol, where q is the ratio of successive changes. See
            :class:`viewfuse.fusion.stopping.StoppingRule`.
        """,
    "device": """
        device : str, default=None
            A PyTorch device such as "cuda": the views are copied there once, and the results are returned as NumPy arrays.
            "cpu" needs no PyTorch for views that are already in the memory of the processor.
            Without it, PyTorch and CuPy arrays stay on their device, and so do the results.
        """,
    "max_time": """
        max_time : float or None, default=None
            Stop after the first iteration that ends later than this many seconds. The result so far is kept and counts as
            not converged.
        """,
    "verbose": """
        verbose : int, default=0
            1 prints a line for every iteration.
        """,
    "callback": """
        callback : callable or None, default=None
            Called as ``callback(iteration, state)`` after every iteration. ``iteration`` starts at 1; ``state`` is a
            :class:`viewfuse.fusion.Sweep` with the objective, the relative change of the consensus graph and the weights of
            the views. Return True to stop: the result so far is kept and counts as not converged. A saved model does not
            contain the callback.
        """,
    # Attributes
    "labels_": """
        labels_ : (n_samples,) array of int
            Clusters are numbered by size, the largest 0; clusters of equal size by their first sample.
        """,
    "embedding_": "embedding_ : (n_samples, p) array",
    "affinity_matrix_": "affinity_matrix_ : (n_samples, n_samples) array",
    "sparse_graph_": "affinity_matrix_ : (n_samples, n_samples) sparse array",
    "objective_": "objective_ : array, one value per iteration",
    "view_weights_": "view_weights_ : (n_views,) array, summing to 1; a constant view has weight 0",
    "traces": """
        history_ : dict of arrays, one value per iteration
        n_iter_ : int
        converged_ : bool
        """,
    "names": """
        view_names_ : (n_views,) array of str
        n_features_in_ : int, of all views together
        """,
    # Attributes of the fusion methods
    "n_clusters_": """
        n_clusters_ : int
        cluster_counts_ : ClusterCounts
            With ``n_clusters="auto"``: how well each number of clusters fits.
        verdict_ : Verdict
            Whether these clusters are real; prints as one sentence.
        """,
    "noise_views_": """
        noise_views_ : tuple of str
            The noise views: the clusters lie no further apart in them than random groups would, but do so in other views.
        """,
    "view_report_": """
        view_report_ : ViewReport
            For each view its weight, how far apart the clusters lie in it, how well it finds them alone, and the loss
            without it. It is computed on first access, by two fits per view.
        """,
    "history_": """
        history_ : dict
            "objective" and "change" per iteration, and "weights" (iterations × views).
        objective_ : array, ``history_["objective"]``
        """,
    "stopping": """
        n_iter_ : int
        converged_ : bool
        stopped_ : {None, "callback", "max_time"}
            What stopped the iterations before they converged; None if they converged or reached ``max_iter``.
        """,
    "feature_names": """
        n_features_in_ : int, of all views together
        feature_names_in_ : array of str, if the data is one DataFrame
        """,
    # References
    "paper": """
        Z. Kang, G. Shi, S. Huang, W. Chen, X. Pu, J. T. Zhou and Z. Xu. Multi-graph fusion for multi-view spectral
        clustering. Knowledge-Based Systems 189 (2020).
        """,
}

_EXAMPLE = """
    >>> from viewfuse import METHODS, metrics
    >>> from viewfuse.datasets import load_digits_views
    >>> views = load_digits_views()[:150]
    >>> model = METHODS["{key}"](n_clusters=10, random_state=0).fit(views)
    >>> metrics.accuracy(views.y, model.labels_) > 0.4
    True
    """

_NAMES = re.compile(r"^([ \t]*)\{(\w+(?:, \w+)*)\}[ \t]*$", flags=re.MULTILINE)
_KEY = re.compile(r"^([ \t]*)\{example: ([\w-]+)\}[ \t]*$", flags=re.MULTILINE)


def filled(docstring: str) -> str:
    """The docstring with every line of names in braces replaced by the shared texts."""

    def texts(match: re.Match[str]) -> str:
        names = match[2].split(", ")
        if not all(name in _TEXTS for name in names):
            return match[0]
        return indent("\n".join(cleandoc(_TEXTS[name]) for name in names), match[1])

    def example(match: re.Match[str]) -> str:
        return indent(cleandoc(_EXAMPLE).replace("{key}", match[2]), match[1])

    return _KEY.sub(example, _NAMES.sub(texts, docstring))
