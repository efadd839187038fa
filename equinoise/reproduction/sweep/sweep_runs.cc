// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/sweep_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/rate_contexts.h"
#include "equinoise/data/split.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/training/unpaid_run.h"
#include "equinoise/tasks/runs/many_runs.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// A finished run, and the data that evaluate it.
struct SweepRun {
  const RateProgram& program;
  const EncodedTable& records;  ///< all, with the contexts of constraints as their groups
  const Predictions& predictions;
  std::span<const GroupId> parts;  ///< (records) kTrain or kTest
  double milliseconds_per_step;
};

constexpr GroupId kTrain{0};
constexpr GroupId kTest{1};

/// The largest value of constraints on records of one part, or of all; NaN if no constraint is
/// left. A constraint is left out if one of its rates has no records. It is also left out between
/// groups if one has so few records that half a record is more than the slack. Rates of n records
/// are n-ths, and perhaps none is as near to another rate as the slack requires; a slack of 0
/// requires nothing.
double largest_value(const SweepRun& run, std::optional<GroupId> part) {
  const RateProgram& program = run.program;
  std::vector<GroupId> contexts = run.records.groups;
  for (size_t i = 0; i < contexts.size() && part; ++i)
    if (run.parts[i] != *part) contexts[i] = GroupId(static_cast<uint32_t>(program.num_contexts));
  const std::vector<int64_t> counts = count_cells(program, run.records, contexts, run.predictions);
  const auto says_nothing = [&](const RateProgram::Constraint& constraint) {
    const bool is_between_groups = constraint.terms.size() > 1;
    return std::ranges::any_of(constraint.terms, [&](const RateProgram::Term& term) {
      int64_t records = 0;
      for (const uint32_t cell : program.rates[term.rate].denominator) records += counts[cell];
      return records == 0 || (is_between_groups && constraint.slack > 0 &&
                              0.5 / static_cast<double>(records) > constraint.slack);
    });
  };
  const std::vector<ConstraintCheck> checks = check_counts(program, counts, 0);
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (size_t j = 0; j < checks.size(); ++j) {
    if (!says_nothing(program.constraints[j])) largest = std::fmax(largest, checks[j].value.value);
  }
  return largest;
}

struct SweepMetric {
  std::string_view name;
  double (*of_run)(const SweepRun& run);
};

constexpr std::array kMetrics = {
    SweepMetric{"error",
                [](const SweepRun& run) {
                  const std::vector<Metrics> metrics =
                      group_metrics(run.records, run.predictions, run.parts, 2);
                  return 100 * (1 - metrics[index_of(kTest)].accuracy.value);
                }},
    SweepMetric{"value", [](const SweepRun& run) { return largest_value(run, kTest); }},
    SweepMetric{"training value", [](const SweepRun& run) { return largest_value(run, kTrain); }},
    SweepMetric{"all value", [](const SweepRun& run) { return largest_value(run, std::nullopt); }},
    SweepMetric{"time", [](const SweepRun& run) { return run.milliseconds_per_step; }},
};

class SweepRuns final : public ExperimentRuns {
 public:
  SweepRuns(const ItemHeader& item, const ReproductionSweep& sweep,
            const std::filesystem::path& folder)
      : item_(item),
        sweep_(sweep),
        table_(read_reproduction_table(item.data, folder, item.max_records)),
        model_(make_model(sweep.model, table_.schema)) {
    const ConstraintDomain domain = constraint_domain(table_.schema);
    for (const SweptMethod& swept : sweep_.methods) {
      for (const double value : swept.values) {
        // A slack that is not varied evaluates nothing.
        const double slack = swept.parameter == kSlackParameter ? value : 0;
        const std::string line = fill_in(sweep_.constraint, fmt::format("{}", slack));
        std::vector<std::string> notes;
        programs_[slack] = std::make_shared<const RateProgram>(
            compile_constraints(domain, parse_constraint(line, domain), notes));
      }
    }
    // All of them are on the same attributes.
    std::vector<uint32_t> records =
        numbers_below<uint32_t>(static_cast<size_t>(table_.dataset.num_records));
    records_ = encode(table_.dataset, table_.schema);
    const RateProgram& any = *programs_.begin()->second;
    records_.groups = rate_contexts(table_.dataset, table_.schema, any, records);
    if (!any.attributes.empty()) {
      read_groups(any.attributes);
      parts_model_ = make_per_group(make_model(sweep.model, table_.schema), groups_.names);
    }
  }

  int64_t num_steps(size_t method, uint64_t) const override {
    int64_t total = 0;
    for (size_t i = 0; i < num_points(method); ++i)
      total += sweep_.methods[method].configs[i].num_steps;
    return total;
  }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    const Split split = split_records(table_.dataset.num_records, sweep_.test_fraction, seed);
    EncodedTable train = encode(table_.dataset, table_.schema, split.train);
    for (const uint32_t record : split.train) train.groups.push_back(records_.groups[record]);
    std::vector<GroupId> parts(records_.groups.size(), kTrain);
    for (const uint32_t record : split.test) parts[record] = kTest;
    const std::unique_ptr<TrainingMethod> trainer =
        find_training_method(item_.methods[method].method).make();
    const bool has_parts = trainer->traits().has_model_per_group && parts_model_ != nullptr;
    ReproductionOutcome outcome;
    const SweptMethod& swept = sweep_.methods[method];
    const Model& model = has_parts ? *parts_model_ : *model_;
    for (size_t i = 0; i < num_points(method); ++i) {
      TrainingConfig config = swept.configs[i];
      TrainingFacts facts = facts_of(train, model);
      const auto& program = programs_.at(swept.parameter == kSlackParameter ? swept.values[i] : 0);
      if (trainer->traits().uses_constraints) {
        config.constraints = program;
        facts.num_groups = program->num_contexts;
        if (has_parts) facts.groups = groups_;
      } else if (trainer->traits().uses_groups()) {
        facts.groups = groups_;
        facts.num_groups = groups_.names.size();
      }
      const TrainingPlan plan = trainer->plan(config, facts);
      StepCounter counter(callbacks.after_step);
      const double start = thread_seconds();
      const TrainedModel trained = run_unpaid(*trainer, plan, train, model, seed, counter);
      const double milliseconds = 1e3 * (thread_seconds() - start);
      const Predictions predictions = model.predict(records_, trained.parameters);
      const SweepRun run = {*program, records_, predictions, parts,
                            milliseconds / static_cast<double>(config.num_steps)};
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = follows_parameter(item_.methods[method], swept.parameter) ? swept.values[i]
                                                                                 : kUnconstrained;
      for (const std::string& name : sweep_.metrics) {
        const auto metric = std::ranges::find(kMetrics, name, &SweepMetric::name);
        point.values.push_back(metric->of_run(run));
      }
    }
    return outcome;
  }

  std::string describe(const ReproductionOutcome& outcome) const override {
    const ReproductionPoint& last = outcome.points.back();
    return fmt::format("{} {:.4g}", sweep_.metrics[0], last.values[0]) +
           (last.position == kUnconstrained ? "" : fmt::format(" at {:g}", last.position));
  }

 private:
  size_t num_points(size_t method) const {
    const SweptMethod& swept = sweep_.methods[method];
    return follows_parameter(item_.methods[method], swept.parameter) ? swept.values.size() : 1;
  }

  /// The facts of the compared groups that count as public: their sizes in the table.
  void read_groups(const std::vector<std::string>& attributes) {
    const Grouping grouping = list_groups(table_.schema, attributes);
    groups_.partition = grouping.partition;
    groups_.names = group_names(grouping);
    std::vector<double> sizes(groups_.names.size(), 0.0);
    for (const GroupId group : records_.groups) sizes[index_of(group)] += 1;
    for (const double size : sizes)
      groups_.shares.emplace_back(size / static_cast<double>(records_.num_records));
  }

  const ItemHeader& item_;
  const ReproductionSweep& sweep_;
  ReproductionTable table_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Model> parts_model_;  // with a part for each context of constraints
  std::map<double, std::shared_ptr<const RateProgram>> programs_;  // by slack
  EncodedTable records_;  // all, with the contexts of constraints as their groups
  PublicGroups groups_;   // these contexts
};

}  // namespace

bool is_sweep_metric(std::string_view name) { return contains(kMetrics, name, &SweepMetric::name); }

bool follows_parameter(const ReproductionMethod& method, const std::string& parameter) {
  const TrainingMethodRow& row = find_training_method(method.method);
  return parameter == kSlackParameter ? row.uses_constraints : row.follows(parameter);
}

std::unique_ptr<ExperimentRuns> open_sweep_runs(const ItemHeader& item,
                                                const ReproductionSweep& sweep,
                                                const std::filesystem::path& folder) {
  return std::make_unique<SweepRuns>(item, sweep, folder);
}

}  // namespace equinoise
