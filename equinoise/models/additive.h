// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/number_cells.h"
#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// A generalised additive model: a score is the sum over the columns of a term for the column's
/// value. Numbers use the term of the cell that they lie in. Two classes have one logit, more
/// classes a score each, and a number is fitted by squared error.
///
/// Parameters: (cells of the numeric features in turn, one-hot features, bias) times the scores, as
/// in a linear model whose records hold cells instead of numbers. `dpgam` is the method made for
/// it; gradient methods can train it too, but treat each cell separately.
class AdditiveModel final : public Model {
 public:
  /// `base`: the linear model of the cells and one-hot features. `cells`: those of each dense
  /// feature of its tables.
  AdditiveModel(std::unique_ptr<GeneralisedLinearModel> base, std::vector<NumberCells> cells,
                size_t num_features);

  std::string name() const override { return "additive"; }
  size_t num_features() const override { return num_features_; }
  size_t num_classes() const override { return base_->num_classes(); }
  size_t num_parameters() const override { return base_->num_parameters(); }
  size_t num_outputs() const override { return base_->num_outputs(); }
  std::vector<std::string> parameter_names() const override { return base_->parameter_names(); }
  size_t max_tile_records() const override { return base_->max_tile_records(); }
  std::vector<double> initial_parameters(uint64_t seed) const override {
    return base_->initial_parameters(seed);
  }

  void score(const EncodedTable& table, std::span<const uint32_t> records,
             std::span<const double> parameters, PerSample& out) const override;
  void losses(const EncodedTable& table, std::span<const uint32_t> records, const PerSample& scored,
              std::span<double> losses) const override;
  void differentiate(const EncodedTable& table, std::span<const uint32_t> records,
                     std::span<const double> added, PerSample& out) const override;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights,
                        const SumScale& scale, std::span<int64_t> units) const override;
  void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                       const PerSample& samples, std::span<const double> weights,
                       const SumScale& scale, std::span<int64_t> units) const override;
  void add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                        const PerSample& samples, std::span<const double> weights,
                        std::span<double> sum) const override;
  void sum_gradients(const EncodedTable& table, std::span<const uint32_t> records,
                     const PerSample& samples, size_t place, std::span<const double> weights,
                     GradientSum& sum) const override;
  void add_hessian_products(const EncodedTable& table, std::span<const uint32_t> records,
                            std::span<const double> parameters, std::span<const double> weights,
                            std::span<const double> directions,
                            std::span<double> products) const override;
  void directional_derivatives(const EncodedTable& table, std::span<const uint32_t> records,
                               const PerSample& samples, std::span<const double> direction,
                               std::span<double> derivatives) const override;
  void add_residual_gradient(const EncodedTable& table, std::span<const uint32_t> records,
                             std::span<const double> parameters,
                             std::span<const double> coefficients,
                             std::span<double> sum) const override;
  Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                      int threads = 1) const override;

  std::span<const NumberCells> cells() const { return cells_; }

  /// All records of the table with cells instead of numbers: a table of one-hot blocks alone. A
  /// record with a number that is not finite contributes nothing.
  EncodedTable in_cells(const EncodedTable& table) const;

 private:
  /// The same table for some records, in their order.
  EncodedTable in_cells(const EncodedTable& table, std::span<const uint32_t> records) const;

  std::unique_ptr<GeneralisedLinearModel> base_;
  std::vector<NumberCells> cells_;
  size_t num_features_;
};

/// The model for a target with these classes, or for a number if there are none. A number is
/// predicted as `start` before training. `cells` are those of the numeric features, which come
/// first in `feature_names`.
std::unique_ptr<Model> make_additive(const std::vector<std::string>& feature_names,
                                     const std::vector<std::string>& classes,
                                     std::vector<NumberCells> cells, double start);

}  // namespace equinoise
