#include "equinoise/means/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/shrinkage.h"
#include "equinoise/means/stratified.h"

namespace equinoise {

namespace {

constexpr size_t kLeastToShrink = 3;
constexpr size_t kMostLevels = 200;  // of all columns: their effects are a dense system

/// Of all columns together.
size_t count_levels(const std::vector<std::vector<size_t>>& levels) {
  size_t count = 0;
  for (size_t c = 0; c < levels[0].size(); ++c) {
    size_t num_levels = 0;
    for (const std::vector<size_t>& of_stratum : levels)
      num_levels = std::max(num_levels, of_stratum[c] + 1);
    count += num_levels;
  }
  return count;
}

void shrink_strata(const MeansPlan& plan, const MeansRelease& release, size_t column,
                   const Shrinking& shrinking, ColumnSummary& summary) {
  std::vector<std::vector<size_t>> levels;
  std::vector<size_t> asked;
  std::vector<double> estimates;
  std::vector<double> variances;
  for (size_t k = 0; k < release.sizes.size(); ++k) {
    if (release.sizes[k] == 0) continue;
    const MeanEstimate& estimate = release.at(k, column);
    asked.push_back(k);
    if (!shrinking.levels.empty()) levels.push_back(shrinking.levels[k]);
    estimates.push_back(estimate.mean);
    variances.push_back(estimate.noise_stddev * estimate.noise_stddev);
  }
  if (asked.size() < kLeastToShrink) return;
  const MeanColumn& facts = plan.question.columns[column];
  const bool is_crossed =
      !levels.empty() && levels[0].size() > 1 && count_levels(levels) <= kMostLevels;
  const Shrinkage shrinkage =
      is_crossed ? shrink_intersections(estimates, variances, levels, facts.lower, facts.upper)
                 : shrink_estimates(estimates, variances, facts.lower, facts.upper);
  for (size_t i = 0; i < asked.size(); ++i) summary.strata[asked[i]] = shrinkage.shrunk[i];
  summary.is_shrunk = true;
}

/// Of the mean weighted by noisy sizes, to first order: it is one sum over all strata divided by
/// their noisy number. Noise of a size moves it by the distance of that stratum's clip to it.
double noise_of_quotient(const MeansPlan& plan, const MeansRelease& release, size_t column,
                         std::span<const double> weights, double mean) {
  const double total = std::accumulate(release.sizes.begin(), release.sizes.end(), 0.0);
  double variance = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    const MeanEstimate& estimate = release.at(k, column);
    const double middle = estimate.clip_lower + (estimate.clip_upper - estimate.clip_lower) / 2;
    const double of_size = (middle - mean) * *plan.size_noise / total;
    const double of_sum = weights[k] * estimate.sum_noise_stddev;
    variance += of_sum * of_sum + of_size * of_size;
  }
  return std::sqrt(variance);
}

}  // namespace

std::vector<std::vector<size_t>> category_levels(const std::vector<GroupLabel>& strata) {
  std::vector<std::vector<size_t>> levels;
  std::vector<std::map<std::string, size_t>> places(strata.empty() ? 0 : strata[0].size());
  for (const GroupLabel& stratum : strata) {
    levels.emplace_back();
    for (size_t c = 0; c < stratum.size(); ++c) {
      levels.back().push_back(places[c].emplace(stratum[c].second, places[c].size()).first->second);
    }
  }
  return levels;
}

ColumnSummary summarise_column(const MeansPlan& plan, const MeansRelease& release, size_t column,
                               std::span<const double> weights, const Shrinking& shrinking) {
  const bool is_by_size = weights.empty();
  const std::vector<double> by_size = weights_of_sizes(release.sizes);
  if (is_by_size) weights = by_size;
  const MeanColumn& facts = plan.question.columns[column];
  ColumnSummary summary;
  std::vector<double> means;
  std::vector<double> noises;
  double factor = kNormalQuantile;
  double of_strata = 0;  // half of the interval, where weights are public and sizes are not
  for (size_t k = 0; k < release.sizes.size(); ++k) {
    const MeanEstimate& estimate = release.at(k, column);
    means.push_back(estimate.mean);
    noises.push_back(estimate.noise_stddev);
    summary.strata.push_back(std::clamp(estimate.mean, facts.lower, facts.upper));
    if (release.sizes[k] == 0) continue;
    summary.sum_of_squared_weights_by_size += weights[k] * weights[k] / release.sizes[k];
    const double quantile = plan.size_noise ? estimate.sum_half_width / estimate.sum_noise_stddev
                                            : estimate.half_width / estimate.noise_stddev;
    factor = std::max(factor, quantile);
    if (weights[k] > 0) of_strata = std::hypot(of_strata, weights[k] * estimate.half_width);
  }
  WeightedMean overall = combine_strata(means, noises, weights);
  if (const auto& direct = release.overall[column]; direct && is_by_size) {
    const std::array<double, 2> both = {overall.mean, direct->mean};
    const std::array<double, 2> noise = {overall.noise_stddev, direct->noise_stddev};
    const double variance = noise[0] * noise[0];
    const double share = variance / (variance + noise[1] * noise[1]);
    overall = combine_strata(both, noise, std::array{1 - share, share});
  }
  if (plan.size_noise && is_by_size)
    overall.noise_stddev = noise_of_quotient(plan, release, column, weights, overall.mean);
  const bool is_quotient_of_each = plan.size_noise && !is_by_size;
  summary.overall = {std::clamp(overall.mean, facts.lower, facts.upper), overall.noise_stddev,
                     is_quotient_of_each ? of_strata : factor * overall.noise_stddev};
  if (shrinking.is_wanted) shrink_strata(plan, release, column, shrinking, summary);
  return summary;
}

}  // namespace equinoise
