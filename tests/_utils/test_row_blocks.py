"""Views in files: the same clusters as in memory, read one portion at a time."""

import pickle
from functools import partial

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse._utils import row_blocks
from viewfuse._utils.row_blocks import each_portion, portion_of, read_rows
from viewfuse.exceptions import ViewsError, ViewsTypeError

PORTION_BYTES = 2**15


@pytest.fixture
def small_portions(monkeypatch):
    for function in (read_rows, portion_of):
        monkeypatch.setattr(
            f"viewfuse.cluster.rows.local.{function.__name__}", partial(function, portion_bytes=PORTION_BYTES)
        )
    monkeypatch.setattr(vf.AnchorGFSC, "_block_rows", 100)
    monkeypatch.setattr(vf.AnchorGFSC, "_rows_per_anchor", 8)


def matrices(n=2500):
    views = vf.datasets.make_views(n_samples=n, n_clusters=4, n_features=(6, 9), random_state=0)
    return [np.asarray(x, dtype=np.float32) for x in views.arrays]


def as_memory_maps(arrays, folder):
    for v, array in enumerate(arrays):
        np.save(folder / f"{v}.npy", array)
    return [np.load(folder / f"{v}.npy", mmap_mode="r") for v in range(len(arrays))]


def as_hdf5(arrays, folder):
    file = pytest.importorskip("h5py").File(folder / "views.h5", "w")
    return [file.create_dataset(f"v{v}", data=array, chunks=(64, array.shape[1])) for v, array in enumerate(arrays)]


def as_zarr(arrays, folder):
    zarr = pytest.importorskip("zarr")
    made = []
    for v, array in enumerate(arrays):
        made.append(zarr.open(str(folder / f"{v}.zarr"), mode="w", shape=array.shape, dtype="float32", chunks=(500, 3)))
        made[-1][:] = array
    return made


def as_parquet(arrays, folder):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    for v, array in enumerate(arrays):
        frame = pandas.DataFrame(array, columns=[f"f{j}" for j in range(array.shape[1])])
        frame.to_parquet(folder / f"{v}.parquet", row_group_size=333)
    return [vf.io.ParquetRows(folder / f"{v}.parquet") for v in range(len(arrays))]


@pytest.mark.parametrize("store", [as_memory_maps, as_hdf5, as_zarr, as_parquet])
def test_views_in_files_give_the_clusters_of_views_in_memory(store, tmp_path, small_portions):
    arrays = matrices()
    stored = store(arrays, tmp_path)
    expected = vf.AnchorGFSC(4, random_state=0).fit(arrays)
    model = vf.AnchorGFSC(4, random_state=0).fit(stored)
    assert adjusted_rand_score(expected.labels_, model.labels_) == 1
    assert (model.predict(stored) == model.labels_).all()


def test_rows_of_a_file_are_selected_in_any_order(tmp_path):
    arrays = matrices(200)
    rows = np.array([150, 3, 3, 77])
    views = vf.Views(as_parquet(arrays, tmp_path))
    assert np.array_equal(views[rows].arrays[1], arrays[1][rows])
    assert np.array_equal(views.float_arrays()[0], arrays[0])
    assert vf.Views(as_memory_maps(arrays, tmp_path))[rows].shape == (4, 15)


class Watched:
    """A matrix that counts as a file and records the largest number of rows read at a time."""

    reads_rows_from_disk = True
    ndim = 2

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.most = array, array.shape, array.dtype, 0

    def __getitem__(self, rows):
        block = self.array[rows]
        self.most = max(self.most, len(block))
        return block


def test_a_fit_reads_one_portion_at_a_time(small_portions):
    watched = [Watched(x) for x in matrices()]
    vf.AnchorGFSC(4, random_state=0).fit(watched)
    assert 0 < max(w.most for w in watched) <= PORTION_BYTES // (6 * 4)


def test_rows_by_position_are_read_one_portion_at_a_time():
    watched, rows = Watched(np.arange(200.0).reshape(100, 2)), np.array([0, 8, 9, 50, 51, 99])
    found = read_rows(watched, rows, portion_bytes=160)
    assert np.array_equal(found, watched.array[rows])
    assert watched.most == 10  # a row has 16 bytes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_portions_of_memory_maps_are_not_copied(tmp_path, dtype):
    values = np.arange(3000, dtype=dtype).reshape(1000, 3)
    np.save(tmp_path / "x.npy", values)
    mapped, held = np.load(tmp_path / "x.npy", mmap_mode="r"), values[:, :2]
    portions = [slice(0, 400), slice(400, 800), slice(800, 1000)]
    for rows, (on_disk, in_memory) in each_portion([mapped, held], portions):
        assert np.shares_memory(on_disk, mapped)
        np.testing.assert_array_equal(on_disk, values[rows])
        np.testing.assert_array_equal(in_memory, held[rows])


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_that_are_far_apart_are_read_alone(tmp_path, monkeypatch, order):
    values = np.asarray(np.arange(60_000.0).reshape(20_000, 3), order=order)
    np.save(tmp_path / "x.npy", values)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    monkeypatch.setattr(row_blocks, "_FAR_APART", 1000)
    rows = np.array([0, 7, 4099, 19_999])
    np.testing.assert_array_equal(read_rows(mapped, rows), values[rows])
    np.testing.assert_array_equal(read_rows(mapped[100:], rows[:3]), values[100:][rows[:3]])


def test_a_portion_has_at_least_one_row():
    assert portion_of(16, portion_bytes=160) == 10
    assert portion_of(16, portion_bytes=10) == 1
    assert portion_of(0, portion_bytes=10) == 10


def test_a_private_memory_map_keeps_values_written_to_it(tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((50, 2)))
    private = np.load(tmp_path / "x.npy", mmap_mode="c")
    private[:] = 1
    assert (read_rows(private, slice(0, 50)) == 1).all()
    assert (private == 1).all()


def test_parquet_rows_behave_like_a_matrix(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": list("abcdefg"), "x": range(7), "y": [0.5] * 6 + [None]})
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=3)
    rows = vf.io.ParquetRows(tmp_path / "a.parquet", columns=["y", "x"])
    assert rows.shape == (7, 2)
    assert np.array_equal(rows[2:5], [[0.5, 2], [0.5, 3], [0.5, 4]])
    assert np.array_equal(rows[1:7:3], [[0.5, 1], [0.5, 4]])
    assert np.isnan(rows[6:][0, 0])
    assert len(rows[7:]) == 0
    assert np.array_equal(pickle.loads(pickle.dumps(rows))[:2], rows[:2])
    with pytest.raises(ViewsTypeError, match="column 'id' is not numeric"):
        vf.io.ParquetRows(tmp_path / "a.parquet")
    with pytest.raises(ViewsError, match="no column 'z'"):
        vf.io.ParquetRows(tmp_path / "a.parquet", columns=["z"])
    with pytest.raises(ViewsError, match=r"NaN in row 6, column 0 \('y'\)"):
        vf.AnchorGFSC(2).fit([rows])
