#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The protocol of arXiv 2504.14061: synthetic rows of equinoise and by private-pgm's library `mbi`, side by side.

Usage: build/peers/bin/python bench/peers/synthesis/protocol.py [--tool PATH] [--quick] ...
(tools/setup.sh bench makes build/peers). Tables are Adult, heart disease and the law school's, of the shared data:
EQUINOISE_SHARED, or ../shared beside the project.

Four fifths of a table's records are made synthetic, at delta 1e-5, and judged by the fifth that is held out:
  pairs    mean total variation of all pairs of columns
  queries  mean error of 1000 random queries of three columns, as a share of the records
  F1       macro F1 of classifiers that are trained on synthetic rows, mean of three
All programs get the same codes of columns, the same public number of records, the same rho (equinoise's conversion of
epsilon and delta to zero-concentrated DP) and, but for MST, the same workload, all pairs. CPU seconds and peak memory
are those of a whole process. Runs are kept as JSON lines and not repeated; delete the file after a change of a program.
A run that takes more CPU seconds than --limit is ended, and recorded as such. All runs are seeded: NOT PRIVATE.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

import errors
import numpy as np
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
DELTA = "1e-5"
METHODS = ("aim", "mst", "gem", "mbi aim", "mbi mst")
REAL = "real rows"  # what rows without privacy and without a model come to
QUICK_RECORDS = 5000


def measure(command, limit, environment):
    """Runs a command within `limit` CPU seconds: how it ended, its seconds and its peak memory."""
    launcher = [sys.executable, "-S", "-E", f"{HERE}/measured.py", str(limit), *command]
    done = subprocess.run(launcher, capture_output=True, check=True, text=True, env={**os.environ, **environment})
    found = json.loads(done.stdout)
    if (found["failed"] or "").startswith("did not end"):
        found["failed"] += "".join(f" ({line})" for line in done.stderr.splitlines()[-1:])  # how far it came
    elif found["failed"]:
        print(done.stderr[-2000:], file=sys.stderr)
    return found


def write_table(folder, table):
    with open(f"{folder}/domain.json", "w", encoding="utf-8") as file:
        json.dump(table.sizes, file)
    with open(f"{folder}/table.csv", "w", encoding="utf-8") as file:
        file.write(",".join(table.sizes) + "\n")
        np.savetxt(file, table.train, fmt="%d", delimiter=",")


def read_rows(path, table):
    with open(path, encoding="utf-8") as file:
        head = file.readline().strip().split(",")
        rows = np.loadtxt(file, delimiter=",", dtype=np.int64)
    return rows[:, [head.index(column) for column in table.sizes]]


def synth_command(tool, folder, table, method, epsilon):
    words = [tool, "synth", "--domain", f"{folder}/domain.json", "--data", f"{folder}/table.csv", "--num-records",
             len(table.train), "--method", method, "--epsilon", epsilon, "--delta", DELTA]  # fmt: skip
    if method != "mst":
        words += ["--degree", "2"]
    return [str(word) for word in words]


def rho_of(tool, folder, table, epsilon):
    command = synth_command(tool, folder, table, "mst", epsilon) + ["--dry-run", "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)["rho"]


def run(args, folder, table, method, epsilon, seed):
    if method == REAL:
        return errors.judge(table, table.train)
    if method.startswith("mbi "):
        out = f"{folder}/mbi.csv"
        rho = rho_of(args.tool, folder, table, epsilon)
        command = [sys.executable, f"{HERE}/mbi_methods.py", method[4:], "--data", f"{folder}/table.csv", "--domain",
                   f"{folder}/domain.json", "--rho", repr(rho), "--seed", str(seed), "--out", out]  # fmt: skip
        # The library compiles programs for each structure of a model, which this halves; its fits are quick.
        environment = {"XLA_FLAGS": "--xla_backend_optimization_level=0"}
    else:
        out = f"{folder}/rows/rows.csv"
        command = synth_command(args.tool, folder, table, method, epsilon)
        command += ["--out", f"{folder}/rows", "--force", "--insecure-test-rng", "--seed", str(seed), "--quiet"]
        environment = {}
    line = measure(command, args.limit, environment)
    return line if line["failed"] else {**line, **errors.judge(table, read_rows(out, table))}


def key_of(line):
    return tuple(line[name] for name in ("table", "records", "method", "epsilon", "seed"))


def kept_runs(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {key_of(line): line for line in map(json.loads, file)}


def figure(lines, name, digits):
    """Mean and, of several seeds, their standard deviation."""
    values = [line[name] for line in lines if line.get(name) is not None]
    if not values:
        return "-"
    spread = f" +- {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.{digits}f}{spread}"


def mean_of(lines, name):
    values = [line[name] for line in lines if line.get(name) is not None]
    return statistics.mean(values) if values else None


def ratio(lines, others, name, digits):
    ours, theirs = mean_of(lines, name), mean_of(others, name)
    return "-" if not ours or not theirs else f"{ours / theirs:.{digits}f}"


def place(key):
    table, records, epsilon, method = key
    return list(tables.SOURCES).index(table), records, float(epsilon or 0), (REAL, *METHODS).index(method)


def summarize(runs):
    """A Markdown table of all runs; ratios are to the library's method of that name, smaller is better but for F1."""
    print("| table | epsilon | method | seeds | pairs | queries | F1 | CPU s | peak MB | pairs, queries, CPU / mbi's |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    groups = {}
    for line in runs:
        groups.setdefault((line["table"], line["records"], line["epsilon"], line["method"]), []).append(line)
    for key in sorted(groups, key=place):
        table, records, epsilon, method = key
        ended = [line for line in groups[key] if not line.get("failed")]
        head = f"| {table}, {records} records | {epsilon or '-'} | `{method}` | {len(ended)} |"
        if not ended:
            print(f"{head} - | - | - | {groups[key][0]['failed']} | {figure(groups[key], 'peak_mb', 0)} | - |")
            continue
        others = [line for line in groups.get((table, records, epsilon, f"mbi {method}"), ()) if not line.get("failed")]
        digits_of = {"pairs": 2, "queries": 2, "cpu": 4}
        ratios = ", ".join(ratio(ended, others, name, digits) for name, digits in digits_of.items())
        print(f"{head} {figure(ended, 'pairs', 4)} | {figure(ended, 'queries', 4)} | {figure(ended, 'f1', 3)} |"
              f" {figure(ended, 'cpu', 2)} | {figure(ended, 'peak_mb', 0)} | {ratios if others else '-'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=f"{tables.ROOT}/build/release/bin/equinoise", help="path of equinoise")
    parser.add_argument("--runs", default=f"{tables.ROOT}/build/peers/synthesis.jsonl", help="file of kept runs")
    parser.add_argument("--tables", nargs="+", default=["adult", "heart"], choices=tables.SOURCES)
    parser.add_argument("--methods", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--epsilons", nargs="+", default=["1", "0.2", "5"])
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds [5]")
    parser.add_argument("--limit", type=int, default=600, help="CPU seconds of a run [600]")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_RECORDS} records of Adult, epsilon 1, one seed")
    parser.add_argument("--summary", action="store_true", help="only print the kept runs")
    args = parser.parse_args()
    if args.quick:
        args.tables, args.epsilons, args.seeds = ["adult"], ["1"], 1
    runs = kept_runs(args.runs)
    if args.summary:
        summarize(runs.values())
        return
    args.tool = os.path.abspath(args.tool)
    if not os.access(args.tool, os.X_OK):
        raise SystemExit(f"protocol: there is no program {args.tool}; build one with `make build` or name it by --tool")
    absent = [path for name in args.tables for path in tables.missing_files(name)]
    if absent:
        raise SystemExit("protocol: the tables are not part of the project, and these are missing:\n  "
                         + "\n  ".join(absent) + "\nSet EQUINOISE_SHARED to the folder whose data/ holds them.")
    os.makedirs(os.path.dirname(os.path.abspath(args.runs)), exist_ok=True)
    for name in args.tables:
        table = tables.read(name, QUICK_RECORDS if args.quick else None)
        with tempfile.TemporaryDirectory() as folder:
            write_table(folder, table)
            cells = [(REAL, None, 0)]
            cells += [(method, epsilon, seed) for epsilon in args.epsilons for seed in range(1, args.seeds + 1)
                      for method in args.methods]  # fmt: skip
            for method, epsilon, seed in cells:
                line = {"table": name, "records": len(table.train), "method": method, "epsilon": epsilon, "seed": seed}
                if key_of(line) in runs:
                    continue
                # A method that did not end once will not end with another seed.
                before = [other for other in runs.values() if key_of(other)[:4] == key_of(line)[:4]]
                if any((other.get("failed") or "").startswith("did not end") for other in before):
                    continue
                print(f"{name}, epsilon {epsilon}, {method}, seed {seed} ...", end=" ", file=sys.stderr, flush=True)
                line.update(run(args, folder, table, method, epsilon, seed))
                print(line.get("failed") or f"pairs {line['pairs']:.4f}, {line.get('cpu', 0)} CPU s", file=sys.stderr)
                runs[key_of(line)] = line
                with open(args.runs, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    summarize(runs.values())


if __name__ == "__main__":
    main()
