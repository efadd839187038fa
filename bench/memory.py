# SPDX-License-Identifier: Apache-2.0
"""Peak memory of private training beside non-private: `equinoise train` by each method and by sgd, the same table, model and steps.

Usage: /usr/bin/python3 bench/memory.py [path of equinoise]. A multilayer perceptron on Adult and the larger network of
bench/training_step.cc on made-up images of 28 x 28, which are written first, into a folder for temporary files.
"""

import os
import random
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
STEPS = "5"
METHODS = ("dpsgd", "dpsgd_global", "dpsgd_global_adapt", "dpsgd_f")

SCHEMA = """schema = "equinoise/1"
dataset = "made-up"
reviewed = true
target = "digit"
[image]
shape = [1, 28, 28]
[columns.digit]
type = "categorical"
values = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
[public]
num_records = 2560
"""


def write_images(folder, count=2560):
    numbers = random.Random(1)
    with open(f"{folder}/images", "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, 28, 28) + numbers.randbytes(count * 784))
    with open(f"{folder}/labels", "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + bytes(i % 10 for i in range(count)))
    with open(f"{folder}/schema.toml", "w", encoding="ascii") as file:
        file.write(SCHEMA)


def peak_megabytes(command):
    """Of this command alone: wait4 gives the resources of the child that it waits for."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_maxrss / 1024


def compare(name, dataset, equinoise, folder, options):
    train = [equinoise, "train", *options, "--batch-size", "256", "--steps", STEPS, "--threads", "1", "--quiet", "--json"]
    plain = peak_megabytes([*train, "--method", "sgd"])
    print(f"{name}: sgd {plain:.0f} MB")
    for method in METHODS:
        ledger = f"{folder}/{name}.{method}.ledger"
        subprocess.run(
            [equinoise, "ledger", "init", "--ledger", ledger, "--dataset", dataset]
            + ["--epsilon", "1000", "--delta", "1e-6"],
            check=True, stdout=subprocess.DEVNULL,
        )
        guarantee = ["--noise-multiplier", "1.5", "--delta", "1e-6", "--ledger", ledger]
        private = peak_megabytes([*train, "--method", method, *guarantee])
        print(f"{name}: {method} {private:.0f} MB, {private / plain:.2f} times as much")


equinoise = sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/release/bin/equinoise"
with tempfile.TemporaryDirectory() as folder:
    adult = f"{ROOT}/data/adult"
    table = ["--schema", f"{adult}/schema.toml", "--data", f"{adult}/adult.csv.gz", "--groups", "sex"]
    compare("mlp", "adult", equinoise, folder, [*table, "--model", "mlp", "--hidden", "256,256"])
    write_images(folder)
    table = ["--schema", f"{folder}/schema.toml", "--data", f"{folder}/images", "--labels", f"{folder}/labels"]
    table += ["--groups", "digit"]
    compare("cnn", "made-up", equinoise, folder, [*table, "--model", "cnn", "--channels", "32,32,16,16"])
