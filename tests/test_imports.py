"""Importing viewfuse imports no optional extra, and needs none."""

from __future__ import annotations

import subprocess
import sys

EXTRAS = (
    *("pandas", "pyarrow", "h5py", "pooch", "tqdm", "mudata", "anndata", "typer", "rich", "matplotlib", "torch"),
    *("dask", "distributed", "jinja2"),
)
BLOCK = f"""
import importlib.abc, sys
class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Block())
"""


def run(program: str) -> str:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def imported_by(program: str) -> set[str]:
    return set(run(f"{program}; import sys; print(*(m for m in {EXTRAS} if m in sys.modules))").split())


def test_importing_viewfuse_imports_no_extra() -> None:
    # scikit-learn imports pandas itself if it is installed, and pandas imports pyarrow.
    core = imported_by("import numpy, scipy, sklearn.datasets, sklearn.cluster, array_api_compat")
    assert imported_by("from viewfuse import *") <= core


def test_a_missing_extra_is_an_error_that_says_what_to_install() -> None:
    program = """
import pathlib, tempfile, viewfuse
from viewfuse.exceptions import MissingExtraError
viewfuse.datasets.make_views(random_state=0)
with tempfile.TemporaryDirectory() as folder:
    table = pathlib.Path(folder) / "a.csv"
    table.write_text("id,x\\n1,2\\n")
    for action in (lambda: viewfuse.load_views([table]), lambda: viewfuse.datasets.fetch("MSRC-v5")):
        try:
            action()
        except MissingExtraError as error:
            print(error)
"""
    said = run(BLOCK + program).splitlines()
    assert said == [f"This needs {m}, which is not installed. Run: pip install 'viewfuse[io]'" for m in ("pandas", "pooch")]


def test_names_are_imported_when_they_are_first_used() -> None:
    core = "import sys; print(*({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    assert run(f"import viewfuse; {core}").split() == []
    assert "sklearn" in run(f"import viewfuse; viewfuse.GFSC; {core}").split()


def test_importing_viewfuse_adds_few_modules_to_scikit_learn() -> None:
    """Modules are counted because their number does not depend on the machine; benchmarks/imports.py measures seconds."""
    theirs = "import scipy.linalg, scipy.sparse, sklearn.datasets, sklearn.cluster, sklearn.metrics, array_api_compat.numpy"
    listed = "import sys; print(*sys.modules)"
    more = set(run(f"from viewfuse import *; {listed}").split()) - set(run(f"{theirs}; {listed}").split())
    foreign = {module for module in more if module.partition(".")[0] != "viewfuse"}
    assert len(foreign) < 10, sorted(foreign)
