"""What an installed package must be able to do: ``python smoke.py library`` without extras, ``command`` with cli and io."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import viewfuse as vf

VIEWS = vf.datasets.make_views(n_samples=150, n_clusters=3, random_state=0)


def library() -> None:
    for key, method in vf.METHODS.items():
        model = method(n_clusters=3, random_state=0).fit(VIEWS)
        assert vf.metrics.ari(VIEWS.y, model.labels_) == 1, key
    model = vf.AutoFusion(random_state=0).fit(VIEWS)
    assert model.n_clusters_ == 3
    again = vf.load(model.save("fit.model"))
    assert (again.predict(VIEWS) == model.labels_).all()


def command() -> None:
    np.savez("views.npz", **dict(zip(VIEWS.names, VIEWS.arrays, strict=True)))
    program = Path(sys.executable).with_name("viewfuse")
    ended = subprocess.run(
        [program, "cluster", "views.npz", "-k", "3", "-o", "labels.csv", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ended.stdout)["sizes"] == {"0": 50, "1": 50, "2": 50}
    assert len(Path("labels.csv").read_text().splitlines()) == 151


assert "site-packages" in vf.__file__, f"not the installed package: {vf.__file__}"
{"library": library, "command": command}[sys.argv[1]]()
print(f"viewfuse {vf.__version__}, {sys.argv[1]}: works in an empty environment")
