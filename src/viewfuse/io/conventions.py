"""What people call things: the names under which files keep labels and ids."""

from __future__ import annotations

import re

__all__ = ["ID_NAMES", "LABEL_NAMES", "is_id_name", "is_label_name"]

LABEL_NAMES = (
    "y", "y0", "gt", "gnd", "label", "labels", "truelabel", "truelabels", "truth", "groundtruth", "target", "targets",
    "class", "classes",
)  # fmt: skip
ID_NAMES = ("id", "ids", "index", "sample", "samples", "sampleid", "sampleids", "samplename", "samplenames", "barcode")

# patient_id, customer-ID, sampleId, but neither "grid" nor "PAID"
_ENDS_LIKE_ID = re.compile(r"(?:[_\-. ](?:id|ID|Id)|[a-z](?:ID|Id))$")


def is_label_name(name: str) -> bool:
    """
    >>> is_label_name("True_Label"), is_label_name("yield")
    (True, False)
    """
    return _bare(name) in LABEL_NAMES


def is_id_name(name: str) -> bool:
    """
    >>> is_id_name("patient_id"), is_id_name("sampleID"), is_id_name("grid")
    (True, True, False)
    """
    return _bare(name) in ID_NAMES or bool(_ENDS_LIKE_ID.search(name))


def _bare(name: str) -> str:
    return re.sub(r"[_\-. ]", "", name).lower()
