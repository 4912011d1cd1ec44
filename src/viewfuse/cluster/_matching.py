"""New samples must have the views and columns of the fit: they are matched by name, and differences are errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._utils.row_blocks import is_on_disk
from .._utils.text import count, listed
from .._utils.warn import warn
from ..exceptions import UninformativeViewWarning, ViewsError
from ..views import RELATIONS, Views
from ..views.kinds import indicators
from ..views.members import named_members

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The views of a fit and their columns.

    Attributes
    ----------
    names : tuple of str
    kinds : tuple of str
    widths : tuple of int
    columns : tuple of arrays of str, or None for views whose columns have no names
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    widths: tuple[int, ...]
    columns: tuple[np.ndarray | None, ...]

    @classmethod
    def of(cls, views: Views) -> Columns:
        named = tuple(None if kind in RELATIONS else c for c, kind in zip(views.feature_names, views.kinds, strict=True))
        return cls(views.names, views.kinds, tuple(int(array.shape[1]) for array in views.arrays), named)

    def matched(self, views: Views) -> Views:
        """The views and columns in the order of the fit. Raises ViewsError for a view or column too many or too few."""
        views = self.in_order(views)
        arrays = [self._columns_in_order(views, v) for v in range(views.n_views)]
        if all(array is views.arrays[v] for v, array in enumerate(arrays)):
            return views
        kinds = [k if k in RELATIONS or self.kinds[v] != "categories" else "features" for v, k in enumerate(views.kinds)]
        matched = Views(arrays, names=views.names, ids=views.ids, y=views.y, present=views.present, kinds=kinds)
        matched.feature_names = self.columns
        return matched

    def order(self, names: Sequence[str]) -> list[int]:
        """Where the views of the fit are among views with these names. Unnamed views are matched by position."""
        given = list(names)
        if set(given) == set(self.names):
            return [given.index(name) for name in self.names]
        unnamed = [f"view{v}" for v in range(len(given))]
        if len(given) == len(self.names) and (given == unnamed or list(self.names) == unnamed):
            return list(range(len(given)))
        absent = [name for name in self.names if name not in given]
        new = [name for name in given if name not in self.names]
        found = [f"view {listed(absent)} is missing"] if absent else []
        found += [f"view {listed(new)} was not in the fit"] if new else []
        raise ViewsError(
            f"The model was fitted on {count(len(self.names), 'view')} ({listed(self.names)}), but {' and '.join(found)}.",
            hint="Give the same views; a sample that is missing from a view is a row of NaN.",
            view=(absent or new)[0],
        )

    def members_in_order(self, data: Any) -> dict[str, Any]:
        """The views of a list or mapping, in the order of the fit."""
        names, members = named_members(data, None)
        return {names[v]: members[v] for v in self.order(names)}

    def in_order(self, views: Views) -> Views:
        """The views in the order of the fit."""
        order = self.order(views.names)
        return views if order == list(range(views.n_views)) else views.select_views(order)

    def _categories(self, views: Views, v: int) -> Any:
        """The indicators of the categories of the fit; of unknown ones there are none, with a warning."""
        array, theirs = views.arrays[v], views.feature_names[v]
        if views.kinds[v] != "categories":
            array, theirs = indicators(array, theirs)
        mine = self.columns[v]
        assert mine is not None, "indicators have names"
        assert theirs is not None, "indicators have names"
        place = {column: position for position, column in enumerate(mine)}
        new = [column for column in theirs if column not in place]
        if new:
            warn(
                UninformativeViewWarning(
                    f"View {self.names[v]!r} has categories that were not in the fit: {listed(new)}. They are not used.",
                    view=self.names[v],
                )
            )
        known = [position for position, column in enumerate(theirs) if column in place]
        taken = sp.csr_array(array.tocsc()[:, known]).tocoo()
        columns = np.array([place[theirs[position]] for position in known], dtype=int)[taken.col]
        return sp.csr_array((taken.data, (taken.row, columns)), shape=(len(views), len(mine)))

    def _columns_in_order(self, views: Views, v: int) -> Any:
        array, name = views.arrays[v], self.names[v]
        if self.kinds[v] in RELATIONS:
            return array  # its columns are samples
        if self.kinds[v] == "categories":
            return self._categories(views, v)
        positions = self.column_positions(views, v)
        if positions is not None:
            if is_on_disk(array) and not isinstance(array, np.ndarray):
                raise ViewsError(
                    f"View {name!r} is in a file whose columns are in another order than in the fit.",
                    hint="Load the view into memory, or write the file in the order of the fit.",
                    view=name,
                )
            return sp.csr_array(array.tocsc()[:, positions]) if sp.issparse(array) else array[:, positions]
        if array.shape[1] != self.widths[v]:
            raise ViewsError(
                f"View {name!r} has {count(array.shape[1], 'feature')}, but had {self.widths[v]} when the model was fitted.",
                hint="Give the columns of the fit.",
                view=name,
            )
        return array

    def column_positions(self, views: Views, v: int) -> list[int] | None:
        """Where the columns of the fit are in view v; None if they have no names or are in the same order.

        Raises ViewsError for columns too many or too few.
        """
        mine, theirs = self.columns[v], views.feature_names[v]
        if mine is None or theirs is None or np.array_equal(mine, theirs):
            return None
        place = {column: position for position, column in enumerate(theirs)}
        absent = [column for column in mine if column not in place]
        new = [column for column in theirs if column not in set(mine)]
        if absent or new:
            found = [f"column {listed(absent)} is missing"] if absent else []
            found += [f"column {listed(new)} was not in the fit"] if new else []
            raise ViewsError(
                f"View {self.names[v]!r} has other columns than in the fit: {' and '.join(found)}.",
                hint="Give the columns of the fit, in any order.",
                view=self.names[v],
            )
        return [place[column] for column in mine]
