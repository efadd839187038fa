#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// Mean losses of the groups of a table's records under a model that is linear in its parameters,
/// with features scaled down so that |(x, 1)| <= feature_bound. Means are sums over whoever is
/// there divided by public sizes; null records, unknown groups and features that are not finite add
/// nothing. NOT PRIVATE. The same for any number of threads.
class TableLosses final : public GroupLosses {
 public:
  /// sizes: (groups) what sums are divided by. Pre: feature_bound > 1; model outlives this.
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
  std::vector<double> sizes_;
  EncodedTable rows_;
  std::vector<uint32_t> records_;   ///< 0, 1, ...
  std::vector<size_t> group_ends_;  ///< (groups) behind the group's last row
};

}  // namespace equinoise
