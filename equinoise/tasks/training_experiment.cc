#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/tasks/experiment.h"
#include "equinoise/tasks/reproduction_data.h"
#include "equinoise/tasks/reproduction_models.h"
#include "equinoise/tasks/reproduction_series.h"
#include "equinoise/tasks/unpaid_run.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// Passes batches on, too.
class RunObserver final : public StepCounter {
 public:
  RunObserver(RunRecorder& recorder, const std::function<void()>& after_step)
      : StepCounter(after_step), recorder_(recorder) {}
  void on_batch(const BatchView& view) override { recorder_.on_batch(view); }

 private:
  RunRecorder& recorder_;
};

std::optional<double> epsilon_by_pld(const TrainingPlan& plan) {
  if (!plan.privacy) return std::nullopt;
  if (plan.privacy->accountant == "pld") return plan.privacy->epsilon.value();
  return PldAccountant(plan.config.relation, plan.events()).epsilon(plan.privacy->delta).value();
}

/// Expected batches that make up an epoch of so many records.
int64_t batches_per_epoch(int64_t num_records, double batch_size) {
  return std::max<int64_t>(1,
                           std::llround(std::ceil(static_cast<double>(num_records) / batch_size)));
}

class TrainingExperiment final : public Experiment {
 public:
  TrainingExperiment(const ReproductionItem& item, int64_t num_epochs,
                     const std::filesystem::path& folder)
      : item_(item),
        num_epochs_(num_epochs),
        data_(find_reproduction_data(item.data).load(folder)) {
    const std::vector<std::string> names = data_->groups();
    num_groups_ = names.size();
    for (const std::string& name : item.groups) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end()) {
        throw Error(ErrorKind::kInput, "tasks.reproduce",
                    fmt::format("{}: {} has no group {}", item.name(), item.data, name));
      }
      groups_.push_back(GroupId(static_cast<uint32_t>(found - names.begin())));
    }
  }

  int64_t num_steps(const ReproductionMethod&, uint64_t seed) const override {
    return num_epochs_ * batches_per_epoch(data_->split(seed)->train.num_records, item_.batch_size);
  }

  // Splits of images are large: each run makes its own.
  ReproductionOutcome run(const ReproductionMethod& method, uint64_t seed,
                          const std::function<void()>& after_step) const override {
    const std::shared_ptr<const ReproductionSplit> split = data_->split(seed);
    const EncodedTable& train = split->train;
    const std::unique_ptr<Model> model =
        make_reproduction_model(item_.model, train.feature_names, train.classes.size());
    const int64_t epoch_steps = batches_per_epoch(train.num_records, item_.batch_size);
    TrainingConfig config = method.config;
    // The rate is 1 / batches per epoch; what it gives is the normaliser of the published code.
    config.batch_size = static_cast<double>(train.num_records) / static_cast<double>(epoch_steps);
    config.num_steps = num_epochs_ * epoch_steps;
    TrainingFacts facts = facts_of(train, *model);
    facts.num_groups = num_groups_;
    const std::unique_ptr<TrainingMethod> trainer = find_training_method(method.method).make();
    const TrainingPlan plan = trainer->plan(config, facts);
    const std::unique_ptr<RunRecorder> recorder =
        make_run_recorder(item_.series, {train, num_groups_, groups_, *model, plan, epoch_steps});
    RunObserver observer(*recorder, after_step);
    const TrainedModel trained = run_unpaid(*trainer, plan, train, *model, seed, observer);

    ReproductionOutcome outcome;
    outcome.points = recorder->points();
    const EncodedTable& test = split->test;
    const std::vector<Metrics> metrics =
        group_metrics(test, model->predict(test, trained.parameters), test.groups, num_groups_);
    for (const GroupId group : groups_)
      outcome.accuracy.push_back(100 * metrics[index_of(group)].accuracy.value);
    if (plan.by_rdp) outcome.epsilon_by_rdp = plan.by_rdp->epsilon.value();
    outcome.epsilon_by_pld = epsilon_by_pld(plan);
    return outcome;
  }

  std::string describe(const ReproductionOutcome& outcome) const override {
    return fmt::format("accuracy {:.1f} % and {:.1f} %", outcome.accuracy[0], outcome.accuracy[1]);
  }

 private:
  const ReproductionItem& item_;
  int64_t num_epochs_;
  std::unique_ptr<ReproductionData> data_;
  size_t num_groups_ = 0;
  std::vector<GroupId> groups_;
};

}  // namespace

std::unique_ptr<Experiment> open_training_experiment(const ReproductionItem& item,
                                                     int64_t num_epochs,
                                                     const std::filesystem::path& folder) {
  return std::make_unique<TrainingExperiment>(item, num_epochs, folder);
}

}  // namespace equinoise
