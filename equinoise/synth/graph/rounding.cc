// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rounding.h"

#include <algorithm>
#include <numeric>

#include "equinoise/privacy/random/uniform.h"

namespace equinoise {
namespace {

/// The weights, or equal ones if none is positive.
std::vector<double> usable(std::span<const double> weights) {
  std::vector<double> result(weights.begin(), weights.end());
  if (std::ranges::none_of(result, [](double w) { return w > 0; })) {
    std::ranges::fill(result, 1.0);
  }
  return result;
}

}  // namespace

void round_counts(std::span<const double> weights, size_t total, RandomSource& source,
                  std::vector<size_t>& counts) {
  const std::vector<double> shares = usable(weights);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  counts.assign(shares.size(), 0);
  std::vector<double> fractions(shares.size(), 0.0);
  size_t left = total;
  double sum_of_fractions = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double expected = std::min(shares[i] / sum, 1.0) * static_cast<double>(total);
    const size_t whole = std::min(static_cast<size_t>(expected), left);
    counts[i] = whole;
    left -= whole;
    fractions[i] = std::max(0.0, expected - static_cast<double>(whole));
    sum_of_fractions += fractions[i];
  }
  if (left == 0) return;
  // Adds one more wherever the running sum of fractions, stretched to sum to the rest, passes a
  // whole number. A random start gives each code the probability of its fraction.
  if (sum_of_fractions == 0) {
    // Rounding removed the fractions: the rest goes to the largest share.
    counts[std::ranges::max_element(shares) - shares.begin()] += left;
    return;
  }
  const double stretch = static_cast<double>(left) / sum_of_fractions;
  const double start = uniform_fraction(source);
  double running = 0;
  size_t given = 0;
  size_t last = 0;
  for (size_t i = 0; i < shares.size() && given < left; ++i) {
    if (fractions[i] == 0) continue;
    last = i;
    running += fractions[i] * stretch;
    const size_t reached = std::min(static_cast<size_t>(running + start), left);
    if (reached > given) {
      counts[i] += reached - given;
      given = reached;
    }
  }
  counts[last] += left - given;
}

}  // namespace equinoise
