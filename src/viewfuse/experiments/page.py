"""The page: its contents once, as blocks, set as Markdown and as one self-contained HTML file."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Block", "Bullets", "Code", "Figure", "Heading", "TableBlock", "TableCell", "Text", "as_html", "as_markdown"]


@dataclass(frozen=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True)
class Text:
    text: str  # `code` and **bold** are set as such


@dataclass(frozen=True)
class Bullets:
    items: Sequence[str]


@dataclass(frozen=True)
class Code:
    text: str


@dataclass(frozen=True)
class Figure:
    name: str  # of the file, without its ending, in the page's folder
    caption: str


@dataclass(frozen=True)
class TableCell:
    """Lines of one cell; ``mark`` is "within", "outside" or nothing."""

    lines: tuple[str, ...]
    mark: str = ""


@dataclass(frozen=True)
class TableBlock:
    """``groups`` are headings over several columns: (text, number of columns)."""

    header: Sequence[str]
    rows: Sequence[Sequence[TableCell | str]]
    groups: Sequence[tuple[str, int]] = ()


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
    spans = [group for group, width in block.groups for _ in range(width)]
    header = (
        [f"{group}: {name}" if group else name for group, name in zip(spans, block.header, strict=True)]
        if spans
        else block.header
    )
    lines = [_line(header), "|" + "---|" * len(header), *(_line([_cell(cell) for cell in row]) for row in block.rows)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(cell: TableCell | str) -> str:
    return cell if isinstance(cell, str) else "<br>".join(cell.lines)


_STYLE = """
:root{color-scheme:light dark;--fg:#1a1a1a;--bg:#fff;--soft:#666;--line:#ddd;--head:#f3f4f6;--in:#e3f4ea;--out:#fbe9e2}
@media(prefers-color-scheme:dark){:root{--fg:#e6e6e6;--bg:#16181c;--soft:#9aa0a6;--line:#3a3d42;--head:#23262b;
--in:#173527;--out:#43271d}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1560px;margin:0 auto;padding:24px}
h1{font-size:1.7em;margin:.2em 0}
h2{margin-top:2em;border-bottom:1px solid var(--line);padding-bottom:.2em}
h3{margin-top:1.5em}
p,ul{max-width:80ch}
code,pre{font:13px/1.45 ui-monospace,monospace;background:var(--head);border-radius:3px;padding:0 .25em}
pre{padding:.7em;overflow-x:auto}
.scroll{overflow-x:auto;margin:1em 0}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 8px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;vertical-align:top}
th{background:var(--head);font-weight:600}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--bg)}
th.group{text-align:center;border-left:2px solid var(--line)}
td.text{text-align:left;white-space:normal;min-width:16ch}
td small{color:var(--soft);display:block}
td.within{background:var(--in)}
td.outside{background:var(--out)}
figure{margin:1em 0}
figure svg{max-width:100%;height:auto;background:#fff;border-radius:4px}
figcaption{color:var(--soft);max-width:80ch}
"""


def as_html(title: str, blocks: Sequence[Block], folder: Path) -> str:
    """One file that needs no other: figures are written into it."""
    body = "\n".join(_html(block, folder) for block in blocks)
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n'
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n<main>\n{body}\n</main>\n</html>\n"
    )


def _html(block: Block, folder: Path) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_inline(block.text)}</h{block.level}>"
    if isinstance(block, Text):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, Bullets):
        return "<ul>" + "".join(f"<li>{_inline(item)}</li>" for item in block.items) + "</ul>"
    if isinstance(block, Code):
        return f"<pre>{html.escape(block.text)}</pre>"
    if isinstance(block, Figure):
        drawing = _embedded(folder / f"{block.name}.svg", block.name)
        caption = _inline(block.caption)
        label = html.escape(block.caption, quote=True)
        return f'<figure role="img" aria-label="{label}">{drawing}<figcaption>{caption}</figcaption></figure>'
    return _html_table(block)


def _html_table(block: TableBlock) -> str:
    groups = "".join(f'<th class="group" colspan="{width}">{_inline(text)}</th>' for text, width in block.groups)
    header = "".join(f"<th>{_inline(name)}</th>" for name in block.header)
    rows = "".join("<tr>" + "".join(_html_cell(cell) for cell in row) + "</tr>" for row in block.rows)
    over = f"<tr>{groups}</tr>" if groups else ""
    return f'<div class="scroll"><table><thead>{over}<tr>{header}</tr></thead><tbody>{rows}</tbody></table></div>'


def _html_cell(cell: TableCell | str) -> str:
    if isinstance(cell, str):
        kind = ' class="text"' if len(cell) > 24 else ""
        return f"<td{kind}>{_inline(cell)}</td>"
    first, *others = cell.lines
    kind = f' class="{cell.mark}"' if cell.mark else ""
    return f"<td{kind}>{_inline(first)}" + "".join(f"<small>{_inline(line)}</small>" for line in others) + "</td>"


def _inline(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    return re.sub(r"\*\*([^*]+)\*\*", r"<strong>\1</strong>", text)


def _embedded(path: Path, prefix: str) -> str:
    """The drawing without its preamble, its ids made its own, as ids of one page must differ."""
    drawing = path.read_text(encoding="utf-8")
    drawing = drawing[drawing.index("<svg") :]
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    mark = re.sub(r"\W", "-", prefix)
    drawing = re.sub(r'\bid="([^"]+)"', rf'id="{mark}-\1"', drawing)
    drawing = re.sub(r'href="#([^"]+)"', rf'href="#{mark}-\1"', drawing)
    return re.sub(r"url\(#([^)]+)\)", rf"url(#{mark}-\1)", drawing)
