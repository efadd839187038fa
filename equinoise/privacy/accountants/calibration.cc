#include "equinoise/privacy/accountants/calibration.h"

#include <fmt/format.h>

#include "equinoise/base/check.h"
#include "equinoise/privacy/accountants/accountant.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.calibration";

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

  /// A cost without a finite epsilon, or at which failures take all of delta, is too high.
  bool affords(const std::vector<Event>& events) const {
    try {
      const double epsilon = row_.make(target_.relation, events)->epsilon(target_.delta).value();
      return epsilon <= target_.epsilon.value();
    } catch (const Error&) {
      return false;
    }
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
  const auto affordable = [&](double noise) { return budget.affords(events(noise)); };
  double high = 1;
  while (!affordable(high)) {
    high *= 2;
    if (high > 1e6) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format(
              "no noise multiplier up to 1e6 reaches epsilon {} at delta {}; use fewer steps, a "
              "smaller batch or a larger epsilon",
              target.epsilon.value(), target.delta.value()));
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

int64_t largest_num_steps(const PrivacyTarget& target,
                          const std::function<std::vector<Event>(int64_t)>& events) {
  const Budgeted budget(target);
  budget.require_bound(events(1));
  const auto affordable = [&](int64_t steps) { return budget.affords(events(steps)); };
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
