// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "equinoise/models/network/input_layer.h"

namespace equinoise {

/// The first layer of a network on a table: z = (x, 1) W like Dense, with x as it is encoded. A
/// one-hot block adds one row of W instead of a product: 13 rows instead of 107 on Adult.
///
/// Parameters: (num_features + 1, num_outputs), the bias row last.
class TableDense final : public InputLayer {
 public:
  TableDense(std::vector<std::string> feature_names, size_t num_outputs)
      : feature_names_(std::move(feature_names)), num_outputs_(num_outputs) {}

  size_t num_features() const override { return feature_names_.size(); }
  size_t num_outputs() const override { return num_outputs_; }
  size_t num_parameters() const override { return (feature_names_.size() + 1) * num_outputs_; }
  /// "age -> 7"
  std::vector<std::string> parameter_names() const override;
  /// The fan-in is the number of features.
  void initialise(std::mt19937_64& generator, std::span<double> parameters) const override;
  void forward(const TableRows& rows, const float* parameters, float* outputs) const override;
  void add_squared_norms(const TableRows& rows, const float* output_gradient,
                         double* squared_norms) const override;
  void add_weighted_sum(const TableRows& rows, const float* output_gradient, const double* weights,
                        const SumScale& scale, int64_t* units) const override;
  double squared_sum_norm(const TableRows& rows, const float* output_gradient,
                          const double* weights, const SumScale& scale) const override;
  void add_weighted_sum(const TableRows& rows, const float* output_gradient, const double* weights,
                        double* sum) const override;

 private:
  std::vector<std::string> feature_names_;
  size_t num_outputs_;
};

}  // namespace equinoise
