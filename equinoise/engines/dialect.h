// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Whose SQL a statement is in.
enum class Dialect { kPostgres, kDuckDb, kSpark };

struct DialectRow {
  Dialect dialect;
  std::string_view name;
};

/// One row each.
std::span<const DialectRow> dialects();

std::string_view name_of(Dialect dialect);
std::optional<Dialect> parse_dialect(std::string_view name);

/// A name of a column, as it is. Errors: kInput for one with control characters.
std::string quoted_name(Dialect dialect, std::string_view name);

/// The parts of the name of a table or view as its user writes it: NAME or SCHEMA.NAME, each part
/// as it is or in double quotes. Errors: kUsage for what is no name: parentheses, semicolons and
/// blanks outside quotes, an empty part.
std::vector<std::string> parts_of_table(std::string_view table);

/// What a statement calls a table. Errors: as quoted_name.
std::string quoted_table(Dialect dialect, const std::vector<std::string>& parts);

/// A text, byte by byte, on one line. Pre: UTF-8.
std::string text_literal(Dialect dialect, std::string_view text);

/// A whole or decimal number, exactly. `digits`: "-16.95"; of PostgreSQL also "-infinity".
std::string decimal_literal(std::string_view digits);

/// A number of double precision, from its shortest digits; infinities, too.
std::string double_literal(Dialect dialect, double number);

/// The test for a value that is no number; those of PostgreSQL equal themselves.
/// `is_double`: it is a floating-point number, and no decimal one.
std::string is_nan(Dialect dialect, std::string_view expression, bool is_double);

/// A date: "2024-03-01". Of PostgreSQL and DuckDB there are "infinity" and "-infinity", here and of
/// times.
std::string date_literal(std::string_view iso);

/// A time without a zone, or in UTC: "2024-03-01 10:20:30.000000".
std::string timestamp_literal(Dialect dialect, std::string_view iso);
std::string zoned_literal(Dialect dialect, std::string_view iso);

/// A text or what has one (an enumerated value), as functions of texts take it.
std::string as_text(Dialect dialect, std::string_view expression);

/// A text without the blanks and tabs around it (data/values/blanks.h), which compares byte by
/// byte, whatever the collation of its column.
std::string trimmed(Dialect dialect, std::string_view expression);

/// A text as it is, which compares likewise.
std::string compared_by_bytes(Dialect dialect, std::string_view expression);

/// The bytes of a text in UTF-8, and what they are compared with: of PostgreSQL, to which a text is
/// an error that the encoding of the database cannot hold. Where a database has no encoding
/// (SQL_ASCII) bytes are as they are.
std::string utf8_of(std::string_view expression);
std::string utf8_literal(std::string_view text);

/// A whole number in decimal digits.
std::string digits_of(Dialect dialect, std::string_view expression);

/// The SHA-256 of a text in UTF-8, as something that sorts as its bytes do.
std::string sha256_of(Dialect dialect, std::string_view expression);

}  // namespace equinoise
