// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/tailoring/answered_records.h"
#include "equinoise/train/tailoring/group_answers.h"
#include "equinoise/train/tailoring/stage_one.h"

namespace equinoise {

/// Answers from records, paid for by every cell: the members of a group, or of the same overlapping
/// groups. A step is a batch at the permits' rate; event 0 pays for gradients and event 1 for
/// losses.
class PaidAnswers : public GroupAnswers {
 public:
  size_t num_features() const override { return records_.model.num_parameters(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes; }
  const CountedRecords& batch() const { return batch_; }  ///< of the step
  /// (groups, num_parameters) the sums of the step before noise, on the grid. NOT PRIVATE.
  std::span<const int64_t> gradient_units() const { return gradient_units_; }

  /// Draws the batch of a step, one permit for each cell, and sums gradients. The next answers are
  /// at these parameters, and cost rho[group] each.
  virtual void begin_step(std::vector<BatchPermit> permits, std::span<const double> parameters,
                          std::span<const double> rho) = 0;

  /// (groups): the mean clipped losses of all records at parameters, a permit for each cell, with
  /// noise that costs rho[group]. Sensitivity and edge cases: as loss_mean. Errors: kRuntime unless
  /// every cell pays.
  virtual std::vector<double> loss_means(std::vector<Permit> permits,
                                         std::span<const double> parameters,
                                         std::span<const double> rho) = 0;

 protected:
  /// Pre: records, their table and model, and source outlive this.
  PaidAnswers(const AnsweredRecords& records, const AnswerBounds& bounds, double gradient_grid,
              RandomSource& source);

  const AnsweredRecords& records_;
  AnswerBounds bounds_;
  double gradient_grid_;
  RandomSource& source_;
  std::vector<BatchPermit> permits_;
  std::vector<double> parameters_;
  RowBatches batches_;
  CountedRecords batch_;
  std::vector<int64_t> gradient_units_;
};

/// Answers about disjoint groups, each with its own noise.
///
/// Relation: zero_out. Sensitivity: of a sum of gradients max_grad_norm (and Model::sum_error), of
/// a sum of losses loss_clip, both in L2. They are exact, since every record's part is truncated
/// towards zero on a public power-of-two grid and integers add without rounding; a record is in one
/// group and changes no other group's sums. Cost: that of the permit, to the members of the group.
/// A question with a smaller rho than was paid for gets more noise; never less than the permit's.
/// Edge cases: null records, unknown groups and gradients that are not finite add nothing; a loss
/// that is not finite counts as loss_clip. Source: [AlabiWiggins2024, Alg. 2 l.10-14].
class PaidGroupAnswers final : public PaidAnswers {
 public:
  /// Errors: kRuntime for a table without groups.
  PaidGroupAnswers(const AnsweredRecords& records, const AnswerBounds& bounds, double gradient_grid,
                   RandomSource& source);

  void begin_step(std::vector<BatchPermit> permits, std::span<const double> parameters,
                  std::span<const double> rho) override;
  /// Errors of both: kRuntime for other parameters than those of the step, and for a second answer
  /// of one kind about a group in one step.
  void gradient_mean(size_t group, std::span<const double> parameters, double rho,
                     std::span<double> answer) override;
  double loss_mean(size_t group, std::span<const double> parameters, double rho) override;

  std::vector<double> loss_means(std::vector<Permit> permits, std::span<const double> parameters,
                                 std::span<const double> rho) override;

 private:
  double noisy_loss_mean(Permit permit, size_t group, const CountedRecords& records,
                         std::span<const double> losses, double rho);
  void require_step(std::span<const double> parameters) const;

  std::vector<double> losses_;  ///< (batch); empty: not queried in this step
};

/// Answers of stage one from records: item 1 of the charge pays for the fit, item 2 for the
/// residual sums, both for each cell.
///
/// Relation: zero_out. Sensitivity, all in L2 and exactly, by truncation on public grids: of the
/// moments joint_moment_sensitivity with rows (x, 1) scaled down to feature_norm_bound, less 2^-30
/// of it for rounding, and targets clipped to [-target_bound, target_bound]; of a step of descent
/// max_grad_norm; of a residual sum residual_clip^2. Cost: moments and steps are single draws, for
/// which every cell pays, since each of them is in it. Each group pays for its own residual sum. If
/// groups overlap, the sums are one release (add_joint_noise), and each cell pays the sum over its
/// groups. Source: [AlabiWiggins2024, Alg. 1].
///
/// Residuals are PerSample::output_gradient: for a number predicted minus observed, for two classes
/// the probability minus the label, the square of which is Brier's score.
///
/// Deviation: residuals are those of the model at the whole row, not at the scaled one.
class PaidStageOneAnswers final : public StageOneAnswers {
 public:
  /// Pre: all outlive this; bounds.relation is zero_out.
  PaidStageOneAnswers(const AnsweredRecords& records, const StageOneBounds& bounds, Charge& charge,
                      RandomSource& source);

  size_t num_features() const override { return records_.model.num_parameters(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes; }
  StageOneBounds bounds() const override { return bounds_; }
  /// Errors: kUsage for two releases, which are not paid for.
  NoisyMoments moments(MomentRelease release, double rho) override;
  std::vector<double> residual_sums(std::span<const double> coefficients, double rho) override;

  /// The fit of a model without normal equations, instead of moments: gradient descent from 0 along
  /// sums of all records' gradients. Each of num_steps costs rho / num_steps.
  std::vector<double> descend(int64_t num_steps, double learning_rate, double max_grad_norm,
                              double rho);

 private:
  const AnsweredRecords& records_;
  RowBatches rows_;
  StageOneBounds bounds_;
  Charge& charge_;
  RandomSource& source_;
};

}  // namespace equinoise
