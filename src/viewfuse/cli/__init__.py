"""The ``viewfuse`` command: argument parsing and printing, no logic. One file per command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. If its extra is not installed, print how to install it."""
    try:
        from ._app import run
    except ModuleNotFoundError as missing:
        if missing.name not in {"typer", "rich"}:
            raise
        print("The viewfuse command needs its extra: pip install 'viewfuse[cli]'", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:  # imports take a second
        raise SystemExit(130) from None
    run()
