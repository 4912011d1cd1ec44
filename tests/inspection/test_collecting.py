"""What a record takes from a model, attribute by attribute."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from viewfuse import summarise
from viewfuse.inspection.collecting import as_summary

LABELS = np.array([0, 0, 1, 1, 1])


def record(**found):
    return summarise(SimpleNamespace(labels_=LABELS, **found))


def test_a_model_with_labels_only():
    fit = record()
    assert (fit.method, fit.params, fit.view_names, fit.noise_views) == ("SimpleNamespace", {}, (), ())
    assert (fit.n_iter, fit.converged, fit.stopped, fit.notes, fit.history) == (None, None, None, (), {})
    assert (fit.view_weights, fit.own_verdict, fit.counts, fit.choice, fit.graph) == (None, None, None, None, None)
    assert (fit.confidence, fit.embedding, fit.outlier_score, fit.views) == (None, None, None, None)


def test_values_become_plain():
    fit = record(n_iter_=np.int64(7), converged_=np.bool_(False), notes_=["one", 2], view_names_=[1, "b"], noise_views_=(1,))
    assert (fit.n_iter, fit.converged, fit.notes) == (7, False, ("one", "2"))
    assert type(fit.n_iter) is int
    assert type(fit.converged) is bool
    assert (fit.view_names, fit.noise_views) == (("1", "b"), ("1",))


def test_histories_that_are_no_arrays_are_left_out():
    fit = record(history_={"objective": [3.0, 2.0], "odd": np.array([{}, {}], dtype=object)})
    assert "odd" not in fit.history
    assert fit.history["objective"].tolist() == [3, 2]
    assert record(history_=[1, 2]).history == {}


def test_graphs_are_those_of_all_samples():
    assert record(affinity_matrix_=np.eye(5)).graph.to_anchors is False
    assert record(affinity_matrix_=np.eye(4)).graph is None  # of some of the samples
    both = record(affinity_matrix_=np.eye(5), anchor_graph_=np.ones((5, 2)))
    assert both.graph.to_anchors
    assert both.graph.weights.shape == (5, 2)


@dataclass
class Counts:
    counts: tuple = (2, 3)
    gain: object = None
    suggested: int = 3
    structured: bool = True
    text: str = "left out"


def test_numbers_of_clusters_that_were_considered():
    fit = record(cluster_counts_=Counts(gain=np.array([0.5, 0.7])))
    assert fit.counts == {"counts": [2, 3], "gain": [0.5, 0.7], "suggested": 3, "structured": True}
    assert record(cluster_counts_={"suggested": 3}).counts is None


def test_a_record_with_other_views():
    fit = record()
    assert as_summary(fit) is fit
    with_data = as_summary(fit, [np.ones((5, 2))])
    assert with_data.views is not None
    assert as_summary(with_data, with_data.views) is with_data
    assert as_summary(SimpleNamespace(labels_=LABELS)).method == "SimpleNamespace"
