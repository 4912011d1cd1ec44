"""Verified downloads of the catalogued data sets. A file is believed only if its checksum is right."""

from __future__ import annotations

import os
from pathlib import Path

from .._utils.extras import require
from ..exceptions import DownloadError
from ..io import load_views
from ..views import Views
from .catalogue import Dataset, describe

__all__ = ["data_folder", "download", "fetch"]

_TIMEOUT = 30  # seconds without a byte


def fetch(name: str, *, url: str | None = None) -> Views:
    """A catalogued data set as Views, downloaded on first use.

    Parameters
    ----------
    name : str
        One of :func:`names`, in any case.
    url : str, optional
        Another place to download the same file from, such as a mirror; its checksum must be the catalogue's.

    Returns
    -------
    Views
        With ``y``. Views are named as in the catalogue where their numbers of features tell which is which.

    Raises
    ------
    DownloadError
        If the file cannot be had, or is not the one catalogued. No other data set is ever put in its place.

    Notes
    -----
    Files are kept in :func:`data_folder`: set ``VIEWFUSE_DATA`` to use a folder that already has them.
    """
    dataset = describe(name)
    views = load_views(download(name, url=url))
    names = dataset.names_by_features([array.shape[1] for array in views])
    return Views(views, names=names)


def download(name: str, *, url: str | None = None) -> Path:
    """Where the verified file of a data set is, after downloading it if need be. Parameters as for :func:`fetch`."""
    dataset = describe(name)
    pooch = require("pooch")
    path = data_folder() / dataset.file
    if path.exists():
        found = pooch.file_hash(str(path), alg="sha256")
        if found == dataset.sha256:
            return path
        raise DownloadError(
            f"{path} is not the {dataset.name} of the catalogue: its sha256 is {found}, not {dataset.sha256}; "
            "delete or move it, and fetch again."
        )
    address = url or dataset.url
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=_TIMEOUT)
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # the progress bar says enough
    try:
        # pooch writes to a temporary file and renames it once the checksum is right.
        pooch.retrieve(address, f"sha256:{dataset.sha256}", fname=dataset.file, path=str(path.parent), downloader=downloader)
    except Exception as error:
        raise DownloadError(_how_to_get_it(dataset, address, path, error)) from error
    finally:
        logger.setLevel(level)
    path.chmod(0o644)  # pooch's temporary file was readable by its owner only; folders of data sets are shared
    return path


def data_folder() -> Path:
    """Where data sets are kept: the folder ``VIEWFUSE_DATA`` names, which must exist, or the user's cache folder."""
    chosen = os.environ.get("VIEWFUSE_DATA")
    if not chosen:
        return Path(require("pooch").os_cache("viewfuse"))
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise DownloadError(f"VIEWFUSE_DATA names {folder}, which is no folder; make it first, or mend the name.")
    return folder


def _how_to_get_it(dataset: Dataset, address: str, path: Path, error: Exception) -> str:
    return (
        f"Could not download {dataset.file} from {address} ({_reason(error)}); get the file with sha256 "
        f"{dataset.sha256} in some other way and put it at {path}, or set VIEWFUSE_DATA to the folder that has it."
    )


def _reason(error: BaseException) -> str:
    """What went wrong at the bottom; the network libraries wrap it several times over."""
    if isinstance(error, ValueError) and "hash" in str(error).lower():
        return "what came has another checksum, so it was thrown away"
    inner = next((e for e in (error.__cause__, getattr(error, "reason", None), *error.args[:1]) if _is_error(e)), None)
    if inner is not None:
        return _reason(inner)
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


def _is_error(value: object) -> bool:
    return isinstance(value, BaseException)
