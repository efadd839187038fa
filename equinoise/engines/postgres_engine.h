// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/engines/engine.h"
#include "equinoise/engines/engine_url.h"

namespace equinoise {

/// A table or view of a PostgreSQL server (11 or newer), read through libpq. libpq is loaded by
/// this call, so runs without a server do not need it.
///
/// The URL is libpq's, without a password: that comes from PGPASSWORD or the password file. Parts
/// of the table's name are taken literally, in upper and lower case; a name without a schema is
/// looked up as the server does. One transaction, REPEATABLE READ and READ ONLY, holds all
/// statements, and keeps the table's columns until the engine is destroyed.
///
/// Statements depend on its settings: UTC; functions and operators from pg_catalog only;
/// backslashes as characters; no row security (a table that hides rows is an error); and a limit of
/// an hour for a statement unless the URL or the server sets statement_timeout. Rows arrive one at
/// a time.
///
/// A domain has the type that it is based on, and an enumerated type is kText. citext, which
/// ignores case, is kOther.
///
/// Errors, `data.postgres`: kRuntime if libpq is missing, and those of Engine, with a sentence for
/// common failures and the SQLSTATE for others. kUsage for a URL that libpq cannot read or that
/// holds a password.
std::unique_ptr<Engine> open_postgres(const EngineUrl& url);

}  // namespace equinoise
