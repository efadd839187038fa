# SPDX-License-Identifier: Apache-2.0
"""What other noisy histograms than raco_dp's would know of rates of groups (paper 004, Remarks 2 and 3).

Usage: python3 bench/histograms.py, with NumPy. Simulated: Poisson batches of 512 in expectation with groups of given
sizes, half of whom are predicted positive; each step's histogram has a cell for each group and prediction. All forms
cost the same in a step, that of Gaussian noise of standard deviation NOISE on each cell:

- laplace: the noise of the paper, of the scale that costs as much over all steps (the ratio of standard deviations is
  that of `plan` with --histogram-noise laplace at the same epsilon, 2 ** 0.5);
- sparse: cells whose noisy count is below a threshold are 0, as in [WilkinsEtAl2024]: nobody's cells then have no
  noise, at the price of a part of delta, here 1e-6 over all steps;
- direct (Remark 3): a share of the precision goes to a noisy count of each group of its own, the rest to the cells;
  both together estimate denominators.

Printed are the root mean squared errors of a rate by the quotient of one step and of the decayed mean over steps.
"""

from statistics import NormalDist

import numpy as np

BATCH = 512
NOISE = 4.0
DECAY = 0.97
NUM_STEPS = 3000
SHARES = (0.85, 0.1, 0.01, 0.008, 0.0011)
FORMS = ("gaussian", "laplace", "sparse", "direct, a fifth", "direct, a half")


def release(counts, form, rng):
    """Noisy cells (steps, groups, 2) and noisy denominators (steps, groups)."""
    if form == "laplace":
        cells = counts + rng.laplace(scale=NOISE, size=counts.shape)
        return cells, cells.sum(axis=2)
    if form.startswith("direct"):
        share = 0.2 if form.endswith("fifth") else 0.5
        variances = NOISE**2 / (1 - share), NOISE**2 / share
        cells = counts + rng.normal(scale=variances[0] ** 0.5, size=counts.shape)
        groups = counts.sum(axis=2)
        direct = groups + rng.normal(scale=variances[1] ** 0.5, size=groups.shape)
        weight = variances[1] / (2 * variances[0] + variances[1])
        return cells, weight * cells.sum(axis=2) + (1 - weight) * direct
    cells = counts + rng.normal(scale=NOISE, size=counts.shape)
    if form == "sparse":
        threshold = 1 + NOISE * NormalDist().inv_cdf(1 - 1e-6 / NUM_STEPS)
        cells = np.where((counts > 0) & (cells >= threshold), cells, 0)
    return cells, cells.sum(axis=2)


def smoothed(values):
    mean = np.zeros_like(values[0])
    means = []
    for step, value in enumerate(values):
        mean = DECAY * mean + (1 - DECAY) * value
        means.append(mean / (1 - DECAY ** (step + 1)))
    return np.array(means)


def errors(positive, records):
    rates = np.clip(positive / np.maximum(records, 1), 0, 1)
    return np.sqrt(np.mean((rates[100:] - 0.5) ** 2, axis=0))


def main():
    rng = np.random.default_rng(1)
    counts = np.stack(
        [rng.poisson(BATCH * share / 2, size=(NUM_STEPS, 2)) for share in SHARES], axis=1
    ).astype(float)
    print("| | " + " | ".join(f"{BATCH * share:.2g} records" for share in SHARES) + " |\n|---|" + "---|" * len(SHARES))
    for form in FORMS:
        cells, records = release(counts, form, rng)
        of_step = errors(cells[:, :, 1], records)
        of_mean = errors(smoothed(cells[:, :, 1]), smoothed(records))
        both = (f"{one:.3f} / {mean:.3f}" for one, mean in zip(of_step, of_mean, strict=True))
        print(f"| {form} | {' | '.join(both)} |")


if __name__ == "__main__":
    main()
