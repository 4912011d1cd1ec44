"""Fixtures that every test may use, and the table of slow tests."""

from pathlib import Path

import array_api_strict
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]

# Tests marked "slow": ``make test-fast`` leaves them out, ``make test`` runs them. An entry is a folder, a file, or a file and
# the name of a test in it. tests/test_slow.py checks that every entry exists.
SLOW = {
    "tests/docs": "documentation: runs every page and example",
    "tests/test_package.py": "builds the package",
    "tests/report/test_browser.py": "needs a browser",
    "tests/experiments/test_reproduce.py": "kills processes, and runs the whole experiment several times",
    "tests/cli/test_demo.py": "fits all digits several times",
    "tests/cli/test_faults.py": "kills processes and fills disks",
    "tests/cluster/rows/test_dask_rows.py": "starts a Dask cluster and kills workers",
    "tests/cluster/test_hostile.py": "hundreds of random cases for every method",
    "tests/cluster/test_memory.py": "measures the memory of large fits in separate processes",
    "tests/cluster/test_real_data.py": "large data",
    "tests/cluster/test_sklearn.py": "scikit-learn's whole suite of checks for every method",
    "tests/cluster/test_stopping.py": "interrupts processes",
    "src/viewfuse/selection": "examples that fit many times",
    "src/viewfuse/report": "examples that write whole reports",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        path = item.path.relative_to(ROOT).as_posix() if item.path.is_relative_to(ROOT) else ""
        name = f"{path}::{getattr(item, 'originalname', item.name)}"
        for entry, reason in SLOW.items():
            if name == entry or path == entry or path.startswith(f"{entry}/"):
                item.add_marker(pytest.mark.slow(reason=reason))


@pytest.fixture(params=["numpy", "array-api-strict", "torch"])
def xp(request):
    """The array libraries on which the core must give the same results."""
    if request.param == "torch":
        return pytest.importorskip("torch", reason="PyTorch is not installed")
    return {"numpy": np, "array-api-strict": array_api_strict}[request.param]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data next to the checkout."""
    folder = ROOT.parent / "shared"
    if not (folder / "datasets").is_dir():
        pytest.skip("the reference data (../shared/datasets) is not next to this checkout")
    return folder
