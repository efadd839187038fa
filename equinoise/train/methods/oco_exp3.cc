// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "equinoise/base/check.h"
#include "equinoise/data/split.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/mechanisms/disjoint_gaussian.h"
#include "equinoise/privacy/mechanisms/tree_aggregation.h"
#include "equinoise/privacy/random/uniform.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/group_path.h"
#include "equinoise/train/worst_group/group_sums.h"
#include "equinoise/train/worst_group/group_weights.h"
#include "equinoise/train/worst_group/online_learner.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.oco_exp3";
constexpr uint64_t kOrderSeed = 0;  // for the queues: public, and the same in every run

bool has_tree(const TrainingConfig& config) {
  return config.own.of<WorstGroupOptions>().online == OnlineRule::kTree;
}

/// Noise that has been paid for: for sums of gradients, and for losses of other records.
class PaidNoise {
 public:
  PaidNoise(Permit permit, const GroupSumScales& scales, size_t num_parameters, bool has_tree,
            RandomSource& source)
      : scales_(scales), source_(source) {
    const Sensitivity item(scales.max_grad_norm / scales.gradient_grid, Norm::kL2,
                           Relation::kZeroOut);
    if (has_tree) {
      tree_.emplace(std::move(permit), item, num_parameters, source);
    } else {
      item_ = item;
      releases_.emplace(std::move(permit));
    }
  }

  /// The noisy sum of all gradients so far or, without a tree, this gradient with noise.
  std::vector<double> gradients(std::vector<int64_t> units) {
    if (tree_) {
      units = tree_->add(units);
    } else {
      releases_->add_noise(*item_, units, source_);
    }
    std::vector<double> values;
    values.reserve(units.size());
    for (const int64_t unit : units)
      values.push_back(static_cast<double>(unit) * scales_.gradient_grid);
    return values;
  }

  double loss(int64_t unit) {
    const Sensitivity reach(scales_.loss_bound / scales_.loss_grid, Norm::kL2, Relation::kZeroOut);
    const std::span<int64_t> units(&unit, 1);
    if (tree_) {
      tree_->add_noise_beside(reach, units);
    } else {
      releases_->add_noise(reach, units, source_);
    }
    return static_cast<double>(unit) * scales_.loss_grid;
  }

 private:
  GroupSumScales scales_;
  RandomSource& source_;
  std::optional<TreeAggregation> tree_;
  std::optional<DisjointGaussian> releases_;
  std::optional<Sensitivity> item_;
};

/// Two players: an online learner that takes the gradient of one record per step, and a bandit that
/// draws the record's group and receives the noisy loss of another record of it. Every record is
/// read at most once. [ZhouBassily2024, Alg. 2]
///
/// Relation: zero_out with public groups: a record that becomes the null record keeps its group. A
/// RECORD'S GROUP IS NOT PROTECTED, unlike in the other methods; a note of the plan says so.
/// Sensitivity: max_grad_norm for an item of the tree, loss_bound for a loss. Cost: one tree
/// aggregation over num_steps items. A record's position in its group's queue, which is public,
/// decides whether it is an item or a loss, and a loss has noise of the same precision
/// (TreeAggregation::add_noise_beside). With online = descent one Gaussian, for each gradient and
/// each loss (DisjointGaussian). The order in which records are read depends on released losses
/// only. The run ends when a drawn group has an empty queue, which is post-processing. Source: as
/// above.
///
/// Deviations: exploration instead of the printed offset U (GroupBandit); losses have Gaussian
/// noise, so that one event covers both kinds of records; the rate is learning_rate /
/// sqrt(num_steps); sampling is without replacement from finite groups.
class OcoExp3 : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "oco_exp3",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "training that lowers the largest loss of any group by an online learner and a bandit "
          "that read each record once; treats groups as public; for comparison",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .follows_places = true,
      .takes_groups_as_public = true,
      .trains = [](std::string_view model) { return model_facts(model).is_linear; },
      .other_models =
          "trains logistic, softmax, linear and hinge models, got {}; use mgr_w for others",
      .reference = "group_dro",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {clip_options(), learning_rate_options(),
         named(worst_group_options(), {"loss_bound", "group_learning_rate", "radius"}),
         TrainingOptions{{{.name = "exploration",
                           .help = "Share of draws in which all groups are equally likely",
                           .range = between(0, 1),
                           .section = "Worst group"},
                          kOwnTrainingField<&WorstGroupOptions::exploration>},
                         {{.name = "online",
                           .help = "Online learner: tree (DP-FTRL), or descent with "
                                   "separate noise on each gradient",
                           .choices = words_of(kOnlineRules),
                           .section = "Worst group"},
                          kOwnTrainingWord<kOnlineRules, &WorstGroupOptions::online>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    const WorstGroupTerms terms = settle_worst_group(kWhere, config, facts);
    const WorstGroupOptions& own = config.own.of<WorstGroupOptions>();
    if (terms.smallest() < 2) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          "the smallest group has fewer than the two records that a step reads; merge groups");
    }
    TrainingPlan plan{"oco_exp3", config, facts};
    plan.config.batch_size = 1;
    TrainingConfig plain = plan.config;
    plain.batch_size = static_cast<double>(facts.num_records);
    check_training_config(kWhere, plain, facts);
    check_noise_choice(kWhere, config);
    plan.sample_rate = 1 / static_cast<double>(facts.num_records);
    const double num_draws =
        static_cast<double>(config.num_steps) * (static_cast<double>(facts.num_parameters) + 1);
    const auto events = [&](double noise_multiplier) {
      return std::vector{has_tree(config)
                             ? Event::tree_aggregation(noise_multiplier, config.num_steps)
                             : Event::gaussian(noise_multiplier),
                         gaussian_error(num_draws)};
    };
    plan.noise_multiplier = choose_noise_multiplier(plan.config, events);
    const std::vector<Event> planned = events(plan.noise_multiplier);
    plan.items = {
        {"noisy sums of gradients of records that are read once, and losses of others", planned[0]},
        {"sampler error", planned[1]}};
    settle_guarantee(kWhere, plan);
    plan.bound = config.max_grad_norm;
    plan.noise_stddev = plan.noise_multiplier * config.max_grad_norm;
    plan.grid = grid_of_sum(plan.bound, plan.noise_stddev, config.num_steps);
    plan.notes = {
        "oco_exp3 treats groups as public: it protects a record's values, not which group it is in",
        kForComparison};
    if (2 * config.num_steps > facts.num_records) {
      plan.notes.push_back(
          fmt::format("each step reads two records, so {} steps would read more than the {} "
                      "available: the run will end early",
                      config.num_steps, facts.num_records));
    }
    plan.settings = {{"loss_bound", terms.loss_bound},
                     {"group_learning_rate", terms.group_learning_rate},
                     {"exploration", own.exploration}};
    return plan;
  }

  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override {
    const auto num_steps = static_cast<double>(plan.config.num_steps);
    // A prefix sum has at most one node per level; steps of descent add up as many noises.
    const double num_noises =
        has_tree(plan.config) ? std::floor(std::log2(num_steps)) + 1 : num_steps;
    const double rate = plan.config.learning_rate / std::sqrt(num_steps);
    return NoiseReach{rate * plan.noise_stddev * std::sqrt(num_noises), 0,
                      "one record in each step"};
  }

  TrainedModel run(TrainingRun training) const override {
    check_run_from_start(kWhere, training);
    const TrainingConfig& config = training.plan.config;
    const WorstGroupOptions& own = config.own.of<WorstGroupOptions>();
    const WorstGroupTerms terms = settle_worst_group(kWhere, config, training.plan.facts);
    const size_t num_groups = terms.num_groups();
    const GroupSumScales scales = {
        config.max_grad_norm, training.plan.grid, terms.loss_bound,
        grid_of_sum(terms.loss_bound, terms.loss_bound * training.plan.noise_multiplier, 1)};
    const GroupSums sums(training.table, training.model, num_groups, scales, 1);
    training.source.start_step(0);
    PaidNoise noise(training.charge.take(0), scales, training.model.num_parameters(),
                    has_tree(config), training.source);
    const double rate = config.learning_rate / std::sqrt(static_cast<double>(config.num_steps));
    std::vector<int64_t> units(training.model.num_parameters());
    OnlineLearner learner(own.online, training.start.parameters, rate,
                          own.radius.value_or(kNoRadius));
    // A null record keeps its position and its group.
    std::vector<std::vector<uint32_t>> queues(num_groups);
    const RowBatches rows(training.table);
    for (const uint32_t place : public_order(training.plan.facts.num_records, kOrderSeed)) {
      const uint32_t record = rows.row_of(place);
      const size_t group = index_of(training.table.groups[record]);
      if (group < num_groups) queues[group].push_back(record);
    }
    std::vector<size_t> read(num_groups);
    GroupBandit bandit(
        {num_groups, own.exploration, terms.group_learning_rate, terms.loss_bound, 0});
    GroupPath path(num_groups, config.num_steps, {});
    const std::vector<double> ones(num_groups, 1.0);
    std::vector<int64_t> loss_units(num_groups);
    const FlatClip clip(config.max_grad_norm);
    training.start.average = training.start.parameters;
    for (int64_t step = 0; step < config.num_steps; ++step) {
      training.source.start_step(static_cast<uint64_t>(step));
      const size_t group = bandit.draw(uniform_fraction(training.source));
      if (read[group] + 2 > queues[group].size()) break;
      const std::span<const uint32_t> records = std::span(queues[group]).subspan(read[group], 2);
      read[group] += 2;
      sums.compute({records.first(1)}, learner.iterate(), ones, units, {});
      sums.compute({records.last(1)}, learner.iterate(), ones, {}, loss_units);
      training.observer.on_batch(
          {step, {records.first(1)}, training.start.parameters, clip, units, training.plan.grid});
      const double loss = noise.loss(loss_units[group]);
      learner.update(noise.gradients(units));
      path.add(bandit.lambda(), {});
      bandit.hear(group, loss);
      training.start.parameters.assign(learner.iterate().begin(), learner.iterate().end());
      ++training.start.num_steps_done;
      const double share = 1 / static_cast<double>(training.start.num_steps_done + 1);
      for (size_t j = 0; j < training.start.average.size(); ++j)
        training.start.average[j] +=
            share * (training.start.parameters[j] - training.start.average[j]);
      training.observer.on_step({step, config.num_steps, training.start});
    }
    TrainedModel trained{training.start.average};
    trained.group_path = path.points();
    return trained;
  }
};

}  // namespace

TrainingMethodRow oco_exp3_row() { return method_row<OcoExp3>(); }

}  // namespace equinoise
