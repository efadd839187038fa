// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/group_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

GroupFunction parse_group_function(std::string_view where, std::string_view what,
                                   const std::string& text) {
  constexpr std::string_view kQuantile = "quantile:";
  if (text == "population") return kMeanOfRecords;
  if (text == "mean") return kMeanOfGroups;
  if (text == "sum") return kSumOfGroups;
  if (text == "largest") return kLargestOfGroups;
  const bool is_quantile = text.starts_with(kQuantile);
  const std::optional<double> number =
      parse_number(is_quantile ? std::string_view(text).substr(kQuantile.size()) : text);
  if (number && is_quantile && *number > 0 && *number <= 1) return {*number};
  if (number && !is_quantile && *number >= 0 && *number <= 1) return {{}, *number};
  throw Error(ErrorKind::kUsage, where,
              "{} must be population, mean, sum, largest, quantile:Q with Q above 0 and "
              "at most 1, or a number from 0 to 1, got \"{}\"",
              what, text);
}

NamedFigures function_settings(std::string_view prefix, const GroupFunction& function) {
  if (function.quantile) return {{fmt::format("{}_quantile", prefix), *function.quantile}};
  NamedFigures settings = {{fmt::format("{}_balance", prefix), function.balance}};
  if (function.is_sum) settings.emplace_back(fmt::format("{}_sum", prefix), 1);
  return settings;
}

std::vector<double> mean_weights(const GroupFunction& function,
                                 std::span<const int64_t> group_sizes) {
  const auto total =
      static_cast<double>(std::accumulate(group_sizes.begin(), group_sizes.end(), int64_t{0}));
  const auto num_groups = static_cast<double>(group_sizes.size());
  std::vector<double> weights;
  for (const int64_t size : group_sizes) {
    const double weight = (1 - function.balance) * (static_cast<double>(size) / total) +
                          function.balance * (1 / num_groups);
    weights.push_back(function.is_sum ? num_groups * weight : weight);
  }
  return weights;
}

size_t groups_below(double quantile, size_t num_groups) {
  // A share such as 0.9 of ten groups is nine of them despite rounding.
  const double rank = std::ceil(quantile * static_cast<double>(num_groups) * (1 - 0x1p-50));
  return static_cast<size_t>(std::max(rank, 1.0)) - 1;
}

std::vector<double> weights_at(const GroupFunction& function, std::span<const double> losses,
                               std::span<const int64_t> group_sizes) {
  if (!function.quantile) return mean_weights(function, group_sizes);
  std::vector<size_t> order = numbers_below(losses.size());
  const auto place =
      order.begin() + static_cast<ptrdiff_t>(groups_below(*function.quantile, losses.size()));
  // Among equal losses the first group counts as the largest.
  std::nth_element(order.begin(), place, order.end(), [&](size_t a, size_t b) {
    return losses[a] != losses[b] ? losses[a] < losses[b] : a > b;
  });
  std::vector<double> weights(losses.size(), 0.0);
  weights[*place] = 1;
  return weights;
}

}  // namespace equinoise
