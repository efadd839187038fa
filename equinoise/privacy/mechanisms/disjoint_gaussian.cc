// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/disjoint_gaussian.h"

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

void DisjointGaussian::add_noise(const Sensitivity& sensitivity, std::span<int64_t> units,
                                 RandomSource& source) {
  permit_.require(Event::Kind::kGaussian, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL2) {
    throw Error(ErrorKind::kUsage, "privacy.disjoint_gaussian",
                "the Gaussian mechanism needs an L2 sensitivity");
  }
  permit_.use_sampler_error(static_cast<double>(units.size()) * kGaussianDrawError);
  add_rounded_gaussian(multiply_up(permit_.event().noise_multiplier(), sensitivity.value()), units,
                       source);
}

}  // namespace equinoise
