# SPDX-License-Identifier: Apache-2.0
"""The ledger: the account of everything that was spent."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Never, Self

from equinoise._command import run
from equinoise.reports import Report, Table, downward, facts_table, upward


class Ledger:
    """A ledger file, with one account for each dataset.

    It holds no open file: every release reads the ledger and reserves its whole cost there. A
    `with` block ends by checking the chain of the file.

    >>> import tempfile
    >>> with Ledger(tempfile.mkdtemp() + "/people.ledger") as ledger:
    ...     _ = ledger.open("people", epsilon=3, delta=1e-6)
    ...     ledger.left()
    3.0
    """

    def __init__(self, path: str | os.PathLike[str] = "equinoise.ledger") -> None:
        self.path = Path(path)

    def open(
        self,
        dataset: str,
        epsilon: float,
        delta: float = 1e-6,
        *,
        relation: str | None = None,
        unit: str | None = None,
        accountant: str | None = None,
        fixed_groups: bool = False,
        group_caps: Mapping[str, float] | None = None,
    ) -> Self:
        """Opens an account with a budget, which cannot be changed later; makes the file if needed.

        `delta` should be below 1 / number of records. `unit` is whom the account protects: a row,
        or all rows of a value of the column that the schema calls its unit. `group_caps` maps
        "PARTITION=GROUP" to a smaller epsilon and needs `fixed_groups`. See docs/guide/ledger.md.

        Errors: LedgerError if the dataset has an account already.
        """
        run(
            "ledger init",
            {
                "ledger": self.path,
                "dataset": dataset,
                "epsilon": epsilon,
                "delta": delta,
                "relation": relation,
                "unit": unit,
                "accountant": accountant,
                "fixed_groups": fixed_groups,
                "group_cap": [(f"{group}:{cap!r}",) for group, cap in (group_caps or {}).items()],
            },
        )
        return self

    def show(self, dataset: str | None = None, *, accountant: str | None = None) -> "LedgerReport":
        """Budget, spending and entries. `dataset` is needed where the file has several accounts."""
        return LedgerReport(
            run(
                "ledger show",
                {"ledger": self.path, "dataset": dataset, "accountant": accountant},
            )
        )

    def spent(self, dataset: str | None = None) -> float:
        """Epsilon of everything that was released so far, at the account's delta."""
        return float(self.show(dataset)["spent"]["epsilon"])

    def left(self, dataset: str | None = None) -> float:
        """What is left of the budget; a further release may cost more or less than a difference."""
        return float(self.show(dataset)["remaining"]["epsilon"])

    def verify(self) -> Report:
        """Checks structure, chain and budgets of the file.

        Errors: LedgerError if anything is wrong.
        """
        report = Report(run("ledger verify", {"ledger": self.path}))
        report.title = f"Ledger {self.path.name}"
        return report

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None and self.path.exists():
            self.verify()

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"Ledger({os.fspath(self.path)!r})"

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # there is one account: clones of an estimator spend from the same

    def __reduce__(self) -> Never:
        raise TypeError("a ledger is not pickled: it is the account of one file on one machine")


class LedgerReport(Report):
    """Budget, spending and entries of an account."""

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"Ledger of {self['dataset']}"

    def tables(self) -> list[Table]:
        budget = self["budget"]
        facts = {
            "budget": f"epsilon {budget['epsilon']:.6g} at delta {budget['delta']:g}",
            "relation": budget["relation"],
            "unit": budget["unit"],
            "spent": upward(self["spent"]["epsilon"]),
            "left": downward(self["remaining"]["epsilon"]),
            "accountant": budget["accountant"],
            "closed": self["closed"] or "no",
        }
        rows = [[str(e["sequence"]), e["time"], e["purpose"]] for e in self["entries"]]
        return [facts_table(facts), Table("", ["entry", "time", "purpose"], rows)]
