#pragma once

#include "equinoise/models/model.h"

namespace equinoise {

/// Logistic regression with two classes and one logit: loss -log p(y), p(1) = 1 / (1 + exp(-<theta,
/// (x, 1)>)).
///
/// Parameters: (num_features + 1), the bias last. The gradient of a record is residual * (x, 1), so
/// its squared norm is residual^2 (|x|^2 + 1). Label 1 is the second class of the table.
class LogisticModel final : public Model {
 public:
  /// Errors: kInput unless `classes` has exactly two entries.
  LogisticModel(std::vector<std::string> feature_names, const std::vector<std::string>& classes);

  std::string name() const override { return "logistic"; }
  size_t num_parameters() const override { return feature_names_.size() + 1; }
  std::vector<std::string> parameter_names() const override;
  void per_sample(const EncodedTable& table, std::span<const uint32_t> records,
                  std::span<const double> parameters, PerSample& out) const override;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights, double grid,
                        std::span<int64_t> units) const override;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights,
                        std::span<double> sum) const override;
  void predict(const EncodedTable& table, std::span<const double> parameters,
               std::span<uint16_t> predicted, std::span<double> loss) const override;

 private:
  std::vector<std::string> feature_names_;
};

}  // namespace equinoise
