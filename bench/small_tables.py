# SPDX-License-Identifier: Apache-2.0
"""What the default batch and number of steps do on small tables: test loss beside that of 3000 steps of at most 512 records.

Usage: /usr/bin/python3 bench/small_tables.py [path of equinoise]. Samples of eight tables of the shared data
(EQUINOISE_SHARED, or ../shared beside the project), schemas as drafted, three splits and seeds each; about a minute.
"""

import concurrent.futures
import csv
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DATA = os.path.join(os.environ.get("EQUINOISE_SHARED", os.path.join(ROOT, "../shared")), "data")
TABLES = {
    "adult_train": "income",
    "compas_two_years": "two_year_recid",
    "credit_default": "default_payment",
    "law_school_lequy": "pass_bar",
    "german_credit": "credit_risk",
    "dutch_census_2001": "occupation",
    "heart_brfss2015": "HeartDiseaseorAttack",
    "acs_income_2018_AL": "PINCP",
}
SIZES = (100, 404, 1000, 2500)
EPSILONS = ("0.3", "1", "3", "10", None)  # None: not private
SEEDS = ("1", "2", "3")


def sample(binary, table, size):
    """Writes a sample and its schema; False where the table is smaller."""
    with gzip.open(os.path.join(DATA, table + ".csv.gz"), "rt", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    if size > len(rows):
        return False
    name = f"{table}-{size}"
    with open(name + ".csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head] + random.Random(size).sample(rows, size))
    draft = [binary, "schema", "draft", "--data", name + ".csv", "--target", TABLES[table]]
    schema = subprocess.run(draft, capture_output=True, text=True, check=True).stdout
    with open(name + ".toml", "w", encoding="utf-8") as file:
        file.write(schema.replace("reviewed = false", "reviewed = true"))
    return True


def loss(binary, table, size, epsilon, seed, more):
    name = f"{table}-{size}"
    out = "-".join([name, str(epsilon), seed, str(len(more))])
    method = ["--method", "dpsgd", "--epsilon", epsilon] if epsilon else ["--method", "sgd"]
    done = subprocess.run(
        [binary, "train", "--schema", name + ".toml", "--data", name + ".csv", "--delta", "1e-4", "--insecure-test-rng",
         "--seed", seed, "--split-seed", seed, "--out", out, "--json", "--quiet", "--threads", "1", *method, *more],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)["overall"]["loss"]


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/bin/equinoise"))
    os.chdir(tempfile.mkdtemp())
    print("| records | epsilon | loss by default, over the tables | with 3000 steps | tables where it is less |")
    print("|---|---|---|---|---|")
    for size in SIZES:
        tables = [table for table in TABLES if sample(binary, table, size)]
        fixed = ["--steps", "3000", "--batch-size", str(min(512, size - size // 4))]
        for epsilon in EPSILONS:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                both = [
                    [
                        statistics.mean(pool.map(lambda s, t=t, m=m: loss(binary, t, size, epsilon, s, m), SEEDS))
                        for t in tables
                    ]
                    for m in ([], fixed)
                ]
            ranges = [f"{min(losses):.2f} to {max(losses):.2f}" for losses in both]
            fewer = sum(default < other for default, other in zip(*both))
            print(f"| {size} | {epsilon or 'none'} | {ranges[0]} | {ranges[1]} | {fewer} of {len(tables)} |", flush=True)


if __name__ == "__main__":
    main()
