"""``viewfuse datasets``: the catalogue of public data sets, and their download."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from .. import datasets as catalogue
from ._options import AsJson
from .info import describe_views, view_facts

__all__ = ["app"]

app = typer.Typer(
    help="List, describe and download public multi-view data sets.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

Name = Annotated[str, typer.Argument(help="Name in the catalogue. Upper and lower case are the same.")]


@app.command("list")
def list_datasets(as_json: AsJson = False) -> None:
    """List the data sets of the catalogue. A tick marks those that are already downloaded.

    [bold]Examples[/]

      viewfuse datasets list

      viewfuse datasets list --json | jq .[].name
    """
    if as_json:
        print(json.dumps([_facts(name) for name in catalogue.names()], indent=2))
        return
    table = Table()
    table.add_column("name", no_wrap=True)
    for column in ("samples", "views", "clusters", "size", "here"):
        table.add_column(column, justify="right")
    folder = catalogue.data_folder()
    for name in catalogue.names():
        entry = catalogue.describe(name)
        here = "✓" if (folder / entry.file).exists() else ""
        table.add_row(name, f"{entry.n_samples:,}", str(entry.n_views), str(entry.n_clusters), _size(entry.n_bytes), here)
    Console().print(table)
    print(f"Files are kept in {folder} (set VIEWFUSE_DATA to use another folder).")


@app.command("info")
def show(name: Name, as_json: AsJson = False) -> None:
    """Describe a data set of the catalogue, without downloading it.

    [bold]Examples[/]

      viewfuse datasets info MSRC-v5
    """
    if as_json:
        print(json.dumps(_facts(name), indent=2))
        return
    entry = catalogue.describe(name)
    views = ", ".join(f"{v} ({n:,})" for v, n in zip(entry.view_names, entry.view_features, strict=True))
    facts = {
        "name": entry.name,
        "samples": f"{entry.n_samples:,}",
        "clusters": str(entry.n_clusters),
        "views": f"{entry.n_views}: {views}",
        "size": _size(entry.n_bytes),
        "address": entry.url,
        "sha256": entry.sha256,
        "file": str(catalogue.data_folder() / entry.file),
    }
    for fact, value in facts.items():
        print(f"{fact:9} {value}")


@app.command("fetch")
def fetch(
    name: Name,
    url: Annotated[
        str | None, typer.Option(help="Download from this address instead. The checksum of the catalogue still applies.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Download a data set, check it, and show its contents and its path. It is downloaded only once.

    [bold]Examples[/]

      viewfuse datasets fetch MSRC-v5

      VIEWFUSE_DATA=data viewfuse datasets fetch 3Sources
    """
    path = catalogue.download(name, url=url)
    views = catalogue.fetch(name)
    if as_json:
        print(json.dumps(view_facts(views, str(path)), indent=2))
        return
    describe_views(views, catalogue.describe(name).name, Console())
    print(path)


def _facts(name: str) -> dict[str, Any]:
    entry = catalogue.describe(name)
    file = catalogue.data_folder() / entry.file
    return {**asdict(entry), "path": str(file), "here": file.exists()}


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"
