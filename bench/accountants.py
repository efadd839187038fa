# SPDX-License-Identifier: Apache-2.0
"""The accountants on 144 plans of noisy batches: each one's epsilon, the smallest and whose it is, and CPU seconds.

Usage: /usr/bin/python3 bench/accountants.py [path of equinoise]. Prints a Markdown table, and what it comes to.
A plan is --steps batches at --sample-rate with Gaussian noise of --gaussian, as a person would type it.
"""

import itertools
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PLANS = list(
    itertools.product((2.56e-5, 0.0003, 0.005, 0.1), (0.5, 5, 50), (100, 10_000, 1_000_000, 10_000_000), (1e-5, 1e-10, 1e-15))
)
ACCOUNTANTS = ("pld", "rdp", "smallest")


def ask(binary, plan, accountant):
    """(epsilon, whose, CPU seconds); no epsilon where it refuses."""
    rate, noise, steps, delta = plan
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [binary, "account", "epsilon", "--gaussian", str(noise), "--sample-rate", str(rate), "--steps", str(steps),
         "--delta", str(delta), "--accountant", accountant, "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        return None, "", seconds
    answer = json.loads(done.stdout)
    return answer["epsilon"], answer["accountant"], seconds


def number(value):
    return "refused" if value is None else f"{value:.4g}"


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build/release/bin/equinoise")
    print("| rate | noise | steps | delta | pld | rdp | smallest | whose | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|")
    worst_seconds, pld_above, refused = 0.0, 0, 0
    for plan in PLANS:
        told = {name: ask(binary, plan, name) for name in ACCOUNTANTS}
        pld, rdp, smallest = (told[name][0] for name in ACCOUNTANTS)
        whose, seconds = told["smallest"][1:]
        rate, noise, steps, delta = plan
        print(
            f"| {rate} | {noise} | {steps:.0e} | {delta:.0e} | {number(pld)} | {number(rdp)} | {number(smallest)} |"
            f" {whose} | {seconds:.2f} |",
            flush=True,
        )
        worst_seconds = max(worst_seconds, seconds)
        refused += smallest is None
        pld_above += pld is not None and rdp is not None and pld > rdp
    print(f"\n{len(PLANS)} plans, {refused} refused; at most {worst_seconds:.2f} CPU s; PLD above RDP on {pld_above}")


if __name__ == "__main__":
    main()
