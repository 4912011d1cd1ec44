"""Spoil correct data in the ways in which people do, and count how often that ends in wrong clusters without a warning.

    python benchmarks/sabotage.py [--draws 25] [--seed 0] [--only NAME ...] [--processes 16]

Each draw is a new data set with known clusters: tables of customers with ids, arrays without ids, arrays with a graph, or
new samples for a fitted model. It is clustered as it is and after each of 47 kinds of damage, in even draws with the number
of clusters given, in odd draws with ``n_clusters="auto"``. A result is *wrong* if its adjusted Rand index with the known
clusters is lower by more than 0.1 than without the damage, and *silent* if there was neither an exception, nor a warning,
nor a note in the record of the fit (``notes_``) that the undamaged data does not give as well. The known clusters are used
for that comparison only. Exits with status 1 if more than 2 % of all spoilt data sets are silently wrong, or if an exception
is not one of viewfuse.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf

N = 200
DROP = 0.1  # of the adjusted Rand index
BAR = 0.02
ID = "customer"


@dataclass(frozen=True)
class Data:
    """Several views, the known cluster of each sample, and how many clusters there are.

    ``members`` are tables with an id column, by name, or their text if that is what was spoilt; or arrays, whose rows are
    the samples ``origin`` (−1: no sample of the original data).
    """

    members: dict[str, Any]
    truth: pd.Series
    k: int
    kinds: dict[str, str] | None = None
    origin: np.ndarray | None = None

    def with_member(self, name: str, member: Any) -> Data:
        return replace(self, members={**self.members, name: member})


# Correct data


def _clusters(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    k = int(rng.integers(2, 6))
    return np.concatenate([np.arange(k), rng.choice(k, N - k, p=rng.dirichlet(np.full(k, 8.0)))]), k


def _centres(rng: np.random.Generator, k: int, d: int, gap: float) -> np.ndarray:
    """Centres no two of which are nearer than ``gap``."""
    while True:
        centres = rng.normal(size=(k, d)) * gap
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.eye(k) * 1e9
        if apart.min() >= gap:
            return centres


def customers(rng: np.random.Generator) -> Data:
    """Two or three tables about the same customers, half of the time with their rows in different orders."""
    y, k = _clusters(rng)
    return Data(_tables(rng, y, k), pd.Series(y, _ids()), k)


def _ids() -> list[str]:
    return [f"0{i:04d}" for i in range(N)]


def _tables(rng: np.random.Generator, y: np.ndarray, k: int) -> dict[str, pd.DataFrame]:
    def words(levels: list[str]) -> np.ndarray:
        shares = rng.dirichlet(np.full(len(levels), 0.5), k)
        return np.array(levels, dtype=object)[[rng.choice(len(levels), p=shares[c]) for c in y]]

    body = _centres(rng, k, 3, 3.5)[y] + rng.normal(size=(N, 3))
    profile = pd.DataFrame(
        {
            "age": (40 + 5 * body[:, 0]).round(1),
            "income": (30_000 * np.exp(0.25 * body[:, 1])).round(2),
            "distance": (12 + 2 * body[:, 2]).round(2),
            "region": words(["north", "south", "east", "west"]),
            "premium": words(["yes", "no"]),
        }
    )
    d = int(rng.integers(4, 9))
    usage = pd.DataFrame(
        (20 + 3 * (_centres(rng, k, d, 4.0)[y] + rng.normal(size=(N, d)))).round(2), columns=[f"use_{c}" for c in range(d)]
    )
    scale = ["never", "rarely", "sometimes", "often", "always"]
    survey = pd.DataFrame({f"q{i}": words(scale) for i in range(8)})
    tables = {"profile": profile, "usage": usage, "survey": survey}
    if rng.random() < 0.5:
        tables.pop("survey")
    for table in tables.values():
        table.insert(0, ID, _ids())
    if rng.random() < 0.5:
        tables = {name: table.sample(frac=1, random_state=int(rng.integers(1 << 30))) for name, table in tables.items()}
    return {name: table.reset_index(drop=True) for name, table in tables.items()}


def matrices(rng: np.random.Generator) -> Data:
    """Two or three arrays without ids."""
    y, k = _clusters(rng)
    members = {}
    for v in range(int(rng.integers(2, 4))):
        d = int(rng.integers(3, 9))
        members[f"view{v}"] = 100 + 5 * (_centres(rng, k, d, 4.0)[y] + rng.normal(size=(N, d)))
    return Data(members, pd.Series(y), k, origin=np.arange(N))


def network(rng: np.random.Generator) -> Data:
    """An array and a graph in which samples of one cluster are connected more often."""
    y, k = _clusters(rng)
    near = _centres(rng, k, 4, 3.0)[y] + rng.normal(size=(N, 4))
    edges = np.triu(rng.random((N, N)) < np.where(y[:, None] == y[None], 0.15, 0.01), k=1)
    graph = sp.csr_array((edges | edges.T).astype(float))
    return Data({"words": near, "cites": graph}, pd.Series(y), k, {"cites": "graph"}, np.arange(N))


# Damage to tables. ``_pick`` draws a table; ``numbers`` are its columns of numbers.


def _pick(data: Data, rng: np.random.Generator, numeric: bool = False) -> tuple[str, pd.DataFrame]:
    names = [name for name, table in data.members.items() if not numeric or _numbers(table)]
    name = names[int(rng.integers(len(names)))]
    return name, data.members[name].copy()


def _numbers(table: pd.DataFrame) -> list[str]:
    return [name for name in table.columns if table[name].dtype.kind in "if"]


def _third(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.sort(rng.choice(n, n // 3, replace=False))


def values_shuffled(data: Data, rng: np.random.Generator) -> Data:
    """The rows of one table are shuffled, but not its ids."""
    name, table = _pick(data, rng)
    order = rng.permutation(len(table))
    return data.with_member(name, table.assign(**{c: table[c].to_numpy()[order] for c in table.columns if c != ID}))


def ids_shifted(data: Data, rng: np.random.Generator) -> Data:
    """The ids of one table are shifted by one row."""
    name, table = _pick(data, rng)
    return data.with_member(name, table.assign(**{ID: np.roll(table[ID], 1)}))


def sorted_without_ids(data: Data, rng: np.random.Generator) -> Data:
    """One table is sorted by a column, and its ids stay where they were."""
    name, table = _pick(data, rng, numeric=True)
    by = _numbers(table)[int(rng.integers(len(_numbers(table))))]
    order = np.argsort(table[by].to_numpy(), kind="stable")
    return data.with_member(name, table.assign(**{c: table[c].to_numpy()[order] for c in table.columns if c != ID}))


def columns_sorted_alone(data: Data, rng: np.random.Generator) -> Data:
    """Every column of one table is sorted on its own."""
    name, table = _pick(data, rng, numeric=True)
    return data.with_member(name, table.assign(**{c: np.sort(table[c].to_numpy()) for c in table.columns if c != ID}))


def _with_row(table: pd.DataFrame, label: str, row: Callable[[pd.Series], Any]) -> pd.DataFrame:
    values = {c: row(table[c]) if table[c].dtype.kind in "if" else None for c in table.columns}
    return pd.concat([table, pd.DataFrame([{**values, ID: label}])], ignore_index=True)


def total_row(data: Data, rng: np.random.Generator) -> Data:
    """Every table ends with a row of totals."""
    return replace(data, members={n: _with_row(t, "Total", lambda c: c.sum()) for n, t in data.members.items()})


def mean_row(data: Data, rng: np.random.Generator) -> Data:
    """Every table ends with a row of means, under an id like the others."""
    return replace(data, members={n: _with_row(t, "99999", lambda c: c.mean()) for n, t in data.members.items()})


def total_row_in_one(data: Data, rng: np.random.Generator) -> Data:
    """One table ends with a row of totals."""
    name, table = _pick(data, rng, numeric=True)
    return data.with_member(name, _with_row(table, "Total", lambda c: c.sum()))


def units_in_a_column(data: Data, rng: np.random.Generator) -> Data:
    """A third of the cells of one column is in units a thousand times smaller."""
    name, table = _pick(data, rng, numeric=True)
    column = _numbers(table)[int(rng.integers(len(_numbers(table))))]
    values = table[column].to_numpy(dtype=float).copy()
    values[_third(rng, len(table))] *= 1000
    return data.with_member(name, table.assign(**{column: values}))


def units_in_a_table(data: Data, rng: np.random.Generator) -> Data:
    """A third of the rows of one table has all numbers in units a hundred times smaller."""
    name, table = _pick(data, rng, numeric=True)
    rows = _third(rng, len(table))
    for column in _numbers(table):
        values = table[column].to_numpy(dtype=float).copy()
        values[rows] *= 100
        table[column] = values
    return data.with_member(name, table)


def rows_repeated(data: Data, rng: np.random.Generator) -> Data:
    """A third of the rows of one table occurs twice, with their ids."""
    name, table = _pick(data, rng)
    return data.with_member(name, pd.concat([table, table.iloc[_third(rng, len(table))]], ignore_index=True))


def rows_repeated_as_new(data: Data, rng: np.random.Generator) -> Data:
    """A third of the samples occurs twice in every table, the second time under new ids."""
    again = set(rng.choice(_ids(), N // 3, replace=False))
    members = {}
    for name, table in data.members.items():
        copies = table[table[ID].isin(again)]
        members[name] = pd.concat([table, copies.assign(**{ID: "9" + copies[ID]})], ignore_index=True)
    return replace(data, members=members)


def row_numbers(data: Data, rng: np.random.Generator) -> Data:
    """One table has a column that counts its rows."""
    name, table = _pick(data, rng)
    table.insert(1, "nr", np.arange(1, len(table) + 1))
    return data.with_member(name, table)


def account_numbers(data: Data, rng: np.random.Generator) -> Data:
    """Every table has a column of account numbers."""
    numbers = dict(zip(_ids(), rng.choice(10**8, N, replace=False), strict=True))
    members = {n: t.assign(account=t[ID].map(numbers) * (1 + (i > 0))) for i, (n, t) in enumerate(data.members.items())}
    return replace(data, members=members)


def _cells(data: Data, rng: np.random.Generator, share: float, value: float) -> Data:
    name, table = _pick(data, rng, numeric=True)
    for column in _numbers(table):
        values = table[column].to_numpy(dtype=float).copy()
        values[rng.random(len(table)) < share] = value
        table[column] = values
    return data.with_member(name, table)


def missing_as_code(data: Data, rng: np.random.Generator) -> Data:
    """15 % of the numbers of one table are missing and written as −999."""
    return _cells(data, rng, 0.15, -999.0)


def missing_as_zero(data: Data, rng: np.random.Generator) -> Data:
    """30 % of the numbers of one table are missing and written as 0."""
    return _cells(data, rng, 0.30, 0.0)


def spellings(data: Data, rng: np.random.Generator) -> Data:
    """Every word of two tables is spelled in several ways."""
    ways = (str, str.upper, str.capitalize, lambda w: f"{w}.", lambda w: w[:3])
    members = {}
    for name, table in data.members.items():
        texts = [c for c in table.columns if c != ID and table[c].dtype.kind not in "if"]
        members[name] = table.assign(**{c: [ways[int(rng.integers(5))](w) for w in table[c]] for c in texts})
    return replace(data, members=members)


def decimal_commas(data: Data, rng: np.random.Generator) -> Data:
    """A third of the numbers of one table is written with a decimal comma."""
    name, table = _pick(data, rng, numeric=True)
    rows = set(_third(rng, len(table)).tolist())
    for column in _numbers(table):
        table[column] = [str(v).replace(".", ",") if i in rows else str(v) for i, v in enumerate(table[column])]
    return data.with_member(name, table)


def header_again(data: Data, rng: np.random.Generator) -> Data:
    """Two exports were pasted together: the header is repeated in the middle of one file."""
    name, table = _pick(data, rng)
    lines = table.to_csv(index=False).splitlines()
    middle = len(lines) // 2
    return data.with_member(name, "\n".join([*lines[:middle], lines[0], *lines[middle:]]))


def header_lost(data: Data, rng: np.random.Generator) -> Data:
    """One file has no header."""
    name, table = _pick(data, rng)
    return data.with_member(name, "\n".join(table.to_csv(index=False).splitlines()[1:]))


def leading_zeros_lost(data: Data, rng: np.random.Generator) -> Data:
    """A spreadsheet has removed the leading zeros of the ids of one table."""
    name, table = _pick(data, rng)
    return data.with_member(name, table.assign(**{ID: table[ID].astype(int)}))


def other_people(data: Data, rng: np.random.Generator) -> Data:
    """One table is about other people, who happen to have the same ids."""
    name, _ = _pick(data, rng)
    other = _tables(rng, rng.permutation(data.truth.to_numpy()), data.k)
    while name not in other:
        other = _tables(rng, rng.permutation(data.truth.to_numpy()), data.k)
    return data.with_member(name, other[name])


def column_repeated(data: Data, rng: np.random.Generator) -> Data:
    """One column occurs thirty times, under other names."""
    name, table = _pick(data, rng, numeric=True)
    column = _numbers(table)[int(rng.integers(len(_numbers(table))))]
    return data.with_member(name, table.assign(**{f"{column} ({i})": table[column] for i in range(2, 32)}))


def random_columns(data: Data, rng: np.random.Generator) -> Data:
    """One table has thirty columns of random numbers."""
    name, table = _pick(data, rng)
    return data.with_member(name, table.assign(**{f"x{i}": rng.normal(size=len(table)).round(3) for i in range(30)}))


def cells_moved(data: Data, rng: np.random.Generator) -> Data:
    """From the middle of one table on, the numbers are one column further to the right."""
    name, table = _pick(data, rng, numeric=True)
    columns, middle = _numbers(table), len(table) // 2
    values = table[columns].to_numpy(dtype=float).copy()
    values[middle:] = np.roll(values[middle:], 1, axis=1)
    return data.with_member(name, table.assign(**dict(zip(columns, values.T, strict=True))))


def signs(data: Data, rng: np.random.Generator) -> Data:
    """A third of the rows of one table has all its numbers with the other sign."""
    name, table = _pick(data, rng, numeric=True)
    rows = _third(rng, len(table))
    for column in _numbers(table):
        values = table[column].to_numpy(dtype=float).copy()
        values[rows] *= -1
        table[column] = values
    return data.with_member(name, table)


def filled_down(data: Data, rng: np.random.Generator) -> Data:
    """In one table forty rows in succession were overwritten by the row above them."""
    name, table = _pick(data, rng)
    start = int(rng.integers(1, len(table) - 40))
    for column in table.columns.drop(ID):
        values = table[column].to_numpy().copy()
        values[start : start + 40] = values[start - 1]
        table[column] = values
    return data.with_member(name, table)


def cut_off(data: Data, rng: np.random.Generator) -> Data:
    """One file ends in the middle of a row."""
    name, table = _pick(data, rng)
    text = table.to_csv(index=False)
    return data.with_member(name, text[: int(len(text) * rng.uniform(0.3, 0.9))])


# Damage to arrays


def _pick_array(data: Data, rng: np.random.Generator) -> tuple[str, np.ndarray]:
    names = list(data.members)
    name = names[int(rng.integers(len(names)))]
    return name, data.members[name].copy()


def array_shuffled(data: Data, rng: np.random.Generator) -> Data:
    """The rows of one array are shuffled."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, array[rng.permutation(len(array))])


def array_reversed(data: Data, rng: np.random.Generator) -> Data:
    """The rows of one array are in reverse order."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, array[::-1].copy())


def array_shifted(data: Data, rng: np.random.Generator) -> Data:
    """The rows of one array are shifted by one."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, np.roll(array, 1, axis=0))


def row_lost(data: Data, rng: np.random.Generator) -> Data:
    """One array has lost a row in its first third; its last row occurs twice instead."""
    name, array = _pick_array(data, rng)
    lost = int(rng.integers(1, len(array) // 3))
    return data.with_member(name, np.vstack([np.delete(array, lost, axis=0), array[-1:]]))


def array_sorted(data: Data, rng: np.random.Generator) -> Data:
    """One array is sorted by its first column."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, array[np.argsort(array[:, 0])])


def array_total(data: Data, rng: np.random.Generator) -> Data:
    """Every array ends with a row of totals."""
    members = {name: np.vstack([array, array.sum(axis=0)]) for name, array in data.members.items()}
    return replace(data, members=members, origin=np.append(data.origin, -1))


def array_rows_repeated(data: Data, rng: np.random.Generator) -> Data:
    """A third of the samples occurs twice in every array."""
    rows = np.concatenate([np.arange(N), _third(rng, N)])
    return replace(data, members={name: array[rows] for name, array in data.members.items()}, origin=rows)


def array_row_numbers(data: Data, rng: np.random.Generator) -> Data:
    """One array has a column that counts the rows."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, np.column_stack([np.arange(len(array)), array]))


def array_codes(data: Data, rng: np.random.Generator) -> Data:
    """15 % of the numbers of one array are missing and written as −999."""
    name, array = _pick_array(data, rng)
    array[rng.random(array.shape) < 0.15] = -999.0
    return data.with_member(name, array)


def batches_swapped(data: Data, rng: np.random.Generator) -> Data:
    """One array has the two halves of the samples in the other order."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, np.roll(array, len(array) // 2, axis=0))


def graph_shuffled(data: Data, rng: np.random.Generator) -> Data:
    """The samples of the graph are in another order than those of the array."""
    order = rng.permutation(N)
    return data.with_member("cites", data.members["cites"][order][:, order])


def graph_from_one(data: Data, rng: np.random.Generator) -> Data:
    """The samples of the graph were numbered from 1, so that each has the edges of the one before it."""
    graph = data.members["cites"].tolil()
    shifted = sp.lil_array((N, N))
    shifted[1:, 1:] = graph[: N - 1, : N - 1]
    return data.with_member("cites", sp.csr_array(shifted))


# Damage to new samples


def columns_permuted(data: Data, rng: np.random.Generator) -> Data:
    """The columns of the new arrays are in another order."""
    return replace(data, members={n: a[:, rng.permutation(a.shape[1])] for n, a in data.members.items()})


def views_swapped(data: Data, rng: np.random.Generator) -> Data:
    """The new arrays are given in the reverse order."""
    return replace(data, members=dict(zip(data.members, list(data.members.values())[::-1], strict=True)))


def new_units(data: Data, rng: np.random.Generator) -> Data:
    """One of the new arrays is in other units."""
    name, array = _pick_array(data, rng)
    return data.with_member(name, array * 1000)


def new_standardised(data: Data, rng: np.random.Generator) -> Data:
    """The new samples were standardised, those of the fit were not."""
    return replace(data, members={n: (a - a.mean(axis=0)) / a.std(axis=0) for n, a in data.members.items()})


def new_shuffled(data: Data, rng: np.random.Generator) -> Data:
    """The rows of one of the new arrays are shuffled."""
    return array_shuffled(data, rng)


def headers_swapped(data: Data, rng: np.random.Generator) -> Data:
    """Two columns of numbers of a new table have each other's names."""
    name, table = _pick(data, rng, numeric=True)
    one, other = rng.choice(_numbers(table), 2, replace=False)
    return data.with_member(name, table.rename(columns={one: other, other: one})[list(table.columns)])


def column_lost(data: Data, rng: np.random.Generator) -> Data:
    """A column of a new table is missing."""
    name, table = _pick(data, rng)
    return data.with_member(name, table.drop(columns=table.columns[-1]))


def other_language(data: Data, rng: np.random.Generator) -> Data:
    """The words of the new tables are in another language."""
    translated = {"yes": "ja", "no": "nein", "north": "Nord", "south": "Süd", "east": "Ost", "west": "West"}
    return replace(data, members={n: t.replace(translated) for n, t in data.members.items()})


FIT, PREDICT = "fit", "predict"
DAMAGE: dict[str, tuple[Callable[..., Data], Callable[..., Data], str]] = {
    made.__name__: (made, base, way)
    for base, way, kinds in (
        (
            customers,
            FIT,
            (
                values_shuffled, ids_shifted, sorted_without_ids, columns_sorted_alone, total_row, mean_row,
                total_row_in_one, units_in_a_column, units_in_a_table, rows_repeated, rows_repeated_as_new, row_numbers,
                account_numbers, missing_as_code, missing_as_zero, spellings, decimal_commas, header_again, header_lost,
                leading_zeros_lost, other_people, column_repeated, random_columns, cells_moved, signs, filled_down, cut_off,
            ),
        ),
        (
            matrices,
            FIT,
            (
                array_shuffled, array_reversed, array_shifted, row_lost, array_sorted, array_total, array_rows_repeated,
                array_row_numbers, array_codes, batches_swapped,
            ),
        ),
        (network, FIT, (graph_shuffled, graph_from_one)),
        (matrices, PREDICT, (columns_permuted, views_swapped, new_units, new_standardised, new_shuffled)),
        (customers, PREDICT, (headers_swapped, column_lost, other_language)),
    )
    for made in kinds
}  # fmt: skip


# What comes out


@dataclass(frozen=True)
class Outcome:
    """Labels by sample, warnings, and the exception if there was one."""

    labels: pd.Series | None
    warned: frozenset[str]
    noted: frozenset[str]
    error: Exception | None = None

    def score(self, truth: pd.Series) -> float:
        known = self.labels[self.labels.index.isin(truth.index)]
        return float(adjusted_rand_score(truth.loc[known.index], known))


def observed(work: Callable[[], tuple[pd.Series, tuple[str, ...]]]) -> Outcome:
    notes: tuple[str, ...] = ()
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            (labels, notes), error = work(), None
        except Exception as problem:
            labels, error = None, problem
    return Outcome(labels, frozenset(f"{w.category.__name__}: {w.message}" for w in given), frozenset(notes), error)


def read(data: Data, folder: Path, encoding: Any = None) -> vf.Views:
    """The views, by way of files."""
    if data.kinds is not None:
        return vf.Views(data.members, kinds=data.kinds)
    if data.origin is not None:
        np.savez(folder / "data.npz", **data.members)
        return vf.load_views(folder / "data.npz", samples="rows")
    paths = {}
    for name, table in data.members.items():
        paths[name] = folder / f"{name}.csv"
        paths[name].write_text(table if isinstance(table, str) else table.to_csv(index=False))
    return vf.load_views(paths, encoding=encoding)


def labelled(data: Data, views: vf.Views, labels: np.ndarray) -> pd.Series:
    return pd.Series(labels, [str(i) for i in views.ids] if data.origin is None else data.origin)


def clustered(data: Data, n_clusters: int | str) -> tuple[pd.Series, tuple[str, ...]]:
    """The clusters by sample, and what is noted in the record of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        views = read(data, Path(folder))
        model = vf.AutoFusion(n_clusters, random_state=0).fit(views)
        return labelled(data, views, model.labels_), vf.summarise(model, views).notes


def placed(model: Any, data: Data) -> tuple[pd.Series, tuple[str, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        views = read(data, Path(folder), getattr(model, "encoding_", None))
        return labelled(data, views, model.predict(views)), views.notes


def divided(data: Data) -> tuple[Data, Data]:
    """The first two thirds of the samples, and the others as new ones."""
    first = set(data.truth.index[: 2 * N // 3])

    def part(keep: Callable[[Any], bool]) -> Data:
        if data.origin is None:
            members = {n: t[[keep(i) for i in t[ID]]].reset_index(drop=True) for n, t in data.members.items()}
            return replace(data, members=members)
        rows = np.flatnonzero([keep(i) for i in data.origin])
        return replace(data, members={n: a[rows] for n, a in data.members.items()}, origin=data.origin[rows])

    return part(lambda i: i in first), part(lambda i: i not in first)


Work = Callable[[Data], tuple[pd.Series, tuple[str, ...]]]


@dataclass
class Case:
    """Correct data, what is done with it, and what comes out."""

    data: Data
    work: Work
    right: Outcome

    @classmethod
    def of(cls, base: Callable[..., Data], way: str, number: int, seed: int) -> Case:
        data = base(np.random.default_rng([seed, number, len(base.__name__)]))
        k = data.k if number % 2 == 0 else "auto"
        work: Work = partial(clustered, n_clusters=k)
        if way == PREDICT:
            known, data = divided(data)
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work = partial(placed, vf.AutoFusion(k, random_state=0).fit(read(known, Path(folder))))
        right = observed(partial(work, data))
        if right.error is not None:
            raise right.error
        return cls(data, work, right)


def draw(number: int, seed: int, names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """One draw of every kind of damage: its name, its outcome, and what was said."""
    found = []
    cases: dict[tuple[Any, str], Case] = {}
    for name in names:
        spoil, base, way = DAMAGE[name]
        if (base, way) not in cases:
            cases[base, way] = Case.of(base, way, number, seed)
        case = cases[base, way]
        spoilt = spoil(case.data, np.random.default_rng([seed, number, *name.encode()]))
        found.append((name, *judged(observed(partial(case.work, spoilt)), case.right, case.data.truth)))
    return found


def judged(spoilt: Outcome, right: Outcome, truth: pd.Series) -> tuple[str, str]:
    if spoilt.error is not None:
        is_ours = isinstance(spoilt.error, vf.exceptions.ViewfuseError)
        return "refused" if is_ours else "CRASHED", f"{type(spoilt.error).__name__}: {spoilt.error}"
    new = sorted(spoilt.warned - right.warned)
    before, after = right.score(truth), spoilt.score(truth)
    said = f"{before:.2f} → {after:.2f} {' | '.join(new)}"
    if before - after <= DROP:
        return "right, warned" if new else "right", said
    if not new and spoilt.noted - right.noted:
        return "wrong, noted", said + " | ".join(sorted(spoilt.noted - right.noted))
    return "wrong, warned" if new else "SILENT", said


COLUMNS = ("right", "right, warned", "refused", "wrong, warned", "wrong, noted", "SILENT", "CRASHED")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", default=list(DAMAGE), choices=list(DAMAGE), metavar="NAME")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--show", nargs="*", default=["SILENT", "CRASHED"], help="outcomes to print one by one")
    options = parser.parse_args()
    numbers, names = range(options.draws), tuple(options.only)
    if options.processes > 1:
        with ProcessPoolExecutor(options.processes) as pool:
            results = list(pool.map(draw, numbers, [options.seed] * options.draws, [names] * options.draws))
    else:
        results = [draw(number, options.seed, names) for number in numbers]
    counts: dict[str, Counter] = {name: Counter() for name in names}
    for number, found in enumerate(results):
        for name, outcome, said in found:
            counts[name][outcome] += 1
            if outcome in options.show:
                print(f"{outcome} draw {number} {name}: {said[:300]}")
    print(f"\n{'damage':22}" + "".join(f"{column:>15}" for column in COLUMNS))
    total: Counter = sum(counts.values(), Counter())
    for name, each in [*counts.items(), ("all", total)]:
        print(f"{name:22}" + "".join(f"{each[column]:15}" for column in COLUMNS))
    silent = total["SILENT"] / total.total()
    print(f"silently wrong: {total['SILENT']} of {total.total()} spoilt data sets, {silent:.1%} (at most {BAR:.0%})")
    return int(silent > BAR or total["CRASHED"] > 0)


if __name__ == "__main__":
    sys.exit(main())
