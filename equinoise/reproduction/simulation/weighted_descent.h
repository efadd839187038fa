// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/train/tailoring/descent.h"
#include "equinoise/train/tailoring/group_answers.h"

namespace equinoise {

/// The release of every step about all disjoint groups together: sum_k coefficients[k] * (sum of
/// gradients clipped to max_grad_norms[k]) + N(0, noise_stddev^2). A group's cost depends on its
/// coefficient times its clip; this is the meaning of tailoring a budget for one shared model.
struct WeightedRelease {
  std::vector<double> coefficients;    ///< (groups)
  std::vector<double> max_grad_norms;  ///< (groups)
  double noise_stddev = 0;             ///< on each entry
};

/// (groups): rho_k = T (s c_k Delta_k)^2 / (2 noise_stddev^2), the cost of a run for records of
/// group k; s is 1 under zero_out and 2 under replace_one.
std::vector<double> group_costs(const WeightedRelease& release, Relation relation,
                                int64_t num_steps);

/// s max_grad_norm sqrt(num_steps / (2 rho)): the noise on sums of clipped gradients that makes a
/// run cost rho; 0 for infinite rho.
double sum_noise_stddev(const AnswerBounds& bounds, int64_t num_steps, double rho);

/// Gradient descent on all records alike; every group pays rho. It is DPNoSE in the paper, and
/// DP-GD elsewhere. Errors here and below: kUsage for a rho that is not > 0.
WeightedRelease unweighted_release(const GroupAnswers& answers, int64_t num_steps, double rho);

/// Descent on all records with the noise of a sum of groups' sums, each released for its share of
/// rho: variance (s Delta)^2 T / (2 rho) * sum_k 1 / shares[k], never below groups^2 times that of
/// unweighted_release. No group gains by a larger share. [AlabiWiggins2024, Alg. 3]
WeightedRelease summed_release(const GroupAnswers& answers, int64_t num_steps, double rho,
                               std::span<const double> shares);

/// The mean over groups of mean gradients, c_k = 1 / (groups n_k): groups count alike, independent
/// of their size. The smallest group pays rho, the others less.
WeightedRelease balanced_release(const GroupAnswers& answers, int64_t num_steps, double rho);

/// A step of one group's own model; only that group pays rho.
WeightedRelease single_group_release(const GroupAnswers& answers, int64_t num_steps, double rho,
                                     size_t group);

/// Descends along the release. Returns (num_features) parameters. Errors: kUsage, those of
/// step_size_at.
std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const WeightedRelease& release);

}  // namespace equinoise
