"""Insert small faults into the code, one at a time, and check that the tests fail.

    pip install cosmic-ray
    python benchmarks/mutants.py --sample 400 --seed 1 [--only views/ selection/ inspection/] [--processes 16] [--list]

The modules are fusion/, linalg/, views/ with the encoding of tables, selection/, inspection/, metrics.py, and
contradiction.py, novelty.py and relatedness.py of cluster/.

The faults are those of cosmic-ray: an operator, comparison or number is replaced, a condition negated, a loop left out, a
decorator removed. There are thousands, so a random sample is drawn, and the share of detected ("killed") faults is given
with its 95 % interval (Wilson). Each fault is loaded into a fork of this process, where the tests of its module run until
one fails. Taking five times as long as the original code also counts as a failure. Faults in annotations, which are never
evaluated, and those in ``equivalent_mutants.toml``, which no test can distinguish from the original, are not counted. Tests
that fail without a fault, because a package is not installed, are printed and left out.
``triton_tiles.py`` is left out because its tests need a GPU. Exits with status 1 if fewer than 80 % are killed.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.machinery
import importlib.util
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.dont_write_bytecode = True

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "viewfuse"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
NEEDS_GPU = {"fusion/kernels/triton_tiles.py"}
LEAST = 0.8
TRUST = ("contradiction", "novelty", "relatedness")  # the checks of views and new samples
_PYTEST = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
PATIENCE, SLACK = 5, 10.0  # a multiple of the time of the original, and additional seconds

_ENCODING = ("tests/views/encoding", "tests/cluster/test_encoding.py")
_VIEWS = ("tests/views", "tests/io/test_tables.py")
TESTS = {
    "metrics.py": ["tests/test_metrics.py"],
    "linalg/assign.py": ["tests/linalg/test_assign.py"],
    "linalg/bipartite.py": ["tests/linalg/test_bipartite.py"],
    "linalg/complement.py": ["tests/linalg/test_complement.py"],
    "linalg/eigensolvers.py": ["tests/linalg/test_eigensolvers.py"],
    "linalg/kmeans.py": ["tests/linalg/test_kmeans.py"],
    "linalg/laplacian.py": ["tests/linalg/test_eigensolvers.py"],
    "linalg/threads.py": ["tests/linalg/test_threads.py"],
    "fusion/anchor.py": ["tests/fusion/test_anchor.py", "tests/cluster/test_anchor_gfsc.py"],
    "fusion/driver.py": ["tests/fusion/test_driver.py", "tests/fusion/test_exact.py"],
    "fusion/exact.py": ["tests/fusion/test_exact.py", "tests/fusion/test_incomplete.py"],
    "fusion/steps.py": ["tests/fusion/variants", "tests/fusion/test_exact.py", "tests/fusion/test_incomplete.py"],
    "fusion/stopping.py": ["tests/fusion/test_stopping.py", "tests/fusion/test_exact.py"],
    "fusion/variants/paper.py": ["tests/fusion/variants/test_paper.py", "tests/fusion/test_exact.py"],
    "fusion/variants/published.py": ["tests/fusion/variants/test_published.py", "tests/fusion/test_exact.py"],
    "fusion/variants/robust.py": ["tests/fusion/variants/test_robust.py", "tests/fusion/test_incomplete.py"],
    "fusion/view_graphs.py": ["tests/fusion/variants", "tests/fusion/test_exact.py", "tests/fusion/test_incomplete.py"],
    "cluster/contradiction.py": ["tests/cluster/test_contradiction.py"],
    "cluster/novelty.py": ["tests/cluster/test_novelty.py"],
    "cluster/relatedness.py": ["tests/cluster/test_contradiction.py"],
    "selection/comparison.py": ["tests/selection/test_comparison.py"],
    "selection/matching.py": ["tests/selection/test_matching.py"],
    "selection/method_choice.py": ["tests/selection/test_method_choice.py"],
    "selection/n_clusters.py": ["tests/selection/test_n_clusters.py"],
    "selection/stability.py": ["tests/selection/test_stability.py"],
    "selection/tuning.py": ["tests/selection/test_tuning.py"],
    "inspection/border.py": ["tests/inspection/test_values.py", "tests/inspection/test_summary.py"],
    "inspection/collecting.py": ["tests/inspection/test_collecting.py", "tests/inspection/test_summary.py"],
    "inspection/facts.py": ["tests/inspection/test_facts.py", "tests/inspection/test_summary.py"],
    "inspection/missing.py": ["tests/inspection/test_values.py", "tests/inspection/test_summary.py"],
    "inspection/palette.py": ["tests/inspection/test_values.py"],
    "inspection/stored.py": ["tests/inspection/test_maps.py", "tests/inspection/test_summary.py"],
    "inspection/summary.py": [
        "tests/inspection/test_exports.py", "tests/inspection/test_maps.py", "tests/inspection/test_summary.py",
    ],
    "inspection/agreement.py": ["tests/inspection/test_agreement_steps.py", "tests/inspection/test_agreement.py"],
    "inspection/features.py": [
        "tests/inspection/test_cluster_words.py", "tests/inspection/test_features.py", "tests/inspection/test_summary.py",
    ],
    "inspection/graphs.py": ["tests/inspection/test_graph_steps.py", "tests/inspection/test_graphs.py"],
    "inspection/layouts.py": ["tests/inspection/test_layouts.py", "tests/inspection/test_values.py"],
    "inspection/maps.py": ["tests/inspection/test_maps.py", "tests/inspection/test_summary.py"],
    "inspection/markers.py": ["tests/inspection/test_contrasts.py", "tests/inspection/test_markers.py"],
    "inspection/neighbor_map.py": ["tests/inspection/test_map_steps.py", "tests/inspection/test_neighbor_map.py"],
    "inspection/neighborhoods.py": ["tests/inspection/test_neighborhoods.py", "tests/inspection/test_summary.py"],
    "inspection/notebook.py": ["tests/inspection/test_facts.py", "tests/inspection/test_notebook.py"],
    "inspection/parameters.py": ["tests/inspection/test_parameters.py"],
    "inspection/values.py": ["tests/inspection/test_values.py", "tests/inspection/test_summary.py"],
    "views/containers.py": ["tests/io/test_omics.py"],
    "views/filling.py": ["tests/views/test_filling_steps.py", "tests/views/test_filling.py"],
    "views/ids.py": ["tests/views/test_id_rules.py", "tests/views/test_ids.py", "tests/io/test_tables.py"],
    "views/encoding/column_types.py": ["tests/views/encoding/test_bounds_of_types.py", *_ENCODING],
    "views/encoding/columns.py": ["tests/views/encoding/test_column_figures.py", *_ENCODING],
    "views/encoding/relevance.py": ["tests/views/encoding/test_tables.py", "tests/views/encoding/test_relevance.py"],
    "views/encoding/table.py": ["tests/views/encoding/test_tables.py", *_ENCODING],
    "views/join_by_id.py": ["tests/views/test_joining.py", "tests/views/test_ids.py", "tests/io/test_tables.py"],
    "views/kinds.py": ["tests/views/test_kind_rules.py", "tests/views/test_kinds.py"],
    "views/labels.py": ["tests/views/test_kind_rules.py", "tests/views/test_labels.py"],
    "views/matrices.py": ["tests/views/test_matrices.py", *_VIEWS],
    "views/reading.py": ["tests/views/test_reading.py", *_VIEWS, "tests/cluster/test_encoding.py"],
    "views/views.py": ["tests/views/test_views_parts.py", *_VIEWS],
    "views/numbers.py": ["tests/views/test_numbers.py", "tests/views/test_suspicions.py"],
    "views/suspicions.py": ["tests/views/test_bounds_of_suspicions.py", "tests/views/test_suspicions.py"],
    "views/suspicious_order.py": ["tests/views/test_bounds_of_suspicions.py", "tests/views/test_suspicions.py"],
    "views/suspicious_rows.py": ["tests/views/test_bounds_of_suspicions.py", "tests/views/test_suspicions.py"],
}  # fmt: skip
TESTS_OF_ROOM = {
    "views/encoding/": [*_ENCODING],
    "views/": [*_VIEWS],
    "inspection/": ["tests/inspection"],
}
DEFAULT_TESTS = ["tests/fusion/kernels/test_kernels.py", "tests/fusion/test_exact.py"]


@dataclass(frozen=True)
class Place:
    """A possible fault: the n-th position of one of cosmic-ray's operators in a module."""

    path: Path
    operator: str
    occurrence: int

    def mutant(self) -> Mutant | None:
        """The fault; None if the result is not valid Python."""
        from cosmic_ray.mutating import mutate_code

        original = self.path.read_text()
        changed = mutate_code(original, _operators()[self.operator], self.occurrence)
        try:
            compile(changed, self.path, "exec")
        except SyntaxError:
            return None
        module = self.path.relative_to(PACKAGE).as_posix()
        return Mutant(module, self.operator.split("/")[1], *_difference(original, changed), changed)


@dataclass(frozen=True)
class Mutant:
    """One fault: ``before`` became ``after`` in a line of a module."""

    module: str
    operator: str
    line: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Identifies the fault even if line numbers change."""
        return self.module, self.before, self.after

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.operator}\n      - {self.before}\n      + {self.after}"


@cache
def _operators() -> dict[str, Any]:
    """The operators without arguments. The others need names of variables."""
    import cosmic_ray.plugins

    classes = {name: cosmic_ray.plugins.get_operator(name) for name in sorted(cosmic_ray.plugins.operator_names())}
    return {name: each() for name, each in classes.items() if not each.arguments()}


def places_in(path: Path) -> list[Place]:
    """Every possible fault outside annotations, in a fixed order."""
    from cosmic_ray.ast import ast_nodes, get_ast

    source = path.read_text()
    nodes, annotations, found = list(ast_nodes(get_ast(source))), _annotations(source), []
    for name, operator in _operators().items():
        positions = [position for node in nodes for position in operator.mutation_positions(node)]
        for occurrence, (start, end) in enumerate(positions):
            if not any(first <= tuple(start) and tuple(end) <= last for first, last in annotations):
                found.append(Place(path, name, occurrence))
    return found


def _annotations(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """First and last position of each annotation, lines from 1 and characters from 0."""
    lines = source.splitlines()

    def position(line: int, byte: int) -> tuple[int, int]:
        return line, len(lines[line - 1].encode()[:byte].decode())

    nodes = [getattr(node, field, None) for node in ast.walk(ast.parse(source)) for field in ("annotation", "returns")]
    return [
        (position(node.lineno, node.col_offset), position(node.end_lineno, node.end_col_offset))
        for node in nodes
        if node is not None
    ]


def _difference(original: str, changed: str) -> tuple[int, str, str]:
    """The number of the first line that differs, and its text before and after."""
    olds, news = original.splitlines(), changed.splitlines()
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, olds, news, autojunk=False).get_opcodes():
        if tag != "equal":
            return i + 1, " ".join(map(str.strip, olds[i:i_end])), " ".join(map(str.strip, news[j:j_end]))
    raise AssertionError("the fault changes nothing")


def tests_of(module: str) -> list[str]:
    """The tests of a module, or else those of its room."""
    room = next((room for room in TESTS_OF_ROOM if module.startswith(room)), None)
    return TESTS.get(module, DEFAULT_TESTS if room is None else TESTS_OF_ROOM[room])


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from changed source."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, fullname: str):
        return compile(self.source, self.path, "exec")


class _Finder:
    """Finds the changed module; all others are found as usual."""

    def __init__(self, module: str, source: str) -> None:
        self.name = "viewfuse." + module.removesuffix(".py").replace("/", ".")
        self.path, self.source = str(PACKAGE / module), source

    def find_spec(self, name: str, path: object = None, target: object = None):
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=_Changed(name, self.path, self.source))


def tests_pass(tests: Sequence[str], module: str, source: str | None, limit: float) -> bool:
    """Run tests in a fork, with the given source of a module, for at most ``limit`` seconds."""
    child = os.fork()
    if child == 0:
        _run_tests(tests, module, source)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run_tests(tests: Sequence[str], module: str, source: str | None) -> None:
    """Run the tests. Called in the fork; does not return."""
    status = 99
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        sys.path.insert(0, str(PACKAGE.parent))
        if source is not None:
            sys.meta_path.insert(0, _Finder(module, source))
        import pytest

        status = int(pytest.main(["-x", *_PYTEST, *tests]))
    finally:
        os._exit(status)


def wilson(killed: int, tried: int) -> tuple[float, float]:
    """95 % interval of a share."""
    z, share = 1.96, killed / tried
    middle = (share + z * z / (2 * tried)) / (1 + z * z / tried)
    half = z / (1 + z * z / tried) * math.sqrt(share * (1 - share) / tried + (z / (2 * tried)) ** 2)
    return middle - half, middle + half


def import_what_tests_need() -> None:
    """Import everything large except viewfuse once, so that the forks need not."""
    for name in (
        "array_api_compat.numpy", "array_api_strict", "numpy", "pandas", "pytest", "scipy.linalg",
        "scipy.optimize", "scipy.sparse.linalg", "scipy.special", "sklearn.cluster", "sklearn.metrics",
        "sklearn.utils.extmath", "threadpoolctl", "torch",
    ):  # fmt: skip
        if importlib.util.find_spec(name.partition(".")[0]):
            importlib.import_module(name)


def known_equivalents() -> dict[tuple[str, str, str], str]:
    entries = tomllib.loads(EQUIVALENT.read_text())["mutant"] if EQUIVALENT.exists() else []
    return {(entry["module"], entry["before"], entry["after"]): entry["because"] for entry in entries}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=400, help="how many faults to draw; 0 for all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--only", nargs="+", default=[""], help="only modules whose path starts so, as fusion/ or metrics.py"
    )
    parser.add_argument("--processes", type=int, default=1, help="each runs a part of the sample")
    parser.add_argument("--skip", type=int, default=0, help="leave out this many faults at the start of the sample")
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after this time, and print where to continue")
    parser.add_argument("--limit", type=float, help="seconds for the tests of a module; measured by default")
    parser.add_argument("--list", action="store_true", help="print the sample without running tests")
    options = parser.parse_args()
    os.chdir(ROOT)
    rooms = ("fusion/**/*.py", "linalg/*.py", "views/**/*.py", "selection/*.py", "inspection/*.py")
    single = [PACKAGE / "metrics.py", *(PACKAGE / "cluster" / f"{name}.py" for name in TRUST)]
    paths = [*(path for room in rooms for path in sorted(PACKAGE.glob(room)) if path.name != "__init__.py"), *single]
    modules = {path.relative_to(PACKAGE).as_posix(): path for path in paths}
    _check_tables(modules)
    chosen = [path for name, path in modules.items() if name not in NEEDS_GPU and name.startswith(tuple(options.only))]
    everything = [place for path in chosen for place in places_in(path)]
    drawn = random.Random(options.seed).sample(everything, min(options.sample or len(everything), len(everything)))
    print(f"{len(everything)} faults in {len(chosen)} modules, {len(drawn)} of them drawn with seed {options.seed}")
    if options.list:
        print(*(place.mutant() for place in drawn), sep="\n")
        return 0
    left = drawn[options.skip :]
    if options.processes == 1:
        return _summary(tried(left, options.skip, options.minutes, options.limit))
    parts = [left[first :: options.processes] for first in range(options.processes)]
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        found = [pool.submit(tried, part, 0, options.minutes, options.limit) for part in parts if part]
        return _summary(_together([part.result() for part in found]))


def _check_tables(modules: dict[str, Path]) -> None:
    """Tests that do not exist would fail for every fault, and so count all of them as killed."""
    tests = {path for paths in (*TESTS.values(), *TESTS_OF_ROOM.values(), DEFAULT_TESTS) for path in paths}
    absent = sorted({*TESTS, *NEEDS_GPU} - set(modules)) + sorted(path for path in tests if not (ROOT / path).exists())
    if absent:
        raise SystemExit(f"the tables of mutants.py name files that do not exist: {', '.join(absent)}")


def tried(places: list[Place], first: int, minutes: float, limit: float | None) -> dict[str, Counter]:
    """Outcomes by module."""
    os.chdir(ROOT)
    import_what_tests_need()
    equivalents = known_equivalents()
    known: dict[str, tuple[list[str], float]] = {}
    outcomes: dict[str, Counter] = {}
    end = time.monotonic() + 60 * minutes
    for number, place in enumerate(places, start=first):
        if time.monotonic() > end:
            print(f"out of time; continue with --skip {number}")
            break
        mutant = place.mutant()
        if mutant is None:
            continue
        if mutant.key in equivalents:
            outcome = "equivalent"
        else:
            if mutant.module not in known:
                known[mutant.module] = _baseline(mutant.module, limit)
            tests, seconds = known[mutant.module]
            outcome = "survived" if tests_pass(tests, mutant.module, mutant.source, seconds) else "killed"
        outcomes.setdefault(mutant.module, Counter())[outcome] += 1
        if outcome == "survived":
            print(f"{number:4} SURVIVED {mutant}", flush=True)
    return outcomes


def _together(parts: list[dict[str, Counter]]) -> dict[str, Counter]:
    total: dict[str, Counter] = {}
    for part in parts:
        for module, outcomes in part.items():
            total[module] = total.get(module, Counter()) + outcomes
    return total


def _baseline(module: str, limit: float | None) -> tuple[list[str], float]:
    """The tests of a module that pass without a fault, as arguments of pytest, and the seconds that they may take."""
    left_out, seconds = _left_out(tuple(tests_of(module)))
    tests = [*tests_of(module), *left_out]
    if left_out:
        begin = time.monotonic()
        if not tests_pass(tests, module, None, math.inf):
            raise SystemExit(f"the tests of {module} fail without a fault: {' '.join(tests)}")
        seconds = time.monotonic() - begin
    print(f"     {module}: its tests take {seconds:.1f} s", flush=True)
    return tests, limit or PATIENCE * seconds + SLACK


@cache
def _left_out(tests: tuple[str, ...]) -> tuple[list[str], float]:
    """Arguments of pytest that leave out the tests which fail without a fault, and the seconds that all tests take."""
    path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", *_PYTEST, "--tb=no", "-rfE", *tests]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": path})
    seconds = time.monotonic() - begin
    found = re.findall(r"^(FAILED|ERROR) (\S+?)(?= - |$)", done.stdout, re.MULTILINE)
    if done.returncode != 0 and not found:
        raise SystemExit(f"pytest {' '.join(tests)} ended with status {done.returncode}: {done.stdout[-500:]}")
    if found:
        print(f"     left out, because they fail without a fault: {', '.join(name for _, name in found)}", flush=True)
    return [f"--{'deselect' if '::' in name else 'ignore'}={name}" for _, name in found], seconds


def _summary(outcomes: dict[str, Counter]) -> int:
    print(f"\n{'module':28}{'tried':>7}{'killed':>8}{'survived':>10}{'equivalent':>12}")
    for name, each in [*sorted(outcomes.items()), ("all", sum(outcomes.values(), Counter()))]:
        print(f"{name:28}{each.total():7}{each['killed']:8}{each['survived']:10}{each['equivalent']:12}")
    killed, counted = each["killed"], each["killed"] + each["survived"]
    low, high = wilson(killed, counted)
    print(f"killed: {killed} of {counted}, {killed / counted:.1%} (95 % interval {low:.1%} to {high:.1%})")
    return 0 if killed / counted >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
