# SPDX-License-Identifier: Apache-2.0
"""Training on counted rows beside training on the records that these count: seconds, and whether models are the same.

Usage: /usr/bin/python3 bench/counted_training.py [--equinoise PATH] [--records 1000000] [--rows 20000] [--threads 1].
A made-up table: few rows stand for many records each, most for some. About three minutes.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
SIZES = {"age": 74, "hours": 99, "education": 16, "work": 8, "status": 7, "race": 5, "sex": 2}

# Name, options, and the batch's part of the records, where there are batches.
RUNS = (
    ("dpsgd, all records", ["--method", "dpsgd", "--steps", "30"], 1),
    ("dpsgd, a tenth of the records", ["--method", "dpsgd", "--steps", "30"], 0.1),
    ("dpsgd, a hundredth of the records", ["--method", "dpsgd", "--steps", "300"], 0.01),
    ("dpsgd of an mlp, all records", ["--method", "dpsgd", "--model", "mlp", "--steps", "5"], 1),
    ("dpsgd_f, all records", ["--method", "dpsgd_f", "--groups", "race", "--steps", "30"], 1),
    ("mgr_w, all records", ["--method", "mgr_w", "--groups", "race", "--steps", "30"], 1),
    ("dpnose", ["--method", "dpnose", "--groups", "race", "--steps", "30"], None),
    ("dpse", ["--method", "dpse", "--groups", "race", "--steps", "30"], None),
    ("noisy_newton", ["--method", "noisy_newton"], None),
    ("dpgam", ["--method", "dpgam", "--model", "additive"], None),
    ("sgd, all records (not private)", ["--method", "sgd", "--steps", "10"], 1),
)  # fmt: skip


def write_tables(num_records, num_rows):
    draw = random.Random(5)
    rows = {}
    while len(rows) < num_rows:
        values = [int(size * draw.random()) for size in SIZES.values()]
        chance = 0.1 + 0.4 * (values[2] > 9) + 0.3 * (values[0] > 25)
        rows[tuple(values) + (int(draw.random() < chance),)] = draw.paretovariate(1.2)
    scale = (num_records - num_rows) / sum(rows.values())
    counts = [1 + int(scale * weight) for weight in rows.values()]
    counts[0] += num_records - sum(counts)
    sizes = {}
    head = ",".join([*SIZES, "income"])
    with open("counted.csv", "w", encoding="ascii") as counted, open("records.csv", "w", encoding="ascii") as records:
        print(f"{head},equinoise_count", file=counted)
        print(head, file=records)
        for row, count in zip(rows, counts):
            line = ",".join(str(value) for value in row)
            print(f"{line},{count}", file=counted)
            records.write(f"{line}\n" * count)
            sizes[row[5]] = sizes.get(row[5], 0) + count
    with open("schema.toml", "w", encoding="ascii") as schema:
        print('schema = "equinoise/1"\ndataset = "made-up"\nreviewed = true\ntarget = "income"', file=schema)
        print(f"[public]\nnum_records = {num_records}", file=schema)
        for race, size in sorted(sizes.items()):
            print(f'[[public.groups]]\ngroup = {{ race = "{race}" }}\nnum_records = {size}', file=schema)
        for name, size in [*SIZES.items(), ("income", 2)]:
            print(f"[columns.{name}]", file=schema)
            if size > 50:
                print(f'type = "numeric"\nwhole = true\nbounds = [0, {size - 1}]', file=schema)
            else:
                values = [str(value) for value in range(size)]
                print(f'type = "categorical"\nvalues = {json.dumps(values)}', file=schema)


def train(arguments, table, options, batch):
    more = ["--batch-size", str(int(batch * arguments.records))] if batch else []
    command = [
        *[arguments.equinoise, "train", "--schema", "schema.toml", "--data", f"{table}.csv", "--test-fraction", "0"],
        *["--insecure-test-rng", "--seed", "3", "--json", "--quiet", "--threads", str(arguments.threads)],
        *["--out", f"{table}-out", "--force", *options, *more],
    ]
    if "sgd" not in options:
        command += ["--epsilon", "1", "--delta", "1e-7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stderr}")
    with open(f"{table}-out/model.json", encoding="utf-8") as model:
        return json.loads(done.stdout)["seconds"], json.load(model)["parameters"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--equinoise", default=os.path.join(ROOT, "build/release/bin/equinoise"))
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    arguments.equinoise = os.path.abspath(arguments.equinoise)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_tables(arguments.records, arguments.rows)
        print("| training | counted rows, s | records, s | ratio | same model |")
        print("|---|---|---|---|---|")
        for name, options, batch in RUNS:
            counted, of_counted = train(arguments, "counted", options, batch)
            records, of_records = train(arguments, "records", options, batch)
            same = "yes" if of_counted == of_records else "NO"
            print(f"| {name} | {counted:.3f} | {records:.3f} | {records / counted:.1f} | {same} |", flush=True)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
