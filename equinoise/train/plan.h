// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/own_options.h"
#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/train/optimizer.h"

namespace equinoise {

inline constexpr double kTailAverage = 0.5;
/// Iterates settle later where multipliers have to settle first. dp_postprocess, which has none,
/// does no worse with it (docs/methods/dp_postprocess.md).
inline constexpr double kTailAverageOfConstraints = 0.3;

/// Batches where none are asked for, see default_batch_size.
inline constexpr double kDefaultBatchSize = 512;
inline constexpr int64_t kDefaultSteps = 3000;

/// Beyond these noise multipliers a run can only waste its budget.
inline constexpr double kSmallestNoiseMultiplier = 0.01;
inline constexpr double kLargestNoiseMultiplier = 1e6;

/// The largest scale of noise of that kind on numbers beside the gradients: what the samplers can
/// draw on the grid of 2^-20 that these have.
double largest_side_noise(Event::Kind noise);

/// Standard deviation of the noise on numbers that are released with gradients, over that of
/// gradients, both per unit of sensitivity. Gaussian, it makes the noise on gradients 5 % larger
/// than without these numbers; Laplace, 10 %.
inline constexpr double kSideNoiseRatio = 3;

/// What the user chooses for a training run: what methods share, and what some have of their own.
/// Every field is public.
struct TrainingConfig {
  std::optional<double> epsilon;           ///< target; the noise is calibrated to it
  std::optional<double> noise_multiplier;  ///< instead of epsilon
  double delta = kDefaultDelta;
  Relation relation = Relation::kZeroOut;
  double batch_size = kDefaultBatchSize;  ///< expected number of records of a Poisson batch
  int64_t num_steps = kDefaultSteps;
  OptimizerConfig optimizer;
  double learning_rate = 0.7;
  double final_learning_rate = 0.07;  ///< reached linearly at the last step
  double max_grad_norm = 1;
  /// The model is the mean of the iterates of this last part of the steps; 0: the last one
  /// [kTailAverage, under constraints kTailAverageOfConstraints].
  std::optional<double> tail_average;
  std::shared_ptr<const RateProgram> constraints;  ///< for methods that know constraints
  int threads = 1;
  OwnOptions own;  ///< options of one method or of a few, in structs of their own
};

/// What is public about the groups of the table, for methods that know groups.
struct PublicGroups {
  std::string partition;                      ///< their columns: "sex,race"
  std::vector<std::string> names;             ///< (num_groups): "Female,White"
  std::vector<std::optional<double>> shares;  ///< (num_groups) of all records, where declared
};

PublicGroups public_groups_of(const Grouping& grouping, int64_t num_records);

/// Why nothing can be divided by the public size of group k, and what to do about it; "" where it
/// can.
std::string why_not_divided(const PublicGroups& groups, size_t k);

/// (groups): how many of `num_records` records are expected to be of each, at least 1; public.
/// Errors: kUsage, naming `where`, for a size that is 0 or not declared.
std::vector<int64_t> expected_sizes(std::string_view where, const PublicGroups& groups,
                                    int64_t num_records);

/// Groups of which a record is in several, as those of sex and those of race. The table then holds
/// cells, which are disjoint: the patterns of groups that somebody may be in, a public list.
struct OverlappingGroups {
  PublicGroups groups = {};
  std::vector<std::vector<size_t>> groups_of_cell = {};  ///< (cells); empty: groups are disjoint
};

/// What a plan may depend on: public facts about the records to train on.
struct TrainingFacts {
  int64_t num_records = 0;
  size_t num_parameters = 0;
  double sum_error = 0;  ///< Model::sum_error of a grid of 1: what rounding adds to the sensitivity
  size_t num_groups = 0;   ///< of the table, for methods that know groups; 0: none
  size_t num_outputs = 1;  ///< Model::num_outputs
  /// As num_groups; of contexts of constraints only where the model has parts for them.
  PublicGroups groups = {};
  std::string model = {};              ///< Model::name
  OverlappingGroups overlapping = {};  ///< for methods that know such groups; `groups`: the cells
  double max_exact_units = 0;          ///< Model::max_exact_units
  /// The root of the mean squared norm of (features, 1), as the schema's scales make them; 0: not
  /// known, as where scores are not linear in them.
  double row_norm = 0;
  TargetScale target = {};  ///< of a regression
  /// So many rows of a unit count at most, whose gradients are summed; 1 where each row is a unit.
  /// Where a unit may have several, a record is a unit in all of this.
  int64_t max_records_per_unit = 1;
};

/// One line of the bill.
struct PlanItem {
  std::string label;
  Event event;
};

/// What a run will do and what it will cost, known before any data is touched.
struct TrainingPlan {
  std::string method;
  TrainingConfig config;
  TrainingFacts facts;
  double sample_rate = 0;
  std::vector<PlanItem> items = {};       ///< empty: the method releases nothing under privacy
  std::optional<Guarantee> privacy = {};  ///< empty: not private
  std::optional<Guarantee> by_rdp = {};   ///< the same releases by Renyi DP, for comparison
  std::vector<std::pair<std::string, double>> settings = {};  ///< of the method alone, by name
  std::vector<std::string> notes = {};  ///< what else is to be known before it is run
  double noise_multiplier = 0;
  double noise_stddev = 0;  ///< on each entry of a step's gradient sum
  /// What the noise of a step depends on, which is then at least noise_stddev; "": nothing.
  std::string_view noise_follows = "";
  bool is_choice = false;  ///< of one of several runs; nothing about the others may be revealed
  double grid = 0;         ///< the power of two on which gradient sums are released
  double bound = 0;        ///< on a record's part of these sums, for which the grid is made
  /// (num_groups) the same for groups that pay apart, and how much a record of theirs counts.
  std::vector<double> group_bounds = {};
  std::vector<double> group_weights = {};
  double side_noise_stddev = 0;      ///< on each number released with them; 0 if there is none
  double side_noise_multiplier = 0;  ///< its scale where each record moves the numbers by 1
  double full_noise_multiplier = 0;  ///< of a release of all records beside the steps; 0: none
  /// Of the mean of residuals after the last step, the last item; 0: none. Where groups pay apart,
  /// that of records with the largest weight.
  double residual_noise_multiplier = 0;
  /// Steps before the release that later ones depend on: a run cannot be resumed before it, since
  /// what is not a step counts as drawn. 0: none.
  int64_t num_first_steps = 0;

  std::vector<Event> events() const;

  /// The grid of a step with that bound: `grid`, coarser by a power of two where the bound is
  /// larger than that of the plan. Public, as the bound is.
  double grid_for(double step_bound) const;

  /// What the members of a group see of them; all of them where groups do not pay apart.
  std::vector<Event> events_of(size_t group) const;

  /// The events if the run ended after `num_steps` > 0 steps. What else is released counts in full.
  std::vector<Event> events_after(int64_t num_steps) const;
};

/// The batch size and the number of steps of a run for which none are chosen: the defaults, or the
/// number of training records where that is less. A table with few records is then used as a whole,
/// in few steps, whose noise adds up.
double default_batch_size(int64_t num_records);
int64_t default_num_steps(int64_t num_records);

/// The learning rate of step 0 .. num_steps - 1: it changes linearly from the first to the last.
double learning_rate_at(const TrainingConfig& config, int64_t step);

/// Checks what methods share in `config` against `facts`. Errors: kUsage, naming `where`, the field
/// and its value.
void check_training_config(std::string_view where, const TrainingConfig& config,
                           const TrainingFacts& facts);

/// The plan of Poisson batches from which nothing is released under privacy. Errors: kUsage, as
/// check_training_config.
TrainingPlan plan_without_guarantee(std::string_view method, const TrainingConfig& config,
                                    const TrainingFacts& facts);

/// Checks that noise is given in exactly one of the two ways, within sensible limits, for zero_out.
/// Errors: kUsage.
void check_noise_choice(std::string_view where, const TrainingConfig& config);

/// Errors: kUsage where the exact sums of a network over all records might not fit 64 bits.
void check_exact_sums(std::string_view where, const TrainingFacts& facts);

/// The noise multiplier that is given; or the smallest with which `events` cost at most the
/// epsilon that is, by PLD or, where that is tighter, by RDP.
double choose_noise_multiplier(const TrainingConfig& config,
                               const std::function<std::vector<Event>(double)>& events);

/// Notes what a plan spends less than it was asked to, by a hundredth and more, and why.
void note_unspent(const TrainingConfig& config, TrainingPlan& plan);

/// Sets what the plan's items cost at the delta of its configuration. Errors: kUsage, naming
/// `where`, where the samplers' own error is more than a thousandth of delta.
void settle_guarantee(std::string_view where, TrainingPlan& plan);

/// What is released from each batch in addition to its gradient sum: `size` numbers with noise.
struct SideRelease {
  std::string name = "count";
  size_t size = 0;  ///< 0: nothing
  /// Its scale where each record moves the numbers by 1 [what noise_ratio makes of the noise on
  /// gradients, or the most that the samplers can draw].
  std::optional<double> noise_multiplier = {};
  Event::Kind noise = Event::Kind::kGaussian;  ///< or kLaplace
  double noise_ratio = kSideNoiseRatio;        ///< of standard deviations
};

/// One Gaussian release of numbers of all records, beside the steps.
struct FullRelease {
  std::string label;    ///< of its line of the bill
  std::string setting;  ///< the name of its noise multiplier, where that is told apart
  /// Gaussian or discrete, by the noise multiplier of the steps; empty: there is none.
  std::function<Event(double noise_multiplier)> event = {};
  size_t size = 1;  ///< how many numbers
  /// Of the mean of residuals: it is left out where it would have more noise than that.
  double largest_noise_multiplier = std::numeric_limits<double>::infinity();
};

/// The multiplier of one Gaussian on full data that tells about as much as all steps of such
/// Poisson batches do, by the central limit theorem. [BuEtAl2020]
double multiplier_of_all_steps(const TrainingConfig& config, const TrainingFacts& facts,
                               double noise_multiplier);

/// The guarantee of the events by RDP, for comparison; nothing where it has no answer.
std::optional<Guarantee> told_by_rdp(Relation relation, const std::vector<Event>& events,
                                     Delta delta);

/// The plan of DP-SGD: config.num_steps Poisson batches with one Gaussian release each, a second
/// one if there is a side release, the samplers' own error, and where there is one each `between`,
/// `full`, whose noise is the plan's full_noise_multiplier, and `residuals`, which run_noisy_loop
/// draws: a part of the charge with the samplers' error of its own. Calibrates the noise where a
/// target epsilon is given, by PLD or, where that is tighter, by RDP. Errors: kUsage, also for a
/// relation other than zero_out.
TrainingPlan plan_noisy_gradients(std::string_view method, const TrainingConfig& config,
                                  const TrainingFacts& facts, const SideRelease& beside = {},
                                  const FullRelease& full = {}, const FullRelease& between = {},
                                  const FullRelease& residuals = {});

/// `plan`, made by plan_noisy_gradients without a side release, changed to a clip of its own for
/// each group: records of group k move a sum by at most bounds[k] > 0, (num_groups), and pay for
/// that alone. The noise is that of the plan's multiplier on a bound of `unit`. residual_noise:
/// (num_groups) the multipliers of the mean of residuals; empty: it is left out.
TrainingPlan with_group_bounds(TrainingPlan plan, const std::vector<double>& bounds, double unit,
                               const std::vector<double>& residual_noise = {});

}  // namespace equinoise
