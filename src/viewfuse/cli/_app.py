"""The application: finds the commands, and prints exceptions as one line.

A command is imported when it is run or when its own help is shown, so that ``viewfuse --help`` imports no NumPy, SciPy or
scikit-learn, which take most of a second.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from .._utils.version import __version__
from ._interrupt import INTERRUPTED
from ._progress import notice

__all__ = ["COMMANDS", "app", "run"]

BAD_INPUT, INTERNAL_ERROR = 2, 1

# Each is a function of this name, or a group of commands called ``app``, in the module of this name. With the first sentence
# of its help.
COMMANDS = {
    "demo": "Cluster 1,797 handwritten digits in six views, without labels, and compare the result with simpler methods.",
    "cluster": "Cluster the samples of a file, and show the weight of each view.",
    "predict": "Assign new samples to the clusters of a saved model.",
    "report": "Write a report about saved results: one HTML file that needs no network.",
    "info": "Show the contents of files: views, features, types, missing values, labels and, of tables, each column.",
    "datasets": "List, describe and download public multi-view data sets.",
    "compare": "Run several methods on a file and compare them in one table.",
    "methods": "List the clustering methods and their keys.",
    "benchmark": "Compare methods on data sets with known labels: tables, ranks, figures and one page.",
    "reproduce": "Run the paper's experiments, and write a page that compares the results with the printed tables and "
    "figures.",
}


class _Commands(TyperGroup):
    """The commands, which end with one line and exit code 130 if Ctrl-C interrupts them."""

    _shows_help = False

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        if cmd_name not in COMMANDS:
            return None
        if self._shows_help:
            return TyperCommand(cmd_name, help=COMMANDS[cmd_name], rich_markup_mode="rich")
        return _imported(cmd_name)

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        self._shows_help = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._shows_help = False

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


def _imported(name: str) -> Any:
    """The command of this name, or group of commands, from its module."""
    module = import_module(f".{name}", __package__)
    group = getattr(module, "app", None)
    if group is None:
        group = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
        group.command(name)(getattr(module, name))
    command = get_command(group)
    command.name = name
    return command


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
    except Exception as error:
        if debug:
            raise
        if _is_expected(error):
            _print_error(_text(error))
            raise SystemExit(BAD_INPUT) from None
        _print_error(
            f"Internal error ({type(error).__name__}: {error}). This is a bug in viewfuse. "
            "Run the command again with --debug and report the output."
        )
        raise SystemExit(INTERNAL_ERROR) from None


def _is_expected(error: Exception) -> bool:
    from ..exceptions import ViewfuseError  # imports scikit-learn

    return isinstance(error, ViewfuseError | OSError)


def _print_error(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(f"[bold red]viewfuse:[/] {escape(sentence)}", highlight=False)


def _show_warning(warning: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning without the file and line that raised it, which mean nothing to the user."""
    from ._hints import message

    notice(message(warning))


def _text(error: Exception) -> str:
    """The message of an error; for an error of the file system, the file and the reason without the error number."""
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    from ._hints import message

    return message(error)
