// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/planned_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/lists.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/train/training_output.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/noise_reach.h"
#include "equinoise/train/overlapping_groups.h"

namespace equinoise {

namespace {

NamedFigures settings_of(const TrainingSetup& setup) {
  const TrainingPlan& plan = setup.plan;
  const TrainingConfig& config = plan.config;
  NamedFigures settings = {
      {"num_train_records", static_cast<double>(plan.facts.num_records)},
      {"num_test_records", static_cast<double>(setup.sizes.test)},
      {"num_parameters", static_cast<double>(plan.facts.num_parameters)},
      {"num_steps", static_cast<double>(config.num_steps)},
  };
  if (!setup.row->takes_full_batches)
    settings.insert(settings.end(),
                    {{"batch_size", config.batch_size}, {"sample_rate", plan.sample_rate}});
  const auto add_followed = [&](const char* name, double value) {
    if (setup.row->follows(name)) settings.emplace_back(name, value);
  };
  add_followed("learning_rate", config.learning_rate);
  add_followed("final_learning_rate", config.final_learning_rate);
  add_followed("tail_average", tail_average_of(config));
  if (setup.row->follows("optimizer"))
    for (auto& setting : optimizer_settings(config.optimizer))
      settings.push_back(std::move(setting));
  if (plan.privacy) {
    add_followed("max_grad_norm", config.max_grad_norm);
    settings.insert(settings.end(), {{"noise_multiplier", plan.noise_multiplier},
                                     {"noise_stddev", plan.noise_stddev}});
  }
  if (plan.privacy && model_facts(plan.facts.model).is_convex) {
    if (const std::optional<NoiseReach> reach = setup.method->noise_reach(plan))
      settings.emplace_back(kParameterNoise, reach->parameter_stddev);
  }
  append(settings, plan.settings);
  if (setup.evaluation_noise)
    settings.emplace_back("evaluation_noise_stddev", *setup.evaluation_noise);
  return settings;
}

std::vector<FeatureReport> features_of(const Schema& schema) {
  std::vector<FeatureReport> features;
  if (schema.image) {
    const ImageShape& shape = *schema.image;
    features.push_back(
        {"pixels", fmt::format("{} x {} {}, each within 0 to 1", shape.height, shape.width,
                               shape.channels == 1 ? "grey" : "in three colours")});
  }
  for (const ColumnSchema& column : schema.columns) {
    if (!column.feature || column.name == schema.target) continue;
    if (column.type == ColumnType::kNumeric) {
      features.push_back(
          {column.name, fmt::format("numeric, within {} to {}", column.lower, column.upper)});
    } else if (column.type == ColumnType::kCategorical) {
      features.push_back({column.name, fmt::format("{} categories", column.categories().size())});
    }
  }
  return features;
}

/// The columns of a table that are neither features nor the target.
std::vector<std::string> columns_left_out(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) {
    const bool is_feature = column.feature && column.type != ColumnType::kIgnored;
    if (!is_feature && column.name != schema.target) names.push_back(column.name);
  }
  return names;
}

/// The guarantee of members of group `k`, if groups pay separately.
Guarantee guarantee_of_group(const TrainingSetup& setup, size_t k) {
  const TrainingPlan& plan = setup.plan;
  return smallest_guarantee(plan.config.relation, setup.events_of(k), plan.privacy->delta);
}

/// The group's share of all records by public size, including the weights of records if groups pay
/// separately; for a group that overlaps others the sum over its intersections.
std::optional<double> expected_weight(const TrainingSetup& setup, const Grouping& grouping,
                                      size_t group) {
  const Grouping& first = setup.groupings[0];
  const bool has_weights =
      !setup.plan.group_weights.empty() && (&grouping == &first || setup.overlapping);
  std::vector<size_t> parts = {group};
  if (has_weights && &grouping != &first) parts = intersections_of(grouping, group, first);
  const Grouping& summed = has_weights ? first : grouping;
  double weight = 0;
  for (const size_t part : parts) {
    const std::optional<int64_t>& size = summed.public_sizes[part];
    if (!size) return std::nullopt;
    weight += static_cast<double>(*size) / static_cast<double>(setup.schema.num_records) *
              (has_weights ? setup.plan.group_weights[part] : 1);
  }
  return weight;
}

/// The groups of all groupings with their public facts.
std::vector<GroupReport> public_groups(const TrainingSetup& setup,
                                       const std::optional<Guarantee>& privacy) {
  std::vector<GroupReport> reports;
  for (const Grouping& grouping : setup.groupings) {
    // The groups of the first grouping may pay separately, and so may those of the others if the
    // first one is their intersections.
    const bool pays_apart = reports.empty() && !setup.plan.group_bounds.empty();
    const bool is_of_intersections =
        setup.overlapping && !reports.empty() && !setup.plan.group_bounds.empty();
    for (size_t i = 0; i < grouping.groups.size(); ++i) {
      GroupReport report;
      report.group = grouping.groups[i];
      report.public_size = grouping.public_sizes[i];
      report.privacy = pays_apart && privacy ? guarantee_of_group(setup, i) : privacy;
      if (is_of_intersections && privacy) {
        report.privacy.reset();
        for (const size_t inside : intersections_of(grouping, i, setup.groupings[0])) {
          const Guarantee& found = *reports[inside].privacy;
          if (!report.privacy || report.privacy->epsilon.value() < found.epsilon.value())
            report.privacy = found;
        }
      }
      if (setup.plan.privacy) {
        report.noise_stddev = setup.plan.noise_stddev;
        const std::optional<double> counts = expected_weight(setup, grouping, i);
        if (counts && *counts > 0 && setup.row->follows("max_grad_norm")) {
          report.relative_noise =
              setup.plan.noise_stddev /
              (setup.plan.config.max_grad_norm * setup.plan.config.batch_size * *counts);
        }
      }
      reports.push_back(std::move(report));
    }
  }
  return reports;
}

PrivacyStatus status_of(const TrainingSetup& setup, const TrainRequest& request) {
  const bool method_is_private = setup.row->status == PrivacyStatus::kPrivate;
  if (request.insecure_seed && method_is_private) return PrivacyStatus::kInsecureRng;
  // The account does not cover facts that a drafted schema learnt from the data.
  return setup.schema.reviewed ? setup.row->status : PrivacyStatus::kNotPrivate;
}

}  // namespace

TrainingReport begin_report(const TrainingSetup& setup, const TrainRequest& request) {
  const Schema& schema = setup.schema;
  TrainingReport report;
  report.version = EQUINOISE_VERSION;
  report.dataset = schema.dataset;
  report.method = setup.plan.method;
  report.source = setup.row->source;
  report.status = status_of(setup, request);
  report.settings = settings_of(setup);
  report.options = method_settings(request, setup);
  if (setup.row->follows("optimizer")) report.optimizer = setup.plan.config.optimizer.name;
  report.model = setup.model->name();
  if (setup.judged_by != nullptr) {
    report.constraints_text = setup.constraints;
    for (const RateProgram::Constraint& constraint : setup.judged_by->constraints)
      report.constraints.push_back({constraint.name, constraint.text, constraint.slack});
  }
  if (setup.plan.config.constraints != nullptr) {
    report.method_groups = setup.plan.config.constraints->attributes;
  } else if (setup.plan.facts.num_groups > 0) {
    report.method_groups = setup.groupings[0].columns;
    report.trained_groups = setup.pooled ? setup.pooled->groups : setup.groupings[0].groups;
  }
  report.model_per_group = setup.model_groups.has_value();
  report.network = settled_options(report.model, request.network);
  if (report.network) {
    report.settings.emplace_back("init_seed", static_cast<double>(request.network.init_seed));
  }
  report.target = schema.target;
  report.unit = ProtectedUnit::of(schema);
  report.classes = schema.column(schema.target).values;
  report.features = features_of(schema);
  report.columns_left_out = columns_left_out(schema);
  report.test_fraction = request.test_fraction;
  report.split_seed = request.split_seed;
  for (const PlanItem& item : setup.plan.items) report.costs.push_back({item.label, item.event});
  report.evaluation_noise_stddev = setup.evaluation_noise;
  report.why_not_evaluated = setup.why_not_evaluated;
  if (setup.evaluation_noise) {
    // Training is the first of the groups in parallel.
    const Event evaluation = setup.events()[0].events()[1];
    report.costs.push_back({"in parallel, on held-out records only: counts", evaluation});
    report.evaluates_groups = setup.evaluates_groups;
  }
  if (!request.insecure_seed) {
    if (setup.evaluation_noise)
      report.evaluation_cost = {setup.privacy->epsilon, setup.plan.privacy->epsilon, Epsilon(0)};
    report.privacy = setup.privacy;
    report.by_rdp = setup.by_rdp;
  }
  if (is_private(report)) {
    const Relation relation = setup.plan.config.relation;
    report.protection = Protection{
        relation, ProtectedUnit::of(schema), {}, attack_bounds(relation, setup.events())};
    if (setup.row->takes_groups_as_public || groups_pay_apart(setup.plan.events()))
      report.protection->public_groups = report.method_groups;
  }
  report.overall.privacy = report.privacy;
  report.overall.public_size = schema.num_records;
  report.groups = public_groups(setup, report.privacy);
  report.command = request.command;
  report.schema_text = schema.source_text;
  report.drops_incomplete = schema.missing_use == MissingUse::kDrop;
  report.schema_reviewed = schema.reviewed;
  append(report.warnings, setup.notes);
  if (!setup.outlook.empty()) report.warnings.push_back(setup.outlook);
  append(report.warnings, setup.noise_warnings);
  if (setup.plan.is_choice) {
    report.warnings.emplace_back(
        "the cost is that of the best of a random number of runs, and this number must stay "
        "secret: the training time reveals it, so do not publish when training began and ended "
        "(times of files and of ledger entries), and do not stop it because it takes long");
    report.conditions.push_back(report.warnings.back());
  }
  if (!setup.plan.privacy && setup.plan.noise_multiplier > 0) {
    report.warnings.push_back(fmt::format(
        "the noise of {} gives no guarantee, however large it is: the model is not private",
        setup.plan.method));
  }
  if (pay_apart(report.groups)) {
    const auto costs_less = [](const GroupReport& a, const GroupReport& b) {
      return a.privacy->epsilon.value() < b.privacy->epsilon.value();
    };
    std::vector<GroupReport> groups;
    const std::vector<GroupingRows> groupings = groupings_of(report.groups);
    for (const GroupReport& group : groupings[0].groups)
      if (group.public_size != 0) groups.push_back(group);
    const auto weakest = std::ranges::max_element(groups, costs_less);
    const auto strongest = std::ranges::min_element(groups, costs_less);
    const auto others = std::ranges::count_if(groups, [&](const GroupReport& group) {
      return &group != &*weakest && !costs_less(group, *weakest);
    });
    report.warnings.push_back(fmt::format(
        "groups have different guarantees: the weakest is that of members of {} ({}){}, epsilon "
        "{}; the strongest is that of members of {}, epsilon {}",
        values_of(weakest->group), columns_of(weakest->group),
        others > 0 ? fmt::format(" and {} more group{}", others, others > 1 ? "s" : "") : "",
        format_epsilon(weakest->privacy->epsilon), values_of(strongest->group),
        format_epsilon(strongest->privacy->epsilon)));
  }
  report.notes = setup.plan.notes;
  if (!setup.plan.noise_follows.empty()) {
    report.notes.push_back(fmt::format(
        "the noise of a step depends on {}; the reported noise is that of the smallest step",
        setup.plan.noise_follows));
  }
  report.keeps_parameter_names = !schema.image;
  if (setup.plan.privacy) {
    const std::string warning =
        large_delta_warning(request.config.delta, schema.num_records, schema.size_key());
    if (!warning.empty()) report.warnings.push_back(warning);
  }
  return report;
}

}  // namespace equinoise
