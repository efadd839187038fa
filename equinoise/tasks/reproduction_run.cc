#include "equinoise/tasks/reproduction_run.h"

#include <algorithm>
#include <cmath>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// The records of a batch as a table of their own.
void gather(const EncodedTable& table, std::span<const uint32_t> records, EncodedTable& batch) {
  batch.num_records = static_cast<int64_t>(records.size());
  batch.num_dense = table.num_dense;
  batch.num_active = table.num_active;
  batch.num_features = table.num_features;
  batch.dense.clear();
  batch.active.clear();
  batch.labels.clear();
  for (const uint32_t record : records) {
    const std::span<const float> dense = table.dense_row(record);
    const std::span<const uint32_t> active = table.active_row(record);
    batch.dense.insert(batch.dense.end(), dense.begin(), dense.end());
    batch.active.insert(batch.active.end(), active.begin(), active.end());
    batch.labels.push_back(table.labels[record]);
  }
}

/// Measures each batch before its update, as the published code does. NOT PRIVATE.
class EpochObserver final : public StepObserver {
 public:
  EpochObserver(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                std::vector<double> start, int64_t epoch_steps, std::span<const GroupId> groups,
                const std::function<void()>& after_step)
      : table_(table),
        model_(model),
        plan_(plan),
        parameters_(std::move(start)),
        epoch_steps_(epoch_steps),
        groups_(groups),
        after_step_(after_step) {}

  void on_step(const StepView& view) override {
    if (view.step % epoch_steps_ == 0)
      epochs_.push_back({std::vector<double>(groups_.size(), 0.0), 0});
    ReproductionEpoch& epoch = epochs_.back();
    const double share = 1 / static_cast<double>(epoch_steps_);
    add_losses(view.batch, share, epoch.loss);
    epoch.gradient_norm += share * gradient_norm(view);
    parameters_ = view.state.parameters;
    after_step_();
  }

  std::vector<ReproductionEpoch> epochs() && { return std::move(epochs_); }

 private:
  /// A group that is absent from the batch adds 0, but the batch counts.
  void add_losses(std::span<const uint32_t> records, double share, std::vector<double>& losses) {
    gather(table_, records, batch_);
    const std::vector<double> loss = model_.predict(batch_, parameters_, plan_.config.threads).loss;
    for (size_t g = 0; g < groups_.size(); ++g) {
      double total = 0;
      int64_t size = 0;
      for (size_t i = 0; i < records.size(); ++i) {
        if (table_.groups[records[i]] != groups_[g]) continue;
        total += loss[i];
        ++size;
      }
      if (size > 0) losses[g] += share * total / static_cast<double>(size);
    }
  }

  /// Of what the step follows, before noise; without a grid there is none and the step tells it.
  double gradient_norm(const StepView& view) const {
    double squares = 0;
    if (!view.sum_units.empty()) {
      for (const int64_t unit : view.sum_units)
        squares += static_cast<double>(unit) * static_cast<double>(unit);
      return std::sqrt(squares) * view.grid / plan_.config.batch_size;
    }
    for (size_t j = 0; j < parameters_.size(); ++j) {
      const double step = view.state.parameters[j] - parameters_[j];
      squares += step * step;
    }
    return std::sqrt(squares) / plan_.config.learning_rate;
  }

  const EncodedTable& table_;
  const Model& model_;
  const TrainingPlan& plan_;
  std::vector<double> parameters_;  // before the step
  int64_t epoch_steps_;
  std::span<const GroupId> groups_;
  const std::function<void()>& after_step_;
  EncodedTable batch_;
  std::vector<ReproductionEpoch> epochs_;
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
                                     uint64_t seed, const std::function<void()>& after_step) {
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
  EpochObserver observer(split.train, model, plan, start, epoch_steps, groups, after_step);
  const TrainedModel trained =
      trainer->run(split.train, model, plan, TrainingState::start(std::move(start)),
                   std::move(charge), source, observer);

  ReproductionOutcome outcome;
  outcome.epochs = std::move(observer).epochs();
  outcome.loss = outcome.epochs.back().loss;
  const std::vector<Metrics> metrics =
      group_metrics(split.test, model.predict(split.test, trained.parameters, config.threads),
                    split.test.groups, num_groups);
  for (const GroupId group : groups)
    outcome.accuracy.push_back(100 * metrics[index_of(group)].accuracy.value);
  if (plan.by_rdp) outcome.epsilon_by_rdp = plan.by_rdp->epsilon.value();
  outcome.epsilon_by_pld = epsilon_by_pld(plan);
  return outcome;
}

}  // namespace equinoise
