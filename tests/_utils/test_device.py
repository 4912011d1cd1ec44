"""Where an array is."""

import numpy as np
import pytest

from viewfuse._utils.device import is_on_accelerator


def test_only_arrays_outside_the_processors_memory_are_on_an_accelerator():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    assert not is_on_accelerator(np.zeros(2))
    assert not is_on_accelerator(torch.zeros(2))
    assert is_on_accelerator(torch.zeros(2, device="meta"))
