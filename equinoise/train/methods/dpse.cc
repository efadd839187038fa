// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/number_of_runs.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/tailoring/group_budgets.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/paid_answers.h"
#include "equinoise/train/tailoring/paid_overlapping_answers.h"
#include "equinoise/train/tailoring/sensitivities.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.dpse";
constexpr double kSelectionShape = 0;  // the logarithmic distribution: the cheapest one that can be
                                       // drawn

StageOneBounds stage_one_bounds(const TrainingConfig& config, std::string_view model) {
  const TailoringOptions& tailoring = config.own.of<TailoringOptions>();
  // Brier's score is at most 1.
  const double clip = model_facts(model).is_regression ? tailoring.residual_clip
                                                       : std::min(1.0, tailoring.residual_clip);
  return {config.relation, tailoring.feature_norm_bound, tailoring.feature_norm_bound, clip};
}

double gaussian_multiplier(double rho) { return round_up(1 / std::sqrt(2 * rho), 1e-13); }

/// The number of values drawn with noise in answers about groups, each of `size` values: about one
/// group, or about all of them if groups overlap.
double num_draws_of_answers(const GroupBudgets& budgets, size_t size) {
  return static_cast<double>(size) *
         (budgets.overlap() ? static_cast<double>(budgets.sizes().size()) : 1);
}

/// The events of one descent for members of a cell, and of its score if one is chosen, at a cost of
/// `cell_rho`.
std::vector<Event> events_of_descent(const TrainingConfig& config, const TrainingFacts& facts,
                                     const GroupBudgets& budgets, double cell_rho) {
  const double num_draws = num_draws_of_answers(budgets, facts.num_parameters + 1);
  double sampler_error =
      static_cast<double>(config.num_steps) *
      (num_draws * kGaussianDrawError + (static_cast<double>(facts.num_records) + 1) * kSkipError);
  const Event answer = Event::gaussian(budgets.step_multiplier(cell_rho));
  std::vector<Event> events = {
      Event::repeat(config.num_steps,
                    Event::poisson_sampled(1, budgets.asks_losses() ? std::vector{answer, answer}
                                                                    : std::vector{answer}))};
  if (budgets.chooses()) {
    events.push_back(Event::gaussian(budgets.score_multiplier(cell_rho)));
    sampler_error += num_draws_of_answers(budgets, 1) * kGaussianDrawError;
  }

  events.push_back(Event::sampler_error(round_up(sampler_error, 1e-12)));
  return events;
}

/// The same for the whole run, with `stage_one_rho` as the members' cost of stage one.
Event events_of_cell(const TrainingConfig& config, const TrainingFacts& facts,
                     const GroupBudgets& budgets, double stage_one_rho, double cell_rho) {
  std::vector<Event> descent = events_of_descent(config, facts, budgets, cell_rho);
  std::vector<Event> events;
  double sampler_error = 0;
  if (budgets.chooses()) {
    events.push_back(Event::repeat_and_select(budgets.mean_runs(), kSelectionShape,
                                              Event::composed(std::move(descent))));
    sampler_error = kNumberOfRunsError;
  } else {
    events.push_back(descent[0]);
    sampler_error = descent[1].delta();
  }

  if (budgets.needs_stage_one()) {
    const double num_draws = static_cast<double>(facts.num_parameters) + 1;
    const double part = stage_one_part(stage_one_rho, budgets.max_groups());
    const double of_residuals = stage_one_rho - part;
    if (model_facts(facts.model).is_regression) {
      events.push_back(Event::gaussian(gaussian_multiplier(part)));
      sampler_error += num_draws * (num_draws + 1) * kGaussianDrawError;
    } else {
      const double step = part / static_cast<double>(kStageOneSteps);
      events.push_back(Event::repeat(kStageOneSteps, Event::gaussian(gaussian_multiplier(step))));
      sampler_error += static_cast<double>(kStageOneSteps) * num_draws * kGaussianDrawError;
    }
    events.push_back(Event::gaussian(gaussian_multiplier(of_residuals)));
    sampler_error += num_draws_of_answers(budgets, 1) * kGaussianDrawError;
  }

  events.push_back(Event::sampler_error(round_up(sampler_error, 1e-12)));
  return Event::composed(std::move(events));
}

double rho_of(double noise_multiplier) { return 1 / (2 * noise_multiplier * noise_multiplier); }

/// The weight of a record of the group under this objective, relative to 1 for an average group.
double record_weight(const GroupBudgets& budgets, const TrainingConfig& config,
                     const std::vector<double>& objective, size_t group) {
  return objective[group] * config.batch_size / static_cast<double>(budgets.sizes()[group]);
}

/// (groups) the same for the first goal. Pre: it has no quantile.
std::vector<double> record_weights(const GroupBudgets& budgets, const TrainingConfig& config) {
  const std::vector<double> objective = budgets.objective(budgets.goals()[0]);
  std::vector<double> weights;
  for (size_t k = 0; k < objective.size(); ++k)
    weights.push_back(record_weight(budgets, config, objective, k));
  return weights;
}

/// Whether a constraint may push steps.
bool is_constrained(const GroupBudgets& budgets) {
  return std::ranges::any_of(budgets.goals(),
                             [](const GroupGoal& goal) { return goal.loss_multiplier > 0; });
}

/// The mean residual of a run with one public goal, by the noise multiplier of its whole cost.
FullRelease residuals_of_goal(const TrainingConfig& config, const TrainingFacts& facts,
                              const GroupBudgets& budgets) {
  if (budgets.chooses() || budgets.overlap() || budgets.goals()[0].asks_losses()) return {};
  FullRelease release = residual_release(
      config, facts, residual_sizes(facts, record_weights(budgets, config), false));
  if (!release.event) return {};
  // Noise of full batches that together have that multiplier: the inverse of
  // multiplier_of_all_steps.
  const auto num_steps = static_cast<double>(config.num_steps);
  release.event = [of_steps = release.event, num_steps](double of_all) {
    return of_steps(1 / std::sqrt(std::log1p(1 / (num_steps * of_all * of_all))));
  };
  return release;
}

/// The reported numbers other than the budget.
void add_settings(const TailoringOptions& config, const GroupBudgets& budgets,
                  std::span<const double> reserved, TrainingPlan& plan) {
  plan.settings = {{"max_share", config.max_share}, {"box", config.box}};
  for (const auto& [group, max_share] : config.max_shares)
    plan.settings.emplace_back(fmt::format("max_share {}", group), max_share);
  if (budgets.needs_stage_one()) {
    const StageOneBounds bounds = stage_one_bounds(plan.config, plan.facts.model);
    plan.settings.emplace_back("stage1_fraction", config.stage_one_fraction);
    plan.settings.emplace_back("residual_clip", bounds.residual_clip);
    if (model_facts(plan.facts.model).is_regression)
      plan.settings.emplace_back("feature_norm_bound", bounds.feature_norm_bound);
  }

  const std::vector<GroupGoal>& goals = budgets.goals();
  for (size_t i = 0; i < goals.size(); ++i) {
    if (!budgets.chooses() && goals[i].objective == kMeanOfRecords) continue;
    for (const auto& [name, value] : function_settings("group", goals[i].objective))
      plan.settings.emplace_back(budgets.chooses() ? fmt::format("{} {}", name, i + 1) : name,
                                 value);
  }

  for (size_t i = 0; i < goals.size() && is_constrained(budgets); ++i) {
    plan.settings.emplace_back(budgets.chooses() ? fmt::format("group_loss_multiplier {}", i + 1)
                                                 : "group_loss_multiplier",
                               goals[i].loss_multiplier);
  }

  if (is_constrained(budgets)) {
    plan.settings.emplace_back("group_loss_bound", config.loss_bound);
    for (auto& setting : function_settings("constraint", budgets.constraint()))
      plan.settings.push_back(std::move(setting));
  }

  if (budgets.asks_losses() || budgets.chooses())
    plan.settings.emplace_back("group_loss_clip", config.loss_clip);
  if (budgets.chooses()) {
    plan.settings.emplace_back("mean_runs", budgets.mean_runs());
    plan.settings.emplace_back("probability_that_one_is_not_tried",
                               NumberOfRuns(kSelectionShape, budgets.mean_runs())
                                   .probability_of_none(1 / static_cast<double>(goals.size())));
  }

  for (size_t k = 0; k < reserved.size(); ++k) {
    const std::string& group = budgets.names()[k];
    if (!goals[0].objective.quantile) {
      plan.settings.emplace_back(
          fmt::format("group_weight {}", group),
          record_weight(budgets, plan.config, budgets.objective(goals[0]), k));
    }
    if (!budgets.needs_stage_one())
      plan.settings.emplace_back(fmt::format("share {}", group), budgets.public_shares()[k]);
    const double of_mean = config.loss_clip / static_cast<double>(budgets.sizes()[k]);
    if (budgets.asks_losses()) {
      plan.settings.emplace_back(fmt::format("group_loss_noise {}", group),
                                 budgets.step_multiplier(reserved[k]) * of_mean);
    }
    if (budgets.chooses()) {
      plan.settings.emplace_back(fmt::format("score_noise {}", group),
                                 budgets.score_multiplier(reserved[k]) * of_mean);
    }
  }
}

/// The shares that stage one gives to groups.
std::vector<double> tailored_shares(const GroupBudgets& budgets, const TrainingPlan& plan,
                                    const AnsweredRecords& records, Charge& charge,
                                    RandomSource& source) {
  const StageOneBounds bounds = stage_one_bounds(plan.config, plan.facts.model);
  PaidStageOneAnswers answers(records, bounds, charge, source);
  StageOneConfig config;
  config.rho = budgets.stage_one_rho(rho_of(plan.noise_multiplier));
  config.max_groups = budgets.max_groups();
  config.box = plan.config.own.of<TailoringOptions>().box;
  StageOneResult result;
  if (model_facts(plan.facts.model).is_regression) {
    result = run_stage_one(answers, config);
  } else {
    const double part = stage_one_part(config.rho, config.max_groups);
    result.coefficients =
        answers.descend(kStageOneSteps, plan.config.learning_rate, plan.config.max_grad_norm, part);
    measure_groups(answers, part, result);
  }

  return budgets.shares_of(result.group_variances);
}

std::unique_ptr<PaidAnswers> make_answers(const AnsweredRecords& records,
                                          const AnswerBounds& bounds, double grid,
                                          RandomSource& source) {
  if (records.overlap())
    return std::make_unique<PaidOverlappingAnswers>(records, bounds, grid, source);
  return std::make_unique<PaidGroupAnswers>(records, bounds, grid, source);
}

/// Gradient descent along answers that groups pay for.
class Descent {
 public:
  Descent(TrainingRun& training, const GroupBudgets& budgets, const AnsweredRecords& records,
          const std::vector<double>& group_rho, const std::vector<double>& shares)
      : training_(training),
        plan_(training.plan),
        budgets_(budgets),
        group_rho_(group_rho),
        shares_(shares),
        source_(training.source),
        clip_(plan_.config.max_grad_norm),
        answers_(make_answers(records,
                              {plan_.config.relation, plan_.config.max_grad_norm,
                               plan_.config.own.of<TailoringOptions>().loss_clip},
                              plan_.grid, source_)) {}

  /// The model that the goal leads to. Reproducible sources use the numbers from `first_step` on.
  std::vector<double> run(Charge& charge, const GroupGoal& goal, TrainingState start,
                          uint64_t first_step) {
    const TrainingConfig& config = plan_.config;
    GroupLossConfig loss = budgets_.followed(goal);
    // Gradients get only their half of the budget if losses are paid for and not used.
    const double unasked = budgets_.asks_losses() && !goal.asks_losses() ? 2 : 1;
    for (const double rho : group_rho_)
      loss.group_rho.push_back(budgets_.descent_part(rho) / unasked);
    std::vector<double> step_rho;
    for (size_t k = 0; k < group_rho_.size(); ++k)
      step_rho.push_back(answer_rho(loss, config.num_steps, k));
    Iterates iterates(plan_, std::move(start), {}, config.own.of<TailoringOptions>().box);
    while (!iterates.done()) {
      const int64_t step = iterates.state().num_steps_done;
      source_.start_step(first_step + static_cast<uint64_t>(step));
      const std::vector<double>& parameters = iterates.state().parameters;
      answers_->begin_step(charge.next_batches(0), parameters, step_rho);
      training_.observer.on_batch(
          {step, answers_->batch(), parameters, clip_, answers_->gradient_units(), plan_.grid});
      const GroupStep found = ask_group_step(*answers_, loss, config.num_steps, parameters);
      iterates.update(std::span<const double>(found.direction), config.batch_size);
      if (budgets_.needs_stage_one()) iterates.keep_clip(shares_);
      if (iterates.done() && plan_.residual_noise_multiplier > 0) {
        iterates.keep_average(without_mean_residual(training_, group_rho_.size(),
                                                    record_weights(budgets_, config),
                                                    iterates.state().average));
      }
      training_.observer.on_step({step, config.num_steps, iterates.state(), budgets_.chooses()});
    }
    return std::move(iterates).average();
  }

  /// The best of as many runs as there are charges, each with a goal drawn uniformly: the run whose
  /// largest noisy mean loss of a group is smallest. Ties go to the run with smaller parameters, so
  /// that the order is one of the runs' outputs.
  TrainedModel best_of(std::vector<Charge> charges, const TrainingState& start) {
    const std::vector<GroupGoal>& goals = budgets_.goals();
    const auto steps_of_run = static_cast<uint64_t>(plan_.config.num_steps) + 1;
    std::vector<double> score_rho;
    for (const double rho : group_rho_) score_rho.push_back(budgets_.score_part(rho));
    TrainedModel best;
    double least = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < charges.size(); ++i) {
      // After the numbers of a single run and of stage one.
      const uint64_t first_step = (i + 1) * steps_of_run;
      source_.start_step(first_step + steps_of_run - 1);
      const GroupGoal& goal = goals[source_.next() % goals.size()];
      std::vector<double> parameters = run(charges[i], goal, start, first_step);
      const std::vector<double> losses =
          answers_->loss_means(charges[i].take_each(1), parameters, score_rho);
      const double score = *std::ranges::max_element(losses);
      if (i > 0 && !(std::tie(score, parameters) < std::tie(least, best.parameters))) continue;
      least = score;
      best.parameters = std::move(parameters);
      best.chosen = function_settings("chosen_group", goal.objective);
      best.chosen.emplace_back("chosen_group_loss_multiplier", goal.loss_multiplier);
      best.chosen.emplace_back("chosen_score", score);
    }
    return best;
  }

 private:
  TrainingRun& training_;
  const TrainingPlan& plan_;
  const GroupBudgets& budgets_;
  const std::vector<double>& group_rho_;
  const std::vector<double>& shares_;
  RandomSource& source_;
  FlatClip clip_;
  std::unique_ptr<PaidAnswers> answers_;
};

/// Gradient descent along noisy answers about every group, under bounded group loss, with a
/// separate budget for each group. A first stage may tailor the budgets to how well one model fits
/// each group. [AlabiWiggins2024, Alg. 1 and 2]
///
/// Relation: zero_out. Sensitivity: PaidGroupAnswers, PaidOverlappingAnswers, PaidStageOneAnswers.
///
/// Cost: groups in parallel. For the members of group k: num_steps x full batch of one Gaussian for
/// gradients, one for losses if a multiplier is > 0, and, if the split needs errors, those of stage
/// one, which all pay alike. In total rho = 1 / (2 noise_multiplier^2) for the costliest group. If
/// stage one decides on shares, every group may be the costliest, and is charged as such;
/// RealisedCost is the cost in the end.
///
/// With several objectives or multipliers the descent is run a random number of times
/// (NumberOfRuns), each time with one of them at random and with a noisy mean loss of each group
/// after it. Only the run whose largest loss is smallest is released. This is one kRepeatAndSelect
/// for each group, since the runs are the same for all and their order is one of their outputs
/// [PapernotSteinke2022, Theorem 2]. Stage one is released once.
///
/// For a number, with disjoint groups and one public objective, the intercept absorbs the mean
/// residual (residual_mean.h), with records weighted as in the objective: a Gaussian in addition to
/// that rho, the last item of each group, which all pay alike.
///
/// If groups overlap, cells are in parallel: the possible combinations of groups. A record is in
/// one cell; if it becomes null it leaves the sums of that cell's groups and no others. All groups'
/// sums of one kind are one Gaussian release (add_joint_noise). A cell pays for its groups' answers
/// together: sum_k rho_k over the cell, by the composition of Gaussians, which is exact. For stage
/// one it pays one part for the model and one for the residuals of each of its groups. Shares add
/// up to 1 over all groups, but the largest possible shares of the groups of one cell do not, so a
/// cell is charged for the most that its groups can have together (largest_sum). The costliest cell
/// pays for the whole budget. The outcome of a choice is the same for all cells, too. Groups and
/// public sizes are not protected. A record's group is protected like its other values.
///
/// Deviations: those of group_loss_descent.h, stage_one.h, budget_split.h and paid_answers.h. The
/// budget is the cost of the costliest group, not a sum over groups, which nobody pays. Steps are
/// those of the run's optimizer, and the model is the mean of the last iterates. Shares have a cap
/// as well as a floor. Logistic stage one, which the paper does not cover, is descent and Brier's
/// score.
class Dpse : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "descent on noisy answers about each group, each with its own budget; the split helps no "
          "group, but the bounded group loss does",
      .min_groups = 1,
      .takes_overlapping_groups = true,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  static TrainingOptions declared_options() {
    return all_of({step_options(), clip_options(), split_options(), group_loss_options(),
                   residual_options()});
  }

  Dpse() = default;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_full_batches(kWhere, traits().name, config, facts, config.num_steps);
    check_noise_choice(kWhere, config);
    const GroupBudgets budgets(config, facts, form_);
    const auto event_of = [&](double rho, double cell_rho) {
      return events_of_cell(plan.config, facts, budgets, budgets.stage_one_rho(rho), cell_rho);
    };
    ResidualItem residual(form_ == BudgetForm::kCostliestPaysAll
                              ? residuals_of_goal(plan.config, facts, budgets)
                              : FullRelease());
    plan.noise_multiplier = residual.calibrate(plan.config, [&](double noise_multiplier) {
      const double rho = rho_of(noise_multiplier);
      std::vector<Event> events = events_in_turn(event_of(rho, rho - budgets.stage_one_rho(rho)));
      residual.add_to(events, noise_multiplier);
      return events;
    });
    const double rho = rho_of(plan.noise_multiplier);
    const std::vector<double> reserved = budgets.reserved_rho(rho);
    std::vector<Event> cells;
    for (const double cell_rho : budgets.reserved_of_cells(rho)) {
      std::vector<Event> of_cell = events_in_turn(event_of(rho, cell_rho));
      residual.add_to(of_cell, plan.noise_multiplier);
      cells.push_back(Event::composed(std::move(of_cell)));
    }
    plan.items = {{fmt::format("{}noisy answers about groups, split by {}",
                               budgets.chooses() ? "the best of a random number of runs of " : "",
                               word_of(kSplitRules, config.own.of<TailoringOptions>().split)),
                   Event::parallel(facts.groups.partition, facts.groups.names, std::move(cells))}};
    plan.is_choice = budgets.chooses();
    settle_guarantee(kWhere, plan);

    plan.bound = config.max_grad_norm;
    plan.grid =
        grid_of_sum(plan.bound, budgets.max_step_noise(rho) * plan.bound, facts.num_records);
    // A step follows a sum of means; expressed as noise on a sum over all records.
    const GroupGoal& goal = budgets.goals()[0];
    const std::vector<double> objective =
        goal.objective.quantile ? std::vector<double>() : budgets.objective(goal);
    double variance = 0;
    double least = std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < reserved.size(); ++k) {
      const auto size = static_cast<double>(budgets.sizes()[k]);
      const double noise = budgets.step_multiplier(reserved[k]) * config.max_grad_norm / size;
      least = std::min(least, noise * noise);
      if (!objective.empty()) variance += std::pow(objective[k] * noise, 2);
    }
    if (objective.empty()) variance = least;  // of a step along that group
    for (const std::vector<size_t>& cell : budgets.cells()) {
      if (objective.empty()) break;
      double weight = 0;
      for (const size_t k : cell) weight += record_weight(budgets, plan.config, objective, k);
      plan.group_weights.push_back(weight);
    }
    plan.noise_stddev = std::sqrt(variance) * plan.config.batch_size;
    if (budgets.needs_stage_one() || budgets.asks_losses() || budgets.chooses())
      plan.noise_follows = "noisy answers about groups";
    plan.group_bounds.assign(budgets.cells().size(), config.max_grad_norm);
    add_settings(config.own.of<TailoringOptions>(), budgets, reserved, plan);
    set_residual_noise(residual.noise_multiplier(plan.noise_multiplier), plan);
    for (size_t k = 0; k < reserved.size(); ++k) {
      if (budgets.sizes()[k] >= static_cast<int64_t>(facts.num_parameters)) continue;
      plan.notes.push_back(fmt::format(
          "group {} has about {} training records, fewer than the model has parameters ({}); in "
          "each "
          "step, the noise on each entry of its mean gradient is {:.3g} times the clip",
          budgets.names()[k], budgets.sizes()[k], facts.num_parameters,
          budgets.step_multiplier(reserved[k]) / static_cast<double>(budgets.sizes()[k])));
    }
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const GroupBudgets budgets(plan.config, plan.facts, form_);
    const double rho = rho_of(plan.noise_multiplier);
    // The shares from stage one are unknown before it: assume that all groups fit equally well.
    const std::vector<double> group_rho = budgets.group_rho(
        rho, budgets.needs_stage_one()
                 ? budgets.shares_of(std::vector<double>(budgets.sizes().size(), 1))
                 : budgets.public_shares());
    // The noise of one Gaussian on all records' sum in every step, for the same cost.
    const double alike = plan.noise_multiplier *
                         std::sqrt(static_cast<double>(plan.config.num_steps)) *
                         plan.config.max_grad_norm / plan.config.batch_size;
    std::optional<NoiseReach> most;
    for (const GroupGoal& goal : budgets.goals()) {
      const size_t num_groups = group_rho.size();
      const bool follows_one = goal.objective.quantile.has_value();
      const std::vector<double> objective =
          follows_one ? std::vector<double>(num_groups, 0.0) : budgets.objective(goal);
      // The noise of a goal that follows losses is that if it always followed one group: no mean
      // over groups has more.
      const double pushes = goal.loss_multiplier + (follows_one ? 1 : 0);
      double variance = 0;
      double pushed = 0;  // the increase if one group is pushed
      size_t worst = 0;
      for (size_t k = 0; k < num_groups; ++k) {
        const double noise = budgets.step_multiplier(group_rho[k]) * plan.config.max_grad_norm /
                             static_cast<double>(budgets.sizes()[k]);
        variance += std::pow(noise * objective[k], 2);
        const double more =
            noise * noise * (std::pow(objective[k] + pushes, 2) - objective[k] * objective[k]);
        if (!(more > pushed)) continue;
        pushed = more;
        worst = k;
      }
      std::optional<NoiseReach> found = reach_of_noise(
          plan.config, {std::sqrt(variance + pushed), alike},
          pushed > 0 ? fmt::format("steps that follow the loss of group {}", budgets.names()[worst])
                     : "");
      if (!found) return std::nullopt;
      found->parameter_stddev =
          std::min(found->parameter_stddev, plan.config.own.of<TailoringOptions>().box);
      if (!most || found->parameter_stddev > most->parameter_stddev) most = std::move(found);
    }
    return most;
  }

  /// The shares from stage one.
  size_t max_kept(const TrainingPlan& plan) const override { return plan.facts.num_groups; }
  TrainedModel run(TrainingRun training) const override {
    check_run(kWhere, training.table, training.model, training.plan, training.charge);
    if (!traits().trains(training.model.name()))
      throw Error(ErrorKind::kRuntime, kWhere, "the model is of another kind than the plan's");
    const TrainingConfig& config = training.plan.config;
    const GroupBudgets budgets(config, training.plan.facts, form_);
    if (budgets.chooses() && training.start.num_steps_done > 0)
      throw Error(ErrorKind::kRuntime, kWhere,
                  "a private choice among runs cannot start after a first step");
    const size_t num_groups = budgets.sizes().size();
    AnsweredRecords records{training.table, training.model, budgets.sizes(), config.threads};
    if (budgets.overlap()) records.groups_of_cell = budgets.cells();

    // The result of stage one is kept, so that it is released once.
    std::vector<double> shares = budgets.public_shares();
    if (budgets.needs_stage_one()) {
      if (training.start.num_steps_done == 0) {
        training.source.start_step(static_cast<uint64_t>(config.num_steps));
        shares = tailored_shares(budgets, training.plan, records, training.charge, training.source);
      } else {
        shares = training.start.clip;
      }
    }
    if (shares.size() != num_groups ||
        !std::ranges::all_of(shares, [](double share) { return share > 0; })) {
      throw Error(ErrorKind::kRuntime, kWhere, "the state does not belong to this plan");
    }

    const double rho = rho_of(training.plan.noise_multiplier);
    const std::vector<double> group_rho = budgets.group_rho(rho, shares);
    TrainedModel trained;
    Descent descent(training, budgets, records, group_rho, shares);
    if (budgets.chooses()) {
      trained = descent.best_of(training.charge.take_runs(0, training.source), training.start);
    } else {
      trained.parameters =
          descent.run(training.charge, budgets.goals()[0], std::move(training.start), 0);
    }
    if (!budgets.needs_stage_one()) return trained;
    const double stage_one_rho = budgets.stage_one_rho(rho);
    const double residual_noise = training.plan.residual_noise_multiplier;
    for (size_t k = 0; k < num_groups && budgets.overlap(); ++k)
      trained.realised_shares.emplace_back(budgets.names()[k], shares[k]);
    for (const std::vector<size_t>& cell : budgets.cells()) {
      double share = 0;
      double cell_rho = 0;
      for (const size_t k : cell) {
        share += shares[k];
        cell_rho += group_rho[k];
      }
      std::vector<Event> events = events_in_turn(events_of_cell(
          config, training.plan.facts, budgets, stage_one_rho, round_up(cell_rho, 1e-12)));
      if (residual_noise > 0) events.push_back(residual_part(Event::gaussian(residual_noise)));
      trained.realised.push_back(
          {share, stage_one_rho + cell_rho + (residual_noise > 0 ? rho_of(residual_noise) : 0),
           std::move(events)});
    }
    return trained;
  }

 protected:
  explicit Dpse(BudgetForm form) : form_(form) {}

 private:
  BudgetForm form_ = BudgetForm::kCostliestPaysAll;
};

/// Algorithm 3: descent along all groups' sums, each with the noise of its share of the budget.
/// Private; a group pays its share, never all. No group benefits: the model sees the sum of all
/// noises, at least groups^2 times that of dpnose in variance. For comparison only.
/// [AlabiWiggins2024, Alg. 3]
class DpseAlg3 : public Dpse {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg3",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpse in which every group pays its own share, as printed in the paper: more noise for "
          "all than dpnose; for comparison only",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  static TrainingOptions declared_options() {
    return all_of({step_options(), clip_options(), split_options()});
  }

  DpseAlg3() : Dpse(BudgetForm::kSharesOfAll) {}
  /// Errors: also kUsage for a group loss multiplier, which Algorithm 3 does not have.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    if (config.own.of<TailoringOptions>().loss_multipliers != TailoringOptions().loss_multipliers) {
      throw Error(ErrorKind::kUsage, "train.dpse_alg3",
                  "dpse_alg3 has no group loss; leave out --group-loss-multiplier, or use dpse");
    }
    return Dpse::make_plan(config, facts);
  }
};

/// Algorithm 2 as printed: the noise of a mean is not divided by the size of the group. Private, at
/// far less than the budget: the planned and charged cost is that of the noise as drawn. The result
/// is mostly noise. For comparison only. Deviation: the noise of losses is too large by the same
/// factor, since the printed one has other units. [AlabiWiggins2024, Alg. 2]
class DpsePrintedAlg2 : public Dpse {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_printed_alg2",
      .status = PrivacyStatus::kPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "dpse with the noise printed in the paper, too large by a factor of the group's size, "
          "and charged accordingly; the result is mostly noise; for comparison only",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models =
          "trains linear and logistic models, got {}; use group_weighted or balanced for others",
  };
  static TrainingOptions declared_options() {
    return all_of({step_options(), clip_options(), split_options(),
                   named(group_loss_options(),
                         {"group_loss_multiplier", "group_loss_bound", "group_loss_clip"})});
  }

  DpsePrintedAlg2() : Dpse(BudgetForm::kNoiseOfSums) {}
};

}  // namespace

TrainingMethodRow dpse_row() { return method_row<Dpse>(); }
TrainingMethodRow dpse_alg3_row() { return method_row<DpseAlg3>(); }
TrainingMethodRow dpse_printed_alg2_row() { return method_row<DpsePrintedAlg2>(); }

}  // namespace equinoise
