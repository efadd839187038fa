// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/losses/loss.h"

namespace equinoise {

namespace {

class SquaredLoss final : public Loss {
 public:
  SquaredLoss() : Loss(1, 0) {}

  void scores_to_gradient(const TableRows& rows, std::span<double> scores) const override {
    for (size_t i = 0; i < rows.size(); ++i)
      scores[i] -= static_cast<double>(rows.table.targets[rows.records[i]]);
  }

  void losses(const TableRows& rows, std::span<const double> scores,
              std::span<double> losses) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const double residual = scores[i] - static_cast<double>(rows.table.targets[rows.records[i]]);
      losses[i] = residual * residual / 2;
    }
  }

  void tangents_to_gradient_tangents(std::span<const double>, std::span<double>) const override {}

  Predictions predict(const EncodedTable& table, std::vector<double> scores) const override {
    Predictions predictions;
    predictions.outputs = std::move(scores);
    predictions.loss.resize(table.targets.size());
    for (size_t i = 0; i < predictions.loss.size(); ++i) {
      const double residual = predictions.outputs[i] - static_cast<double>(table.targets[i]);
      predictions.loss[i] = residual * residual / 2;
    }
    return predictions;
  }
};

}  // namespace

std::unique_ptr<Loss> make_squared_loss() { return std::make_unique<SquaredLoss>(); }

}  // namespace equinoise
