// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace equinoise {

/// The unevenness of strata's sizes, as if they were shares drawn from a symmetric Dirichlet
/// distribution: the smaller alpha, the more uneven. Uses the sizes alone.
struct DirichletFit {
  double num_records = 0;
  double sum_of_squares = 0;  ///< of the shares
  /// The alpha with this sum of squares on average. Empty for equal sizes, where it would be
  /// infinite, and if all records are in one stratum, where it would be 0.
  std::optional<double> alpha_moments;
  std::optional<double> alpha_likelihood;  ///< as above; empty also where any stratum is
  double realised_sum_log = 0;             ///< sum ln max(1, size)
};

/// sizes: >= 0, at least two, one > 0.
DirichletFit fit_dirichlet(std::span<const double> sizes);

/// The expected cost of stratified noise if shares of n records are drawn from a symmetric
/// Dirichlet distribution with parameter alpha. [RosenblattStoyanovichMusco2024, Thm. 9]
struct ExpectedSumLog {
  double expected = 0;          ///< E sum ln(n g_i) = k (psi(a) - psi(k a) + ln n)
  double expected_floored = 0;  ///< E sum ln max(1, n g_i): groups below one record count as 0
  double upper_bound = 0;       ///< k ln(n / k): equal sizes
  double lower_bound = 0;       ///< k - 1 + ln(n - k + 1): all in one, one in each other
};

/// Deviation: the printed theorem is a bound and tends to that of the most uneven sizes. It is an
/// equality, and falls below zero for small alpha, as groups below one record count
/// (docs/theory/published-mistakes.md).
ExpectedSumLog expected_sum_log(int num_groups, double num_records, double alpha);

}  // namespace equinoise
