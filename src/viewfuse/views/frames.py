"""Tables of other libraries as pandas DataFrames. Only libraries that the user has loaded are touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._utils.extras import require
from .._utils.text import listed
from ..exceptions import ViewsError
from .matrices import is_dataframe

__all__ = ["as_frame", "check_column_names", "holds_frames", "is_table"]


def is_table(data: Any) -> bool:
    """Return whether this is a table: a DataFrame of pandas or polars, an Arrow table, or what follows their protocol."""
    if is_dataframe(data):
        return True
    module = type(data).__module__.partition(".")[0]
    if module in ("polars", "pyarrow"):
        return hasattr(data, "to_pandas") or hasattr(data, "collect")
    return hasattr(data, "__dataframe__") and not hasattr(data, "toarray")


def as_frame(data: Any, view: str = "all") -> Any:
    """Return a table as a pandas DataFrame whose column names are text, all different; anything else as it is."""
    if not is_table(data):
        return data
    if hasattr(data, "collect"):  # a lazy frame of polars
        data = data.collect() if type(data).__name__ == "LazyFrame" else data
    if not is_dataframe(data):
        pandas = require("pandas")
        data = data.to_pandas() if hasattr(data, "to_pandas") else pandas.api.interchange.from_dataframe(data)
    check_column_names(data, view)
    if all(isinstance(name, str) for name in data.columns):
        return data
    return data.set_axis([str(name) for name in data.columns], axis=1)


def check_column_names(table: Any, view: str) -> None:
    """Raise ViewsError if two columns of a table have the same name."""
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        repeated = sorted({name for name in names if names.count(name) > 1})
        raise ViewsError(
            f"View {view!r} has several columns with the name {listed(repeated)}.", hint="Rename them.", view=view
        )


def holds_frames(data: Any) -> bool:
    """Return whether this is a table, or a list or mapping that contains one."""
    if is_table(data):
        return True
    members = data.values() if isinstance(data, Mapping) else data if isinstance(data, (list, tuple)) else ()
    return any(map(is_table, members))
