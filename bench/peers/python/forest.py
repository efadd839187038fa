# SPDX-License-Identifier: Apache-2.0
"""Paper 002's ranking with its own classifier, a random forest of 100 trees.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/forest.py
           --tool build/bench/bin/equinoise [--strata SEX] [--epsilon 0.1] [--seeds 5]
Splits, columns and settings of the rows are those of 002/ranking_as_run, with models by strata: MST and AIM have the
printed epsilon, GEM what the authors' runs spend for it. The forest is scikit-learn's with its defaults on the numbers
of codes. Published figures are those of 002/figure4. NOT PRIVATE.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import polars as pl
from reductions import held_out
from sklearn.ensemble import RandomForestClassifier
from tables import ROOT, SHARED

SPENT = {0.01: 0.417, 0.05: 2.24, 0.1: 4.71, 0.5: 30.0, 1: 74.5, 5: 935}
GEM = ["--method", "gem", "--degree", "3", "--rounds", "100", "--query-form", "cell"]
TARGET = "ESR"


def synthetic_rows(tool, folder, options, seed):
    subprocess.run(
        [tool, "synth", "--schema", folder / "schema.toml", "--data", folder / "train.csv", "--out", folder / "out",
         "--delta", "1e-9", "--bins", "16", "--number-share", "0", "--max-model-size", "1", "--strata", "independent",
         "--insecure-test-rng", "--seed", str(seed), "--public-data", "--drop-incomplete", "--force", *options],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return pl.read_csv(folder / "out/rows.csv").drop_nulls()  # a few cells that noise made missing


def accuracy(rows, test, seed):
    """The share of right predictions of a forest that is trained on the rows."""
    forest = RandomForestClassifier(100, random_state=seed)
    columns = [name for name in rows.columns if name != TARGET]
    forest.fit(rows[columns].to_numpy(), rows[TARGET].to_numpy())
    return (forest.predict(test[columns].to_numpy()) == test[TARGET].to_numpy()).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--strata", choices=["SEX", "RAC1P"], default="SEX")
    parser.add_argument("--epsilon", type=float, choices=list(SPENT), default=0.1)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    frame = pl.read_csv(SHARED / "data/acs_employment_MA_2015_2018.csv.gz")
    schema = (ROOT / "repro/tables/acs_employment_11.toml").read_text(encoding="utf-8")
    item = tomllib.loads((ROOT / "repro/002/figure4.toml").read_text(encoding="utf-8"))
    budget = ["--stratify", options.strata, "--epsilon"]
    methods = {
        "mst": ["--method", "mst", *budget, str(options.epsilon)],
        "aim": ["--method", "aim", *budget, str(options.epsilon)],
        "gem": [*GEM, *budget, str(SPENT[options.epsilon])],
    }
    found = {name: [] for name in methods}
    for seed in range(options.seeds):
        tested = held_out(len(frame), 0.29, seed)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            frame.filter(~tested).write_csv(folder / "train.csv")
            (folder / "schema.toml").write_text(
                schema.replace(str(len(frame)), str(int((~tested).sum()))), encoding="utf-8"
            )
            for method, of_method in methods.items():
                rows = synthetic_rows(options.tool, folder, of_method, seed)
                found[method].append(accuracy(rows, frame.filter(tested), seed))
                print(f"seed {seed}, {method}: {found[method][-1]:.4f}", file=sys.stderr, flush=True)
    print("| | published | here |\n|---|---|---|")
    for method, values in found.items():
        name, metric = f"{method} by {options.strata}", f"accuracy at {options.epsilon:g}"
        published = item["methods"][name]["published"][metric]
        error = statistics.stdev(values) / len(values) ** 0.5
        print(f"| {name}, {metric} | {published} | {statistics.mean(values):.4f} +- {error:.4f} |")


if __name__ == "__main__":
    main()
