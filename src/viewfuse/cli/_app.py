"""The application: registers the commands, and prints exceptions as one line."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

from .._utils.version import __version__
from ..exceptions import ViewfuseError
from . import benchmark, cluster, compare, datasets, demo, info, methods, predict, report, reproduce
from ._hints import message
from ._interrupt import INTERRUPTED
from ._progress import notice

BAD_INPUT, INTERNAL_ERROR = 2, 1


class _Commands(TyperGroup):
    """The commands, which end with one line and exit code 130 if Ctrl-C interrupts them."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            notice("stopped by Ctrl-C")
            raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    name="viewfuse",
    cls=_Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(demo.demo)
app.command()(cluster.cluster)
app.command()(predict.predict)
app.command()(report.report)
app.command()(info.info)
app.add_typer(datasets.app, name="datasets")
app.command()(compare.compare)
app.command()(methods.methods)
app.command()(benchmark.benchmark)
app.command()(reproduce.reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"viewfuse {__version__}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Show the full traceback of an error. Can be placed anywhere on the line."
    ),
) -> None:
    """Cluster samples that are described by several views (sets of features).

    Each view is turned into a graph. The graphs are fused into one consensus graph, in which each view has a weight.

    Start with [bold]viewfuse demo[/], then [bold]viewfuse cluster FILE[/]. Every command has --help with examples.
    """


def run() -> None:
    """Run the command that ``sys.argv`` asks for."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    warnings.showwarning = _show_warning  # type: ignore[assignment]  # its first parameter has another name
    try:
        app(args=arguments, prog_name="viewfuse")
    except (ViewfuseError, OSError) as error:
        if debug:
            raise
        _print_error(_text(error))
        raise SystemExit(BAD_INPUT) from None
    except Exception as error:
        if debug:
            raise
        _print_error(
            f"Internal error ({type(error).__name__}: {error}). This is a bug in viewfuse. "
            "Run the command again with --debug and report the output."
        )
        raise SystemExit(INTERNAL_ERROR) from None


def _print_error(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]viewfuse:[/] {escape(sentence)}", highlight=False)


def _show_warning(warning: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning without the file and line that raised it, which mean nothing to the user."""
    notice(message(warning))


def _text(error: Exception) -> str:
    """The message of an error; for an error of the file system, the file and the reason without the error number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return message(error)
