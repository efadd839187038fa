// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/laplace_sum.h"

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/rounded_laplace.h"

namespace equinoise {

void add_laplace_noise(Permit permit, const Sensitivity& sensitivity, std::span<int64_t> units,
                       RandomSource& source) {
  permit.require(Event::Kind::kLaplace, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL1) {
    throw Error(ErrorKind::kUsage, "privacy.laplace_sum",
                "the Laplace mechanism needs an L1 sensitivity");
  }
  const double scale = multiply_up(permit.event().noise_multiplier(), sensitivity.value());
  add_rounded_laplace(scale, units, source);
}

}  // namespace equinoise
