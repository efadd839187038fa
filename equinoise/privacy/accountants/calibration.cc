#include "equinoise/privacy/accountants/calibration.h"

#include <fmt/format.h>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.calibration";

/// A cost without a finite epsilon, or at which the samplers' error takes all of delta, is too
/// high.
bool is_affordable(Relation relation, const std::vector<Event>& events, Epsilon epsilon,
                   Delta delta) {
  RdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  try {
    return accountant.epsilon(delta).value() <= epsilon.value();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

double smallest_noise_multiplier(Relation relation,
                                 const std::function<std::vector<Event>(double)>& events,
                                 Epsilon epsilon, Delta delta) {
  check_positive(kWhere, "epsilon", epsilon.value());
  check_positive(kWhere, "delta", delta.value());
  const auto affordable = [&](double noise) {
    return is_affordable(relation, events(noise), epsilon, delta);
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

int64_t largest_num_steps(Relation relation,
                          const std::function<std::vector<Event>(int64_t)>& events, Epsilon epsilon,
                          Delta delta) {
  const auto affordable = [&](int64_t steps) {
    return is_affordable(relation, events(steps), epsilon, delta);
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
