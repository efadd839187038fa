// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The bounds on single records' parts of answers; public.
struct AnswerBounds {
  Relation relation = Relation::kZeroOut;
  double max_grad_norm = 1;  ///< of every gradient
  double loss_clip = 1;      ///< losses are clipped to this
};

/// Noisy answers about groups of records, for gradient descent. Implementations decide the source
/// and the payment of noise; descent uses the answers alone.
///
/// Costs are those of records of the group in question; sensitivities.h has the scales.
class GroupAnswers {
 public:
  virtual ~GroupAnswers() = default;

  virtual size_t num_features() const = 0;
  virtual std::span<const int64_t> group_sizes() const = 0;  ///< public, (groups)

  /// The mean of a group's clipped gradients at parameters, (num_features), with Gaussian noise
  /// that costs rho.
  virtual void gradient_mean(size_t group, std::span<const double> parameters, double rho,
                             std::span<double> answer) = 0;

  /// The mean of a group's clipped losses with Gaussian noise that costs rho.
  virtual double loss_mean(size_t group, std::span<const double> parameters, double rho) = 0;
};

}  // namespace equinoise
