#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of dpgam on made tables: 14 columns, the class or number from all of them, and three pairs that act together (a product of
two numbers, an exclusive or of two categories, a slope of a number within a category), or none. Prints how many of the three
are chosen, how many others, and the loss over that without pairs. Means over the seeds; delta is 1e-6.

  bench/zoo/pairs.py --tool build/release/bin/equinoise

Needs NumPy. Nothing here is private: runs are seeded."""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy

EPSILONS = (0.3, 1, 3, 8)
PLANTED = [{"x0", "x1"}, {"c0", "c1"}, {"x2", "c2"}]


def write_table(folder, size, is_number, has_pairs, seed):
    """The schema's and the table's path."""
    draw = numpy.random.default_rng(seed)
    x = draw.uniform(-1.7, 1.7, (size, 10))
    c = draw.integers(0, (3, 3, 2, 4), (size, 4))
    score = x @ [0.8, -0.5, 0.3, 0.6, 0, 0, 0.4, 0, 0, 0.2] + 0.5 * numpy.abs(x[:, 4]) + 0.4 * (c[:, 3] == 1) - 0.3
    if has_pairs:
        score += 0.5 * x[:, 0] * x[:, 1] + numpy.where(c[:, 0] == c[:, 1], 0.6, -0.3) + 0.5 * x[:, 2] * numpy.where(c[:, 2], 1, -1)
    if is_number:
        target = numpy.clip(score + draw.normal(size=size), -9, 9).round(3).astype(str)
        kind = 'type = "numeric"\nbounds = [-9.0, 9.0]'
    else:
        target = numpy.where(draw.random(size) < 1 / (1 + numpy.exp(-score)), "yes", "no")
        kind = 'type = "categorical"\nvalues = ["no", "yes"]'
    name = f"{'number' if is_number else 'classes'}_{size}_{int(has_pairs)}_{seed}"
    lines = ['schema = "equinoise/1"', f'dataset = "{name}"', "reviewed = true", 'target = "y"', "[public]", f"num_records = {size}"]
    for j in range(10):
        lines += [f"[columns.x{j}]", 'type = "numeric"', "bounds = [-1.7, 1.7]"]
    for j, width in enumerate((3, 3, 2, 4)):
        lines += [f"[columns.c{j}]", 'type = "categorical"', "values = [" + ", ".join(f'"v{k}"' for k in range(width)) + "]"]
    lines += ["[columns.y]", kind]
    (folder / f"{name}.toml").write_text("\n".join(lines) + "\n")
    columns = [x[:, j].round(3).astype(str) for j in range(10)] + [numpy.char.add("v", c[:, j].astype(str)) for j in range(4)] + [target]
    head = ",".join([f"x{j}" for j in range(10)] + [f"c{j}" for j in range(4)] + ["y"])
    (folder / f"{name}.csv").write_text(head + "\n" + "\n".join(map(",".join, zip(*columns))) + "\n")
    return folder / f"{name}.toml", folder / f"{name}.csv"


def run(tool, paths, epsilon, seed, pairs):
    words = [tool, "train", "--schema", paths[0], "--data", paths[1], "--method", "dpgam", "--epsilon", epsilon, "--delta", 1e-6, "--pairs",
             pairs, "--insecure-test-rng", "--seed", seed, "--json", "--quiet", "--threads", 1]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    report = json.loads(done.stdout)
    return report["overall"]["loss"], [set(term["columns"]) for term in report["terms"] if len(term["columns"]) == 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bin/equinoise")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    print("| target, records, planted pairs | epsilon " + " | ".join(f"{epsilon:g}" for epsilon in EPSILONS) + " |")
    print("|---" * (len(EPSILONS) + 1) + "|")
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(arguments.jobs) as pool:
        for is_number in (False, True):
            for size in (3000, 30_000):
                for has_pairs in (True, False):
                    paths = [write_table(pathlib.Path(name), size, is_number, has_pairs, seed) for seed in range(arguments.seeds)]
                    cells = []
                    for epsilon in EPSILONS:
                        auto, none = (list(pool.map(lambda seed: run(arguments.tool, paths[seed], epsilon, seed + 1, way),
                                                    range(arguments.seeds))) for way in ("auto", "none"))
                        found = statistics.mean(sum(pair in PLANTED for pair in pairs) for _, pairs in auto)
                        others = statistics.mean(sum(not has_pairs or pair not in PLANTED for pair in pairs) for _, pairs in auto)
                        loss = statistics.mean(one[0] for one in auto) / statistics.mean(one[0] for one in none)
                        cells.append((f"{found:.1f}, {others:.1f} others" if has_pairs else f"{others:.1f} others") + f", {loss:.3f}")
                    kind = "a number" if is_number else "two classes"
                    print(f"| {kind}, {size:,}, {'3' if has_pairs else 'none'} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
