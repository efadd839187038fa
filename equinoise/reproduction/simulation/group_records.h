// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// The regression model. Neither model has an intercept; add a feature that is 1 for one.
enum class RegressionModel {
  kLinear,    ///< loss r^2 with r = <theta, x> - y, gradient 2 r x
  kLogistic,  ///< y in {-1, +1}, loss log(1 + exp(-y <theta, x>))
};

/// The loss of a record with that prediction <theta, x>, and its derivative with respect to the
/// prediction.
double loss_of(RegressionModel model, double prediction, double target);
double slope_of(RegressionModel model, double prediction, double target);

/// Consecutive records in the same groups.
struct RecordCell {
  size_t num_records = 0;
  std::vector<size_t> groups;
};

/// Records of groups in memory, in double precision, for simulation. NOT PRIVATE: sums here are the
/// records' own, without noise, and their rounding is not accounted for.
class GroupRecords {
 public:
  /// features: (records, num_features); targets: (records). Errors: kUsage for shapes that do not
  /// fit, a group without records, or a cell in a group that there is not.
  GroupRecords(size_t num_features, size_t num_groups, const std::vector<RecordCell>& cells,
               std::vector<double> features, std::vector<double> targets);

  /// Disjoint groups of these sizes, one after another.
  static GroupRecords disjoint(size_t num_features, std::span<const int64_t> group_sizes,
                               std::vector<double> features, std::vector<double> targets);

  size_t num_features() const { return num_features_; }
  std::span<const int64_t> group_sizes() const { return group_sizes_; }  ///< (groups)
  std::span<const double> features() const { return features_; }
  std::span<const double> targets() const { return targets_; }

  /// Scales rows down to this norm and clips targets to [-target_bound, target_bound].
  void clip(double feature_norm_bound, double target_bound);

  /// X^T X, (num_features, num_features), and X^T Y, (num_features), of all records.
  std::vector<double> xtx() const;
  std::vector<double> xty() const;

  /// (groups): the sums of min(r^2, residual_clip^2) at these coefficients. A logistic residual is
  /// the probability of 1 minus 1 or 0, so that its square is Brier's score.
  std::vector<double> residual_sums(RegressionModel model, std::span<const double> coefficients,
                                    double residual_clip) const;

  /// The sum of a group's gradients, each clipped to norm max_grad_norm (infinite: not at all).
  void gradient_sum(RegressionModel model, size_t group, std::span<const double> parameters,
                    double max_grad_norm, std::span<double> sum) const;

  /// The sum of a group's losses, each clipped to at most loss_clip.
  double loss_sum(RegressionModel model, size_t group, std::span<const double> parameters,
                  double loss_clip) const;

 private:
  struct Range {
    size_t begin;
    size_t end;
  };

  size_t num_features_;
  std::vector<Range> cells_;
  std::vector<std::vector<size_t>> cells_of_group_;
  std::vector<int64_t> group_sizes_;
  std::vector<double> features_;
  std::vector<double> targets_;
};

}  // namespace equinoise
