// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/learnt_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

namespace {

/// Sorts the shorter text of 1 and 1.0 first.
void sort_values(std::vector<std::string>& values, bool are_numbers) {
  std::ranges::sort(values);
  if (!are_numbers) return;
  const auto key = [](const std::string& text) {
    return std::pair(*distinct_number(text), text.size());
  };
  std::ranges::stable_sort(
      values, [&](const std::string& a, const std::string& b) { return key(a) < key(b); });
}

/// The distinct texts of one column.
class Texts {
 public:
  Texts(size_t position, size_t max_values) : position_(position), max_values_(max_values) {}

  void add(const RecordReader& records, const std::vector<std::string>& marks) {
    const std::string_view cell = records.text(position_);
    if (RecordReader::is_null(cell)) {
      has_missing_ = true;
      return;
    }
    if (texts_.count(cell) != 0) return;
    const std::string_view text = without_blanks_around(cell);
    const auto is_text = [&](const std::string& mark) { return mark == cell || mark == text; };
    if (std::ranges::any_of(marks, is_text)) {
      has_missing_ = true;
    } else if (texts_.count(text) == 0 && texts_.size() <= max_values_) {
      // One more than is kept, which shows that there are more.
      texts_.emplace(text);
    }
  }

  LearntColumns::Column column(std::string name, const std::vector<std::string>& marks) const {
    LearntColumns::Column result;
    result.name = std::move(name);
    result.is_complete = texts_.size() <= max_values_;
    result.has_missing = has_missing_;
    result.are_numbers =
        !texts_.empty() && std::ranges::all_of(texts_, [](const std::string& text) {
          return distinct_number(text).has_value();
        });
    std::vector<std::string> values(texts_.begin(), texts_.end());
    if (result.are_numbers) {
      // A mark that is a number is compared as one.
      std::set<double> mark_numbers;
      for (const std::string& mark : marks)
        if (const std::optional<double> number = distinct_number(mark))
          mark_numbers.insert(*number);
      const auto is_mark = [&](const std::string& text) {
        return mark_numbers.contains(*distinct_number(text));
      };
      if (std::erase_if(values, is_mark) > 0) result.has_missing = true;
    }
    sort_values(values, result.are_numbers);
    result.texts = values;
    result.values = distinct_values(std::move(values));
    return result;
  }

 private:
  size_t position_;
  size_t max_values_;
  std::set<std::string, std::less<>> texts_;
  bool has_missing_ = false;
};

}  // namespace

std::vector<std::string> distinct_values(std::vector<std::string> values) {
  const bool are_numbers = std::ranges::all_of(
      values, [](const std::string& text) { return distinct_number(text).has_value(); });
  sort_values(values, are_numbers);
  // The first of equal numbers stays.
  const auto is_same = [&](const std::string& a, const std::string& b) {
    return are_numbers ? *distinct_number(a) == *distinct_number(b) : a == b;
  };
  values.erase(std::unique(values.begin(), values.end(), is_same), values.end());
  return values;
}

LearntColumns learn_columns(const TableSource& source, const TableOptions& options,
                            const std::vector<std::string>& missing_values,
                            const std::vector<std::string>& wanted, size_t max_values,
                            bool with_others) {
  LearntColumns learnt;
  const OpenTable table = open_undescribed(source, options);
  RecordReader* const reader = table.reader.get();
  learnt.layout = table.layout;
  learnt.header = reader->header();
  for (size_t i = 0; i < learnt.header.size(); ++i)
    if (!reader->repeated_name(i).empty())
      learnt.repeated_names.push_back(reader->repeated_name(i));
  std::vector<std::string> names = wanted;
  for (size_t i = 0; with_others && i < learnt.header.size(); ++i) {
    const std::string& name = learnt.header[i];
    if (!name.empty() && reader->is_readable(i) && !contains(learnt.repeated_names, name) &&
        !contains(wanted, name))
      names.push_back(name);
  }
  std::vector<Texts> texts;
  for (const std::string& name : names) {
    const auto place = std::ranges::find(learnt.header, name);
    if (place == learnt.header.end()) {
      reader->fail(fmt::format("has no column '{}'{}", name, nearest_in_it(name, learnt.header)));
    }
    const auto position = static_cast<size_t>(place - learnt.header.begin());
    if (!reader->is_readable(position))
      reader->fail(fmt::format("column '{}' {}", name, reader->column_problem(position)));
    texts.emplace_back(position, max_values);
  }
  while (reader->next())
    for (Texts& column : texts) column.add(*reader, missing_values);
  if (reader->row() == 0) reader->fail("has a header but no rows");
  for (size_t i = 0; i < names.size(); ++i)
    learnt.columns.push_back(texts[i].column(names[i], missing_values));
  return learnt;
}

}  // namespace equinoise
