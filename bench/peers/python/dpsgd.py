# SPDX-License-Identifier: Apache-2.0
"""The same DP-SGD by equinoise and by Opacus: accuracy, epsilon and CPU seconds side by side.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/dpsgd.py [--steps N] [--seeds N]
Both train a logistic regression from zero on the same encoded features, which the names of our parameters tell and our
decision function confirms, with Poisson batches of 1/64 of the records, clip 1 and learning rate 0.5. One thread each.
Of ours the whole fit is timed, from the frame to model and report, of Opacus the training loop on encoded tensors, with
a data set that hands out whole batches (one record at a time, as in its tutorials, takes longer). Accuracy is that of
the quarter held out; t^2 is the mean over all parameters of the squared t of their difference between the two. On full
batches with little noise (10 steps) the largest difference of any parameter is given.
Runs are seeded: NOT PRIVATE.
"""

import argparse
import json
import statistics
import tempfile
import time
import tomllib
import warnings
from pathlib import Path

import numpy as np
import tables
import torch
from opacus import PrivacyEngine
from opacus.accountants import PRVAccountant, RDPAccountant

from equinoise import EquinoiseClassifier, account

warnings.filterwarnings("ignore", message="Secure RNG turned off|Full backward hook|Optimal order is")
RATE = 1 / 64
CLIP = 1.0
LEARNING_RATE = 0.5
DELTA = 1e-6
LITTLE_NOISE = 0.5  # over the number of records in a step of full batches


def ours(table, rate, noise, steps, seed):
    """(decision function, parameters by name, CPU seconds)."""
    model = EquinoiseClassifier(
        "dpsgd",
        schema=table.schema,
        num_records="table",
        public_data=True,
        test_fraction=0,
        noise_multiplier=noise,
        delta=DELTA,
        steps=steps,
        batch_size=len(table.train) * rate,
        max_grad_norm=CLIP,
        learning_rate=LEARNING_RATE,
        final_learning_rate=LEARNING_RATE,
        tail_average=0,
        insecure_test_rng=True,
        seed=seed,
        threads=1,
        verbose=False,
    )
    features, outcomes = table.features(table.train), table.train[table.schema.target]
    begin = time.process_time()
    model.fit(features, outcomes)
    seconds = time.process_time() - begin
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder)
        parameters = json.loads((Path(folder) / "model.json").read_text(encoding="utf-8"))["parameters"]
    return model.decision_function, {p["name"]: p["value"] for p in parameters}, seconds


def encoded(table, part, names):
    """The features of the model whose parameters have these names, of which the last is the bias."""
    declared = tomllib.loads(table.schema.text)["columns"]
    columns = []
    for name in list(names)[:-1]:
        if name in declared:
            facts = declared[name]
            low, high = facts["bounds"]
            middle, width = (facts["mean"], facts["stddev"]) if facts["scale"] == "standard" else (low, high - low)
            columns.append((np.clip(part[name].to_numpy(), low, high) - middle) / width)
        else:
            column, value = name.split("=", 1)
            texts = part[column].cast(str).to_numpy()
            columns.append(texts == ("?" if value == "missing" else value))
    return np.column_stack(columns).astype(np.float32)


class Records(torch.utils.data.Dataset):
    def __init__(self, features, labels):
        self.features, self.labels = torch.from_numpy(features), torch.from_numpy(labels)

    def __len__(self):
        return len(self.features)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]

    def __getitems__(self, indices):
        return self[indices]


def opacus(features, labels, rate, noise, steps, seed):
    """(weights and bias, CPU seconds)."""
    torch.manual_seed(seed)
    model = torch.nn.Linear(features.shape[1], 1)
    torch.nn.init.zeros_(model.weight)
    torch.nn.init.zeros_(model.bias)
    records = Records(features, labels)
    loader = torch.utils.data.DataLoader(records, batch_size=int(len(records) * rate), collate_fn=lambda batch: batch)
    model, optimizer, loader = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=LEARNING_RATE),
        data_loader=loader,
        noise_multiplier=noise,
        max_grad_norm=CLIP,
    )
    loss = torch.nn.BCEWithLogitsLoss()
    begin = time.process_time()
    done = 0
    while done < steps:
        for x, y in loader:
            optimizer.zero_grad()
            loss(model(x).squeeze(1), y).backward()
            optimizer.step()
            done += 1
            if done == steps:
                break
    seconds = time.process_time() - begin
    weight, bias = (p.detach().numpy().ravel() for p in model.parameters())
    return np.append(weight, bias), seconds


def compare(table, noise, args):
    """Of equinoise and of Opacus: accuracies, parameters and CPU seconds by seed; the difference on full batches."""
    positive = sorted(set(table.outcomes(table.train)))[1]
    train_labels, test_labels = (table.outcomes(part) == positive for part in (table.train, table.test))
    train_labels = train_labels.astype(np.float32)
    accuracies, parameters, seconds = ([], []), ([], []), ([], [])
    for seed in range(1, args.seeds + 1):
        decide, named, took = ours(table, RATE, noise, args.steps, seed)
        train, test = (encoded(table, part, named) for part in (table.train, table.test))
        mine = np.array(list(named.values()))
        scores = decide(table.features(table.test))
        assert np.allclose(scores, test @ mine[:-1] + mine[-1], atol=1e-3), "features differ"
        theirs, their_seconds = opacus(train, train_labels, RATE, noise, args.steps, seed)
        for i, (found, spent) in enumerate(((mine, took), (theirs, their_seconds))):
            accuracies[i].append(np.mean((test @ found[:-1] + found[-1] > 0) == test_labels))
            parameters[i].append(found)
            seconds[i].append(spent)
    mine = np.array(list(ours(table, 1, LITTLE_NOISE, 10, 1)[1].values()))
    theirs = opacus(train, train_labels, 1, LITTLE_NOISE, 10, 1)[0]
    return accuracies, parameters, seconds, np.abs(mine - theirs).max()


def mean_square_t(parameters):
    """Of the difference of means, over all parameters; chance alone makes it (n - 1) / (n - 2) with n seeds of each."""
    mine, theirs = map(np.array, parameters)
    errors = (mine.var(axis=0, ddof=1) + theirs.var(axis=0, ddof=1)) / len(mine)
    return np.mean((mine.mean(axis=0) - theirs.mean(axis=0)) ** 2 / errors)


def epsilons(noise, steps):
    """Of one run under addition or removal of a record: ours and Opacus', by Renyi DP and by privacy losses."""
    told = []
    for accountant, theirs, precision in (
        ("rdp", RDPAccountant(), {}),
        ("pld", PRVAccountant(), {"eps_error": 1e-3}),
    ):
        theirs.history = [(noise, RATE, steps)]
        mine = account.epsilon(gaussian=noise, sample_rate=RATE, steps=steps, delta=DELTA, relation="add_remove",
                               accountant=accountant)  # fmt: skip
        told += [mine, theirs.get_epsilon(DELTA, **precision)]
    return told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--noise", type=float, nargs="+", default=[1.0, 4.0])
    args = parser.parse_args()
    torch.set_num_threads(1)
    chance = (args.seeds - 1) / (args.seeds - 2)
    print(f"{args.steps} steps, seeds 1 to {args.seeds}, means (standard deviations), median CPU seconds\n")
    print(f"| table | noise | accuracy | Opacus | t^2 (chance: {chance:.2f}) | full batches | CPU s | Opacus | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for table in tables.tables():
        for noise in args.noise:
            accuracies, parameters, seconds, apart = compare(table, noise, args)
            cells = [f"{statistics.mean(values):.4f} ({statistics.stdev(values):.4f})" for values in accuracies]
            took = [statistics.median(values) for values in seconds]
            print(f"| {table.name} | {noise:g} | {cells[0]} | {cells[1]} | {mean_square_t(parameters):.2f} |"
                  f" {apart:.0e} | {took[0]:.2f} | {took[1]:.2f} | {took[1] / took[0]:.0f} |", flush=True)  # fmt: skip
    print(f"\nEpsilon at delta {DELTA:g} under addition or removal of a record:\n")
    print("| noise | rdp | Opacus RDP | ratio | pld | Opacus PRV | ratio |")
    print("|---|---|---|---|---|---|---|")
    for noise in args.noise:
        rdp, their_rdp, pld, their_prv = epsilons(noise, args.steps)
        print(f"| {noise:g} | {rdp:.4f} | {their_rdp:.4f} | {rdp / their_rdp:.4f} | {pld:.4f} | {their_prv:.4f} |"
              f" {pld / their_prv:.4f} |")  # fmt: skip


if __name__ == "__main__":
    main()
