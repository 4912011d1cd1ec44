"""The contents of the page, as blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._utils.store import Store
from .findings import CLAIMS, DataFacts, claim_holds, explanations, is_degenerate, printed_point
from .grids import ROWS
from .page import Block, Bullets, Code, Figure, Heading, TableBlock, TableCell, Text
from .paper import CITATION, PRINTED_METRICS, DataSource, printed_table
from .protocol import METRICS, SEEDS, Cell
from .summary import ScoredCell, TableRow, compared
from .tables import parameter_text, shown

__all__ = ["page_blocks", "page_title"]

_NONE = "–"
_METRIC_NAMES = {
    "acc": "Acc",
    "inverse_purity": "inverse purity",
    "nmi_max": "NMI (max)",
    "purity": "true purity",
    "nmi_geometric": "NMI (geometric)",
}


def page_title() -> str:
    return "GFSC: the paper's tables and figures, computed again"


def page_blocks(
    by_dataset: Mapping[str, Sequence[TableRow]],
    facts: Mapping[str, DataFacts],
    absent: Sequence[DataSource],
    cells: Sequence[Cell],
    store: Store,
    figures: Mapping[str, Sequence[str]],
    command: str,
) -> list[Block]:
    rows = [row for found in by_dataset.values() for row in found]
    cells = [cell for cell in cells if cell.key in store.results]
    blocks: list[Block] = [Heading(1, page_title()), *_opening(by_dataset, absent)]
    missing = [f"{row.label} on {row.dataset} ({row.missing})" for row in rows if row.missing]
    if missing:
        blocks.append(Text("**Not finished.** Cells not yet computed: " + ", ".join(missing) + "."))
    for name, found in by_dataset.items():
        blocks += _dataset(facts[name], found, figures[name])
    for source in absent:
        blocks += [Heading(2, source.name), Text(_absence(source))]
    blocks += _conclusions(by_dataset)
    blocks.append(Heading(2, "Why the results differ"))
    for title, paragraphs in explanations(rows, facts):
        blocks += [Heading(3, title), *map(Text, paragraphs)]
    blocks += [*_protocol(by_dataset), *_cost(by_dataset, cells, store), *_provenance(facts, cells, store, command)]
    return blocks


def _opening(by_dataset: Mapping[str, Sequence[TableRow]], absent: Sequence[DataSource]) -> list[Block]:
    counts = []
    for name, rows in by_dataset.items():
        found = {column: [c for row in rows if (c := compared(row, column))] for column in PRINTED_METRICS}
        if found["Acc"]:
            within = ", ".join(f"{column} {sum(c.within for c in cs)} of {len(cs)}" for column, cs in found.items())
            counts.append(f"{name}: {within}")
    table = [_headline(name, rows) for name, rows in by_dataset.items()]
    return [
        Text(f"{CITATION} Our results come from the run described at the end. The paper's results are copied as printed."),
        Text(
            "Each cell shows our result, the paper's result and the difference. A cell is green, and marked ✓ in the "
            "Markdown version, if the difference is at most the sum of the two standard deviations (ours and the "
            "paper's). In the **oracle** columns the parameters are chosen with the true labels, as in the paper. The "
            "**default** columns use the library's defaults, which need no labels."
        ),
        *([Text("Rows within the sum of the two standard deviations: " + "; ".join(counts) + ".")] if counts else []),
        Heading(2, "GFSC at a glance (Acc, %)"),
        TableBlock(
            ["data set", "paper", "ours, printed parameters", "ours, best of the grid (oracle)", "robust variant, defaults",
             "anchor form, defaults"],
            table,
        ),
        *([Text("Not computed: " + " ".join(map(_absence, absent)))] if absent else []),
    ]  # fmt: skip


def _headline(name: str, rows: Sequence[TableRow]) -> list[str]:
    by_method = {row.method: row for row in rows}
    gfsc, anchor = by_method.get("gfsc"), by_method.get("anchor-gfsc")
    printed = printed_table(name).get("GFSC")
    return [
        name,
        shown(printed["Acc"]) if printed else _NONE,
        _acc(printed_point(gfsc)) if gfsc else _NONE,
        _acc(gfsc.oracle) if gfsc else _NONE,
        _acc(gfsc.default) if gfsc else _NONE,
        _acc(anchor.default) if anchor else _NONE,
    ]


def _acc(choice: ScoredCell | None) -> str:
    return shown(choice.stat("acc")) if choice else _NONE


def _absence(source: DataSource) -> str:
    return (
        f"{source.name} could not be run because its file is not in the data folder. `viewfuse datasets fetch "
        f"{source.catalogue}` downloads it; then run the same command again to compute its table."
    )


def _dataset(facts: DataFacts, rows: Sequence[TableRow], figures: Sequence[str]) -> list[Block]:
    source = facts.source
    place = (
        f" It replaces {source.instead_of} of the paper, which was not available, so there are no printed results."
        if source.instead_of
        else ""
    )
    features = ", ".join(f"{n:,}" for n in facts.n_features)
    captions = {
        "rows": "Acc of every row: the paper's result, ours with parameters chosen with labels, and ours at the defaults.",
        "sensitivity": "Mean Acc of GFSC (published variant) over α × β at two values of γ, those of the paper's figure if "
        "it has one. Hatched: degenerate points (half the samples have no edge, or 95 % of them are in one cluster). "
        "Square: the paper's best point. Circle: our best point.",
    }
    return [
        Heading(2, source.name),
        Text(
            f"{facts.n_samples:,} samples, {facts.n_clusters} classes (the largest {facts.largest_class:.1f} %), "
            f"{len(facts.n_features)} views of {features} features.{place}"
        ),
        _table(rows),
        *(Figure(name, captions[name.partition("-")[0]]) for name in figures),
    ]


def _table(rows: Sequence[TableRow]) -> TableBlock:
    ours_only = ("purity", "nmi_geometric")
    default = ("acc", "inverse_purity", "nmi_max", *ours_only)
    header = ["row", *(f"{_METRIC_NAMES[m]}" for m in PRINTED_METRICS.values()), *(_METRIC_NAMES[m] for m in ours_only),
              "parameters", *(_METRIC_NAMES[m] for m in default)]  # fmt: skip
    groups = [("", 1), ("oracle", len(PRINTED_METRICS) + len(ours_only) + 1), ("default", len(default))]
    lines = []
    for row in rows:
        line: list[TableCell | str] = [row.label]
        line += [_compared_cell(row, column) for column in PRINTED_METRICS]
        line += [shown(row.oracle.stat(metric)) if row.oracle else _NONE for metric in ours_only]
        line.append(_parameters(row))
        absent = "not computed" if row.missing else "failed"
        line += [shown(row.default.stat(metric)) if row.default else absent for metric in default]
        lines.append(line)
    return TableBlock(header, lines, groups)


def _compared_cell(row: TableRow, column: str) -> TableCell | str:
    if row.oracle is None:
        return "not computed" if row.missing and row.printed else _NONE
    ours = shown(row.oracle.stat(PRINTED_METRICS[column]))
    comparison = compared(row, column)
    if comparison is None:
        return ours
    sign = " ✓" if comparison.within else ""
    mark = "within" if comparison.within else "outside"
    return TableCell((f"**{ours}**", f"paper {shown(comparison.paper)}", f"{comparison.difference:+.2f}{sign}"), mark)


def _parameters(row: TableRow) -> TableCell | str:
    if row.oracle is None:
        return _NONE
    setting = next(r.setting for r in ROWS if r.method == row.method)
    tuned = {name: value for name, value in row.oracle.cell.parameters.items() if name not in setting and name != "view"}
    of = f"best of {len(row.points) + row.failed}" + (f" ({row.failed} failed)" if row.failed else "")
    degenerate = ("degenerate",) if is_degenerate(row.oracle) else ()
    return TableCell((parameter_text(tuned) or "nothing to tune", of, *degenerate))


def _conclusions(by_dataset: Mapping[str, Sequence[TableRow]]) -> list[Block]:
    table = []
    for claim in CLAIMS:
        line: list[TableCell | str] = [claim]
        for rows in by_dataset.values():
            found = claim_holds(claim, rows)
            if found is None:
                line.append(_NONE)
                continue
            holds, gfsc, best = found
            scores = f"GFSC {_acc(gfsc.oracle)}, {best.label} {_acc(best.oracle)}"
            line.append(TableCell(("yes" if holds else "no", scores), "within" if holds else "outside"))
        table.append(line)
    return [
        Heading(2, "The paper's conclusions, checked on our results"),
        Text("GFSC (published variant) against the best of the other methods, by mean Acc at the oracle's parameters."),
        TableBlock(["conclusion", *by_dataset], table),
    ]


def _protocol(by_dataset: Mapping[str, Sequence[TableRow]]) -> list[Block]:
    grids = []
    for row in ROWS:
        of_datasets = [[r for r in rows if r.method == row.method] for rows in by_dataset.values()]
        tried = [_tried(rows) for rows in of_datasets]
        if row.in_paper and any(tried):
            grids.append([row.label, parameter_text(dict(row.setting)), *(text or _NONE for text in tried)])
    return [
        Heading(2, "Protocol"),
        Bullets(
            [
                "Each view is scaled as a whole to [−1, 1]. The number of clusters is the number of classes.",
                f"There are ten repetitions (seeds {SEEDS[0]} to {SEEDS[-1]}). A repetition is one k-means run with one "
                "start on the method's embedding, or one fit with one start if the method has no embedding (KM, MVKKM, "
                "RMKMC, MSPL). The tables show the mean and the standard deviation (n − 1).",
                "Oracle: the point of the grid with the best mean Acc. Default: `METHODS[key](n_clusters=k)`, with the "
                "method's own scaling and ten starts of k-means, repeated with the same seeds. Methods without an embedding "
                "(KM, MVKKM, RMKMC, MSPL) are repeated with three seeds only, because each repetition is a new fit.",
                "Labels are used only in the scores and in the oracle's choice.",
            ]
        ),
        Heading(3, "Grids of this run"),
        TableBlock(["row", "setting", *by_dataset], grids),
    ]


def _tried(rows: Sequence[TableRow]) -> str | None:
    """List the values that each parameter takes over the finished points."""
    values: dict[str, list[Any]] = {}
    for point in (point for row in rows for point in row.points):
        for name, value in point.cell.parameters.items():
            if name != "view" and value not in values.setdefault(name, []):
                values[name].append(value)
    if not values:
        return None
    setting = next(r.setting for r in ROWS if r.method == rows[0].method)
    listed = [f"{name} {', '.join(_number(v) for v in found)}" for name, found in values.items() if name not in setting]
    return "; ".join(listed) or "nothing to tune"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cost(by_dataset: Mapping[str, Sequence[TableRow]], cells: Sequence[Cell], store: Store) -> list[Block]:
    seconds: Counter[tuple[str, str]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        seconds[cell.method, cell.dataset] += store.results[cell.key]["core_seconds"]
        counts[cell.method, cell.dataset] += 1
    methods = list(dict.fromkeys(cell.method for cell in cells))
    table = [
        [
            method,
            *(
                f"{seconds[method, name]:,.0f} s ({counts[method, name]})" if counts[method, name] else _NONE
                for name in by_dataset
            ),
        ]
        for method in methods
    ]
    totals = ["all", *(f"{sum(s for (_, n), s in seconds.items() if n == name):,.0f} s" for name in by_dataset)]
    minutes = sum(seconds.values()) / 60
    return [
        Heading(2, "Cost"),
        Text(
            "Seconds on one core for each method and data set, with the number of cells in brackets. The total is "
            f"{minutes:,.0f} core-minutes, about {minutes / 120:.1f} hours on two cores. All points of SC, SC(Ave), GF and "
            "GFSC share the scaling and factorisation of each view, and the ten repetitions of a point share one fit."
        ),
        TableBlock(["method", *by_dataset], [*table, totals]),
    ]


def _provenance(facts: Mapping[str, DataFacts], cells: Sequence[Cell], store: Store, command: str) -> list[Block]:
    by_session = Counter(store.results[cell.key]["session"] for cell in cells)
    used = [(session, store.sessions[session], count) for session, count in sorted(by_session.items())]
    table = [
        [
            str(number + 1),
            str(session["at"]),
            f"`{session['command']}`",
            str(session["workers"]),
            str(count),
            str(session["code"]),
            ", ".join(f"{name} {version}" for name, version in session["versions"].items()),
        ]
        for number, session, count in used
    ]
    codes = {session["code"] for _, session, _ in used}
    return [
        Heading(2, "How this page was made"),
        Code(command),
        Text(
            "A run can be stopped and resumed. These sessions computed the cells shown here. The column “code” is a "
            "checksum of the solvers' source" + (", which changed between sessions" if len(codes) > 1 else "") + "."
        ),
        TableBlock(["session", "started (UTC)", "command", "workers", "cells", "code", "versions"], table),
        TableBlock(
            ["data set", "file", "sha256"], [[name, fact.source.path.name, fact.checksum] for name, fact in facts.items()]
        ),
        Text(
            f"Machine: {', '.join(sorted({str(session['machine']) for _, session, _ in used}))}. Metrics: "
            f"{', '.join(METRICS)}."
        ),
    ]
