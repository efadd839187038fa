// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/random/source.h"
#include "equinoise/reproduction/simulation/group_records.h"
#include "equinoise/reproduction/simulation/weighted_descent.h"
#include "equinoise/train/tailoring/stage_one.h"

namespace equinoise {

/// Standard normal numbers of a reproducible source, in double precision. For simulation only: they
/// are NOT PRIVATE noise.
class SimulationNoise {
 public:
  /// Streams of one seed are independent of each other.
  SimulationNoise(uint64_t seed, uint64_t stream);

  double normal();   ///< by the polar method [MarsagliaBray1964]
  double uniform();  ///< in (-1, 1)

 private:
  SeededSource source_;
  double spare_ = 0;
  bool has_spare_ = false;
};

/// Answers with seeded noise and floating-point sums. NOT PRIVATE; nothing is charged. A rho that
/// is infinite means no noise.
class SimulatedGroupAnswers final : public WeightedGroupAnswers {
 public:
  /// Pre: records and noise outlive this.
  SimulatedGroupAnswers(const GroupRecords& records, RegressionModel model,
                        const AnswerBounds& bounds, SimulationNoise& noise);

  size_t num_features() const override { return records_.num_features(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes(); }
  AnswerBounds bounds() const override { return bounds_; }
  void gradient_mean(size_t group, std::span<const double> parameters, double rho,
                     std::span<double> answer) override;
  double loss_mean(size_t group, std::span<const double> parameters, double rho) override;
  void weighted_sum(std::span<const double> parameters, std::span<const double> coefficients,
                    std::span<const double> max_grad_norms, double noise_stddev,
                    std::span<double> answer) override;

 private:
  const GroupRecords& records_;
  RegressionModel model_;
  AnswerBounds bounds_;
  SimulationNoise& noise_;
  std::vector<double> sum_;
};

/// Simulated answers for stage one, with residuals of `model`. Computes X^T X and X^T Y once, so
/// that many runs on the same records are cheap.
class SimulatedStageOneAnswers final : public StageOneAnswers {
 public:
  /// Clips its copy of the records. Logistic residuals are at most 1 under any bounds.
  SimulatedStageOneAnswers(GroupRecords records, const StageOneBounds& bounds,
                           RegressionModel model = RegressionModel::kLinear);

  /// Sets the source of noise. Pre: called before the first question; noise outlives this.
  void use(SimulationNoise& noise) { noise_ = &noise; }

  size_t num_features() const override { return records_.num_features(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes(); }
  StageOneBounds bounds() const override { return bounds_; }
  NoisyMoments moments(MomentRelease release, double rho) override;
  std::vector<double> residual_sums(std::span<const double> coefficients, double rho) override;

 private:
  GroupRecords records_;
  StageOneBounds bounds_;
  RegressionModel model_;
  SimulationNoise* noise_ = nullptr;
  NoisyMoments moments_;
};

}  // namespace equinoise
