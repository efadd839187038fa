// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/noisy_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr int kDigits = 15;           // that every double keeps
constexpr double kWrittenOut = 1e15;  // from there on with an exponent

int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
}

bool is_whole(double value) { return value == std::round(value); }

/// Decimals that show two digits of the noise, below 0 where these are tens or more. Without noise
/// whole numbers have none.
int decimals_for(double noise, bool whole) {
  constexpr int kMax = 300;  // powers of ten that are doubles
  if (!(noise > 0) || !std::isfinite(noise)) return whole ? 0 : 6;
  return std::clamp(1 - exponent_of(noise), -kMax, kMax);
}

/// Formats with so many decimals, or as 6.02e+23 where these or the digits before them would be too
/// many.
std::string decimal_with(double value, int decimals) {
  if (std::fabs(value) < kWrittenOut && decimals <= kDigits)
    return format_fixed(value, std::max(decimals, 0));
  const int digits = std::clamp(exponent_of(value) + 1 + decimals, 1, kDigits + 2);
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace

std::string decimal(double value, double noise) {
  return std::isfinite(value) ? decimal_with(value, decimals_for(noise, is_whole(value))) : "-";
}

std::string interval(const std::optional<Interval>& given, double noise) {
  if (!given || !std::isfinite(given->low) || !std::isfinite(given->high)) return "-";
  const double largest = std::max(std::fabs(given->low), std::fabs(given->high));
  // A double has no further digits to round.
  const bool whole = is_whole(given->low) && is_whole(given->high);
  const int known = std::min(decimals_for(noise, whole), kDigits - 1 - exponent_of(largest));
  const int decimals = largest < kWrittenOut ? std::max(known, 0) : known;
  // Powers of ten are exact up to the 22nd, which their inverses are not.
  const double scale = std::pow(10.0, std::abs(decimals));
  const auto units_of = [&](double end) { return decimals < 0 ? end / scale : end * scale; };
  const auto shown = [&](double units) {
    return decimal_with(decimals < 0 ? units * scale : units / scale, decimals);
  };
  return fmt::format("[{}, {}]", shown(std::floor(units_of(given->low))),
                     shown(std::ceil(units_of(given->high))));
}

std::string figure_text(double value, double noise, const std::optional<Interval>& given) {
  return given ? decimal(value, noise) + " " + interval(given, noise) : "-";
}

}  // namespace equinoise
