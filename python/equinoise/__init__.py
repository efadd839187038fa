# SPDX-License-Identifier: Apache-2.0
"""Equinoise: group-fair differential privacy.

Everything runs in this process and is what the command line tool does. See docs/python/README.md.
"""

from typing import TYPE_CHECKING

from equinoise import account
from equinoise.audit import audit
from equinoise.compare import compare
from equinoise.count import count
from equinoise.errors import (
    BudgetError,
    EquinoiseError,
    InputError,
    LedgerError,
    PaidFitWarning,
    RunWarning,
    SchemaError,
    ThresholdError,
    UnknownOptionError,
    UsageError,
)
from equinoise.ledger import Ledger
from equinoise.means import means
from equinoise.schema import Schema
from equinoise.synthesizer import Synthesizer
from equinoise.tables import tables

if TYPE_CHECKING:
    from equinoise.estimators import EquinoiseClassifier, EquinoiseRegressor

    __version__: str

__all__ = [
    "BudgetError",
    "EquinoiseClassifier",
    "EquinoiseError",
    "EquinoiseRegressor",
    "InputError",
    "Ledger",
    "LedgerError",
    "PaidFitWarning",
    "RunWarning",
    "Schema",
    "SchemaError",
    "Synthesizer",
    "ThresholdError",
    "UnknownOptionError",
    "UsageError",
    "account",
    "audit",
    "compare",
    "count",
    "means",
    "tables",
]


def __getattr__(name: str) -> object:
    """The estimators, for which scikit-learn is imported, and the version, when first asked for."""
    if name in ("EquinoiseClassifier", "EquinoiseRegressor"):
        from equinoise import estimators

        return getattr(estimators, name)
    if name == "__version__":
        from equinoise._options import described

        return described()["version"]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
