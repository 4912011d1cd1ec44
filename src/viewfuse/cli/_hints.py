"""The command line's own hints, chosen by the parameter that an error or warning is about.

The library's exceptions and warnings have fields (see :mod:`viewfuse.exceptions`). Their ``hint`` is worded for Python.
Where the command line has an option for ``parameter``, this module words another hint from ``parameter`` and ``value``.
A tuple as ``value`` holds values that would solve the problem; any other ``value`` is the one that was given.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import Any

from ..cluster import METHODS
from ..exceptions import NotEnoughMemoryError

__all__ = ["HINTS", "message"]


def _views(value: Any) -> str:
    offered = value if isinstance(value, tuple) else ()
    rules = next((rules for rules in offered if isinstance(rules, list)), None)
    if rules:
        hint = "For example, use " + " ".join(f"--views {shlex.quote(str(rule))}" for rule in rules)
    elif offered == ("*",):
        hint = "For example, use --views audio:2-21 --views 'image_*'"
    else:
        return "Choose them with --views NAME, once for each view."
    return f"{hint}; --views '*' takes all columns as one view." if "*" in offered else f"{hint}."


def _ids(value: Any) -> str:
    if isinstance(value, tuple) and value:
        return f"Choose the column of the ids, for example with --ids {shlex.quote(str(value[0]))}."
    if value == "different":
        return "Write the ids in the same way in all files, or choose another column for them with --ids NAME."
    if value == "some":
        return "Add the column of the ids to every file; --ids NAME says which one it is."
    return "If a column or variable holds the ids, name it with --ids NAME."


def _samples(value: Any) -> str:
    if value == ("rows", "columns"):
        return "Use --samples rows or --samples columns to say where the samples are."
    return "Leave --samples out."


def _missing(value: Any) -> str:
    hints = {
        "keep": "use --missing keep to keep all samples",
        "drop": "use --missing drop to keep those that all views share",
        "error": "leave --missing out",
    }
    offered = [key for key in hints if isinstance(value, tuple) and key in value] or ["keep", "drop"]
    text = ", or ".join(hints[key] for key in offered)
    command = f": {_command_with('--missing', 'keep')}" if "keep" in offered else "."
    return f"{text[0].upper()}{text[1:]}{command}"


def _command_with(option: str, value: str | None = None) -> str:
    """The command that was given, with an option changed or added."""
    arguments = sys.argv[1:]
    if option in arguments:
        place = arguments.index(option)
        arguments = arguments[:place] + arguments[place + (1 if value is None else 2) :]
    return shlex.join(["viewfuse", *arguments, option, *([] if value is None else [value])])


def _types(value: Any) -> str:
    if isinstance(value, tuple) and value:
        rule = str(value[0]) if "=" in str(value[0]) else f"{value[0]}=category"
        return f"Say what it is, for example with --type {shlex.quote(rule)}."
    return "Say what a column is with --type COLUMN=TYPE, for example --type zip=category or --type zip=ignore."


def _n_clusters(value: Any) -> str:
    return "Choose another number of clusters with -k." if isinstance(value, int) else "Give the number of clusters with -k."


def _datasets(value: Any) -> str:
    if isinstance(value, list):
        return "Download them with viewfuse datasets fetch NAME; viewfuse datasets list shows the names."
    return "Use -d with names of the paper's data sets, or files with labels, separated by commas."


HINTS: dict[str, str | Callable[[Any], str]] = {
    "views": _views,
    "ids": _ids,
    "labels": "Use --labels NAME to name the column or variable that holds the true labels, or --no-labels to read none.",
    "samples": _samples,
    "missing": _missing,
    "kinds": "Say what a view holds with --kind NAME=KIND (features, counts, categories, graph, kernel or distance).",
    "view_weights": "Give factors of at least 0 with --weight NAME=FACTOR, or leave --weight out.",
    "types": _types,
    "loose_ids": lambda _: f"use {_command_with('--loose-ids')}",
    "empty": "viewfuse info FILE... shows the number for each column.",
    "device": "Choose another device with --device, or leave --device out to compute on the processor.",
    "n_clusters": _n_clusters,
    "method": f"Choose from these with -m: {', '.join(METHODS)}.",
    "datasets": _datasets,
    "name": "viewfuse datasets list shows the names.",
    "names": "A view has the name of its file: rename the files, in another folder if need be.",
    "columns": "Choose another table with --columns, or leave --columns out.",
    "output": "Choose another file with --output.",
    "save": "Choose another file with --save.",
    "report": "Choose another file with --report.",
    "folder": "Wait for it, stop it, or choose another folder with --output.",
    "model": "Fit one of the methods auto, gfsc, gf and anchor-gfsc with viewfuse cluster -m KEY --save FILE.model.",
    "results": "viewfuse cluster --save FILE.npz writes such a file.",
    "source": "Rename one of the files.",
    "max_iter": "The command line has no option for this; in Python, increase max_iter or tol.",
}
_MEMORY_HINT = "Use -m anchor-gfsc, whose memory grows linearly with the number of samples, or use fewer samples."


def message(error: Exception | str) -> str:
    """What to print: the problem with the command line's hint if there is one, else the whole text.

    >>> from viewfuse.exceptions import ParameterError, ViewsError
    >>> message(ViewsError("It is square.", hint="Use samples='rows'.", parameter="samples", value=("rows", "columns")))
    'It is square. Use --samples rows or --samples columns to say where the samples are.'
    >>> message(ParameterError("alpha must be positive, not -1.", hint="Use alpha=1.", parameter="alpha", value=-1))
    'alpha must be positive, not -1. Use alpha=1.'
    """
    hint = _hint(error)
    return str(error) if hint is None else f"{getattr(error, 'problem', error)} {hint}"


def _hint(error: Exception | str) -> str | None:
    if isinstance(error, NotEnoughMemoryError) and error.hint is not None:
        return _MEMORY_HINT
    hint = HINTS.get(getattr(error, "parameter", None) or "")
    return hint(getattr(error, "value", None)) if callable(hint) else hint
