#include "equinoise/privacy/mechanisms/gaussian_sum.h"

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

void add_gaussian_noise(Permit permit, const Sensitivity& sensitivity, std::span<int64_t> units,
                        RandomSource& source) {
  permit.require(Event::Kind::kGaussian, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kL2) {
    throw Error(ErrorKind::kUsage, "privacy.gaussian_sum",
                "the Gaussian mechanism needs an L2 sensitivity");
  }
  permit.use_sampler_error(static_cast<double>(units.size()) * kGaussianDrawError);
  const double stddev = multiply_up(permit.event().noise_multiplier(), sensitivity.value());
  add_rounded_gaussian(stddev, units, source);
}

}  // namespace equinoise
