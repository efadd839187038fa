// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/group_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "equinoise/train/methods/options.h"
#include "equinoise/train/regression/coding.h"
#include "equinoise/train/regression/shrunk_slopes.h"

namespace equinoise {

namespace {

using Weights = std::vector<double>;

/// The number of records of a group, raised to the least that noise does not hide.
double mass_of(const Moments& part) {
  return std::max({part.weight, kHiddenBelow * part.weight_stddev, 1.0});
}

NoisyLoss loss_of(const Moments& part, const ShrunkRegression& fit) {
  if (!(part.weight >= mass_of(part))) return {std::numeric_limits<double>::quiet_NaN(), 0};
  const Eigen::VectorXd& slopes = fit.slopes;
  const double constant = fit.intercept;
  const double squares = part.target_squares - 2 * slopes.dot(part.cross) -
                         2 * constant * part.target + slopes.dot(part.second * slopes) +
                         2 * constant * slopes.dot(part.sum) + constant * constant * part.weight;
  const double norm = slopes.squaredNorm();
  const double mean = squares / part.weight;
  const auto square = [](double value) { return value * value; };
  const double variance =
      square(part.target_squares_stddev) +
      4 * norm * (square(part.cross_stddev) + square(constant * part.sum_stddev)) +
      4 * square(constant * part.target_stddev) + square(norm * part.second_stddev) +
      square((constant * constant - mean) * part.weight_stddev);
  return {std::max(mean, 0.0) / 2, std::sqrt(variance) / part.weight / 2};
}

/// The search for weights among groups.
class Search {
 public:
  Search(std::span<const Moments> parts, const GroupFitConfig& config)
      : parts_(parts), config_(config) {
    for (const Moments& part : parts) masses_.push_back(mass_of(part));
    const double all = std::accumulate(masses_.begin(), masses_.end(), 0.0);
    for (const double mass : masses_) shares_.push_back(mass / all);
  }

  /// The best regression if a record of group k counts weights[k], up to a factor.
  GroupFit answer(Weights weights) const {
    double mean = 0;
    for (size_t k = 0; k < size(); ++k) mean += shares_[k] * weights[k];
    for (double& weight : weights) weight /= mean;
    GroupFit fit{shrunk_regression(combined(parts_, weights), config_.num_records, config_.bound),
                 weights};
    for (const Moments& part : parts_) fit.losses.push_back(loss_of(part, fit.regression));
    return fit;
  }

  /// Weights of a record if group k as a whole weighs of_groups[k].
  Weights of_records(const Weights& of_groups) const {
    Weights weights(size());
    for (size_t k = 0; k < size(); ++k) weights[k] = of_groups[k] / shares_[k];
    return weights;
  }

  GroupFit worst() const {
    constexpr double kRate = 0.5;
    constexpr double kMaxGrowth = 20;  // of a logarithm in a round: a loss may be next to nothing
    Weights weight = shares_;
    Weights sum(size(), 0.0);
    for (int round = 0; round < kNumRounds; ++round) {
      const Documents told = told_of(answer(of_records(weight)));
      for (size_t k = 0; k < size(); ++k) {
        if (2 * round >= kNumRounds) sum[k] += weight[k];
        weight[k] *= std::exp(std::min(kRate * (told.losses[k] / told.mean - 1), kMaxGrowth));
      }
      const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
      for (double& one : weight) one /= all;
    }
    return answer(of_records(sum));
  }

  GroupFit bounded() const {
    constexpr double kRate = 0.5;
    constexpr double kMaxMultiplier = 100;
    Weights multipliers(size(), 0.0);
    Weights sum(size(), 0.0);
    const auto weights_of = [&](const Weights& of_groups, double times) {
      Weights weights = of_records(of_groups);
      for (double& weight : weights) weight = 1 + times * weight;
      return weights;
    };
    for (int round = 0; round < kNumRounds; ++round) {
      const Documents told = told_of(answer(weights_of(multipliers, 1)));
      for (size_t k = 0; k < size(); ++k) {
        const double excess = (told.losses[k] - config_.loss_limit) / told.mean;
        multipliers[k] = std::clamp(multipliers[k] + kRate * excess, 0.0, kMaxMultiplier);
        if (2 * round >= kNumRounds) sum[k] += multipliers[k];
      }
    }
    return answer(weights_of(sum, 2.0 / kNumRounds));
  }

 private:
  static constexpr int kNumRounds = 200;

  size_t size() const { return parts_.size(); }

  struct Documents {
    std::vector<double> losses;  // moved towards the mean as far as noise explains the difference
    double mean = 0;
  };

  Documents told_of(const GroupFit& fit) const {
    Documents told;
    double known = 0;
    for (size_t k = 0; k < size(); ++k) {
      if (std::isnan(fit.losses[k].value)) continue;
      told.mean += shares_[k] * fit.losses[k].value;
      known += shares_[k];
    }
    // Without any loss there is nothing to compare.
    told.mean = std::max(known > 0 ? told.mean / known : 0, std::numeric_limits<double>::min());
    for (const NoisyLoss& loss : fit.losses) {
      const double away = std::isnan(loss.value) ? 0 : loss.value - told.mean;
      told.losses.push_back(told.mean + shrunk_number(away, loss.stddev));
    }
    return told;
  }

  std::span<const Moments> parts_;
  GroupFitConfig config_;
  std::vector<double> masses_;
  std::vector<double> shares_;
};

}  // namespace

GroupFit fit_groups(std::span<const Moments> parts, const GroupFitConfig& config) {
  const Search search(parts, config);
  const Weights alike(parts.size(), 1.0);
  switch (config.aim) {
    case GroupAim::kPopulation:
      return search.answer(alike);
    case GroupAim::kMean:
      return search.answer(search.of_records(alike));
    case GroupAim::kWorst:
      return search.worst();
    case GroupAim::kBounded:
      return search.bounded();
  }
  return search.answer(alike);
}

}  // namespace equinoise
