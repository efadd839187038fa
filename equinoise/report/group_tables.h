// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/report/constraint_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// What groups lose to a reference and the gap between those that lose most and least: privacy
/// costs and excessive risks, where the reference has no privacy. No rows for less than two groups.
/// NOT PRIVATE.
TextTable cost_table(const GroupCosts& groups, bool numeric_target);

/// Which of the two values of a constraint a table shows.
using CheckMember = std::optional<ConstraintCheck> ConstraintReport::*;

/// How the constraints that have `checked` are kept by it.
TextTable checks_table(std::string caption, std::span<const ConstraintReport> constraints,
                       CheckMember checked = &ConstraintReport::check);

/// A group and its figures.
struct GroupFigures {
  GroupLabel group;
  const Metrics* metrics;
};

/// The group with the lowest accuracy, or the largest error of a number, beside all records: a
/// sentence, "" without groups or figures. It names the first of several; groups are not tested
/// against each other. NOT PRIVATE.
std::string worst_group_line(std::span<const GroupFigures> groups, const Metrics& overall,
                             bool numeric_target);

/// The rates at which groups are predicted `positive`, the class that selection_rate is of: each of
/// a few, else the lowest and the highest. "" without rates. NOT PRIVATE.
std::string selection_line(std::span<const GroupFigures> groups, const Metrics& overall,
                           std::string_view positive);

/// "accuracy % [95 %]", "rmse [95 %]"
std::string head_of(std::string_view metric);

/// The head of the column of groups: their columns, or what is counted: "records".
std::string name_of_records(const std::string& columns, const std::string& units);

/// "Groups by sex", or "Everybody".
std::string caption_of(const std::string& columns);

/// A change of a loss, with its sign; "-" where there is none.
std::string format_change(double change);

/// How to read the columns of what clipping costs: a sentence.
std::string clipping_columns_line();

/// Three digits; "-" where there is none.
std::string format_size_of(double size);

}  // namespace equinoise
