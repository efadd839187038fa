// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/reproduction/simulation/weighted_descent.h"

namespace equinoise::testing {

inline double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
inline double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// E clamp(Z, -clip, clip) of Z ~ N(mean, stddev^2).
inline double clamped_mean(double mean, double stddev, double clip) {
  const double low = (-clip - mean) / stddev;
  const double high = (clip - mean) / stddev;
  return -clip * normal_below(low) + clip * normal_below(-high) +
         mean * (normal_below(high) - normal_below(low)) +
         stddev * (normal_density(low) - normal_density(high));
}

/// E min(r^2, clip) of r ~ N(0, variance).
inline double clipped_square(double variance, double clip) {
  const double edge = std::sqrt(clip / variance);
  return variance * (1 - 2 * normal_below(-edge) - 2 * edge * normal_density(edge)) +
         2 * clip * normal_below(-edge);
}

/// Answers without noise of endless groups: x ~ N(0, 1), y = slope x + N(0, 1), linear regression.
/// Expected clipped gradients by quadrature over x.
class PopulationAnswers final : public WeightedGroupAnswers {
 public:
  PopulationAnswers(std::vector<int64_t> sizes, std::vector<double> slopes,
                    const AnswerBounds& bounds)
      : sizes_(std::move(sizes)), slopes_(std::move(slopes)), bounds_(bounds) {}

  size_t num_features() const override { return 1; }
  std::span<const int64_t> group_sizes() const override { return sizes_; }
  AnswerBounds bounds() const override { return bounds_; }

  void gradient_mean(size_t group, std::span<const double> parameters, double,
                     std::span<double> answer) override {
    const double distance = parameters[0] - slopes_[group];
    constexpr double kStep = 0.01;
    double sum = 0;
    for (double x = kStep / 2; x < 9; x += kStep) {
      sum += 2 * kStep * normal_density(x) *
             clamped_mean(2 * distance * x * x, 2 * x, bounds_.max_grad_norm);
    }
    answer[0] = sum;
  }
  double loss_mean(size_t group, std::span<const double> parameters, double) override {
    return clipped_square(1 + std::pow(parameters[0] - slopes_[group], 2), bounds_.loss_clip);
  }
  void weighted_sum(std::span<const double> parameters, std::span<const double> coefficients,
                    std::span<const double>, double, std::span<double> answer) override {
    double sum = 0;
    for (size_t k = 0; k < coefficients.size(); ++k) {
      gradient_mean(k, parameters, HUGE_VAL, answer);
      sum += coefficients[k] * static_cast<double>(sizes_[k]) * answer[0];
    }
    answer[0] = sum;
  }

 private:
  std::vector<int64_t> sizes_;
  std::vector<double> slopes_;
  AnswerBounds bounds_;
};

}  // namespace equinoise::testing
