# SPDX-License-Identifier: Apache-2.0
"""Equinoise: group-fair differential privacy.

Everything runs in this process and is what the command line tool does. See docs/python/README.md.
"""

from equinoise import account
from equinoise.audit import audit
from equinoise.compare import compare
from equinoise.errors import (
    BudgetError,
    EquinoiseError,
    InputError,
    LedgerError,
    SchemaError,
    ThresholdError,
    UsageError,
)
from equinoise.ledger import Ledger
from equinoise.means import means
from equinoise.schema import Schema
from equinoise.synthesizer import Synthesizer

__all__ = [
    "BudgetError",
    "EquinoiseError",
    "InputError",
    "Ledger",
    "LedgerError",
    "Schema",
    "SchemaError",
    "Synthesizer",
    "ThresholdError",
    "UsageError",
    "account",
    "audit",
    "compare",
    "means",
]
