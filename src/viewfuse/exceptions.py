"""Everything that can go wrong, by name.

Every message has three parts: what was found and where, what was expected, and what to do. The last part is the ``hint``,
which is worded for Python. Exceptions and warnings also carry what they are about as fields, so that another front end (the
command line) can word a hint of its own from ``parameter`` and ``value``.
"""

from typing import Any

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning

__all__ = [
    "ChunksWarning",
    "ConvergenceWarning",
    "DegenerateClustersWarning",
    "DegenerateGraphWarning",
    "DivergenceError",
    "DownloadError",
    "MissingExtraError",
    "ModelFormatError",
    "NoStructureWarning",
    "NotEnoughMemoryError",
    "ParameterError",
    "RunInProgressError",
    "UninformativeViewWarning",
    "UnusedColumnsWarning",
    "UnusedVariablesWarning",
    "ViewfuseError",
    "ViewfuseWarning",
    "ViewsError",
    "ViewsFormatError",
    "ViewsTypeError",
]


class _Structured(Exception):
    """A message with fields.

    Attributes
    ----------
    problem : str
        What was found and where, and what was expected.
    hint : str or None
        What to do about it, for a user of the Python interface. ``str()`` of the exception is the problem and the hint.
    view : str or None
        Name of the view.
    parameter : str or None
        Name of the parameter that the problem is about, or that would solve it.
    value : Any
        The value that the parameter has, or that was found.
    """

    def __init__(
        self,
        problem: str = "",
        *,
        hint: str | None = None,
        view: str | None = None,
        parameter: str | None = None,
        value: Any = None,
    ) -> None:
        super().__init__(problem if hint is None else f"{problem} {hint}")
        self.problem = problem
        self.hint = hint
        self.view = view
        self.parameter = parameter
        self.value = value


class ViewfuseError(_Structured):
    """Base of every exception viewfuse raises."""


class ParameterError(ViewfuseError, ValueError):
    """A parameter of an estimator has a value it cannot have."""


class DivergenceError(ViewfuseError, ArithmeticError):
    """The iterations left the range of numbers; the parameters do not suit the data."""


class ViewsError(ViewfuseError, ValueError):
    """The views cannot be used: misaligned, not finite, not numeric, empty."""


class ViewsTypeError(ViewsError, TypeError):
    """What was given is not views at all, or holds values that are not real numbers."""


class ViewsFormatError(ViewsError):
    """A file is not what it claims to be, or its layout is ambiguous."""


class DownloadError(ViewfuseError, OSError):
    """A data set could not be had: no network, no such file, or not the bytes its checksum promises."""


class ModelFormatError(ViewfuseError, ValueError):
    """A file is no saved model, not one of this version or not as it was saved; or a model cannot be saved."""


class NotEnoughMemoryError(ViewfuseError, MemoryError):
    """A fit would need more memory than there is."""


class MissingExtraError(ViewfuseError, ImportError):
    """An optional dependency is not installed."""


class RunInProgressError(ViewfuseError, RuntimeError):
    """Another run writes to the same folder."""


class ViewfuseWarning(_Structured, UserWarning):
    """Base of every warning viewfuse gives."""


class UninformativeViewWarning(ViewfuseWarning):
    """A view, or some of its rows, tells nothing about the samples or their clusters."""


class UnusedColumnsWarning(ViewfuseWarning):
    """Some columns belong to no view and are not used."""


class UnusedVariablesWarning(ViewfuseWarning):
    """Some variables of a file look like views and are not used."""


class ChunksWarning(ViewfuseWarning):
    """The chunks of Dask views do not line up, so some data has to move between workers."""


class DegenerateGraphWarning(ViewfuseWarning):
    """The consensus graph lost its structure: all zeros, or isolated samples."""


class NoStructureWarning(ViewfuseWarning):
    """There are no clusters to be found."""


class DegenerateClustersWarning(ViewfuseWarning):
    """Hardly a clustering: nearly all samples in one cluster, or many clusters of one sample."""


class ConvergenceWarning(ViewfuseWarning, _SklearnConvergenceWarning):
    """The sweeps ended at ``max_iter`` before the consensus graph settled."""
