#include "equinoise/models/softmax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

namespace {

/// What softmax learns of a record's scores on the way.
struct Scores {
  size_t best = 0;  ///< the first class with the largest score
  double best_score = 0;
  double others = 0;  ///< sum of exp(score - best_score) over the other classes
};

/// exp(z_k) / sum exp(z) in place. The largest score is taken off first, so nothing overflows.
Scores softmax(std::span<double> row) {
  Scores scores;
  scores.best = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
  scores.best_score = row[scores.best];
  for (double& value : row) value -= scores.best_score;
  transform_in_blocks(row, [](const auto& block) { return block.exp(); });
  for (size_t k = 0; k < row.size(); ++k) scores.others += k == scores.best ? 0 : row[k];
  for (double& value : row) value /= 1 + scores.others;
  return scores;
}

}  // namespace

SoftmaxModel::SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes)
    : GeneralisedLinearModel(std::move(feature_names), classes.size()),
      classes_(std::move(classes)) {
  if (classes_.size() < 2) {
    throw Error(ErrorKind::kInput, "models.softmax",
                fmt::format("softmax regression needs a target with at least two values, the "
                            "schema lists {}",
                            classes_.size()));
  }
}

std::vector<std::string> SoftmaxModel::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (const std::string& row : GeneralisedLinearModel::parameter_names()) {
    for (const std::string& name : classes_) names.push_back(fmt::format("{} -> {}", row, name));
  }
  return names;
}

void SoftmaxModel::scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                                       std::span<double> values) const {
  const size_t num_classes = classes_.size();
  for (size_t i = 0; i < records.size(); ++i) {
    const std::span<double> row = values.subspan(i * num_classes, num_classes);
    softmax(row);
    row[table.labels[records[i]]] -= 1;
  }
}

Predictions SoftmaxModel::predict(const EncodedTable& table,
                                  std::span<const double> parameters) const {
  const auto num_records = static_cast<size_t>(table.num_records);
  const size_t num_classes = classes_.size();
  Predictions predictions;
  predictions.num_outputs = num_classes;
  predictions.outputs.resize(num_records * num_classes);
  predictions.predicted.resize(num_records);
  predictions.loss.resize(table.labels.size());
  for (size_t i = 0; i < num_records; ++i) {
    const std::span<double> row =
        std::span(predictions.outputs).subspan(i * num_classes, num_classes);
    score(table, static_cast<int64_t>(i), parameters, row);
    const double own_score = table.labels.empty() ? 0 : row[table.labels[i]];
    const Scores scores = softmax(row);
    predictions.predicted[i] = static_cast<uint16_t>(scores.best);
    if (table.labels.empty()) continue;
    predictions.loss[i] = scores.best_score - own_score + std::log1p(scores.others);
  }
  return predictions;
}

}  // namespace equinoise
