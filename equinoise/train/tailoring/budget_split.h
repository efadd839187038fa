// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// By what a budget is divided among groups. v is the noisy mean squared residual of a group, n its
/// public size.
enum class SplitRule {
  kError,          ///< v, the text of Algorithm 1
  kErrorOverSize,  ///< v / n, what Tables 2 and 3 of the paper hold
  kRootError,      ///< sqrt(v), what Table 4 holds
  kUniform,        ///< 1
  kInverseSize,    ///< 1 / n
};

inline constexpr EnumWords<SplitRule, 5> kSplitRules = {{
    {SplitRule::kError, "error"},
    {SplitRule::kErrorOverSize, "error_over_size"},
    {SplitRule::kRootError, "root_error"},
    {SplitRule::kUniform, "uniform"},
    {SplitRule::kInverseSize, "inverse_size"},
}};

/// Errors: kUsage for any other word.
SplitRule parse_split_rule(std::string_view word);

/// Whether the rule depends on v: the others are public and need no first stage.
bool needs_errors(SplitRule rule);

/// What a group gets at least, where nothing else is said: a fifth of an equal share.
inline double default_min_weight(size_t num_groups) {
  return 0.2 / static_cast<double>(num_groups);
}

/// The share of every group, (groups), adding up to 1. Each is raised to min_weight, then all are
/// normalised once more, so that one may end a little below it. Post-processing of v.
/// [AlabiWiggins2024, Alg. 1]
///
/// Deviation: the floor. Without one a majority may get 1e-5 of the budget and drown whatever is
/// shared. Errors: kUsage unless there is a size > 0 for each group and, where the rule needs them,
/// a v that is finite and > 0; unless 0 <= min_weight <= 1 / groups.
std::vector<double> split_budget(SplitRule rule, std::span<const double> group_variances,
                                 std::span<const int64_t> group_sizes, double min_weight);

/// (groups): weights whose squares are in proportion to the shares, 1 in the mean over records. A
/// group whose records weigh w pays for w times its clip, so that its rho grows with w^2: a split
/// of a budget is a choice of weights where all groups are in one release.
std::vector<double> weights_of_shares(std::span<const double> shares,
                                      std::span<const int64_t> group_sizes);

/// What split_budget leaves every group at least: below its floor by what normalising takes where
/// one group has everything else.
double least_share(size_t num_groups, double min_weight);

/// `shares`, which add up to 1, with none above its entry of max_shares: what is cut off goes to
/// the others, in proportion to what they have, so that group k has min(max_shares[k], t shares[k])
/// with one t >= 1 for all. Errors: kUsage where no shares that add up to 1 can obey that, or an
/// entry is not above 0 and at most 1.
std::vector<double> cap_shares(std::vector<double> shares, std::span<const double> max_shares);

/// (groups): the most that groups get of split_budget with that floor and of cap_shares, whatever
/// their errors are.
///
/// Group k gets it where it has as much before the caps as there may be, and each of the others
/// least_share. Anything else gives it no more: with a smaller share before, and more than that
/// after the caps, t would be larger, so that none of the others, which had least_share or more,
/// would have less after the caps; yet all add up to 1. Errors: as cap_shares.
std::vector<double> largest_shares(std::span<const double> max_shares, double min_weight);

/// No less than what the groups of `pattern`, each once, get together of split_budget with that
/// floor and of cap_shares, whatever their errors are: every other group gets least_share or its
/// cap, whichever is smaller, or more, and all shares add up to 1. Without caps one of them gets as
/// much for some errors.
double largest_sum(std::span<const size_t> pattern, std::span<const double> max_shares,
                   double min_weight);

}  // namespace equinoise
