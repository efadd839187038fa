// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/engines/engine.h"
#include "equinoise/engines/engine_url.h"

namespace equinoise {

/// A table or view of a PostgreSQL server (11 or newer), by libpq, which is loaded when this is
/// called: whoever asks no server needs no libpq.
///
/// The URL is libpq's, without a password: that comes from PGPASSWORD or the password file. Parts
/// of the table's name stand for themselves, in upper and lower case; one without a schema is found
/// as the server finds it. One transaction, REPEATABLE READ and READ ONLY, holds all statements,
/// and the table's shape until the engine goes. Its settings are part of what statements mean:
/// UTC, only pg_catalog to find functions and operators in, backslashes that are characters, no
/// row security (a table that hides rows is an error), and an hour for a statement unless the URL
/// or the server sets statement_timeout. Rows arrive one at a time.
///
/// A domain is the type that it is made of, and values of an enumerated type are kText. citext, to
/// which upper and lower case are the same, is kOther.
///
/// Errors, `data.postgres`: kRuntime where libpq is missing, and those of Engine, with a sentence
/// for what goes wrong often and else the SQLSTATE. kUsage for a URL that libpq cannot read or that
/// holds a password.
std::unique_ptr<Engine> open_postgres(const EngineUrl& url);

}  // namespace equinoise
