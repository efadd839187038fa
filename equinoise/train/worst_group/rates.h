// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise {

/// The public terms of the rates.
struct RateTerms {
  double num_groups = 2;      ///< p
  double num_records = 1;     ///< K, over all groups
  double num_parameters = 1;  ///< d
  double epsilon = 1;
};

/// The rates at which the excess of the largest loss falls, without constants and logarithms: of
/// the population for the first two, of the records for the others. [ZhouBassily2024]
struct WorstGroupRates {
  double phased_erm = 0;  ///< sqrt(p / K) + p sqrt(d) / (K eps)
  double oco_exp3 = 0;    ///< sqrt(sqrt(d) / (K eps)) + sqrt(p / (K eps^2)) + sqrt(p / K)
  double mgr = 0;         ///< p sqrt(d) / (K eps)
  double ags = 0;         ///< sqrt(p / (K eps)) + p sqrt(d) / (K eps)
};

/// Errors: kUsage for terms that are not finite and > 0.
WorstGroupRates worst_group_rates(const RateTerms& terms);

/// All four rates as text. They have no constants, so that they do not rank methods.
std::string describe_rates(const RateTerms& terms);

}  // namespace equinoise
