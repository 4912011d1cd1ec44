"""Graphs, kernels and distances among the views: what they say together with features."""
