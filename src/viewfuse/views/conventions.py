"""The names that files use for labels and for ids."""

from __future__ import annotations

import re

__all__ = ["is_id_column", "is_id_variable", "is_label_name"]

_LABELS = (
    "y", "y0", "gt", "gnd", "label", "labels", "truelabel", "truelabels", "labeltrue", "labelstrue", "ytrue", "truth",
    "groundtruth", "target", "targets", "class", "classes", "classlabel", "classlabels",
)  # fmt: skip
_IDS = ("id", "ids", "sampleid", "sampleids", "samplename", "samplenames", "barcode", "barcodes")
_IDS_IN_TABLES = ("index", "sample", "samples")  # as variables of a file these usually mean something else

# patient_id, customer-ID, sampleId, but neither "grid" nor "PAID"
_ENDS_LIKE_ID = re.compile(r"(?:[_\-. ](?:id|ID|Id)|[a-z](?:ID|Id))$")


def is_label_name(name: str) -> bool:
    """Return whether a column, variable or file with this name holds labels.

    >>> is_label_name("True_Label"), is_label_name("yield")
    (True, False)
    """
    return _bare(name) in _LABELS


def is_id_variable(name: str) -> bool:
    """Return whether a variable with this name holds ids.

    >>> is_id_variable("sample_ids"), is_id_variable("index")
    (True, False)
    """
    return _bare(name) in _IDS


def is_id_column(name: str) -> bool:
    """Return whether a column with this name holds ids.

    >>> is_id_column("patient_id"), is_id_column("sampleID"), is_id_column("index"), is_id_column("grid")
    (True, True, True, False)
    """
    return is_id_variable(name) or _bare(name) in _IDS_IN_TABLES or bool(_ENDS_LIKE_ID.search(name))


def _bare(name: str) -> str:
    return re.sub(r"[_\-. ]", "", name).lower()
