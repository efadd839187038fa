// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// Mean losses of the groups of a table's records under a model with convex losses. A group's loss
/// is the sum over its records divided by its public size, or by the number of records if that is
/// larger. So it is never above the largest loss of a record, nor its gradient longer than the
/// longest. Null records, unknown groups and features that are not finite add nothing, and the loss
/// of an empty group is 0. NOT PRIVATE. Equal for any number of threads.
///
/// Sensitivity: with B the largest loss of a record, L the longest gradient and n the public size,
/// zeroing out a record changes its group's loss by at most B / n and its gradient by at most
/// 2 L / n. While there are at most n records, the change is one term over n. With more records, it
/// is the difference of a term and the mean of the others over their number.
class TableLosses final : public GroupLosses {
 public:
  /// The losses of some records, with features scaled down so that |(x, 1)| <= feature_bound.
  /// sizes: (groups) public. Pre: feature_bound > 1; the model is linear in its parameters and
  /// outlives this.
  TableLosses(const EncodedTable& table, std::span<const uint32_t> records, const Model& model,
              std::vector<double> sizes, double feature_bound);

  /// The losses of all records unscaled, divided by their numbers. Pre: table and model outlive
  /// this.
  TableLosses(const EncodedTable& table, const Model& model, size_t num_groups);

  TableLosses(const TableLosses&) = delete;
  TableLosses& operator=(const TableLosses&) = delete;

  size_t num_parameters() const override { return model_.num_parameters(); }
  size_t num_groups() const override { return sizes_.size(); }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override;
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction, std::span<double> product) const override;

  /// The scaled rows, group by group.
  const EncodedTable& rows() const { return scaled_; }

 private:
  const Model& model_;
  std::vector<double> sizes_;  ///< (groups) the divisors of sums
  EncodedTable scaled_;
  const EncodedTable& rows_;        ///< the scaled ones, or the table
  std::vector<uint32_t> records_;   ///< rows, group by group
  std::vector<size_t> group_ends_;  ///< (groups) behind the group's last record
};

}  // namespace equinoise
