// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// A function of the mean losses of groups: what is made small, f, or what is kept below a bound,
/// g. [AlabiWiggins2024, Def. 3.2]
///
/// Weighted means and the largest loss are convex and, in the largest difference of any loss,
/// 1-Lipschitz, the sum groups-Lipschitz. Other quantiles are 1-Lipschitz and not convex: descent
/// finds a place that no small step improves. In all of them what a step follows is a sum of the
/// groups' gradients with weights that add up to the Lipschitz constant, so that it is no longer
/// than that times the clip, and depends on records through answers about groups alone.
struct GroupFunction {
  /// The smallest loss that at least this share of the groups does not exceed; 1: the largest.
  /// Empty: a weighted mean.
  std::optional<double> quantile = {};
  double balance = 0;   ///< of a mean: 0, every record counts alike; 1, every group does
  bool is_sum = false;  ///< a mean times the number of groups

  friend bool operator==(const GroupFunction&, const GroupFunction&) = default;
};

inline constexpr GroupFunction kMeanOfRecords = {};
inline constexpr GroupFunction kMeanOfGroups = {{}, 1};
inline constexpr GroupFunction kSumOfGroups = {{}, 1, true};
inline constexpr GroupFunction kLargestOfGroups = {1};

/// "population", "mean", "sum", "largest", "quantile:0.9", or a number from 0 to 1, which is that
/// balance. Errors: kUsage, naming `where` and `what`.
GroupFunction parse_group_function(std::string_view where, std::string_view what,
                                   const std::string& text);

/// The function as numbers by name: "group_balance", "group_quantile".
std::vector<std::pair<std::string, double>> function_settings(std::string_view prefix,
                                                              const GroupFunction& function);

/// (groups): the weights of a function that is no quantile.
std::vector<double> mean_weights(const GroupFunction& function,
                                 std::span<const int64_t> group_sizes);

/// How many groups have a smaller loss than the one that is the quantile, where none are equal.
size_t groups_below(double quantile, size_t num_groups);

/// (groups): a subgradient of the function at these losses. Of a quantile it is 1 for the group
/// whose loss it is, of equal ones the first.
std::vector<double> weights_at(const GroupFunction& function, std::span<const double> losses,
                               std::span<const int64_t> group_sizes);

}  // namespace equinoise
