// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"
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
/// The default of TrainingConfig::tail_average under constraints. Iterates settle later because
/// multipliers settle first. dp_postprocess, which has no multipliers, is not worse with it
/// (docs/methods/dp_postprocess.md).
inline constexpr double kTailAverageOfConstraints = 0.3;

/// The default batch size, see default_batch_size.
inline constexpr double kDefaultBatchSize = 512;
inline constexpr int64_t kDefaultSteps = 3000;

/// Limits of the noise multiplier, beyond which a run can only waste its budget.
inline constexpr double kSmallestNoiseMultiplier = 0.01;
inline constexpr double kLargestNoiseMultiplier = 1e6;

/// The largest scale of noise of that kind on numbers released with the gradients. The samplers can
/// draw it on the grid of 2^-20 of these numbers.
double largest_side_noise(Event::Kind noise);

/// The standard deviation of noise on numbers that are released with gradients, over that of
/// gradients, both per unit of sensitivity. Releasing these numbers makes the noise on gradients 5
/// % larger if their noise is Gaussian and 10 % if it is Laplace.
inline constexpr double kSideNoiseRatio = 3;

/// The user's choices for a training run, shared by methods or specific to some. Every field is
/// public.
struct TrainingConfig {
  std::optional<double> epsilon;           ///< target; determines the noise
  std::optional<double> noise_multiplier;  ///< instead of epsilon
  double delta = kDefaultDelta;
  Relation relation = Relation::kZeroOut;
  double batch_size = kDefaultBatchSize;  ///< expected number of records in a Poisson batch
  int64_t num_steps = kDefaultSteps;
  OptimizerConfig optimizer;
  double learning_rate = 0.7;
  double final_learning_rate = 0.07;  ///< reached linearly at the last step
  double max_grad_norm = 1;
  /// The share of the last steps whose iterates are averaged to the model; 0: the last iterate only
  /// [kTailAverage, under constraints kTailAverageOfConstraints].
  std::optional<double> tail_average;
  std::shared_ptr<const RateProgram> constraints;  ///< for methods that know constraints
  int threads = 1;
  OwnOptions own;  ///< options of one method or of a few, each in its own struct
};

/// Public facts about the groups of the table, for methods that know groups.
struct PublicGroups {
  std::string partition;                      ///< their columns: "sex,race"
  std::vector<std::string> names;             ///< (num_groups): "Female,White"
  std::vector<std::optional<double>> shares;  ///< (num_groups) of all records, if declared
};

PublicGroups public_groups_of(const Grouping& grouping, int64_t num_records);

/// The reason why a sum cannot be divided by the public size of group k, and the remedy; "" if it
/// can.
std::string why_not_divided(const PublicGroups& groups, size_t k);

/// (groups): the expected number of `num_records` records in each group, at least 1; public.
/// Errors: kUsage, naming `where`, for a size that is 0 or not declared.
std::vector<int64_t> expected_sizes(std::string_view where, const PublicGroups& groups,
                                    int64_t num_records);

/// Overlapping groups, such as those of sex and those of race. The table then holds cells, which
/// are disjoint: a public list of the possible combinations of groups.
struct OverlappingGroups {
  PublicGroups groups = {};
  std::vector<std::vector<size_t>> groups_of_cell = {};  ///< (cells); empty: groups are disjoint
};

/// The public facts about the training records that a plan may depend on.
struct TrainingFacts {
  int64_t num_records = 0;
  size_t num_parameters = 0;
  double sum_error = 0;    ///< Model::sum_error of a grid of 1: the sensitivity that rounding adds
  size_t num_groups = 0;   ///< of the table, for methods that know groups; 0: none
  size_t num_outputs = 1;  ///< Model::num_outputs
  /// Groups as in num_groups; of contexts of constraints only if the model has parts for them.
  PublicGroups groups = {};
  std::string model = {};  ///< Model::name
  /// EncodedColumns::names of an additive model, of which the first num_numbers are numeric.
  std::vector<std::string> columns = {};
  size_t num_numbers = 0;
  /// (num_numbers) 1 for a number whose contribution must not fall, -1 if it must not rise, else 0.
  std::vector<double> directions = {};
  /// Groups of methods that support overlapping ones; `groups`: the cells.
  OverlappingGroups overlapping = {};
  double max_exact_units = 0;  ///< Model::max_exact_units
  /// The root of the mean squared norm of (features, 1), with features scaled by the schema; 0:
  /// unknown, for example if scores are not linear in them.
  double row_norm = 0;
  /// (features) of a linear model, from the schema; empty: unknown.
  std::vector<TypicalFeature> typical_features = {};
  TargetScale target = {};  ///< of a regression
  /// The most rows of a unit that are used, whose gradients are summed; 1 if each row is a unit. If
  /// a unit may have several, "record" means a unit in all of these facts.
  int64_t max_records_per_unit = 1;
};

/// One line of the bill.
struct PlanItem {
  std::string label;
  Event event;
};

/// The steps of a run and their cost, known before any data is touched.
struct TrainingPlan {
  std::string method;
  TrainingConfig config;
  TrainingFacts facts;
  double sample_rate = 0;
  std::vector<PlanItem> items = {};       ///< empty: no release under privacy
  std::optional<Guarantee> privacy = {};  ///< empty: not private
  /// The cost of the same releases by Renyi DP, for comparison.
  std::optional<Guarantee> by_rdp = {};
  NamedFigures settings = {};           ///< specific to the method, by name
  std::vector<std::string> notes = {};  ///< other facts that the user should know before the run
  double noise_multiplier = 0;
  double noise_stddev = 0;  ///< on each entry of a step's gradient sum
  /// The quantity that the noise of a step depends on; it is then at least noise_stddev. "": none.
  std::string_view noise_follows = "";
  bool is_choice = false;  ///< the result of one of several runs; the others may not be revealed
  double grid = 0;         ///< the power of two on which gradient sums are released
  double bound = 0;        ///< on a record's part of these sums; determines the grid
  /// (num_groups) the same for groups that pay separately, including the weight of their records.
  std::vector<double> group_bounds = {};
  std::vector<double> group_weights = {};
  double side_noise_stddev = 0;  ///< on each number released with the sums; 0 without such numbers
  double side_noise_multiplier = 0;  ///< its scale if each record moves the numbers by 1
  /// The multiplier of a release about all records in addition to the steps; 0: none.
  double full_noise_multiplier = 0;
  /// The multiplier of the mean of residuals after the last step, the last item; 0: none. If groups
  /// pay separately, that of the records with the largest weight.
  double residual_noise_multiplier = 0;
  /// The number of steps before a release that later steps depend on; 0: none. A run cannot be
  /// resumed before that release, because releases other than steps count as drawn.
  int64_t num_first_steps = 0;

  std::vector<Event> events() const;

  /// The grid of a step with that bound: `grid`, or coarser by a power of two if the bound is
  /// larger than the plan's. Public, as the bound is.
  double grid_for(double step_bound) const;

  /// The events that members of a group pay for; all events if groups do not pay separately.
  std::vector<Event> events_of(size_t group) const;

  /// The events if the run ended after `num_steps` > 0 steps. Releases other than steps count in
  /// full.
  std::vector<Event> events_after(int64_t num_steps) const;
};

/// The default batch size and number of steps, or the number of training records if that is
/// smaller. A table with few records is then used as a whole in few steps, because the noise of
/// each step adds up.
double default_batch_size(int64_t num_records);
int64_t default_num_steps(int64_t num_records);

/// The learning rate of step 0 .. num_steps - 1: it changes linearly from the first to the last.
double learning_rate_at(const TrainingConfig& config, int64_t step);

/// Checks the shared options of `config` against `facts`. Errors: kUsage, naming `where`, the field
/// and its value.
void check_training_config(std::string_view where, const TrainingConfig& config,
                           const TrainingFacts& facts);

/// The plan of Poisson batches without a private release. Errors: kUsage, as check_training_config.
TrainingPlan plan_without_guarantee(std::string_view method, const TrainingConfig& config,
                                    const TrainingFacts& facts);

/// The plan of steps that each use all records, without a release so far. Errors: kUsage, as
/// check_training_config.
TrainingPlan plan_full_batches(std::string_view where, std::string_view method,
                               const TrainingConfig& config, const TrainingFacts& facts,
                               int64_t num_steps);

/// The error of the Gaussian sampler over that many draws.
Event gaussian_error(double num_draws);

/// Checks that exactly one of epsilon and noise_multiplier is given, within sensible limits, for
/// zero_out. Errors: kUsage.
void check_noise_choice(std::string_view where, const TrainingConfig& config);

/// Errors: kUsage if the exact sums of a network over all records might not fit 64 bits.
void check_exact_sums(std::string_view where, const TrainingFacts& facts);

/// The given noise multiplier; or the smallest at which `events` cost at most the given epsilon, by
/// PLD or, if tighter, by RDP.
double choose_noise_multiplier(const TrainingConfig& config,
                               const std::function<std::vector<Event>(double)>& events);

/// Adds a note, with the reason, if a plan spends at least a hundredth less than requested.
void note_unspent(const TrainingConfig& config, TrainingPlan& plan);

/// Sets the cost of the plan's items at the delta of its configuration. Errors: kUsage, naming
/// `where`, if the samplers' own error is more than a thousandth of delta.
void settle_guarantee(std::string_view where, TrainingPlan& plan);

/// `size` numbers that are released with noise from each batch, in addition to its gradient sum.
struct SideRelease {
  std::string name = "count";
  size_t size = 0;  ///< 0: nothing
  /// Its scale if each record moves the numbers by 1 [noise_ratio times the noise on gradients, or
  /// the most that the samplers can draw].
  std::optional<double> noise_multiplier = {};
  Event::Kind noise = Event::Kind::kGaussian;  ///< or kLaplace
  double noise_ratio = kSideNoiseRatio;        ///< of standard deviations
};

/// One Gaussian release of numbers about all records, in addition to the steps.
struct FullRelease {
  std::string label;    ///< in the bill
  std::string setting;  ///< the name of its noise multiplier, if that is reported separately
  /// Gaussian or discrete, by the noise multiplier of the steps; empty: no release.
  std::function<Event(double noise_multiplier)> event = {};
  size_t size = 1;  ///< number of values
  /// The limit for the mean of residuals, which is left out if its noise would be larger.
  double largest_noise_multiplier = std::numeric_limits<double>::infinity();
};

/// The multiplier of one Gaussian on full data that is about as informative as all steps of such
/// Poisson batches together, by the central limit theorem. [BuEtAl2020]
double multiplier_of_all_steps(const TrainingConfig& config, const TrainingFacts& facts,
                               double noise_multiplier);

/// The guarantee of the events by RDP, for comparison; empty if RDP has no answer.
std::optional<Guarantee> told_by_rdp(Relation relation, const std::vector<Event>& events,
                                     Delta delta);

/// The plan of DP-SGD: config.num_steps Poisson batches with one Gaussian release each, or two with
/// a side release, and the samplers' own error. Up to three more releases: `between`; `full`, whose
/// noise is the plan's full_noise_multiplier; and `residuals`, a separate part of the charge with
/// its own samplers' error, which run_noisy_loop draws. Calibrates the noise to a target epsilon,
/// by PLD or, if tighter, by RDP. Errors: kUsage, also for a relation other than zero_out.
TrainingPlan plan_noisy_gradients(std::string_view method, const TrainingConfig& config,
                                  const TrainingFacts& facts, const SideRelease& beside = {},
                                  const FullRelease& full = {}, const FullRelease& between = {},
                                  const FullRelease& residuals = {});

/// `plan`, made by plan_noisy_gradients without a side release, with a separate clip for each
/// group. Records of group k move a sum by at most bounds[k] > 0, (num_groups), and pay for that
/// only. The noise is that of the plan's multiplier on a bound of `unit`. residual_noise:
/// (num_groups) the multipliers of the mean of residuals; empty: it is left out.
TrainingPlan with_group_bounds(TrainingPlan plan, const std::vector<double>& bounds, double unit,
                               const std::vector<double>& residual_noise = {});

}  // namespace equinoise
