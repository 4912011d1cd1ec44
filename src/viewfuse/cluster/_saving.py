"""Saved estimators: arrays and JSON in one zip archive. Nothing is pickled, and loading executes nothing from the file.

``model.json`` contains the name and version of the format, the method, its parameters and fitted attributes, the SHA-256 of
every array and a checksum of itself. Arrays are ``.npy`` members, so ``numpy.load`` can also open the archive. The checksums
detect a damaged or edited file; they are not a signature and do not tell who wrote it.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from array_api_compat import is_array_api_obj

from .._utils.device import to_host
from .._utils.files import replacing
from ..exceptions import ModelFormatError
from ..fusion.anchor import AnchorModel
from ..graphs.relations import RelationPoints
from ..graphs.representation import Representation
from ..linalg import BipartiteEmbedding
from ..views.encoding import ColumnEncoding, Encoding, TableEncoding
from ..views.filling import Filler
from ._matching import Columns
from ._new_samples import NewSamples
from ._view_report import ViewReport
from .auto.choice import AutoChoice, ViewChoice
from .auto.labelling import Labelling, LinearRule
from .auto.measure import Measure
from .auto.membership import Discriminant, Membership
from .auto.votes import VotingSpace
from .counting import ClusterCounts
from .novelty import Novelty
from .relations.as_views import RelationViews
from .relations.blocks import Blocks
from .relations.features import Coordinates
from .relations.fused import FusedPoints, GraphWeights
from .relations.maps import RelationMap
from .relations.smoothing import Finish, Plan, Spectrum
from .rows.clouds import Clouds
from .rows.measured import RowMeasure
from .rows.placement import Placement
from .structure import Evidence
from .verdict import Verdict

__all__ = ["read_model", "write_model"]

_FORMAT = "viewfuse model"
_VERSION = 3  # version 1 had anchors without their mean, version 2 no clouds
_MANIFEST = "model.json"
_TAG = "is"  # key of a JSON object that represents a type which JSON does not have
_SCALARS = (bool, int, str, type(None))
# Records that a fitted attribute may be.
_KEPT = (
    Placement,
    Clouds,
    Novelty,
    RowMeasure,
    AnchorModel,
    BipartiteEmbedding,
    ClusterCounts,
    ViewReport,
    AutoChoice,
    Blocks,
    ViewChoice,
    Measure,
    Representation,
    VotingSpace,
    Membership,
    Discriminant,
    Evidence,
    Verdict,
    Columns,
    Coordinates,
    Finish,
    FusedPoints,
    GraphWeights,
    Labelling,
    LinearRule,
    NewSamples,
    Plan,
    RelationMap,
    RelationPoints,
    RelationViews,
    Spectrum,
    Encoding,
    TableEncoding,
    ColumnEncoding,
    Filler,
)
_RECORDS: dict[str, Any] = {made.__name__: made for made in _KEPT}


def write_model(model: Any, path: str | Path) -> Path:
    """Save an estimator, fitted or not."""
    path = Path(path).expanduser()
    encoder = _Encoder()
    manifest = {
        "format": _FORMAT,
        "version": _VERSION,
        "method": type(model).__name__,
        "attributes": {
            name: encoder.encode(value, name)
            for name, value in model.__getstate__().items()
            if name not in model._unsaved_parameters
        },
        "arrays": {name: _sha256(content) for name, content in encoder.members.items()},
    }
    manifest["checksum"] = _sha256(_canonical(manifest))
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_MANIFEST, json.dumps(manifest))
        for name, content in encoder.members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def read_model(path: str | Path, classes: Mapping[str, Any]) -> Any:
    """The estimator in a file; ``classes`` maps names to the classes that may be loaded."""
    path = Path(path).expanduser()
    with _refusing(path), zipfile.ZipFile(path) as archive:
        manifest = _manifest(archive)
        made = classes.get(str(manifest["method"]))
        if made is None:
            raise ModelFormatError(f"it contains a {manifest['method']}, which this version of viewfuse does not know.")
        decoder = _Decoder({name: _array(archive, name, digest) for name, digest in manifest["arrays"].items()})
        attributes = {str(name): decoder.decode(value) for name, value in manifest["attributes"].items()}
        attributes |= dict.fromkeys(made._unsaved_parameters)
        unknown = [name for name in attributes if hasattr(made, name) and callable(getattr(made, name))]
        absent = [name for name in made._get_param_names() if name not in attributes]
        if unknown or absent:
            raise ModelFormatError(f"it does not describe a {made.__name__}: see {(unknown + absent)[0]!r}.")
    model = object.__new__(made)
    vars(model).update(attributes)
    return model


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn every error of this block into a ``ModelFormatError`` with the name of the file and the reason."""
    try:
        yield
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: {error.problem}", hint=error.hint) from None
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:  # zipfile, json and NumPy raise many types of exceptions for damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ModelFormatError(f"{path}: not a saved model, or damaged or truncated ({reason}).") from error


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    if _MANIFEST not in archive.namelist():
        if {"labels.npy", "versions.npy"} <= set(archive.namelist()):
            raise ModelFormatError(
                "it holds the results of a fit, not a model.",
                hint="Results are read by io.load_results(path); models are saved by model.save(path).",
            )
        raise ModelFormatError("not a saved model.", hint="Models are saved by model.save(path).")
    manifest = json.loads(_content(archive, _MANIFEST))
    if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
        raise ModelFormatError("not a saved model.", hint="Models are saved by model.save(path).")
    version = manifest.get("version")
    if not isinstance(version, int) or version > _VERSION:
        raise ModelFormatError(
            f"it was saved by a newer version of viewfuse (format {version}; this version reads up to {_VERSION}).",
            hint="Update viewfuse.",
        )
    if version < _VERSION:
        raise ModelFormatError(
            f"it was saved by an older version of viewfuse, in format {version}, which this version cannot read.",
            hint="Fit the model again.",
        )
    checksum = manifest.pop("checksum", None)
    if checksum != _sha256(_canonical(manifest)):
        raise ModelFormatError(
            f"{_MANIFEST} was changed after it was saved: its checksum does not match.", hint="Save the model again."
        )
    return manifest


def _content(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of a member. Members are not compressed, so they are never larger than the file."""
    member = archive.getinfo(name)
    if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
        raise ModelFormatError(f"{name} is compressed, but model.save never compresses.")
    return archive.read(member)


def _array(archive: zipfile.ZipFile, name: str, digest: str) -> np.ndarray:
    content = _content(archive, f"{name}.npy")
    if _sha256(content) != digest:
        raise ModelFormatError(
            f"array {name!r} was changed after it was saved: its checksum does not match.", hint="Save the model again."
        )
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ModelFormatError(f"array {name!r} is in an unknown format.")
    shape, columns_first, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject:
        raise ModelFormatError(f"array {name!r} contains pickled Python objects, which are never loaded.")
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ModelFormatError(f"array {name!r} does not contain the numbers of its shape {shape}.")
    values = np.frombuffer(content, dtype=dtype, offset=stream.tell()) if math.prod(shape) else np.empty(0, dtype)
    return values.reshape(shape, order="F" if columns_first else "C").copy(order="K")


class _Encoder:
    """Converts values to JSON; arrays become ``members``, each with a unique name."""

    def __init__(self) -> None:
        self.members: dict[str, bytes] = {}

    def encode(self, value: Any, name: str) -> Any:
        if isinstance(value, np.generic) and not isinstance(value, (np.str_, np.float64)):
            value = value.item()
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {_TAG: "float", "value": repr(float(value))}
        if isinstance(value, _SCALARS):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, (list, tuple)):
            items = [self.encode(item, f"{name}.{i}") for i, item in enumerate(value)]
            return items if isinstance(value, list) else {_TAG: "tuple", "items": items}
        if isinstance(value, Mapping):
            pairs = [[self.encode(key, name), self.encode(item, f"{name}.{key}")] for key, item in value.items()]
            return {_TAG: "dict", "items": pairs}
        if isinstance(value, slice):
            return {_TAG: "slice", "items": [self.encode(end, name) for end in (value.start, value.stop, value.step)]}
        if isinstance(value, np.random.RandomState):
            return {_TAG: "RandomState", "state": self.encode(value.get_state(legacy=True), name)}
        if sp.issparse(value):
            csr = value.tocsr()
            parts = [self.encode(part, f"{name}.{i}") for i, part in enumerate((csr.data, csr.indices, csr.indptr))]
            return {_TAG: "sparse", "parts": parts, "shape": list(csr.shape)}
        if _RECORDS.get(type(value).__name__) is type(value):
            stored = [field.name for field in fields(value)] if is_dataclass(value) else list(vars(value))
            encoded = {field: self.encode(getattr(value, field), f"{name}.{field}") for field in stored}
            return {_TAG: "record", "class": type(value).__name__, "fields": encoded}
        if is_array_api_obj(value):
            return self._encode_array(to_host(value), name)
        raise ModelFormatError(
            f"{name} is a {type(value).__name__}, which cannot be saved as arrays and JSON.",
            hint="Set it to a plain value first.",
            parameter=name,
        )

    def _encode_array(self, array: np.ndarray, name: str) -> Any:
        if array.dtype.hasobject:
            return {_TAG: "objects", "shape": list(array.shape), "items": self.encode(array.ravel().tolist(), name)}
        member = f"{len(self.members)}-{''.join(c if c.isalnum() else '_' for c in name)[:40]}"
        stream = io.BytesIO()
        np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)
        self.members[member] = stream.getvalue()
        return {_TAG: "array", "member": member}


class _Decoder:
    """Converts JSON back to values. Tags that ``_Encoder`` does not write are refused."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self.arrays = arrays

    def decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        decode = getattr(self, f"_decode_{str(value.get(_TAG)).lower()}", None)
        if decode is None:
            raise ModelFormatError(f"it contains a {value.get(_TAG)!r}, which this version of viewfuse does not know.")
        return decode(value)

    def _decode_float(self, value: dict[str, Any]) -> float:
        return float(value["value"])

    def _decode_tuple(self, value: dict[str, Any]) -> tuple:
        return tuple(self.decode(value["items"]))

    def _decode_dict(self, value: dict[str, Any]) -> dict:
        return {self.decode(key): self.decode(item) for key, item in value["items"]}

    def _decode_slice(self, value: dict[str, Any]) -> slice:
        return slice(*self.decode(value["items"]))

    def _decode_randomstate(self, value: dict[str, Any]) -> np.random.RandomState:
        state = np.random.RandomState()
        state.set_state(self.decode(value["state"]))
        return state

    def _decode_sparse(self, value: dict[str, Any]) -> sp.csr_array:
        matrix = sp.csr_array(tuple(self.decode(value["parts"])), shape=value["shape"])
        matrix.check_format(full_check=True)  # SciPy does not check the indices when it converts
        return matrix

    def _decode_record(self, value: dict[str, Any]) -> Any:
        made = _RECORDS.get(value["class"])
        if made is None:
            raise ModelFormatError(f"it contains a {value['class']!r}, which this version of viewfuse does not know.")
        return made(**{name: self.decode(item) for name, item in value["fields"].items()})

    def _decode_objects(self, value: dict[str, Any]) -> np.ndarray:
        items = self.decode(value["items"])
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(value["shape"])

    def _decode_array(self, value: dict[str, Any]) -> np.ndarray:
        return self.arrays[value["member"]]


def _canonical(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, sort_keys=True, allow_nan=False).encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
