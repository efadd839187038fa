// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.calibration";
constexpr double kPrecision = 1e-5;
constexpr double kLeastNoise = 1e-3;

class Budgeted {
 public:
  explicit Budgeted(const PrivacyTarget& target)
      : target_(target), row_(find_accountant(target.accountant)) {
    check_positive(kWhere, "epsilon", target.epsilon.value());
  }

  /// Throws if the accountant refuses the events as such.
  void require_bound(const std::vector<Event>& events) const {
    static_cast<void>(row_.make(target_.relation, events));
  }

  /// Their epsilon; infinity if it is not finite or failures take all of delta.
  double cost(const std::vector<Event>& events) const {
    try {
      return row_.make(target_.relation, events)->epsilon(target_.delta).value();
    } catch (const Error&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  bool affords(double cost) const { return cost <= target_.epsilon.value(); }

  /// Where between two costs the target lies: 0 at `low`, 1 at `high`; they are taken to follow a
  /// power law. One half if they do not tell.
  double share(double low, double high) const {
    const double total = std::log(low / high);
    const double share = std::log(low / target_.epsilon.value()) / total;
    return share > 0 && share < 1 ? share : 0.5;
  }

 private:
  const PrivacyTarget& target_;
  const AccountantRow& row_;
};

}  // namespace

double smallest_noise_multiplier(const PrivacyTarget& target,
                                 const std::function<std::vector<Event>(double)>& events) {
  const Budgeted budget(target);
  budget.require_bound(events(10));
  const auto cost_of = [&](double noise) { return budget.cost(events(noise)); };
  double high = 1;
  double cost_high = cost_of(high);
  double low = 0;
  double cost_low = std::numeric_limits<double>::infinity();
  while (!budget.affords(cost_high)) {
    low = high;
    cost_low = cost_high;
    high *= 2;
    cost_high = cost_of(high);
    if (high > 1e6) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format(
              "no noise multiplier up to 1e6 reaches epsilon {} at delta {}; use fewer steps, a "
              "smaller batch or a larger epsilon",
              target.epsilon.value(), target.delta.value()));
    }
  }
  // Less noise than that is none.
  while (low == 0) {
    if (high <= kLeastNoise) return high;
    const double half = high / 2;
    const double cost = cost_of(half);
    if (budget.affords(cost)) {
      high = half;
      cost_high = cost;
    } else {
      low = half;
      cost_low = cost;
    }
  }
  // `high` is always affordable: it is what is returned. Interpolation, a little beyond the target
  // so that the interval closes from both sides, and now and then a bisection.
  for (int i = 1; high - low > kPrecision * high; ++i) {
    double middle = low + (high - low) / 2;
    if (i % 4 != 0) {
      middle = low * std::pow(high / low, budget.share(cost_low, cost_high));
      const double beyond = kPrecision / 4 * high;
      middle += middle - low < high - middle ? beyond : -beyond;
      middle = std::clamp(middle, low + beyond, high - beyond);
    }
    const double cost = cost_of(middle);
    if (budget.affords(cost)) {
      high = middle;
      cost_high = cost;
    } else {
      low = middle;
      cost_low = cost;
    }
  }
  return high;
}

int64_t largest_num_steps(const PrivacyTarget& target,
                          const std::function<std::vector<Event>(int64_t)>& events) {
  const Budgeted budget(target);
  budget.require_bound(events(1));
  const auto affordable = [&](int64_t steps) { return budget.affords(budget.cost(events(steps))); };
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
