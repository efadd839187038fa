#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Regression on small tables: the zoo's tables with a number to predict, cut to few training records: as their schemas are,
with bounds alone, without public means, and with a range of the target that is four times as wide besides. Prints the
held-out squared error over that of predicting the mean of the training records, which nobody knows without privacy.

  bench/zoo/regression.py --tool build/release/bin/equinoise

Needs the tables of ../shared/data, or another folder with --data. Nothing here is private: runs are seeded."""

import argparse
import gzip
import json
import pathlib
import random
import re
import statistics
import subprocess
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
SIZES = (400, 1000, 3000)  # of training records, three quarters of the table
EPSILONS = (0.1, 0.3, 1, 3)
METHODS = ("dpsgd", "sufficient_statistics")
SCALES = ("as declared", "bounds alone", "bounds four times as wide")


def cut(table, data, size, scale, folder):
    """The schema and the table of a number of records; the same ones for all scales."""
    text = (HERE / table["schema"]).read_text()
    text = re.sub(r"\[\[public\.groups\]\][^\[]*", "", text)
    num_records = size * 4 // 3
    text = re.sub(r"num_records = [\d_]+", f"num_records = {num_records}", text, count=1)
    if scale != "as declared":
        text = re.sub(r'^(scale = "standard"|mean = .*|stddev = .*)\n', "", text, flags=re.M)
    if scale == "bounds four times as wide":
        parsed = tomllib.loads(text)
        lower, upper = parsed["columns"][parsed["target"]]["bounds"]
        head, name, rest = text.partition(f"[columns.{parsed['target']}]\n")
        text = head + name + re.sub(r"bounds = .*", f"bounds = [{lower}, {lower + 4 * (upper - lower)}]", rest, count=1)
    lines = gzip.open(data / table["data"], "rt").read().splitlines()
    rows = random.Random(1).sample(lines[1:], num_records)
    name = f"{table['name']}_{size}_{scale.replace(' ', '_')}"
    schema, csv = folder / f"{name}.toml", folder / f"{name}.csv"
    schema.write_text(text)
    csv.write_text("\n".join([lines[0], *rows]) + "\n")
    return schema, csv


def squared_error(tool, schema, csv, options):
    """Of held-out records, in the target's own units; null where the run is refused."""
    words = [tool, "train", "--schema", schema, "--data", csv, "--insecure-test-rng", "--json", "--quiet", "--threads", 1]
    done = subprocess.run([str(word) for word in (*words, *options)], capture_output=True, text=True)
    return json.loads(done.stdout)["overall"]["rmse"] ** 2 if done.returncode == 0 else None


def of_mean_alone(tool, schema, csv, seed):
    """squared_error of the training mean in the same split: of a table whose only feature says nothing."""
    parsed = tomllib.loads(schema.read_text())
    lower, upper = parsed["columns"][parsed["target"]]["bounds"]
    lines = csv.read_text().splitlines()
    column = [name.strip('"') for name in lines[0].split(",")].index(parsed["target"])
    alone, rows = schema.with_suffix(".alone.toml"), csv.with_suffix(".alone.csv")
    alone.write_text('schema = "equinoise/1"\ndataset = "alone"\nreviewed = true\ntarget = "target"\n'
                     f"[public]\nnum_records = {len(lines) - 1}\n"
                     f'[columns.target]\ntype = "numeric"\nbounds = [{lower}, {upper}]\n'
                     '[columns.nothing]\ntype = "numeric"\nbounds = [0, 1]\n')
    rows.write_text("target,nothing\n" + "".join(line.split(",")[column] + ",0\n" for line in lines[1:]))
    return squared_error(tool, alone, rows, ["--method", "sufficient_statistics", "--epsilon", 20, "--split-seed", seed,
                                               "--seed", 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/equinoise")
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parents[2] / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tables = [table for table in tomllib.loads((HERE / "tables.toml").read_text())["table"] if table["task"] == "number"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        around = {}
        cells = []
        for table in tables:
            for size in SIZES:
                for scale in SCALES:
                    files = cut(table, options.data, size, scale, folder)
                    if scale == SCALES[0]:
                        for seed in range(options.seeds):
                            around[table["name"], size, seed] = of_mean_alone(options.tool, *files, seed)
                    cells += [(table["name"], size, scale, method, epsilon, seed, files) for method in METHODS
                              for epsilon in EPSILONS for seed in range(options.seeds)]

        def run(cell):
            table, size, scale, method, epsilon, seed, files = cell
            found = squared_error(options.tool, *files, ["--method", method, "--epsilon", epsilon, "--split-seed", seed,
                                                         "--seed", seed + 1])
            return cell, None if found is None else found / around[table, size, seed]

        with ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(run, cells))
    print("| scale | training records | epsilon | " + " | ".join(f"{method}: mean, largest" for method in METHODS) + " |")
    print("|---" * (3 + len(METHODS)) + "|")
    for scale in SCALES:
        for size in SIZES:
            for epsilon in EPSILONS:
                row = [scale, str(size), str(epsilon)]
                for method in METHODS:
                    of = [ratio for cell, ratio in done if cell[1:5] == (size, scale, method, epsilon) and ratio is not None]
                    row.append(f"{statistics.geometric_mean(of):.3f}, {max(of):.2f}" if of else "-")
                print("| " + " | ".join(row) + " |")
    refused = sum(ratio is None for _, ratio in done)
    if refused:
        print(f"\n{refused} of {len(done)} runs were refused.")


if __name__ == "__main__":
    main()
