"""Parameters as Python source."""

import numpy as np

from viewfuse.inspection.parameters import Expression, from_source, recorded


def test_literals_keep_their_type_and_other_values_become_source():
    params = {"k": 3, "tol": np.float32(0.5), "kind": (1, "a"), "views": {"a": slice(0, 2)}, "nothing": None}
    found = recorded(params)
    assert found == {"k": 3, "tol": 0.5, "kind": (1, "a"), "views": "{'a': slice(0, 2, None)}", "nothing": None}
    assert [type(value) for value in found.values()] == [int, float, tuple, Expression, type(None)]
    assert eval(repr(found["views"])) == params["views"]


def test_the_source_gives_the_same_value_again():
    found = recorded({"a": 1.5, "b": slice(3), "c": "text", "d": [1, None, True]})
    assert {name: from_source(repr(value)) for name, value in found.items()} == found


def test_source_is_not_executed():
    text = "__import__('os').getcwd()"
    assert from_source(text) == text
