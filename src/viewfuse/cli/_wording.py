"""What the library advises to write in Python, as options of the command."""

from __future__ import annotations

import re

__all__ = ["as_options"]

_LIST = re.compile(r"\bviews=\[([^\]]*)\]")
_VALUE = re.compile(r"\b(views|ids|labels|samples|missing|device)='([^']*)'")
_SUBJECT = re.compile(r"^(samples|missing|device) (?=must be)")
_WORDS = {
    "labels=False": "--no-labels",
    "n_clusters='auto'": "leaving -k out",
    "Give n_clusters a number": "Give a number with -k",
    "give n_clusters a number": "give a number with -k",
    "Use AnchorGFSC": "Use -m anchor-gfsc",
    "Raise max_iter or tol.": "In Python, raise max_iter or tol.",
    "leave device out": "leave --device out",
    "see datasets.names()": "see viewfuse datasets list",
}
_BARE = re.compile(r"\b(views|ids|labels)=(?=[\s;:,.)]|$)")


def as_options(message: str) -> str:
    """
    >>> as_options("say which with samples='rows' or samples='columns'; or labels=False")
    'say which with --samples rows or --samples columns; or --no-labels'
    >>> as_options("perhaps views=['audio_*', 'image_*']; views='*' takes all; choose with ids=.")
    "perhaps --views 'audio_*' --views 'image_*'; --views '*' takes all; choose with --ids."
    >>> as_options("samples must be 'rows' or 'columns', not 'diag'.")
    "--samples must be 'rows' or 'columns', not 'diag'."
    >>> as_options("All samples are put in one cluster; give n_clusters a number to divide them all the same.")
    'All samples are put in one cluster; give a number with -k to divide them all the same.'
    """
    for python, option in _WORDS.items():
        message = message.replace(python, option)
    message = _LIST.sub(lambda found: " ".join(f"--views {_word(name)}" for name in _names(found[1])), message)
    message = _VALUE.sub(lambda found: f"--{found[1]} {_word(found[2])}", message)
    message = _SUBJECT.sub(r"--\1 ", message)
    return _BARE.sub(lambda found: f"--{found[1]}", message)


def _names(listed: str) -> list[str]:
    return [name.strip().strip("'\"") for name in listed.split(",") if name.strip() != "…"]


def _word(value: str) -> str:
    """As a shell takes it literally."""
    return f"'{value}'" if re.search(r"[*?\s]", value) else value
