// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

/// A group, or all records, and their figures; undefined ones are NaN.
struct GroupFigures {
  GroupLabel group;
  Metrics metrics;
  Cost cost = {};  ///< against the reference
};

/// A sentence on the group with the lowest accuracy, or the largest error for a number, and all
/// records; it names the first of several, as groups are not tested against each other. Of two
/// classes another one on the rates at which groups are predicted positive: each rate for a few
/// groups, else the lowest and the highest. "" without figures. NOT PRIVATE.
std::string groups_line(std::span<const GroupFigures> groups, const Metrics& overall,
                        std::string_view target, const std::vector<std::string>& classes);

/// A table of groups and, as the last of `rows`, all records; columns are to be added.
TextTable figures_table(std::string caption, std::string head,
                        const std::vector<GroupFigures>& rows);

/// Adds a column with `cell(row)` for each of the rows of the table.
template <typename Rows, typename Cell>
void add_column(std::string head, const Rows& rows, const Cell& cell, TextTable& table) {
  table.head.push_back(std::move(head));
  for (size_t i = 0; i < table.rows.size(); ++i) table.rows[i].push_back(cell(rows[i]));
}

/// Adds a column for each metric, with the digits that suit the last row.
void add_metrics(const std::vector<std::string_view>& metrics,
                 const std::vector<GroupFigures>& rows, TextTable& table);

/// Adds a column of accuracy lost, or loss added, against the reference. `by_privacy`: the model
/// has a guarantee, so that this is its price.
void add_cost(bool numeric_target, bool by_privacy, const std::vector<GroupFigures>& rows,
              TextTable& table);

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
