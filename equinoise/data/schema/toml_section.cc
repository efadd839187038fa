// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/toml_section.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/base/quotes.h"

namespace equinoise {

toml::table parse_toml(std::string_view text, std::string_view origin, std::string_view where) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::kInput, where, "{}:{}:{}: not valid TOML: {}", origin,
                error.source().begin.line, error.source().begin.column, error.description());
  }
}

std::string TomlSection::name_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void TomlSection::fail_at(const toml::source_region& region, std::string_view problem) const {
  const toml::source_position& place = region.begin;
  throw Error(kind_, where_,
              place.line == 0
                  ? fmt::format("{}: {}", origin_, problem)
                  : fmt::format("{}:{}:{}: {}", origin_, place.line, place.column, problem));
}

void TomlSection::fail(std::string_view key, std::string_view problem) const {
  const toml::node* node = table_.get(key);
  const toml::source_region& region = node != nullptr ? node->source() : table_.source();
  // The root of an empty file has no place of its own.
  if (region.begin.line == 0 && path_.empty())
    fail_at(toml::source_region{{1, 1}, {1, 1}, nullptr}, problem);
  fail_at(region, problem);
}

void TomlSection::fail_missing(std::string_view key, std::string_view example) const {
  fail(key, fmt::format("{} is missing; write {}", name_of(key), example));
}

void TomlSection::check_keys(const std::vector<std::string>& allowed, std::string_view hint) const {
  for (const auto& [key, node] : table_) {
    if (contains(allowed, key.str())) continue;
    fail_at(key.source(), fmt::format("{} is not a key{}{}", name_of(key.str()), hint,
                                      did_you_mean(key.str(), allowed)));
  }
}

template <typename T>
std::optional<T> TomlSection::exact(std::string_view key, std::string_view kind) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  std::optional<T> value = node->value_exact<T>();
  if (!value) fail(key, fmt::format("{} must be {}", name_of(key), kind));
  return value;
}

std::optional<std::string> TomlSection::text(std::string_view key) const {
  return exact<std::string>(key, "a string in quotes");
}

std::optional<bool> TomlSection::boolean(std::string_view key) const {
  return exact<bool>(key, "true or false");
}

std::optional<int64_t> TomlSection::integer(std::string_view key) const {
  return exact<int64_t>(key, "a whole number");
}

std::optional<double> TomlSection::number(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  return finite_number(*node, name_of(key));
}

double TomlSection::finite_number(const toml::node& node, std::string_view name) const {
  constexpr int64_t kMaxExact = int64_t{1} << 53;
  if (const toml::value<int64_t>* whole = node.as_integer();
      whole != nullptr && (whole->get() > kMaxExact || whole->get() < -kMaxExact)) {
    fail_at(node.source(),
            fmt::format("{} has a whole number beyond 2^53, which double precision may round; "
                        "write it with a decimal point if that does not matter",
                        name));
  }
  const std::optional<double> value =
      node.is_number() ? node.value<double>() : std::optional<double>();
  if (!value || !std::isfinite(*value)) {
    fail_at(node.source(), fmt::format("{} must be a finite number", name));
  }
  return *value;
}

const toml::array* TomlSection::array(std::string_view key, std::string_view kind) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return nullptr;
  const toml::array* array = node->as_array();
  if (array == nullptr) fail(key, fmt::format("{} must be {}", name_of(key), kind));
  return array;
}

std::optional<std::vector<std::string>> TomlSection::texts(std::string_view key) const {
  const toml::array* elements = array(key, "a list of strings");
  if (elements == nullptr) return std::nullopt;
  std::vector<std::string> values;
  values.reserve(elements->size());
  std::set<std::string_view> seen;
  for (const toml::node& element : *elements) {
    const std::optional<std::string_view> value = element.value_exact<std::string_view>();
    if (!value) {
      fail_at(element.source(),
              fmt::format("{} must hold only strings; put the value in quotes", name_of(key)));
    }
    if (!seen.insert(*value).second) {
      fail_at(element.source(),
              fmt::format("{} lists \"{}\" twice; remove one", name_of(key), *value));
    }
    values.emplace_back(*value);
  }
  return values;
}

std::optional<std::vector<double>> TomlSection::numbers(std::string_view key) const {
  const toml::array* elements = array(key, "a list of numbers");
  if (elements == nullptr) return std::nullopt;
  std::vector<double> values;
  values.reserve(elements->size());
  for (const toml::node& element : *elements)
    values.push_back(finite_number(element, name_of(key)));
  return values;
}

TomlSection TomlSection::section(std::string_view key, std::string_view example) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) fail_missing(key, example);
  return section(*node, name_of(key), example);
}

TomlSection TomlSection::section(const toml::node& node, std::string path,
                                 std::string_view example) const {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    fail_at(node.source(), fmt::format("{} must be a table; write {}", path, example));
  }
  return TomlSection(*table, std::move(path), origin_, where_, kind_);
}

std::vector<std::pair<const toml::key*, const toml::node*>> TomlSection::in_file_order() const {
  using Entry = std::pair<const toml::key*, const toml::node*>;
  std::vector<Entry> entries;
  for (const auto& [key, node] : table_) entries.emplace_back(&key, &node);
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    const toml::source_position& first = a.first->source().begin;
    const toml::source_position& second = b.first->source().begin;
    return first < second;
  });
  return entries;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

std::string did_you_mean_in_list(std::string_view word,
                                 const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates) {
    const std::vector<std::string> pieces = split_names(candidate);
    if (pieces.size() < 2 || !contains(pieces, word)) continue;
    return fmt::format("; did you mean '{}'? In a list it stands in quotes: '{}'", candidate,
                       with_quotes(candidate));
  }
  return did_you_mean(word, candidates);
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_key(std::string_view key) {
  constexpr std::string_view kBare =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool is_bare = !key.empty() && key.find_first_not_of(kBare) == key.npos;
  return is_bare ? std::string(key) : toml_string(key);
}

std::string toml_list(const std::vector<std::string>& values, size_t indent) {
  constexpr size_t kLineLength = 100;
  std::string list = "[";
  size_t column = indent + 1;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string value = toml_string(values[i]) + (i + 1 < values.size() ? "," : "]");
    if (i > 0 && column + 1 + value.size() > kLineLength) {
      list += "\n  ";
      column = 2;
    } else if (i > 0) {
      list += ' ';
      ++column;
    }
    list += value;
    column += value.size();
  }
  return values.empty() ? "[]" : list;
}

std::string without_comments(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  std::string result;
  size_t line_begin = 0;     // in `result`
  std::string_view closing;  // of the string that contains the place
  for (size_t i = 0; i < text.size();) {
    if (!closing.empty()) {
      // Literal strings ('...') have no escapes.
      const bool is_escape = text[i] == '\\' && closing[0] == '"' && i + 1 < text.size();
      const bool is_end = !is_escape && text.substr(i).starts_with(closing);
      const size_t count = is_escape ? 2 : is_end ? closing.size() : 1;
      result += text.substr(i, count);
      i += count;
      if (is_end) closing = "";
      continue;
    }
    if (text[i] == '#') {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (text[i] == '\n') {
      const size_t end = result.find_last_not_of(" \t\r");
      result.resize(end == std::string::npos || end < line_begin ? line_begin : end + 1);
      if (result.size() > line_begin) result += '\n';
      line_begin = result.size();
      ++i;
      continue;
    }
    for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
      if (!closing.empty() || !text.substr(i).starts_with(quote)) continue;
      closing = quote;
    }
    const size_t count = closing.empty() ? 1 : closing.size();
    result += text.substr(i, count);
    i += count;
  }
  return result;
}

}  // namespace equinoise
