// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/report/constraint_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// The losses of groups against a reference, and the gap between the largest and the smallest:
/// costs of privacy and excessive risks if the reference is not private. No rows for less than two
/// groups. NOT PRIVATE.
TextTable cost_table(const GroupCosts& groups, bool numeric_target);

/// The value of a constraint that a table shows: exact, of the reference, or private.
using CheckMember = std::optional<ConstraintCheck> ConstraintReport::*;

/// The values and verdicts of the constraints that have `checked`.
TextTable checks_table(std::string caption, std::span<const ConstraintReport> constraints,
                       CheckMember checked = &ConstraintReport::check);

/// A group and its figures.
struct GroupFigures {
  GroupLabel group;
  const Metrics* metrics;
};

/// A sentence on the group with the lowest accuracy, or the largest error for a number, and all
/// records; "" without groups or figures. It names the first of several; groups are not tested
/// against each other. NOT PRIVATE.
std::string worst_group_line(std::span<const GroupFigures> groups, const Metrics& overall,
                             bool numeric_target);

/// The rates at which groups are predicted `positive`, the class of selection_rate: each rate for a
/// few groups, else the lowest and the highest. "" without rates. NOT PRIVATE.
std::string selection_line(std::span<const GroupFigures> groups, const Metrics& overall,
                           std::string_view positive);

/// "accuracy % [95 %]", "rmse [95 %]"
std::string head_of(std::string_view metric);

/// The head of the column of groups: their columns, or the name of what is counted: "records".
std::string name_of_records(const std::string& columns, const std::string& units);

/// "Groups by sex", or "All records".
std::string caption_of(const std::string& columns);

/// A change of a loss, with its sign; "-" if undefined.
std::string format_change(double change);

/// A sentence that explains the columns of the cost of clipping.
std::string clipping_columns_line();

/// Three digits; "-" if undefined.
std::string format_size_of(double size);

}  // namespace equinoise
