// SPDX-License-Identifier: Apache-2.0
#include <cfenv>
#include <cmath>
#include <limits>

#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/wide.h"
#include "equinoise/tasks/selftest/machine_facts.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

/// The error of `value` in units of the last place of `exact`.
double units_off(double value, const Wide& exact) {
  const auto nearest = static_cast<double>(exact);
  int exponent = 0;
  std::frexp(nearest, &exponent);
  return std::fabs(static_cast<double>((Wide(value) - exact) * ldexp(Wide(1), 53 - exponent)));
}

}  // namespace

SelfTestFinding check_arithmetic() {
  constexpr int kArguments = 2000;
  // The samplers allow for 16 units in the last place.
  constexpr double kAllowed = 4;
  SelfTestVerdict verdict;
  verdict.require(
      missing_cpu_features().empty(),
      "this processor lacks extensions that the build needs: " + missing_cpu_features());
  verdict.require(std::fegetround() == FE_TONEAREST, "rounding is not to nearest");
  // volatile: computed at run time instead of by the compiler.
  volatile double least = std::numeric_limits<double>::min();
  volatile double one = 1;
  verdict.require(least / 4 > 0, "subnormal numbers are flushed to zero");
  verdict.require(one + 0x1p-53 == 1 && one + 0x1.8p-53 == 1 + 0x1p-52,
                  "sums are not rounded to double precision");
  verdict.require(std::isnan(std::numeric_limits<double>::quiet_NaN() * one) &&
                      !(std::numeric_limits<double>::quiet_NaN() * one > 0),
                  "NaN is not kept");
  double of_exp = 0;
  double of_log = 0;
  double of_log1p = 0;
  SeededSource source(1);
  for (int i = 0; i < kArguments; ++i) {
    const double unit = (static_cast<double>(source.next() >> 12) + 0.5) * 0x1p-52;
    of_exp = std::fmax(of_exp, units_off(std::exp(-40 * unit), exp(Wide(-40 * unit))));
    of_log = std::fmax(of_log, units_off(std::log(unit), log(Wide(unit))));
    of_log1p = std::fmax(of_log1p, units_off(std::log1p(-unit), log(1 - Wide(unit))));
  }
  const std::string text = fmt::format(
      "exp, log and log1p off by at most {:.2f}, {:.2f} and {:.2f} units in the last "
      "place, {} arguments each",
      of_exp, of_log, of_log1p, kArguments);
  verdict.require(of_exp <= kAllowed && of_log <= kAllowed && of_log1p <= kAllowed, text);
  verdict.add(text);
  return verdict.finding();
}

}  // namespace equinoise
