// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/gaussian_sum.h"

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "privacy.gaussian_sum";

/// The stddev for the permit; takes the sampler's error out of its charge.
double use_permit(const Permit& permit, const Sensitivity& sensitivity, size_t num_draws,
                  const RandomSource& source) {
  permit.require(Event::Kind::kGaussian, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL2)
    throw Error(ErrorKind::kUsage, kWhere, "the Gaussian mechanism needs an L2 sensitivity");
  permit.use_sampler_error(static_cast<double>(num_draws) * kGaussianDrawError);
  return multiply_up(permit.event().noise_multiplier(), sensitivity.value());
}

}  // namespace

void add_gaussian_noise(Permit permit, const Sensitivity& sensitivity, std::span<int64_t> units,
                        RandomSource& source) {
  add_rounded_gaussian(use_permit(permit, sensitivity, units.size(), source), units, source);
}

void add_shared_gaussian_noise(std::vector<Permit> permits,
                               std::span<const Sensitivity> sensitivities, std::span<int64_t> units,
                               RandomSource& source) {
  if (permits.empty() || permits.size() != sensitivities.size())
    throw Error(ErrorKind::kUsage, kWhere, "every group needs a permit and a sensitivity");
  double stddev = 0;
  for (size_t k = 0; k < permits.size(); ++k)
    stddev = std::max(stddev, use_permit(permits[k], sensitivities[k], units.size(), source));
  add_rounded_gaussian(stddev, units, source);
}

}  // namespace equinoise
