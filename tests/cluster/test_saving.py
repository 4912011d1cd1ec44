"""Saved models: they load unchanged, changed files are refused, and nothing is executed."""

import io
import json
import pickle
import warnings
import zipfile
from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp

import viewfuse as vf
from viewfuse.cluster import METHODS, _saving
from viewfuse.exceptions import ModelFormatError, ViewfuseWarning


def blobs(n=24):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return {name: 3 * rng.normal(size=(3, d))[y] + 0.3 * rng.normal(size=(n, d)) for name, d in (("a", 4), ("b", 6))}


def fitted(key="gfsc", **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ViewfuseWarning)
        return METHODS[key](n_clusters=3, random_state=0, **params).fit(blobs())


def assert_same(one, other):
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif sp.issparse(one):
        assert one.dtype == other.dtype
        assert (one != other).nnz == 0
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    elif hasattr(one, "__dataclass_fields__"):
        for field in fields(one):
            assert_same(getattr(one, field.name), getattr(other, field.name))
    else:
        assert one == other


@pytest.mark.parametrize("key", METHODS)
def test_every_method_loads_unchanged(key, tmp_path):
    model = fitted(key)
    again = vf.load(model.save(tmp_path / "fit.model"))
    assert_same(model.__getstate__(), again.__getstate__())
    if hasattr(model, "predict"):
        new = {name: view[::2] + 0.01 for name, view in blobs().items()}
        assert np.array_equal(again.predict(new), model.predict(new))
    if hasattr(model, "relabel") and key != "anchor-gfsc":
        assert np.array_equal(again.relabel(random_state=0), model.relabel(random_state=0))


def test_cluster_counts_load_unchanged(tmp_path):
    model = vf.GFSC("auto", random_state=0).fit(blobs(60))
    again = vf.load(model.save(tmp_path / "fit.model"))
    assert again.n_clusters_ == model.n_clusters_
    assert_same(vars(model.cluster_counts_), vars(again.cluster_counts_))


def test_parameters_of_every_type_load_unchanged(tmp_path):
    views = {"a": slice(0, 4), "b": [4, 5, 6], "c": np.array([7, 8, 9])}
    model = vf.GFSC(3, alpha=np.float32(2), views=views, random_state=np.random.RandomState(5), tol=float("inf"))
    again = vf.load(model.save(tmp_path / "unfitted.model"))
    assert again.views["a"] == slice(0, 4)
    assert again.views["c"].tolist() == [7, 8, 9]
    assert again.tol == float("inf")
    assert again.random_state.randint(10**9) == np.random.RandomState(5).randint(10**9)
    again.set_params(tol=1e-3)
    assert again.fit(np.random.default_rng(0).normal(size=(9, 10))).labels_.shape == (9,)


def test_values_that_json_and_arrays_cannot_represent_are_not_saved(tmp_path):
    with pytest.raises(ModelFormatError, match=r"views.* function"):
        vf.GFSC(3, views={"a": lambda: 0}).save(tmp_path / "x.model")
    assert not list(tmp_path.iterdir())


def test_sparse_and_text_arrays_load_unchanged(tmp_path):
    model = vf.GFSC(3)
    model.graph_ = sp.csr_array(np.eye(3))
    model.names_ = np.array([["a", None], ["b", 2.5]], dtype=object)
    again = vf.load(model.save(tmp_path / "x.model"))
    assert (again.graph_ != model.graph_).nnz == 0
    assert again.names_.tolist() == model.names_.tolist()


def repacked(path, change, *, compression=zipfile.ZIP_STORED):
    """The archive with its members changed by ``change(members)``."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_manifest(change, *, resealed=True):
    """A change of the manifest, with a new checksum unless ``resealed`` is False."""

    def apply(members):
        manifest = json.loads(members["model.json"])
        change(manifest)
        if resealed:
            manifest.pop("checksum")
            manifest["checksum"] = _saving._sha256(_saving._canonical(manifest))
        members["model.json"] = json.dumps(manifest).encode()

    return apply


def resealed_array(content_of):
    """Replace an array of the archive and update the checksums."""

    def apply(members):
        name = next(name for name in members if "labels" in name)
        members[name] = content_of(members[name])

        def seal(manifest):
            manifest["arrays"][name.removesuffix(".npy")] = _saving._sha256(members[name])

        with_manifest(seal)(members)

    return apply


def pickled(_):
    stream = io.BytesIO()
    np.save(stream, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return stream.getvalue()


def huge_claim(_):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)})
    return stream.getvalue() + b"12345678"


def set_tag(manifest):
    manifest["attributes"]["alpha"] = {"is": "function", "name": "os.system"}


def set_record(manifest):
    manifest["attributes"]["alpha"] = {"is": "record", "class": "Popen", "fields": {}}


def flipped(content):
    return content[:-1] + bytes([content[-1] ^ 1])


REFUSED = {
    "newer": (with_manifest(lambda m: m.update(version=99)), "newer version of viewfuse .format 99.*Update"),
    "older": (with_manifest(lambda m: m.update(version=1)), "older version of viewfuse, in format 1.*Fit the model again"),
    "edited": (
        with_manifest(lambda m: m["attributes"].update(alpha=3.0), resealed=False),
        "model.json was changed after it was saved",
    ),
    "array edited": (
        lambda m: m.update({n: flipped(c) for n, c in m.items() if "labels" in n}),
        "labels_' was changed",
    ),
    "array gone": (lambda m: m.pop(next(n for n in m if "labels" in n)), "labels"),
    "another format": (with_manifest(lambda m: m.update(format="recipe")), "not a saved model"),
    "unknown method": (
        with_manifest(lambda m: m.update(method="Popen")),
        "Popen, which this version of viewfuse does not know",
    ),
    "unknown tag": (with_manifest(set_tag), "'function', which this version of viewfuse does not know"),
    "unknown record": (with_manifest(set_record), "'Popen', which this version of viewfuse does not know"),
    "method shadowed": (with_manifest(lambda m: m["attributes"].update(fit=1)), "does not describe a GFSC: see 'fit'"),
    "parameter gone": (with_manifest(lambda m: m["attributes"].pop("alpha")), "see 'alpha'"),
    "no version": (with_manifest(lambda m: m.pop("version")), "newer version of viewfuse"),
    "manifest gone": (lambda m: m.pop("model.json"), "not a saved model"),
    "manifest no JSON": (lambda m: m.update({"model.json": b"{"}), "damaged or truncated"),
    "pickle": (resealed_array(pickled), "pickled Python objects, which are never loaded"),
    "huge claim": (resealed_array(huge_claim), "does not contain"),
    "no array": (resealed_array(lambda _: b"nonsense"), "damaged or truncated"),
}


@pytest.mark.parametrize("damage", REFUSED)
def test_a_changed_file_is_refused(damage, tmp_path):
    path = fitted().save(tmp_path / "fit.model")
    change, reason = REFUSED[damage]
    repacked(path, change)
    with pytest.raises(ModelFormatError, match=reason) as refusal:
        vf.load(path)
    assert str(path) in str(refusal.value)


def test_truncated_compressed_and_absent_files_are_refused(tmp_path):
    path = fitted().save(tmp_path / "fit.model")
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ModelFormatError, match=r"truncated|[Nn]ot a saved model"):
            vf.load(path)
    path.write_bytes(whole)
    repacked(path, lambda m: None, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ModelFormatError, match="compressed"):
        vf.load(path)
    with pytest.raises(FileNotFoundError):
        vf.load(tmp_path / "absent.model")


@pytest.mark.parametrize("position", range(0, 4000, 97))
def test_every_flipped_byte_is_detected(position, tmp_path):
    model = fitted("km")
    path = model.save(tmp_path / "fit.model")
    content = bytearray(path.read_bytes())
    position %= len(content)
    content[position] ^= 0x10
    path.write_bytes(bytes(content))
    try:
        again = vf.load(path)
    except ModelFormatError:
        return
    assert_same(model.__getstate__(), again.__getstate__())  # the byte was padding or a date


def test_a_pickle_is_not_loaded(tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was executed",))

    path = tmp_path / "trap.model"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelFormatError):
        vf.load(path)


def test_a_failed_save_keeps_the_old_file(tmp_path, monkeypatch):
    path = fitted().save(tmp_path / "fit.model")
    before = path.read_bytes()
    monkeypatch.setattr(
        zipfile.ZipFile, "writestr", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(OSError, match="No space left") as error:
        fitted("km").save(path)
    assert error.value.filename == str(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["fit.model"]


def test_a_pickled_model_holds_no_search_for_neighbours():
    """The neighbours of the fit are found once and kept for it; a pickle would double in size."""
    again = pickle.loads(pickle.dumps(fitted("auto")))
    assert "_own_neighbors" not in vars(again._space)
