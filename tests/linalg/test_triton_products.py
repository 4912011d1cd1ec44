"""Products of a large matrix with a narrow block on CUDA devices."""

import os
import subprocess
import sys

import numpy as np
import pytest

from viewfuse._utils.device import has_fast_tf32

PRODUCTS = """
import torch
from viewfuse.linalg.triton_products import MOST_COLUMNS, narrow_product

generator = torch.Generator().manual_seed(0)
for rows, terms, width in ((130, 70, 3), (64, 64, 16), (5, 200, MOST_COLUMNS), (70, 1, 20)):
    matrix = torch.rand((rows, terms + 3), generator=generator)[:, :terms]
    block = torch.randn((terms, width), generator=generator)
    torch.testing.assert_close(narrow_product(matrix, block), matrix @ block, atol=1e-5, rtol=1e-5)
"""


def test_narrow_products_are_those_of_the_library():
    """By Triton's interpreter, on the processor."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("triton", reason="Triton is not installed")
    subprocess.run([sys.executable, "-c", PRODUCTS], check=True, env={**os.environ, "TRITON_INTERPRET": "1"})


def test_only_single_precision_on_cuda_devices_uses_the_kernel(xp):
    assert not has_fast_tf32(xp.asarray(np.ones((2, 2), dtype=np.float32)))
