// SPDX-License-Identifier: Apache-2.0
#include "equinoise/groups/group_outlook.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace equinoise {

namespace {

/// Of deviations that add up to 0 each two have the covariance -1 / (groups - 1) of the variance,
/// so that a sum of them with factors that add up to 0 has this times the sum of squares.
double spread_of(size_t num_groups) {
  const auto number = static_cast<double>(num_groups);
  return num_groups > 1 ? number / (number - 1) : 0;
}

/// (num_groups): the sums over the cells of each group.
std::vector<double> sums_of_groups(const std::vector<std::vector<size_t>>& groups_of_cell,
                                   std::span<const double> of_cells) {
  std::vector<double> sums;
  for (size_t c = 0; c < groups_of_cell.size(); ++c) {
    for (const size_t group : groups_of_cell[c]) {
      sums.resize(std::max(sums.size(), group + 1));
      sums[group] += of_cells[c];
    }
  }
  return sums;
}

/// The expected squared length of the sum of all cells' best parameters times these factors, which
/// add up to 0.
double squared_length(const OutlookFacts& facts, std::span<const double> of_cells) {
  const std::vector<double> of_groups = sums_of_groups(facts.groups_of_cell, of_cells);
  double sum = 0;
  for (size_t division = 0; division < facts.groups_of_cell[0].size(); ++division) {
    std::set<size_t> groups;
    for (const std::vector<size_t>& cell : facts.groups_of_cell) groups.insert(cell[division]);
    for (const size_t group : groups)
      sum += spread_of(groups.size()) * of_groups[group] * of_groups[group];
  }
  return sum * std::pow(facts.group_difference, 2);
}

/// (cells): the part of the group's members that is in each.
std::vector<double> parts_of_group(const OutlookFacts& facts, size_t group) {
  std::vector<double> parts;
  double sum = 0;
  for (size_t c = 0; c < facts.shares.size(); ++c) {
    const std::vector<size_t>& groups = facts.groups_of_cell[c];
    const bool is_in = std::find(groups.begin(), groups.end(), group) != groups.end();
    parts.push_back(is_in ? facts.shares[c] : 0);
    sum += parts.back();
  }
  for (double& part : parts) part /= sum;
  return parts;
}

}  // namespace

std::vector<double> group_shares(const OutlookFacts& facts) {
  if (facts.groups_of_cell.empty()) return facts.shares;
  return sums_of_groups(facts.groups_of_cell, facts.shares);
}

std::vector<ExpectedError> shared_outlook(const OutlookFacts& facts,
                                          std::span<const double> weights, double gradient_noise) {
  const size_t num_cells = facts.shares.size();
  const auto num_parameters = static_cast<double>(facts.num_parameters);
  const double curvature =
      std::inner_product(weights.begin(), weights.end(), facts.shares.begin(), 0.0);
  ExpectedError all;
  all.noise = num_parameters * std::pow(gradient_noise / curvature, 2);
  std::vector<double> counts;  // (cells) in the model
  double sum_of_squares = 0;   // of them
  for (size_t c = 0; c < num_cells; ++c) {
    const double of_record = weights[c] / curvature;
    counts.push_back(of_record * facts.shares[c]);
    sum_of_squares += counts[c] * counts[c];
    all.sampling +=
        num_parameters * facts.residual_variance * counts[c] * of_record / facts.num_records;
  }
  if (!facts.groups_of_cell.empty()) {
    std::vector<ExpectedError> outlook;
    const size_t num_groups = group_shares(facts).size();
    for (size_t k = 0; k < num_groups; ++k) {
      std::vector<double> differences = parts_of_group(facts, k);
      for (size_t c = 0; c < num_cells; ++c) differences[c] = counts[c] - differences[c];
      outlook.push_back(all);
      outlook[k].difference = squared_length(facts, differences);
    }
    return outlook;
  }
  const double spread = std::pow(facts.group_difference, 2) * spread_of(num_cells);
  std::vector<ExpectedError> outlook(num_cells, all);
  for (size_t k = 0; k < num_cells; ++k) {
    outlook[k].difference =
        spread * (std::pow(1 - counts[k], 2) + sum_of_squares - counts[k] * counts[k]);
  }
  return outlook;
}

std::vector<double> variance_within_groups(const OutlookFacts& facts) {
  std::vector<double> variances(group_shares(facts).size(), 0.0);
  if (facts.groups_of_cell.empty()) return variances;
  for (size_t k = 0; k < variances.size(); ++k) {
    const std::vector<double> parts = parts_of_group(facts, k);
    for (size_t c = 0; c < parts.size(); ++c) {
      std::vector<double> differences = parts;
      differences[c] -= 1;
      variances[k] += parts[c] * squared_length(facts, differences);
    }
  }
  return variances;
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
  double smallest = 1;
  for (const double share : shares)
    if (share > 0) smallest = std::min(smallest, share);
  std::vector<double> weights;
  double mean = 0;
  for (const double share : shares) {
    weights.push_back(std::pow(share > 0 ? share : smallest, -power));
    mean += weights.back() * share;
  }
  for (double& weight : weights) weight /= mean;
  return weights;
}

}  // namespace equinoise
