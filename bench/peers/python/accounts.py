# SPDX-License-Identifier: Apache-2.0
"""Epsilons of equinoise.account next to those of dp_accounting's privacy loss distributions, by addition or removal.

Usage: PYTHONPATH=build/bench/python build/python-peers/bin/python bench/peers/python/accounts.py
Prints ours over dp_accounting's pessimistic one, an upper bound on the same number as ours, and fails if one of ours is
below its optimistic one, a lower bound, by more than rounding.
"""

import sys
import time

from dp_accounting.pld import privacy_loss_distribution as pld

from equinoise import account

ROUNDING = 1e-6
DELTAS = (1e-6, 1e-9)
# Kind of noise, noise multiplier, sample rate, steps.
EVENTS = [
    *(("gaussian", noise, None, steps) for noise in (0.7, 2, 20) for steps in (1, 100)),
    *(("gaussian", noise, rate, 1000) for noise in (0.7, 1, 4) for rate in (0.001, 0.01, 0.1)),
    *(("laplace", noise, None, steps) for noise in (1, 10) for steps in (1, 10, 100)),
    *(("laplace", noise, rate, 1000) for noise in (1, 4) for rate in (0.001, 0.01)),
]


def distribution(kind, noise, rate, steps, pessimistic, interval):
    make = pld.from_gaussian_mechanism if kind == "gaussian" else pld.from_laplace_mechanism
    once = make(noise, pessimistic_estimate=pessimistic, use_connect_dots=pessimistic, sampling_prob=rate or 1,
                value_discretization_interval=interval)  # fmt: skip
    return once.self_compose(steps)


def main():
    seconds, below, ratios = [0.0, 0.0], 0, []
    print("| event | rate | steps | delta | pld | dp_accounting | its lower bound | ratio | rdp over pld |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind, noise, rate, steps in EVENTS:
        for delta in DELTAS:
            event = {kind: noise, "sample_rate": rate, "steps": steps, "delta": delta, "relation": "add_remove"}
            begin = time.process_time()
            ours = account.epsilon(**event, accountant="pld")
            seconds[0] += time.process_time() - begin
            rdp = account.epsilon(**event, accountant="rdp")
            interval = min(1e-4, ours / steps / 20)  # 1e-4 is its own, which says little of epsilons below steps / 1e4
            most, least = (
                distribution(kind, noise, rate, steps, pessimistic, interval).get_epsilon_for_delta(delta)
                for pessimistic in (True, False)
            )
            seconds[1] += (time.process_time() - begin) / 2
            below += ours < least * (1 - ROUNDING)
            ratios.append(ours / most)
            print(f"| {kind} {noise:g} | {rate or 1:g} | {steps} | {delta:g} | {ours:.6g} | {most:.6g} | {least:.6g} |"
                  f" {ratios[-1]:.6f} | {rdp / ours:.3f} |", flush=True)  # fmt: skip
    print(f"\nBelow the lower bound: {below} of {len(ratios)}. Ratios: {min(ratios):.6f} to {max(ratios):.6f}.")
    print(f"CPU seconds of all: pld {seconds[0]:.1f}, dp_accounting {seconds[1]:.0f}.")
    sys.exit(int(below > 0))


if __name__ == "__main__":
    main()
