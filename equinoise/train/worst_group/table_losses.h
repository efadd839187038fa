// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// Mean losses of the groups of a table's records under a model that is linear in its parameters,
/// with features scaled down so that |(x, 1)| <= feature_bound. A group's loss is the sum over
/// whoever is there divided by its public size, or by how many are there where these are more: it
/// is never above the largest loss of a record, nor its gradient longer than the longest. Null
/// records, unknown groups and features that are not finite add nothing. NOT PRIVATE. The same for
/// any number of threads.
///
/// Sensitivity: with B the largest loss of a record, L the longest gradient and n the public size,
/// zeroing out a record changes its group's loss by at most B / n and its gradient by at most
/// 2 L / n: by one term over n while there are at most n records, by the difference of a term and
/// the mean of the others over their number where there are more.
class TableLosses final : public GroupLosses {
 public:
  /// sizes: (groups) public. Pre: feature_bound > 1; model outlives this.
  TableLosses(const EncodedTable& table, std::span<const uint32_t> records, const Model& model,
              std::vector<double> sizes, double feature_bound);

  size_t num_parameters() const override { return model_.num_parameters(); }
  size_t num_groups() const override { return sizes_.size(); }
  void evaluate(std::span<const double> parameters, std::span<double> losses,
                std::span<double> gradients) const override;
  void hessian_product(std::span<const double> parameters, std::span<const double> weights,
                       std::span<const double> direction, std::span<double> product) const override;

  /// The scaled rows, group by group.
  const EncodedTable& rows() const { return rows_; }

 private:
  const Model& model_;
  std::vector<double> sizes_;  ///< (groups) what sums are divided by
  EncodedTable rows_;
  std::vector<uint32_t> records_;   ///< 0, 1, ...
  std::vector<size_t> group_ends_;  ///< (groups) behind the group's last row
};

}  // namespace equinoise
