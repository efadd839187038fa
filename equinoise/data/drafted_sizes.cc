// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/drafted_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/data/blanks.h"
#include "equinoise/data/toml_section.h"

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
                                did_you_mean(column, header)));
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
      const std::string_view cell = reader.cells()[position];
      const std::string_view text =
          RecordReader::is_null(cell) ? std::string_view() : without_blanks_around(cell);
      const bool is_missing = std::find(marks_.begin(), marks_.end(), text) != marks_.end();
      values.emplace_back(is_missing ? std::string_view() : text);
    }
    ++counts_[i][values];
  }
}

std::string DraftedSizes::to_toml(const std::map<std::string, bool>& keeps_missing) const {
  std::string text;
  for (size_t i = 0; i < groupings_.size(); ++i) {
    for (const auto& [values, count] : counts_[i]) {
      std::string pairs;
      bool is_kept = true;
      for (size_t k = 0; k < values.size(); ++k) {
        const std::string& column = groupings_[i][k];
        is_kept = is_kept && (!values[k].empty() || keeps_missing.at(column));
        pairs += fmt::format("{}{} = {}", k == 0 ? "" : ", ", toml_key(column),
                             toml_string(values[k].empty() ? "missing" : values[k]));
      }
      if (!is_kept) continue;
      text +=
          fmt::format("\n[[public.groups]]\ngroup = {{ {} }}\nnum_records = {}\n", pairs, count);
    }
  }
  return text.empty() ? ""
                      : "\n# Counted in the records: publish these only if they are public.\n" +
                            text.substr(1);
}

}  // namespace equinoise
