// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.calibration";
constexpr double kPrecision = 1e-5;
constexpr double kRoughPrecision = 1e-2;
constexpr double kMinNoise = 1e-3;
constexpr double kMaxNoise = 1e6;

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

  /// The epsilon of the events, or a rough bound of it; infinity if it is not finite or failures
  /// take all of delta.
  double cost(const std::vector<Event>& events, bool rough = false) const {
    try {
      const std::unique_ptr<Accountant> accountant = row_.make(target_.relation, events);
      const Delta delta = target_.delta;
      return (rough ? accountant->rough_epsilon(delta) : accountant->epsilon(delta)).value();
    } catch (const Error&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  bool affords(double cost) const { return cost <= target_.epsilon.value(); }

  /// The position of the target between two costs, 0 at `low` and 1 at `high`, if costs follow a
  /// power distribution. One half if they do not determine it.
  double share(double low, double high) const {
    const double total = std::log(low / high);
    const double share = std::log(low / target_.epsilon.value()) / total;
    return share > 0 && share < 1 ? share : 0.5;
  }

 private:
  const PrivacyTarget& target_;
  const AccountantRow& row_;
};

/// An interval between too little noise and enough.
struct Bracket {
  double low = 0;
  double high;
  double cost_low = std::numeric_limits<double>::infinity();
  double cost_high;
};

/// Searches from `start` in growing steps, the first by the factor `step`. `low` stays 0 if even
/// the least noise is enough.
template <typename Cost>
Bracket bracket(const Budgeted& budget, Cost cost_of, double start, double step) {
  Bracket found{.high = start, .cost_high = cost_of(start)};
  while (!budget.affords(found.cost_high)) {
    found.low = found.high;
    found.cost_low = found.cost_high;
    found.high *= step;
    if (found.high > 2 * kMaxNoise) return found;
    found.cost_high = cost_of(found.high);
    step = std::min(step * step, 2.0);
  }
  while (found.low == 0 && found.high > kMinNoise) {
    const double less = found.high / step;
    const double cost = cost_of(less);
    if (budget.affords(cost)) {
      found.high = less;
      found.cost_high = cost;
    } else {
      found.low = less;
      found.cost_low = cost;
    }
    step = std::min(step * step, 2.0);
  }
  return found;
}

/// Narrows the bracket until its ends are within a part of `precision`. `high` is always
/// affordable. It interpolates, slightly beyond the target so that the interval closes from both
/// sides, and bisects now and then.
template <typename Cost>
void narrow(const Budgeted& budget, Cost cost_of, double precision, Bracket& found) {
  if (found.low == 0) return;
  for (int i = 1; found.high - found.low > precision * found.high; ++i) {
    double middle = found.low + (found.high - found.low) / 2;
    if (i % 4 != 0) {
      middle = found.low *
               std::pow(found.high / found.low, budget.share(found.cost_low, found.cost_high));
      const double beyond = precision / 4 * found.high;
      middle += middle - found.low < found.high - middle ? beyond : -beyond;
      middle = std::clamp(middle, found.low + beyond, found.high - beyond);
    }
    const double cost = cost_of(middle);
    if (budget.affords(cost)) {
      found.high = middle;
      found.cost_high = cost;
    } else {
      found.low = middle;
      found.cost_low = cost;
    }
  }
}

}  // namespace

double smallest_noise_multiplier(const PrivacyTarget& target,
                                 const std::function<std::vector<Event>(double)>& events) {
  const Budgeted budget(target);
  budget.require_bound(events(10));
  const auto rough_cost = [&](double noise) { return budget.cost(events(noise), true); };
  const auto cost = [&](double noise) { return budget.cost(events(noise)); };
  Bracket found = bracket(budget, rough_cost, 1, 2);
  if (found.high <= kMaxNoise) {
    narrow(budget, rough_cost, kRoughPrecision, found);
    found = bracket(budget, cost, found.high, 1 + kRoughPrecision);
  }
  if (found.high > kMaxNoise) {
    throw Error(ErrorKind::kUsage, kWhere,
                "no noise multiplier up to 1e6 reaches epsilon {} at delta {}; use fewer steps, a "
                "smaller batch or a larger epsilon",
                target.epsilon.value(), target.delta.value());
  }
  narrow(budget, cost, kPrecision, found);
  return found.high;
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
