// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace equinoise {

/// How uneven the sizes of strata are, as if they were shares drawn from a symmetric Dirichlet law:
/// the smaller alpha, the more uneven. Of the sizes alone.
struct DirichletFit {
  double num_records = 0;
  double sum_of_squares = 0;  ///< of the shares
  /// The alpha that has this sum of squares on average. Empty for equal sizes, where it would be
  /// infinite, and where all are in one stratum, where it would be 0.
  std::optional<double> alpha_moments;
  std::optional<double> alpha_likelihood;  ///< as above; empty also where any stratum is
  double realised_sum_log = 0;             ///< sum ln max(1, size)
};

/// sizes: >= 0, at least two, one > 0.
DirichletFit fit_dirichlet(std::span<const double> sizes);

/// What stratified noise costs on average where shares of n records are drawn from a symmetric
/// Dirichlet law with parameter alpha. [RosenblattStoyanovichMusco2024, Thm. 9]
struct ExpectedSumLog {
  double expected = 0;  ///< E sum ln(n g_i) = k (psi(a) - psi(k a) + ln n)
  double expected_floored =
      0;                   ///< E sum ln max(1, n g_i): what there is of groups of less than one
  double upper_bound = 0;  ///< k ln(n / k): equal sizes
  double lower_bound = 0;  ///< k - 1 + ln(n - k + 1): all in one, one in each other
  double gap_closed = 0;   ///< (upper - expected) / (upper - lower)
  double gap_closed_floored = 0;
};

/// Deviation: printed, it is a bound and tends to that of the most uneven sizes; it is an equality,
/// and falls below zero for small alpha, as groups below one record count
/// (docs/theory/published-mistakes.md).
ExpectedSumLog expected_sum_log(int num_groups, double num_records, double alpha);

}  // namespace equinoise
