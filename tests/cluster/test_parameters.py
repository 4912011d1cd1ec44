"""Constraints on parameters, and the texts that docstrings share."""

import inspect
import re

import numpy as np
import pytest

from viewfuse.cluster import GFSC, METHODS, MultiViewClusterer
from viewfuse.cluster._constraints import ANYTHING, Count, Function, Nothing, Number, OneOf, Text, check_value
from viewfuse.cluster._docs import filled
from viewfuse.exceptions import ParameterError


@pytest.mark.parametrize("key", METHODS)
def test_every_parameter_has_a_constraint_that_its_default_meets(key):
    constraints = METHODS[key]._parameter_constraints
    for name, parameter in inspect.signature(METHODS[key]).parameters.items():
        check_value(name, parameter.default, constraints[name])


@pytest.mark.parametrize("key", METHODS)
def test_every_constrained_parameter_refuses_another_type(key):
    for name in METHODS[key]._get_param_names():
        if METHODS[key]._parameter_constraints[name] is ANYTHING:
            continue
        with pytest.raises(ParameterError, match=rf"^{name} must be .*; got \[1\]\.$") as raised:
            METHODS[key](**{name: [1]}).fit([np.eye(4)])
        assert (raised.value.parameter, raised.value.value) == (name, [1])


@pytest.mark.parametrize(
    ("constraint", "accepted", "refused", "words"),
    [
        (Count(2), [2, np.int64(9)], [1, 2.0, True, "2", None], "a whole number of at least 2"),
        (Number(above=0), [1, 1e-300, np.float32(2)], [0, -1, np.inf, np.nan, True, "1"], "a positive number"),
        (Number(least=0), [0, 0.0, 5], [-1e-9, np.inf], "a non-negative number"),
        (Number(above=1), [1.01], [1, 0.5], "a number above 1"),
        (Number(least=1), [1, 3.5], [0.99], "a number of at least 1"),
        (OneOf("a", "b"), ["a"], ["c", 1, ["a"]], "one of 'a', 'b'"),
        (OneOf("auto"), ["auto"], ["automatic"], "'auto'"),
        (Nothing(), [None], [0, ""], "None"),
        (Text(), [""], [None, 1], "a string"),
        (Function(), [len], [None, "len"], "a function"),
    ],
)
def test_constraints(constraint, accepted, refused, words):
    assert all(constraint.accepts(value) for value in accepted)
    assert not any(constraint.accepts(value) for value in refused)
    assert str(constraint) == words


def test_a_message_lists_the_alternatives():
    with pytest.raises(ParameterError, match=r"^n_clusters must be a whole number of at least 2, or 'auto'; got 'many'\.$"):
        GFSC("many").fit([np.eye(4)])


def test_a_subclass_inherits_constraints_and_may_add_its_own():
    class Stricter(GFSC):
        _parameter_constraints = {**GFSC._parameter_constraints, "alpha": [Number(above=1)]}  # noqa: RUF012

    with pytest.raises(ParameterError, match=r"alpha must be a number above 1; got 1\.0"):
        Stricter(3).fit([np.eye(4)])
    with pytest.raises(ParameterError, match="beta must be a positive number"):
        Stricter(3, alpha=2, beta=0).fit([np.eye(4)])


@pytest.mark.parametrize("key", METHODS)
def test_the_docstring_is_complete(key):
    text = METHODS[key].__doc__
    assert not re.search(r"^\s*\{[\w:, -]+\}\s*$", text, flags=re.MULTILINE)
    for name in METHODS[key]._get_param_names():
        assert re.search(rf"^(?:    )?(\w+, )*{name}(, \w+)* : ", text, flags=re.MULTILINE), name
    assert ">>> " in text


@pytest.mark.parametrize("key", ["dimsc", "imvsc"])
def test_methods_that_need_features_refuse_graphs_and_do_not_document_them(key):
    assert "precomputed" not in METHODS[key].__doc__
    with pytest.raises(ParameterError, match=r"affinity must be one of 'gaussian'.*; got 'precomputed'"):
        METHODS[key](2, affinity="precomputed").fit([np.eye(4)])


def test_shared_texts_replace_only_lines_of_known_names():
    text = "Title.\n\n    {n_clusters, random_state}\n    {unknown}\n    Text {views} in a line."
    assert filled(text) == (
        "Title.\n\n    n_clusters : int, default=8\n    random_state : int, RandomState or None, default=None\n"
        "    {unknown}\n    Text {views} in a line."
    )


def test_a_subclass_without_a_docstring_is_fine():
    class Bare(MultiViewClusterer):
        pass

    assert Bare.__doc__ is None
