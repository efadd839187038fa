// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The bounds on single records' parts of the statistics of stage one; public, never looked up.
struct StageOneBounds {
  Relation relation = Relation::kZeroOut;
  double feature_norm_bound = 1;  ///< rows are scaled down to it
  double target_bound = 1;        ///< targets are clipped to [-target_bound, target_bound]
  double residual_clip = 1;       ///< squared residuals are clipped to its square
};

/// The release of X^T X and X^T Y: as one vector, with noise of one scale, or each for half of the
/// budget.
enum class MomentRelease { kJoint, kSeparate };

/// kJoint unless targets may be much longer than rows, target_bound > 1.4 feature_norm_bound.
MomentRelease best_moment_release(const StageOneBounds& bounds);

/// X^T X, symmetric (num_features, num_features), and X^T Y, with noise.
struct NoisyMoments {
  std::vector<double> xtx;
  std::vector<double> xty;
};

/// Noisy answers to the questions of stage one, from records clipped to bounds().
class StageOneAnswers {
 public:
  virtual ~StageOneAnswers() = default;

  virtual size_t num_features() const = 0;
  virtual std::span<const int64_t> group_sizes() const = 0;  ///< public, (groups)
  virtual StageOneBounds bounds() const = 0;

  /// The moments of all records, at cost rho: the noise of xtx is on its upper triangle with the
  /// diagonal, independent, and mirrored.
  virtual NoisyMoments moments(MomentRelease release, double rho) = 0;

  /// (groups): the sum of min(r^2, residual_clip^2) at these coefficients, each with Gaussian noise
  /// that costs the members of that group rho.
  virtual std::vector<double> residual_sums(std::span<const double> coefficients, double rho) = 0;
};

struct StageOneConfig {
  double rho = 1;         ///< of all of it, for the person with the largest cost
  size_t max_groups = 1;  ///< that anybody is in, by what groups mean and not by the records
  MomentRelease release = MomentRelease::kJoint;
  std::optional<double> box;  ///< coefficients are clipped to [-box, box] after the solution
};

/// The result of stage one. All of it is post-processing of noisy answers.
struct StageOneResult {
  std::vector<double> coefficients;         ///< of one model for all groups
  double min_eigenvalue = 0;                ///< of the noisy X^T X
  double ridge = 0;                         ///< the addition to its diagonal, or 0
  std::vector<double> noisy_residual_sums;  ///< (groups)
  std::vector<bool> floored;                ///< (groups): noise alone could have caused the sum
  std::vector<double> group_variances;      ///< (groups), all > 0: the input of split_budget
};

/// The number of steps of descent, for a model without normal equations.
inline constexpr int64_t kStageOneSteps = 20;

/// The size of the equal parts of rho: one for the moments, one for the residual sum of each group,
/// so that a person in max_groups groups pays rho. It is rho / 2 for disjoint groups, rho /
/// (groups + 1) if a person may be in all of them.
double stage_one_part(double rho, size_t max_groups);

/// The standard deviation of noise on X^T X. Errors: kUsage, as noise_stddev.
double xtx_noise_stddev(const StageOneBounds& bounds, size_t num_features, MomentRelease release,
                        double rho);
/// The standard deviation of noise on X^T Y.
double xty_noise_stddev(const StageOneBounds& bounds, MomentRelease release, double rho);

/// Fits one model to all records and measures its fit to each group. [AlabiWiggins2024, Alg. 1]
///
/// Deviations: rows, targets and residuals are clipped to the bounds that sensitivities assume. If
/// the noisy X^T X has an eigenvalue below its noise, or a residual sum is below its own, the
/// printed algorithm discards everything and returns equal shares, while ours adds a ridge or
/// raises the sum. Groups that exclude each other are paid for in parallel. Errors: kUsage for a
/// rho that is not > 0.
StageOneResult run_stage_one(StageOneAnswers& answers, const StageOneConfig& config);

/// The second half of stage one: measures the fit of result.coefficients, from any source, to each
/// group. `part` is the cost of the residual sums.
void measure_groups(StageOneAnswers& answers, double part, StageOneResult& result);

}  // namespace equinoise
