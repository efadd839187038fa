#pragma once

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Linear regression: loss (z - y)^2 / 2, z = <theta, (x, 1)>, y the scaled target; residual z - y.
class LinearModel final : public GeneralisedLinearModel {
 public:
  explicit LinearModel(std::vector<std::string> feature_names);

  std::string name() const override { return "linear"; }
  Predictions predict(const EncodedTable& table, std::span<const double> parameters) const override;

 private:
  void scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                           std::span<double> values) const override;
};

}  // namespace equinoise
