#include "equinoise/tasks/reproduction_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/split.h"
#include "equinoise/models/registry.h"
#include "equinoise/tasks/experiment.h"
#include "equinoise/tasks/rate_contexts.h"
#include "equinoise/tasks/reproduction_tables.h"
#include "equinoise/tasks/unpaid_run.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

class StepCounter final : public StepObserver {
 public:
  explicit StepCounter(const std::function<void()>& after_step) : after_step_(after_step) {}
  void on_step(const StepView&) override { after_step_(); }

 private:
  const std::function<void()>& after_step_;
};

/// Records with the contexts of constraints as their groups.
struct SweepRecords {
  EncodedTable train;
  EncodedTable test;
};

double largest_value(const std::vector<ConstraintCheck>& checks) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const ConstraintCheck& check : checks) largest = std::max(largest, check.value.value);
  return largest;
}

/// A run that ended, and what it is judged by.
struct SweepRun {
  const RateProgram& program;
  const Model& model;
  const SweepRecords& records;
  const ReproductionTable& table;
  std::span<const GroupId> contexts;  ///< of all records
  std::span<const double> parameters;
  double milliseconds_per_step;

  double value(const EncodedTable& records_of, std::span<const GroupId> contexts_of) const {
    return largest_value(
        check_constraints(program, records_of, contexts_of, model.predict(records_of, parameters)));
  }
};

struct SweepMetric {
  std::string_view name;
  double (*of_run)(const SweepRun& run);
};

constexpr std::array kMetrics = {
    SweepMetric{"error",
                [](const SweepRun& run) {
                  const EncodedTable& test = run.records.test;
                  const Metrics metrics =
                      overall_metrics(test, run.model.predict(test, run.parameters));
                  return 100 * (1 - metrics.accuracy.value);
                }},
    SweepMetric{
        "value",
        [](const SweepRun& run) { return run.value(run.records.test, run.records.test.groups); }},
    SweepMetric{
        "training value",
        [](const SweepRun& run) { return run.value(run.records.train, run.records.train.groups); }},
    SweepMetric{"all value",
                [](const SweepRun& run) {
                  return run.value(encode(run.table.dataset, run.table.schema), run.contexts);
                }},
    SweepMetric{"time", [](const SweepRun& run) { return run.milliseconds_per_step; }},
};

class SweepExperiment final : public Experiment {
 public:
  SweepExperiment(const ReproductionItem& item, const std::filesystem::path& folder)
      : item_(item),
        sweep_(*item.sweep),
        table_(read_reproduction_table(item.data, folder)),
        model_(make_model(item.model, table_.schema)) {
    const ConstraintDomain domain = constraint_domain(table_.schema);
    for (const double value : sweep_.values) {
      std::string line = sweep_.constraint;
      if (const size_t place = line.find("{}"); place != std::string::npos)
        line.replace(place, 2, fmt::format("{}", value));
      std::vector<std::string> notes;
      programs_.push_back(std::make_shared<const RateProgram>(
          compile_constraints(domain, parse_constraint(line, domain), notes)));
    }
    // All of them are on the same attributes.
    std::vector<uint32_t> records(static_cast<size_t>(table_.dataset.num_records));
    std::iota(records.begin(), records.end(), 0U);
    contexts_ = rate_contexts(table_.dataset, table_.schema, *programs_[0], records);
  }

  int64_t num_steps(const ReproductionMethod& method, uint64_t) const override {
    const bool obeys = find_training_method(method.method).make()->uses_constraints();
    return method.config.num_steps * (obeys ? std::ssize(sweep_.values) : 1);
  }

  ReproductionOutcome run(const ReproductionMethod& method, uint64_t seed,
                          const std::function<void()>& after_step) const override {
    const Split split = split_records(table_.dataset.num_records, sweep_.test_fraction, seed);
    const SweepRecords records = {encode_part(split.train), encode_part(split.test)};
    const std::unique_ptr<TrainingMethod> trainer = find_training_method(method.method).make();
    ReproductionOutcome outcome;
    for (size_t i = 0; i < sweep_.values.size(); ++i) {
      TrainingConfig config = method.config;
      TrainingFacts facts = facts_of(records.train, *model_);
      if (trainer->uses_constraints()) {
        if (sweep_.parameter == "max_grad_norm") config.max_grad_norm = sweep_.values[i];
        config.constraints = programs_[i];
        facts.num_groups = programs_[i]->num_contexts;
      }
      const TrainingPlan plan = trainer->plan(config, facts);
      StepCounter counter(after_step);
      const auto start = std::chrono::steady_clock::now();
      const TrainedModel trained =
          run_unpaid(*trainer, plan, records.train, *model_, seed, counter);
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      const SweepRun run = {*programs_[i],
                            *model_,
                            records,
                            table_,
                            contexts_,
                            trained.parameters,
                            time.count() / static_cast<double>(config.num_steps)};
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = trainer->uses_constraints() ? sweep_.values[i] : kUnconstrained;
      for (const std::string& name : sweep_.metrics) {
        const auto metric =
            std::find_if(kMetrics.begin(), kMetrics.end(),
                         [&](const SweepMetric& candidate) { return candidate.name == name; });
        point.values.push_back(metric->of_run(run));
      }
      if (!trainer->uses_constraints()) break;
    }
    return outcome;
  }

  std::string describe(const ReproductionOutcome& outcome) const override {
    const ReproductionPoint& last = outcome.points.back();
    return fmt::format("{} {:.4g}", sweep_.metrics[0], last.values[0]) +
           (last.position == kUnconstrained
                ? ""
                : fmt::format(" at {} {:g}", sweep_.parameter, last.position));
  }

 private:
  EncodedTable encode_part(std::span<const uint32_t> part) const {
    EncodedTable encoded = encode(table_.dataset, table_.schema, part);
    for (const uint32_t record : part) encoded.groups.push_back(contexts_[record]);
    return encoded;
  }

  const ReproductionItem& item_;
  const ReproductionSweep& sweep_;
  ReproductionTable table_;
  std::unique_ptr<Model> model_;
  std::vector<std::shared_ptr<const RateProgram>> programs_;  // (values)
  std::vector<GroupId> contexts_;                             // (records)
};

}  // namespace

bool is_sweep_metric(std::string_view name) {
  return std::any_of(kMetrics.begin(), kMetrics.end(),
                     [&](const SweepMetric& metric) { return metric.name == name; });
}

std::unique_ptr<Experiment> open_sweep_experiment(const ReproductionItem& item,
                                                  const std::filesystem::path& folder) {
  return std::make_unique<SweepExperiment>(item, folder);
}

}  // namespace equinoise
