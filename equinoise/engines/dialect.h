// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// The SQL dialect of a statement.
enum class Dialect { kPostgres, kDuckDb, kSpark };

inline constexpr EnumWords<Dialect, 3> kDialects = {
    {{Dialect::kPostgres, "postgres"}, {Dialect::kDuckDb, "duckdb"}, {Dialect::kSpark, "spark"}}};

/// The quoted name of a column, character by character. Errors: kInput for control characters.
std::string quoted_name(Dialect dialect, std::string_view name);

/// The parts of the name of a table or view as users write it: NAME or SCHEMA.NAME, each part bare
/// or in double quotes. Errors: kUsage for other texts: parentheses, semicolons or blanks outside
/// quotes, an empty part.
std::vector<std::string> parts_of_table(std::string_view table);

/// The quoted name of a table. Errors: as quoted_name.
std::string quoted_table(Dialect dialect, const std::vector<std::string>& parts);

/// A text, byte by byte, on one line. Pre: UTF-8.
std::string text_literal(Dialect dialect, std::string_view text);

/// A whole or decimal number, exactly. `digits`: "-16.95"; for PostgreSQL also "-infinity".
std::string decimal_literal(std::string_view digits);

/// A number of double precision by its shortest digits, including infinities.
std::string double_literal(Dialect dialect, double number);

/// The test for NaN, which equals itself in PostgreSQL. `is_double`: the value is a floating-point
/// number, not a decimal one.
std::string is_nan(Dialect dialect, std::string_view expression, bool is_double);

/// A date: "2024-03-01". In PostgreSQL and DuckDB also "infinity" and "-infinity", as for times.
std::string date_literal(std::string_view iso);

/// A time without a zone, or in UTC: "2024-03-01 10:20:30.000000".
std::string timestamp_literal(Dialect dialect, std::string_view iso);
std::string zoned_literal(Dialect dialect, std::string_view iso);

/// A text, or a value that has one (an enumerated value), as an argument of text functions.
std::string as_text(Dialect dialect, std::string_view expression);

/// A text without the blanks and tabs around it (data/values/blanks.h), compared byte by byte
/// whatever the collation of its column.
std::string trimmed(Dialect dialect, std::string_view expression);

/// The whole text, compared in the same way.
std::string compared_by_bytes(Dialect dialect, std::string_view expression);

/// The UTF-8 bytes of a text and a literal to compare them with, for PostgreSQL. It fails for a
/// text literal that the database's encoding lacks. A database without an encoding (SQL_ASCII)
/// gives bytes as they are.
std::string utf8_of(std::string_view expression);
std::string utf8_literal(std::string_view text);

/// A whole number in decimal digits.
std::string digits_of(Dialect dialect, std::string_view expression);

/// The SHA-256 of a text in UTF-8, as a value that sorts as its bytes do.
std::string sha256_of(Dialect dialect, std::string_view expression);

}  // namespace equinoise
