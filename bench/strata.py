# SPDX-License-Identifier: Apache-2.0
"""Strata that share a model against one model of everybody: the tables of "Strata and accuracy" in docs/evidence/synthetic-data.md.

Usage: /usr/bin/python3 bench/strata.py [path of equinoise [table ...]] [-- options of synth]. Schemas as drafted with
sizes of groups, all pairs, epsilon 1, delta 1e-9, five seeds. For groups of each size: the mean error of pairs in the
group as a multiple of what it is without strata, and by how much the mean of a column is off, relative to the
truth. `--independent` among the options also runs strata that share nothing, with `--min-stratum 400`.
Tables are shared data: EQUINOISE_SHARED, or ../shared beside the project.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from number_spread import DATA, ROOT, drafted_schema

TABLES = {"acs_nist_national2019": ("SEX,RAC1P", "PINCP"), "adult_train": ("sex,race", "hours_per_week"),
          "compas_two_years": ("race", "priors_count"), "law_school_bar": ("race", "lsat"),
          "acs_income_2018_AL": ("SEX,RAC1P", "WKHP"), "credit_default": ("SEX,EDUCATION", "LIMIT_BAL")}
METHODS = ("aim", "mst", "swift")
SEEDS = (1, 2, 3, 5, 6)
SIZES = ((3000, np.inf), (1000, 3000), (300, 1000), (30, 300))


def groups_of(binary, path, schema, by, column, options):
    """Of each group, in the order of the report: records, error of pairs, relative error of the mean of the column."""
    with tempfile.TemporaryDirectory() as folder:
        common = [binary, "synth", "--schema", schema, "--data", path, "--epsilon", "1", "--delta", "1e-9", "--out",
                  f"{folder}/rows", "--insecure-test-rng", "--threads", "1", "--quiet"]
        subprocess.run([*common, *options], check=True, stdout=subprocess.DEVNULL)
        told = subprocess.run([binary, "synth", "evaluate", "--schema", schema, "--real", path, "--synthetic",
                               f"{folder}/rows/rows.csv", "--degree", "2", "--by", by, "--json", "--quiet"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
    found = []
    for group in json.loads(told)["parity"]["groups"]:
        real, synthetic = group["real_means"][column], group["synthetic_means"][column]
        mean = abs(synthetic / real - 1) if real and synthetic is not None else np.nan
        found.append((group["real_records"], group["workload_error"], mean))
    return np.array(found, dtype=float)


def main():
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    arguments, options = arguments[:cut], arguments[cut + 1:]
    forms = {"none": [], "shared": ["--strata", "shared"]}
    if "--independent" in options:
        options.remove("--independent")
        forms["independent"] = ["--strata", "independent", "--min-stratum", "400"]
    binary = os.path.abspath(arguments[0] if arguments else f"{ROOT}/build/release/bin/equinoise")
    sizes = " | ".join(f"{low} to {high}" if high < np.inf else f"{low} and more" for low, high in SIZES)
    print(f"| table | method | strata | figure | {sizes} | worst |\n|---|---|---|---|" + "---|" * (len(SIZES) + 1))
    for table in arguments[1:] or TABLES:
        path, (by, column) = f"{DATA}/{table}.csv.gz", TABLES[table]
        with tempfile.TemporaryDirectory() as folder:
            schema, _ = drafted_schema(binary, path, folder, "--groups", by)
            for method in METHODS:
                found = {}
                for form, strata in forms.items():
                    stratified = ["--stratify", by, *strata] if strata else []
                    degree = [] if method == "mst" else ["--degree", "2"]
                    found[form] = np.nanmean(
                        [groups_of(binary, path, schema, by, column,
                                   ["--method", method, "--seed", str(seed), *degree,
                                                              *stratified, *options]) for seed in SEEDS], axis=0)
                records, plain, _ = found["none"].T
                for form in forms:
                    _, pairs, means = found[form].T
                    lines = [(f"mean of {column}", means)]
                    if form != "none":
                        lines.insert(0, ("pairs, over none", pairs / plain))
                    for name, values in lines:
                        cells = [values[(records >= low) & (records < high)] for low, high in SIZES]
                        text = " | ".join(f"{np.nanmean(cell):.2f}" if len(cell) else "-" for cell in cells)
                        worst = np.nanmax(values[records >= SIZES[-1][0]])
                        print(f"| {table} | {method} | {form} | {name} | {text} | {worst:.2f} |", flush=True)


if __name__ == "__main__":
    main()
