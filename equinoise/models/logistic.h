#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Logistic regression with two classes and one logit: loss -log p(y), p(1) = 1 / (1 + exp(-<theta,
/// (x, 1)>)); residual p(1) - y. Label 1 is the second class of the table.
class LogisticModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  LogisticModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "logistic"; }
  Predictions predict(const EncodedTable& table, std::span<const double> parameters) const override;

 private:
  void scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                           std::span<double> values) const override;
};

}  // namespace equinoise
