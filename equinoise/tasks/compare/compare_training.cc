// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_training.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "equinoise/audit/seed_mean.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/sha256.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/split.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/compare/compare_subject.h"
#include "equinoise/tasks/compare/training_grid.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/train/chosen_options.h"
#include "equinoise/tasks/train/planned_report.h"
#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kWhere = "tasks.compare";

/// Adds the output of a paid run of the same plan: the overall guarantee and those of groups, in
/// the order of the report, its warnings and notes.
void tell_plan(TrainingSetup setup, TrainRequest request, Contender& contender) {
  // The report of a run under a test seed, or under a schema that was not reviewed, has no
  // guarantee.
  request.insecure_seed.reset();
  setup.schema.reviewed = true;
  const TrainingReport plan = begin_report(setup, request);
  CompareRow& row = contender.row;
  row.warnings = plan.warnings;
  row.notes = plan.notes;
  if (plan.protection) row.public_groups = plan.protection->public_groups;
  row.weakest = plan.privacy;
  for (const GroupReport& group : plan.groups) {
    row.group_privacy.push_back(group.privacy);
    if (group.privacy &&
        !(row.weakest && row.weakest->epsilon.value() >= group.privacy->epsilon.value()))
      row.weakest = group.privacy;
  }
}

class TrainingSubject final : public CompareSubject {
 public:
  explicit TrainingSubject(const CompareTrainingRequest& request)
      : CompareSubject({training_scope(request.training.config), request.grid, request.given}),
        request_(request),
        training_(request.training) {}

  void check() override {
    if (!(training_.test_fraction > 0)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "methods are compared on what is held out; --test-fraction must be above 0");
    }
    check_open_interval(kWhere, "delta", training_.config.delta, 0, 1);
    schema_ = load_schema(training_.schema);
    require_reviewed(schema_, training_.schema.path.string(), training_.public_data);
    if (schema_.target.empty()) {
      throw Error(ErrorKind::kInput, kWhere, "{}: training needs a target; add target = \"COLUMN\"",
                  training_.schema.path.string());
    }
    require_metric(request_.metric, schema_, training_.model);
    require_distinct(training_.groupings);
    for (const std::vector<std::string>& columns : training_.groupings)
      static_cast<void>(list_groups(schema_, columns, training_.group_floor));
    if (has_constraints())
      static_cast<void>(gather_constraints(training_.constraints_path, training_.constraints,
                                           constraint_domain(schema_)));
  }

  Contender plan(CompareRow row) const override {
    Contender contender{std::move(row)};
    TrainRequest request = request_of(contender.row);
    TrainingSetup setup = set_up(contender, request);
    tell_plan(setup, request, contender);
    contender.num_steps = setup.plan.config.num_steps;
    contender.run = [this, request = std::move(request),
                     setup = std::make_shared<const TrainingSetup>(std::move(setup))](
                        uint64_t seed, TrainProgress& progress) {
      TrainRequest seeded = request;
      seeded.insecure_seed = seed;
      seeded.split_seed = seed;
      return figures_of_run(request_.metric, train(seeded, *setup, table_, progress),
                            facts_.at(seed));
    };
    return contender;
  }

  const Schema& schema() const override { return schema_; }

  Json identity() const override {
    Json options = to_json(settings_of<TrainingConfig>(shared_options(), training_.config));
    options.erase("epsilon");
    options.erase("noise_multiplier");
    options.update(to_json(given_settings(training_options(), training_.config, request_.given)));
    Json constraints;
    if (has_constraints()) {
      const ConstraintDomain domain = constraint_domain(schema_);
      constraints = Json::parse(constraints_to_json(
          gather_constraints(training_.constraints_path, training_.constraints, domain), domain));
    }
    return {{"records", hash_of_files({training_.data, training_.labels_path}, "")},
            {"schema", sha256_hex(schema_.source_text)},
            {"missing", static_cast<int>(schema_.missing_use)},
            {"target", schema_.target},
            {"model", training_.model},
            {"network", to_json(training_.network)},
            {"init_seed", training_.network.init_seed},
            {"groups", training_.groupings},
            {"min_group_size", training_.group_floor.min_size},
            {"small_groups", static_cast<int>(training_.group_floor.policy)},
            {"constraints", constraints},
            {"test_fraction", training_.test_fraction},
            {"options", options}};
  }

  std::string metric() const override {
    return std::string(word_of(kCompareMetrics, request_.metric));
  }

  void read(int64_t num_seeds, TaskProgress& progress) override {
    table_ = read_table_files({training_.data, training_.labels_path}, schema_,
                              TableUse::kDescribed, progress, CountedRows::kKept);
    require_records(table_, training_.data.name(), "each of the runs", kTrainingBytesOfRecord);
    for (const std::vector<std::string>& columns : training_.groupings)
      groupings_.push_back(list_groups(schema_, columns, training_.group_floor));
    for (int64_t s = 0; s < num_seeds; ++s) {
      Split split = split_records(schema_.num_records, training_.test_fraction,
                                  static_cast<uint64_t>(s), schema_.units_name());
      facts_.push_back(held_out_facts(table_, schema_, groupings_, training_.group_floor,
                                      std::move(split.test)));
    }
  }

  void describe(CompareReport& report) const override {
    report.task = CompareTask::kTraining;
    report.is_public = training_.public_data;
    report.command = training_.command;
    report.target = schema_.target;
    report.is_share =
        request_.metric == CompareMetric::kError && !schema_.column(schema_.target).values.empty();
    report.error = metric_in_words(request_.metric, schema_);
    report.judged = "held-out " + schema_.units_name();
    report.test_fraction = training_.test_fraction;
    report.min_records = kMinHeldOut;
    report.has_constraints = has_constraints();
    report.baseline = "the best constant prediction";
    std::vector<double> constants;
    for (const HeldOutFacts& facts : facts_)
      constants.push_back(constant_error(request_.metric, facts, training_.model));
    report.constant = mean_over_seeds(constants);
    for (const Grouping& grouping : groupings_)
      for (const GroupLabel& label : grouping.groups)
        report.groups.push_back({label, columns_of(label)});
    for (size_t k = 0; k < report.groups.size(); ++k) {
      int64_t& least = report.groups[k].num_records;
      least = facts_.front().group_sizes[k];
      for (const HeldOutFacts& facts : facts_) least = std::min(least, facts.group_sizes[k]);
    }
    report.ingest_notes = ingest_notes(table_, schema_.target);
  }

 private:
  bool has_constraints() const {
    return !training_.constraints.empty() || !training_.constraints_path.empty();
  }

  bool is_given(std::string_view name) const { return contains(request_.given, name); }

  TrainRequest request_of(const CompareRow& row) const {
    const TrainingMethodRow& method = find_training_method(row.method);
    TrainRequest training = training_;
    training.method = row.method;
    training.data = {};
    training.config = at_point<TrainingConfig>(varied_training_options(), row.options,
                                               method.followed(training_.config));
    training.config.epsilon = row.epsilon;
    training.config.noise_multiplier.reset();
    training.config.threads = 1;
    training.insecure_seed = 0;
    training.judges_by_constraints = true;
    const auto is_chosen = [&](std::string_view name) {
      return (is_given(name) && is_followed(row.method, name)) ||
             contains(row.options, name, &Setting::name);
    };
    settle_unchosen(is_chosen, training);
    return training;
  }

  /// Plans it. A number of steps that was given for all methods does not exclude a method that
  /// takes one step.
  static TrainingSetup set_up(Contender& contender, TrainRequest& request) {
    try {
      return set_up_training(request);
    } catch (const Error& error) {
      const bool may_take_one =
          request.num_steps.has_value() && !find_training_method(request.method).is_stepwise;
      if (error.kind() != ErrorKind::kUsage || !may_take_one) throw;
      TrainRequest without = request;
      without.num_steps.reset();
      TrainingSetup setup = set_up_training(without);
      if (setup.plan.config.num_steps != 1) throw;
      contender.idle_option = "steps";
      request = std::move(without);
      std::erase_if(contender.row.options,
                    [](const Setting& setting) { return setting.name == "steps"; });
      return setup;
    }
  }

  const CompareTrainingRequest& request_;
  const TrainRequest& training_;
  Schema schema_;
  std::vector<Grouping> groupings_;  // without the groups of records
  Dataset table_;
  std::vector<HeldOutFacts> facts_;  // (seeds)
};

}  // namespace

CompareReport compare_training(const CompareTrainingRequest& request, TrainProgress& progress) {
  TrainingSubject subject(request);
  return compare(request, subject, progress);
}

}  // namespace equinoise
