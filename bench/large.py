# SPDX-License-Identifier: Apache-2.0
"""Large tables and plans: CPU seconds and peak memory of the tool, next to dp_accounting and to DuckDB's exact query.

Usage: build/python/bin/python bench/large.py [--equinoise PATH] [--only NAME,...] [--full] [--plots FOLDER]
Tables are made up in a temporary folder. Rows grow from 1e5 to 1e7, with --full to 1e8; columns from 10 to 800. A peer runs
right before the tool on each line, so that both see the same machine: compare ratios. Peaks are at least those of this
script, about 100 MB. dp_accounting, and matplotlib for --plots, are used where they are installed.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile

import duckdb
import numpy as np
from engine_rows import ROOT, measured

# Noise multiplier, sample rate, steps, delta.
EVENTS = [(0.6, 2.56e-5, 3000, 1e-9), (0.65, 2.56e-5, 3000, 1e-9), (0.93, 2.56e-5, 3000, 1e-9), (0.7, 1e-6, 3000, 1e-9),
          (1.0, 0.001, 10_000, 1e-6)]
SAMPLED = """import json, sys
from dp_accounting.pld import privacy_loss_distribution as pld
noise, rate, steps, delta = (float(word) for word in sys.argv[1:])
once = pld.from_gaussian_mechanism(noise, sampling_prob=rate, value_discretization_interval=1e-4)
print(json.dumps({"epsilon": once.self_compose(int(steps)).get_epsilon_for_delta(delta)}))"""
GROUPED = """import duckdb, sys
connection = duckdb.connect(config={"threads": 1})
connection.execute(f"SELECT stratum, avg(a), avg(b), avg(c), count(*) FROM '{sys.argv[1]}' GROUP BY stratum").fetchall()
print("{}")"""
NUM_STRATA = 100


class Lines:
    """A Markdown table that is printed as it grows, and its curves."""

    def __init__(self, title, columns):
        self.title, self.x, self.curves = title, columns[0], {}
        print(f"\n## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)

    def add(self, *cells):
        print(f"| {' | '.join(f'{cell:,.3g}' if isinstance(cell, float) else str(cell) for cell in cells)} |", flush=True)

    def point(self, curve, x, seconds, megabytes):
        self.curves.setdefault(curve, []).append((x, seconds, megabytes))

    def draw(self, folder):
        if not folder or not self.curves or not importlib.util.find_spec("matplotlib"):
            return
        from matplotlib.figure import Figure  # pylint: disable=import-outside-toplevel

        figure = Figure(figsize=(10, 4))
        for place, label in ((1, "CPU seconds"), (2, "peak MB")):
            panel = figure.add_subplot(1, 2, place)
            for name, points in self.curves.items():
                panel.loglog([point[0] for point in points], [point[place] for point in points], marker="o", label=name)
            panel.set(xlabel=self.x, ylabel=label)
            panel.legend()
        figure.suptitle(self.title)
        os.makedirs(folder, exist_ok=True)
        figure.savefig(f"{folder}/{self.title.split(':')[0].replace(' ', '_')}.png")


def account(binary, _):
    lines = Lines("account", ("noise, rate, steps, delta", "epsilon", "dp_accounting", "CPU s", "dp_accounting", "ratio"))
    has_peer = importlib.util.find_spec("dp_accounting") is not None  # else ours alone
    for event in EVENTS:
        words = [str(value) for value in event]
        peer, peer_seconds, _ = measured([sys.executable, "-c", SAMPLED, *words]) if has_peer else ({}, None, None)
        noise, rate, steps, delta = words
        ours, seconds, _ = measured([binary, "account", "epsilon", "--gaussian", noise, "--sample-rate", rate, "--steps", steps,
                                     "--delta", delta, "--relation", "add_remove", "--json"])
        lines.add(", ".join(words), ours["epsilon"], peer.get("epsilon", "-"), seconds, peer_seconds or "-",
                  seconds / peer_seconds if has_peer else "-")
        back, seconds, _ = measured([binary, "account", "noise", "--gaussian", "?", "--epsilon", str(ours["epsilon"]),
                                     "--sample-rate", rate, "--steps", steps, "--delta", delta, "--relation", "add_remove",
                                     "--json"])
        lines.add(f"its noise: {back['noise']:.4f}", ours["epsilon"], "-", seconds, "-", "-")
    return lines


def write_schema(folder, num_records, numbers, strata):
    with open(f"{folder}/schema.toml", "w", encoding="ascii") as file:
        file.write('schema = "equinoise/1"\ndataset = "large"\nreviewed = true\npublic_bins = 1024\ntarget = "label"\n')
        file.write(f"[public]\nnum_records = {num_records}\n")
        for name, bounds in numbers.items():
            file.write(f'[columns.{name}]\ntype = "numeric"\nbounds = {bounds}\n')
        for name, count in {"stratum": strata, "label": 2}.items():
            file.write(f'[columns.{name}]\ntype = "categorical"\nvalues = {json.dumps([str(v) for v in range(count)])}\n')


def plan(binary, _):
    lines = Lines("plan: 20 million records", ("epsilon", "CPU s", "MB"))
    with tempfile.TemporaryDirectory() as folder:
        write_schema(folder, 20_000_000, {"a": [0, 100]}, NUM_STRATA)
        for epsilon in (0.3, 1, 3):
            _, seconds, megabytes = measured([binary, "plan", "--schema", f"{folder}/schema.toml", "--epsilon", str(epsilon),
                                              "--delta", "1e-9", "--json", "--quiet"])
            lines.add(epsilon, seconds, megabytes)
    return lines


def means_of(binary, lines, x, num_rows, different):
    """A table of `different` values in each of three columns."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/parts")
        values = ", ".join(f"(hash(i, {k}) % {different}) * 100.0 / {different} AS {name}" for k, name in enumerate("abc"))
        duckdb.execute(f"""COPY (SELECT (hash(i, 9) % {NUM_STRATA})::VARCHAR AS stratum, (i % 2)::VARCHAR AS label, {values}
          FROM range({num_rows}) AS t(i)) TO '{folder}/parts/0.parquet' (FORMAT parquet)""")
        write_schema(folder, num_rows, {name: [0, 100] for name in "abc"}, NUM_STRATA)
        _, peer, peer_megabytes = measured([sys.executable, "-c", GROUPED, f"{folder}/parts/0.parquet"])
        lines.point("DuckDB, exact", x, peer, peer_megabytes)
        for name, data in {"file": f"{folder}/parts/0.parquet", "folder": f"{folder}/parts"}.items():
            _, seconds, megabytes = measured([
                binary, "means", "--schema", f"{folder}/schema.toml", "--data", data, "--columns", "a,b,c", "--by", "stratum",
                "--private-sizes", "--relation", "zero_out", "--epsilon", "1", "--delta", "1e-9", "--insecure-test-rng",
                "--seed", "1", "--threads", "1", "--json", "--quiet"])
            lines.add(f"{x:,}", name, seconds, peer, seconds / peer, megabytes, peer_megabytes)
            lines.point(f"means, {name}", x, seconds, megabytes)


MEANS_COLUMNS = ("of Parquet", "CPU s", "DuckDB", "ratio", "MB", "DuckDB")


def means(binary, most_rows):
    lines = Lines(f"means over rows: 3 columns, {NUM_STRATA} strata", ("rows", *MEANS_COLUMNS))
    for power in range(5, most_rows + 1):
        means_of(binary, lines, 10**power, 10**power, 10**6)
    return lines


def different_rows(binary, _):
    lines = Lines("means over different values: 1e6 rows", ("values of a column", *MEANS_COLUMNS))
    for different in (2, 10, 100, 10_000, 1_000_000):
        means_of(binary, lines, different, 10**6, different)
    return lines


def write_wide(folder, num_columns, num_rows):
    """Codes of columns with 2 to 8 values, half of which follow an earlier column."""
    draws = np.random.default_rng(num_columns)
    sizes = draws.integers(2, 9, num_columns)
    codes = np.empty((num_rows, num_columns), dtype=np.int64)
    for j, size in enumerate(sizes):
        codes[:, j] = draws.integers(0, size, num_rows)
        if j > 0:
            other = draws.integers(0, j)
            codes[:, j] = np.where(draws.random(num_rows) < 0.5, codes[:, other] * size // sizes[other], codes[:, j])
    names = [f"c{j}" for j in range(num_columns)]
    np.savetxt(f"{folder}/wide.csv", codes, fmt="%d", delimiter=",", header=",".join(names), comments="")
    with open(f"{folder}/domain.json", "w", encoding="ascii") as file:
        json.dump(dict(zip(names, sizes.tolist())), file)
    return [f"--domain={folder}/domain.json", f"--data={folder}/wide.csv", f"--num-records={num_rows}", "--epsilon=1",
            "--delta=1e-6", f"--out={folder}/rows", "--insecure-test-rng", "--seed=1", "--threads=1", "--json", "--quiet"]


def columns(binary, _):
    lines = Lines("synth over columns: 10,000 rows", ("columns", "method", "CPU s", "MB"))
    for num_columns in (10, 50, 100, 200, 400, 800):
        for method in ("mst", "swift") if num_columns <= 200 else ("mst",):
            with tempfile.TemporaryDirectory() as folder:
                words = write_wide(folder, num_columns, 10_000)
                _, seconds, megabytes = measured([binary, "synth", f"--method={method}", *words])
            lines.add(num_columns, method, seconds, megabytes)
            lines.point(method, num_columns, seconds, megabytes)
    return lines


def drawn(binary, most_rows):
    lines = Lines("rows drawn: 15 columns", ("rows", "format", "CPU s", "MB"))
    with tempfile.TemporaryDirectory() as folder:
        measured([binary, "synth", "--method=mst", *write_wide(folder, 15, 10_000)])
        for power in range(5, most_rows + 1):
            for kind in ("csv", "parquet"):
                _, seconds, megabytes = measured([binary, "synth", "sample", f"--model={folder}/rows", f"--rows={10**power}",
                                                  f"--out={folder}/drawn.{kind}", "--force", "--json", "--quiet"])
                lines.add(f"{10**power:,}", kind, seconds, megabytes)
                lines.point(kind, 10**power, seconds, megabytes)
    return lines


PARTS = {part.__name__: part for part in (account, plan, means, different_rows, columns, drawn)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--equinoise", default=f"{ROOT}/build/release/bin/equinoise")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--full", action="store_true", help="up to 1e8 rows")
    parser.add_argument("--plots", help="folder for curves as PNG")
    options = parser.parse_args()
    for name in options.only.split(","):
        PARTS[name](os.path.abspath(options.equinoise), 8 if options.full else 7).draw(options.plots)


if __name__ == "__main__":
    main()
