"""The exceptions and warnings of viewfuse.

Every message has three parts: what was found and where, what was expected, and what to do. The last part is the ``hint``,
which is worded for Python. The parts are also fields of the exception, together with the view and the parameter concerned.
The command line uses these fields to word its own hints.
"""

from functools import partial
from typing import Any

from sklearn.exceptions import ConvergenceWarning as _SklearnConvergenceWarning

__all__ = [
    "ChunksWarning",
    "ContradictingViewWarning",
    "ConvergenceWarning",
    "DegenerateClustersWarning",
    "DegenerateGraphWarning",
    "DivergenceError",
    "DownloadError",
    "EmptyCellsWarning",
    "EncodingWarning",
    "KindWarning",
    "LabelsWarning",
    "MissingExtraError",
    "ModelFormatError",
    "NoStructureWarning",
    "NotEnoughMemoryError",
    "ParameterError",
    "PluginWarning",
    "RunInProgressError",
    "SingleViewWarning",
    "SuspiciousValuesWarning",
    "UninformativeViewWarning",
    "UnlikeFitWarning",
    "UnmatchedSamplesWarning",
    "UnstableClustersWarning",
    "UnusedColumnsWarning",
    "UnusedVariablesWarning",
    "ViewfuseError",
    "ViewfuseWarning",
    "ViewsError",
    "ViewsFormatError",
    "ViewsTypeError",
]


class _Structured(Exception):
    """Message with fields.

    Attributes
    ----------
    problem : str
        What was found and where, and what was expected.
    hint : str or None
        What to do about it, for a user of the Python interface. ``str()`` of the exception is the problem and the hint.
    view : str or None
        Name of the view.
    parameter : str or None
        Name of the parameter that the problem is about, or that solves it.
    value : Any
        Where the hint offers values for the parameter, a tuple of them, such as ``("keep", "drop")``. Otherwise the value
        that the parameter has.
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

    def __reduce__(self) -> tuple[Any, ...]:
        # The default passes only the message. Dask's workers replace it (tblib) in a way that fails for MemoryError.
        fields = {name: getattr(self, name) for name in ("hint", "view", "parameter", "value")}
        return partial(type(self), **fields), (self.problem,), self.__dict__


class ViewfuseError(_Structured):
    """Base class of all exceptions of viewfuse."""


class ParameterError(ViewfuseError, ValueError):
    """A parameter has a value that is not allowed, or that does not fit the data."""


class DivergenceError(ViewfuseError, ArithmeticError):
    """The iterations diverged: values became infinite or NaN. The parameters do not suit the data."""


class ViewsError(ViewfuseError, ValueError):
    """The views cannot be used: their samples do not match, or their values are missing, infinite or not numeric."""


class ViewsTypeError(ViewsError, TypeError):
    """The data is of a type that cannot be views, or contains values that are not real numbers."""


class ViewsFormatError(ViewsError):
    """A file is damaged, is not in the format it claims, or can be read in more than one way."""


class DownloadError(ViewfuseError, OSError):
    """A data set could not be downloaded, or its checksum is wrong."""


class ModelFormatError(ViewfuseError, ValueError):
    """A file is not a saved model that this version can read, or a model cannot be saved."""


class NotEnoughMemoryError(ViewfuseError, MemoryError):
    """A fit needs more memory than is available."""


class MissingExtraError(ViewfuseError, ImportError):
    """An optional dependency is not installed."""


class RunInProgressError(ViewfuseError, RuntimeError):
    """Another run is writing to the same folder."""


class ViewfuseWarning(_Structured, UserWarning):
    """Base class of all warnings of viewfuse."""


class UninformativeViewWarning(ViewfuseWarning):
    """A view is constant, some of its rows are all zeros, or it does not show what the method compares."""


class ContradictingViewWarning(ViewfuseWarning):
    """A view has clear clusters of its own that are not those of the result: its rows may be in another order."""


class SuspiciousValuesWarning(ViewfuseWarning):
    """Values look damaged: codes for missing values, mixed units or signs, a row of totals, rows that were filled down.

    Or cells lie in the next column, columns were sorted one by one, a view was given twice, or nearly all samples of a view
    have the same values.
    """


class UnlikeFitWarning(ViewfuseWarning):
    """Most new samples are unlike all samples of the fit."""


class KindWarning(ViewfuseWarning):
    """A method takes features only, so it uses the rows of a graph, kernel or distance as features."""


class UnmatchedSamplesWarning(ViewfuseWarning):
    """A table that is matched by id has no row for some samples, or tables without ids are matched by position."""


class UnusedColumnsWarning(ViewfuseWarning):
    """Some columns are in no view and are not used."""


class SingleViewWarning(ViewfuseWarning):
    """A table is taken as one view, but the names of its columns suggest several."""


class LabelsWarning(ViewfuseWarning):
    """What was taken as labels may not be, or a column with the name of labels is a feature or, of a DataFrame, not used."""


class UnusedVariablesWarning(ViewfuseWarning):
    """Some variables of a file could be views but are not used."""


class EmptyCellsWarning(ViewfuseWarning):
    """Cells of tables are empty and were filled from similar samples."""


class EncodingWarning(ViewfuseWarning):
    """New data differs from the tables that the model was fitted on: unknown categories, or other columns."""


class ChunksWarning(ViewfuseWarning):
    """The chunks of the Dask views are not aligned, so data has to move between workers."""


class DegenerateGraphWarning(ViewfuseWarning):
    """The consensus graph is degenerate: no edges, isolated samples, or too few distinct clusters."""


class NoStructureWarning(ViewfuseWarning):
    """No clusters were found in the data."""


class UnstableClustersWarning(ViewfuseWarning):
    """Different ways of clustering the same data disagree, so the clusters may not be in the data."""


class DegenerateClustersWarning(ViewfuseWarning):
    """The clusters are degenerate: one contains nearly all samples, or many contain a single sample."""


class PluginWarning(ViewfuseWarning):
    """A method that another package registers cannot be used."""


class ConvergenceWarning(ViewfuseWarning, _SklearnConvergenceWarning):
    """The iterations stopped before the consensus graph converged."""
