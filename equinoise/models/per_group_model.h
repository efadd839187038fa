// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// One linear model for each group of EncodedTable::groups, side by side. Parameters: (groups,
/// parameters of a model); a record concerns only those of its own group. [DworkEtAl2018]
///
/// A record of no known group has no score: its squared norm is NaN, and nothing is predicted. Most
/// functions take one pass over the records for each group.
class PerGroupModel final : public Model {
 public:
  /// shares: (groups) of all records, public; empty for a model that is no longer trained.
  PerGroupModel(std::unique_ptr<GeneralisedLinearModel> base, std::vector<std::string> group_names,
                const std::vector<double>& shares = {});

  const Model& base() const { return *base_; }
  size_t num_groups() const { return group_names_.size(); }

  std::string name() const override { return base_->name(); }
  std::vector<double> initial_parameters(uint64_t seed) const override;
  size_t num_features() const override { return base_->num_features(); }
  size_t num_classes() const override { return base_->num_classes(); }
  size_t num_parameters() const override { return group_names_.size() * base_->num_parameters(); }
  size_t num_outputs() const override { return base_->num_outputs(); }
  /// "Female: age"
  std::vector<std::string> parameter_names() const override;
  size_t max_tile_records() const override { return base_->max_tile_records(); }
  /// 1 / share: a group's gradient is a mean over all records, but its model needs the mean over
  /// its own.
  std::span<const double> step_scales() const override { return step_scales_; }

  void score(const TableRows& rows, std::span<const double> parameters,
             PerSample& out) const override;
  void losses(const TableRows& rows, const PerSample& scored,
              std::span<double> losses) const override;
  void differentiate(const TableRows& rows, std::span<const double> added,
                     PerSample& out) const override;
  using Model::add_weighted_sum;
  void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                       const PerSample& samples, std::span<const double> weights,
                       const SumScale& scale, std::span<int64_t> units) const override;
  void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                        std::span<const double> weights, std::span<double> sum) const override;
  void sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                     std::span<const double> weights, GradientSum& sum) const override;
  void add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                            std::span<const double> weights, std::span<const double> directions,
                            std::span<double> products) const override;
  void directional_derivatives(const TableRows& rows, const PerSample& samples,
                               std::span<const double> direction,
                               std::span<double> derivatives) const override;
  void add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                             std::span<const double> coefficients,
                             std::span<double> sum) const override;
  Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                      int threads = 1) const override;
  std::vector<ScorePart> parts(const EncodedTable& table, uint32_t record,
                               std::span<const double> parameters) const override {
    return base_->parts(table, record, part_of(parameters, index_of(table.groups[record])));
  }

 private:
  template <typename Value>
  std::span<Value> part_of(std::span<Value> all, size_t group) const {
    return all.subspan(group * base_->num_parameters(), base_->num_parameters());
  }
  /// `values`, (records, width), with 0 for records outside `group`.
  std::vector<double> only_of(size_t group, const TableRows& rows,
                              std::span<const double> values) const;

  std::unique_ptr<GeneralisedLinearModel> base_;
  std::vector<std::string> group_names_;
  std::vector<double> step_scales_;  // (num_parameters), or empty
};

/// One such model for each group; nullptr if `base` is no linear model.
std::unique_ptr<PerGroupModel> make_per_group(std::unique_ptr<Model> base,
                                              std::vector<std::string> group_names,
                                              const std::vector<double>& shares = {});

}  // namespace equinoise
