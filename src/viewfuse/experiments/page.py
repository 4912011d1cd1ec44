"""The page: a list of blocks, written as Markdown and as one self-contained HTML file.

The HTML comes from the jinja2 templates ``page.html`` and ``page.css``; jinja2 is installed by the extra ``report``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import ClassVar

from .._utils.extras import require

__all__ = [
    "Block",
    "Bullets",
    "Code",
    "Figure",
    "Heading",
    "TableBlock",
    "TableCell",
    "Text",
    "as_html",
    "as_markdown",
    "require_page_extras",
]


@dataclass(frozen=True)
class Heading:
    kind: ClassVar = "heading"  # of the macro in page.html
    level: int
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph. In it, in bullets and in tables, `code` and **bold** are marked as in Markdown."""

    kind: ClassVar = "text"
    text: str


@dataclass(frozen=True)
class Bullets:
    kind: ClassVar = "bullets"
    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    kind: ClassVar = "code"
    text: str


@dataclass(frozen=True)
class Figure:
    """``name`` is that of an SVG file in the folder of the page, without the extension."""

    kind: ClassVar = "figure"
    name: str
    caption: str


@dataclass(frozen=True)
class TableCell:
    """The lines of one cell. ``mark`` is "within", "outside" or empty, and gives the cell its colour."""

    lines: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True)
class TableBlock:
    """``groups`` are headings over several columns: (text, number of columns)."""

    kind: ClassVar = "table"
    header: Sequence[str]
    rows: Sequence[Sequence[TableCell | str]]
    groups: Sequence[tuple[str, int]] = ()


def require_page_extras() -> None:
    """Raise an error if a page cannot be made: better now than after hours of computation."""
    require("jinja2", extra="report")
    require("matplotlib", extra="plot").use("Agg")


Block = Heading | Text | Bullets | Code | Figure | TableBlock


def as_markdown(blocks: Sequence[Block]) -> str:
    return "\n".join(_markdown(block) for block in blocks)


def _markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {block.text}\n"
    if isinstance(block, Text):
        return f"{block.text}\n"
    if isinstance(block, Bullets):
        return "".join(f"- {item}\n" for item in block.items)
    if isinstance(block, Code):
        return f"```\n{block.text}\n```\n"
    if isinstance(block, Figure):
        return f"![{block.name}]({block.name}.svg)\n\n*{block.caption}*\n"
    return _markdown_table(block)


def _markdown_table(block: TableBlock) -> str:
    groups = [group for group, width in block.groups for _ in range(width)] or [""] * len(block.header)
    header = [f"{group}: {name}" if group else name for group, name in zip(groups, block.header, strict=True)]
    rows = [[cell if isinstance(cell, str) else "<br>".join(cell.lines) for cell in row] for row in block.rows]
    lines = [_markdown_row(header), "|" + "---|" * len(header), *map(_markdown_row, rows)]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_html(title: str, blocks: Sequence[Block], folder: Path) -> str:
    """One file that needs no other: the figures in ``folder`` are embedded."""
    jinja2 = require("jinja2", extra="report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(__package__, "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"spans": _spans, "drawing": lambda name: _drawing(folder / f"{name}.svg", name)}
    css = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    return str(environment.get_template("page.html").render(title=title, blocks=blocks, css=css)) + "\n"


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """Split a text into its (kind, text) parts.

    >>> list(_spans("a **b** and `c`"))
    [('', 'a '), ('bold', 'b'), ('', ' and '), ('code', 'c')]
    """
    for part in re.split(r"(`[^`]+`|\*\*[^*]+\*\*)", text):
        if len(part) > 2 and part[0] == part[-1] == "`":
            yield "code", part[1:-1]
        elif len(part) > 4 and part.startswith("**") and part.endswith("**"):
            yield "bold", part[2:-2]
        elif part:
            yield "", part


def _drawing(path: Path, prefix: str) -> str:
    """The SVG element of a file. Its ids get a prefix, because ids must be unique in the page."""
    drawing = path.read_text(encoding="utf-8")
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    mark = re.sub(r"\W", "-", prefix)
    drawing = re.sub(r'\bid="([^"]+)"', rf'id="{mark}-\1"', drawing)
    drawing = re.sub(r'href="#([^"]+)"', rf'href="#{mark}-\1"', drawing)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}-\1)", drawing)
