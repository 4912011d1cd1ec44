"""Passes over n × n graphs, one implementation per kind of array."""
