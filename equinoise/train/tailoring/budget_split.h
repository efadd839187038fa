// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// The rule that divides a budget among groups. v is the noisy mean squared residual of a group, n
/// its public size.
enum class SplitRule {
  kError,          ///< v, the text of Algorithm 1
  kErrorOverSize,  ///< v / n, as in Tables 2 and 3 of the paper
  kRootError,      ///< sqrt(v), as in Table 4
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

/// Returns whether the rule depends on v: the others are public and need no first stage.
bool needs_errors(SplitRule rule);

/// The default of a group's least share: a fifth of an equal share.
inline double default_min_weight(size_t num_groups) {
  return 0.2 / static_cast<double>(num_groups);
}

/// The share of every group, (groups), adding up to 1. Each is raised to min_weight, then all are
/// normalised again, so that a share may end slightly below it. Post-processing of v.
/// [AlabiWiggins2024, Alg. 1]
///
/// Deviation: the floor. Without one a majority may get 1e-5 of the budget and drown all shared
/// sums. Errors: kUsage unless there is a size > 0 for each group and, if the rule needs them, a v
/// that is finite and > 0; unless 0 <= min_weight <= 1 / groups.
std::vector<double> split_budget(SplitRule rule, std::span<const double> group_variances,
                                 std::span<const int64_t> group_sizes, double min_weight);

/// (groups): weights with squares in proportion to the shares, and a mean of 1 over records. A
/// group with records of weight w pays for w times its clip, so that its rho grows with w^2: if all
/// groups are in one release, a split of a budget is a choice of weights.
std::vector<double> weights_of_shares(std::span<const double> shares,
                                      std::span<const int64_t> group_sizes);

/// (groups): mean losses of sizes[k] records from noisy ones, whose sums have noise of this
/// deviation. Each is shrunk towards the mean of all records by the part of its squared distance
/// that noise is expected to cause, and is above 0. Post-processing.
std::vector<double> losses_beyond_noise(std::span<const double> noisy,
                                        std::span<const int64_t> sizes, double noise_of_sum);

/// The least share of a group from split_budget. It is below the floor, because of normalising, if
/// one group has everything else.
double min_share(size_t num_groups, double min_weight);

/// `shares`, which add up to 1, limited to their entries of max_shares. The excess goes to the
/// others, in proportion to their shares, so that group k has min(max_shares[k], t shares[k]) with
/// one t >= 1 for all. Errors: kUsage if no shares that add up to 1 obey that, or an entry is not
/// above 0 and at most 1.
std::vector<double> cap_shares(std::vector<double> shares, std::span<const double> max_shares);

/// (groups): the largest shares of groups after split_budget with that floor and cap_shares, for
/// any errors. Group k gets it if it has the largest possible share before the caps, and each of
/// the others has min_share.
///
/// No other case gives it more. With a smaller share before, and more after the caps, t would be
/// larger. Then none of the others, which had min_share or more, would have less after the caps;
/// yet all add up to 1. Errors: as cap_shares.
std::vector<double> largest_shares(std::span<const double> max_shares, double min_weight);

/// An upper bound on the sum over the groups of `pattern`, each once, of their shares after
/// split_budget with that floor and cap_shares, for any errors. Every other group gets at least
/// min_share or its cap, whichever is smaller, and all shares add up to 1. Without caps the bound
/// is attained for some errors.
double largest_sum(std::span<const size_t> pattern, std::span<const double> max_shares,
                   double min_weight);

}  // namespace equinoise
