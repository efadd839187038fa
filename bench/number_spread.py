# SPDX-License-Identifier: Apache-2.0
"""What rows lose and gain by what `synth` releases of how numbers are spread: the table of docs/evidence/synthetic-data.md.

Usage: /usr/bin/python3 bench/number_spread.py [path of equinoise [table ...]]. Schemas as drafted, `aim --degree 2`,
epsilon 1, three seeds (one of large tables), without (`--number-share 0`) and with it, gaps filled in both.
Tables are shared data: EQUINOISE_SHARED, or ../shared beside the project.
"""

import csv
import gzip
import os
import re
import subprocess
import sys
import tempfile
import tomllib

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DATA = os.path.join(os.environ.get("EQUINOISE_SHARED", os.path.join(ROOT, "../shared")), "data")
TABLES = ("german_credit", "abalone", "parkinsons_updrs", "compas_two_years", "law_school_bar", "acs_income_2018_AL",
          "acs_nist_national2019", "credit_default", "adult_train", "heart_brfss2015", "acs_income_2018_states")
LARGE = 200_000  # records, from which one seed is enough
LEAST_GROUP = 1000


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        rows = list(csv.reader(file))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return np.nan


def numbers(table, schema):
    found = {}
    for name, column in schema["columns"].items():
        if column["type"] != "numeric" or isinstance(column["bounds"][0], str):
            continue
        low, high = column["bounds"]
        if "bin_edges" in column or (column.get("whole") and high - low < 32):
            continue
        found[name] = np.clip([number(cell) for cell in table[name]], low, high)
    return found


def pair_error(binary, path, schema_path, rows_path):
    """The mean total variation of all pairs of columns between a table and rows."""
    told = subprocess.run([binary, "synth", "evaluate", "--schema", schema_path, "--real", path, "--synthetic",
                           rows_path, "--degree", "2", "--missing", "fill", "--quiet"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    return float(re.search(r"workload error ([0-9.]+)", told).group(1))


def run(binary, path, schema_path, schema, real, seed, options):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "synth", "--schema", schema_path, "--data", path, "--method", "aim", "--degree", "2",
                        "--max-model-size", "3", "--epsilon", "1", "--out", f"{folder}/rows", "--insecure-test-rng",
                        "--seed", str(seed), "--threads", "1", "--missing", "fill", "--quiet", *options],
                       check=True, stdout=subprocess.DEVNULL)
        pairs = pair_error(binary, path, schema_path, f"{folder}/rows/rows.csv")
        rows = read(f"{folder}/rows/rows.csv")
    before, after = numbers(real, schema), numbers(rows, schema)
    deviation = {name: np.nanstd(values) for name, values in before.items()}

    def distances(of_real, of_rows):
        return [abs(np.nanmean(before[name][of_real]) - np.nanmean(after[name][of_rows])) / deviation[name]
                for name in before if np.isfinite(before[name][of_real]).any()
                and np.isfinite(after[name][of_rows]).any()]

    means = distances(slice(None), slice(None))
    groups = []
    for name, column in schema["columns"].items():
        if column["type"] != "categorical":
            continue
        of_real, of_rows = np.array(real[name]), np.array(rows[name])
        for value, count in zip(*np.unique(of_real, return_counts=True)):
            if count >= LEAST_GROUP:
                groups += distances(of_real == value, of_rows == value)
    return pairs, np.mean(means) if means else np.nan, np.mean(groups) if groups else np.nan


def drafted_schema(binary, path, folder, *options):
    """The path of the schema that is drafted of a table, accepted as it is, and what it says."""
    schema_path = f"{folder}/schema.toml"
    subprocess.run([binary, "schema", "draft", "--data", path, "--out", schema_path, *options],
                   check=True, stdout=subprocess.DEVNULL)
    with open(schema_path, encoding="utf-8") as file:
        text = file.read().replace("\nreviewed = false", "\nreviewed = true")
    with open(schema_path, "w", encoding="utf-8") as file:
        file.write(text)
    return schema_path, tomllib.loads(text)


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/release/bin/equinoise")
    print("| table | people | pairs | means | means of groups |\n|---|---|---|---|---|")
    for table in sys.argv[2:] or TABLES:
        path = f"{DATA}/{table}.csv.gz"
        real = read(path)
        with tempfile.TemporaryDirectory() as folder:
            schema_path, schema = drafted_schema(binary, path, folder)
            count = schema["public"]["num_records"]
            seeds = (1,) if count >= LARGE else (1, 2, 3)
            ways = [np.mean([run(binary, path, schema_path, schema, real, seed, options) for seed in seeds], axis=0)
                    for options in (["--number-share", "0"], [])]
        cells = [f"{old:.2g} -> {new:.2g}" if np.isfinite(old) else "" for old, new in zip(*ways)]
        print(f"| {table} | {count:,} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
