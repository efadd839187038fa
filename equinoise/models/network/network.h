// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/models/losses/loss.h"
#include "equinoise/models/model.h"
#include "equinoise/models/network/input_layer.h"
#include "equinoise/models/network/layer.h"

namespace equinoise {

/// Layers one after another on the features of a table, and a loss at the end.
///
/// A record's gradient is defined as the result of single-precision forward and backward passes.
/// Bounds on it are exact: squared norms are taken in double from the values in memory and raised
/// by more than their rounding, and sums of weighted gradients are sums of integers
/// (exact_outer_products.h, convolution.h). Parameters: layer after layer, each (inputs of an
/// output + 1, outputs or channels).
class Network final : public Model {
 public:
  /// The outputs of the last layer are the scores of `loss`.
  Network(std::string name, std::unique_ptr<InputLayer> first,
          std::vector<std::unique_ptr<Layer>> layers, std::unique_ptr<Loss> loss);

  std::string name() const override { return name_; }
  size_t num_features() const override { return first_->num_features(); }
  size_t num_classes() const override { return loss_->num_classes(); }
  size_t num_parameters() const override { return num_parameters_; }
  size_t num_outputs() const override { return loss_->num_scores(); }
  /// "layer1 age -> 7", "layer2 bias -> 0"
  std::vector<std::string> parameter_names() const override;
  std::vector<double> initial_parameters(uint64_t seed) const override;
  size_t max_tile_records() const override;
  double exact_grid(const SumScale& scale) const override;
  double max_exact_units() const override;
  double sum_error(double grid) const override;

  void score(const TableRows& rows, std::span<const double> parameters,
             PerSample& out) const override;
  void losses(const TableRows& rows, const PerSample& scored,
              std::span<double> losses) const override;
  void differentiate(const TableRows& rows, std::span<const double> added,
                     PerSample& out) const override;
  using Model::add_weighted_sum;
  /// Takes a pass over the records for each binary digit of their counts.
  void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                       const PerSample& samples, std::span<const double> weights,
                       const SumScale& scale, std::span<int64_t> units) const override;
  void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                        std::span<const double> weights, std::span<double> sum) const override;
  void sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                     std::span<const double> weights, GradientSum& sum) const override;
  bool has_sum_norms() const override { return true; }
  double squared_sum_norm(const TableRows& rows, const PerSample& samples, size_t place,
                          std::span<const double> weights, const SumScale& scale) const override;
  void add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                            std::span<const double> weights, std::span<const double> directions,
                            std::span<double> products) const override;
  void directional_derivatives(const TableRows& rows, const PerSample& samples,
                               std::span<const double> direction,
                               std::span<double> derivatives) const override;
  void add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                             std::span<const double> coefficients,
                             std::span<double> sum) const override;
  Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                      int threads = 1) const override;

 private:
  struct Tangents {
    std::vector<float> direction;             ///< (num_parameters)
    std::vector<std::vector<float>> outputs;  ///< as those of PerSample
  };

  /// Goes from the gradients at the last layer's outputs to those at every layer's; `places` gives
  /// the position of each in `out.gradients`.
  void backward(size_t num_records, const std::vector<size_t>& places, PerSample& out) const;

  /// Adds the weighted sum in double precision for records that start at `place` in the batch.
  void add_sum_from(const TableRows& rows, const PerSample& samples, size_t place,
                    const double* weights, double* sum) const;

  /// The largest number of values in a record's gradient.
  double num_values(const EncodedTable& table) const;

  /// Computes the gradients and norms from the results of forward and the output gradient.
  void finish(const TableRows& rows, PerSample& out) const;

  /// Goes from a direction at the parameters to the tangents at the outputs of first_ and of each
  /// layer.
  void forward_tangents(const TableRows& rows, const PerSample& at,
                        std::span<const double> direction, Tangents& out) const;

  LayerPoint point(size_t layer, size_t num_records, const PerSample& samples) const;

  std::string name_;
  std::unique_ptr<InputLayer> first_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<size_t> offsets_;  // of each layer's parameters; those of first_ come first
  // The positions in PerSample of the outputs of first_ and of each layer, and of the gradients at
  // them. Layers that work in place share a position.
  std::vector<size_t> output_places_;
  std::vector<size_t> gradient_places_;
  size_t num_parameters_ = 0;
  size_t num_kept_ = 0;  // values of each record that layers keep
  std::unique_ptr<Loss> loss_;
};

}  // namespace equinoise
