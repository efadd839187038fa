#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mean residual on the zoo's tables with a number to predict: for each method and epsilon, over tables and splits, the
mean error of held-out records, of everybody and of the group where it is largest, over the root mean squared error, without
and with it; and the squared error of everybody and of the worst group with it over that without.

  bench/zoo/intercepts.py --tool build/release/bin/equinoise

Needs the tables of ../shared/data, or another folder with --data. Nothing here is private: runs are seeded."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tomllib
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
EPSILONS = (0.3, 1, 3, 8)
METHODS = ("dpsgd", "balanced", "mgr_w", "dpse")
LEAST = 75  # held-out records of a group that is looked at
SHARES = ([], ["--residual-share", 0])  # with the mean residual and without it


def figures(tool, data, table, method, epsilon, seed, share):
    """Of held-out records: mean error and largest one of a group, over the root mean squared error; squared errors."""
    words = [tool, "train", "--schema", HERE / table["schema"], "--data", data / table["data"], "--method", method,
             "--groups", ",".join(table["groups"][1]), "--epsilon", epsilon, "--split-seed", seed, "--seed", seed,
             "--insecure-test-rng", "--json", "--quiet", "--threads", 1, *share]
    if method == "mgr_w":
        words += ["--objective", "worst-group"]
    report = json.loads(subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout)
    everybody = report["overall"]
    groups = [group for group in report["groups"] if group["num_records"] >= LEAST]
    return (abs(everybody["mean_error"]) / everybody["rmse"],
            max(abs(group["mean_error"]) for group in groups) / everybody["rmse"],
            everybody["rmse"] ** 2, max(group["rmse"] for group in groups) ** 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/equinoise")
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parents[2] / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tables = [table for table in tomllib.loads((HERE / "tables.toml").read_text())["table"] if table["task"] == "number"]
    print("| method | epsilon | mean error without, with | of a group without, with | squared error | of the worst group |")
    print("|---|---|---|---|---|---|")
    with ThreadPoolExecutor(options.jobs) as pool:
        for method in METHODS:
            for epsilon in EPSILONS:
                cells = [(table, seed) for table in tables for seed in range(1, options.seeds + 1)]

                def run(cell, share, method=method, epsilon=epsilon):
                    return figures(options.tool, options.data, cell[0], method, epsilon, cell[1], share)

                with_it, without = ([*zip(*pool.map(lambda cell, s=share: run(cell, s), cells), strict=True)]
                                    for share in SHARES)
                means = [f"{statistics.mean(without[i]):.3f}, {statistics.mean(with_it[i]):.3f}" for i in (0, 1)]
                ratios = [f"{statistics.geometric_mean(w / o for w, o in zip(with_it[i], without[i], strict=True)):.4f}"
                          for i in (2, 3)]
                print(f"| {method} | {epsilon} | " + " | ".join(means + ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
