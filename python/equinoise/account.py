# SPDX-License-Identifier: Apache-2.0
"""What events cost, without data; the events are those of docs/guide/events.md.

Each function takes noise multipliers (`gaussian`, `laplace`: one or several), the rate of a Poisson
batch (`sample_rate`), a number of repetitions (`steps`), further `events` as dictionaries, the
`relation` of neighbouring tables and the `accountant`.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from equinoise._command import run
from equinoise.reports import Report, Table, cell

Noise = float | str | Iterable[float | str]
Event = Mapping[str, Any]


def epsilon(
    *,
    gaussian: Noise = (),
    laplace: Noise = (),
    events: Iterable[Event] = (),
    sample_rate: float | None = None,
    steps: int = 1,
    delta: float = 1e-6,
    relation: str | None = None,
    accountant: str | None = None,
) -> float:
    """Epsilon of the events at a delta.

    >>> round(epsilon(gaussian=1.1, sample_rate=0.01, steps=1000, delta=1e-6), 3)
    1.753
    """
    made = _events(gaussian, laplace, events, sample_rate, steps, relation, accountant)
    return float(run("account epsilon", {**made, "delta": delta})["epsilon"])


def delta(
    *,
    epsilon: float,
    gaussian: Noise = (),
    laplace: Noise = (),
    events: Iterable[Event] = (),
    sample_rate: float | None = None,
    steps: int = 1,
    relation: str | None = None,
    accountant: str | None = None,
) -> float:
    """Delta of the events at an epsilon.

    >>> round(delta(gaussian=2, epsilon=1), 4)
    0.0068
    """
    made = _events(gaussian, laplace, events, sample_rate, steps, relation, accountant)
    return float(run("account delta", {**made, "epsilon": epsilon})["delta"])


def noise(
    *,
    epsilon: float,
    delta: float = 1e-6,
    gaussian: Noise = (),
    laplace: Noise = (),
    events: Iterable[Event] = (),
    sample_rate: float | None = None,
    steps: int = 1,
    relation: str | None = None,
    accountant: str | None = None,
) -> float:
    """The smallest noise multiplier, in place of "?", that stays within an epsilon at a delta.

    Without any event it is that of Gaussian noise.

    >>> round(noise(epsilon=1, sample_rate=0.01, steps=1000), 3)
    1.563
    """
    events = list(events)
    if not _several(gaussian) and not _several(laplace) and not events:
        gaussian = "?"
    made = _events(gaussian, laplace, events, sample_rate, steps, relation, accountant)
    return float(run("account noise", {**made, "epsilon": epsilon, "delta": delta})["noise"])


def steps(
    *,
    epsilon: float,
    delta: float = 1e-6,
    gaussian: Noise = (),
    laplace: Noise = (),
    events: Iterable[Event] = (),
    sample_rate: float | None = None,
    relation: str | None = None,
    accountant: str | None = None,
) -> int:
    """The largest number of repetitions that stays within an epsilon at a delta.

    >>> steps(gaussian=1.1, sample_rate=0.01, epsilon=1)
    277
    """
    made = _events(gaussian, laplace, events, sample_rate, "?", relation, accountant)
    return int(run("account steps", {**made, "epsilon": epsilon, "delta": delta})["steps"])


def compare(
    *,
    delta: float = 1e-6,
    epsilon: float | None = None,
    gaussian: Noise = (),
    laplace: Noise = (),
    events: Iterable[Event] = (),
    sample_rate: float | None = None,
    steps: int = 1,
    relation: str | None = None,
) -> "AccountReport":
    """All accountants on the same events: epsilon at a delta or, if it is given, delta at epsilon.

    >>> [row["accountant"] for row in compare(gaussian=2)["rows"]]
    ['zcdp', 'rdp', 'pld']
    """
    made = _events(gaussian, laplace, events, sample_rate, steps, relation, None)
    at = {"delta": delta} if epsilon is None else {"epsilon": epsilon}
    return AccountReport(run("account compare", {**made, **at}))


class AccountReport(Report):
    """What each accountant says of the same events, or why it cannot bound them."""

    title = "Accountants"

    def tables(self) -> list[Table]:
        rows = [
            [
                row["accountant"],
                cell(row.get("epsilon")),
                cell(row.get("delta")),
                row.get("refusal", ""),
            ]
            for row in self["rows"]
        ]
        return [Table("", ["accountant", "epsilon", "delta", "no answer because"], rows)]


def _events(
    gaussian: Noise,
    laplace: Noise,
    events: Iterable[Event],
    sample_rate: float | None,
    steps: int | str,
    relation: str | None,
    accountant: str | None,
) -> dict[str, object]:
    """The options of `equinoise account`."""
    return {
        "gaussian": _several(gaussian),
        "laplace": _several(laplace),
        "event": [[json.dumps(event)] for event in events] or None,
        "sample_rate": sample_rate,
        "steps": steps,
        "relation": relation,
        "accountant": accountant,
    }


def _several(noise: Noise) -> list[list[float | str]] | None:
    if isinstance(noise, (int, float, str)):
        return [[noise]]
    return [[one] for one in noise] or None
