// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/prediction_term.h"

namespace equinoise {

/// How ErmiPenalty is followed. Every field is public.
struct ErmiConfig {
  double batch_size = 1;   ///< expected number of records of a batch
  size_t num_outputs = 1;  ///< of the model: one logit, or a score for each class
  size_t num_classes = 2;
  std::vector<double> shares;  ///< (num_groups) of all records, above 0
  double penalty = 1;          ///< lambda
  double ascent_rate = 0.1;    ///< of W
  double ascent_radius = 1;    ///< the most that the norm of W may be
  double ascent_clip = 1;      ///< the most that a record's gradient at W may be
};

/// A penalty on how far a prediction tells the group: lambda times the exponential Renyi mutual
/// information of soft predictions and groups, which is the largest value over matrices W of
/// -Tr(W P_yhat W^T) + 2 Tr(W P_{yhat,s} P_s^{-1/2}) - 1. [LowyEtAl2023, Eq. 3]
///
/// Of a record of group s with soft predictions p it is the mean over records of
/// sum_k p_k c_k(s) - 1, c_k(s) = 2 w_k[s] / sqrt(P_s) - |w_k|^2, w_k being W's column of class k:
/// linear in p, so that the descent needs c alone and one backward pass, and the ascent in W the
/// gradient 2 p_k (e_s / sqrt(P_s) - w_k). The sums are those gradients, (groups, classes), each
/// clipped to ascent_clip and divided by it: truncated towards zero, a record's part is at most
/// 2^kUnitBits in L2. W and c follow from noisy sums and public sizes alone.
///
/// Deviations: W has a row for each group, as in the paper, where the published code has 1 x 1 and
/// sees one group only; it starts where predictions tell nothing, w_k[s] = sqrt(P_s), not at
/// random; gradients at W are clipped, which the code leaves out, and W ascends along its own
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
  /// Both sides of the step are taken at the same W: gradients follow the one before it ascends.
  void take_sums(std::span<const double> sums) override;
  void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                std::vector<double>& added) const override;

  std::span<const double> w() const { return w_; }  ///< (groups, classes)
  /// Errors: kRuntime for what is no W of this term.
  void restore(std::span<const double> w);

 private:
  /// What a record of the group adds to the penalty by a prediction of the class.
  double worth(size_t group, size_t k) const;

  ErmiConfig config_;
  std::vector<double> root_shares_;  // (groups)
  std::vector<double> w_;            // (groups, classes)
  std::vector<double> push_;         // (groups, classes) of the last step
};

/// The longest gradient at W of a record while predictions tell nothing of groups is shorter than
/// this, 2 / sqrt(smallest share): what ascent_clip is where nobody chose it.
double usual_ascent_clip(std::span<const double> shares);

/// No best W is longer than this, sqrt(num_classes / smallest share): what ascent_radius is where
/// nobody chose it.
double usual_ascent_radius(std::span<const double> shares, size_t num_classes);

}  // namespace equinoise
