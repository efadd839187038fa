#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Multinomial logistic regression, one score for each of K >= 2 classes: loss -log p(y), p =
/// softmax(z); residuals p - e_y.
class SoftmaxModel final : public GeneralisedLinearModel {
 public:
  /// Errors: kInput for fewer than two classes.
  SoftmaxModel(std::vector<std::string> feature_names, std::vector<std::string> classes);

  std::string name() const override { return "softmax"; }
  /// "age -> CLASS", the class varies fastest.
  std::vector<std::string> parameter_names() const override;
  Predictions predict(const EncodedTable& table, std::span<const double> parameters) const override;

 private:
  void scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                           std::span<double> values) const override;

  std::vector<std::string> classes_;
};

}  // namespace equinoise
