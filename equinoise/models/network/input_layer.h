// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The first layer of a network: an affine function of records of a table. See Layer.
class InputLayer {
 public:
  virtual ~InputLayer() = default;

  virtual size_t num_features() const = 0;
  virtual size_t num_outputs() const = 0;
  virtual size_t num_parameters() const { return 0; }
  virtual std::vector<std::string> parameter_names() const { return {}; }
  virtual void initialise(std::mt19937_64& /*generator*/, std::span<double> /*parameters*/) const {}

  /// The outputs. With a direction instead of parameters: the tangent of the outputs.
  virtual void forward(const TableRows& rows, const float* parameters, float* outputs) const = 0;

  virtual void add_squared_norms(const TableRows& /*rows*/, const float* /*output_gradient*/,
                                 double* /*squared_norms*/) const {}
  virtual void add_weighted_sum(const TableRows& /*rows*/, const float* /*output_gradient*/,
                                const double* /*weights*/, const SumScale& /*scale*/,
                                int64_t* /*units*/) const {}
  virtual double squared_sum_norm(const TableRows& /*rows*/, const float* /*output_gradient*/,
                                  const double* /*weights*/, const SumScale& /*scale*/) const {
    return 0;
  }
  virtual void add_weighted_sum(const TableRows& /*rows*/, const float* /*output_gradient*/,
                                const double* /*weights*/, double* /*sum*/) const {}
};

/// The numeric features unchanged: the pixels of an image.
class TableValues final : public InputLayer {
 public:
  explicit TableValues(size_t num_values) : num_values_(num_values) {}
  size_t num_features() const override { return num_values_; }
  size_t num_outputs() const override { return num_values_; }
  /// Errors: kRuntime for a table with another number of numeric features.
  void forward(const TableRows& rows, const float* /*parameters*/, float* outputs) const override {
    if (rows.table.num_dense != num_values_) {
      throw Error(ErrorKind::kRuntime, "models.network", "the table's images have another shape");
    }
    for (const uint32_t record : rows.records) {
      const std::span<const float> row = rows.table.dense_row(record);
      outputs = std::ranges::copy(row, outputs).out;
    }
  }

 private:
  size_t num_values_;
};

}  // namespace equinoise
