// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulated_answers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

SimulationNoise::SimulationNoise(uint64_t seed, uint64_t stream) : source_(seed) {
  source_.start_step(stream);
}

double SimulationNoise::uniform() {
  constexpr int kSpareBits = 11;  // of 64, so that 53 are left
  const auto odd = static_cast<double>(static_cast<int64_t>(source_.next()) >> kSpareBits) + 0.5;
  return odd * 0x1p-52;
}

double SimulationNoise::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  for (;;) {
    const double x = uniform();
    const double y = uniform();
    const double square = x * x + y * y;
    if (square >= 1) continue;
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = scale * y;
    has_spare_ = true;
    return scale * x;
  }
}

SimulatedGroupAnswers::SimulatedGroupAnswers(const GroupRecords& records, RegressionModel model,
                                             const AnswerBounds& bounds, SimulationNoise& noise)
    : records_(records),
      model_(model),
      bounds_(bounds),
      noise_(noise),
      sum_(records.num_features()) {}

void SimulatedGroupAnswers::gradient_mean(size_t group, std::span<const double> parameters,
                                          double rho, std::span<double> answer) {
  const int64_t size = group_sizes()[group];
  const double stddev =
      rho == HUGE_VAL
          ? 0
          : noise_stddev(gradient_mean_sensitivity(bounds_.relation, bounds_.max_grad_norm, size),
                         rho);
  records_.gradient_sum(model_, group, parameters, bounds_.max_grad_norm, answer);
  for (double& entry : answer) entry = entry / static_cast<double>(size) + stddev * noise_.normal();
}

double SimulatedGroupAnswers::loss_mean(size_t group, std::span<const double> parameters,
                                        double rho) {
  const int64_t size = group_sizes()[group];
  const double stddev =
      rho == HUGE_VAL
          ? 0
          : noise_stddev(loss_mean_sensitivity(bounds_.relation, bounds_.loss_clip, size), rho);
  return records_.loss_sum(model_, group, parameters, bounds_.loss_clip) /
             static_cast<double>(size) +
         stddev * noise_.normal();
}

void SimulatedGroupAnswers::weighted_sum(std::span<const double> parameters,
                                         std::span<const double> coefficients,
                                         std::span<const double> max_grad_norms,
                                         double noise_stddev, std::span<double> answer) {
  for (double& entry : answer) entry = noise_stddev * noise_.normal();
  for (size_t k = 0; k < coefficients.size(); ++k) {
    if (coefficients[k] == 0) continue;
    records_.gradient_sum(model_, k, parameters, max_grad_norms[k], sum_);
    for (size_t j = 0; j < answer.size(); ++j) answer[j] += coefficients[k] * sum_[j];
  }
}

SimulatedStageOneAnswers::SimulatedStageOneAnswers(GroupRecords records,
                                                   const StageOneBounds& bounds,
                                                   RegressionModel model)
    : records_(std::move(records)), bounds_(bounds), model_(model) {
  if (model == RegressionModel::kLogistic)
    bounds_.residual_clip = std::min(1.0, bounds_.residual_clip);
  records_.clip(bounds.feature_norm_bound, bounds.target_bound);
  moments_ = {records_.xtx(), records_.xty()};
}

NoisyMoments SimulatedStageOneAnswers::moments(MomentRelease release, double rho) {
  NoisyMoments noisy = moments_;
  const size_t num_features = records_.num_features();
  const double xtx_stddev = xtx_noise_stddev(bounds_, num_features, release, rho);
  for (size_t i = 0; i < num_features; ++i) {
    for (size_t j = i; j < num_features; ++j) {
      noisy.xtx[i * num_features + j] += xtx_stddev * noise_->normal();
      noisy.xtx[j * num_features + i] = noisy.xtx[i * num_features + j];
    }
  }
  const double xty_stddev = xty_noise_stddev(bounds_, release, rho);
  for (double& entry : noisy.xty) entry += xty_stddev * noise_->normal();
  return noisy;
}

std::vector<double> SimulatedStageOneAnswers::residual_sums(std::span<const double> coefficients,
                                                            double rho) {
  std::vector<double> sums = records_.residual_sums(model_, coefficients, bounds_.residual_clip);
  const double stddev =
      noise_stddev(residual_sum_sensitivity(bounds_.relation, bounds_.residual_clip), rho);
  for (double& sum : sums) sum += stddev * noise_->normal();
  return sums;
}

}  // namespace equinoise
