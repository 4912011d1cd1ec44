"""What was done to the columns of all views: the record that a fitted model keeps as ``encoding_``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..filling import Filler
from .table import TableEncoding

__all__ = ["Encoding"]


@dataclass(frozen=True)
class Encoding:
    """How tables became the matrices of views; new data is encoded in the same way.

    Attributes
    ----------
    tables : tuple with a TableEncoding for each view that was a table or had empty cells, else None
    filler : Filler or None, the samples that empty cells are filled from
    id_name : str or None, the name of the ids
    views : tuple of str, the names of the views
    """

    tables: tuple[TableEncoding | None, ...]
    filler: Filler | None = None
    id_name: str | None = None
    views: tuple[str, ...] = ()

    def of_views(self, order: Sequence[int | None], names: Sequence[str] | None = None) -> Encoding:
        """The encoding of some of the views, by position; None is a view that is not encoded.

        ``names`` are those of the views; by default they keep theirs.
        """
        filler = None if self.filler is None else self.filler.of_views(order)
        tables = tuple(None if v is None else self.tables[v] for v in order)
        named = tuple("" if v is None else self.views[v] for v in order) if names is None else tuple(names)
        return Encoding(tables, filler, self.id_name, named)

    def for_views(self, names: Sequence[str]) -> Encoding:
        """The encoding of views with these names; if no name is known, views are matched by position."""
        if tuple(names) == self.views:
            return self
        place = {name: v for v, name in enumerate(self.views)}
        if len(names) == len(self.views) and not any(name in place for name in names):
            return self
        return self.of_views([place.get(name) for name in names], names)

    def without(self, positions: Sequence[int]) -> Encoding:
        """The encoding with these views as they are."""
        return self.of_views([None if v in positions else v for v in range(len(self.tables))], self.views)

    def rows(self) -> list[dict[str, Any]]:
        """One record per column of a table: view, column, type, encoding, empty cells, why it is left out, note."""
        return [
            {
                "view": table.view,
                "column": column.name,
                "type": column.type,
                "encoding": column.encoding,
                "empty": column.n_empty,
                "left_out": column.left_out,
                "note": column.note,
            }
            for table in self.tables
            if table is not None
            for column in table.columns
        ]

    def __str__(self) -> str:
        """A table with a line for each column."""
        header = ("view", "column", "type", "encoding", "empty")
        lines = [header]
        for row in self.rows():
            said = row["encoding"] if row["left_out"] is None else f"left out: {row['left_out']}"
            said += f" ({row['note']})" if row["note"] else ""
            lines.append((row["view"], row["column"], row["type"], said, str(row["empty"] or "")))
        widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )
