// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "equinoise/means/registry.h"
#include "equinoise/means/shrinkage.h"
#include "equinoise/means/stratified.h"

namespace equinoise {

namespace {

constexpr size_t kMinToShrink = 3;
constexpr size_t kMaxLevels = 200;  // of all columns: their effects are a dense system

/// The number of levels of all columns together.
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
    const MeanEstimate& estimate = release.at(k, column);
    if (release.sizes[k] == 0 || !estimate.has_figure()) continue;
    asked.push_back(k);
    if (!shrinking.levels.empty()) levels.push_back(shrinking.levels[k]);
    estimates.push_back(estimate.mean);
    variances.push_back(estimate.noise_stddev * estimate.noise_stddev);
  }
  if (asked.size() < kMinToShrink) return;
  const MeanColumn& facts = plan.question.columns[column];
  const bool is_crossed =
      !levels.empty() && levels[0].size() > 1 && count_levels(levels) <= kMaxLevels;
  const Shrinkage shrinkage =
      is_crossed ? shrink_intersections(estimates, variances, levels, facts.lower, facts.upper)
                 : shrink_estimates(estimates, variances, facts.lower, facts.upper);
  for (size_t i = 0; i < asked.size(); ++i) summary.strata[asked[i]] = shrinkage.shrunk[i];
  summary.is_shrunk = true;
}

/// The failure probabilities of the parts of an interval of the population: of noise, of the choice
/// of the records, and of the number of records if sizes are noisy.
constexpr double kOfNoise = 0.5 * kIntervalFailure;
constexpr double kOfSampling = 0.4 * kIntervalFailure;
constexpr double kOfSizes = 0.1 * kIntervalFailure;

/// A sum divided by a number of records or values, both noisy. Noise of a stratum's number changes
/// the quotient in proportion to the distance between that stratum's clip and the quotient.
struct NoisyQuotient {
  double origin = 0;  ///< sums are of distances to it, because numbers far from 0 would lose digits
  double sum = 0;
  double size = 0;
  double variance = 0;  ///< of the sum's noise
  bool is_weighted = false;
  struct Part {
    double middle;
    double variance;  ///< of the number's noise
  };
  std::vector<Part> parts;  ///< (strata)

  double mean() const { return origin + sum / std::max(size, 1.0); }

  double size_variance() const {
    double total = 0;
    for (const Part& part : parts) total += part.variance;
    return total;
  }

  double noise_stddev() const {
    double total = variance;
    for (const Part& part : parts) total += part.variance * std::pow(part.middle - mean(), 2);
    return std::sqrt(total) / std::max(size, 1.0);
  }

  /// Half of the interval of all quotients q for which sum - q size can be noise, within `stddevs`
  /// of its standard deviations [Fieller1954]; made symmetric. Infinite if the size may be 0.
  double half_width(double stddevs) const {
    const double squared = stddevs * stddevs;
    const double known = size * size - squared * size_variance();
    const double least =
        is_weighted ? std::max(1.0, kWeightStandsOut * std::sqrt(size_variance())) : 1;
    if (!(known > 0) || size < least) return std::numeric_limits<double>::infinity();
    double slope = 0;
    double constant = variance;
    for (const Part& part : parts) {
      const double distance = part.middle - mean();
      slope += part.variance * distance;
      constant += part.variance * distance * distance;
    }
    // known x^2 + 2 squared slope x - squared constant <= 0, around the mean
    const double middle = squared * slope;
    return (std::fabs(middle) + std::sqrt(middle * middle + known * squared * constant)) / known;
  }
};

/// The quotient over all strata of a column with noisy sizes or numbers of values.
NoisyQuotient quotient_of_strata(const MeansRelease& release, size_t column) {
  NoisyQuotient quotient;
  for (size_t k = 0; k < release.sizes.size(); ++k) {
    if (release.sizes[k] == 0) continue;
    const MeanEstimate& estimate = release.at(k, column);
    const double middle = estimate.clip_lower + (estimate.clip_upper - estimate.clip_lower) / 2;
    const double divisor = std::max(estimate.size, 1.0);
    if (quotient.parts.empty()) quotient.origin = middle;
    quotient.is_weighted = estimate.is_weighted;
    quotient.sum += (estimate.mean - middle) * divisor + (middle - quotient.origin) * estimate.size;
    quotient.size += estimate.size;
    quotient.variance += std::pow(estimate.sum_noise_stddev * divisor, 2);
    quotient.parts.push_back({middle, std::pow(estimate.size_noise, 2)});
  }
  if (const auto& direct = release.overall[column]) {
    // Combines both by their precision; all strata have one clip, whose middle is the origin.
    const double divisor = std::max(direct->size, 1.0);
    const double variance = std::pow(direct->noise_stddev * divisor, 2);
    const double share = quotient.variance / (quotient.variance + variance);
    quotient.sum += share * ((direct->mean - quotient.origin) * divisor - quotient.sum);
    quotient.size += share * (direct->size - quotient.size);
    quotient.variance *= 1 - share;
    for (NoisyQuotient::Part& part : quotient.parts) part.variance *= 1 - share;
  }
  return quotient;
}

/// A lower bound on the number of records from a noisy size, which fails with probability kOfSizes.
double min_size(const MeanEstimator& estimator, double size, double stddev) {
  return size - estimator.half_width_in_stddevs(2 * kOfSizes) * stddev;
}

/// Adds the intervals of the population. `half_width_of` gives the overall one of noise alone for a
/// number of standard deviations.
template <typename HalfWidthOf>
void add_populations(const MeansPlan& plan, const MeansRelease& release, size_t column,
                     std::span<const double> weights, bool is_by_size,
                     const MeanEstimator& estimator, const HalfWidthOf& half_width_of,
                     ColumnSummary& summary) {
  summary.populations.resize(release.sizes.size());
  const MeanColumn& facts = plan.question.columns[column];
  // Numbers of each weight come from a different distribution if records have weights.
  const bool is_of_one_distribution = facts.stddev && !facts.usual_weight;
  if (!is_of_one_distribution || estimator.clip_kind(plan.question.config) != ClipKind::kPublic)
    return;
  const double stddevs = estimator.half_width_in_stddevs(kOfNoise);
  double variance = 0;
  double largest = 0;
  double width = 0;
  double total = 0;
  double size_variance = 0;
  bool is_known = true;
  size_t num_asked = 0;
  for (size_t k = 0; k < release.sizes.size(); ++k) {
    if (release.sizes[k] == 0) {
      is_known = is_known && weights[k] == 0;
      continue;
    }
    ++num_asked;
    const MeanEstimate& estimate = release.at(k, column);
    total += estimate.size;
    size_variance += estimate.size_noise * estimate.size_noise;
    width = std::max(width, estimate.clip_upper - estimate.clip_lower);
    const double least = min_size(estimator, estimate.size, estimate.size_noise);
    if (!(least >= 1)) {
      is_known = is_known && weights[k] == 0;
      continue;
    }
    variance += weights[k] * weights[k] / least;
    largest = std::max(largest, weights[k] / least);
    const double sampled =
        sampled_half_width(*facts.stddev, estimate.clip_upper - estimate.clip_lower, 1 / least,
                           1 / least, kOfSampling);
    summary.populations[k] = noise_half_width(estimate, stddevs) + sampled;
  }
  if (is_by_size) {
    const double least = min_size(estimator, total, std::sqrt(size_variance));
    // A standard deviation within each stratum does not bound the change of the mean that results
    // if the shares of strata are drawn with the records.
    is_known = least >= 1 && (size_variance == 0 || num_asked == 1);
    variance = 1 / least;
    largest = 1 / least;
  }
  if (!is_known) return;
  summary.overall_population =
      half_width_of(std::max(stddevs, normal_half_width(kOfNoise))) +
      sampled_half_width(*facts.stddev, width, variance, largest, kOfSampling);
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

double sampled_half_width(double stddev, double width, double variance, double largest,
                          double failure) {
  const double logarithm = std::log(2 / failure);
  const double linear = width * largest * logarithm / 3;
  const double squared = stddev * stddev * variance;
  const double bernstein = linear + std::sqrt(linear * linear + 2 * squared * logarithm);
  return std::min(bernstein, std::sqrt(squared / failure));
}

ColumnSummary summarise_column(const MeansPlan& plan, const MeansRelease& release, size_t column,
                               std::span<const double> weights, const Shrinking& shrinking) {
  const bool is_by_size = weights.empty();
  const std::vector<double> by_size = weights_of_sizes(release.sizes);
  if (is_by_size) weights = by_size;
  const MeanColumn& facts = plan.question.columns[column];
  const auto estimator = find_mean_estimator(plan.part_of(column).method).make();
  ColumnSummary summary;
  std::vector<double> means;
  std::vector<double> noises;
  double rounding = 0;
  double rounded = 0;  // of the sum over all strata
  double unknown = 0;  // half of the range of strata about which nothing was released
  bool has_noisy_sizes = false;
  for (size_t k = 0; k < release.sizes.size(); ++k) {
    const MeanEstimate& estimate = release.at(k, column);
    means.push_back(estimate.mean);
    noises.push_back(release.sizes[k] == 0 ? 0 : estimate.noise_stddev);
    summary.strata.push_back(std::clamp(estimate.mean, facts.lower, facts.upper));
    if (release.sizes[k] == 0) {
      unknown += weights[k] * (facts.upper - facts.lower) / 2;
      continue;
    }
    if (weights[k] > 0) rounding = std::max(rounding, estimate.rounding);
    rounded += estimate.rounding * std::max(estimate.size, 1.0);
    has_noisy_sizes = has_noisy_sizes || estimate.size_noise > 0;
  }
  double mean = 0;
  double noise_stddev = 0;
  std::optional<double> size;
  double size_noise = 0;
  std::function<double(double)> half_width_of;
  if (has_noisy_sizes && is_by_size) {
    const NoisyQuotient quotient = quotient_of_strata(release, column);
    mean = quotient.mean();
    // A stratum with hardly any weight changes the sum at most in proportion to its records.
    rounding = rounded / std::max(quotient.size, 1.0);
    noise_stddev = quotient.noise_stddev();
    size = quotient.size;
    size_noise = std::sqrt(quotient.size_variance());
    half_width_of = [quotient](double stddevs) { return quotient.half_width(stddevs); };
  } else {
    WeightedMean overall = combine_strata(means, noises, weights);
    if (const auto& direct = release.overall[column]; direct && is_by_size) {
      const std::array<double, 2> both = {overall.mean, direct->mean};
      const std::array<double, 2> noise = {overall.noise_stddev, direct->noise_stddev};
      const double variance = noise[0] * noise[0];
      const double share = variance / (variance + noise[1] * noise[1]);
      overall = combine_strata(both, noise, std::array{1 - share, share});
    }
    mean = overall.mean;
    noise_stddev = overall.noise_stddev;
    half_width_of = [&, noise_stddev](double stddevs) {
      if (!has_noisy_sizes) return stddevs * noise_stddev;
      // Each mean is a quotient. Their noise is independent, but their bias is not: it has the same
      // sign if strata lie on one side of their clips.
      double of_noise = 0;
      double of_quotients = 0;
      for (size_t k = 0; k < weights.size(); ++k) {
        if (weights[k] == 0 || release.sizes[k] == 0) continue;
        const MeanEstimate& estimate = release.at(k, column);
        const double first_order = stddevs * estimate.noise_stddev;
        of_noise = std::hypot(of_noise, weights[k] * first_order);
        of_quotients += weights[k] * (noise_half_width(estimate, stddevs) - first_order);
      }
      return of_noise + of_quotients;
    };
  }
  const double stddevs = std::max(estimator->half_width_in_stddevs(), kNormalQuantile);
  const auto with_rest = [&](double factor) { return half_width_of(factor) + rounding + unknown; };
  summary.overall = {std::clamp(mean, facts.lower, facts.upper), noise_stddev, with_rest(stddevs),
                     size, size_noise};
  add_populations(plan, release, column, weights, is_by_size, *estimator, with_rest, summary);
  if (shrinking.is_wanted) shrink_strata(plan, release, column, shrinking, summary);
  return summary;
}

}  // namespace equinoise
