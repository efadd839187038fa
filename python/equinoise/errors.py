# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, in the classes a caller can act on.

Each has `field`, the part of Equinoise that says so ("privacy.ledger", "data.schema"), and
`exit_code`, with which the command line tool ends. A message never holds the value of a cell.
"""

import re


class EquinoiseError(Exception):
    """The work itself failed: a disk is full, a run was interrupted."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(message)
        found = re.match(r"(?:equinoise: )?\[([^\]]+)\] ", message)
        self.field: str | None = found.group(1) if found else None


class UsageError(EquinoiseError, ValueError):
    """A parameter is wrong or missing."""

    exit_code = 2


class InputError(EquinoiseError, ValueError):
    """A table or a schema is wrong."""

    exit_code = 3


class SchemaError(InputError):
    """There is no schema, or it says what cannot be."""


class BudgetError(EquinoiseError):
    """The privacy budget does not allow it; nothing was spent."""

    exit_code = 4


class ThresholdError(EquinoiseError):
    """A threshold of an audit or of fairness failed."""

    exit_code = 5


class LedgerError(EquinoiseError):
    """The ledger is missing, locked, read-only or corrupt."""

    exit_code = 6


class PaidFitWarning(UserWarning):
    """A fit that is one of several is paid for, and choosing among these by exact scores is not.

    As an error it stops the fit before it spends.
    """


class RunWarning(UserWarning):
    """What a run warns of, most of it before it spends: as an error it then stops the run.

    Where it says "not private" it was learnt from the records.
    """


class UnknownOptionError(UsageError, TypeError):
    """There is no such parameter; the message names the nearest one."""


def error_of(exit_code: int, message: str) -> EquinoiseError:
    """The error of the command line tool's exit code and message."""
    field = EquinoiseError(message).field or ""
    if exit_code in (2, 3) and field.endswith("schema") and not field.startswith("cli."):
        error: EquinoiseError = SchemaError(message)
        error.exit_code = exit_code
        return error
    kinds = {
        e.exit_code: e for e in (UsageError, InputError, BudgetError, ThresholdError, LedgerError)
    }
    return kinds.get(exit_code, EquinoiseError)(message)
