// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"

namespace equinoise {

/// A function of the mean losses of groups: the objective f that is minimised, or the constraint g
/// that is kept below a bound. [AlabiWiggins2024, Def. 3.2]
///
/// Weighted means and the largest loss are convex and, in the largest difference of any loss,
/// 1-Lipschitz, the sum groups-Lipschitz. Other quantiles are 1-Lipschitz and not convex: descent
/// finds a place that no small step improves. A step always follows a sum of the groups' gradients
/// with weights that add up to the Lipschitz constant. So it is no longer than that times the clip,
/// and depends on records through answers about groups alone.
struct GroupFunction {
  /// The quantile: the smallest loss that at least this share of the groups does not exceed; 1: the
  /// largest. Empty: a weighted mean.
  std::optional<double> quantile = {};
  double balance = 0;   ///< for a mean: 0, every record counts alike; 1, every group does
  bool is_sum = false;  ///< a mean times the number of groups

  friend bool operator==(const GroupFunction&, const GroupFunction&) = default;
};

inline constexpr GroupFunction kMeanOfRecords = {};
inline constexpr GroupFunction kMeanOfGroups = {{}, 1};
inline constexpr GroupFunction kSumOfGroups = {{}, 1, true};
inline constexpr GroupFunction kLargestOfGroups = {1};

/// Parses "population", "mean", "sum", "largest", "quantile:0.9", or a number from 0 to 1, which is
/// the balance. Errors: kUsage, naming `where` and `what`.
GroupFunction parse_group_function(std::string_view where, std::string_view what,
                                   const std::string& text);

/// The function as numbers by name: "group_balance", "group_quantile".
NamedFigures function_settings(std::string_view prefix, const GroupFunction& function);

/// (groups): the weights of a function that is not a quantile.
std::vector<double> mean_weights(const GroupFunction& function,
                                 std::span<const int64_t> group_sizes);

/// The number of groups with a smaller loss than the quantile, if no losses are equal.
size_t groups_below(double quantile, size_t num_groups);

/// (groups): a subgradient of the function at these losses. For a quantile it is 1 for the group
/// with that loss, the first one among equal losses.
std::vector<double> weights_at(const GroupFunction& function, std::span<const double> losses,
                               std::span<const int64_t> group_sizes);

}  // namespace equinoise
