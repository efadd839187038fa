// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/data/engine/adbc_address.h"
#include "equinoise/data/engine/engine.h"

namespace equinoise {

/// A table or view that an ADBC driver reaches. The driver is a shared library, loaded when this is
/// called; that is code which runs with all rights of this program.
///
/// All statements run in one transaction that only reads where the driver takes the options
/// `adbc.connection.readonly`, `adbc.connection.transaction.isolation_level` and
/// `adbc.connection.autocommit`. PostgreSQL is told in SQL, with what its statements depend on:
/// REPEATABLE READ, READ ONLY, UTC, an hour for a statement unless something else is set, no row
/// security, and functions of pg_catalog alone. Where neither gives one snapshot, a second
/// statement is an error; so it is with some drivers after one that failed.
///
/// Types are those of the Arrow schema that the driver gives the table; text in a dictionary is
/// text. What a driver marks as text of another type (`ADBC:postgresql:typname`) is kDecimal for
/// numeric and kOther else.
///
/// Errors: kUsage for an environment variable that is not set and for an option that the driver
/// does not take; kInput for a table that the driver cannot describe; and those of Engine,
/// LoadedAdbcDriver and AdbcRows. None holds a value of an option or what the driver says.
std::unique_ptr<Engine> open_adbc(const AdbcAddress& address);

}  // namespace equinoise
