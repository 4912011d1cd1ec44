"""Find the encoding of a text from its first bytes."""

from __future__ import annotations

import codecs
import re

__all__ = ["encoding_of"]

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_SHORT = 4096
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def encoding_of(head: bytes) -> str | None:
    """Return the encoding of a text, or None if these bytes are not text.

    Bytes that are not UTF-8 are taken as Windows' Western European code page, which contains Latin-1.

    >>> encoding_of("naïve".encode()), encoding_of("naïve".encode("latin-1")), encoding_of(bytes(8))
    ('utf-8', 'cp1252', None)
    """
    marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    for encoding in (marked,) if marked else ("utf-8", "cp1252"):
        text = _decoded(head, encoding)
        if text and not _CONTROL.search(text):
            return encoding
    return None


def _decoded(head: bytes, encoding: str) -> str | None:
    is_whole = len(head) < _SHORT  # otherwise the last bytes may be the first part of a character
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head, is_whole)
    except UnicodeDecodeError:
        return None
