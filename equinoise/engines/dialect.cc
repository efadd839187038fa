// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/dialect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"

namespace equinoise {

namespace {

constexpr std::string_view kInfinity = "infinity";

std::string typed_literal(std::string_view text, std::string_view type) {
  return fmt::format("CAST('{}' AS {})", text, type);
}

[[noreturn]] void refuse_table(std::string_view table, std::string_view problem) {
  throw Error(ErrorKind::kUsage, "data.engine",
              "the table '{}' {}; give the name of a table or view, as people or "
              "visits.people, with a name that has other characters in double quotes",
              table, problem);
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

/// Removes the next part of a table's name and the dot behind it from `rest`, and returns the part.
std::string take_part(std::string_view table, std::string_view& rest) {
  std::string part;
  if (rest.starts_with('"')) {
    rest.remove_prefix(1);
    for (;;) {
      const size_t quote = rest.find('"');
      if (quote == rest.npos) refuse_table(table, "has a quote that is not closed");
      part += rest.substr(0, quote);
      rest.remove_prefix(quote + 1);
      if (!rest.starts_with('"')) break;
      part += '"';
      rest.remove_prefix(1);
    }
  } else {
    while (!rest.empty() && is_plain(rest.front())) {
      part += rest.front();
      rest.remove_prefix(1);
    }
  }
  if (part.empty()) refuse_table(table, "is no name, or has an empty part");
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (rest.empty()) refuse_table(table, "ends with a dot");
  } else if (!rest.empty()) {
    refuse_table(table, "is no name");
  }
  return part;
}

}  // namespace

std::string quoted_name(Dialect dialect, std::string_view name) {
  const auto is_control = [](unsigned char c) { return c < ' '; };
  if (std::ranges::any_of(name, is_control)) {
    throw Error(ErrorKind::kInput, "data.engine",
                "a name with a line break or a tab cannot stand in a statement; rename it, in a "
                "database by a view of the table");
  }
  return in_quotes(name, dialect == Dialect::kSpark ? '`' : '"');
}

std::vector<std::string> parts_of_table(std::string_view table) {
  if (table.empty()) refuse_table(table, "has no name");
  std::vector<std::string> parts;
  for (std::string_view rest = table; !rest.empty();) parts.push_back(take_part(table, rest));
  return parts;
}

std::string quoted_table(Dialect dialect, const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : ".") + quoted_name(dialect, part);
  return text;
}

std::string text_literal(Dialect dialect, std::string_view text) {
  const bool has_breaks = text.find_first_of("\n\r\t") != text.npos;
  const bool has_backslash = text.find('\\') != text.npos;
  // The meaning of a backslash in PostgreSQL depends on a setting, except after an E.
  const bool is_spark = dialect == Dialect::kSpark;
  const bool is_marked = !is_spark && (has_breaks || has_backslash);
  const bool is_escaped = is_spark || is_marked;
  std::string literal = is_marked ? "E'" : "'";
  for (const char c : text) {
    if (c == '\'') {
      literal += is_spark ? "\\'" : "''";
    } else if (is_escaped && c == '\\') {
      literal += "\\\\";
    } else if (is_escaped && (c == '\n' || c == '\r' || c == '\t')) {
      literal += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else {
      literal += c;
    }
  }
  return literal + "'";
}

std::string decimal_literal(std::string_view digits) {
  return digits.ends_with(kInfinity) ? typed_literal(digits, "NUMERIC") : std::string(digits);
}

std::string double_literal(Dialect dialect, double number) {
  const std::string text = std::isinf(number) ? std::string(number < 0 ? "-Infinity" : "Infinity")
                                              : fmt::format("{}", number);
  return typed_literal(text, dialect == Dialect::kPostgres ? "DOUBLE PRECISION" : "DOUBLE");
}

std::string is_nan(Dialect dialect, std::string_view expression, bool is_double) {
  if (dialect != Dialect::kPostgres) return fmt::format("isnan({})", expression);
  return fmt::format("{} = {}", expression,
                     typed_literal("NaN", is_double ? "DOUBLE PRECISION" : "NUMERIC"));
}

std::string date_literal(std::string_view iso) { return typed_literal(iso, "DATE"); }

std::string timestamp_literal(Dialect dialect, std::string_view iso) {
  return typed_literal(iso, dialect == Dialect::kSpark ? "TIMESTAMP_NTZ" : "TIMESTAMP");
}

std::string zoned_literal(Dialect dialect, std::string_view iso) {
  // Spark has a setting on which the meaning of TIMESTAMP depends.
  return typed_literal(fmt::format("{}{}", iso, iso.ends_with(kInfinity) ? "" : "+00:00"),
                       dialect == Dialect::kSpark ? "TIMESTAMP_LTZ" : "TIMESTAMP WITH TIME ZONE");
}

std::string as_text(Dialect dialect, std::string_view expression) {
  return dialect == Dialect::kPostgres ? fmt::format("CAST({} AS TEXT)", expression)
                                       : std::string(expression);
}

std::string trimmed(Dialect dialect, std::string_view expression) {
  const std::string_view form = dialect == Dialect::kPostgres ? "BTRIM({}, ' ' || chr(9))"
                                : dialect == Dialect::kSpark  ? "TRIM(BOTH ' ' || chr(9) FROM {})"
                                                              : "TRIM({}, ' ' || chr(9))";
  return compared_by_bytes(dialect, fmt::format(fmt::runtime(form), expression));
}

std::string compared_by_bytes(Dialect dialect, std::string_view expression) {
  // Spark has no other way unless a column asks for it.
  const std::string_view collation = dialect == Dialect::kPostgres ? " COLLATE \"C\""
                                     : dialect == Dialect::kDuckDb ? " COLLATE \"binary\""
                                                                   : "";
  return fmt::format("{}{}", expression, collation);
}

std::string utf8_of(std::string_view expression) {
  return fmt::format(
      "convert_to({}, CASE getdatabaseencoding() WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' "
      "END)",
      expression);
}

std::string utf8_literal(std::string_view text) {
  std::string literal = "decode('";
  for (const unsigned char c : text) literal += fmt::format("{:02x}", c);
  return literal + "', 'hex')";
}

std::string digits_of(Dialect dialect, std::string_view expression) {
  return fmt::format("CAST({} AS {})", expression,
                     dialect == Dialect::kSpark ? "STRING" : "VARCHAR");
}

std::string sha256_of(Dialect dialect, std::string_view expression) {
  if (dialect == Dialect::kSpark) return fmt::format("sha2({}, 256)", expression);
  return fmt::format("sha256({})",
                     dialect == Dialect::kPostgres ? utf8_of(expression) : std::string(expression));
}

}  // namespace equinoise
