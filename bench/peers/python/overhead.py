# SPDX-License-Identifier: Apache-2.0
"""What the binding costs: EquinoiseClassifier.fit on a polars frame beside the tool on the Parquet file of that frame.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/overhead.py
           [--tool PATH] [--records N] [--pairs N] [--threads N]
The frame is Adult's 15 columns, resampled with a seed. Each run is a process; both take turns. Of the tool the whole
process counts, of Python what happens within fit, which includes loading the library. Models must be equal to the byte.
Linux counts the memory of whoever starts a process as its, so the frame, too, is made in a process of its own.
Runs are seeded: NOT PRIVATE.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OPTIONS = {"method": "dpsgd", "noise_multiplier": 1.0, "groups": "sex,race", "insecure_test_rng": True, "seed": 1}


def fit(folder, threads):
    """The run of Python, in a process of its own: prints what it took."""
    import polars as pl

    from equinoise import EquinoiseClassifier

    frame = pl.read_parquet(folder / "frame.parquet")
    model = EquinoiseClassifier(schema=folder / "schema.toml", threads=threads, verbose=False, **OPTIONS)
    features, income = frame.drop("income"), frame["income"]
    held = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    model.fit(features, income)
    seconds = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_SELF)
    model.save(folder / "python", force=True)
    print(json.dumps({
        "user": used.ru_utime - held.ru_utime,
        "system": used.ru_stime - held.ru_stime,
        "elapsed": seconds,
        "peak": used.ru_maxrss,
        "peak before fit": held.ru_maxrss,
    }))  # fmt: skip


def in_process(*words):
    command = [sys.executable, __file__, *map(str, words)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def python_run(folder, threads):
    return json.loads(in_process("--fit", folder, "--threads", threads))


def tool_run(tool, folder, threads):
    command = [tool, "train", "--quiet", "--threads", str(threads), "--schema", str(folder / "schema.toml"),
               "--data", str(folder / "frame.parquet"), "--out", str(folder / "tool"), "--force"]  # fmt: skip
    for name, value in OPTIONS.items():
        command += ["--" + name.replace("_", "-")] + ([] if value is True else [str(value)])
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    status, used = os.wait4(process.pid, 0)[1:]
    seconds = time.perf_counter() - begin
    if status != 0:
        sys.exit("the tool failed")
    return {"user": used.ru_utime, "system": used.ru_stime, "elapsed": seconds, "peak": used.ru_maxrss}


def make_frame(folder, records):
    import numpy as np
    import tables

    adult = tables.adult()
    rows = np.random.default_rng(1).integers(len(adult.frame), size=records)
    adult.frame[rows].write_parquet(folder / "frame.parquet")
    text = adult.schema.text.replace(f"num_records = {len(adult.frame)}", f"num_records = {records}")
    (folder / "schema.toml").write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/bench/bin/equinoise")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fit", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.make:
        return make_frame(args.make, args.records)
    if args.fit:
        return fit(args.fit, args.threads)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        in_process("--make", folder, "--records", args.records)
        runs = []
        for _ in range(args.pairs):
            runs.append((python_run(folder, args.threads), tool_run(args.tool, folder, args.threads)))
        equal = (folder / "python/model.json").read_bytes() == (folder / "tool/model.json").read_bytes()
    print(f"{args.records} x 15, {args.threads} threads, medians of {args.pairs} pairs (least and greatest ratio)\n")
    print("| | fit | tool | ratio |")
    print("|---|---|---|---|")
    for name, unit, scale in (("user", "CPU s", 1), ("system", "CPU s", 1), ("elapsed", "s", 1), ("peak", "MB", 1024)):
        ours, tools = ([pair[i][name] / scale for pair in runs] for i in (0, 1))
        ratios = sorted(a / b for a, b in zip(ours, tools, strict=True))
        middle = [f"{statistics.median(values):.2f}" for values in (ours, tools, ratios)]
        print(f"| {name}, {unit} | {' | '.join(middle)} ({ratios[0]:.2f} to {ratios[-1]:.2f}) |")
    held = statistics.median(pair[0]["peak before fit"] for pair in runs) / 1024
    print(f"\nPeak memory of Python with the frame, before fit: {held:.0f} MB.")
    print(f"Models equal to the byte: {'yes' if equal else 'NO'}.")
    sys.exit(int(not equal))


if __name__ == "__main__":
    main()
