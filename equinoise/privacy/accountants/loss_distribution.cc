// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/loss_distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.pld";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr double kLowTail = 1e-14;
constexpr double kWidestGap = 64;
constexpr double kUnitRoundoff = 0x1p-52;

/// The mass below `epsilon`: delta(epsilon) - (1 - e^epsilon) is e^epsilon times Q's advantage
/// there.
double mass_below(const PrivacyProfile& profile, double epsilon) {
  return profile.delta(epsilon) + std::expm1(epsilon);
}

/// The smallest magnitude at which `small` holds, to within a factor 1 + 2^-8, when it holds for
/// all larger ones.
template <typename Condition>
double smallest_magnitude(Condition small) {
  double high = 1;
  while (!small(high)) {
    high *= 2;
    if (high > 1e7) {
      refuse("PLD cannot account for losses beyond 1e7; use more noise");
    }
  }
  double low = high / 2;
  while (low > 1e-12 && small(low)) {
    high = low;
    low /= 2;
  }
  while (high - low > high / 256) {
    const double middle = (low + high) / 2;
    (small(middle) ? high : low) = middle;
  }
  return high;
}

/// All positions in the range if `share` is 0. Otherwise positions with gaps of at most `share` of
/// the distance from 0 and at most a 2^11th of the range.
std::vector<int64_t> positions_of(const LossRange& range, double grid, double share) {
  const double first = std::floor(range.low / grid);
  const double last = std::max(std::ceil(range.high / grid), first + 1);
  const double widest =
      share > 0 ? std::max(1.0, std::min((last - first) / 2048, kWidestGap / grid)) : 1;
  const auto gap_at = [&](double position) {
    return std::floor(std::clamp(std::fabs(position) * share, 1.0, widest));
  };
  if (!((last - first) / widest < static_cast<double>(kMaxLosses) / 2 &&
        std::fabs(first) < 0x1p53 && std::fabs(last) < 0x1p53)) {
    refuse("PLD needs too many losses; use a wider grid");
  }
  std::vector<int64_t> positions;
  const double middle = std::clamp(0.0, first, last);
  for (double at = middle; at > first; at -= gap_at(at)) {
    positions.push_back(static_cast<int64_t>(at));
  }
  positions.push_back(static_cast<int64_t>(first));
  std::ranges::reverse(positions);
  for (double at = middle + gap_at(middle); at < last; at += gap_at(at)) {
    positions.push_back(static_cast<int64_t>(at));
  }
  if (positions.back() < static_cast<int64_t>(last)) {
    positions.push_back(static_cast<int64_t>(last));
  }
  return positions;
}

}  // namespace

LossRange loss_range(const PrivacyProfile& profile, double tail) {
  // The cut at the lower end raises the mean loss by this mass, whatever the tail.
  const double low_tail = std::max(tail, kLowTail);
  const double high = smallest_magnitude(
      [&](double x) { return profile.delta(x) <= profile.infinite_mass() + tail; });
  const double low =
      -smallest_magnitude([&](double x) { return mass_below(profile, -x) <= low_tail; });
  return {low, std::min(high, profile.largest_loss())};
}

LossDistribution discretise(const PrivacyProfile& profile, double grid, double tail, double share) {
  const LossRange range = loss_range(profile, tail);
  LossDistribution result;
  result.grid = grid;
  result.positions = positions_of(range, grid, share);
  const size_t size = result.positions.size();
  std::vector<double> delta(size);
  for (size_t i = 0; i < size; ++i) {
    delta[i] = profile.delta(result.loss(i));
    if (!(delta[i] >= 0 && delta[i] <= 1 + 1e-6)) {
      throw Error(ErrorKind::kRuntime, kWhere, "a privacy profile left the range of probabilities");
    }
  }

  // Q's mass at a loss is the change of the profile's slope in y = e^epsilon there, P's is y times
  // that. Below the first loss the profile is the line to (y, delta) = (0, 1).
  result.mass.resize(size);
  std::vector<double> up(size, 0.0);  // e^gap - 1 for the gap above loss i
  double slope_below = 1 - delta[0];  // times e^(loss i)
  for (size_t i = 0; i < size; ++i) {
    double slope_above = 0;
    if (i + 1 < size) {
      up[i] = std::expm1(static_cast<double>(result.positions[i + 1] - result.positions[i]) * grid);
      slope_above = (delta[i] - delta[i + 1]) / up[i];
    }
    result.mass[i] = std::max(slope_below - slope_above, 0.0);
    slope_below = slope_above * (1 + up[i]);
  }
  result.infinite_mass = delta.back() * (1 + kProfileError) + profile.absolute_error();

  // Masses are raised until their profile lies above the dots, despite rounding and the cut
  // to >= 0.
  double raise = 0;
  double above = result.infinite_mass;  // the profile of the masses, from the top
  double discounted = 0;                // sum over j > i of mass e^(loss i - loss j)
  for (size_t i = size; i-- > 0;) {
    if (i + 1 < size) {
      discounted = (discounted + result.mass[i + 1]) / (1 + up[i]);
      above += up[i] * discounted;
    }
    if (delta[i] > above) raise = std::max(raise, delta[i] / above - 1);
  }
  const double all = std::accumulate(result.mass.begin(), result.mass.end(), result.infinite_mass);
  raise = std::max(raise, 1 / all - 1);
  raise += kProfileError + 4 * static_cast<double>(size) * kUnitRoundoff;
  for (double& mass : result.mass) mass *= 1 + raise;
  result.infinite_mass *= 1 + raise;
  return result;
}

double loss_stddev(const LossDistribution& distribution) {
  double total = 0;
  double mean = 0;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    total += distribution.mass[i];
    mean += distribution.mass[i] * distribution.loss(i);
  }
  mean /= total;
  double variance = 0;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    const double deviation = distribution.loss(i) - mean;
    variance += distribution.mass[i] * deviation * deviation;
  }
  return std::sqrt(variance / total);
}

LossDistribution convolve(const LossDistribution& a, const LossDistribution& b) {
  const int64_t first = a.positions.front() + b.positions.front();
  const int64_t size = a.positions.back() + b.positions.back() - first + 1;
  if (size > kMaxLosses || a.grid != b.grid) {
    refuse("PLD cannot compose the losses of these mechanisms on one batch; use rdp");
  }
  LossDistribution sum;
  sum.grid = a.grid;
  sum.positions.resize(static_cast<size_t>(size));
  std::iota(sum.positions.begin(), sum.positions.end(), first);
  sum.mass.assign(sum.positions.size(), 0.0);
  for (size_t i = 0; i < a.mass.size(); ++i) {
    for (size_t j = 0; j < b.mass.size(); ++j) {
      sum.mass[static_cast<size_t>(a.positions[i] + b.positions[j] - first)] +=
          a.mass[i] * b.mass[j];
    }
  }
  const double raise = 2 * static_cast<double>(size) * kUnitRoundoff;
  for (double& mass : sum.mass) mass *= 1 + raise;
  const double finite_a = std::accumulate(a.mass.begin(), a.mass.end(), 0.0);
  const double finite_b = std::accumulate(b.mass.begin(), b.mass.end(), 0.0);
  sum.infinite_mass = (finite_a * b.infinite_mass + finite_b * a.infinite_mass +
                       a.infinite_mass * b.infinite_mass) *
                      (1 + raise);
  return sum;
}

}  // namespace equinoise
