# SPDX-License-Identifier: Apache-2.0
"""All 364 triples of Adult (14 coded columns) in NumPy, as an expert would write it: bincount of combined keys, one thread.

Same work as bench/marginal_counts.cc. Prints milliseconds, the best of several rounds.
"""

import itertools
import json
import os
import pathlib
import time

import numpy as np

folder = pathlib.Path(os.environ.get("EQUINOISE_SHARED", pathlib.Path(__file__).parents[2] / "../shared")) / "vectors/pgm"
for name in ("adult14", "adult13"):
    if not folder.exists():
        print(f"{name}: no shared vectors")
        continue
    sizes = list(json.loads((folder / f"{name}-domain.json").read_text()).values())
    columns = np.loadtxt(folder / f"{name}.csv", delimiter=",", skiprows=1, dtype=np.int64).T.copy()

    def count():
        total = 0
        for a, b in itertools.combinations(range(len(sizes)), 2):
            keys = columns[a] * sizes[b] + columns[b]
            for c in range(b + 1, len(sizes)):
                cells = sizes[a] * sizes[b] * sizes[c]
                total += np.bincount(keys * sizes[c] + columns[c], minlength=cells).max()
        return total

    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        count()
        best = min(best, time.process_time() - start)
    print(f"{name}: {best * 1e3:.1f} ms")
