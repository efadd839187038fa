// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/synth/code_groups.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// The required values of rows or records in a column.
struct Given {
  AttributeEvidence evidence;  ///< `attribute` is the position of the column
  /// The range of a numeric column: from the first to below the second.
  std::optional<std::pair<double, double>> range = {};
};

/// The position of a column, or after those of a group attribute. Errors: `refuse`, in words that
/// name `option`.
size_t find_in_model(const std::string& name, const std::vector<ColumnCodes>& columns,
                     const std::vector<CodeGroups>& groups, std::string_view option,
                     const Refusal& refuse);

/// Reads COLUMN=VALUE of categories, numbers, ranges (30..40, 65.., ..17) and missing, and
/// NAME=GROUP of `groups`. `option` names the entries in messages. Errors: kUsage for an unknown
/// column, one that comes twice, a value that the column does not have.
std::vector<Given> parse_given(const std::vector<std::string>& entries,
                               const std::vector<ColumnCodes>& columns,
                               const std::vector<CodeGroups>& groups, std::string_view option);

}  // namespace equinoise
