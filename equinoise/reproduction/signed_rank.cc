// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "audit.signed_rank";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

constexpr size_t kMaxDifferences = 1000;

/// Twice the rank of each of the ascending magnitudes: a whole number also where ties share ranks.
std::vector<size_t> doubled_ranks(const std::vector<double>& magnitudes) {
  std::vector<size_t> ranks(magnitudes.size());
  for (size_t begin = 0; begin < magnitudes.size();) {
    size_t end = begin;
    while (end < magnitudes.size() && magnitudes[end] == magnitudes[begin]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[i] = begin + 1 + end;
    begin = end;
  }
  return ranks;
}

/// The probability that the ranks that win fair coins sum up to at least `statistic`.
double upper_tail(const std::vector<size_t>& ranks, size_t statistic) {
  std::vector<double> chances = {1};
  for (const size_t rank : ranks) {
    std::vector<double> next(chances.size() + rank, 0.0);
    for (size_t sum = 0; sum < chances.size(); ++sum) {
      next[sum] += chances[sum] / 2;
      next[sum + rank] += chances[sum] / 2;
    }
    chances = std::move(next);
  }
  double tail = 0;
  for (size_t sum = chances.size(); sum-- > statistic;) tail += chances[sum];
  return std::min(tail, 1.0);
}

}  // namespace

SignedRank signed_rank_test(std::span<const double> differences) {
  if (differences.empty() || differences.size() > kMaxDifferences) {
    refuse("the test needs 1 to {} differences, got {}", kMaxDifferences, differences.size());
  }
  SignedRank result;
  std::vector<double> kept;
  for (const double difference : differences) {
    if (!std::isfinite(difference)) refuse("a difference is not finite");
    if (difference != 0) kept.push_back(difference);
  }
  if (kept.empty()) return result;
  std::ranges::sort(kept, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  std::vector<double> magnitudes(kept.size());
  std::ranges::transform(kept, magnitudes.begin(), [](double value) { return std::fabs(value); });
  const std::vector<size_t> ranks = doubled_ranks(magnitudes);
  size_t doubled = 0;
  for (size_t i = 0; i < kept.size(); ++i) doubled += kept[i] > 0 ? ranks[i] : 0;
  result.statistic = static_cast<double>(doubled) / 2;
  result.p_value = upper_tail(ranks, doubled);
  return result;
}

SampleMean sample_mean(std::span<const double> values) {
  if (values.empty()) refuse("a mean needs at least one value");
  const auto size = static_cast<double>(values.size());
  // Sums distances to the first value, so that equal values have no error.
  double mean = values.front();
  for (const double value : values) mean += (value - values.front()) / size;
  if (values.size() == 1) return {mean, std::numeric_limits<double>::quiet_NaN()};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (size - 1) / size)};
}

}  // namespace equinoise
