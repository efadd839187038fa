#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Additive models: what dpgam loses on held-out records over what dpsgd does, and over itself without pairs, on every table of
the zoo, and their errors on the bundled Adult beside gam, which is not private. Means of five splits, of which a fifth is held out;
delta is 1e-6.

  bench/zoo/additive.py --tool build/release/bin/equinoise

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
SPLITS = range(5)


def outcome(tool, schema, csv, method, epsilon, split, *more):
    """Loss and error of held-out records; the error is null of a regression."""
    words = [tool, "train", "--schema", schema, "--data", csv, "--method", method, "--test-fraction", 0.2, "--split-seed", split,
             "--insecure-test-rng", "--seed", split + 1, "--json", "--quiet", "--threads", 1, *more]
    if epsilon is not None:
        words += ["--epsilon", epsilon, "--delta", 1e-6]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    overall = json.loads(done.stdout)["overall"]
    return overall["loss"], overall.get("error")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/equinoise")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        def means(schema, csv, method, epsilon, *more):
            runs = pool.map(lambda split: outcome(arguments.tool, schema, csv, method, epsilon, split, *more), SPLITS)
            return [statistics.mean(values) if None not in values else None for values in zip(*runs)]

        adult = HERE.parent.parent / "data" / "adult"
        print("| error % | epsilon " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " | without privacy |")
        print("|---" * (len(EPSILONS) + 2) + "|")
        for method, reference in (("dpgam", "gam"), ("dpsgd", "sgd")):
            errors = [means(adult / "schema.toml", adult / "adult.csv.gz", method, epsilon)[1] for epsilon in EPSILONS]
            errors.append(means(adult / "schema.toml", adult / "adult.csv.gz", reference, None)[1])
            print(f"| `{method}` | " + " | ".join(f"{100 * error:.1f}" for error in errors) + " |", flush=True)
        print()
        print("| loss over that of `dpsgd` (over that without pairs) | epsilon " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " |")
        print("|---" * (len(EPSILONS) + 1) + "|")
        for table in tomllib.loads((HERE / "tables.toml").read_text())["table"]:
            cells = []
            for epsilon in EPSILONS:
                ways = (("dpgam",), ("dpsgd",), ("dpgam", "--pairs", "none"))
                private, usual, without = (means(HERE / table["schema"], arguments.data / table["data"], method, epsilon, *more)[0]
                                           for method, *more in ways)
                cells.append(f"{private / usual:.3f} ({private / without:.3f})")
            print(f"| {table['name']} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
