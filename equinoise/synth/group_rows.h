// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/synth/synth_file.h"

namespace equinoise {

/// The number of rows of a group that a schema declares.
struct GroupRows {
  GroupLabel group;
  int64_t num_records = 0;  ///< declared
  int64_t num_rows = 0;     ///< expected of the model
};

/// The groups whose part of `num_rows` rows is less than half or more than twice that of their
/// declared records, by ten rows or more; those of few columns first. Nothing: sizes or the number
/// of records are not public, a version that did not keep them made the file, rows have the columns
/// of no group, or a comparison would take long. Groups of columns that rows do not have are left
/// out. Post-processing.
std::optional<std::vector<GroupRows>> groups_far_off(const SynthFile& file, int64_t num_rows);

/// The columns for --stratify, `strata` among them, that give these groups their declared numbers
/// of rows; if those of all groups do not, of the first. Empty: no columns whose groups are all
/// declared do.
std::vector<std::string> strata_for(const std::vector<GroupRows>& groups, const Schema& schema,
                                    const std::vector<std::string>& strata);

}  // namespace equinoise
