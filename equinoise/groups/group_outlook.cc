#include "equinoise/groups/group_outlook.h"

#include <cmath>
#include <numeric>

namespace equinoise {

std::vector<ExpectedError> shared_outlook(const OutlookFacts& facts,
                                          std::span<const double> weights, double gradient_noise) {
  const size_t num_groups = facts.shares.size();
  const auto num_parameters = static_cast<double>(facts.num_parameters);
  const double curvature =
      std::inner_product(weights.begin(), weights.end(), facts.shares.begin(), 0.0);
  ExpectedError all;
  all.noise = num_parameters * std::pow(gradient_noise / curvature, 2);
  double sum_of_squares = 0;  // of what groups count
  for (size_t k = 0; k < num_groups; ++k) {
    const double counts = weights[k] * facts.shares[k] / curvature;
    sum_of_squares += counts * counts;
    all.sampling += num_parameters * facts.residual_variance * counts * counts /
                    (facts.num_records * facts.shares[k]);
  }
  // Of deviations that add up to 0 each two have the covariance -1 / (groups - 1) of the variance.
  const double spread = num_groups > 1 ? std::pow(facts.group_difference, 2) *
                                             static_cast<double>(num_groups) /
                                             static_cast<double>(num_groups - 1)
                                       : 0;
  std::vector<ExpectedError> outlook(num_groups, all);
  for (size_t k = 0; k < num_groups; ++k) {
    const double counts = weights[k] * facts.shares[k] / curvature;
    outlook[k].difference = spread * (std::pow(1 - counts, 2) + sum_of_squares - counts * counts);
  }
  return outlook;
}

std::vector<ExpectedError> separate_outlook(const OutlookFacts& facts, double gradient_noise) {
  const auto num_parameters = static_cast<double>(facts.num_parameters);
  std::vector<ExpectedError> outlook;
  for (const double share : facts.shares) {
    outlook.push_back({num_parameters * std::pow(gradient_noise / share, 2),
                       num_parameters * facts.residual_variance / (facts.num_records * share), 0});
  }
  return outlook;
}

std::vector<double> weights_by_size(std::span<const double> shares, double power) {
  std::vector<double> weights;
  double mean = 0;
  for (const double share : shares) {
    weights.push_back(std::pow(share, -power));
    mean += weights.back() * share;
  }
  for (double& weight : weights) weight /= mean;
  return weights;
}

}  // namespace equinoise
