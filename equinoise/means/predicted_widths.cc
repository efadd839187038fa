// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/predicted_widths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/stratified.h"

namespace equinoise {

namespace {

double width_of(double noise, double quantile, const MeanColumn& column) {
  if (!std::isfinite(noise)) return noise;
  return std::min(2 * quantile * noise, column.upper - column.lower);
}

}  // namespace

PredictedWidths predict_widths(const MeansPlan& plan, size_t column,
                               std::span<const double> weights) {
  const MeanColumn& facts = plan.question.columns[column];
  const double quantile =
      find_mean_estimator(plan.part_of(column).method).make()->half_width_in_stddevs();
  const std::vector<double>& sizes = plan.question.predicted_sizes();
  PredictedWidths widths;
  for (const double size : sizes) {
    widths.strata.push_back(size == 0
                                ? facts.upper - facts.lower
                                : width_of(plan.predicted_noise(column, size), quantile, facts));
  }
  const std::vector<double> by_size = weights_of_sizes(sizes);
  double unknown = 0;  // a stratum about which nothing is released may be anywhere
  for (size_t k = 0; k < by_size.size(); ++k) {
    if (sizes[k] == 0)
      unknown += (weights.empty() ? by_size : weights)[k] * (facts.upper - facts.lower);
  }
  const double of_noise = width_of(predicted_overall_noise(plan, column, weights),
                                   std::max(quantile, kNormalQuantile), facts);
  widths.overall =
      std::isfinite(of_noise) ? std::min(facts.upper - facts.lower, unknown + of_noise) : of_noise;
  return widths;
}

double predicted_overall_noise(const MeansPlan& plan, size_t column,
                               std::span<const double> weights) {
  const std::vector<double>& sizes = plan.question.predicted_sizes();
  const std::vector<double> by_size = weights_of_sizes(sizes);
  if (weights.empty()) weights = by_size;
  double variance = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (weights[k] == 0 || sizes[k] == 0) continue;
    const double noise = weights[k] * plan.predicted_noise(column, sizes[k]);
    variance += noise * noise;
  }
  if (const auto& overall = plan.part_of(column).overall) {
    const CountedSum sum{overall->sensitivity, overall->count_units};
    const double noise = overall->noise_stddev *
                         sum.widening(static_cast<double>(overall->range.half_units)) /
                         std::accumulate(sizes.begin(), sizes.end(), 0.0) /
                         plan.question.columns[column].usual_weight.value_or(1);
    variance = 1 / (1 / variance + 1 / (noise * noise));
  }
  return std::sqrt(variance);
}

}  // namespace equinoise
