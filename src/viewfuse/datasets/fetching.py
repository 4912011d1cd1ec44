"""Verified downloads of the catalogued data sets: a file is used only if its checksum is right."""

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
    """Load a catalogued data set as Views; it is downloaded on first use.

    Parameters
    ----------
    name : str
        One of :func:`names`, in any case.
    url : str, optional
        Another address of the same file, such as a mirror; its checksum must be that of the catalogue.

    Returns
    -------
    Views
        With ``y``. Views have the names of the catalogue if these can be matched by the numbers of features.

    Raises
    ------
    DownloadError
        If the file cannot be downloaded, or its checksum is wrong. Other data is never used in its place.

    Notes
    -----
    Files are kept in :func:`data_folder`. Set ``VIEWFUSE_DATA`` to a folder that already has them.
    """
    dataset = describe(name)
    views = load_views(download(name, url=url))
    names = dataset.names_by_features([array.shape[1] for array in views])
    return Views(views, names=names)


def download(name: str, *, url: str | None = None) -> Path:
    """Return the path of the verified file of a data set, downloaded if needed. Parameters as for :func:`fetch`."""
    dataset = describe(name)
    pooch = require("pooch")
    path = data_folder() / dataset.file
    if path.exists():
        found = pooch.file_hash(str(path), alg="sha256")
        if found == dataset.sha256:
            return path
        raise DownloadError(
            f"{path} is not the {dataset.name} of the catalogue: its sha256 is {found}, not {dataset.sha256}.",
            hint="Delete or move this file, and fetch again.",
        )
    address = url or dataset.url
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=_TIMEOUT)
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")  # the progress bar is enough
    try:
        # pooch writes to a temporary file and renames it once the checksum is right.
        pooch.retrieve(address, f"sha256:{dataset.sha256}", fname=dataset.file, path=str(path.parent), downloader=downloader)
    except Exception as error:
        raise _download_error(dataset, address, path, error) from error
    finally:
        logger.setLevel(level)
    path.chmod(0o644)  # pooch makes files readable by their owner only, but folders of data sets are shared
    return path


def data_folder() -> Path:
    """Return the folder of the data sets: ``VIEWFUSE_DATA`` if it is set, else the user's cache folder."""
    chosen = os.environ.get("VIEWFUSE_DATA")
    if not chosen:
        return Path(require("pooch").os_cache("viewfuse"))
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise DownloadError(
            f"VIEWFUSE_DATA is {folder}, but there is no such folder.", hint="Create the folder, or correct the variable."
        )
    return folder


def _download_error(dataset: Dataset, address: str, path: Path, error: Exception) -> DownloadError:
    return DownloadError(
        f"Could not download {dataset.file} from {address} ({_reason(error)}).",
        hint=f"Get the file with sha256 {dataset.sha256} in another way and put it at {path}, or set VIEWFUSE_DATA to the "
        "folder that has it.",
    )


def _reason(error: BaseException) -> str:
    """Return the original reason of a failure; network libraries wrap exceptions several times."""
    if isinstance(error, ValueError) and "hash" in str(error).lower():
        return "the downloaded file has another checksum, so it was deleted"
    inner = next((e for e in (error.__cause__, getattr(error, "reason", None), *error.args[:1]) if _is_error(e)), None)
    if inner is not None:
        return _reason(inner)
    return getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__


def _is_error(value: object) -> bool:
    return isinstance(value, BaseException)
