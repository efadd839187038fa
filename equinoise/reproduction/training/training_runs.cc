// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/training_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/reproduction/data/datasets.h"
#include "equinoise/reproduction/data/models.h"
#include "equinoise/reproduction/training/series.h"
#include "equinoise/reproduction/training/stage_one_weights.h"
#include "equinoise/reproduction/training/unpaid_run.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

using RunRecorders = std::vector<std::unique_ptr<RunRecorder>>;

/// Forwards batches, too.
class RunObserver final : public StepCounter {
 public:
  RunObserver(const RunRecorders& recorders, const std::function<void()>& after_step)
      : StepCounter(after_step), recorders_(recorders) {}
  void on_batch(const BatchView& view) override {
    for (const std::unique_ptr<RunRecorder>& recorder : recorders_) recorder->on_batch(view);
  }

 private:
  const RunRecorders& recorders_;
};

/// Adds the cost of everything that a run releases, if it were paid for.
void add_epsilons(const TrainingPlan& plan, const std::vector<Event>& before,
                  ReproductionOutcome& outcome) {
  if (!plan.privacy) return;
  std::vector<Event> events = before;
  for (Event& event : plan.events()) events.push_back(std::move(event));
  const Delta delta = plan.privacy->delta;
  if (const auto by_rdp = told_by_rdp(plan.config.relation, events, delta))
    outcome.epsilon_by_rdp = by_rdp->epsilon.value();
  outcome.epsilon_by_pld = PldAccountant(plan.config.relation, events).epsilon(delta).value();
}

/// The least noise of a second stage that costs config.epsilon together with the first one.
double noise_beside(const std::vector<Event>& before, const TrainingConfig& config,
                    const TrainingFacts& facts) {
  const double sample_rate = config.batch_size / static_cast<double>(facts.num_records);
  return smallest_noise_multiplier(
      {config.relation, Epsilon(config.epsilon.value()), Delta(config.delta), "pld"},
      [&](double noise_multiplier) {
        std::vector<Event> events = before;
        events.push_back(Event::repeat(
            config.num_steps,
            Event::poisson_sampled(sample_rate, {Event::gaussian(noise_multiplier)})));
        return events;
      });
}

/// The expected number of batches in an epoch of `num_records` records.
int64_t batches_per_epoch(int64_t num_records, double batch_size) {
  return std::max<int64_t>(1,
                           std::llround(std::ceil(static_cast<double>(num_records) / batch_size)));
}

class TrainingRuns final : public ExperimentRuns {
 public:
  TrainingRuns(const ItemHeader& item, const ReproductionTraining& training,
               const std::filesystem::path& folder, TaskProgress& progress)
      : item_(item),
        training_(training),
        data_(find_reproduction_data(item.data).load(folder, item.max_records, progress)) {
    const std::vector<std::string> names = data_->groups();
    num_groups_ = names.size();
    for (const std::string& name : item.groups) {
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        throw Error(ErrorKind::kInput, "tasks.reproduce", "{}: {} has no group {}", item.name(),
                    item.data, name);
      }
      groups_.push_back(GroupId(static_cast<uint32_t>(found - names.begin())));
    }
  }

  int64_t num_steps(size_t method, uint64_t seed) const override {
    const int64_t num_stages = training_.lines[method].stage_one ? 2 : 1;
    return num_stages * training_.epochs *
           batches_per_epoch(data_->split(seed)->train.num_records, training_.batch_size);
  }

  // Splits of images are large: each run makes its own.
  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const TrainingLine& line = training_.lines[method];
    const std::shared_ptr<const ReproductionSplit> split = data_->split(seed);
    const EncodedTable& train = split->train;
    const std::unique_ptr<Model> model =
        make_reproduction_model(training_.model, train.feature_names, train.classes.size());
    const int64_t epoch_steps = batches_per_epoch(train.num_records, training_.batch_size);
    TrainingConfig config = line.config;
    // The rate is 1 / batches per epoch; this gives the normaliser of the published code.
    config.batch_size = static_cast<double>(train.num_records) / static_cast<double>(epoch_steps);
    config.num_steps = training_.epochs * epoch_steps;
    check_looks(config.num_steps);
    TrainingFacts facts = facts_of(train, *model);
    facts.num_groups = num_groups_;
    facts.groups = groups_of(train);
    std::vector<Event> before;
    if (line.stage_one) {
      const StageOneWeights chosen =
          choose_weights(*line.stage_one, config, facts.groups, train, seed, callbacks.after_step);
      config.own.of<GroupCostOptions>().weights = chosen.weights;
      config.noise_multiplier = noise_beside(chosen.events, config, facts);
      config.epsilon.reset();
      before = chosen.events;
    }
    const std::unique_ptr<TrainingMethod> trainer =
        find_training_method(item_.methods[method].method).make();
    const TrainingPlan plan = trainer->plan(config, facts);
    const FollowedRun followed{
        train, num_groups_, groups_, *model, plan, epoch_steps, callbacks.check_interruption};
    RunRecorders recorders;
    recorders.push_back(make_run_recorder(training_.series, followed));
    for (const SeriesChoice& series : training_.also)
      recorders.push_back(make_run_recorder(series, followed));
    RunObserver observer(recorders, callbacks.after_step);
    const TrainedModel trained = run_unpaid(*trainer, plan, train, *model, seed, observer);

    ReproductionOutcome outcome;
    outcome.points = recorders.front()->points();
    for (size_t i = 1; i < recorders.size(); ++i) outcome.also.push_back(recorders[i]->points());
    const EncodedTable& test = split->test;
    const std::vector<Metrics> metrics =
        group_metrics(test, model->predict(test, trained.parameters), test.groups, num_groups_);
    for (const GroupId group : groups_)
      outcome.accuracy.push_back(100 * metrics[index_of(group)].accuracy.value);
    add_epsilons(plan, before, outcome);
    return outcome;
  }

  std::string describe(const ReproductionOutcome& outcome) const override {
    const auto text = [&](size_t i) {
      const double accuracy = outcome.accuracy[i];
      return std::isnan(accuracy) ? std::string("unknown") : fmt::format("{:.1f} %", accuracy);
    };
    return fmt::format("accuracy {} and {}", text(0), text(1));
  }

 private:
  /// Errors: kUsage if a figure would measure the first step only.
  void check_looks(int64_t num_steps) const {
    std::vector<SeriesChoice> all = training_.also;
    all.push_back(training_.series);
    for (const SeriesChoice& series : all) {
      if (series.every < num_steps) continue;
      throw Error(ErrorKind::kUsage, "tasks.reproduce",
                  "measuring every {} steps covers only the first of {} steps: measure "
                  "more often (--every) or train longer (--epochs)",
                  series.every, num_steps);
    }
  }

  /// NOT PRIVATE: sizes are those of the records.
  PublicGroups groups_of(const EncodedTable& train) const {
    PublicGroups groups{"group", data_->groups(), {}};
    for (uint32_t k = 0; k < num_groups_; ++k) {
      const auto size = std::ranges::count(train.groups, GroupId(k));
      groups.shares.emplace_back(static_cast<double>(size) /
                                 static_cast<double>(train.num_records));
    }
    return groups;
  }

  const ItemHeader& item_;
  const ReproductionTraining& training_;
  std::unique_ptr<ReproductionData> data_;
  size_t num_groups_ = 0;
  std::vector<GroupId> groups_;
};

}  // namespace

std::unique_ptr<ExperimentRuns> open_training_runs(const ItemHeader& item,
                                                   const ReproductionTraining& training,
                                                   const std::filesystem::path& folder,
                                                   TaskProgress& progress) {
  return std::make_unique<TrainingRuns>(item, training, folder, progress);
}

}  // namespace equinoise
