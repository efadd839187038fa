// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "equinoise/models/registry.h"
#include "tests/small_tables.h"

namespace equinoise::testing {

/// A kind of model and how many classes its target has; 0 for a numeric target.
struct ModelCase {
  std::string kind;
  size_t num_classes;
};

inline std::ostream& operator<<(std::ostream& out, const ModelCase& model) {
  return out << model.kind << model.num_classes;
}

/// 11 classes: more than one block of the vectorised exponential, and not a whole number of them.
inline std::vector<ModelCase> model_cases() {
  return {{"logistic", 2}, {"softmax", 2}, {"softmax", 3},
          {"softmax", 11}, {"linear", 0},  {"hinge", 2}};
}

/// mixed_table with a target for the model.
inline EncodedTable table_for(const ModelCase& model, int64_t num_records, uint64_t seed) {
  EncodedTable table = mixed_table(num_records, seed);
  if (model.num_classes == 2) return table;
  table.classes.clear();
  for (size_t k = 0; k < model.num_classes; ++k) table.classes.push_back(std::to_string(k));
  for (size_t i = 0; i < table.labels.size(); ++i) {
    const size_t label = table.labels[i] + 3 * i + table.active[2 * i];
    if (model.num_classes > 0) {
      table.labels[i] = static_cast<uint16_t>(label % model.num_classes);
    } else {
      table.targets.push_back(0.3F * static_cast<float>(label % 7) - 1);
    }
  }
  if (model.num_classes == 0) table.labels.clear();
  return table;
}

inline std::unique_ptr<Model> make_model(const ModelCase& model, const EncodedTable& table) {
  for (const ModelRow& row : model_kinds()) {
    if (row.name == model.kind)
      return row.make({table.feature_names, table.classes, {}, 0, mixed_cells()},
                      {{7, 5}, ActivationKind::kTanh});
  }
  return nullptr;
}

inline std::vector<double> wavy_parameters(const Model& model, double scale) {
  std::vector<double> parameters(model.num_parameters());
  for (size_t j = 0; j < parameters.size(); ++j)
    parameters[j] = scale * std::sin(3 * static_cast<double>(j) + 1);
  return parameters;
}

/// What remains of a score of the record without the parts of its columns.
inline double constant_of(const Model& model, const EncodedTable& table, uint32_t record,
                          std::span<const double> parameters, size_t output) {
  PerSample scored;
  model.score({table, {&record, 1}}, parameters, scored);
  double constant = scored.output_gradient[output];
  const EncodedTable table_of_parts = model.table_of_parts(table);
  for (const ScorePart& part : model.parts(table_of_parts, record, parameters))
    constant -= part.score(output);
  return constant;
}

/// (x, 1) of one record, every entry written out.
inline std::vector<double> input_of(const EncodedTable& table, int64_t record) {
  std::vector<double> input(table.num_features + size_t{1}, 0);
  const std::span<const float> dense = table.dense_row(record);
  for (size_t j = 0; j < dense.size(); ++j) input[j] = static_cast<double>(dense[j]);
  for (uint32_t feature : table.active_row(record)) input[feature] = 1;
  input.back() = 1;
  return input;
}

}  // namespace equinoise::testing
