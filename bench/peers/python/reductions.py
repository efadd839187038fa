# SPDX-License-Identifier: Apache-2.0
"""Demographic parity by fairlearn's reductions, without privacy, beside raco_dp, sgda and dpsgd on Adult by sex.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/reductions.py
           --tool build/bench/bin/equinoise
The splits, slacks, features and figures are those of the item 004/figure2, which the tool runs for our methods. Of
fairlearn it is ExponentiatedGradient over scikit-learn's logistic regression. It bounds how far a sex is from
everybody, not from the other one, so it is given the slack times the share of the larger sex. Its classifier is a
mixture of models: errors and disparities are those that it has on average over its own draws. NOT PRIVATE.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from pathlib import Path

import numpy as np
import polars as pl
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from sklearn.linear_model import LogisticRegression
from tables import ROOT, SHARED

NUM_SEEDS = 5
MASK = (1 << 64) - 1


def mix(words):
    """The output function of SplitMix64."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def held_out(num_records, fraction, seed):
    """Which records equinoise/data/split.cc holds out."""
    gamma = 0x9E3779B97F4A7C15
    of_seed = mix(np.array([(seed + gamma) & MASK], dtype=np.uint64))
    hashes = mix(of_seed + np.arange(1, num_records + 1, dtype=np.uint64) * np.uint64(gamma))
    chosen = np.zeros(num_records, dtype=bool)
    chosen[np.argsort(hashes, kind="stable")[: int(num_records * fraction)]] = True
    return chosen


def adult():
    """Features as repro/tables/adult.toml encodes them, labels and sexes of the complete records."""
    schema = tomllib.loads((ROOT / "repro/tables/adult.toml").read_text(encoding="utf-8"))
    parts = [pl.read_csv(SHARED / f"data/adult_{part}.csv.gz") for part in ("train", "test")]
    frame = pl.concat(parts)
    frame = frame.filter(~pl.any_horizontal(pl.col(pl.String) == "?"))
    columns = []
    for name, column in schema["columns"].items():
        if column["type"] == "ignored" or name == schema["target"] or not column.get("feature", True):
            continue
        values = frame[name].to_numpy()
        if column["type"] == "numeric":
            columns.append((np.clip(values, *column["bounds"]) - column["mean"]) / column["stddev"])
        else:
            columns.extend((values == value).astype(float) for value in column["values"])
            if "unknown" in column:
                columns.append((~np.isin(values, column["values"])).astype(float))
    return (
        np.column_stack(columns),
        (frame[schema["target"]] == ">50K").to_numpy().astype(int),
        frame["sex"].to_numpy(),
    )


def reductions(features, labels, sexes, slack, seed):
    """Expected error in percent and disparity of held-out records, and seconds of the fit."""
    test = held_out(len(labels), 0.25, seed)
    shares = [np.mean(sexes[~test] == sex) for sex in ("Female", "Male")]
    model = ExponentiatedGradient(
        LogisticRegression(C=100, max_iter=500), DemographicParity(difference_bound=slack * max(shares)), eps=slack / 10
    )
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(features[~test], labels[~test], sensitive_features=sexes[~test])
    seconds = time.process_time() - begin
    positive = model._pmf_predict(features[test])[:, 1]
    error = 100 * np.mean(np.where(labels[test] == 1, 1 - positive, positive))
    rates = [np.mean(positive[sexes[test] == sex]) for sex in ("Female", "Male")]
    return error, abs(rates[0] - rates[1]), seconds


def ours(tool, seeds):
    """Rows of the item's report."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "figure2"
        subprocess.run(
            [tool, "reproduce", "004/figure2", "--data-dir", SHARED / "data", "--seeds", str(seeds), "--out", out,
             "--quiet"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    return {(row["method"], row["metric"]): row["ours"] for row in report["rows"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seeds", type=int, default=NUM_SEEDS)
    options = parser.parse_args()
    slacks = [0.2, 0.15, 0.1, 0.05, 0.02, 0.01]
    table = adult()
    print("| | " + " | ".join(map(str, slacks)) + " |\n|---|" + "---|" * len(slacks))
    seconds = []
    cells = []
    for slack in slacks:
        runs = [reductions(*table, slack, seed) for seed in range(options.seeds)]
        error, value, _ = (statistics.mean(each) for each in zip(*runs, strict=True))
        cells.append(f"{error:.2f} / {value:.4f}")
        seconds += [each[2] for each in runs]
        print(f"{slack}: {cells[-1]}", file=sys.stderr, flush=True)
    print(f"| fairlearn's reductions | {' | '.join(cells)} |")
    rows = ours(options.tool, options.seeds)
    for method in dict.fromkeys(method for method, _ in rows):
        cells = []
        for slack in slacks:
            # Without constraints there is one figure for all slacks.
            at = f" at {slack:g}" if (method, f"error at {slack:g}") in rows else ""
            has = at or slack == slacks[0]
            cells.append(f"{rows[method, 'error' + at]:.2f} / {rows[method, 'value' + at]:.4f}" if has else "")
        print(f"| {method} | {' | '.join(cells)} |")
    print(f"\nreductions: median of {statistics.median(seconds):.1f} CPU seconds for a fit")


if __name__ == "__main__":
    main()
