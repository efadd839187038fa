#include "equinoise/means/predicted_widths.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  PredictedWidths widths;
  for (const double size : plan.question.sizes) {
    widths.strata.push_back(size == 0
                                ? facts.upper - facts.lower
                                : width_of(plan.predicted_noise(column, size), quantile, facts));
  }
  widths.overall = width_of(predicted_overall_noise(plan, column, weights),
                            std::max(quantile, kNormalQuantile), facts);
  return widths;
}

double predicted_overall_noise(const MeansPlan& plan, size_t column,
                               std::span<const double> weights) {
  const std::vector<double>& sizes = plan.question.sizes;
  const std::vector<double> by_size = weights_of_sizes(sizes);
  if (weights.empty()) weights = by_size;
  const MeanColumn& facts = plan.question.columns[column];
  double variance = 0;
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (weights[k] == 0) continue;
    const double of_stratum =
        sizes[k] == 0 ? (facts.upper - facts.lower) / 2 : plan.predicted_noise(column, sizes[k]);
    const double noise = weights[k] * of_stratum;
    variance += noise * noise;
  }
  if (const auto& overall = plan.part_of(column).overall) {
    const double noise = overall->noise_stddev / std::accumulate(sizes.begin(), sizes.end(), 0.0);
    variance = 1 / (1 / variance + 1 / (noise * noise));
  }
  return std::sqrt(variance);
}

}  // namespace equinoise
