// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian_masses.h"

#include "equinoise/base/check.h"
#include "equinoise/privacy/random/exact_trials.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

namespace {

/// exp(-y^2 / (2 stddev^2)) for y = 0, 1, 2, ... until the remaining ones, on both sides, sum to
/// less than `rest`.
std::vector<Wide> make_weights(double stddev, const Wide& rest) {
  // weight(y + 1) = weight(y) ratio(y), ratio(y + 1) = ratio(y) ratio_of_ratios. Relative errors
  // grow to at most 2^30 roundings of 2^-256.
  const Wide variance = Wide(stddev) * Wide(stddev);
  const Wide ratio_of_ratios = exp(-1 / variance);
  Wide ratio = exp(-1 / (2 * variance));
  Wide weight = 1;
  std::vector<Wide> weights;
  // Ratios only fall from here on, so the remaining sum is below a geometric series.
  while (weights.size() < 2 || 2 * weight >= rest * (1 - ratio)) {
    weights.push_back(weight);
    weight *= ratio;
    ratio *= ratio_of_ratios;
  }
  return weights;
}

}  // namespace

DiscreteGaussianMasses::DiscreteGaussianMasses(double stddev) : stddev_(stddev) {
  check_interval("privacy.random", "discrete Gaussian stddev for a table", stddev,
                 kMinDiscreteGaussianTableStddev, kMaxDiscreteGaussianTableStddev);
  const Wide rest = ldexp(Wide(1), -134);
  const std::vector<Wide> weights = make_weights(stddev, rest);
  Wide total = 0;
  for (const Wide& weight : weights) total += 2 * weight;
  total -= weights[0];

  Uint128 remaining = Uint128{1} << 127;
  // A bound on the sum over all y of |drawn - true mass|: the omitted mass, each rounding, the
  // remainder at 0, and a normaliser without the omitted mass.
  Wide difference = 2 * rest;
  masses_.assign(weights.size(), 0);
  for (size_t y = 1; y < weights.size(); ++y) {
    const Wide mass = ldexp(2 * weights[y] / total, 127);
    masses_[y] = static_cast<Uint128>(static_cast<BigInteger>(floor(mass + Wide(0.5))));
    remaining -= masses_[y];
    difference += ldexp(abs(Wide(masses_[y]) - mass), -127);
  }
  masses_[0] = remaining;
  difference += abs(ldexp(Wide(remaining), -127) - weights[0] / total);
  if (!(difference / 2 <= kDiscreteGaussianTableError) || masses_.size() > size_t{1} << 15) {
    throw Error(ErrorKind::kRuntime, "privacy.random",
                "the masses of the discrete Gaussian are not accurate");
  }
}

}  // namespace equinoise
