# SPDX-License-Identifier: Apache-2.0
"""`aim` and `swift` on tables as drafted: the table "Wide and long tables" of docs/evidence/synthetic-data.md.

Usage: /usr/bin/python3 bench/wide_tables.py [path of equinoise [table ...]] [-- options of synth]. All pairs, epsilon 1,
one thread, two seeds (one of large tables): mean total variation of pairs, CPU seconds and peak memory of `synth`.
Tables are shared data: EQUINOISE_SHARED, or ../shared beside the project.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np

from number_spread import DATA, LARGE, ROOT, TABLES, drafted_schema, pair_error


def run(binary, path, schema_path, method, seed, options):
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen([binary, "synth", "--schema", schema_path, "--data", path, "--method", method,
                                    "--degree", "2", "--epsilon", "1", "--out", f"{folder}/rows",
                                    "--insecure-test-rng", "--seed", str(seed), "--threads", "1", "--quiet", *options],
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"synth failed on {path}")
        return (pair_error(binary, path, schema_path, f"{folder}/rows/rows.csv"), usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss / 1024)


def main():
    arguments = sys.argv[1:]
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    arguments, options = arguments[:cut], arguments[cut + 1:]
    binary = os.path.abspath(arguments[0] if arguments else f"{ROOT}/build/release/bin/equinoise")
    columns = " | ".join(f"`{method}`: pairs | CPU s | peak MB" for method in ("aim", "swift"))
    print(f"| table | records x columns | {columns} |\n|---|---|---|---|---|---|---|---|")
    for table in arguments[1:] or TABLES:
        path = f"{DATA}/{table}.csv.gz"
        with tempfile.TemporaryDirectory() as folder:
            schema_path, schema = drafted_schema(binary, path, folder)
            count = schema["public"]["num_records"]
            num_columns = sum(column["type"] != "ignored" for column in schema["columns"].values())
            cells = []
            for method in ("aim", "swift"):
                seeds = (1,) if count >= LARGE else (1, 2)
                pairs, seconds, megabytes = np.mean(
                    [run(binary, path, schema_path, method, seed, options) for seed in seeds], axis=0)
                cells.append(f"{pairs:.2g} | {seconds:.1f} | {megabytes:.0f}")
        print(f"| {table} | {count:,} x {num_columns} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
