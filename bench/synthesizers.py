# SPDX-License-Identifier: Apache-2.0
"""Synthetic rows of Adult beside what other programs were measured to do: seconds and errors, and their ratios.

Usage: /usr/bin/python3 bench/synthesizers.py [path of equinoise]. Epsilon 1, delta 1e-9, three seeds of each method.
Tables and the others' figures are shared vectors: EQUINOISE_SHARED, or ../shared beside the project.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
VECTORS = os.path.join(os.environ.get("EQUINOISE_SHARED", os.path.join(ROOT, "../shared")), "vectors/pgm")
SEEDS = (101, 102, 103)


def read_table(path, columns):
    with open(path, encoding="ascii") as file:
        head = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return rows[:, [head.index(column) for column in columns]]


def errors(real, rows, sizes):
    """The mean over all triples of half the L1 distance, and the largest error of one of their cells."""
    distances, largest = [], 0.0
    for triple in itertools.combinations(range(len(sizes)), 3):
        cells = [sizes[i] for i in triple]
        shares = [
            np.bincount(np.ravel_multi_index(table[:, triple].T, cells), minlength=np.prod(cells)) / len(table)
            for table in (real, rows)
        ]
        difference = np.abs(shares[0] - shares[1])
        distances.append(difference.sum() / 2)
        largest = max(largest, difference.max())
    return np.mean(distances), largest


def run(binary, method, data, options):
    domain_path = f"{VECTORS}/{data}-domain.json"
    with open(domain_path, encoding="ascii") as file:
        domain = json.load(file)
    real = read_table(f"{VECTORS}/{data}.csv", domain)
    found = []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            command = [binary, "synth", "--domain", domain_path, "--data", f"{VECTORS}/{data}.csv",
                       "--num-records", str(len(real)), "--method", method, "--epsilon", "1", "--delta", "1e-9",
                       "--out", f"{folder}/rows", "--insecure-test-rng", "--seed", str(seed), "--quiet", *options]
            begin = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
            seconds = time.monotonic() - begin
            rows = read_table(f"{folder}/rows/rows.csv", domain)
        found.append((seconds, *errors(real, rows, list(domain.values()))))
    return np.mean(found, axis=0)


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/release/bin/equinoise")
    if not os.path.exists(VECTORS):
        print("skipped: no shared vectors; set EQUINOISE_SHARED to their folder")
        return
    with open(f"{VECTORS}/targets.json", encoding="ascii") as file:
        targets = json.load(file)["runs"]
    print("method data     seconds  others  ratio   TV3  others  largest error of a cell  others")
    for method, data, options in (("mst", "adult14", ()), ("aim", "adult14", ()), ("aim", "adult13", ()),
                                  ("gem", "adult13", ("--rounds", "100"))):
        other = [target for target in targets if target["mech"].lower() == method and target["eps"] == 1
                 and target["data"].startswith(data) and target.get("T", 100) == 100]
        if method == "gem":
            seconds, tv3, largest = other[0]["fit_wall_s"], other[0]["err"][0]["tv_mean"], other[0]["err"][0]["max_err"]
        else:
            # Of some runs the wall time was disturbed; seconds of the processor were not.
            seconds, largest = (np.mean([target["cpu_s"] for target in other]), None)
            tv3 = np.mean([target["tv"]["3"] for target in other])
        ours = run(binary, method, data, options)
        print(f"{method:6} {data} {ours[0]:8.2f} {seconds:7.1f} {seconds / ours[0]:6.0f} {ours[1]:.4f}   {tv3:.4f}"
              f" {ours[2]:24.4f} {'-' if largest is None else f'{largest:.4f}':>7}", flush=True)


main()
