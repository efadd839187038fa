// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/clip_policy.h"

namespace equinoise {

/// Sums of the gradients of some records, (num_parameters) each. NOT PRIVATE.
struct GradientSums {
  std::vector<double> plain;    ///< without clipping
  std::vector<double> clipped;  ///< with the weights of a clip policy
};

/// sum += factor * added
void add_scaled(double factor, std::span<const double> added, std::span<double> sum);

double inner_product(std::span<const double> a, std::span<const double> b);
double norm(std::span<const double> a);

/// Both sums, divided by `divisor`. Records that do not contribute, whose group is not below
/// num_groups, or whose gradient is not finite add nothing. num_groups 0: records have no groups.
GradientSums sum_gradients(const EncodedTable& table, size_t num_groups, const Model& model,
                           std::span<const double> parameters, const ClipPolicy& clip,
                           std::span<const uint32_t> records, double divisor);

}  // namespace equinoise
