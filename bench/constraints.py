# SPDX-License-Identifier: Apache-2.0
"""How constraints end on other tables: the released model's values, by both rules for multipliers, and the warning.

Usage: python3 bench/constraints.py DATA_FOLDER [path of equinoise] [seeds] [names of tables]. DATA_FOLDER holds
compas_two_years.csv.gz and so on, as listed in TABLES; those that are missing are left out. Runs are seeded, so that
anyone gets the same figures; they are not private. For each run it prints the largest value of any constraint of the
released model on the held-out records less its slack, that on the records of training, the model's accuracy, and
whether training said that steps vary more than noise explains. At the end come means by table and rule.
"""

import collections
import csv
import gzip
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# File, target, group, columns that are used (empty: all), every n-th row.
TABLES = {
    "compas": (
        "compas_two_years.csv.gz",
        "two_year_recid",
        "sex",
        "sex age race juv_fel_count juv_misd_count juv_other_count priors_count c_charge_degree two_year_recid",
        1,
    ),
    "adult": ("adult_train.csv.gz", "income", "sex", "", 1),
    "dutch": ("dutch_census_2001.csv.gz", "occupation", "sex", "", 2),
    "credit": ("credit_default.csv.gz", "default_payment", "SEX", "", 1),
    "heart": ("heart_brfss2015.csv.gz", "HeartDiseaseorAttack", "Sex", "", 10),
    "law": ("law_school_lequy.csv.gz", "pass_bar", "race", "", 1),
    "acs": ("acs_income_2018_AL.csv.gz", "PINCP", "SEX", "", 1),
}
CONSTRAINTS = ("demographic_parity:{}:0.05", "equalized_odds:{}:0.05", "fnr:0.1")
RULES = {"step": [], "mean, tail 0.5": ["--multipliers", "mean", "--tail-average", "0.5"]}
EPSILONS = (1, 3, 8)


def run(binary, *words):
    done = subprocess.run([binary, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def prepare(folder, name, binary, to):
    """The table's columns without rows that lack a value, and a draft of its schema."""
    file, target, _, columns, every = TABLES[name]
    with gzip.open(os.path.join(folder, file), "rt", encoding="ascii") as stream:
        rows = list(csv.DictReader(stream))
    kept = columns.split() or list(rows[0])
    rows = [row for row in rows[::every] if all(row[column] not in ("", "?") for column in kept)]
    table = os.path.join(to, name + ".csv")
    with open(table, "w", encoding="ascii") as stream:
        writer = csv.DictWriter(stream, kept, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    schema = os.path.join(to, name + ".toml")
    run(binary, "schema", "draft", "--data", table, "--target", target, "--out", schema, "--quiet")
    return table, schema


def excess(constraints):
    return max(row["value"] - row["slack"] for row in constraints)


def train(binary, table, schema, to, constraint, epsilon, seed, options):
    out = os.path.join(to, "model")
    report = json.loads(
        run(
            binary, "train", "--schema", schema, "--data", table, "--public-data", "--method", "raco_dp",
            "--constraint", constraint, "--epsilon", str(epsilon), "--delta", "1e-5", "--insecure-test-rng", "--seed",
            str(seed), "--split-seed", str(seed), "--out", out, "--force", "--quiet", "--json", *options,
        )
    )  # fmt: skip
    audit = json.loads(run(binary, "audit", "--model", out, "--data", table, "--quiet", "--json"))
    warned = any("vary more than noise" in note for note in report["ingest"] + report["warnings"])
    accuracy = report["overall"]["accuracy"]
    return excess(report["constraints"]), excess(audit["constraints"]), accuracy, warned


def main():
    folder = sys.argv[1]
    binary = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "build/dev/bin/equinoise")
    seeds = range(int(sys.argv[3]) if len(sys.argv) > 3 else 3)
    names = [n for n in sys.argv[4:] or TABLES if os.path.exists(os.path.join(folder, TABLES[n][0]))]
    found = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as to:
        for name in names:
            table, schema = prepare(folder, name, binary, to)
            for form, epsilon, seed, (rule, options) in itertools.product(
                CONSTRAINTS, EPSILONS, seeds, RULES.items()
            ):
                constraint = form.format(TABLES[name][2])
                held_out, in_all, accuracy, warned = train(
                    binary, table, schema, to, constraint, epsilon, seed, options
                )
                found[name, constraint.split(":")[0], rule].append((held_out, in_all, accuracy, warned))
                print(
                    f"{name} {constraint} epsilon {epsilon} seed {seed}, {rule}: held out {held_out:+.3f}, "
                    f"all {in_all:+.3f}, accuracy {accuracy:.4f}{', warned' if warned else ''}",
                    flush=True,
                )
    print("\ntable, constraint, multipliers: runs, mean and largest of value less slack over all records, "
          "runs beyond 0.03, mean accuracy, warnings")  # fmt: skip
    for key, runs in found.items():
        values = [each[1] for each in runs]
        print(
            f"{', '.join(key)}: {len(runs)}, {statistics.mean(values):+.3f}, {max(values):+.3f}, "
            f"{sum(value > 0.03 for value in values)}, {statistics.mean(each[2] for each in runs):.4f}, "
            f"{sum(each[3] for each in runs)}"
        )


if __name__ == "__main__":
    main()
