// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace equinoise {

/// Assumptions and public facts about a regression that groups share or have one each of.
///
/// Losses are quadratic with curvature 1 in every direction (uncorrelated features of variance 1,
/// squared residuals), and targets have the variance `residual_variance` around the best
/// prediction. The best parameters of a group are a common centre plus a deviation of mean squared
/// length group_difference^2; deviations add up to 0 and are otherwise alike.
///
/// If groups overlap, every record is in one group of each of several divisions, and a cell is the
/// set of records in the same groups. The best parameters of a cell are the centre plus the
/// deviations of its groups; those of each division add up to 0, and divisions are independent of
/// each other. A group's best parameters are those that are best for all of its members.
struct OutlookFacts {
  size_t num_parameters = 1;  ///< of one model
  double num_records = 1;
  std::vector<double> shares;    ///< (cells) of the records: > 0 where these are the groups
  double group_difference = 1;   ///< how far groups' best parameters are from each other's mean
  double residual_variance = 1;  ///< of a target whose best prediction is known
  /// (cells) of (divisions): the groups of a cell, counted on from division to division; empty: the
  /// groups are disjoint, and the cells.
  std::vector<std::vector<size_t>> groups_of_cell = {};
};

/// (num_groups) of the records.
std::vector<double> group_shares(const OutlookFacts& facts);

/// The expected loss of a model above the group's own best model, in units of the squared error.
struct ExpectedError {
  double noise = 0;       ///< by privacy
  double sampling = 0;    ///< by the choice of the records
  double difference = 0;  ///< by being other groups' model, too

  double total() const { return noise + sampling + difference; }
};

/// (num_groups) for one model of all groups. weights: (cells) > 0, how much a record's gradient
/// counts. gradient_noise: the standard deviation of noise on each entry of a step's
/// gradient divided by the expected number of records of its batch, over the root of the number of
/// iterates that are averaged: what their mean has of it, if they are many [PolyakJuditsky1992].
std::vector<ExpectedError> shared_outlook(const OutlookFacts& facts,
                                          std::span<const double> weights, double gradient_noise);

/// (num_groups) by how much the mean squared residual of a group's best model is above
/// residual_variance: 0 where groups are disjoint.
std::vector<double> variance_within_groups(const OutlookFacts& facts);

/// (num_groups) for a model of its own for each of disjoint groups, each in all the noise.
std::vector<ExpectedError> separate_outlook(const OutlookFacts& facts, double gradient_noise);

/// size^-power for each group, scaled so that the mean over records is 1: from 0, all records count
/// alike, to 1, all groups do. A group that nobody is in counts as the smallest other one.
std::vector<double> weights_by_size(std::span<const double> shares, double power);

}  // namespace equinoise
