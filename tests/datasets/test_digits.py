import numpy as np

from viewfuse.datasets import load_digits_views


def test_six_finite_views_of_every_digit():
    views = load_digits_views()
    assert views.names == ("pixels", "fourier", "profiles", "gradients", "zones", "moments")
    assert [array.shape[1] for array in views.arrays] == [64, 40, 32, 32, 16, 9]
    assert len(views) == len(views.y) == 1797
    assert all(np.isfinite(array).all() for array in views.arrays)
    assert all((array.std(axis=0) > 0).any() for array in views.arrays)


def test_zones_are_means_of_pixels():
    views = load_digits_views()[:5]
    images = views.view("pixels").reshape(5, 8, 8)
    np.testing.assert_allclose(views.view("zones")[:, 0], images[:, :2, :2].mean(axis=(1, 2)))
