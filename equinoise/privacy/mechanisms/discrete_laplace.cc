// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/discrete_laplace.h"

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/discrete_laplace.h"

namespace equinoise {

namespace {

constexpr Refusal refuse{ErrorKind::kUsage, "privacy.discrete_laplace"};

}  // namespace

void add_discrete_laplace_noise(Permit permit, const Sensitivity& sensitivity,
                                std::span<int64_t> units, RandomSource& source) {
  permit.require(Event::Kind::kDiscreteLaplace, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL1) {
    refuse("the discrete Laplace mechanism needs an L1 sensitivity");
  }
  const auto charged = static_cast<double>(permit.event().sensitivity());
  if (!(sensitivity.value() <= charged)) {
    refuse("sensitivity must be at most the charged {}, got {}", charged, sensitivity.value());
  }
  add_discrete_laplace(permit.event().decay(), units, source);
}

}  // namespace equinoise
