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

/// How RateLagrangian follows its constraints. Every field is public.
struct RateLagrangianConfig {
  double batch_size = 1;             ///< expected number of records of a batch
  size_t num_outputs = 1;            ///< of the model: one logit, or a score for each class
  double dual_learning_rate = 0.05;  ///< of the multipliers
  double max_multiplier = 20;        ///< multipliers are held within 0 to this
  double inverse_temperature = 1;    ///< of the soft predictions, softmax(inverse_temperature * z)
  bool hard_histogram = true;        ///< count predicted classes instead of their probabilities
  double histogram_decay = 0.97;     ///< of the mean over steps' histograms, 0: the last one alone
  bool mean_moves_multipliers = false;  ///< instead of the step's own numerators
  /// How many steps have one set of multipliers, which moves by the mean of their histograms.
  int64_t dual_interval = 1;
  int64_t first_averaged_step = 0;  ///< traces are of the steps after that many
  /// Of the clip bound widened(max_grad_norm + clip_allowance * mean push): gradients follow a
  /// multiplier only as far as it pushes no record by more than that. Infinite: always, as
  /// published.
  double push_limit = std::numeric_limits<double>::infinity();
  double max_grad_norm = 1;
  double clip_allowance = 0;
  /// Of that bound: how many times it is widened at most for constraints between groups.
  double clip_widening = 1;
  double row_norm = 0;  ///< TrainingFacts::row_norm, of a push on a score; 0: never widened
  /// How far below slacks multipliers aim [as the program says].
  std::optional<double> margin = {};
};

/// The part of a Lagrangian that rate constraints make: sum_j multiplier_j (constraint_j -
/// slack_j), by way of a histogram of the batch's predictions, which may be noisy.
/// [YaghiniEtAl2025, Alg. 1]
///
/// From the histogram of a step follow the multipliers of the next one and a weight for each cell,
/// with which every record's own predictions are pushed: one backward pass, however many
/// constraints. All of it is post-processing of the histograms. With a dual interval of several
/// steps the mean of their histograms moves the multipliers once, and both weigh the steps to come.
///
/// Deviations: predictions grow with scores (as printed, softmax has a minus sign that prefers the
/// least likely class); a mean over steps steadies the histogram, since cells that hold few records
/// of a batch would bias the quotients; denominators are at least 1 record, or what all steps so
/// far say of a group that has less (denominators()); multipliers that ask of
/// a group of few more than clipping leaves are followed in part. Such a group's gradients would be
/// clipped, while the opposite push that everybody else gets would not: all predictions would
/// drift one way, for nothing. Short of that limit the same happens to a smaller group of which
/// clipping cuts part of the push, for which the clip is widened (see widened()).
///
/// The mean serves denominators, weights and the clip alone. Multipliers follow the step's own
/// numerators over the mean's denominators (step_constraints): what they add up in the end is the
/// same, without the mean's delay. Multipliers that follow the mean itself are late by decay / (1 -
/// decay) steps, and where many scores lie near the threshold they and the model swing round each
/// other (docs/theory/published-mistakes.md).
class RateLagrangian final : public PredictionTerm {
 public:
  RateLagrangian(std::shared_ptr<const RateProgram> program, const RateLagrangianConfig& config);

  const RateProgram& program() const { return *program_; }
  /// The sums are a histogram: each record adds at most 2^kUnitBits in all, so its sensitivity is
  /// that, in L1 and in L2.
  size_t num_sums() const override { return program_->num_cells; }
  size_t num_outputs() const override { return config_.num_outputs; }
  size_t num_classes() const override { return program_->num_classes; }

  void predict(std::span<const double> scores, std::vector<double>& shares) const override;

  /// Where the cells of each record's predictions begin: what context and label decide.
  /// table.groups are the contexts of the program.
  std::vector<uint32_t> places(const EncodedTable& table) const override;

  void add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                std::span<const uint32_t> counts, std::span<int64_t> units) const override;

  /// A step's histogram, in records: at the end of a dual interval moves the mean, the weights and
  /// the multipliers.
  void take_sums(std::span<const double> histogram) override;

  /// The standard deviation of noise on the smoothed histogram, where each step's has
  /// `noise_stddev`.
  double smoothed_stddev(double noise_stddev) const;

  /// Of what the constraints add to the loss of the whole table times its expected batch.
  void gradient(std::span<const uint32_t> places, std::span<const double> shares,
                std::vector<double>& added) const override;

  /// How long gradients at scores can be, in the mean over the records that the histogram counts.
  double typical_gradient() const { return typical_gradient_; }

  /// A clip bound that is widened, at most clip_widening times, to the largest push of a constraint
  /// between groups, one whose terms have coefficients of both signs. The bound itself where one
  /// of these pushes so few that the largest push on a gradient is more than kMaxUneven times its
  /// mean push on scores: wider clips were then mostly noise.
  double widened(double bound) const;

  std::span<const double> multipliers() const { return multipliers_; }  ///< of the next step
  std::span<const double> cell_weights() const { return cell_weights_; }
  /// What the last histogram said, smoothed.
  const RateValues& values() const { return values_; }

  /// How often at most a run whose model stands still has a spread beyond its limit, whatever the
  /// number of constraints; by a bound for Gaussian histograms [LaurentMassart2000].
  static constexpr double kChanceBeyondLimit = 1e-3;

  /// How training went up to the last step, (constraints), where each cell of a step's histogram
  /// has noise of that standard deviation, in records. Empty before an averaged step.
  std::vector<ConstraintTrace> traces(double noise_stddev) const override;

  /// Number of steps, multipliers, mean, the sums over averaged steps of the constraints' values,
  /// of their squares, and of the mean, the sum of the histograms up to the last move, then what is
  /// known of an interval of several steps.
  std::vector<double> state() const;
  /// Errors: kRuntime for what is no state of such a term.
  void restore(std::span<const double> state);

 private:
  /// What a constraint's multiplier of 1 adds to gradients at scores.
  struct Push {
    double largest = 0;       ///< of any record
    double mean = 0;          ///< over the records that the histogram counts
    bool is_opposed = false;  ///< terms have coefficients of both signs
  };
  std::vector<Push> pushes(std::span<const double> histogram) const;

  double num_moves() const;        ///< of the multipliers so far
  double num_moved_steps() const;  ///< whose histograms have moved them
  std::vector<double> smoothed() const;
  /// Makes values and weights of the smoothed histogram and of the multipliers.
  void weigh(std::span<const double> smoothed);
  void move_multipliers(std::span<const double> histogram, std::span<const double> smoothed);
  /// (rates) those of the histogram, at least 1. One that does not depend on predictions is what it
  /// is in the mean over all steps where that is less, at least one record in all of them: as 1 it
  /// would make the rate of a group of whom not every batch has a record too low by that factor.
  std::vector<double> denominators(std::span<const double> histogram) const;

  /// (constraints) the multipliers as far as gradients follow them; moves opposed_push_.
  std::vector<double> follow_multipliers(std::span<const double> histogram);

  std::shared_ptr<const RateProgram> program_;
  RateLagrangianConfig config_;
  double num_steps_ = 0;
  std::vector<double> multipliers_;     // (constraints)
  std::vector<double> mean_;            // (num_cells), biased towards 0 at first
  std::vector<double> sum_of_values_;   // (constraints), over averaged steps, as the next two
  std::vector<double> sum_of_squares_;  // (constraints)
  std::vector<double> sum_of_means_;    // (num_cells), not biased
  /// (num_cells), of the histograms of the steps that have moved multipliers: those of an interval
  /// count at its end, so that a run that is resumed within it weighs cells as before.
  std::vector<double> sum_of_steps_;
  std::vector<double> interval_mean_;  // (num_cells), of an interval of several steps so far
  RateValues values_;
  std::vector<double> cell_weights_;     // (num_cells)
  std::vector<double> share_of_triple_;  // (num_cells), 1 / triples that share the cell
  std::vector<double> push_;             // (contexts, labels, classes), the cells' weights scaled
  double typical_gradient_ = 0;
  /// The largest push on scores of a single constraint between groups; 0 if one is too uneven.
  double opposed_push_ = 0;
};

}  // namespace equinoise
