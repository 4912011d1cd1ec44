"""The application: registers the commands, and turns our exceptions into one sentence."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape

from .._utils.version import __version__
from ..exceptions import ViewfuseError
from . import cluster, compare, datasets, demo, info, methods, report, reproduce
from ._wording import as_options

BAD_INPUT, OUR_FAULT = 2, 1

app = typer.Typer(
    name="viewfuse",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(cluster.cluster)
app.command()(report.report)
app.command()(info.info)
app.add_typer(datasets.app, name="datasets")
app.command()(compare.compare)
app.command()(methods.methods)
app.command()(reproduce.reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"viewfuse {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
    debug: bool = typer.Option(False, "--debug", help="Show the whole traceback of an error; anywhere on the line."),
) -> None:
    """Cluster samples seen in several views: one graph per view, fused into one that says which views to trust.

    Start with [bold]viewfuse demo[/], then [bold]viewfuse cluster FILE[/]. Every command has --help with examples.
    """


def run() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    warnings.showwarning = _show_warning
    try:
        app(args=arguments, prog_name="viewfuse")
    except (ViewfuseError, OSError) as error:
        if debug:
            raise
        _complain(_sentence(error))
        raise SystemExit(BAD_INPUT) from None
    except Exception as error:
        if debug:
            raise
        _complain(
            f"This should not have happened ({type(error).__name__}: {error}). Run it again with --debug and report it."
        )
        raise SystemExit(OUR_FAULT) from None


def _complain(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]viewfuse:[/] {escape(sentence)}", highlight=False)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning is a sentence for the user too; where in our code it arose is of no use to them."""
    Console(stderr=True, soft_wrap=True).print(f"[yellow]viewfuse:[/] {escape(as_options(str(message)))}", highlight=False)


def _sentence(error: Exception) -> str:
    """What our own exceptions say; of the file system's, the file and the reason, without the number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return as_options(str(error))
