// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/int128.h"
#include "equinoise/privacy/random/uniform.h"

namespace equinoise {
namespace {

/// Weights as they are, or all equal where none is positive.
std::vector<double> usable(std::span<const double> weights) {
  std::vector<double> result(weights.begin(), weights.end());
  if (std::none_of(result.begin(), result.end(), [](double w) { return w > 0; })) {
    std::fill(result.begin(), result.end(), 1.0);
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
  // One more wherever the running sum of fractions, stretched to sum to what is left, passes a
  // whole number; a random start gives each code the probability of its fraction.
  if (sum_of_fractions == 0) {
    // Rounding took the fractions: what is left goes to the largest share.
    counts[std::max_element(shares.begin(), shares.end()) - shares.begin()] += left;
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

void draw_codes(std::span<const double> weights, size_t total, RandomSource& source,
                std::vector<uint16_t>& codes) {
  std::vector<double> cumulative = usable(weights);
  std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
  const double sum = cumulative.back();
  for (size_t i = 0; i < total; ++i) {
    // The first code whose cumulative weight lies above; rounding may reach the end, whose last
    // code of positive weight is the first that has the whole sum.
    const double target = uniform_fraction(source) * sum;
    auto found = std::upper_bound(cumulative.begin(), cumulative.end(), target);
    if (found == cumulative.end()) {
      found = std::lower_bound(cumulative.begin(), cumulative.end(), sum);
    }
    codes.push_back(static_cast<uint16_t>(found - cumulative.begin()));
  }
}

void shuffle(std::span<uint16_t> codes, RandomSource& source) {
  for (size_t i = codes.size(); i > 1; --i) {
    // The product's high word is uniform below i, up to i / 2^64.
    const auto other = static_cast<size_t>(high_word(static_cast<Uint128>(source.next()) * i));
    std::swap(codes[i - 1], codes[other]);
  }
}

}  // namespace equinoise
