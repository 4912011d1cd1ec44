"""The application: registers the commands, and turns our exceptions into one sentence."""

from __future__ import annotations

import typer
from rich.console import Console

from .. import __version__
from ..exceptions import ViewfuseError
from . import compare, demo, methods

app = typer.Typer(
    name="viewfuse",
    help="Cluster samples seen in several views: one graph per view, fused into one that says which views to trust.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(compare.compare)
app.command()(methods.methods)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"viewfuse {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
) -> None:
    """Cluster samples seen in several views: one graph per view, fused into one that says which views to trust."""


def run() -> None:
    try:
        app()
    except ViewfuseError as error:
        Console(stderr=True).print(f"[bold red]viewfuse:[/] {error}", highlight=False, markup=True)
        raise SystemExit(2) from None
