// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/record_reader.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "equinoise/data/formats/input_file.h"

namespace equinoise {

void RecordReader::fail(std::string_view problem) const { fail_in_file(name_, problem); }

void RecordReader::fail_here(std::string_view problem) const {
  const std::string where = place();
  fail(where.empty() ? std::string(problem) : fmt::format("{} {}", where, problem));
}

std::string RecordReader::place() const { return fmt::format("row {}", row_); }

std::string_view RecordReader::printed(size_t column) const {
  if (printed_.size() < cells_.size()) printed_.resize(cells_.size());
  return cells_[column].print(printed_[column]);
}

const std::string& RecordReader::repeated_name(size_t column) const {
  static const std::string kNone;
  return repeated_.empty() ? kNone : repeated_[column];
}

void RecordReader::settle_names() {
  const std::set<std::string> taken(header_.begin(), header_.end());
  std::set<std::string> seen;
  std::map<std::string, int> last_suffixes;
  for (size_t i = 0; i < header_.size(); ++i) {
    if (header_[i].empty() || seen.insert(header_[i]).second) continue;
    repeated_.resize(header_.size());
    repeated_[i] = header_[i];
    int& suffix = last_suffixes.emplace(repeated_[i], 1).first->second;
    while (taken.count(header_[i]) != 0 || !seen.insert(header_[i]).second)
      header_[i] = fmt::format("{}_{}", repeated_[i], ++suffix);
  }
}

}  // namespace equinoise
