// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/shrinkage.h"

#include <Eigen/Dense>
#include <algorithm>

namespace equinoise {

namespace {

struct Moment {
  double centre;
  double excess;  ///< sum (e - m)^2 / (v + tau^2) - (k - 1), which falls in tau^2
};

Moment moment_at(double tau_squared, std::span<const double> estimates,
                 std::span<const double> variances) {
  double weights = 0;
  double weighted = 0;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double weight = 1 / (variances[k] + tau_squared);
    weights += weight;
    weighted += weight * estimates[k];
  }
  const double centre = weighted / weights;
  double sum = 0;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double distance = estimates[k] - centre;
    sum += distance * distance / (variances[k] + tau_squared);
  }
  return {centre, sum - (static_cast<double>(estimates.size()) - 1)};
}

/// Bisects: the moment falls from above 0 to below.
double solve(std::span<const double> estimates, std::span<const double> variances) {
  double low = 0;
  double high = *std::ranges::max_element(variances);
  while (moment_at(high, estimates, variances).excess > 0) high *= 2;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (moment_at(middle, estimates, variances).excess > 0 ? low : high) = middle;
  }
}

/// Distances to the first estimate. Shrinking depends only on differences, which sums of products
/// far from 0 would lose.
std::vector<double> distances_to_first(std::span<const double> estimates) {
  std::vector<double> distances;
  for (const double estimate : estimates) distances.push_back(estimate - estimates[0]);
  return distances;
}

/// Estimates the variances of effects by expectation and maximisation, with the equations of
/// Henderson: one unknown for the centre and for each level of each column; the strata's own
/// effects are diagonal.
class MixedModel {
 public:
  MixedModel(std::span<const double> estimates, std::span<const double> variances,
             const std::vector<std::vector<size_t>>& levels)
      : estimates_(estimates), variances_(variances) {
    size_t num_effects = 1;
    for (size_t c = 0; c < levels[0].size(); ++c) {
      size_t num_levels = 0;
      for (const std::vector<size_t>& of_stratum : levels)
        num_levels = std::max(num_levels, of_stratum[c] + 1);
      first_.push_back(num_effects);
      num_effects += num_levels;
    }
    first_.push_back(num_effects);
    for (const std::vector<size_t>& of_stratum : levels) {
      places_.emplace_back(1, 0);
      for (size_t c = 0; c < of_stratum.size(); ++c)
        places_.back().push_back(first_[c] + of_stratum[c]);
    }
    // Starts with large variances: the spread of estimates, noise included.
    const Moment start = moment_at(0, estimates, variances);
    double spread = *std::ranges::min_element(variances);
    for (const double estimate : estimates)
      spread = std::max(spread, (estimate - start.centre) * (estimate - start.centre));
    column_variances_.assign(levels[0].size(), spread);
    own_variance_ = spread;
    solve_effects();
  }

  void iterate() {
    for (size_t c = 0; c + 1 < first_.size(); ++c) {
      double sum = 0;
      for (size_t j = first_[c]; j < first_[c + 1]; ++j) sum += second_moment(j);
      column_variances_[c] = sum / static_cast<double>(first_[c + 1] - first_[c]);
    }
    double sum = 0;
    for (size_t k = 0; k < estimates_.size(); ++k) {
      const double kept = own_variance_ / (own_variance_ + variances_[k]);
      const double own = kept * (estimates_[k] - common_part(k));
      double uncertainty = 0;
      for (const size_t i : places_[k])
        for (const size_t j : places_[k]) uncertainty += covariance(i, j);
      sum += own * own + kept * variances_[k] + kept * kept * uncertainty;
    }
    own_variance_ = sum / static_cast<double>(estimates_.size());
    solve_effects();
  }

  double own_variance() const { return own_variance_; }
  double centre() const { return effects_(0); }

  double prediction(size_t stratum) const {
    const double common = common_part(stratum);
    const double kept = own_variance_ / (own_variance_ + variances_[stratum]);
    return common + kept * (estimates_[stratum] - common);
  }

 private:
  double covariance(size_t i, size_t j) const {
    return covariance_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  double second_moment(size_t j) const {
    const double effect = effects_(static_cast<Eigen::Index>(j));
    return effect * effect + covariance(j, j);
  }
  double common_part(size_t stratum) const {
    double sum = 0;
    for (const size_t j : places_[stratum]) sum += effects_(static_cast<Eigen::Index>(j));
    return sum;
  }

  /// Solves for effects and the covariance of their errors, at these variances.
  void solve_effects() {
    const auto size = static_cast<Eigen::Index>(first_.back());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    for (size_t k = 0; k < estimates_.size(); ++k) {
      const double weight = 1 / (variances_[k] + own_variance_);
      for (const size_t i : places_[k]) {
        right(static_cast<Eigen::Index>(i)) += weight * estimates_[k];
        for (const size_t j : places_[k])
          matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += weight;
      }
    }
    for (size_t c = 0; c + 1 < first_.size(); ++c) {
      for (size_t j = first_[c]; j < first_[c + 1]; ++j)
        matrix(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j)) +=
            1 / column_variances_[c];
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(matrix);
    effects_ = factor.solve(right);
    covariance_ = factor.solve(Eigen::MatrixXd::Identity(size, size));
  }

  std::span<const double> estimates_;
  std::span<const double> variances_;
  std::vector<size_t> first_;                // (columns + 1) the first effect of each column
  std::vector<std::vector<size_t>> places_;  // (estimates) the effects that each is made of
  std::vector<double> column_variances_;
  double own_variance_ = 0;
  Eigen::VectorXd effects_;
  Eigen::MatrixXd covariance_;
};

}  // namespace

Shrinkage shrink_estimates(std::span<const double> given, std::span<const double> variances,
                           double lower, double upper) {
  Shrinkage result;
  if (given.empty()) return result;
  const std::vector<double> estimates = distances_to_first(given);
  if (estimates.size() > 1 && moment_at(0, estimates, variances).excess > 0)
    result.tau_squared = solve(estimates, variances);
  result.centre = moment_at(result.tau_squared, estimates, variances).centre;
  for (size_t k = 0; k < estimates.size(); ++k) {
    const double kept = result.tau_squared / (result.tau_squared + variances[k]);
    const double shrunk = result.centre + kept * (estimates[k] - result.centre);
    result.shrunk.push_back(std::clamp(given[0] + shrunk, lower, upper));
  }
  result.centre += given[0];
  return result;
}

Shrinkage shrink_intersections(std::span<const double> given, std::span<const double> variances,
                               const std::vector<std::vector<size_t>>& levels, double lower,
                               double upper) {
  constexpr int kIterations = 200;
  Shrinkage result;
  if (given.empty()) return result;
  const std::vector<double> estimates = distances_to_first(given);
  MixedModel model(estimates, variances, levels);
  for (int i = 0; i < kIterations; ++i) model.iterate();
  result.tau_squared = model.own_variance();
  result.centre = given[0] + model.centre();
  for (size_t k = 0; k < estimates.size(); ++k)
    result.shrunk.push_back(std::clamp(given[0] + model.prediction(k), lower, upper));
  return result;
}

}  // namespace equinoise
