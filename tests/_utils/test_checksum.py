"""Checksums of views."""

import numpy as np
import scipy.sparse as sp

from viewfuse._utils.checksum import checksum


def test_the_checksum_depends_on_the_values_only():
    view = np.arange(6.0).reshape(3, 2)
    assert checksum(view) == checksum(np.asfortranarray(view))
    assert checksum(view) != checksum(view + 1)
    assert checksum(sp.csr_array(view)) == checksum(sp.csr_array(view.copy()))
