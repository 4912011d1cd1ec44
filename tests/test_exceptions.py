"""Exceptions and warnings carry their parts as fields, wherever they travel."""

import copy
import pickle
import warnings

import pytest

from viewfuse import exceptions

CLASSES = [getattr(exceptions, name) for name in exceptions.__all__]
FIELDS = {"hint": "Choose another.", "view": "audio", "parameter": "labels", "value": ("y", False)}


def fields(error):
    return {name: getattr(error, name) for name in ("problem", *FIELDS)}


def pickled(error):
    return pickle.loads(pickle.dumps(error))


def sent_by_dask(error):
    """Dask sends exceptions between workers with tblib, which has its own functions for that."""
    support = pytest.importorskip("tblib.pickling_support")
    rebuild, arguments, *state = support.pickle_exception(error)
    found = rebuild(*arguments)
    for attributes in state:
        found.__setstate__(attributes)
    return found


def test_all_lists_every_public_class():
    public = {
        name
        for name, found in vars(exceptions).items()
        if isinstance(found, type) and issubclass(found, Exception) and not name.startswith("_")
    }
    assert sorted(exceptions.__all__) == sorted(public)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_is_an_error_or_a_warning_of_viewfuse_and_is_documented(cls):
    assert issubclass(cls, exceptions.ViewfuseError) != issubclass(cls, exceptions.ViewfuseWarning)
    assert issubclass(cls, Warning) == issubclass(cls, exceptions.ViewfuseWarning)
    assert cls.__doc__.strip().endswith(".")


@pytest.mark.parametrize("cls", CLASSES)
def test_the_message_is_the_problem_and_the_hint(cls):
    error = cls("Two columns could be the labels.", **FIELDS)
    assert str(error) == "Two columns could be the labels. Choose another."
    assert fields(error) == {"problem": "Two columns could be the labels.", **FIELDS}


@pytest.mark.parametrize("cls", CLASSES)
def test_fields_are_optional(cls):
    error = cls("The file is empty.")
    assert str(error) == "The file is empty."
    assert fields(error) == {"problem": "The file is empty.", **dict.fromkeys(FIELDS)}


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled, sent_by_dask])
def test_copies_and_pickles_keep_the_fields(cls, copied):
    error = cls("Two columns could be the labels.", **FIELDS)
    found = copied(error)
    assert type(found) is cls
    assert str(found) == str(error)
    assert fields(found) == fields(error)


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, Warning)])
def test_a_warning_is_given_with_its_fields(cls):
    with pytest.warns(cls) as caught:
        warnings.warn(cls("Two columns could be the labels.", **FIELDS), stacklevel=1)
    assert fields(caught[0].message) == {"problem": "Two columns could be the labels.", **FIELDS}
