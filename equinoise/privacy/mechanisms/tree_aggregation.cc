// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/tree_aggregation.h"

#include <bit>
#include <cmath>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "privacy.tree_aggregation";

double stddev_for(const Permit& permit, const Sensitivity& sensitivity,
                  const RandomSource& source) {
  permit.require(Event::Kind::kTreeAggregation, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL2)
    throw Error(ErrorKind::kUsage, kWhere, "tree aggregation needs an L2 sensitivity");
  return multiply_up(permit.event().noise_multiplier(), sensitivity.value());
}

}  // namespace

TreeAggregation::TreeAggregation(Permit permit, const Sensitivity& item, size_t num_entries,
                                 RandomSource& source)
    : permit_(std::move(permit)),
      node_stddev_(stddev_for(permit_, item, source)),
      tree_(num_entries),
      source_(source) {}

std::vector<int64_t> TreeAggregation::add(std::span<const int64_t> item) {
  if (++num_items_ > permit_.event().steps()) {
    throw Error(ErrorKind::kRuntime, kWhere, "the charge is for {} items", permit_.event().steps());
  }
  return tree_.add(item,
                   [&](size_t, size_t, std::span<int64_t> node) { add_noise(node_stddev_, node); });
}

void TreeAggregation::add_noise_beside(const Sensitivity& sensitivity, std::span<int64_t> units) {
  const double stddev = stddev_for(permit_, sensitivity, source_);
  const auto levels =
      static_cast<double>(std::bit_width(static_cast<uint64_t>(permit_.event().steps())));
  add_noise(round_up(stddev / std::sqrt(levels), 1e-15), units);
}

void TreeAggregation::add_noise(double stddev, std::span<int64_t> units) {
  permit_.use_sampler_error(static_cast<double>(units.size()) * kGaussianDrawError);
  add_rounded_gaussian(stddev, units, source_);
}

}  // namespace equinoise
