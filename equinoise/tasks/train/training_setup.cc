// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/constraints/few_records.h"
#include "equinoise/constraints/settled_constraints.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/tasks/train/evaluation_plan.h"
#include "equinoise/tasks/train/trait_refusals.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/overlapping_groups.h"
#include "equinoise/train/quiet_plan.h"
#include "equinoise/train/regression/residual_mean.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";

/// Refuses a request that the method does not support.
[[noreturn]] void refuse(const TrainingSetup& setup, const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, fmt::format("{} {}", setup.row->name, problem));
}

/// Errors: kUsage if the saved model could not assign records to its groups.
void check_model_groups(const TrainingSetup& setup) {
  if (tells_target(setup.model_groups->columns, setup.schema))
    refuse(setup,
           "must know the group of every record it predicts for, so the target cannot define the "
           "groups");
}

/// A model with a part like `base` for each context of the constraints; `base` if there is only one
/// context.
std::unique_ptr<Model> model_per_context(std::unique_ptr<Model> base, TrainingSetup& setup) {
  if (setup.judged_by == nullptr || setup.judged_by->attributes.empty()) return base;
  setup.model_groups = list_groups(setup.schema, setup.judged_by->attributes);
  check_model_groups(setup);
  std::unique_ptr<Model> model = make_per_group(std::move(base), group_names(*setup.model_groups));
  if (model == nullptr) refuse(setup, "trains linear models; use --model logistic, or raco_dp");
  return model;
}

/// One model like `base` for each group of the first grouping. Public sizes determine their
/// learning rates. A group with fewer training records than its model has parameters is refused.
std::unique_ptr<Model> model_per_group(std::unique_ptr<Model> base, TrainingSetup& setup,
                                       const GroupFloor& floor) {
  const size_t num_parameters = base->num_parameters();
  if (!model_facts(base->name()).is_linear)
    refuse(setup, "trains linear models; use --model logistic, softmax or linear");
  if (setup.groupings.empty()) refuse(setup, "needs groups; give --groups, e.g. --groups sex");
  setup.model_groups = setup.groupings[0];
  check_model_groups(setup);
  if (floor.policy == SmallGroups::kMerge)
    refuse(setup,
           "has a model for each group; to merge groups, use a group attribute of the schema");
  const Grouping& grouping = setup.groupings[0];
  const PublicGroups groups = public_groups_of(grouping, setup.schema.num_records);
  std::vector<double> shares;
  for (size_t k = 0; k < groups.names.size(); ++k) {
    if (const std::string why = why_not_divided(groups, k); !why.empty())
      refuse(setup, "has a model for each group, but " + why);
    const double expected = *groups.shares[k] * static_cast<double>(setup.sizes.train);
    if (expected < static_cast<double>(num_parameters)) {
      refuse(
          setup,
          fmt::format("would have a model of {} parameters for group {}, but only about {:.3g} of "
                      "its records to train on; merge groups with a group attribute of the schema, "
                      "or use one model for all groups, e.g. balanced",
                      num_parameters, groups.names[k], expected));
    }
    shares.push_back(*groups.shares[k]);
  }
  return make_per_group(std::move(base), groups.names, shares);
}

/// Warnings about constraints in training batches whose cells are small relative to the noise of
/// the mean over steps.
std::vector<std::string> small_cell_warnings(const TrainingSetup& setup) {
  const TrainingConfig& config = setup.plan.config;
  if (config.constraints == nullptr || !setup.plan.privacy) return {};
  const std::unique_ptr<ClipPolicy> clip = setup.method->make_clip(config, setup.plan.facts);
  const auto* rates = dynamic_cast<const RateLagrangian*>(clip->term());
  if (rates == nullptr) return {};
  return few_records_warnings(
      setup.schema, config.constraints->rates, config.batch_size,
      rates->smoothed_stddev(setup.plan.side_noise_stddev), "in a batch",
      "its constraints will be kept poorly; use larger batches, or merge groups");
}

/// The first grouping becomes the intersections of all of them, the cells of overlapping groups.
void take_intersections(const TrainRequest& request, TrainingSetup& setup, TrainingConfig& config,
                        OverlappingGroups& overlapping) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::kUsage, kWhere, problem);
  };
  if (setup.groupings.size() < 2)
    refuse("--overlapping needs several --groups; those of a single --groups are disjoint");
  if (request.group_floor.policy == SmallGroups::kMerge)
    refuse("--small-groups merge would take records out of overlapping groups; use keep or refuse");
  const std::vector<std::string> columns = columns_of_intersections(setup.groupings);
  for (const Grouping& grouping : setup.groupings) {
    if (grouping.columns == columns)
      refuse(
          fmt::format("the groups of {} are the intersections themselves; leave out the other "
                      "--groups, or leave out --overlapping",
                      fmt::join(columns, ",")));
  }
  Grouping intersections = list_groups(setup.schema, columns, request.group_floor);
  config = at_intersections(config, setup.groupings, intersections);
  overlapping = overlapping_groups_of(setup.groupings, intersections, setup.schema.num_records);
  setup.groupings.insert(setup.groupings.begin(), std::move(intersections));
  setup.overlapping = true;
}

/// Public facts for a plan about the model, the target and the method's groups.
void add_facts(const TrainingSetup& setup, const TrainingConfig& config, TrainingFacts& facts) {
  facts.num_parameters = setup.model->num_parameters();
  facts.max_records_per_unit = setup.schema.max_records_per_unit;
  facts.sum_error = setup.model->sum_error(1);
  facts.max_exact_units = setup.model->max_exact_units();
  facts.num_outputs = setup.model->num_outputs();
  facts.model = setup.model->name();
  if (model_facts(facts.model).is_linear) facts.row_norm = typical_row_norm(setup.schema);
  facts.target = target_scale(setup.schema.column(setup.schema.target));
  if (config.constraints != nullptr) {
    facts.num_groups = config.constraints->num_contexts;
    if (setup.model_groups)
      facts.groups = public_groups_of(*setup.model_groups, setup.schema.num_records);
  } else if (setup.row->uses_groups() && !setup.groupings.empty()) {
    facts.num_groups = setup.groupings[0].groups.size();
    facts.groups = public_groups_of(setup.groupings[0], setup.schema.num_records);
  }
}

/// Errors: kUsage for step options that the method does not support.
void check_steps(const TrainRequest& request, const TrainingSetup& setup) {
  const std::string_view own_steps = setup.row->steps_option;
  const int64_t asked_steps = request.num_steps.value_or(setup.plan.config.num_steps);
  if (!own_steps.empty() && asked_steps != setup.plan.config.num_steps) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} has another option for its steps; say {} {} instead of --steps",
                            setup.row->name, flag_of(own_steps), asked_steps));
  }
  if (setup.plan.config.num_steps == 1 && asked_steps != 1) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} takes one step, got --steps {}; leave it out", setup.row->name,
                            asked_steps));
  }
}

}  // namespace

std::vector<Event> TrainingSetup::events(const std::string& split_name) const {
  if (!evaluation_noise) return plan.events();
  return {train_and_evaluate(plan.events(), *evaluation_noise, histograms.size(), split_name)};
}

std::vector<Event> TrainingSetup::events_of(size_t k) const {
  if (!evaluation_noise) return plan.events_of(k);
  return {
      train_and_evaluate(plan.events_of(k), *evaluation_noise, histograms.size(), kPlannedSplit)};
}

TrainingConfig config_for(const TrainRequest& request, int64_t num_train_records) {
  TrainingConfig config = request.config;
  config.batch_size = request.batch_size.value_or(default_batch_size(num_train_records));
  config.num_steps = request.num_steps.value_or(default_num_steps(num_train_records));
  return config;
}

TrainingSetup set_up_training(const TrainRequest& request) {
  TrainingSetup setup;
  setup.schema = load_schema(request.schema);
  setup.row = &find_training_method(request.method);
  const Schema& schema = setup.schema;
  require_reviewed(schema, request.schema.path.string(), request.public_data);
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}: training needs a target; add target = \"COLUMN\"",
                            request.schema.path.string()));
  }
  require_distinct(request.groupings);
  setup.method = setup.row->make();
  check_traits(request, schema, *setup.row);
  const bool has_own = request.model == "auto" && !setup.row->own_model.empty();
  std::unique_ptr<Model> model = make_model(
      has_own ? setup.row->own_model : std::string_view(request.model), schema, request.network);
  for (const std::vector<std::string>& columns : request.groupings) {
    setup.groupings.push_back(list_groups(schema, columns, request.group_floor));
  }
  setup.sizes = split_sizes(schema.num_records, request.test_fraction, schema.units_name());
  TrainingFacts facts;
  facts.num_records = setup.sizes.train;
  TrainingConfig config = config_for(request, facts.num_records);
  if (request.overlapping) take_intersections(request, setup, config, facts.overlapping);
  if (has_constraints(request)) {
    SettledConstraints settled =
        settle_constraints(schema, setup.sizes, request.constraints_path, request.constraints);
    setup.judged_by = std::move(settled.program);
    setup.constraints = std::move(settled.json);
    setup.notes = std::move(settled.notes);
  }
  if (setup.row->uses_constraints) config.constraints = setup.judged_by;
  if (setup.row->has_model_per_group) {
    model = setup.row->uses_constraints
                ? model_per_context(std::move(model), setup)
                : model_per_group(std::move(model), setup, request.group_floor);
  }
  setup.model = std::move(model);
  add_facts(setup, config, facts);
  check_followed(kWhere, *setup.row, config);
  check_residual_share(kWhere, config, facts);
  SettledPlan settled = settle_plan(
      *setup.method, config, facts, {request.settles_learning_rate, request.settles_clip},
      setup.groupings.empty() ? nullptr : &setup.groupings[0], request.group_floor, schema);
  setup.plan = std::move(settled.plan);
  setup.pooled = std::move(settled.pooled);
  if (setup.row->compares_groups && !setup.groupings.empty()) {
    const std::vector<std::string> empty = names_of_empty_groups(setup.groupings[0]);
    if (!empty.empty())
      setup.plan.notes.push_back(
          fmt::format("groups that the schema declares to be empty are not trained: {}",
                      fmt::join(empty, "; ")));
  }
  if (schema.has_unit_column()) {
    setup.plan.notes.push_back(fmt::format(
        "batches, sizes and figures are of {}: the gradients of a unit's rows, of which at most {} "
        "count, are summed, then clipped, and where the model is judged each unit counts once",
        schema.units_name(), schema.max_records_per_unit));
  }
  if (!request.why_method.empty())
    setup.plan.notes.push_back(
        fmt::format("method auto chose {}: {}", setup.row->name, request.why_method));
  if (settled.refusal) throw Error(ErrorKind::kUsage, kWhere, *settled.refusal);
  check_steps(request, setup);
  if (settled.warning) setup.noise_warnings.push_back(std::move(*settled.warning));
  if (facts.row_norm > 0 && facts.num_records < static_cast<int64_t>(facts.num_parameters))
    setup.notes.push_back(fmt::format(
        "the model has {} parameters and only {} {} to train on: most of what it learns will "
        "be chance and noise; leave columns out, or merge categories",
        facts.num_parameters, facts.num_records, schema.units_name()));
  for (std::string& warning : small_cell_warnings(setup)) setup.notes.push_back(std::move(warning));
  plan_evaluation(request, setup);
  setup.private_run = setup.privacy.has_value() && !request.insecure_seed;
  return setup;
}

Purchase purchase_of(const TrainingSetup& setup, const TrainRequest& request) {
  return {setup.schema.dataset,
          ProtectedUnit::of(setup.schema),
          setup.events(),
          setup.plan.config.relation,
          Delta(request.config.delta),
          fmt::format("train {} for {}", setup.plan.method, setup.schema.target),
          request.ledger_path,
          request.ledger_key};
}

void require_affordable(const Ledger& ledger, const TrainingSetup& setup,
                        const TrainRequest& request) {
  Purchase purchase = purchase_of(setup, request);
  try {
    require_affordable(ledger, purchase);
  } catch (const Error& refusal) {
    if (refusal.kind() != ErrorKind::kBudget || !setup.evaluation_noise) throw;
    bool fits_without = true;
    purchase.events = setup.plan.events();
    try {
      require_affordable(ledger, purchase);
    } catch (const Error&) {
      fits_without = false;
    }
    if (!fits_without) throw;
    throw Error(
        ErrorKind::kBudget, kWhere,
        fmt::format("the run fits into the account only without its private evaluation ({}): {}",
                    setup.plan.config.constraints != nullptr ? "--no-private-evaluation"
                                                             : "leave out --private-evaluation",
                    refusal.what()));
  }
}

void add_ledger_statement(const Ledger& ledger, const TrainingSetup& setup,
                          const TrainRequest& request, bool paid, TrainingReport& report) {
  report.ledger = ledger_statement(ledger, purchase_of(setup, request), report.warnings);
  LedgerStatement& statement = *report.ledger;
  if (paid) {
    statement.spent_after = statement.spent_before;
    report.evaluation_cost.reset();
  } else if (setup.evaluation_noise) {
    const Guarantee without = ledger.spent_with(setup.schema.dataset, setup.plan.events(),
                                                {setup.plan.config.relation, setup.schema.unit});
    report.evaluation_cost = {statement.spent_after.epsilon, without.epsilon,
                              statement.spent_before.epsilon};
  }
}

}  // namespace equinoise
