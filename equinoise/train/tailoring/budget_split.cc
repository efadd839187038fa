// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/budget_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/train/regression/shrunk_slopes.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

void normalise(std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

double share(SplitRule rule, double variance, double size) {
  switch (rule) {
    case SplitRule::kError:
      return variance;
    case SplitRule::kErrorOverSize:
      return variance / size;
    case SplitRule::kRootError:
      return std::sqrt(variance);
    case SplitRule::kUniform:
      return 1;
    case SplitRule::kInverseSize:
      return 1 / size;
  }
  refuse("no such split rule");
}

}  // namespace

SplitRule parse_split_rule(std::string_view word) {
  if (const auto rule = value_of(kSplitRules, word)) return *rule;
  refuse("split must be one of {}, got \"{}\"", fmt::join(words_of(kSplitRules), ", "), word);
}

bool needs_errors(SplitRule rule) {
  return rule != SplitRule::kUniform && rule != SplitRule::kInverseSize;
}

std::vector<double> split_budget(SplitRule rule, std::span<const double> group_variances,
                                 std::span<const int64_t> group_sizes, double min_weight) {
  const size_t num_groups = group_sizes.size();
  if (num_groups == 0) refuse("there is no group");
  if (needs_errors(rule) && group_variances.size() != num_groups) {
    refuse("{} errors of {} groups", group_variances.size(), num_groups);
  }
  check_interval(kWhere, "min_weight", min_weight, 0, 1 / static_cast<double>(num_groups));
  std::vector<double> weights;
  for (size_t k = 0; k < num_groups; ++k) {
    const auto size = static_cast<double>(group_sizes[k]);
    check_positive(kWhere, "the size of a group", size);
    const double variance = needs_errors(rule) ? group_variances[k] : 1;
    check_positive(kWhere, "the error of a group", variance);
    weights.push_back(share(rule, variance, size));
  }
  normalise(weights);
  for (double& weight : weights) weight = std::max(weight, min_weight);
  normalise(weights);
  return weights;
}

std::vector<double> weights_of_shares(std::span<const double> shares,
                                      std::span<const int64_t> group_sizes) {
  std::vector<double> weights;
  double sum = 0;
  double num_records = 0;
  for (size_t k = 0; k < shares.size(); ++k) {
    weights.push_back(std::sqrt(shares[k]));
    sum += weights[k] * static_cast<double>(group_sizes[k]);
    num_records += static_cast<double>(group_sizes[k]);
  }
  for (double& weight : weights) weight *= num_records / sum;
  return weights;
}

std::vector<double> losses_beyond_noise(std::span<const double> noisy,
                                        std::span<const int64_t> sizes, double noise_of_sum) {
  double sum = 0;
  double num_records = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    sum += noisy[k] * static_cast<double>(sizes[k]);
    num_records += static_cast<double>(sizes[k]);
  }
  const double least =
      std::max(noise_of_sum * std::sqrt(static_cast<double>(sizes.size())) / num_records,
               std::numeric_limits<double>::min());
  const double of_all = std::max(sum / num_records, least);
  std::vector<double> losses;
  for (size_t k = 0; k < sizes.size(); ++k) {
    const double noise = noise_of_sum / static_cast<double>(sizes[k]);
    losses.push_back(std::max(of_all + shrunk_number(noisy[k] - of_all, noise), least));
  }
  return losses;
}

double min_share(size_t num_groups, double min_weight) {
  return min_weight / (1 + static_cast<double>(num_groups - 1) * min_weight);
}

std::vector<double> cap_shares(std::vector<double> shares, std::span<const double> max_shares) {
  const size_t num_groups = shares.size();
  double sum = 0;
  for (const double max_share : max_shares) {
    check_positive(kWhere, "max_share", max_share);
    check_interval(kWhere, "max_share", max_share, 0, 1);
    sum += max_share;
  }
  if (max_shares.size() != num_groups || !(sum >= 1 - 1e-12)) {
    refuse(
        "no split can meet a max_share of {:.6g}: the shares of {} groups "
        "would add up to {:.6g}, less than 1; raise max_share for one of them",
        fmt::join(max_shares, ", "), num_groups, sum);
  }
  // Each round caps one more group at least.
  for (size_t round = 0; round < num_groups; ++round) {
    double excess = 0;
    double below = 0;
    for (size_t k = 0; k < num_groups; ++k) {
      excess += std::max(shares[k] - max_shares[k], 0.0);
      shares[k] = std::min(shares[k], max_shares[k]);
      if (shares[k] < max_shares[k]) below += shares[k];
    }
    if (!(excess > 0) || !(below > 0)) break;
    for (size_t k = 0; k < num_groups; ++k)
      if (shares[k] < max_shares[k]) shares[k] *= 1 + excess / below;
  }
  for (size_t k = 0; k < num_groups; ++k) shares[k] = std::min(shares[k], max_shares[k]);
  return shares;
}

std::vector<double> largest_shares(std::span<const double> max_shares, double min_weight) {
  const size_t num_groups = max_shares.size();
  const double least = min_share(num_groups, min_weight);
  std::vector<double> largest;
  for (size_t k = 0; k < num_groups; ++k) {
    std::vector<double> shares(num_groups, least);
    shares[k] = 1 - static_cast<double>(num_groups - 1) * least;
    largest.push_back(cap_shares(std::move(shares), max_shares)[k]);
  }
  return largest;
}

double largest_sum(std::span<const size_t> pattern, std::span<const double> max_shares,
                   double min_weight) {
  const size_t num_groups = max_shares.size();
  const double least = min_share(num_groups, min_weight);
  const std::vector<double> largest = largest_shares(max_shares, min_weight);
  double left = 1;
  for (const double max_share : max_shares) left -= std::min(max_share, least);
  double sum = 0;
  for (const size_t group : pattern) {
    left += std::min(max_shares[group], least);
    sum += largest[group];
  }
  return std::min(sum, left);
}

}  // namespace equinoise
