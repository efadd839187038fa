// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/number_distribution.h"

#include <algorithm>

#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

/// The linear interpolation at x between (x0, y0) and (x1, y1). Pre: x0 < x1.
double on_line(double x, double x0, double x1, double y0, double y1) {
  return y0 + (y1 - y0) * std::clamp((x - x0) / (x1 - x0), 0.0, 1.0);
}

}  // namespace

double NumberDistribution::share_below(double number) const {
  if (!(number > knots.front())) return below.front();
  const auto next = static_cast<size_t>(std::ranges::lower_bound(knots, number) - knots.begin());
  if (next == knots.size()) return below.back();
  return on_line(number, knots[next - 1], knots[next], below[next - 1], below[next]);
}

double NumberDistribution::number_at(double share, std::pair<size_t, size_t> between) const {
  const auto next = static_cast<size_t>(
      std::lower_bound(below.data() + between.first, below.data() + between.second, share) -
      below.data());
  if (next == 0) return knots.front();
  if (next == below.size()) return knots.back();
  // Clamped, so that rounding does not lead to the next stretch, which has other numbers.
  return std::clamp(on_line(share, below[next - 1], below[next], knots[next - 1], knots[next]),
                    knots[next - 1], next_down(knots[next]));
}

std::pair<size_t, size_t> NumberDistribution::knots_between(double low, double high) const {
  const auto place_of = [this](double share) {
    return static_cast<size_t>(std::ranges::lower_bound(below, share) - below.begin());
  };
  return {place_of(low), place_of(high)};
}

}  // namespace equinoise
