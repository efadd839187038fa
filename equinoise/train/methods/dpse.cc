#include "equinoise/train/methods/dpse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/train/group_numbers.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/paid_answers.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.dpse";
constexpr int64_t kStageOneSteps = 20;  // of a model without normal equations

GroupObjective objective_of(const TailoringConfig& config) {
  if (config.objective == "population") return GroupObjective::kPopulation;
  if (config.objective == "mean") return GroupObjective::kMean;
  throw Error(
      ErrorKind::kUsage, kWhere,
      fmt::format("group_objective must be population or mean, got \"{}\"", config.objective));
}

/// How many records of each group the training part is expected to hold: public.
std::vector<int64_t> expected_sizes(const TrainingFacts& facts) {
  const PublicGroups& groups = facts.groups;
  if (groups.names.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "the method needs groups; give --groups, e.g. --groups sex");
  }
  std::vector<int64_t> sizes;
  for (size_t k = 0; k < groups.names.size(); ++k) {
    const std::optional<double> share = groups.shares[k];
    if (!share || !(*share > 0)) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format("the public size of group {} is {}; means are divided by sizes: declare "
                      "them in [[public.groups]] of the schema",
                      groups.names[k], share ? "0" : "not declared"));
    }
    sizes.push_back(
        std::max<int64_t>(1, std::llround(*share * static_cast<double>(facts.num_records))));
  }
  return sizes;
}

/// Who may pay how much, and for what.
class Budgets {
 public:
  /// Errors: kUsage for a configuration that cannot be honoured.
  Budgets(const TrainingConfig& config, const TrainingFacts& facts)
      : config_(config.tailoring),
        num_steps_(static_cast<double>(config.num_steps)),
        rule_(parse_split_rule(config_.split)),
        sizes_(expected_sizes(facts)) {
    check_open_interval(kWhere, "stage1_fraction", config_.stage_one_fraction, 0, 1);
    check_interval(kWhere, "group_loss_multiplier", config_.loss_multiplier, 0, 1e6);
    check_non_negative(kWhere, "group_loss_bound", config_.loss_bound);
    check_interval(kWhere, "group_loss_clip", config_.loss_clip, 1e-30, 1e30);
    check_interval(kWhere, "feature_norm_bound", config_.feature_norm_bound, 1e-6, 1e6);
    check_interval(kWhere, "residual_clip", config_.residual_clip, 1e-6, 1e6);
    check_positive(kWhere, "box", config_.box);
    for (const std::optional<double>& max_share :
         numbers_of_groups(kWhere, "max_share", config_.max_shares, facts.groups.names))
      max_shares_.push_back(max_share.value_or(config_.max_share));
    min_weight_ = default_min_weight(sizes_.size());
    if (!needs_stage_one()) public_shares_ = shares_of({});
    largest_shares_ = needs_stage_one() ? largest_shares(max_shares_, min_weight_) : public_shares_;
    largest_share_ = *std::max_element(largest_shares_.begin(), largest_shares_.end());
  }

  bool needs_stage_one() const { return needs_errors(rule_); }
  const std::vector<int64_t>& sizes() const { return sizes_; }
  const std::vector<double>& public_shares() const { return public_shares_; }

  /// The shares of groups with these mean squared residuals; public rules look at none.
  std::vector<double> shares_of(std::span<const double> group_variances) const {
    return cap_shares(split_budget(rule_, group_variances, sizes_, min_weight_), max_shares_);
  }

  /// What stage one costs everybody, of rho in all.
  double stage_one_rho(double rho) const {
    return needs_stage_one() ? config_.stage_one_fraction * rho : 0;
  }

  /// What descent costs groups that have these shares: the whole rest of rho for the largest share
  /// that any group may get, and for nobody more than was reserved.
  std::vector<double> descent_rho(double rho, std::span<const double> shares) const {
    std::vector<double> group_rho;
    for (size_t k = 0; k < shares.size(); ++k) {
      group_rho.push_back((rho - stage_one_rho(rho)) *
                          (std::min(shares[k], largest_shares_[k]) / largest_share_));
    }
    return group_rho;
  }

  /// The most that groups may turn out to have, which is what they are charged.
  std::vector<double> reserved_rho(double rho) const { return descent_rho(rho, largest_shares_); }

  /// The noise multiplier of one answer in one step.
  double step_multiplier(double group_rho) const {
    const double num_answers = config_.loss_multiplier > 0 ? 2 : 1;
    return round_up(std::sqrt(num_answers * num_steps_ / (2 * group_rho)), 1e-13);
  }

  /// How much larger the noise may turn out than that of the reserved budget.
  double most_extra_noise(size_t group) const {
    if (!needs_stage_one()) return 1;
    const double least = std::min(max_shares_[group], least_share(sizes_.size(), min_weight_));
    return std::sqrt(largest_shares_[group] / least);
  }

 private:
  TailoringConfig config_;
  double num_steps_;
  SplitRule rule_;
  std::vector<int64_t> sizes_;
  std::vector<double> max_shares_;
  double min_weight_ = 0;
  std::vector<double> public_shares_;   ///< where no stage one is needed
  std::vector<double> largest_shares_;  ///< that groups may turn out to have
  double largest_share_ = 1;            ///< of any of them
};

StageOneBounds stage_one_bounds(const TrainingConfig& config, std::string_view model) {
  const TailoringConfig& tailoring = config.tailoring;
  // Brier's score is at most 1.
  const double clip =
      model == "linear" ? tailoring.residual_clip : std::min(1.0, tailoring.residual_clip);
  return {config.relation, tailoring.feature_norm_bound, tailoring.feature_norm_bound, clip};
}

double gaussian_multiplier(double rho) { return round_up(1 / std::sqrt(2 * rho), 1e-13); }

/// What members of a group see of a run that costs them `rho` for stage one and `group_rho` for
/// descent.
Event events_of_group(const TrainingConfig& config, const TrainingFacts& facts,
                      const Budgets& budgets, double stage_one_rho, double group_rho) {
  const double num_draws = static_cast<double>(facts.num_parameters) + 1;
  double sampler_error =
      static_cast<double>(config.num_steps) *
      (num_draws * kGaussianDrawError + (static_cast<double>(facts.num_records) + 1) * kSkipError);
  const Event answer = Event::gaussian(budgets.step_multiplier(group_rho));
  const bool asks_losses = config.tailoring.loss_multiplier > 0;
  std::vector<Event> events = {Event::repeat(
      config.num_steps,
      Event::poisson_sampled(1, asks_losses ? std::vector{answer, answer} : std::vector{answer}))};
  if (budgets.needs_stage_one()) {
    const double part = stage_one_rho / 2;
    if (facts.model == "linear") {
      events.push_back(Event::gaussian(gaussian_multiplier(part)));
      sampler_error += num_draws * (num_draws + 1) * kGaussianDrawError;
    } else {
      const double step = part / static_cast<double>(kStageOneSteps);
      events.push_back(Event::repeat(kStageOneSteps, Event::gaussian(gaussian_multiplier(step))));
      sampler_error += static_cast<double>(kStageOneSteps) * num_draws * kGaussianDrawError;
    }
    events.push_back(Event::gaussian(gaussian_multiplier(part)));
    sampler_error += kGaussianDrawError;
  }
  events.push_back(Event::sampler_error(round_up(sampler_error, 1e-12)));
  return Event::composed(std::move(events));
}

double rho_of(double noise_multiplier) { return 1 / (2 * noise_multiplier * noise_multiplier); }

void check_model(const TrainingMethod& method, std::string_view model) {
  if (method.trains(model)) return;
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("dpse trains linear and logistic models, got {}; use group_weighted or "
                          "balanced for others",
                          model));
}

/// The numbers beside the budget that a run reports.
void add_settings(const TailoringConfig& config, const Budgets& budgets,
                  std::span<const double> reserved, TrainingPlan& plan) {
  plan.settings = {{"max_share", config.max_share}, {"box", config.box}};
  for (const auto& [group, max_share] : config.max_shares)
    plan.settings.emplace_back(fmt::format("max_share {}", group), max_share);
  if (budgets.needs_stage_one()) {
    const StageOneBounds bounds = stage_one_bounds(plan.config, plan.facts.model);
    plan.settings.emplace_back("stage1_fraction", config.stage_one_fraction);
    plan.settings.emplace_back("residual_clip", bounds.residual_clip);
    if (plan.facts.model == "linear")
      plan.settings.emplace_back("feature_norm_bound", bounds.feature_norm_bound);
  }
  if (config.loss_multiplier > 0) {
    plan.settings.insert(plan.settings.end(), {{"group_loss_multiplier", config.loss_multiplier},
                                               {"group_loss_bound", config.loss_bound},
                                               {"group_loss_clip", config.loss_clip}});
  }
  for (size_t k = 0; k < plan.group_weights.size(); ++k) {
    const std::string& group = plan.facts.groups.names[k];
    plan.settings.emplace_back(fmt::format("group_weight {}", group), plan.group_weights[k]);
    if (!budgets.needs_stage_one())
      plan.settings.emplace_back(fmt::format("share {}", group), budgets.public_shares()[k]);
    if (config.loss_multiplier > 0) {
      plan.settings.emplace_back(fmt::format("group_loss_noise {}", group),
                                 budgets.step_multiplier(reserved[k]) * config.loss_clip /
                                     static_cast<double>(budgets.sizes()[k]));
    }
  }
}

/// The shares that stage one gives to groups.
std::vector<double> tailored_shares(const Budgets& budgets, const TrainingPlan& plan,
                                    const AnsweredRecords& records, Charge& charge,
                                    RandomSource& source) {
  const StageOneBounds bounds = stage_one_bounds(plan.config, plan.facts.model);
  PaidStageOneAnswers answers(records, bounds, charge, source);
  StageOneConfig config;
  config.rho = budgets.stage_one_rho(rho_of(plan.noise_multiplier));
  config.membership = Membership::disjoint(records.group_sizes.size());
  config.box = plan.config.tailoring.box;
  StageOneResult result;
  if (plan.facts.model == "linear") {
    result = run_stage_one(answers, config);
  } else {
    const double part = stage_one_part(config.rho, config.membership);
    result.coefficients =
        answers.descend(kStageOneSteps, plan.config.learning_rate, plan.config.max_grad_norm, part);
    measure_groups(answers, part, result);
  }
  return budgets.shares_of(result.group_variances);
}

}  // namespace

std::unique_ptr<ClipPolicy> Dpse::make_clip(const TrainingConfig& config,
                                            const TrainingFacts& facts) const {
  static_cast<void>(facts);
  return std::make_unique<FlatClip>(config.max_grad_norm);
}

TrainingPlan Dpse::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_model(*this, facts.model);
  TrainingPlan plan{"dpse", config, facts};
  plan.config.batch_size = static_cast<double>(facts.num_records);
  TrainingConfig plain = plan.config;
  plain.tailoring = {};
  check_training_config(kWhere, plain, facts);
  check_noise_choice(kWhere, config);
  const GroupObjective objective = objective_of(config.tailoring);
  const Budgets budgets(config, facts);
  plan.sample_rate = 1;

  const auto event_of = [&](double rho, double group_rho) {
    return events_of_group(plan.config, facts, budgets, budgets.stage_one_rho(rho), group_rho);
  };
  plan.noise_multiplier = choose_noise_multiplier(plan.config, [&](double noise_multiplier) {
    const double rho = rho_of(noise_multiplier);
    return events_in_turn(event_of(rho, rho - budgets.stage_one_rho(rho)));
  });
  const double rho = rho_of(plan.noise_multiplier);
  const std::vector<double> reserved = budgets.reserved_rho(rho);
  std::vector<Event> groups;
  double most_noise = 0;
  for (size_t k = 0; k < reserved.size(); ++k) {
    groups.push_back(event_of(rho, reserved[k]));
    most_noise =
        std::max(most_noise, budgets.step_multiplier(reserved[k]) * budgets.most_extra_noise(k));
  }
  const double sampler_error = events_in_turn(groups[0]).back().delta();
  plan.items = {{fmt::format("noisy answers about groups, split by {}", config.tailoring.split),
                 Event::parallel(facts.groups.partition, facts.groups.names, std::move(groups))}};
  const Delta delta(config.delta);
  plan.privacy = smallest_guarantee(config.relation, plan.events(), delta);
  plan.by_rdp = told_by_rdp(config.relation, plan.events(), delta);
  check_sampler_error(kWhere, config, *plan.privacy, sampler_error);

  plan.bound = config.max_grad_norm;
  plan.grid = grid_below_noise(most_noise * plan.bound);
  const double num_records = plan.config.batch_size;
  // No release has less noise than one that costs all, and every grid is that of its noise.
  if (!(num_records * 0x1p31 / plan.noise_multiplier < 0x1p61)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("noise_multiplier {} is too small for {} records: sums would not fit "
                            "64 bits",
                            plan.noise_multiplier, facts.num_records));
  }
  // What a step follows is a sum of means; told as noise on a sum over all records.
  const std::vector<double> objective_of_groups = objective_weights(objective, budgets.sizes());
  double variance = 0;
  for (size_t k = 0; k < reserved.size(); ++k) {
    const auto size = static_cast<double>(budgets.sizes()[k]);
    const double noise =
        objective_of_groups[k] * budgets.step_multiplier(reserved[k]) * config.max_grad_norm / size;
    variance += noise * noise;
    plan.group_weights.push_back(objective_of_groups[k] * num_records / size);
  }
  plan.noise_stddev = std::sqrt(variance) * num_records;
  plan.noise_varies = budgets.needs_stage_one() || config.tailoring.loss_multiplier > 0;
  plan.group_bounds.assign(reserved.size(), config.max_grad_norm);
  add_settings(config.tailoring, budgets, reserved, plan);
  return plan;
}

TrainedModel Dpse::run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                       TrainingState start, Charge charge, RandomSource& source,
                       StepObserver& observer) const {
  check_model(*this, model.name());
  if (charge.events() != plan.events() || table.num_records != plan.facts.num_records ||
      model.num_parameters() != plan.facts.num_parameters) {
    throw Error(ErrorKind::kRuntime, kWhere, "charge, table or model are not those of the plan");
  }
  const TrainingConfig& config = plan.config;
  const Budgets budgets(config, plan.facts);
  const size_t num_groups = budgets.sizes().size();
  const AnsweredRecords records{table, model, budgets.sizes(), config.threads};

  // What stage one found is kept, so that it is asked once.
  std::vector<double> shares = budgets.public_shares();
  if (budgets.needs_stage_one()) {
    if (start.num_steps_done == 0) {
      source.start_step(static_cast<uint64_t>(config.num_steps));
      shares = tailored_shares(budgets, plan, records, charge, source);
    } else {
      shares = start.clip;
    }
  }
  if (shares.size() != num_groups ||
      !std::all_of(shares.begin(), shares.end(), [](double share) { return share > 0; })) {
    throw Error(ErrorKind::kRuntime, kWhere, "the state is not one of this plan");
  }

  const double rho = rho_of(plan.noise_multiplier);
  GroupLossConfig loss{objective_of(config.tailoring), budgets.descent_rho(rho, shares),
                       config.tailoring.loss_multiplier,
                       std::vector<double>(num_groups, config.tailoring.loss_bound)};
  PaidGroupAnswers answers(records,
                           {config.relation, config.max_grad_norm, config.tailoring.loss_clip},
                           plan.grid, source);
  const FlatClip clip(config.max_grad_norm);
  Iterates iterates(plan, std::move(start), {}, config.tailoring.box);
  while (!iterates.done()) {
    const int64_t step = iterates.state().num_steps_done;
    source.start_step(static_cast<uint64_t>(step));
    const std::vector<double>& parameters = iterates.state().parameters;
    answers.begin_step(charge.next_batches(0), parameters);
    observer.on_batch(
        {step, answers.batch(), parameters, clip, answers.gradient_units(), plan.grid});
    const GroupStep found = ask_group_step(answers, loss, config.num_steps, parameters);
    iterates.update(std::span<const double>(found.direction), config.batch_size);
    if (budgets.needs_stage_one()) iterates.keep_clip(shares);
    observer.on_step({step, config.num_steps, iterates.state()});
  }

  TrainedModel trained{std::move(iterates).average()};
  if (!budgets.needs_stage_one()) return trained;
  for (size_t k = 0; k < num_groups; ++k) {
    const double stage_one_rho = budgets.stage_one_rho(rho);
    trained.realised.push_back(
        {shares[k], stage_one_rho + loss.group_rho[k],
         events_in_turn(events_of_group(config, plan.facts, budgets, stage_one_rho,
                                        round_up(loss.group_rho[k], 1e-12)))});
  }
  return trained;
}

}  // namespace equinoise
