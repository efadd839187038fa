// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/constraints/rate_values.h"
#include "equinoise/data/encoder.h"
#include "equinoise/train/prediction_term.h"

namespace equinoise {

/// Settings of RateLagrangian. Every field is public.
struct RateLagrangianConfig {
  double batch_size = 1;             ///< expected number of records in a batch
  size_t num_outputs = 1;            ///< of the model: one logit, or a score for each class
  double dual_learning_rate = 0.05;  ///< of the multipliers
  double max_multiplier = 20;        ///< multipliers are clamped to 0 .. this
  double inverse_temperature = 1;    ///< of the soft predictions, softmax(inverse_temperature * z)
  bool hard_histogram = true;        ///< count predicted classes instead of their probabilities
  double histogram_decay = 0.97;     ///< of the mean over steps' histograms, 0: the last one only
  bool mean_moves_multipliers = false;  ///< instead of the step's own numerators
  /// The number of steps with the same multipliers, which then move by the mean of their
  /// histograms.
  int64_t dual_interval = 1;
  int64_t first_averaged_step = 0;  ///< traces are of the steps after this many
  /// Limit in units of the clip bound widened(max_grad_norm + clip_allowance * mean push):
  /// gradients follow a multiplier only as far as it pushes no record by more than that. Infinite:
  /// always, as published.
  double push_limit = std::numeric_limits<double>::infinity();
  double max_grad_norm = 1;
  double clip_allowance = 0;
  /// The largest factor on that bound for constraints between groups.
  double clip_widening = 1;
  double row_norm = 0;  ///< TrainingFacts::row_norm, for the push on scores; 0: never widened
  /// The distance below the slacks that multipliers aim at [the program's].
  std::optional<double> margin = {};
};

/// The part of a Lagrangian that rate constraints make: sum_j multiplier_j (constraint_j -
/// slack_j), by a histogram of the batch's predictions, which may be noisy. [YaghiniEtAl2025, Alg.
/// 1]
///
/// The histogram of a step determines the multipliers of the next one and a weight for each cell,
/// which pushes each record's own predictions: one backward pass, however many constraints. All of
/// it is post-processing of the histograms. With a dual interval of several steps the mean of their
/// histograms moves the multipliers once; multipliers and mean then weigh the next interval.
///
/// Deviations: predictions grow with scores (the printed softmax has a minus sign that prefers the
/// least likely class). A mean over steps steadies the histogram, because cells with few records in
/// a batch would bias the quotients. Denominators are at least 1 record, or the mean over all steps
/// for a group that has less (denominators()). Multipliers that push a small group beyond clipping
/// are followed in part: its gradients would be clipped and the opposite push on the others would
/// not, so that all predictions would drift one way without benefit. Below that limit clipping
/// still cuts part of the push on a smaller group, for which the clip is widened (widened()).
///
/// The mean serves denominators, weights and the clip only. Multipliers follow the step's own
/// numerators over the mean's denominators (step_constraints): their final sum is the same, without
/// the mean's delay. Multipliers that follow the mean itself are late by decay / (1 - decay) steps.
/// If many scores are close to the threshold, they and the model then oscillate
/// (docs/theory/published-mistakes.md).
class RateLagrangian final : public PredictionTerm {
 public:
  RateLagrangian(std::shared_ptr<const RateProgram> program, const RateLagrangianConfig& config);

  const RateProgram& program() const { return *program_; }
  /// The sums are a histogram: each record adds at most 2^kUnitBits in total, which is its
  /// sensitivity in L1 and in L2.
  size_t num_sums() const override { return program_->num_cells; }
  size_t num_outputs() const override { return config_.num_outputs; }
  size_t num_classes() const override { return program_->num_classes; }

  void predict(std::span<const double> scores, std::vector<double>& shares) const override;

  /// The index of the first cell of each record's predictions, from its context and label.
  /// table.groups are the contexts of the program.
  std::vector<uint32_t> places(const EncodedTable& table) const override;

  void add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                std::span<const uint32_t> counts, std::span<int64_t> units) const override;

  /// Receives a step's histogram, in records. At the end of a dual interval moves the mean, the
  /// weights and the multipliers.
  void take_sums(std::span<const double> histogram) override;

  /// The standard deviation of noise on the smoothed histogram if each step's has `noise_stddev`.
  double smoothed_stddev(double noise_stddev) const;

  /// The gradient of the constraints' part of the loss of the whole table times its expected batch.
  void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                std::vector<double>& added) const override;

  /// The length of gradients at scores that constraints can cause, averaged over the records in the
  /// histogram.
  double typical_gradient() const { return typical_gradient_; }

  /// A clip bound that is widened, at most clip_widening times, to the largest push of a constraint
  /// between groups, which has coefficients of both signs. Unchanged if such a constraint pushes so
  /// few records that its largest push on a gradient is more than kMaxUneven times its mean push
  /// on scores: a wider clip would then be mostly noise.
  double widened(double bound) const;

  std::span<const double> multipliers() const { return multipliers_; }  ///< of the next step
  std::span<const double> cell_weights() const { return cell_weights_; }
  /// The rates of the smoothed histogram.
  const RateValues& values() const { return values_; }

  /// The largest probability that a run with a constant model has a spread beyond its limit,
  /// whatever the number of constraints; by a bound for Gaussian histograms [LaurentMassart2000].
  static constexpr double kChanceBeyondLimit = 1e-3;

  /// The course of training up to the last step, (constraints), if each cell of a step's histogram
  /// has noise of that standard deviation, in records. Empty before an averaged step.
  std::vector<ConstraintTrace> traces(double noise_stddev) const override;

  /// Number of steps; multipliers; mean; over averaged steps the sums of the constraints' values,
  /// of their squares, and of the mean; the sum of the histograms up to the last move; then the
  /// partial mean of an interval of several steps.
  std::vector<double> state() const;
  /// Errors: kRuntime for a state that does not belong to such a term.
  void restore(std::span<const double> state);

 private:
  /// The push of a constraint with multiplier 1 on gradients at scores.
  struct Push {
    double largest = 0;       ///< of any record
    double mean = 0;          ///< over the records in the histogram
    bool is_opposed = false;  ///< terms have coefficients of both signs
  };
  std::vector<Push> pushes(std::span<const double> histogram) const;

  double num_moves() const;        ///< of the multipliers so far
  double num_moved_steps() const;  ///< steps whose histograms have moved them
  std::vector<double> smoothed() const;
  /// Sets values and weights from the smoothed histogram and the multipliers.
  void weigh(std::span<const double> smoothed);
  void move_multipliers(std::span<const double> histogram, std::span<const double> smoothed);
  /// (rates) those of the histogram, at least 1. Exception: a denominator that does not depend on
  /// predictions and is below 1 on average over all steps is set to that average, with at least one
  /// record in all steps together. A floor of 1 would make the rate of a group that is absent from
  /// many batches too low by that factor.
  std::vector<double> denominators(std::span<const double> histogram) const;

  /// (constraints) the part of the multipliers that gradients follow; sets opposed_push_.
  std::vector<double> follow_multipliers(std::span<const double> histogram);

  std::shared_ptr<const RateProgram> program_;
  RateLagrangianConfig config_;
  double num_steps_ = 0;
  std::vector<double> multipliers_;     // (constraints)
  std::vector<double> mean_;            // (num_cells), biased towards 0 at first
  std::vector<double> sum_of_values_;   // (constraints), over averaged steps, as the next two
  std::vector<double> sum_of_squares_;  // (constraints)
  std::vector<double> sum_of_means_;    // (num_cells), not biased
  /// (num_cells), the sum of the histograms of the steps that have moved multipliers. Steps of an
  /// interval are added at its end, so that a run resumed within it weighs cells as before.
  std::vector<double> sum_of_steps_;
  std::vector<double> interval_mean_;  // (num_cells), partial mean of an interval of several steps
  RateValues values_;
  std::vector<double> cell_weights_;     // (num_cells)
  std::vector<double> share_of_triple_;  // (num_cells), 1 / number of triples that share the cell
  std::vector<double> push_;             // (contexts, labels, classes), the cells' weights scaled
  double typical_gradient_ = 0;
  /// The largest push on scores of a single constraint between groups; 0 if one is too uneven.
  double opposed_push_ = 0;
};

}  // namespace equinoise
