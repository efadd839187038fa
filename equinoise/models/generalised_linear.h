#pragma once

#include "equinoise/models/model.h"

namespace equinoise {

/// A model whose loss depends on scores that are linear in the features: z = theta^T (x, 1).
///
/// Parameters: (num_features + 1, num_scores), the bias row last. The residuals are the gradient of
/// a record's loss at its scores, the output gradient of PerSample; its gradient at the parameters
/// is (x, 1) residuals^T, with squared norm |residuals|^2 (|x|^2 + 1). A kind of model adds its
/// residuals and what it predicts.
class GeneralisedLinearModel : public Model {
 public:
  size_t num_parameters() const final { return (feature_names_.size() + 1) * num_scores_; }

  /// With one score the features' names and "bias".
  std::vector<std::string> parameter_names() const override;

  /// A record with a score that is not finite gets the squared norm NaN.
  void per_sample(const EncodedTable& table, std::span<const uint32_t> records,
                  std::span<const double> parameters, PerSample& out) const final;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights, double grid,
                        std::span<int64_t> units) const final;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights,
                        std::span<double> sum) const final;

 protected:
  GeneralisedLinearModel(std::vector<std::string> feature_names, size_t num_scores);

  /// The scores of one record, (num_scores).
  void score(const EncodedTable& table, int64_t record, std::span<const double> parameters,
             std::span<double> scores) const;

  /// Turns the scores of a batch, (batch, num_scores), into the residuals. What a record gets may
  /// depend on nothing but the record: not on its place in the batch, nor on the batch.
  virtual void scores_to_residuals(const EncodedTable& table, std::span<const uint32_t> records,
                                   std::span<double> values) const = 0;

 private:
  std::vector<std::string> feature_names_;
  size_t num_scores_;
};

}  // namespace equinoise
