"""The tests marked "slow": ``make test-fast`` leaves them out, ``make test`` runs them."""

# A folder, a file, or a file and the name of a test in it. tests/test_slow.py checks that every entry exists.
SLOW = {
    "tests/docs": "documentation: runs every page and example",
    "tests/test_imports.py": "starts many Python processes",
    "tests/test_package.py": "builds the package",
    "tests/report/test_browser.py": "needs a browser",
    "tests/experiments/test_benchmark.py": "starts worker processes",
    "tests/experiments/test_workers.py": "starts worker processes and lets one run out of time",
    "tests/cluster/baselines/test_programs.py": "real data and slow direct versions",
    "tests/experiments/test_reproduce.py": "kills processes, and runs the whole experiment several times",
    "tests/cli/test_demo.py": "fits all digits several times",
    "tests/cli/test_faults.py": "kills processes and fills disks",
    "tests/datasets/test_fetching.py": "kills downloads and reads large files",
    "tests/cluster/rows/test_dask_rows.py": "starts a Dask cluster and kills workers",
    "tests/cluster/test_hostile.py": "hundreds of random cases for every method",
    "tests/cluster/test_load.py": "hundreds of fits, and fits in other processes",
    "tests/cluster/test_memory.py": "measures the memory of large fits in separate processes",
    "tests/cluster/test_real_data.py": "large data",
    "tests/cluster/test_sklearn.py": "scikit-learn's whole suite of checks for every method",
    "tests/cluster/test_stopping.py": "interrupts processes",
    "tests/cluster/test_view_report.py": "fits every view again, many times",
    "tests/selection/test_method_choice.py": "counts clusters, which fits many times",
    "tests/selection/test_stability.py": "fits halves of the samples, many times, for every method",
    "tests/selection/test_n_clusters.py": "counts clusters, which fits many times",
    "src/viewfuse/selection": "examples that fit many times",
    "src/viewfuse/report": "examples that write whole reports",
}

# Words in the name of a test or its class.
SLOW_NAMES = {"killed": "kills processes", "ctrl_c": "interrupts processes", "CtrlC": "interrupts processes"}


def reasons(path: str, name: str) -> list[str]:
    """Why a test is slow; empty if it is not. ``name`` is the qualified name within the file."""
    by_path = [
        reason
        for entry, reason in SLOW.items()
        if path == entry or path.startswith(f"{entry}/") or f"{path}::{name}" == entry
    ]
    return by_path + [reason for word, reason in SLOW_NAMES.items() if word in name]
