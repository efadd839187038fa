// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/other_methods.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

bool has_numeric_target(const Schema& schema) {
  return schema.column(schema.target).type == ColumnType::kNumeric;
}

bool has_two_classes(const Schema& schema) {
  const ColumnSchema& target = schema.column(schema.target);
  return target.type == ColumnType::kCategorical && target.categories().size() == 2;
}

bool has_numeric_feature(const Schema& schema) {
  return std::any_of(schema.columns.begin(), schema.columns.end(), [&](const ColumnSchema& column) {
    return column.feature && column.type == ColumnType::kNumeric && column.name != schema.target;
  });
}

struct OtherMethodRow {
  std::string_view method;
  bool (*has_purpose)(const Schema& schema);
  std::string_view purpose;
};

constexpr std::array kOtherMethods = {
    OtherMethodRow{"sufficient_statistics", &has_numeric_target,
                   "for coefficients with intervals; where public facts say that noise hides the "
                   "slopes, it predicts a noisy mean of the target alone"},
    OtherMethodRow{"noisy_newton", &has_two_classes,
                   "for log odds of the features with intervals, wide ones where there are many "
                   "features or few records"},
    OtherMethodRow{"group_statistics", &has_numeric_target,
                   "for how one regression fits each group, and to let every group count alike, or "
                   "to make the largest loss of any group small (--aim)"},
    OtherMethodRow{"dpgam", &has_numeric_feature,
                   "for relations that are not straight lines in the numbers: on the 14 tasks of "
                   "bench/zoo its loss was 0.75 to 1.01 times that of dpsgd at epsilon 1, and 0.89 "
                   "to 1.14 times at 0.3"},
};

/// The same run by another method at the same epsilon, with that method's own choices.
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

/// What the method's plan notes; empty: it cannot take the run.
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
  for (const OtherMethodRow& row : kOtherMethods) {
    if (row.method == setup.row->name || !row.has_purpose(setup.schema)) continue;
    if (auto notes = notes_of(by_method(row.method, request, setup)))
      others.push_back({std::string(row.method), std::string(row.purpose), std::move(*notes)});
  }
  return others;
}

}  // namespace equinoise
