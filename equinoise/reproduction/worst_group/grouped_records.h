// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/reproduction/simulation/group_records.h"
#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// Records of disjoint groups in memory, in double precision, for exact minimisers. NOT PRIVATE:
/// sums here are the records' own, and their rounding is not accounted for.
class GroupedRecords final : public GroupLosses {
 public:
  /// Losses are those of the model times loss_scale. features: (records, num_features), the records
  /// of each group one after another; targets: (records). Errors: kUsage for shapes that do not
  /// fit, or a group without records.
  GroupedRecords(RegressionModel loss, double loss_scale, size_t num_features,
                 std::span<const int64_t> group_sizes, std::vector<double> features,
                 std::vector<double> targets);

  size_t num_parameters() const override { return num_features_; }
  size_t num_groups() const override { return group_sizes_.size(); }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override;
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction, std::span<double> product) const override;

  std::span<const int64_t> group_sizes() const { return group_sizes_; }
  size_t num_records() const { return targets_.size(); }

  /// (groups) The mean losses.
  std::vector<double> mean_losses(std::span<const double> parameters) const;

  /// (groups) The shares of records with a prediction > 0 and a target that is not, or the other
  /// way round.
  std::vector<double> error_rates(std::span<const double> parameters) const;

 private:
  RegressionModel loss_;
  double loss_scale_;
  size_t num_features_;
  std::vector<int64_t> group_sizes_;
  std::vector<size_t> first_records_;  ///< (groups)
  std::vector<uint32_t> group_of_;     ///< (records)
  std::vector<double> features_;
  std::vector<double> targets_;
};

/// The parameters that minimise the mean loss of all records, or the largest mean loss of any group
/// to within 1e-4 (a regularised maximum with little curvature). NOT PRIVATE.
std::vector<double> best_on_average(const GroupedRecords& records);
std::vector<double> best_for_worst_group(const GroupedRecords& records);

}  // namespace equinoise
