// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace equinoise {

/// Mean losses of groups as functions of parameters: convex and twice differentiable.
class GroupLosses {
 public:
  virtual ~GroupLosses() = default;

  virtual size_t num_parameters() const = 0;
  virtual size_t num_groups() const = 0;

  /// losses: (groups); gradients: (groups, num_parameters), of the means.
  virtual void evaluate(std::span<const double> parameters, std::span<double> losses,
                        std::span<double> gradients) const = 0;

  /// product = sum_i weights[i] H_i direction, (num_parameters), H_i the Hessian of group i's mean.
  virtual void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                               std::span<const double> direction,
                               std::span<double> product) const = 0;
};

}  // namespace equinoise
