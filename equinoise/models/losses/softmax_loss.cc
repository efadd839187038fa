// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "equinoise/models/fixed_blocks.h"
#include "equinoise/models/losses/loss.h"

namespace equinoise {

namespace {

/// Intermediate results of softmax for one record.
struct Scores {
  size_t best = 0;  ///< the first class with the largest score
  double best_score = 0;
  double others = 0;  ///< sum of exp(score - best_score) over the other classes
};

/// exp(z_k) / sum exp(z) in place. The largest score is subtracted first, so nothing overflows.
Scores softmax(std::span<double> row) {
  Scores scores;
  scores.best = static_cast<size_t>(std::ranges::max_element(row) - row.begin());
  scores.best_score = row[scores.best];
  for (double& value : row) value -= scores.best_score;
  transform_in_blocks(row, [](const auto& block) { return block.exp(); });
  for (size_t k = 0; k < row.size(); ++k) scores.others += k == scores.best ? 0 : row[k];
  for (double& value : row) value /= 1 + scores.others;
  return scores;
}

class SoftmaxLoss final : public Loss {
 public:
  explicit SoftmaxLoss(size_t num_classes) : Loss(num_classes, num_classes) {}

  void scores_to_gradient(const TableRows& rows, std::span<double> scores) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::span<double> row = scores.subspan(i * num_scores(), num_scores());
      softmax(row);
      row[rows.table.labels[rows.records[i]]] -= 1;
    }
  }

  void losses(const TableRows& rows, std::span<const double> scores,
              std::span<double> losses) const override {
    std::vector<double> row(num_scores());
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(scores.begin() + static_cast<std::ptrdiff_t>(i * row.size()), row.size(),
                  row.begin());
      const double own_score = row[rows.table.labels[rows.records[i]]];
      const Scores found = softmax(row);
      losses[i] = found.best_score - own_score + std::log1p(found.others);
    }
  }

  void tangents_to_gradient_tangents(std::span<const double> scores,
                                     std::span<double> tangents) const override {
    std::vector<double> shares(scores.begin(), scores.end());
    for (size_t begin = 0; begin < tangents.size(); begin += num_scores()) {
      const std::span<double> share = std::span(shares).subspan(begin, num_scores());
      softmax(share);
      double mean = 0;
      for (size_t k = 0; k < num_scores(); ++k) mean += share[k] * tangents[begin + k];
      for (size_t k = 0; k < num_scores(); ++k)
        tangents[begin + k] = share[k] * (tangents[begin + k] - mean);
    }
  }

  Predictions predict(const EncodedTable& table, std::vector<double> scores) const override {
    const auto num_records = static_cast<size_t>(table.num_records);
    Predictions predictions;
    predictions.num_outputs = num_scores();
    predictions.outputs = std::move(scores);
    predictions.predicted.resize(num_records);
    predictions.loss.resize(table.labels.size());
    for (size_t i = 0; i < num_records; ++i) {
      const std::span<double> row =
          std::span(predictions.outputs).subspan(i * num_scores(), num_scores());
      const double own_score = table.labels.empty() ? 0 : row[table.labels[i]];
      const Scores found = softmax(row);
      predictions.predicted[i] = static_cast<uint16_t>(found.best);
      if (table.labels.empty()) continue;
      predictions.loss[i] = found.best_score - own_score + std::log1p(found.others);
    }
    return predictions;
  }
};

}  // namespace

std::unique_ptr<Loss> make_softmax_loss(size_t num_classes) {
  return std::make_unique<SoftmaxLoss>(num_classes);
}

}  // namespace equinoise
