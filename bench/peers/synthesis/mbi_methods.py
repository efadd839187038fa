# SPDX-License-Identifier: Apache-2.0
"""AIM and MST by the inference of private-pgm's library `mbi`; protocol.py runs this, one process a run.

The library holds models and their fit, but no mechanism: what is measured, with what noise and what is chosen is
written here from the papers, arXiv 2201.12677 (AIM, Algorithms 1 to 4) and arXiv 2108.04978 (MST). Fits are mirror
descent of 1000 iterations, AIM's from the fit of the round before, as in the papers' experiments.
Noise is from NumPy: for measurements of error and time only, the rows are NOT PRIVATE.
"""

import argparse
import itertools
import json
import math
import sys

import jax
import numpy as np
import opt_einsum

FITS = 1000  # iterations of a fit


def l1(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).sum())


class Table:
    """The records and what a mechanism may draw of them."""

    def __init__(self, data, rng):
        self.data, self.domain, self.rng, self.counts = data, data.domain, rng, {}

    def count(self, clique):
        if clique not in self.counts:
            self.counts[clique] = self.data.project(clique).datavector()
        return np.asarray(self.counts[clique], dtype=float)

    def measure(self, clique, stddev):
        import mbi

        counts = self.count(clique)
        return mbi.LinearMeasurement(counts + self.rng.normal(0, stddev, counts.size), clique, stddev)

    def choose(self, scores, epsilon, sensitivity):
        """The exponential mechanism, by Gumbel noise; epsilon^2 / 8 of zCDP."""
        keys = list(scores)
        noisy = [epsilon * scores[key] / (2 * sensitivity) + self.rng.gumbel() for key in keys]
        return keys[int(np.argmax(noisy))]


def fit(domain, measurements, total, start=None):
    from mbi import estimation

    return estimation.MirrorDescent().estimate(
        domain, measurements, known_total=total, iters=FITS, warm_start=start
    )


def marginals(model, cliques):
    """The model's counts of all cliques.

    From its potentials by NumPy: the library compiles a program for every clique, which takes a hundred times as long.
    """
    factors = {clique: np.asarray(factor.values, dtype=float) for clique, factor in model.potentials.tables.items()}
    operands = [part for clique, table in factors.items() for part in (np.exp(table - table.max()), clique)]
    found = {}
    for clique in cliques:
        table = opt_einsum.contract(*operands, clique)
        found[clique] = table.ravel() * (model.total / table.sum())
    return found


def aim(table, rho, degree, megabytes):
    from mbi import junction_tree

    domain, total = table.domain, table.data.records
    workload = list(itertools.combinations(domain.attributes, degree))
    sizes = range(1, degree + 1)
    parts = {part for whole in workload for size in sizes for part in itertools.combinations(whole, size)}
    # The weight of a part: how much of the workload it shares.
    weights = {part: sum(len(set(part) & set(whole)) for whole in workload) for part in sorted(parts)}
    rounds = 16 * len(domain.attributes)
    stddev, epsilon = math.sqrt(rounds / (2 * 0.9 * rho)), math.sqrt(8 * 0.1 * rho / rounds)
    singles = [(attribute,) for attribute in domain.attributes]
    measurements = [table.measure(single, stddev) for single in singles]
    left = rho - len(singles) / (2 * stddev**2)
    model = fit(domain, measurements, total)
    last = False
    while not last:
        if left <= 2 * (epsilon**2 / 8 + 1 / (2 * stddev**2)):
            stddev, epsilon, last = math.sqrt(1 / (2 * 0.9 * left)), math.sqrt(8 * 0.1 * left), True
        left -= epsilon**2 / 8 + 1 / (2 * stddev**2)
        limit = megabytes * (rho - left) / rho
        cliques = [measurement.clique for measurement in measurements]
        candidates = [
            part
            for part in weights
            if any(set(part) <= set(clique) for clique in cliques)
            or junction_tree.hypothetical_model_size(domain, cliques + [part]) <= limit
        ]
        models = marginals(model, candidates)
        scores = {
            part: weights[part]
            * (l1(table.count(part), models[part]) - math.sqrt(2 / math.pi) * stddev * models[part].size)
            for part in candidates
        }
        part = table.choose(scores, epsilon, max(weights[part] for part in candidates))
        measurements.append(table.measure(part, stddev))
        model = fit(domain, measurements, total, model)
        print(f"{len(measurements) - len(singles)} rounds, {1 - left / rho:.0%} of rho", file=sys.stderr, flush=True)
        change = l1(marginals(model, [part])[part], models[part])
        if change <= math.sqrt(2 / math.pi) * stddev * models[part].size:
            stddev, epsilon = stddev / 2, epsilon * 2
    return model.synthetic_data(total)


def mst(table, rho, *_):
    domain, total = table.domain, table.data.records
    singles = [(attribute,) for attribute in domain.attributes]
    stddev = math.sqrt(len(singles) / (2 * rho / 3))
    measured = {single: table.measure(single, stddev) for single in singles}
    # Codes with fewer than three standard deviations of records become one.
    mapping = {}
    for (attribute,), measurement in measured.items():
        seen = np.asarray(measurement.noisy_measurement) >= 3 * stddev
        codes = np.where(seen, np.cumsum(seen) - 1, seen.sum())
        # At most one rare code: nothing to pool.
        mapping[attribute] = np.arange(seen.size) if (~seen).sum() <= 1 else codes
    small = Table(table.data.compress(mapping), table.rng)
    measurements = [measurement.compress(mapping, domain) for measurement in measured.values()]
    model = fit(small.domain, measurements, total)

    pairs = list(itertools.combinations(small.domain.attributes, 2))
    models = marginals(model, pairs)
    scores = {pair: l1(small.count(pair), models[pair]) for pair in pairs}
    epsilon = math.sqrt(8 * (rho / 3) / (len(singles) - 1))
    tree = {attribute: attribute for attribute in small.domain.attributes}
    stddev = math.sqrt((len(singles) - 1) / (2 * rho / 3))
    for _ in range(len(singles) - 1):
        apart = {(a, b): score for (a, b), score in scores.items() if tree[a] != tree[b]}
        a, b = small.choose(apart, epsilon, 1)
        old, new = tree[a], tree[b]
        tree = {attribute: new if root == old else root for attribute, root in tree.items()}
        measurements.append(small.measure((a, b), stddev))
    return fit(small.domain, measurements, total).synthetic_data(total).decompress(mapping)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=("aim", "mst"))
    parser.add_argument("--data", required=True, help="table of codes (CSV)")
    parser.add_argument("--domain", required=True, help="domain.json: number of codes of each column")
    parser.add_argument("--rho", type=float, required=True, help="budget of zero-concentrated DP")
    parser.add_argument("--degree", type=int, default=2, help="columns of each marginal of AIM's workload")
    parser.add_argument("--max-model-size", type=float, default=80, help="largest model of AIM in MB")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True, help="file of rows (CSV)")
    args = parser.parse_args()
    with open(args.domain, encoding="utf-8") as file:
        sizes = json.load(file)
    rows = np.loadtxt(args.data, delimiter=",", skiprows=1, dtype=np.int32)
    # As the library asks for tables of this size; its default for smaller ones is single precision.
    jax.config.update("jax_enable_x64", len(rows) > 100_000)
    jax.config.update("jax_enable_compilation_cache", False)
    import mbi  # after JAX is told

    np.random.seed(args.seed)  # the library's rows
    domain = mbi.Domain(list(sizes), list(sizes.values()))
    table = Table(mbi.Dataset(dict(zip(sizes, rows.T)), domain), np.random.default_rng(args.seed))
    synthetic = {"aim": aim, "mst": mst}[args.method](table, args.rho, args.degree, args.max_model_size)
    columns = synthetic.to_dict()
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(",".join(sizes) + "\n")
        np.savetxt(file, np.stack([columns[name] for name in sizes], axis=1), fmt="%d", delimiter=",")


main()
