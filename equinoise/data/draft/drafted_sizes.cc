// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/drafted_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/blanks.h"

namespace equinoise {

DraftedSizes::DraftedSizes(const RecordReader& reader,
                           const std::vector<std::vector<std::string>>& groupings,
                           const std::vector<std::string>& marks)
    : groupings_(groupings), marks_(marks), counts_(groupings.size()) {
  const std::vector<std::string>& header = reader.header();
  for (const std::vector<std::string>& columns : groupings) {
    std::vector<size_t>& positions = positions_.emplace_back();
    for (const std::string& column : columns) {
      const auto found = std::find(header.begin(), header.end(), column);
      if (found == header.end() || column.empty()) {
        throw Error(ErrorKind::kUsage, "data.schema_draft",
                    fmt::format("--groups {}: there is no such column{}", column,
                                did_you_mean_in_list(column, header)));
      }
      positions.push_back(static_cast<size_t>(found - header.begin()));
    }
  }
}

void DraftedSizes::add(const RecordReader& reader) {
  std::vector<std::string> values;
  for (size_t i = 0; i < positions_.size(); ++i) {
    values.clear();
    for (const size_t position : positions_[i]) {
      const std::string_view cell = reader.text(position);
      const std::string_view text =
          RecordReader::is_null(cell) ? std::string_view() : without_blanks_around(cell);
      const bool is_missing = std::find(marks_.begin(), marks_.end(), text) != marks_.end();
      values.emplace_back(is_missing ? std::string_view() : text);
    }
    ++counts_[i][values];
  }
}

std::string DraftedSizes::to_toml(
    const std::map<std::string, DraftedCategories>& categories) const {
  std::string text;
  for (size_t i = 0; i < groupings_.size(); ++i) {
    std::map<std::vector<std::string>, int64_t> sizes;
    for (const auto& [cells, count] : counts_[i]) {
      std::vector<std::string> group;
      for (size_t k = 0; k < cells.size(); ++k) {
        const DraftedCategories& column = categories.at(groupings_[i][k]);
        if (column.values.count(cells[k]) != 0) {
          group.push_back(cells[k]);
        } else if (cells[k].empty() ? column.keeps_missing : column.keeps_others) {
          group.emplace_back(cells[k].empty() ? "missing" : "other");
        }
      }
      if (group.size() == cells.size()) sizes[group] += count;
    }
    for (const auto& [group, count] : sizes) {
      std::string pairs;
      for (size_t k = 0; k < group.size(); ++k) {
        pairs += fmt::format("{}{} = {}", k == 0 ? "" : ", ", toml_key(groupings_[i][k]),
                             toml_string(group[k]));
      }
      text +=
          fmt::format("\n[[public.groups]]\ngroup = {{ {} }}\nnum_records = {}\n", pairs, count);
    }
  }
  return text.empty() ? ""
                      : "\n# Counted in the records: publish these only if they are public.\n" +
                            text.substr(1);
}

}  // namespace equinoise
