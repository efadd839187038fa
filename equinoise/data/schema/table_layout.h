// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The encoding of a text.
enum class Encoding {
  kUtf8,
  kLatin1,  ///< ISO 8859-1 as Windows writes it (Windows-1252)
};

/// Separators between the cells of a CSV file.
inline constexpr std::string_view kDelimiters = ",;\t|";

/// The layout of a CSV file: [table] of a schema. Other formats define theirs; only ARFF follows
/// `encoding`.
struct TableLayout {
  std::optional<char> delimiter;  ///< one of kDelimiters; nothing: the header line shows it
  bool decimal_comma = false;     ///< 0,25 is a quarter, and 0.25 is no number
  bool has_header = true;         ///< false: columns are those of the schema, in its order
  Encoding encoding = Encoding::kUtf8;
};

/// The options of a command for its tables. Each overrides the schema.
struct TableOptions {
  std::optional<char> delimiter;
  std::optional<bool> decimal_comma;
  std::optional<bool> has_header;  ///< true even if it does not look like a header
  std::optional<Encoding> encoding;
  std::vector<std::string> missing_values;  ///< in addition to those of the schema

  bool empty() const;
};

/// "a comma", "a semicolon", "a tab", "a vertical bar"
std::string_view delimiter_name(char delimiter);

/// A valid schema in TOML with the options applied.
std::string with_table_options(std::string_view schema, const TableOptions& options);

}  // namespace equinoise
