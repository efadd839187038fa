// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/table_layout.h"

#include <fmt/format.h>

#include "equinoise/base/lists.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {
namespace {

/// The byte of a place in a TOML document, which is given in characters.
size_t byte_of(std::string_view text, const toml::source_position& position) {
  size_t at = 0;
  for (toml::source_index line = 1; line < position.line; ++line) at = text.find('\n', at) + 1;
  for (toml::source_index column = 1; column < position.column; ++column) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
  }
  return at;
}

/// Replaces the value of a key, or adds the key at the beginning of its section, which begins at
/// `begin`; `prefix` goes before its name there.
void set_key(std::string& text, const toml::table& section, size_t begin, std::string_view key,
             const std::string& value, std::string_view prefix = "") {
  if (const toml::node* node = section.get(key)) {
    const size_t first = byte_of(text, node->source().begin);
    text.replace(first, byte_of(text, node->source().end) - first, value);
  } else {
    text.insert(begin, fmt::format("{}{} = {}\n", prefix, key, value));
  }
}

/// Sets one key of the root (`section` is empty) or of a section, which is added if it is missing.
void set_in_schema(std::string& text, std::string_view section, std::string_view key,
                   const std::string& value) {
  const toml::table document = toml::parse(text);
  if (section.empty()) return set_key(text, document, 0, key, value);
  const toml::node* node = document.get(section);
  if (node == nullptr) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += fmt::format("\n[{}]\n{} = {}\n", section, key, value);
    return;
  }
  // A section begins behind the line of its [name], an inline table behind its brace. Dotted keys
  // have neither, so a new one is put before the first.
  const toml::table& table = *node->as_table();
  size_t begin = byte_of(text, table.source().begin);
  if (!table.is_inline() && text[begin] != '[')
    return set_key(text, table, begin, key, value, fmt::format("{}.", section));
  if (!table.is_inline()) {
    begin = text.find('\n', begin);
    if (begin == text.npos) begin = (text += '\n').size() - 1;
    return set_key(text, table, begin + 1, key, value);
  }
  if (table.contains(key)) return set_key(text, table, begin, key, value);
  text.insert(begin + 1, fmt::format(" {} = {}{}", key, value, table.empty() ? " " : ","));
}

/// Swaps the two marks if the mark between thousands is the new decimal mark.
void swap_thousands(char decimal_mark, std::string& text) {
  const toml::table document = toml::parse(text);
  const toml::table* columns = document["columns"].as_table();
  if (columns == nullptr) return;
  // Quotes and one mark have the same length, so positions stay valid.
  const std::string other = toml_string(decimal_mark == ',' ? "." : ",");
  for (const auto& [name, column] : *columns) {
    const toml::node* mark = column.is_table() ? column.as_table()->get("thousands") : nullptr;
    if (mark == nullptr || mark->value_or(std::string()) != std::string(1, decimal_mark)) continue;
    const size_t first = byte_of(text, mark->source().begin);
    if (byte_of(text, mark->source().end) - first == other.size())
      text.replace(first, other.size(), other);
  }
}

}  // namespace

bool TableOptions::empty() const {
  return !delimiter && !decimal_comma && !has_header && !encoding && missing_values.empty();
}

std::string_view delimiter_name(char delimiter) {
  return delimiter == ','    ? "a comma"
         : delimiter == ';'  ? "a semicolon"
         : delimiter == '\t' ? "a tab"
                             : "a vertical bar";
}

std::string with_table_options(std::string_view schema, const TableOptions& options) {
  std::string text(schema);
  const auto set = [&](std::string_view key, const std::string& value) {
    set_in_schema(text, "table", key, value);
  };
  if (options.delimiter) set("delimiter", toml_string(std::string(1, *options.delimiter)));
  if (options.decimal_comma) {
    set("decimal_comma", *options.decimal_comma ? "true" : "false");
    swap_thousands(*options.decimal_comma ? ',' : '.', text);
  }
  if (options.has_header) set("header", *options.has_header ? "true" : "false");
  if (options.encoding)
    set("encoding", *options.encoding == Encoding::kLatin1 ? "\"latin1\"" : "\"utf8\"");
  if (options.missing_values.empty()) return text;

  std::vector<std::string> marks = {"", "?"};
  const toml::table document = toml::parse(text);
  if (const toml::array* listed = document["missing_values"].as_array()) {
    marks.clear();
    for (const toml::node& mark : *listed) marks.push_back(mark.value_or(std::string()));
  }
  for (const std::string& mark : options.missing_values)
    if (!contains(marks, mark)) marks.push_back(mark);
  set_in_schema(text, "", "missing_values", toml_list(marks, 0));
  return text;
}

}  // namespace equinoise
