"""Tables as text, for all experiments: means, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

__all__ = ["MeanStd", "as_booktabs", "as_csv", "latex_text", "mean_std", "parameter_text", "shown"]

MeanStd = tuple[float, float]


def mean_std(values: Sequence[float]) -> MeanStd:
    """Mean and standard deviation (with n − 1, as in MATLAB; 0 for a single value).

    >>> mean_std([1.0, 2.0, 3.0]), mean_std([4.0])
    ((2.0, 1.0), (4.0, 0.0))
    """
    return fmean(values), stdev(values) if len(values) > 1 else 0.0


def shown(stat: MeanStd) -> str:
    """
    >>> shown((41.666, 2.345))
    '41.67(2.35)'
    """
    return f"{stat[0]:.2f}({stat[1]:.2f})"


def parameter_text(parameters: Mapping[str, Any]) -> str:
    """
    >>> parameter_text({"alpha": 1e-07, "scaling": "min-max", "n_neighbors": None})
    'alpha=1e-07, scaling=min-max, n_neighbors=None'
    """
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in parameters.items()
    )


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """One line per record; the columns are those of the first one."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def as_booktabs(
    columns: str, header: Iterable[Sequence[str]], rows: Iterable[Sequence[str]], comments: Iterable[str] = ()
) -> str:
    """A LaTeX table in the style of booktabs. ``columns`` is their alignment; cells are LaTeX, see :func:`latex_text`."""
    return "\n".join(
        [
            *(f"% {comment}" for comment in comments),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            *map(_line, header),
            r"\midrule",
            *map(_line, rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def latex_text(text: str) -> str:
    r"""
    >>> latex_text("my_method & 5 %")
    'my\\_method \\& 5 \\%'
    """
    for letter in "&%$#_{}":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("±", r"\(\pm\)")
