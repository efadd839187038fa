#include "equinoise/privacy/accountants/calibration.h"

#include <fmt/format.h>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.calibration";

}  // namespace

double smallest_noise_multiplier(const std::function<std::vector<Event>(double)>& events,
                                 Epsilon epsilon, Delta delta) {
  check_positive(kWhere, "epsilon", epsilon.value());
  check_positive(kWhere, "delta", delta.value());
  const auto affordable = [&](double noise) {
    return rdp_epsilon(events(noise), delta).value() <= epsilon.value();
  };
  double high = 1;
  while (!affordable(high)) {
    high *= 2;
    if (high > 1e6) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format(
              "no noise multiplier up to 1e6 reaches epsilon {} at delta {}; use fewer steps, a "
              "smaller batch or a larger epsilon",
              epsilon.value(), delta.value()));
    }
  }
  double low = high / 2;
  while (low > 1e-3 && affordable(low)) {
    high = low;
    low /= 2;
  }
  // `high` is always affordable: it is what is returned.
  while (high - low > 1e-5 * high) {
    const double middle = low + (high - low) / 2;
    (affordable(middle) ? high : low) = middle;
  }
  return high;
}

int64_t largest_num_steps(const std::function<std::vector<Event>(int64_t)>& events, Epsilon epsilon,
                          Delta delta) {
  const auto affordable = [&](int64_t steps) {
    return rdp_epsilon(events(steps), delta).value() <= epsilon.value();
  };
  if (!affordable(1)) return 0;
  int64_t low = 1;
  int64_t high = 2;
  while (high < (int64_t{1} << 40) && affordable(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (affordable(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace equinoise
