// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/other_methods.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

bool has_numeric_feature(const Schema& schema) {
  return std::ranges::any_of(schema.columns, [&](const ColumnSchema& column) {
    return column.feature && column.type == ColumnType::kNumeric && column.name != schema.target;
  });
}

/// The same run by another method at the same epsilon, with that method's default options.
TrainRequest by_method(std::string_view method, const TrainRequest& request,
                       const TrainingSetup& setup) {
  TrainRequest other;
  other.schema = request.schema;
  other.public_data = request.public_data;
  other.method = method;
  other.objective = request.objective;
  other.groupings = request.groupings;
  other.group_floor = request.group_floor;
  other.test_fraction = request.test_fraction;
  other.split_seed = request.split_seed;
  other.config.epsilon = setup.plan.privacy->epsilon.value();
  other.config.delta = request.config.delta;
  other.config.relation = request.config.relation;
  return other;
}

/// The notes of the method's plan; empty: the method cannot run this request.
std::optional<std::vector<std::string>> notes_of(const TrainRequest& request) {
  try {
    return set_up_training(request).plan.notes;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return std::nullopt;
  }
}

}  // namespace

std::vector<OtherMethod> other_methods(const TrainRequest& request, const TrainingSetup& setup) {
  std::vector<OtherMethod> others;
  if (!setup.plan.privacy || setup.plan.config.constraints != nullptr) return others;
  for (const TrainingMethodRow& row : training_methods()) {
    if (row.purpose.empty() || row.name == setup.row->name) continue;
    if (row.needs_numeric_feature && !has_numeric_feature(setup.schema)) continue;
    if (auto notes = notes_of(by_method(row.name, request, setup)))
      others.push_back({std::string(row.name), std::string(row.purpose), std::move(*notes)});
  }
  return others;
}

}  // namespace equinoise
