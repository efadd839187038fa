// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/coinpress.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

constexpr double kCodeBeta = 0.01;

double steps_factor(Relation relation) { return relation == Relation::kReplaceOne ? 2 : 1; }

}  // namespace

std::vector<double> coinpress_budgets(double rho, int num_steps) {
  if (num_steps == 1) return {rho};
  std::vector<double> budgets(static_cast<size_t>(num_steps), rho / 4 / (num_steps - 1));
  budgets.back() = 3 * rho / 4;
  return budgets;
}

std::vector<double> coinpress_failures(double beta, int num_steps) {
  if (num_steps == 1) return {beta / 4};
  std::vector<double> failures(static_cast<size_t>(num_steps), beta / (4.0 * (num_steps - 1)));
  failures.back() = beta / 4;
  return failures;
}

double normal_length(double dimension, double beta) {
  const double log = -std::log(beta);
  return std::sqrt(dimension + 2 * std::sqrt(dimension * log) + 2 * log);
}

CoinpressInterval::Clip CoinpressInterval::clip(double beta) const {
  const double tail = std::sqrt(2 * std::log(2 * num_records_ / beta));
  return {lower_ - tail, upper_ + tail, tail};
}

double CoinpressInterval::sensitivity(const Clip& clip, Relation relation) const {
  return (clip.upper - clip.lower) / (2 * num_records_) * steps_factor(relation);
}

double CoinpressInterval::half_width(double noise_stddev, double beta) const {
  return std::sqrt(2 * (1 / num_records_ + noise_stddev * noise_stddev) * std::log(2 / beta));
}

void CoinpressInterval::advance(double noisy_mean, double noise_stddev, double beta) {
  const double half = half_width(noise_stddev, beta);
  const double lower = std::clamp(noisy_mean - half, lower_, upper_);
  upper_ = std::clamp(noisy_mean + half, lower_, upper_);
  lower_ = lower;
}

CoinpressBall::CoinpressBall(std::vector<double> centre, double radius, double num_records,
                             CoinpressConstants constants)
    : centre_(std::move(centre)),
      radius_(radius),
      num_records_(num_records),
      constants_(constants) {}

double CoinpressBall::clip_radius(double beta) const {
  const auto dimension = static_cast<double>(centre_.size());
  if (constants_ == CoinpressConstants::kPaper)
    return radius_ + normal_length(dimension, beta / num_records_);
  const double tail = normal_length(dimension, kCodeBeta);
  return std::min(std::sqrt(radius_ * radius_ + 6 * radius_ + tail * tail), radius_ + tail);
}

double CoinpressBall::sensitivity(double clip_radius, Relation relation) const {
  return steps_factor(relation) * clip_radius / num_records_;
}

double CoinpressBall::radius_after(double noise_stddev, double beta) const {
  const double failure = constants_ == CoinpressConstants::kPaper ? beta : kCodeBeta;
  return normal_length(static_cast<double>(centre_.size()), failure) *
         std::sqrt(1 / num_records_ + noise_stddev * noise_stddev);
}

void CoinpressBall::advance(std::vector<double> noisy_centre, double noise_stddev, double beta) {
  radius_ = std::min(radius_, radius_after(noise_stddev, beta));
  centre_ = std::move(noisy_centre);
}

std::vector<double> project_onto_ball(std::vector<double> point, const std::vector<double>& centre,
                                      double radius) {
  double squared = 0;
  for (size_t j = 0; j < point.size(); ++j)
    squared += (point[j] - centre[j]) * (point[j] - centre[j]);
  const double length = std::sqrt(squared);
  if (length <= radius) return point;
  for (size_t j = 0; j < point.size(); ++j)
    point[j] = centre[j] + (point[j] - centre[j]) * (radius / length);
  return point;
}

}  // namespace equinoise
