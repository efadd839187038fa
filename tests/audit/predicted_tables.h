// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "equinoise/audit/group_metrics.h"

namespace equinoise::testing {

/// A table of targets alone, what a model says of it, and who is in which group.
struct PredictedTable {
  EncodedTable table;
  Predictions predictions;
  std::vector<GroupId> group_of;
  size_t num_groups = 1;
};

inline PredictedTable classified(std::vector<uint16_t> labels, std::vector<uint16_t> predicted,
                                 std::vector<double> loss, size_t num_classes = 2) {
  PredictedTable result;
  result.table.num_records = static_cast<int64_t>(labels.size());
  result.table.contributes.assign(labels.size(), 1);
  result.group_of.assign(labels.size(), GroupId{0});
  result.table.labels = std::move(labels);
  result.table.classes.assign(num_classes, "class");
  result.predictions.num_outputs = num_classes;
  for (const uint16_t label : predicted)
    for (size_t k = 0; k < num_classes; ++k)
      result.predictions.outputs.push_back(k == label ? 1 : 0);
  result.predictions.predicted = std::move(predicted);
  result.predictions.loss = std::move(loss);
  return result;
}

/// On the scale of the table, whose targets are offset + divisor * scaled in their own units.
inline PredictedTable regressed(std::vector<float> targets, std::vector<double> outputs,
                                double divisor = 1) {
  PredictedTable result;
  result.table.num_records = static_cast<int64_t>(targets.size());
  result.table.contributes.assign(targets.size(), 1);
  result.group_of.assign(targets.size(), GroupId{0});
  for (size_t i = 0; i < targets.size(); ++i) {
    const double residual = outputs[i] - static_cast<double>(targets[i]);
    result.predictions.loss.push_back(residual * residual / 2);
  }
  result.table.targets = std::move(targets);
  result.table.target_offset = 100;
  result.table.target_divisor = divisor;
  result.predictions.outputs = std::move(outputs);
  return result;
}

/// `data` with units of so many rows each, one after another, which count as one each.
inline PredictedTable of_units(PredictedTable data, const std::vector<uint32_t>& sizes) {
  data.table.unit_begin = {0};
  for (const uint32_t size : sizes)
    data.table.unit_begin.push_back(data.table.unit_begin.back() + size);
  weigh_by_units(data.table);
  return data;
}

/// A case of group_metrics.json, of kind classification or regression.
inline PredictedTable predicted_table(const nlohmann::json& c) {
  PredictedTable result;
  if (c["kind"] == "classification") {
    result = classified(c["y_true"], c["y_pred"], c["loss"]);
  } else {
    // Errors in double: the targets of a table are in single precision.
    constexpr double kDivisor = 4;
    std::vector<float> targets;
    std::vector<double> outputs;
    for (size_t i = 0; i < c["y_true"].size(); ++i) {
      const double target = c["y_true"][i];
      targets.push_back(static_cast<float>(target / kDivisor));
      outputs.push_back((c["y_pred"][i].get<double>() - target) / kDivisor +
                        static_cast<double>(targets.back()));
    }
    result = regressed(std::move(targets), std::move(outputs), kDivisor);
  }
  result.num_groups = c["num_groups"];
  result.group_of.clear();
  for (const auto& group : c["group"]) result.group_of.push_back(GroupId{group.get<uint32_t>()});
  return result;
}

inline std::vector<Metrics> group_metrics(const PredictedTable& data) {
  return equinoise::group_metrics(data.table, data.predictions, data.group_of, data.num_groups);
}

inline Metrics overall_metrics(const PredictedTable& data) {
  return equinoise::overall_metrics(data.table, data.predictions);
}

}  // namespace equinoise::testing
