// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "equinoise/data/record_reader.h"

namespace equinoise {

/// Counts the records of each combination of categories, for the sizes in a draft. NOT PRIVATE.
class DraftedSizes {
 public:
  /// `groupings`: the columns of each. `marks`: of missing cells. Both must outlive it. Errors:
  /// kUsage for a column that the table does not have.
  DraftedSizes(const RecordReader& reader, const std::vector<std::vector<std::string>>& groupings,
               const std::vector<std::string>& marks);

  /// Counts the reader's record.
  void add(const RecordReader& reader);

  /// A [[public.groups]] entry for each combination that occurs. `keeps_missing`: of the columns
  /// whose missing cells are a category; combinations with others are left out.
  std::string to_toml(const std::map<std::string, bool>& keeps_missing) const;

 private:
  const std::vector<std::vector<std::string>>& groupings_;
  const std::vector<std::string>& marks_;
  std::vector<std::vector<size_t>> positions_;                       ///< in the header
  std::vector<std::map<std::vector<std::string>, int64_t>> counts_;  ///< "" for a missing cell
};

}  // namespace equinoise
