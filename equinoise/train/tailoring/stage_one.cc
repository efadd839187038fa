// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/stage_one.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "equinoise/base/check.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

double part_of_release(MomentRelease release, double rho) {
  return release == MomentRelease::kJoint ? rho : rho / 2;
}

}  // namespace

MomentRelease best_moment_release(const StageOneBounds& bounds) {
  constexpr double kMaxRatio = 1.4;
  return bounds.target_bound <= kMaxRatio * bounds.feature_norm_bound ? MomentRelease::kJoint
                                                                      : MomentRelease::kSeparate;
}

double stage_one_part(double rho, size_t max_groups) {
  return rho / static_cast<double>(max_groups + 1);
}

double xtx_noise_stddev(const StageOneBounds& bounds, size_t num_features, MomentRelease release,
                        double rho) {
  const double a = bounds.feature_norm_bound;
  return noise_stddev(release == MomentRelease::kJoint
                          ? joint_moment_sensitivity(bounds.relation, a, bounds.target_bound)
                          : xtx_sensitivity(bounds.relation, a, num_features),
                      part_of_release(release, rho));
}

double xty_noise_stddev(const StageOneBounds& bounds, MomentRelease release, double rho) {
  const double a = bounds.feature_norm_bound;
  return noise_stddev(release == MomentRelease::kJoint
                          ? joint_moment_sensitivity(bounds.relation, a, bounds.target_bound)
                          : xty_sensitivity(bounds.relation, a, bounds.target_bound),
                      part_of_release(release, rho));
}

StageOneResult run_stage_one(StageOneAnswers& answers, const StageOneConfig& config) {
  if (!(config.rho > 0)) {
    throw Error(ErrorKind::kUsage, kWhere, "the budget of stage one must be > 0, got {}",
                config.rho);
  }
  if (config.max_groups == 0 || config.max_groups > answers.group_sizes().size()) {
    throw Error(ErrorKind::kUsage, kWhere, "a person is in 1 to {} groups, got {}",
                answers.group_sizes().size(), config.max_groups);
  }
  const StageOneBounds bounds = answers.bounds();
  const double part = stage_one_part(config.rho, config.max_groups);
  const auto num_features = static_cast<Eigen::Index>(answers.num_features());
  StageOneResult result;

  const NoisyMoments moments = answers.moments(config.release, part);
  Eigen::MatrixXd xtx =
      Eigen::Map<const Eigen::MatrixXd>(moments.xtx.data(), num_features, num_features);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(xtx, Eigen::EigenvaluesOnly);
  result.min_eigenvalue = solver.eigenvalues()[0];
  const double floor = xtx_noise_stddev(bounds, answers.num_features(), config.release, part) *
                       std::sqrt(static_cast<double>(num_features));
  if (!(result.min_eigenvalue > floor)) {
    result.ridge = floor - result.min_eigenvalue;
    xtx.diagonal().array() += result.ridge;
  }
  const Eigen::VectorXd solution =
      xtx.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(moments.xty.data(), num_features));
  result.coefficients.assign(solution.begin(), solution.end());
  for (double& coefficient : result.coefficients)
    if (config.box) coefficient = std::clamp(coefficient, -*config.box, *config.box);

  measure_groups(answers, part, result);
  return result;
}

void measure_groups(StageOneAnswers& answers, double part, StageOneResult& result) {
  const std::span<const int64_t> sizes = answers.group_sizes();
  const StageOneBounds bounds = answers.bounds();
  result.noisy_residual_sums = answers.residual_sums(result.coefficients, part);
  const double noise =
      noise_stddev(residual_sum_sensitivity(bounds.relation, bounds.residual_clip), part);
  for (size_t k = 0; k < sizes.size(); ++k) {
    const double sum = result.noisy_residual_sums[k];
    result.floored.push_back(!(sum > noise));
    result.group_variances.push_back(std::max(sum, noise) / static_cast<double>(sizes[k]));
  }
}

}  // namespace equinoise
