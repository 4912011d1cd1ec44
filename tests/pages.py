"""What a report contains, read back from the page."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np


def text_of(page: Path) -> str:
    """The visible text: the page without its scripts, styles and tags."""
    html = re.sub(r"<(script|style)\b.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def data_of(page: Path) -> dict[str, Any]:
    """The data of the explorer."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])


def unpacked(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.dtype(dtype).newbyteorder("<"))


def column_of(page: Path, name: str) -> list[Any]:
    """The values of a column that the samples can be coloured by."""
    one = next(column for column in data_of(page)["columns"] if column["name"] == name)
    if one["levels"] is None:
        return [
            None if np.isnan(value) else float(value) for value in unpacked(one["data"], "f8" if one["double"] else "f4")
        ]
    return [one["levels"][code] for code in unpacked(one["data"], "u1")]
