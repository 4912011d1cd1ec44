"""Pack the data and packages for a run of ``viewfuse benchmark`` on a machine without a network connection.

    python benchmarks/pack.py [--python 3.12] [--folder .lab]

``FOLDER/datasets`` gets the data files of ``../shared/datasets``, and ``FOLDER/site`` the packages that a machine with
NumPy, SciPy and scikit-learn may lack, for its version of Python. There, with the repository and the folder:

    export PYTHONPATH=src:.lab/site VIEWFUSE_DATA=.lab/datasets OMP_NUM_THREADS=1
    python3 -m viewfuse benchmark --cells-only -o results ...

Copy ``results/cells.jsonl`` back and run the same command with ``--page-only`` here.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "datasets"
# With the packages that these need; NumPy, SciPy, scikit-learn, Joblib and threadpoolctl are those of the other machine.
PACKAGES = (
    "array-api-compat", "filelock", "h5py", "pooch", "platformdirs", "packaging",
    "typer", "click", "rich", "markdown-it-py", "mdurl", "pygments", "shellingham", "typing-extensions", "annotated-doc",
    "pydantic", "pydantic-core", "annotated-types", "typing-inspection",
)  # fmt: skip
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
LIMIT = 60 * 2**20  # bytes


def copy_data(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(DATA.glob("*.mat")):
        target = folder / file.name
        if not target.exists():
            shutil.copyfile(file, target)


def wanted() -> list[str]:
    """The packages in the versions of this environment; those that it does not have are not needed."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name}=={version(name)}")
        except PackageNotFoundError:
            continue
    return found


def install_packages(folder: Path, python: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    platforms = [f"--platform={name}" for name in PLATFORMS]
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--no-compile", f"--python-version={python}", *platforms]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder), *wanted()]
    subprocess.run(command, check=True)
    for tests in folder.glob("h5py/tests"):
        shutil.rmtree(tests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default="3.12", help="version of Python on the other machine")
    parser.add_argument("--folder", type=Path, default=ROOT / ".lab")
    options = parser.parse_args()
    copy_data(options.folder / "datasets")
    install_packages(options.folder / "site", options.python)
    packed = [options.folder / "datasets", options.folder / "site"]
    size = sum(file.stat().st_size for part in packed for file in part.rglob("*") if file.is_file())
    print(f"{', '.join(map(str, packed))}: {size / 2**20:.1f} MiB")
    if size > LIMIT:
        raise SystemExit(f"more than {LIMIT / 2**20:.0f} MiB: pack less")


if __name__ == "__main__":
    main()
