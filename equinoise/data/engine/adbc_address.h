// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/engine/dialect.h"

namespace equinoise {

/// How the URL of such a table begins.
inline constexpr std::string_view kAdbcScheme = "adbc:";

/// Where a table is that an ADBC driver reaches. It holds no password, so it may be kept.
struct AdbcAddress {
  struct Option {
    std::string name;
    std::string value;
    bool is_variable = false;  ///< `value` names the environment variable that holds the value
  };

  std::string driver;       ///< a path, a file name ("libduckdb.so") or a name ("duckdb")
  std::string entry_point;  ///< "": as the specification calls it
  Dialect dialect = Dialect::kPostgres;
  std::vector<Option> options;     ///< of the database
  std::vector<std::string> table;  ///< the parts of its name
  std::string shown;               ///< for messages: without the options
};

/// Reads adbc:DRIVER?dialect=NAME&entrypoint=NAME&OPTION=VALUE#SCHEMA.TABLE; nothing for a text
/// that does not begin with "adbc:". `table`: where the URL names none.
///
/// DIALECT is one of `dialects()`. All else is handed to the driver; OPTION_env=NAME has the value
/// of OPTION in an environment variable. Names and values are percent-encoded where they hold %, &
/// or #.
///
/// Errors: kUsage, with what to write, for a URL that is none, for an option whose name says that
/// it is a password, a key or the like, or whose value seems to hold one, and for a table that is
/// not named, named twice or, of PostgreSQL, named without its schema. No message shows a value.
std::optional<AdbcAddress> parse_adbc(std::string_view url, std::string_view table = "");

}  // namespace equinoise
