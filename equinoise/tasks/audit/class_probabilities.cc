// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/class_probabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

constexpr std::string_view kClass = "{}";

[[noreturn]] void refuse_columns(std::string_view problem) {
  throw Error(ErrorKind::kUsage, "tasks.audit", "--probabilities: {}", problem);
}

/// Whether two texts name the same class, as 1 and 1.0 do.
bool is_same_class(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::optional<double> number = parse_number(a);
  return number && number == parse_number(b);
}

}  // namespace

ProbabilityColumns::ProbabilityColumns(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const size_t place = text.find(kClass);
    if (place != std::string::npos) {
      if (has_pattern_) refuse_columns("more than one name holds {}; give one");
      has_pattern_ = true;
      before_ = text.substr(0, place);
      after_ = text.substr(place + kClass.size());
      continue;
    }
    const size_t sign = rfind_outside_quotes(text, '=');
    if (sign == std::string::npos) {
      refuse_columns(
          fmt::format("takes a name in which {{}} stands for the class, as in 'probability of "
                      "{{}}', or CLASS=COLUMN for each class, got {}",
                      text));
    }
    std::pair<std::string, std::string> named{without_quotes(text.substr(0, sign)),
                                              without_quotes(text.substr(sign + 1))};
    for (const auto& [of_class, column] : named_) {
      if (of_class == named.first) refuse_columns(fmt::format("class {} is named twice", of_class));
      if (column == named.second) refuse_columns(fmt::format("column {} is named twice", column));
    }
    named_.push_back(std::move(named));
  }
}

std::vector<std::string> ProbabilityColumns::classes_in(
    const std::vector<std::string>& header) const {
  std::vector<std::string> classes;
  for (const auto& [of_class, column] : named_) classes.push_back(of_class);
  const size_t length = before_.size() + after_.size();
  if (!has_pattern_ || length == 0) return classes;
  for (const std::string& name : header) {
    const bool is_named =
        std::ranges::any_of(named_, [&](const auto& named) { return named.second == name; });
    if (!is_named && name.size() > length && name.starts_with(before_) && name.ends_with(after_))
      classes.push_back(name.substr(before_.size(), name.size() - length));
  }
  return classes;
}

std::vector<std::string> ProbabilityColumns::columns_of(
    const ColumnSchema& target, const std::vector<std::string>& header) const {
  std::vector<std::string> columns(target.values.size());
  const auto is_class = [&](size_t k, const std::string& text) {
    return is_same_class(text, target.values[k]) ||
           (k < target.cell_texts.size() && is_same_class(text, target.cell_texts[k]));
  };
  for (size_t k = 0; k < columns.size(); ++k) {
    for (const auto& [of_class, column] : named_)
      if (is_class(k, of_class)) columns[k] = column;
    if (!columns[k].empty() || !has_pattern_) continue;
    const size_t length = before_.size() + after_.size();
    for (const std::string& name : header) {
      if (name.size() <= length || !name.starts_with(before_) || !name.ends_with(after_)) continue;
      const std::string text = name.substr(before_.size(), name.size() - length);
      // The spelling of the class itself takes precedence over other spellings.
      if (text == target.values[k] || (columns[k].empty() && is_class(k, text))) columns[k] = name;
    }
  }
  return columns;
}

std::string ProbabilityColumns::expected_name(const std::string& of_class) const {
  return has_pattern_ ? before_ + of_class + after_ : "";
}

}  // namespace equinoise
