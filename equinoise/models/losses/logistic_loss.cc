// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "equinoise/models/fixed_blocks.h"
#include "equinoise/models/losses/loss.h"

namespace equinoise {

namespace {

/// 1 / (1 + exp(-z)) in place.
void sigmoid(std::span<double> values) {
  transform_in_blocks(values, [](const auto& block) { return 1 / (1 + (-block).exp()); });
}

/// log(1 + exp(-z)) for the label 1, log(1 + exp(z)) for the label 0, without overflow.
double logistic_loss_at(double logit, uint16_t label) {
  const double against = label == 1 ? -logit : logit;
  return std::max(against, 0.0) + std::log1p(std::exp(-std::fabs(logit)));
}

class LogisticLoss final : public Loss {
 public:
  LogisticLoss() : Loss(1, 2) {}

  void scores_to_gradient(const TableRows& rows, std::span<double> scores) const override {
    sigmoid(scores);
    for (size_t i = 0; i < rows.size(); ++i) scores[i] -= rows.table.labels[rows.records[i]];
  }

  void losses(const TableRows& rows, std::span<const double> scores,
              std::span<double> losses) const override {
    for (size_t i = 0; i < rows.size(); ++i)
      losses[i] = logistic_loss_at(scores[i], rows.table.labels[rows.records[i]]);
  }

  void tangents_to_gradient_tangents(std::span<const double> scores,
                                     std::span<double> tangents) const override {
    std::vector<double> odds(scores.begin(), scores.end());
    sigmoid(odds);
    for (size_t i = 0; i < tangents.size(); ++i) tangents[i] *= odds[i] * (1 - odds[i]);
  }

  Predictions predict(const EncodedTable& table, std::vector<double> scores) const override {
    Predictions predictions;
    predictions.num_outputs = 2;
    predictions.outputs.resize(2 * scores.size());
    predictions.predicted.resize(scores.size());
    predictions.loss.resize(table.labels.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      const double logit = scores[i];
      predictions.outputs[2 * i] = -logit;
      predictions.outputs[2 * i + 1] = logit;
      predictions.predicted[i] = logit > 0 ? 1 : 0;
      if (table.labels.empty()) continue;
      predictions.loss[i] = logistic_loss_at(logit, table.labels[i]);
    }
    sigmoid(predictions.outputs);
    return predictions;
  }
};

}  // namespace

std::unique_ptr<Loss> make_logistic_loss() { return std::make_unique<LogisticLoss>(); }

}  // namespace equinoise
