"""AnchorGFSC over Dask: the same clusters as in memory, for any chunks, also if a worker dies."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import viewfuse as vf
from viewfuse.exceptions import ChunksWarning, ViewsError, ViewsTypeError

dask = pytest.importorskip("dask", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask is not installed")


@pytest.fixture(scope="module")
def arrays():
    views = vf.datasets.make_views(n_samples=3000, n_clusters=4, n_features=(6, 9), noise=3.0, random_state=0)
    return [np.asarray(x, dtype=np.float32) for x in views.arrays]


class AnchorGFSC(vf.AnchorGFSC):
    """With a sample of rows that is smaller than the data."""

    _rows_per_anchor = 8


@pytest.fixture(scope="module")
def in_memory(arrays):
    return AnchorGFSC(4, random_state=0).fit(arrays)


def chunked(arrays, size):
    return [da.from_array(x, chunks=(size, -1)) for x in arrays]


@pytest.mark.parametrize("size", [3000, 700, 501])
def test_the_labels_are_the_same_as_in_memory(arrays, in_memory, size):
    views = chunked(arrays, size)
    model = AnchorGFSC(4, random_state=0).fit(views)
    assert isinstance(model.labels_, da.Array)
    assert model.labels_.chunks[0] == views[0].chunks[0]
    labels, confidence, embedding = dask.compute(model.labels_, model.confidence_, model.embedding_)
    assert adjusted_rand_score(in_memory.labels_, labels) >= 0.99
    assert np.allclose(embedding, in_memory.embedding_, atol=1e-3)
    assert np.allclose(confidence, in_memory.confidence_, atol=1e-2)
    assert np.allclose(model.view_weights_, in_memory.view_weights_, atol=1e-4)
    assert (model.predict(views).compute() == labels).all()
    assert (model.predict(arrays) == labels).all()
    assert model.transform(views).shape == embedding.shape


def test_the_client_receives_only_a_sample_of_the_data(arrays, monkeypatch):
    sizes = []
    compute = dask.compute

    def watched(*args, **kwargs):
        results = compute(*args, **kwargs)
        sizes.extend(part.shape[0] for result in results if isinstance(result, list) for part in result)
        return results

    monkeypatch.setattr(dask, "compute", watched)
    AnchorGFSC(4, random_state=0).fit(chunked(arrays, 500))
    assert 0 < max(sizes) < 500


def test_data_frames_and_names(arrays, in_memory):
    pandas = pytest.importorskip("pandas")
    dd = pytest.importorskip("dask.dataframe")
    frames = {f"v{v}": dd.from_pandas(pandas.DataFrame(x), npartitions=4) for v, x in enumerate(arrays)}
    model = AnchorGFSC(4, random_state=0).fit(frames)
    assert list(model.view_names_) == ["v0", "v1"]
    assert adjusted_rand_score(in_memory.labels_, model.labels_.compute()) >= 0.99
    swapped = {"v1": chunked(arrays, 800)[1], "v0": chunked(arrays, 800)[0]}
    assert (model.predict(swapped).compute() == model.labels_.compute()).all()


class TestFramesWithIds:
    """Frames are matched by their index, as in memory."""

    @pytest.fixture
    def frames(self, arrays):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("dask.dataframe")
        ids = [f"s{i:05}" for i in range(3000)]
        return [pandas.DataFrame(x, index=ids) for x in arrays]

    @staticmethod
    def on_dask(frames, partitions=(4, 4)):
        dd = pytest.importorskip("dask.dataframe")
        return [dd.from_pandas(frame, npartitions=n, sort=False) for frame, n in zip(frames, partitions, strict=True)]

    @pytest.mark.parametrize("partitions", [(4, 4), (3, 5)])
    @pytest.mark.filterwarnings("ignore::viewfuse.exceptions.ChunksWarning")
    def test_frames_in_the_same_order(self, frames, in_memory, partitions):
        model = AnchorGFSC(4, random_state=0).fit(self.on_dask(frames, partitions))
        assert adjusted_rand_score(in_memory.labels_, model.labels_.compute()) >= 0.99

    def test_frames_in_another_order_are_sorted_like_the_first(self, frames, arrays):
        dd = pytest.importorskip("dask.dataframe")
        first = dd.from_pandas(frames[0], npartitions=4).map_partitions(_reversed)
        second = dd.from_pandas(frames[1], npartitions=5)
        model = AnchorGFSC(4, random_state=0).fit([first, second])
        order = np.concatenate([np.arange(b, b + 750)[::-1] for b in range(0, 3000, 750)])
        expected = AnchorGFSC(4, random_state=0).fit([x[order] for x in arrays]).labels_
        assert adjusted_rand_score(expected, model.labels_.compute()) >= 0.99

    def test_frames_that_cannot_be_matched_raise_an_error(self, frames, arrays):
        dd = pytest.importorskip("dask.dataframe")
        first, second = frames
        with pytest.raises(ViewsError, match="'view1' and 'view0' have different samples: their indices hold different ids"):
            AnchorGFSC(4).fit(self.on_dask([first, second.rename(index={"s00007": "x"})]))
        with pytest.raises(ViewsError, match="Dask does not know which partition holds which ids"):
            AnchorGFSC(4).fit(self.on_dask([first, second[::-1]]))
        sorted_first = dd.from_pandas(first, npartitions=4)
        moved = dd.from_pandas(second, npartitions=4).map_partitions(_reversed)
        with pytest.raises(ViewsError, match="'view2' has no ids to match them with"):
            AnchorGFSC(4).fit([sorted_first, moved, chunked(arrays, 750)[0]])

    def test_an_index_of_row_numbers_holds_no_ids(self, frames, in_memory):
        plain = self.on_dask([frame.reset_index(drop=True) for frame in frames])
        plain[1] = plain[1].map_partitions(
            lambda part: part.reset_index(drop=True)
        )  # every partition is numbered from 0, as readers do
        model = AnchorGFSC(4, random_state=0).fit(plain)
        assert adjusted_rand_score(in_memory.labels_, model.labels_.compute()) >= 0.99


def _reversed(part):
    return part.iloc[::-1]


def test_different_chunks_are_re_chunked_with_a_warning(arrays, in_memory):
    views = [da.from_array(arrays[0], chunks=(1000, 2)), da.from_array(arrays[1], chunks=(700, -1))]
    with pytest.warns(ChunksWarning, match="chunks of 'view1' differ from those of 'view0'"):
        model = AnchorGFSC(4, random_state=0).fit(views)
    assert adjusted_rand_score(in_memory.labels_, model.labels_.compute()) >= 0.99


def test_missing_samples_and_invalid_values_are_found_in_any_chunk(arrays):
    holes = [x.copy() for x in arrays]
    holes[0][::3] = np.nan
    model = AnchorGFSC(4, random_state=0).fit(chunked(holes, 700))
    assert adjusted_rand_score(AnchorGFSC(4, random_state=0).fit(holes).labels_, model.labels_.compute()) >= 0.99
    holes[1][2400] = np.nan
    with pytest.raises(ViewsError, match="row 2400 is missing from every view"):
        AnchorGFSC(4, random_state=0).fit(chunked(holes, 700))
    holes[1][2400, 1:] = 0
    with pytest.raises(ViewsError, match="NaN in row 2400, column 0"):
        AnchorGFSC(4, random_state=0).fit(chunked(holes, 700))


def test_invalid_data_raises_an_error(arrays):
    views = chunked(arrays, 1000)
    with pytest.raises(ViewsTypeError, match="'view1' is a ndarray, but others are Dask"):
        AnchorGFSC(4).fit([views[0], arrays[1]])
    with pytest.raises(ViewsError, match="'view0' 3000, 'view1' 2000"):
        AnchorGFSC(4).fit([views[0], views[1][:2000]])
    with pytest.raises(ViewsTypeError, match="Pass Dask data as a list"):
        AnchorGFSC(4, views=[slice(0, 2)]).fit(views[0])
    with pytest.raises(ViewsError, match="cannot form 4 clusters"):
        AnchorGFSC(4).fit([x[:3] for x in views])
    with pytest.raises(ViewsTypeError, match="not numeric"):
        AnchorGFSC(4).fit([views[0].astype(str)])
    unknown = [x[x[:, 0] > -np.inf] for x in views]  # sizes that Dask does not know
    assert AnchorGFSC(4, random_state=0).fit(unknown).labels_.shape == (3000,)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning")
def test_a_worker_that_is_killed_during_a_fit_changes_nothing(arrays, in_memory, tmp_path):
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    marks = tmp_path / "marks"
    marks.mkdir()

    def dies_at_the_second_reading(block, folder, block_info=None):
        """Kill the process of the worker when the second chunk is read for the second time.

        A nested function is sent to the workers by value; they cannot import the tests.
        """
        if block_info and block_info[0]["chunk-location"][0] == 1:
            reading = len(list(Path(folder).iterdir()))
            (Path(folder) / str(reading)).touch()
            if reading == 1:
                os.kill(os.getpid(), signal.SIGKILL)
        return block

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.scheduler_info()["workers"])
        first, second = chunked(arrays, 600)
        # The chunk is read for the sample, for the iteration over all rows, and for the labels.
        views = [first.map_blocks(dies_at_the_second_reading, folder=str(marks), dtype=first.dtype), second]
        model = AnchorGFSC(4, random_state=0).fit(views)
        labels = model.labels_.compute()
        after = set(client.scheduler_info()["workers"])
    assert len(list(marks.iterdir())) >= 4
    assert before != after
    assert adjusted_rand_score(in_memory.labels_, labels) >= 0.99


class TestColumnsOfNewSamples:
    """Columns are matched by name, whether the fit or the new samples are Dask frames."""

    @pytest.fixture
    def frames(self, arrays):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("dask.dataframe")
        return {f"v{v}": pandas.DataFrame(x, columns=[f"c{c}" for c in range(x.shape[1])]) for v, x in enumerate(arrays)}

    @staticmethod
    def as_dask(frames):
        dd = pytest.importorskip("dask.dataframe")
        return {name: dd.from_pandas(frame, npartitions=3) for name, frame in frames.items()}

    @pytest.mark.filterwarnings("ignore::viewfuse.exceptions.EncodingWarning")  # that tables in memory were matched
    @pytest.mark.parametrize("fitted_on_dask", [False, True])
    @pytest.mark.parametrize("new_are_dask", [False, True])
    def test_another_order(self, frames, fitted_on_dask, new_are_dask):
        model = AnchorGFSC(4, random_state=0).fit(self.as_dask(frames) if fitted_on_dask else frames)
        turned = {name: frame[frame.columns[::-1]] for name, frame in frames.items()}
        found = model.predict(self.as_dask(turned) if new_are_dask else turned)
        np.testing.assert_array_equal(np.asarray(found), np.asarray(model.labels_))

    def test_renamed_and_missing_columns(self, frames):
        model = AnchorGFSC(4, random_state=0).fit(self.as_dask(frames))
        renamed = {**frames, "v1": frames["v1"].rename(columns={"c0": "z"})}
        with pytest.raises(ViewsError, match=r"'v1' has other columns .* 'c0' is missing and column 'z' was not in the fit"):
            model.predict(self.as_dask(renamed))
        with pytest.raises(ViewsError, match=r"'v0' has other columns .* 'c1' is missing"):
            model.predict(self.as_dask({**frames, "v0": frames["v0"].drop(columns="c1")}))

    def test_encoded_columns_are_refused(self, frames):
        mixed = {**frames, "v0": frames["v0"].assign(sex=["f", "m"] * (len(frames["v0"]) // 2))}
        model = AnchorGFSC(4, random_state=0).fit(mixed)
        numbers = {**frames, "v0": frames["v0"].assign(sex=[0, 1] * (len(frames["v0"]) // 2))}
        with pytest.raises(ViewsTypeError, match=r"'v0' was fitted as a table whose columns were encoded"):
            model.predict(self.as_dask(numbers))

    @pytest.mark.parametrize("fusion", [vf.AutoFusion, vf.GFSC])
    def test_other_fusions_refuse_dask(self, frames, fusion):
        with pytest.raises(ViewsTypeError, match=r"does not read Dask collections.*AnchorGFSC"):
            fusion(4).fit(self.as_dask(frames))
