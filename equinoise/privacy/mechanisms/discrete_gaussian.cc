// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/discrete_gaussian.h"

namespace equinoise {

namespace {

constexpr Refusal refuse{ErrorKind::kUsage, "privacy.discrete_gaussian"};

void check(const Permit& permit, const Sensitivity& sensitivity, const RandomSource& source) {
  permit.require(Event::Kind::kDiscreteGaussian, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL1) {
    refuse("the discrete Gaussian mechanism needs an L1 sensitivity");
  }
  const auto charged = static_cast<double>(permit.event().sensitivity());
  if (!(sensitivity.value() <= charged)) {
    refuse("sensitivity must be at most the charged {}, got {}", charged, sensitivity.value());
  }
}

/// Checks an inexact sampler against the permit and takes its error out of the charge.
void check_sampler(const Permit& permit, double stddev, size_t num_draws) {
  if (stddev != permit.event().noise_stddev()) {
    refuse("noise_stddev must be the charged {}, got a sampler for {}",
           permit.event().noise_stddev(), stddev);
  }
  permit.use_sampler_error(static_cast<double>(num_draws) * kDiscreteGaussianTableError);
}

}  // namespace

void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 std::span<int64_t> units, RandomSource& source) {
  check(permit, sensitivity, source);
  add_discrete_gaussian(permit.event().noise_stddev(), units, source);
}

void add_shared_discrete_gaussian_noise(std::vector<Permit> permits, const Sensitivity& sensitivity,
                                        std::span<int64_t> units, RandomSource& source) {
  if (permits.empty()) refuse("every group needs a permit");
  for (const Permit& permit : permits) {
    check(permit, sensitivity, source);
    if (permit.event() != permits[0].event())
      refuse("groups that share noise must pay for the same");
  }
  add_discrete_gaussian(permits[0].event().noise_stddev(), units, source);
}

void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 const DiscreteGaussianTable& table, std::span<int64_t> units,
                                 RandomSource& source) {
  check(permit, sensitivity, source);
  check_sampler(permit, table.stddev(), units.size());
  table.add_noise(units, source);
}

void add_discrete_gaussian_noise(Permit permit, const Sensitivity& sensitivity,
                                 const DiscreteGaussianScan& scan, std::span<int64_t> units,
                                 RandomSource& source) {
  check(permit, sensitivity, source);
  check_sampler(permit, scan.stddev(), units.size());
  scan.add_noise(units, source);
}

}  // namespace equinoise
