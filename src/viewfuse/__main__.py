"""``python -m viewfuse``: the same as the ``viewfuse`` command."""

from .cli import main

if __name__ == "__main__":
    main()
