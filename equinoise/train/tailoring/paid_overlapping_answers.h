// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/train/tailoring/paid_answers.h"

namespace equinoise {

/// Answers about groups that overlap: in a step one release of all groups' sums of gradients and,
/// if queried, one of their sums of losses.
///
/// Relation: zero_out. Sums of group k are scaled by sqrt(rho_k / largest rho), so that one noise
/// serves them all: the group with the largest rho has the noise of its own cost, any other by its
/// scale more. Sensitivity and cost: those of add_joint_noise with bounds scale_k (max_grad_norm
/// and Model::sum_error) or scale_k loss_clip, exactly, since every record's scaled part is
/// truncated towards zero on a public power-of-two grid and integers add without rounding. So a
/// record in several groups pays, for each release, the sum of the costs of its groups' answers,
/// and no more than the permit of their cell has paid for. Edge cases: as PaidGroupAnswers. Source:
/// [AlabiWiggins2024, Alg. 2 l.10-14], which does not define the cost of overlapping groups.
class PaidOverlappingAnswers final : public PaidAnswers {
 public:
  /// gradient_grid: the grid of scaled sums, which gradient_units() are. Errors: kRuntime for a
  /// table without cells.
  PaidOverlappingAnswers(const AnsweredRecords& records, const AnswerBounds& bounds,
                         double gradient_grid, RandomSource& source);

  /// Errors: kRuntime unless every cell pays and every group has a cost > 0.
  void begin_step(std::vector<BatchPermit> permits, std::span<const double> parameters,
                  std::span<const double> rho) override;
  /// The group's part of the step's release. Errors of both: kRuntime for other parameters or
  /// another rho than those of the step.
  void gradient_mean(size_t group, std::span<const double> parameters, double rho,
                     std::span<double> answer) override;
  double loss_mean(size_t group, std::span<const double> parameters, double rho) override;

  std::vector<double> loss_means(std::vector<Permit> permits, std::span<const double> parameters,
                                 std::span<const double> rho) override;

 private:
  /// `losses` are of the table's records, of which only `records` count.
  std::vector<double> noisy_loss_means(std::vector<Permit> permits, const CountedRecords& records,
                                       std::span<const double> parameters,
                                       std::span<const double> rho);
  void require_step(size_t group, std::span<const double> parameters, double rho) const;

  std::vector<double> rho_;           ///< (groups) for an answer
  std::vector<double> scales_;        ///< (groups)
  std::vector<int64_t> noisy_units_;  ///< gradient_units() with noise
  std::vector<double> loss_means_;    ///< (groups); empty: not queried in this step
};

}  // namespace equinoise
