"""The bounds between kinds of square matrices, and the rules for groups of columns and for labels."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from viewfuse import ViewsError
from viewfuse.exceptions import LabelsWarning
from viewfuse.views import kinds as module
from viewfuse.views.column_groups import columns_of_group, named_groups
from viewfuse.views.column_rules import column_groups, is_rules, likely_prefixes
from viewfuse.views.kinds import asked_kinds, checked_kinds, guess_kind, indicators, is_symmetric
from viewfuse.views.labels import check_kind, checked_labels, is_missing, plain_values, whole_numbers

RNG = np.random.default_rng(0)


def symmetric(n=20, seed=0):
    a = np.random.default_rng(seed).random((n, n))
    return a + a.T


class TestGuesses:
    def test_fewer_than_three_samples_are_features(self):
        assert guess_kind(np.ones((2, 2)) - np.eye(2)) == "features"
        assert guess_kind(np.ones((3, 3)) - np.eye(3)) == "graph"

    @pytest.mark.parametrize(("n_zeros", "kind"), [(51, "graph"), (50, "features")])
    def test_mostly_zero_with_a_diagonal_of_one_value(self, n_zeros, kind):
        """A directed graph of ten samples, whose diagonal is zero."""
        a = np.arange(1.0, 101.0).reshape(10, 10)
        np.fill_diagonal(a, 0)
        off = np.flatnonzero(a.ravel())[: n_zeros - 10]
        a.ravel()[off] = 0
        assert np.count_nonzero(a == 0) == n_zeros
        assert guess_kind(a) == kind
        a[0, 0] = 5  # the diagonal has two values
        a[0, 1:] = 0
        assert guess_kind(a) == "features"

    def test_values_that_are_negative_or_not_finite(self):
        sparse = np.diag([1.0] * 9, 1)
        assert guess_kind(sparse) == "graph"
        sparse[0, 1] = -1
        assert guess_kind(sparse) == "features"
        sparse[0, 1] = np.nan
        assert guess_kind(sparse) == "features"
        assert guess_kind(-symmetric()) == "features"
        assert guess_kind(sp.csr_array((5, 5))) == "graph"

    def test_distances_have_a_zero_diagonal_and_hold_the_triangle_inequality(self):
        points = RNG.normal(size=(20, 2))
        distance = np.linalg.norm(points[:, None] - points[None], axis=2)
        assert guess_kind(distance) == "distance"
        assert guess_kind(sp.csr_array(distance)) == "distance"
        assert guess_kind(distance**4) == "graph"
        assert guess_kind(distance + 0.1 * np.eye(20)) != "distance"

    def test_some_triangles_may_be_broken(self):
        n = 60
        points = RNG.normal(size=(n, 2))
        distance = np.linalg.norm(points[:, None] - points[None], axis=2)
        distance[0, 1] = distance[1, 0] = 99.0
        assert guess_kind(distance) == "distance"
        distance[0, 1:] = distance[1:, 0] = 99.0 * RNG.random(n - 1)
        assert guess_kind(distance) == "graph"

    def test_a_kernel_has_a_positive_diagonal(self):
        points = RNG.normal(size=(20, 3))
        kernel = points @ points.T
        assert guess_kind(kernel) == "kernel"
        kernel[0] = kernel[:, 0] = 0
        assert guess_kind(kernel) == "features"

    def test_of_many_samples_a_block_is_checked(self, monkeypatch):
        monkeypatch.setattr(module, "_CHECKED", 5)
        kernel = np.eye(21)
        kernel[1, 2] = kernel[2, 1] = 9.0  # not semidefinite, but outside of the rows 0, 5, 10, 15, 20
        assert module._is_semidefinite(kernel)
        kernel[5, 10] = kernel[10, 5] = 9.0
        assert not module._is_semidefinite(kernel)

    def test_many_samples(self):
        path = np.eye(300, k=1) + np.eye(300, k=-1)
        assert guess_kind(path) == "graph"
        assert is_symmetric(path)
        assert checked_kinds(["graph"], ["a"], [path]) == ("graph",)

    def test_truth_values(self):
        assert guess_kind(np.ones((4, 4), dtype=bool)) == "graph"
        assert guess_kind(np.eye(4, k=1).astype(bool)) == "graph"

    def test_equal_weights(self):
        assert module._has_one_weight(np.array([[0, 3.0], [3.0, 0]]))
        assert not module._has_one_weight(np.array([[0, 3.0], [2.0, 0]]))
        assert module._share_of_zeros(np.array([[0, 1], [0, 0]])) == 0.75
        assert module._share_of_zeros(sp.csr_array(np.array([[0, 1], [0, 0]]))) == 0.75

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
    def test_symmetry_up_to_rounding(self, form):
        a = 1000 * symmetric(5)
        assert is_symmetric(form(a))
        a[0, 1] += 1e-9 * a.max()
        assert is_symmetric(form(a))
        a[0, 1] += 1e-3 * a.max()
        assert not is_symmetric(form(a))
        assert not is_symmetric(form(np.ones((2, 3))))
        assert is_symmetric(form(np.zeros((3, 3))))


class TestKindsThatAreAskedFor:
    def test_every_form(self):
        assert asked_kinds(None, ["a", "b"]) == ("features", "features")
        assert asked_kinds("auto", ["a", "b"]) == ("auto", "auto")
        assert asked_kinds(["graph", "features"], ["a", "b"]) == ("graph", "features")
        assert asked_kinds({"b": "graph"}, ["a", "b"]) == ("features", "graph")
        with pytest.raises(ViewsError, match="kinds names the view 'c', but the views are 'a', 'b'"):
            asked_kinds({"c": "graph"}, ["a", "b"])
        with pytest.raises(ViewsError, match=r"There are 1 kind for 2 views"):
            asked_kinds(["graph"], ["a", "b"])
        with pytest.raises(ViewsError, match=r"There are 0 kinds for 2 views"):
            asked_kinds([], ["a", "b"])

    def test_relations_are_square_and_counts_whole(self):
        for kind in ("graph", "kernel", "distance"):
            assert checked_kinds([kind], ["a"], [np.ones((3, 3))]) == (kind,)
            with pytest.raises(ViewsError, match=f"'a' is 3 × 2, but a {kind} has one row and one column per sample"):
                checked_kinds([kind], ["a"], [np.ones((3, 2))])
        assert checked_kinds(["auto"], ["a"], [np.ones((3, 2))]) == ("features",)
        assert checked_kinds(["counts"], ["a"], [np.array([[0.0, np.nan]])]) == ("counts",)
        assert checked_kinds(["counts"], ["a"], [sp.csr_array([[0.0, 3.0]])]) == ("counts",)
        for wrong in (-1.0, 0.5):
            with pytest.raises(ViewsError, match=f"'a' is declared as counts, but holds {wrong:g}"):
                checked_kinds(["counts"], ["a"], [np.array([[1.0, wrong]])])

    def test_indicators_leave_empty_cells_empty(self):
        matrix, names = indicators(np.array([[1.0, 5], [np.nan, 5], [2, 6]]), None)
        np.testing.assert_array_equal(matrix.toarray(), [[1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 1]])
        assert names.tolist() == ["0=1", "0=2", "1=5", "1=6"]
        assert indicators(sp.csr_array([[1.0], [0.0]]), ["c"])[1].tolist() == ["c=0", "c=1"]


class TestGroupsOfColumns:
    def positions(self, group, names=("a", "b", "c", "d")):
        return columns_of_group("v", group, 4, names).tolist()

    def test_every_form(self):
        assert self.positions(slice(1, 3)) == [1, 2]
        assert self.positions([0, -1, -4]) == [0, 3, 0]
        assert self.positions([True, False, False, True]) == [0, 3]
        assert self.positions(["d", "a"]) == [3, 0]
        assert self.positions(2) == [2]
        assert self.positions("b") == [1]

    @pytest.mark.parametrize(("group", "column"), [([4], "4"), ([0, -5], "-5"), ([9, -9], "9")])
    def test_columns_outside(self, group, column):
        with pytest.raises(ViewsError, match=f"View 'v' asks for column {column}, but there are only 4 columns") as caught:
            self.positions(group)
        assert "positions from 0 to 3" in caught.value.hint

    @pytest.mark.parametrize("group", [[], slice(2, 2), [False] * 4])
    def test_nothing(self, group):
        with pytest.raises(ViewsError, match="View 'v' selects none of the 4 columns"):
            self.positions(group)

    def test_masks_and_slices(self):
        with pytest.raises(ViewsError, match="mask of view 'v' has 5 entries for 4 columns"):
            self.positions([True] * 5)
        with pytest.raises(ViewsError, match="slice of column names"):
            self.positions(slice("a", None))
        with pytest.raises(ViewsError, match="slice of column names"):
            self.positions(slice(None, "b"))

    def test_names(self):
        assert named_groups([slice(0, 1), [2]]) == {"view0": slice(0, 1), "view1": [2]}
        assert named_groups({1: [0]}) == {"1": [0]}


class TestRules:
    FEATURES, ALL = ["a1", "a2", "b-x", "b-y"], ["id", "a1", "a2", "b-x", "b-y"]

    def groups(self, rules):
        return column_groups(rules, self.FEATURES, self.ALL)

    def test_ranges_and_prefixes(self):
        assert self.groups("s:2-3") == {"s": ["a1", "a2"]}
        assert self.groups("s:2") == {"s": ["a1"]}
        assert self.groups("s:5") == {"s": ["b-y"]}
        assert self.groups("s:a1-a2") == {"s": ["a1", "a2"]}
        assert self.groups("s:a2-b-x") == {"s": ["a2", "b-x"]}
        assert self.groups("s:b-x") == {"s": ["b-x"]}
        assert self.groups(["a*", "t:b-*"]) == {"a": ["a1", "a2"], "t": ["b-x", "b-y"]}
        assert self.groups("b-*") == {"b": ["b-x", "b-y"]}
        assert self.groups("*") == {"all": self.FEATURES}
        assert self.groups({"u": "a*", "w": [3]}) == {"u": ["a1", "a2"], "w": [3]}

    @pytest.mark.parametrize(
        ("rule", "message"),
        [
            ("s:3-2", "last column of '3-2' comes before the first"),
            ("s:1-2", "The range '1-2' includes column 'id', which holds ids or labels"),
            ("s:2-6", "'2-6' is outside the columns 1 to 5"),
            ("s:0-2", "'0-2' is outside the columns 1 to 5"),
            ("s:z", "'z' is not FIRST-LAST"),
            ("z*", "No column begins with 'z'"),
            ("plain", "'plain' is neither NAME:FIRST-LAST"),
            (["s:2", "s:3"], "View 's' is given twice"),
            ([], "No view is named"),
        ],
    )
    def test_rules_that_fit_nothing(self, rule, message):
        with pytest.raises(ViewsError, match=message) as caught:
            self.groups(rule)
        assert caught.value.parameter == "views"

    def test_what_is_a_rule(self):
        assert is_rules("a*")
        assert is_rules(["a*", "b*"])
        assert is_rules({"x": "a*", "y": [1]})
        assert not is_rules({"y": [1]})
        assert not is_rules(["a*", [1]])
        assert not is_rules([])

    def test_prefixes_of_several_columns(self):
        assert likely_prefixes(["a_1", "a_2", "b.1", "c", "d-1", "d-2", "d-3"]) == {"a_": 2, "d-": 3}


class TestLabels:
    def name(self, row):
        return f"row {row}"

    def test_whole_numbers(self):
        assert whole_numbers(np.array([1.0, 2.0])).dtype == np.int64
        assert whole_numbers(np.array([1.5])).dtype == float
        assert whole_numbers(np.array([np.nan, 1.0])).dtype == float
        assert whole_numbers(np.array([2.0**53])).dtype == float
        assert whole_numbers(np.array([2.0**53 - 1])).dtype == np.int64
        assert whole_numbers(np.array(["a"])).tolist() == ["a"]

    @pytest.mark.parametrize("missing", [None, float("nan"), "", "  "])
    def test_missing_labels_are_named(self, missing):
        assert is_missing(missing)
        with pytest.raises(ViewsError, match="1 of 3 samples have no label in 'y'; the first is row 1"):
            checked_labels(["a", missing, "b"], "y", self.name, asked=True)

    def test_present_labels(self):
        assert not any(map(is_missing, [0, "a", False, 0.0]))
        assert checked_labels(pd.Series([1.0, 2.0]), "y", self.name, asked=False).tolist() == [1, 2]
        assert plain_values(pd.Series([1, None], dtype="Int64")) == [1, None]
        assert plain_values(("a", "b")) == ["a", "b"]

    def test_fractions_are_labels_only_if_asked_for(self):
        assert checked_labels([0.5, 1.0], "y", self.name, asked=True).tolist() == [0.5, 1]
        with pytest.raises(ViewsError, match=r"'y' has the name of labels, but contains 0\.5"):
            checked_labels([1.0, 0.5], "y", self.name, asked=False)
        check_kind([1.0, float("nan"), 2.0], "y")

    @pytest.mark.parametrize(
        ("n_classes", "n", "warned"), [(20, 40, False), (21, 40, True), (25, 100, False), (26, 100, True)]
    )
    def test_many_classes(self, n_classes, n, warned, recwarn):
        check_kind([min(i, n_classes - 1) for i in range(n)], "y")
        assert bool([w for w in recwarn if issubclass(w.category, LabelsWarning)]) == warned
