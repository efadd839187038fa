#include "equinoise/tasks/reproduction_run.h"

#include <algorithm>
#include <cmath>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// Passes steps on.
class RunObserver final : public StepObserver {
 public:
  RunObserver(RunRecorder& recorder, const std::function<void()>& after_step)
      : recorder_(recorder), after_step_(after_step) {}

  void on_batch(const BatchView& view) override { recorder_.on_batch(view); }
  void on_step(const StepView&) override { after_step_(); }

 private:
  RunRecorder& recorder_;
  const std::function<void()>& after_step_;
};

std::optional<double> epsilon_by_pld(const TrainingPlan& plan) {
  if (!plan.privacy) return std::nullopt;
  if (plan.privacy->accountant == "pld") return plan.privacy->epsilon.value();
  return PldAccountant(plan.config.relation, plan.events()).epsilon(plan.privacy->delta).value();
}

}  // namespace

int64_t batches_per_epoch(int64_t num_records, double batch_size) {
  return std::max<int64_t>(1,
                           std::llround(std::ceil(static_cast<double>(num_records) / batch_size)));
}

ReproductionOutcome run_reproduction(const ReproductionMethod& method, double batch_size,
                                     int64_t num_epochs, const Model& model,
                                     const ReproductionSplit& split,
                                     std::span<const GroupId> groups, size_t num_groups,
                                     const SeriesChoice& series, uint64_t seed,
                                     const std::function<void()>& after_step) {
  const int64_t num_records = split.train.num_records;
  const int64_t epoch_steps = batches_per_epoch(num_records, batch_size);
  TrainingConfig config = method.config;
  // The rate is 1 / batches per epoch; what it gives is the normaliser of the published code.
  config.batch_size = static_cast<double>(num_records) / static_cast<double>(epoch_steps);
  config.num_steps = num_epochs * epoch_steps;
  TrainingFacts facts;
  facts.num_records = num_records;
  facts.num_parameters = model.num_parameters();
  facts.sum_error = model.sum_error(1);
  facts.num_groups = num_groups;
  const std::unique_ptr<TrainingMethod> trainer = find_training_method(method.method).make();
  const TrainingPlan plan = trainer->plan(config, facts);

  SeededSource source(seed);
  Charge charge = plan.items.empty() ? Charge::nothing(config.relation)
                                     : Charge::unpaid(plan.events(), plan.config.relation, source);
  std::vector<double> start = model.initial_parameters(seed);
  const std::unique_ptr<RunRecorder> recorder =
      make_run_recorder(series, {split.train, num_groups, groups, model, plan, epoch_steps});
  RunObserver observer(*recorder, after_step);
  const TrainedModel trained =
      trainer->run(split.train, model, plan, TrainingState::start(std::move(start)),
                   std::move(charge), source, observer);

  ReproductionOutcome outcome;
  outcome.points = recorder->points();
  const std::vector<Metrics> metrics = group_metrics(
      split.test, model.predict(split.test, trained.parameters), split.test.groups, num_groups);
  for (const GroupId group : groups)
    outcome.accuracy.push_back(100 * metrics[index_of(group)].accuracy.value);
  if (plan.by_rdp) outcome.epsilon_by_rdp = plan.by_rdp->epsilon.value();
  outcome.epsilon_by_pld = epsilon_by_pld(plan);
  return outcome;
}

}  // namespace equinoise
