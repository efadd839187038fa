# SPDX-License-Identifier: Apache-2.0
"""What it costs that a person has many rows: means, synthetic rows and models of made-up visits of 100,000 patients, 1 to
300 each, with guarantees for a patient at several bounds of visits, next to the same with guarantees for a visit.

Usage: build/python/bin/python bench/visits.py [path of equinoise] [patients]. The table is written first, into a folder for
temporary files. Errors are against all rows of the table, so that they hold what is left out as well as noise.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BOUNDS = (1, 5, 20)
DEPARTMENTS = ("general", "surgery", "heart", "children", "emergency")
EPSILON, DELTA = "1", "1e-6"

COLUMNS = """
[columns.sex]
type = "categorical"
values = ["F", "M"]
[columns.age]
type = "numeric"
bounds = [0, 100]
[columns.department]
type = "categorical"
values = ["general", "surgery", "heart", "children", "emergency"]
[columns.days]
type = "numeric"
bounds = [0, 60]
[columns.cost]
type = "numeric"
bounds = [0, 20000]
[columns.returned]
type = "categorical"
values = ["no", "yes"]
"""


def write_schema(path, num_rows=None, num_units=None, bound=None):
    unit = 'unit = "row"' if bound is None else f'unit = "person_id"\nmax_records_per_unit = {bound}'
    public = f"num_records = {num_rows}" if bound is None else f"num_units = {num_units}"
    with open(path, "w", encoding="ascii") as file:
        file.write(f'schema = "equinoise/1"\ndataset = "visits"\nreviewed = true\ntarget = "returned"\n{unit}\n')
        file.write(f'[columns.person_id]\ntype = "ignored"\n{COLUMNS}\n[public]\n{public}\n')


def write_visits(path, patients, seed=1):
    """Whoever comes often is older, stays longer and costs more: what is left out is not like what is kept."""
    draw = np.random.default_rng(seed)
    visits = np.clip(np.floor(draw.lognormal(1.3, 1.2, patients)) + 1, 1, 300).astype(int)
    visits[:2] = (1, 300)
    person = np.repeat(np.arange(patients), visits)
    often = np.log(visits)[person]
    size = person.size
    sex = draw.integers(0, 2, patients)[person]
    age = np.clip(draw.normal(40, 18, patients)[person] + 4 * often + draw.uniform(0, 3, size), 0, 100)
    department = draw.integers(0, 5, size)
    days = np.minimum(draw.exponential(1 + 1.5 * often, size), 60)
    cost = np.clip(draw.lognormal(6 + 0.25 * often + 0.2 * (department == 2), 0.8, size), 0, 20000)
    returned = draw.uniform(size=size) < 1 / (1 + np.exp(2.2 - 0.5 * often - 0.04 * days - 0.3 * sex))
    order = draw.permutation(size)
    with open(path, "w", encoding="ascii") as file:
        file.write("person_id,sex,age,department,days,cost,returned\n")
        for i in order:
            file.write(
                f"P{person[i]:06d},{'FM'[sex[i]]},{age[i]:.1f},{DEPARTMENTS[department[i]]},{days[i]:.2f},"
                f"{cost[i]:.2f},{'yes' if returned[i] else 'no'}\n"
            )
    exact = {name: [values[department == d].mean() for d in range(5)] for name, values in (("cost", cost), ("days", days))}
    return size, exact, returned.mean()


def run(command):
    """What a command printed as JSON, its CPU seconds and its peak megabytes."""
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=printed, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        printed.seek(0)
        errors.seek(0)
        if status != 0:
            raise SystemExit(f"failed: {' '.join(command)}\n{errors.read()}")
        return json.loads(printed.read()), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def error_of_means(report, exact):
    """The mean over departments of how far a mean is off, by columns."""
    told = {(row["column"], row["stratum"]["department"]): row["mean"] for row in report["strata"]}
    return {
        column: np.mean([abs(told[column, name] - mean) for name, mean in zip(DEPARTMENTS, means)])
        for column, means in exact.items()
    }


def main():
    binary = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/release/bin/equinoise")
    patients = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        table, rows_schema = f"{folder}/visits.csv", f"{folder}/rows.toml"
        num_rows, exact, returned = write_visits(table, patients)
        write_schema(rows_schema, num_rows=num_rows)
        print(f"{patients} patients, {num_rows} visits, {100 * returned:.1f} % returned; epsilon {EPSILON}, delta {DELTA}\n")
        print("| protects | mean cost off by | mean days off by | rows: error of pairs | model: accuracy | "
              "CPU seconds (means, rows, model) | peak MB (means, rows, model) |\n|---|---|---|---|---|---|---|")
        for bound in (None, *BOUNDS):
            schema = rows_schema
            if bound is not None:
                schema = f"{folder}/people.toml"
                write_schema(schema, num_units=patients, bound=bound)
            common = ["--schema", schema, "--data", table, "--epsilon", EPSILON, "--delta", DELTA, "--threads", "1", "--quiet",
                      "--json", "--insecure-test-rng", "--seed"]
            errors, pairs, accuracies, seconds, megabytes = [], [], [], [], []
            for seed in ("1", "2", "3"):
                means = ["--columns", "cost,days", "--by", "department", "--relation", "zero_out"]
                if bound is None:
                    means.append("--private-sizes")
                report, *cost_of_means = run([binary, "means", *means, *common, seed])
                errors.append(error_of_means(report, exact))
                rows = ["--method", "aim", "--degree", "2", "--max-model-size", "5", "--out", f"{folder}/made", "--force"]
                _, *cost_of_rows = run([binary, "synth", *rows, *common, seed])
                report, *_ = run([binary, "synth", "evaluate", "--schema", rows_schema, "--real", table, "--synthetic",
                                  f"{folder}/made/rows.csv", "--degree", "2", "--json", "--quiet"])
                pairs.append(report["workload_error"])
                model = ["--model", "logistic", "--method", "dpsgd", "--batch-size", "1024", "--steps", "1000"]
                report, *cost_of_model = run([binary, "train", *model, *common, seed])
                accuracies.append(report["overall"]["accuracy"])
                costs = np.array([cost_of_means, cost_of_rows, cost_of_model])
                seconds.append(costs[:, 0])
                megabytes.append(costs[:, 1])
            figures = [f"{np.mean([e[name] for e in errors]):.3g}" for name in ("cost", "days")]
            figures += [f"{np.mean(pairs):.4f}", f"{np.mean(accuracies):.4f}"]
            figures += [", ".join(f"{x:.1f}" for x in np.mean(seconds, axis=0)),
                        ", ".join(f"{x:.0f}" for x in np.max(megabytes, axis=0))]
            whom = "a visit" if bound is None else f"a patient, {bound} visits"
            print(f"| {whom} | " + " | ".join(figures) + " |")


if __name__ == "__main__":
    main()
