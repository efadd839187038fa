// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/train/tailoring/group_answers.h"
#include "equinoise/train/tailoring/group_loss_descent.h"

namespace equinoise {

/// The length of steps; t counts from 1.
struct StepSize {
  enum class Rule {
    kNoisy,        ///< scale * diameter / sqrt(t (L^2 + P stddev^2)) [BassilySmithThakurta2014]
    kInverseRoot,  ///< scale / sqrt(t)
    kConstant,     ///< scale
  };
  Rule rule = Rule::kNoisy;
  double scale = 1;
};

/// Projected gradient descent from 0, which returns the iterate after the last step.
///
/// Deviation: Algorithms 2 and 3 return the iterate before it.
struct DescentConfig {
  int64_t num_steps = 100;
  double box = 5;  ///< every parameter stays within [-box, box]
  StepSize step_size;
};

/// The public facts that the length of steps may depend on.
struct DirectionFacts {
  double lipschitz = 0;     ///< the largest norm of a direction without noise
  double noise_stddev = 0;  ///< on each entry
  size_t num_parameters = 1;
};

/// The length of step t = 1, 2, ... Errors: kUsage for a scale or box that is not finite and > 0.
double step_size_at(const DescentConfig& config, const DirectionFacts& facts, int64_t t);

/// parameters <- box(parameters - step_size * direction).
void take_step(double box, double step_size, std::span<const double> direction,
               std::span<double> parameters);

/// Group answers with one release for all groups.
class WeightedGroupAnswers : public GroupAnswers {
 public:
  virtual AnswerBounds bounds() const = 0;

  /// sum_k coefficients[k] * (sum of group k's gradients, each clipped to max_grad_norms[k]), with
  /// Gaussian noise of this standard deviation on each entry: one release for all groups.
  virtual void weighted_sum(std::span<const double> parameters,
                            std::span<const double> coefficients,
                            std::span<const double> max_grad_norms, double noise_stddev,
                            std::span<double> answer) = 0;
};

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
WeightedRelease unweighted_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                   double rho);

/// Descent on all records with the noise of a sum of groups' sums, each released for its share of
/// rho: variance (s Delta)^2 T / (2 rho) * sum_k 1 / shares[k], never below groups^2 times that of
/// unweighted_release. No group gains by a larger share. [AlabiWiggins2024, Alg. 3]
WeightedRelease summed_release(const WeightedGroupAnswers& answers, int64_t num_steps, double rho,
                               std::span<const double> shares);

/// Descent on the groups' sums, weighted by the coefficients, in one release: who is in the group
/// of the largest coefficient pays rho, the others less.
WeightedRelease coefficients_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                     double rho, std::vector<double> coefficients);

/// The mean over groups of mean gradients, c_k = 1 / (groups n_k): groups count alike, independent
/// of their size. The smallest group pays rho, the others less.
WeightedRelease balanced_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                 double rho);

/// A step of one group's own model; only that group pays rho.
WeightedRelease single_group_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                     double rho, size_t group);

/// Descends along the release. Returns (num_features) parameters. Errors: kUsage, those of
/// step_size_at.
std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const WeightedRelease& release);

/// The standard deviation of the noise in a direction, for each entry, while the constraint is
/// kept. If one group is followed, it is the largest possible one.
double direction_noise_stddev(const WeightedGroupAnswers& answers, const GroupLossConfig& config,
                              int64_t num_steps);

/// Gradient descent under bounded group loss. With infinite budgets, without noise, it is Algorithm
/// 5 at steps of kInverseRoot and Algorithm 6 at kConstant. Returns (num_features) parameters.
/// Errors: kUsage for lists without one entry for each group, a budget that is not > 0, a negative
/// multiplier; those of step_size_at.
std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const GroupLossConfig& loss);

/// (groups): budgets with which GroupLossConfig, at objective kSum, has the noise of Algorithm 2 as
/// printed: half of shares[k] * rho for gradients, noise of a sum on a mean. It is private, with
/// noise n_k times too large (n_k / 2 times under replace_one), so that the result is hardly more
/// than noise. For comparison only.
std::vector<double> printed_budgets(const WeightedGroupAnswers& answers, double rho,
                                    std::span<const double> shares);

}  // namespace equinoise
