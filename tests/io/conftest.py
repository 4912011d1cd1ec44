"""A writer of MATLAB v7.3 files, which SciPy cannot write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

h5py = pytest.importorskip("h5py")


def _write_value(parent: Any, refs: Any, name: str, value: Any) -> Any:
    if isinstance(value, list):
        entries = [_write_value(refs, refs, f"r{len(refs)}", entry) for entry in value]
        item = parent.create_dataset(
            name, data=np.array([[entry.ref for entry in entries]], dtype=object), dtype=h5py.ref_dtype
        )
        item.attrs["MATLAB_class"] = np.bytes_("cell")
    elif sp.issparse(value):
        columns = value.tocsc()
        item = parent.create_group(name)
        item.attrs["MATLAB_class"], item.attrs["MATLAB_sparse"] = np.bytes_("double"), np.uint64(columns.shape[0])
        for key, array in (("data", columns.data), ("ir", columns.indices), ("jc", columns.indptr)):
            item.create_dataset(key, data=array)
    elif isinstance(value, str):
        item = parent.create_dataset(name, data=np.array([[ord(c)] for c in value], dtype=np.uint16))
        item.attrs["MATLAB_class"] = np.bytes_("char")
    else:
        item = parent.create_dataset(name, data=np.atleast_2d(value).T if np.ndim(value) < 3 else np.asarray(value))
        item.attrs["MATLAB_class"] = np.bytes_("double")
    return item


@pytest.fixture
def write_mat73(tmp_path: Path) -> Callable[..., Path]:
    """``write_mat73(X=[...], y=...)`` returns the path of a file in the format of MATLAB's ``save -v7.3``."""

    def write(file_name: str = "made73.mat", **variables: Any) -> Path:
        path = tmp_path / file_name
        with h5py.File(path, "w", userblock_size=512) as file:
            refs = file.create_group("#refs#")
            for name, value in variables.items():
                _write_value(file, refs, name, value)
        header = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
        with path.open("r+b") as raw:
            raw.write(header)
        return path

    return write
