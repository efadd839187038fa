// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/constraints/few_records.h"
#include "equinoise/constraints/settled_constraints.h"
#include "equinoise/models/additive.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/tasks/train/trait_refusals.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/overlapping_groups.h"
#include "equinoise/train/quiet_plan.h"
#include "equinoise/train/regression/residual_mean.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";

/// The reason why the run has no private evaluation; "" if it has one, or none is expected. An
/// impossible evaluation that was requested is refused.
std::string why_not_evaluated(const TrainRequest& request, const TrainingSetup& setup) {
  const Refusal refuse{ErrorKind::kUsage, kWhere};
  const bool has_constraints = setup.plan.config.constraints != nullptr;
  const bool is_asked_for = request.private_evaluation.value_or(false) || request.evaluation_noise;
  if (!has_constraints && !is_asked_for) {
    if (request.private_evaluation)
      refuse(
          "--no-private-evaluation leaves out the private evaluation of constraints, but there are "
          "none");
    return "";
  }
  if (request.evaluation_noise) {
    if (request.private_evaluation == false)
      refuse(
          "--evaluation-noise belongs to the private evaluation, which --no-private-evaluation "
          "leaves out");
    check_interval(kWhere, "evaluation_noise", *request.evaluation_noise,
                   kMinDiscreteGaussianStddev, kMaxDiscreteGaussianStddev);
  }
  if (!setup.plan.privacy) {
    const std::string why = fmt::format("{} has no guarantee", setup.row->name);
    if (is_asked_for) refuse("a private evaluation needs a private model: {}", why);
    return why;
  }
  if (request.private_evaluation == false) return "--no-private-evaluation left it out";
  if (setup.schema.column(setup.schema.target).values.empty())
    refuse(
        "a private evaluation counts predicted classes, but {} is a number; a paid "
        "release of its errors is not available",
        setup.schema.target);
  if (setup.sizes.test > 0) return "";
  if (is_asked_for)
    refuse("a private evaluation needs held-out records; give a --test-fraction above 0");
  return "no records are held out (--test-fraction)";
}

/// The counts of the private evaluation: for the constraints, and for accuracy by group if that was
/// requested or there are no constraints.
void list_histograms(const TrainRequest& request, TrainingSetup& setup) {
  const auto& constraints = setup.plan.config.constraints;
  if (constraints != nullptr) setup.histograms.push_back(constraints);
  setup.evaluates_groups = constraints == nullptr || request.private_evaluation.value_or(false);
  if (!setup.evaluates_groups) return;
  const std::vector<std::string>& classes = setup.schema.column(setup.schema.target).values;
  if (classes.size() == 2 && setup.schema.favourable == classes[0]) {
    setup.notes.push_back(fmt::format(
        "rates of the private evaluation are of {}; for those of {}, which is favourable, list it "
        "second in the values of {}",
        classes[1], classes[0], setup.schema.target));
  }
  if (classes.size() == 2 && setup.schema.favourable.empty() && !setup.groupings.empty()) {
    setup.notes.push_back(fmt::format(
        "ratios of selection rates in the private evaluation are of {}, as the schema declares no "
        "favourable class: state favourable = \"CLASS\" beside target",
        classes[1]));
  }
  const auto add = [&](const std::vector<GroupLabel>& groups) {
    setup.histograms.push_back(
        std::make_shared<const RateProgram>(group_rate_program(groups, classes.size())));
  };
  for (const Grouping& grouping : setup.groupings) add(grouping.groups);
  if (setup.groupings.empty()) add({});
}

/// The smallest noise at which no group pays more than for the training. If groups pay separately,
/// the group with the cheapest training decides.
double settled_evaluation_noise(const TrainingSetup& setup) {
  const TrainingPlan& plan = setup.plan;
  std::vector<Event> events = plan.events();
  Guarantee claimed = *plan.privacy;
  std::optional<Guarantee> by_rdp = plan.by_rdp;
  for (size_t k = 0; k < plan.group_bounds.size(); ++k) {
    std::vector<Event> of_group = plan.events_of(k);
    Guarantee found = smallest_guarantee(plan.config.relation, of_group, claimed.delta);
    // A group that is declared empty pays nothing and has no members.
    if (found.epsilon.value() == 0 || found.epsilon.value() >= claimed.epsilon.value()) continue;
    events = std::move(of_group);
    by_rdp = told_by_rdp(plan.config.relation, events, claimed.delta);
    claimed = std::move(found);
  }
  return min_evaluation_noise(events, setup.histograms.size(), claimed, by_rdp);
}

/// Settles the counts and the noise of the private evaluation, if any, the cost of the whole run,
/// and warnings about groups for which the evaluation will be uninformative. Errors: kUsage for a
/// requested evaluation that is impossible.
void plan_evaluation(const TrainRequest& request, TrainingSetup& setup) {
  const TrainingPlan& plan = setup.plan;
  setup.privacy = plan.privacy;
  setup.by_rdp = plan.by_rdp;
  setup.why_not_evaluated = why_not_evaluated(request, setup);
  const bool is_expected = plan.config.constraints != nullptr ||
                           request.private_evaluation.value_or(false) || request.evaluation_noise;
  if (!is_expected || !setup.why_not_evaluated.empty()) return;
  list_histograms(request, setup);
  try {
    setup.evaluation_noise =
        request.evaluation_noise ? *request.evaluation_noise : settled_evaluation_noise(setup);
  } catch (const Error&) {
    if (request.private_evaluation) throw;
    setup.why_not_evaluated = "at any noise it would cost more than the training";
    return;
  }
  const Delta delta = plan.privacy->delta;
  setup.privacy = smallest_guarantee(plan.config.relation, setup.events(), delta);
  setup.by_rdp = told_by_rdp(plan.config.relation, setup.events(), delta);
  if (plan.config.epsilon && !(setup.privacy->epsilon.value() <= *plan.config.epsilon)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "with evaluation_noise {} the run costs epsilon {:.6g}, above the allowed {}; "
                "use more noise, or leave out --evaluation-noise",
                *setup.evaluation_noise, setup.privacy->epsilon.value(), *plan.config.epsilon);
  }
  std::vector<RateProgram::CellRate> rates;
  for (const auto& program : setup.histograms) append(rates, program->rates);
  for (std::string& warning : few_records_warnings(
           setup.schema, rates, static_cast<double>(setup.sizes.test), *setup.evaluation_noise,
           "held out", "the private evaluation will show little about it"))
    setup.notes.push_back(std::move(warning));
}

/// Refuses a request that the method does not support.
[[noreturn]] void refuse(const TrainingSetup& setup, const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, "{} {}", setup.row->name, problem);
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
  if (model_facts(facts.model).is_linear) {
    facts.row_norm = typical_row_norm(setup.schema);
    facts.typical_features = typical_features(setup.schema);
  }
  if (const auto* additive = dynamic_cast<const AdditiveModel*>(setup.model.get())) {
    facts.columns = encoded_columns(setup.schema).names;
    facts.num_numbers = additive->cells().size();
    for (const ColumnSchema& column : setup.schema.columns)
      if (column.feature && column.type == ColumnType::kNumeric)
        facts.directions.push_back(column.direction);
  }
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
                "{} has another option for its steps; say {} {} instead of --steps",
                setup.row->name, flag_of(own_steps), asked_steps);
  }
  if (setup.plan.config.num_steps == 1 && asked_steps != 1) {
    throw Error(ErrorKind::kUsage, kWhere, "{} takes one step, got --steps {}; leave it out",
                setup.row->name, asked_steps);
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
    throw Error(ErrorKind::kInput, kWhere, "{}: training needs a target; add target = \"COLUMN\"",
                request.schema.path.string());
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
    setup.outlook = std::move(settled.outlook);
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
  Purchase purchase{setup.schema.dataset,
                    ProtectedUnit::of(setup.schema),
                    setup.events(),
                    setup.plan.config.relation,
                    Delta(request.config.delta),
                    fmt::format("train {} for {}", setup.plan.method, setup.schema.target),
                    request.ledger_path,
                    request.ledger_key};
  if (request.config.epsilon)
    purchase.asked = {*request.config.epsilon,
                      [&request](double epsilon) {
                        TrainRequest other = request;
                        other.config.epsilon = epsilon;
                        return set_up_training(other).events();
                      },
                      // Auto may choose another one there.
                      request.why_method.empty() ? "" : " --method " + request.method};
  return purchase;
}

std::optional<Error> add_ledger_statement(const Ledger& ledger, const TrainingSetup& setup,
                                          const TrainRequest& request, bool paid,
                                          std::vector<std::string>& warnings,
                                          TrainingReport& report) {
  Purchase purchase = purchase_of(setup, request);
  if (paid) purchase.asked.reset();
  const auto [statement, refusal] = ask_ledger(ledger, purchase, warnings);
  report.ledger = statement;
  if (paid) {
    report.ledger->spent_after = statement.spent_before;
    report.ledger->fits.reset();
    report.evaluation_cost.reset();
    return std::nullopt;
  }
  if (!setup.evaluation_noise) return refusal;
  const LedgerQuote without =
      ledger.quote(purchase.dataset, setup.plan.events(), purchase.neighbours(), purchase.key);
  report.evaluation_cost = {statement.spent_after.epsilon, without.after.epsilon,
                            statement.spent_before.epsilon};
  if (!refusal || refusal->kind() != ErrorKind::kBudget || without.refusal) return refusal;
  return Error(ErrorKind::kBudget, kWhere,
               "the run fits into the account only without its private evaluation ({}): {}",
               setup.plan.config.constraints != nullptr ? "--no-private-evaluation"
                                                        : "leave out --private-evaluation",
               refusal->what());
}

}  // namespace equinoise
