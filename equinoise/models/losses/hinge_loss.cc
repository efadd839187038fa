// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "equinoise/models/losses/loss.h"

namespace equinoise {

namespace {

/// The score, signed so that it is positive if it favours the label.
double margin(double score, uint16_t label) { return label == 1 ? score : -score; }

/// max(0, 1 - margin); NaN for NaN.
double hinge_loss_at(double score, uint16_t label) {
  return std::max(1 - margin(score, label), 0.0);
}

class HingeLoss final : public Loss {
 public:
  HingeLoss() : Loss(1, 2) {}

  void scores_to_gradient(const TableRows& rows, std::span<double> scores) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint16_t label = rows.table.labels[rows.records[i]];
      const double towards = label == 1 ? -1 : 1;
      scores[i] = margin(scores[i], label) < 1 ? towards : 0;
    }
  }

  void losses(const TableRows& rows, std::span<const double> scores,
              std::span<double> losses) const override {
    for (size_t i = 0; i < rows.size(); ++i)
      losses[i] = hinge_loss_at(scores[i], rows.table.labels[rows.records[i]]);
  }

  void tangents_to_gradient_tangents(std::span<const double>,
                                     std::span<double> tangents) const override {
    std::ranges::fill(tangents, 0.0);
  }

  Predictions predict(const EncodedTable& table, std::vector<double> scores) const override {
    Predictions predictions;
    predictions.num_outputs = 2;
    predictions.has_probabilities = false;
    predictions.loss.resize(table.labels.size());
    for (size_t i = 0; i < scores.size(); ++i) {
      const uint16_t predicted = scores[i] > 0 ? 1 : 0;
      predictions.predicted.push_back(predicted);
      // A NaN score gives NaN outputs, so that it does not look like a choice.
      const double nothing = std::isnan(scores[i]) ? scores[i] : 0;
      predictions.outputs.insert(predictions.outputs.end(),
                                 {nothing + 1 - predicted, nothing + predicted});
      if (!table.labels.empty()) predictions.loss[i] = hinge_loss_at(scores[i], table.labels[i]);
    }
    return predictions;
  }
};

}  // namespace

std::unique_ptr<Loss> make_hinge_loss() { return std::make_unique<HingeLoss>(); }

}  // namespace equinoise
