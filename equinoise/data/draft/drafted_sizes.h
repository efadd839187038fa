// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The categories that a draft makes of a column's cells.
struct DraftedCategories {
  std::set<std::string> values;
  bool keeps_others = false;   ///< other cells are the category "other"
  bool keeps_missing = false;  ///< missing cells are the category "missing"
};

/// Counts the records of each combination of categories, for the sizes in a draft. NOT PRIVATE.
class DraftedSizes {
 public:
  /// `groupings`: the columns of each. `marks`: of missing cells. Both must outlive the object.
  /// Errors: kUsage for a column that the table does not have.
  DraftedSizes(const RecordReader& reader, const std::vector<std::vector<std::string>>& groupings,
               const std::vector<std::string>& marks);

  /// Counts the reader's record.
  void add(const RecordReader& reader);

  /// A [[public.groups]] entry for each combination of categories that occurs.
  std::string to_toml(const std::map<std::string, DraftedCategories>& categories) const;

 private:
  const std::vector<std::vector<std::string>>& groupings_;
  const std::vector<std::string>& marks_;
  std::vector<std::vector<size_t>> positions_;                       ///< in the header
  std::vector<std::map<std::vector<std::string>, int64_t>> counts_;  ///< "" for a missing cell
};

}  // namespace equinoise
