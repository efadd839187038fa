// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/prediction_term.h"

namespace equinoise {

/// Settings of ErmiPenalty. Every field is public.
struct ErmiConfig {
  double batch_size = 1;   ///< expected number of records in a batch
  size_t num_outputs = 1;  ///< of the model: one logit, or a score for each class
  size_t num_classes = 2;
  std::vector<double> shares;  ///< (num_groups) of all records, above 0
  double penalty = 1;          ///< lambda
  double ascent_rate = 0.1;    ///< of W
  double ascent_radius = 1;    ///< upper limit on the norm of W
  double ascent_clip = 1;      ///< upper limit on a record's gradient at W
};

/// A penalty on the dependence between predictions and groups: lambda times the exponential Renyi
/// mutual information of the two. That is the maximum over matrices W of -Tr(W P_yhat W^T) + 2 Tr(W
/// P_{yhat,s} P_s^{-1/2}) - 1. [LowyEtAl2023, Eq. 3]
///
/// For a record of group s with soft predictions p the term is sum_k p_k c_k(s) - 1, with c_k(s) =
/// 2 w_k[s] / sqrt(P_s) - |w_k|^2 and w_k the column of W for class k. The penalty is the mean of
/// this over records. It is linear in p: the descent needs c and one backward pass, and the ascent
/// in W needs the gradient 2 p_k (e_s / sqrt(P_s) - w_k). The sums are these gradients, (groups,
/// classes), each clipped to ascent_clip and divided by it. Truncated towards zero, a record's part
/// is at most 2^kUnitBits in L2. W and c follow from noisy sums and public sizes only.
///
/// Deviations: W has a row for each group, as in the paper; the published code has a 1 x 1 matrix
/// and sees one group only. W starts at w_k[s] = sqrt(P_s), where predictions are independent of
/// groups, not at random. Gradients at W are clipped, which the code omits. W ascends along its own
/// objective without lambda, which has the same maximum.
class ErmiPenalty final : public PredictionTerm {
 public:
  /// Errors: kUsage for a share or a field that is not finite and > 0; penalty may be 0.
  explicit ErmiPenalty(ErmiConfig config);

  size_t num_sums() const override { return w_.size(); }
  size_t num_outputs() const override { return config_.num_outputs; }
  size_t num_classes() const override { return config_.num_classes; }
  std::vector<uint32_t> places(const EncodedTable& table) const override;
  void predict(std::span<const double> scores, std::vector<double>& shares) const override;
  void add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                std::span<const uint32_t> counts, std::span<int64_t> units) const override;
  /// Both sides of a step use the same W: gradients follow W as it was before it ascends.
  void take_sums(std::span<const double> sums) override;
  void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                std::vector<double>& added) const override;

  std::span<const double> w() const { return w_; }  ///< (groups, classes)
  /// Errors: kRuntime for a w that does not belong to this term.
  void restore(std::span<const double> w);

 private:
  /// The penalty that a prediction of class k adds for a record of the group.
  double worth(size_t group, size_t k) const;

  ErmiConfig config_;
  std::vector<double> root_shares_;  // (groups)
  std::vector<double> w_;            // (groups, classes)
  std::vector<double> push_;         // (groups, classes) of the last step
};

/// The default of ascent_clip: 2 / sqrt(smallest share). While predictions are independent of
/// groups, a record's gradient at W is shorter than this.
double usual_ascent_clip(std::span<const double> shares);

/// The default of ascent_radius: sqrt(num_classes / smallest share). The best W is never longer
/// than this.
double usual_ascent_radius(std::span<const double> shares, size_t num_classes);

}  // namespace equinoise
