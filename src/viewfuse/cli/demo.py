"""``viewfuse demo``: cluster the embedded digits and show what came out."""

from __future__ import annotations


def demo() -> None:
    """Cluster the embedded digits and show what came out."""
