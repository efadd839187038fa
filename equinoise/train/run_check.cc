// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/run_check.h"

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

/// Whether the one-hot features come after the numeric ones, in strictly ascending order.
bool is_one_hot(const EncodedTable& table, size_t row) {
  const auto active = std::span(table.active).subspan(row * table.num_active, table.num_active);
  uint32_t least = table.num_dense;
  for (const uint32_t feature : active) {
    if (feature < least || feature >= table.num_features) return false;
    least = feature + 1;
  }
  return true;
}

/// Whether units, if any, divide the rows in order, and rows are then not counted.
bool is_divided(const EncodedTable& table) {
  const std::vector<uint32_t>& begin = table.unit_begin;
  if (!table.row_counts.empty())
    return begin.empty() && std::ssize(table.row_counts) == table.num_records;
  return begin.empty() ||
         (begin.front() == 0 && std::ranges::is_sorted(begin) && begin.back() == table.num_records);
}

bool has_targets(const EncodedTable& table, size_t num_classes) {
  const auto num_records = static_cast<size_t>(table.num_records);
  if (num_classes == 0) return table.targets.size() == num_records;
  return table.labels.size() == num_records &&
         std::ranges::all_of(table.labels, [&](uint16_t label) { return label < num_classes; });
}

}  // namespace

void check_table(std::string_view where, const EncodedTable& table, const Model& model) {
  const auto num_records = static_cast<size_t>(table.num_records);
  const size_t num_rows =
      table.rows.empty() ? num_records : std::ranges::max(table.rows) + size_t{1};
  bool fits = table.num_features == model.num_features() && table.num_dense <= table.num_features &&
              table.contributes.size() == num_records &&
              (table.rows.empty() || table.rows.size() == num_records) &&
              table.dense.size() == num_rows * table.num_dense &&
              table.active.size() == num_rows * table.num_active &&
              has_targets(table, model.num_classes()) && is_divided(table);
  for (size_t row = 0; fits && row < num_rows; ++row) fits = is_one_hot(table, row);
  if (!fits) throw Error(ErrorKind::kRuntime, where, "the table does not belong to the model");
}

void check_run(std::string_view where, const EncodedTable& table, const Model& model,
               const TrainingPlan& plan, const Charge& charge, UnitRowsUse use) {
  if (use == UnitRowsUse::kRefused) require_rows(where, table);
  if (charge.events() != plan.events() || table.num_units() != plan.facts.num_records ||
      model.num_parameters() != plan.facts.num_parameters) {
    throw Error(ErrorKind::kRuntime, where,
                "the charge, the table or the model does not belong to the plan");
  }
  if (plan.facts.num_groups > 0) require_groups(where, table);
  check_table(where, table, model);
}

void check_run_from_start(std::string_view where, const TrainingRun& training) {
  check_run(where, training.table, training.model, training.plan, training.charge);
  if (training.start.num_steps_done != 0)
    throw Error(ErrorKind::kRuntime, where, "this run cannot be resumed");
}

void require_groups(std::string_view where, const EncodedTable& table) {
  if (std::ssize(table.groups) != table.num_records)
    throw Error(ErrorKind::kRuntime, where, "the table has no groups");
}

void require_rows(std::string_view where, const EncodedTable& table) {
  if (table.unit_begin.empty()) return;
  throw Error(ErrorKind::kRuntime, where, "the method takes each row of the table as a unit");
}

}  // namespace equinoise
