// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/constraints/aim_margin.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/constraints/constraint_writer.h"
#include "equinoise/constraints/feasibility.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/train/overlapping_groups.h"
#include "equinoise/tasks/train/quiet_plan.h"
#include "equinoise/tasks/train/run_settings.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/regression/residual_mean.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";

std::vector<std::pair<std::string, double>> settings_of(const TrainingSetup& setup) {
  const TrainingPlan& plan = setup.plan;
  const TrainingConfig& config = plan.config;
  std::vector<std::pair<std::string, double>> settings = {
      {"num_train_records", static_cast<double>(plan.facts.num_records)},
      {"num_test_records", static_cast<double>(setup.sizes.test)},
      {"num_parameters", static_cast<double>(plan.facts.num_parameters)},
      {"num_steps", static_cast<double>(config.num_steps)},
  };
  if (!setup.method->takes_full_batches())
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
  settings.insert(settings.end(), plan.settings.begin(), plan.settings.end());
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

/// Whether who is in which group tells of the target.
bool has_target(const Grouping& grouping, const Schema& schema) {
  return std::any_of(grouping.columns.begin(), grouping.columns.end(), [&](const auto& name) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    return (attribute != nullptr ? attribute->column : name) == schema.target;
  });
}

/// The method does not do what it is asked for.
[[noreturn]] void refuse(const TrainingSetup& setup, const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, fmt::format("{} {}", setup.row->name, problem));
}

/// Errors: kUsage where the model could not find the groups of records again that it is used for.
void check_model_groups(const TrainingSetup& setup) {
  if (has_target(*setup.model_groups, setup.schema))
    refuse(setup,
           "must know the group of every record it predicts for, so the target cannot define the "
           "groups");
}

/// A model with a part like `base` for each context of the constraints; `base` where there is one.
std::unique_ptr<Model> model_per_context(std::unique_ptr<Model> base, TrainingSetup& setup) {
  if (setup.judged_by == nullptr || setup.judged_by->attributes.empty()) return base;
  setup.model_groups = list_groups(setup.schema, setup.judged_by->attributes);
  check_model_groups(setup);
  std::unique_ptr<Model> model = make_per_group(std::move(base), group_names(*setup.model_groups));
  if (model == nullptr) refuse(setup, "trains linear models; use --model logistic, or raco_dp");
  return model;
}

/// One model like `base` for each group of the first grouping. The public sizes say how fast each
/// learns. A group with fewer records to train on than its model has parameters is refused.
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

/// What members of group `k` have, where groups pay apart.
Guarantee guarantee_of_group(const TrainingSetup& setup, size_t k) {
  const TrainingPlan& plan = setup.plan;
  return smallest_guarantee(plan.config.relation, setup.events_of(k), plan.privacy->delta);
}

/// How much a group counts of all records, by its public size and what its records weigh where
/// groups pay apart; of a group that overlaps others the sum over its intersections.
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

/// The groups of all groupings with what is public about them.
std::vector<GroupReport> public_groups(const TrainingSetup& setup,
                                       const std::optional<Guarantee>& privacy) {
  std::vector<GroupReport> reports;
  for (const Grouping& grouping : setup.groupings) {
    // The groups of the first one may pay apart, and where they are the intersections of the others
    // so may those.
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
  // What a draft has learnt from the data is not part of the account.
  return setup.schema.reviewed ? setup.row->status : PrivacyStatus::kNotPrivate;
}

/// Sets how far below their slack training aims, and warns of slacks that so few records cannot
/// show.
void set_margins(const std::vector<RateConstraint>& constraints, const ConstraintDomain& domain,
                 TrainingSetup& setup, RateProgram& program) {
  const auto num_train = static_cast<double>(setup.sizes.train);
  const auto num_held_out = static_cast<double>(setup.sizes.test);
  const auto size_of = [&](const GroupLabel& group) { return setup.schema.public_size(group); };
  size_t num_hidden = 0;
  size_t worst = 0;
  double worst_part = 0;
  for (size_t j = 0; j < program.constraints.size(); ++j) {
    RateProgram::Constraint& constraint = program.constraints[j];
    const auto stddev_of = [&](double num_records) {
      return sampling_stddev(constraints[constraint.given], domain, num_records,
                             static_cast<double>(setup.schema.num_records), size_of);
    };
    constraint.margin = aim_margin(constraint.slack, stddev_of(num_train));
    const double held_out = stddev_of(num_held_out);
    if (!(constraint.slack > 0) || held_out <= constraint.slack) continue;
    ++num_hidden;
    if (held_out / constraint.slack <= worst_part) continue;
    worst = j;
    worst_part = held_out / constraint.slack;
  }
  if (num_hidden == 0) return;
  setup.notes.push_back(fmt::format(
      "{} of {} constraints are on groups with so few records that their values vary by more than "
      "the slack between one sample and another ({}: by a standard deviation of about {:.2g} times "
      "the slack among held-out records): whether the model keeps them will not be known; allow "
      "more slack, or merge groups",
      num_hidden, program.constraints.size(), program.constraints[worst].text, worst_part));
}

/// Leaves out, and tells of, constraints on groups that the schema declares to be empty: nobody can
/// say whether a model keeps them, and the noise on their rates would push everybody else.
/// Errors: kUsage where none is left.
void leave_out_empty_groups(const ConstraintDomain& domain, TrainingSetup& setup,
                            std::vector<RateConstraint>& constraints) {
  const auto size_of = [&](const GroupLabel& group) { return setup.schema.public_size(group); };
  const size_t num_given = constraints.size();
  std::string first;
  std::erase_if(constraints, [&](const RateConstraint& constraint) {
    const bool leaves = is_about_nobody(constraint, domain, size_of);
    if (leaves && first.empty()) first = constraint.name;
    return leaves;
  });
  if (constraints.size() == num_given) return;
  const std::string which =
      fmt::format("{} of {} constraints are on groups that the schema declares to be empty ({})",
                  num_given - constraints.size(), num_given, first);
  if (constraints.empty())
    throw Error(ErrorKind::kUsage, kWhere, which + "; correct [[public.groups]], or name others");
  setup.notes.push_back(which + ", and are left out");
}

/// Compiles the constraints of a request, if there are any.
std::shared_ptr<const RateProgram> compile_request(const TrainRequest& request,
                                                   TrainingSetup& setup) {
  if (request.constraints.empty() && request.constraints_path.empty()) return nullptr;
  if (!setup.method->uses_constraints() && !request.judges_by_constraints) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} does not support constraints; use raco_dp, or sgda without privacy",
                            setup.row->name));
  }
  if (request.explain_every > 0) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--explain-every explains steps along the gradient of the loss alone, which steps "
                "under constraints do not follow");
  }
  const ConstraintDomain domain = constraint_domain(setup.schema);
  std::vector<RateConstraint> constraints =
      gather_constraints(request.constraints_path, request.constraints, domain);
  leave_out_empty_groups(domain, setup, constraints);
  auto program =
      std::make_shared<RateProgram>(compile_constraints(domain, constraints, setup.notes));
  set_margins(constraints, domain, setup, *program);
  if (const std::optional<std::string> contradiction = find_contradiction(*program)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{}; allow more slack or leave a constraint out", *contradiction));
  }
  std::vector<RateConstraint> kept;
  for (const RateProgram::Constraint& constraint : program->constraints)
    kept.push_back(constraints[constraint.given]);
  setup.constraints = constraints_to_json(kept, domain);
  return program;
}

/// Errors: kUsage for a method that lowers something else than what is asked for.
void check_objective(const TrainRequest& request, const TrainingMethod& method) {
  const std::string_view own = method.compares_groups() ? "worst-group" : "average";
  if (request.objective.empty() || request.objective == own) return;
  std::vector<std::string_view> others;
  for (const TrainingMethodRow& row : training_methods())
    if (row.make()->compares_groups() != method.compares_groups()) others.push_back(row.name);
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("objective must be {} for this method, got \"{}\"; others: {}", own,
                          request.objective, fmt::join(others, ", ")));
}

/// What public sizes say of how many of some records a rate is about.
struct RateRecords {
  const RateProgram::CellRate* rate = nullptr;
  double expected = 0;    ///< with its labels, or all of its group where these are not public
  bool has_label = true;  ///< which of the two
  double noise = 0;       ///< on their number

  /// The part of `expected` that noise does not hide.
  double needed_share() const {
    constexpr double kEnough = 10;  // times the noise
    return kEnough * noise / expected;
  }
};

/// Nothing where no size is public.
std::optional<RateRecords> records_of(const RateProgram::CellRate& rate, const Schema& schema,
                                      double num_records, double noise_of_cell) {
  if (!rate.group) return std::nullopt;
  const double noise = noise_of_cell * std::sqrt(static_cast<double>(rate.denominator.size()));
  const double factor = num_records / static_cast<double>(schema.num_records);
  double expected = 0;
  bool has_label = true;
  for (const size_t label : rate.labels) {
    GroupLabel group = *rate.group;
    group.emplace_back(schema.target, schema.column(schema.target).values[label]);
    const std::optional<int64_t> size = schema.public_size(group);
    has_label = has_label && size;
    if (size) expected += factor * static_cast<double>(*size);
  }
  if (has_label && !rate.labels.empty()) return RateRecords{&rate, expected, true, noise};
  if (rate.group->empty()) {
    if (rate.labels.empty()) return std::nullopt;
    return RateRecords{&rate, num_records, false, noise};
  }
  const std::optional<int64_t> size = schema.public_size(*rate.group);
  if (!size) return std::nullopt;
  return RateRecords{&rate, factor * static_cast<double>(*size), rate.labels.empty(), noise};
}

/// Warns of rates of so few records that noise hides them: for each group of the worst one. Where
/// it is not public how many have the label of a rate, the warning says that, if a rare label would
/// be too few. `where`: "in a batch".
std::vector<std::string> few_records_warnings(const TrainingSetup& setup,
                                              std::span<const RateProgram::CellRate> rates,
                                              double num_records, double noise_of_cell,
                                              const char* where, const char* consequence) {
  constexpr double kRare = 0.05;
  std::vector<RateRecords> few;
  std::optional<RateRecords> unknown;
  size_t num_unknown = 0;
  const auto is_worse = [](const RateRecords& a, const RateRecords& b) {
    return a.needed_share() > b.needed_share();
  };
  for (const RateProgram::CellRate& rate : rates) {
    const std::optional<RateRecords> found =
        records_of(rate, setup.schema, num_records, noise_of_cell);
    if (!found) continue;
    if (found->needed_share() > 1) {
      const auto same = std::find_if(few.begin(), few.end(), [&](const RateRecords& other) {
        return other.rate->group == rate.group;
      });
      if (same == few.end()) {
        few.push_back(*found);
      } else if (is_worse(*found, *same)) {
        *same = *found;
      }
    } else if (!found->has_label && found->needed_share() > kRare) {
      ++num_unknown;
      if (!unknown || is_worse(*found, *unknown)) unknown = found;
    }
  }
  std::vector<std::string> warnings;
  for (const RateRecords& found : few) {
    warnings.push_back(fmt::format(
        "{}: {}about {:.3g} such records are {}, and the noise on their number is {:.2g}, so {}",
        found.rate->text, found.has_label ? "" : "at most ", found.expected, where, found.noise,
        consequence));
  }
  if (unknown) {
    warnings.push_back(fmt::format(
        "{}{}: how many records have this label is not public. If fewer than {:.2g} % of the group "
        "do, too few are {} for the noise on their number, {:.2g}, and {}; [[public.groups]] by {} "
        "would tell",
        unknown->rate->text,
        num_unknown > 1 ? fmt::format(" and {} more rates", num_unknown - 1) : "",
        100 * unknown->needed_share(), where, unknown->noise, consequence, setup.schema.target));
  }
  return warnings;
}

/// Of the constraints in the batches of training, by the noise that the mean over steps leaves.
std::vector<std::string> small_cell_warnings(const TrainingSetup& setup) {
  const TrainingConfig& config = setup.plan.config;
  if (config.constraints == nullptr || !setup.plan.privacy) return {};
  const std::unique_ptr<ClipPolicy> clip = setup.method->make_clip(config, setup.plan.facts);
  const auto* rates = dynamic_cast<const RateLagrangian*>(clip->term());
  if (rates == nullptr) return {};
  return few_records_warnings(
      setup, config.constraints->rates, config.batch_size,
      rates->smoothed_stddev(setup.plan.side_noise_stddev), "in a batch",
      "its constraints will be kept poorly; use larger batches, or merge groups");
}

/// Why the run has no private evaluation; "" where it has one, and where nobody expects one. What
/// is asked for and cannot be is refused.
std::string why_not_evaluated(const TrainRequest& request, const TrainingSetup& setup) {
  const auto refuse = [](const std::string& problem) {
    throw Error(ErrorKind::kUsage, kWhere, problem);
  };
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
    if (is_asked_for) refuse(fmt::format("a private evaluation needs a private model: {}", why));
    return why;
  }
  if (request.private_evaluation == false) return "--no-private-evaluation left it out";
  if (setup.schema.column(setup.schema.target).values.empty())
    refuse(
        fmt::format("a private evaluation counts predicted classes, but {} is a number; a paid "
                    "release of its errors is not available",
                    setup.schema.target));
  if (setup.sizes.test > 0) return "";
  if (is_asked_for)
    refuse("a private evaluation needs held-out records; give a --test-fraction above 0");
  return "no records are held out (--test-fraction)";
}

/// What the private evaluation counts: how constraints are kept, and where it was asked for, or
/// there are none, how often the model is right about groups.
void list_histograms(const TrainRequest& request, TrainingSetup& setup) {
  const auto& constraints = setup.plan.config.constraints;
  if (constraints != nullptr) setup.histograms.push_back(constraints);
  setup.evaluates_groups = constraints == nullptr || request.private_evaluation.value_or(false);
  if (!setup.evaluates_groups) return;
  const size_t num_classes = setup.schema.column(setup.schema.target).values.size();
  const auto add = [&](const std::vector<GroupLabel>& groups) {
    setup.histograms.push_back(
        std::make_shared<const RateProgram>(group_rate_program(groups, num_classes)));
  };
  for (const Grouping& grouping : setup.groupings) add(grouping.groups);
  if (setup.groupings.empty()) add({});
}

/// The least noise with which nobody is charged more than for the training: where groups pay apart
/// those whose training costs least decide.
double settled_evaluation_noise(const TrainingSetup& setup) {
  const TrainingPlan& plan = setup.plan;
  std::vector<Event> events = plan.events();
  Guarantee claimed = *plan.privacy;
  std::optional<Guarantee> by_rdp = plan.by_rdp;
  for (size_t k = 0; k < plan.group_bounds.size(); ++k) {
    std::vector<Event> of_group = plan.events_of(k);
    Guarantee found = smallest_guarantee(plan.config.relation, of_group, claimed.delta);
    // A group that is declared to be empty pays nothing, and has nobody.
    if (found.epsilon.value() == 0 || found.epsilon.value() >= claimed.epsilon.value()) continue;
    events = std::move(of_group);
    by_rdp = told_by_rdp(plan.config.relation, events, claimed.delta);
    claimed = std::move(found);
  }
  return least_evaluation_noise(events, setup.histograms.size(), claimed, by_rdp);
}

/// Settles the noise of the private evaluation, if there is to be one, and what all of the run
/// costs.
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
    throw Error(
        ErrorKind::kUsage, kWhere,
        fmt::format("with evaluation_noise {} the run costs epsilon {:.6g}, above the allowed {}; "
                    "use more noise, or leave out --evaluation-noise",
                    *setup.evaluation_noise, setup.privacy->epsilon.value(), *plan.config.epsilon));
  }
}

/// Of what the private evaluation counts.
std::vector<std::string> unseen_group_warnings(const TrainingSetup& setup) {
  if (!setup.evaluation_noise) return {};
  std::vector<RateProgram::CellRate> rates;
  for (const auto& program : setup.histograms)
    rates.insert(rates.end(), program->rates.begin(), program->rates.end());
  return few_records_warnings(setup, rates, static_cast<double>(setup.sizes.test),
                              *setup.evaluation_noise, "held out",
                              "the private evaluation will show little about it");
}

/// The first grouping becomes the intersections of all of them, which are the cells of groups that
/// overlap.
void take_intersections(const TrainRequest& request, TrainingSetup& setup, TrainingConfig& config,
                        OverlappingGroups& overlapping) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(ErrorKind::kUsage, kWhere, problem);
  };
  if (!setup.method->takes_overlapping_groups()) {
    refuse(
        fmt::format("only group_weighted and dpse support --overlapping; {} needs disjoint groups, "
                    "and those of several --groups are not disjoint",
                    setup.row->name));
  }
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

/// Refuses what would bound, or tell of, rows where a unit has several of them. Errors: kUsage.
void check_units(const TrainRequest& request, const TrainingSetup& setup) {
  const std::string& unit = setup.schema.unit;
  const auto refuse_rows = [&](std::string_view what, const std::string& instead = "") {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{}, and a {} may have several rows (unit = \"{}\" in the schema){}",
                            what, unit, unit, instead));
  };
  if (!setup.method->supports_units()) {
    std::vector<std::string_view> others;
    for (const TrainingMethodRow& row : training_methods())
      if (row.make()->supports_units()) others.push_back(row.name);
    refuse_rows(fmt::format("{} takes each row as a unit", setup.row->name),
                fmt::format("; use one of {}", fmt::join(others, ", ")));
  }
  if (!request.constraints.empty() || !request.constraints_path.empty())
    refuse_rows("constraints are on rates among rows");
  if (request.overlapping) refuse_rows("--overlapping takes each row as a unit");
  if (request.private_evaluation.value_or(false) || request.evaluation_noise)
    refuse_rows("a private evaluation counts rows");
  if (request.explain_every > 0) refuse_rows("--explain-every explains gradients of rows");
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

PublicGroups public_groups_of(const Grouping& grouping, int64_t num_records) {
  PublicGroups groups;
  groups.partition = grouping.partition;
  groups.names = group_names(grouping);
  for (const std::optional<int64_t>& size : grouping.public_sizes) {
    groups.shares.emplace_back();
    if (size) groups.shares.back() = static_cast<double>(*size) / static_cast<double>(num_records);
  }
  return groups;
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
  if (schema.has_unit_column()) check_units(request, setup);
  const bool has_own = request.model == "auto" && !setup.method->own_model().empty();
  std::unique_ptr<Model> model =
      make_model(has_own ? setup.method->own_model() : std::string_view(request.model), schema,
                 request.network);
  for (const std::vector<std::string>& columns : request.groupings) {
    setup.groupings.push_back(list_groups(schema, columns, request.group_floor));
  }
  setup.sizes = split_sizes(schema.num_records, request.test_fraction, schema.units_name());
  TrainingFacts facts;
  facts.num_records = setup.sizes.train;
  TrainingConfig config = config_for(request, facts.num_records);
  if (request.overlapping) take_intersections(request, setup, config, facts.overlapping);
  if (setup.method->takes_groups_as_public() && !setup.groupings.empty() &&
      has_target(setup.groupings[0], schema)) {
    throw Error(
        ErrorKind::kUsage, kWhere,
        fmt::format(
            "{} protects a record's values, not which group it is in, so with groups by the target "
            "{} no record's target would be protected; group by other columns or use mgr_w",
            setup.row->name, schema.target));
  }
  setup.judged_by = compile_request(request, setup);
  if (setup.method->uses_constraints()) config.constraints = setup.judged_by;
  if (setup.method->has_model_per_group()) {
    model = setup.method->uses_constraints()
                ? model_per_context(std::move(model), setup)
                : model_per_group(std::move(model), setup, request.group_floor);
  }
  setup.model = std::move(model);
  facts.num_parameters = setup.model->num_parameters();
  facts.max_records_per_unit = schema.max_records_per_unit;
  facts.sum_error = setup.model->sum_error(1);
  facts.max_exact_units = setup.model->max_exact_units();
  facts.num_outputs = setup.model->num_outputs();
  facts.model = setup.model->name();
  if (model_facts(facts.model).is_linear) facts.row_norm = typical_row_norm(schema);
  facts.target = target_scale(schema.column(schema.target));
  if (config.constraints != nullptr) {
    facts.num_groups = config.constraints->num_contexts;
    if (setup.model_groups)
      facts.groups = public_groups_of(*setup.model_groups, schema.num_records);
  } else if (setup.method->uses_groups() && !setup.groupings.empty()) {
    facts.num_groups = setup.groupings[0].groups.size();
    facts.groups = public_groups_of(setup.groupings[0], schema.num_records);
  }
  check_objective(request, *setup.method);
  check_followed(kWhere, *setup.row, config);
  check_residual_share(kWhere, config, facts);
  SettledPlan settled =
      settle_plan(request, *setup.method, config, facts,
                  setup.groupings.empty() ? nullptr : &setup.groupings[0], schema);
  setup.plan = std::move(settled.plan);
  setup.pooled = std::move(settled.pooled);
  if (setup.method->compares_groups() && !setup.groupings.empty()) {
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
  if (settled.refusal) throw Error(ErrorKind::kUsage, kWhere, *settled.refusal);
  const std::string_view own_steps = setup.method->steps_option();
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
  if (settled.warning) setup.noise_warnings.push_back(std::move(*settled.warning));
  if (facts.row_norm > 0 && facts.num_records < static_cast<int64_t>(facts.num_parameters))
    setup.notes.push_back(fmt::format(
        "the model has {} parameters and only {} {} to train on: most of what it learns will "
        "be chance and noise; leave columns out, or merge categories",
        facts.num_parameters, facts.num_records, schema.units_name()));
  plan_evaluation(request, setup);
  for (std::string& warning : small_cell_warnings(setup)) setup.notes.push_back(std::move(warning));
  for (std::string& warning : unseen_group_warnings(setup))
    setup.notes.push_back(std::move(warning));
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
  report.unit = schema.unit;
  report.unit_stated = schema.unit_answer == UnitAnswer::kStated;
  report.max_records_per_unit = schema.max_records_per_unit;
  report.classes = schema.column(schema.target).values;
  report.features = features_of(schema);
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
    if (setup.method->takes_groups_as_public() || groups_pay_apart(setup.plan.events()))
      report.protection->public_groups = report.method_groups;
  }
  report.overall.privacy = report.privacy;
  report.overall.public_size = schema.num_records;
  report.groups = public_groups(setup, report.privacy);
  report.command = request.command;
  report.schema_text = schema.source_text;
  report.drops_incomplete = schema.missing_use == MissingUse::kDrop;
  report.schema_reviewed = schema.reviewed;
  report.warnings.insert(report.warnings.end(), setup.notes.begin(), setup.notes.end());
  report.warnings.insert(report.warnings.end(), setup.noise_warnings.begin(),
                         setup.noise_warnings.end());
  if (setup.plan.noise_varies) {
    report.warnings.push_back(fmt::format(
        "the noise of a step depends on {}; the reported noise is that of the smallest step",
        setup.plan.config.constraints != nullptr ? "the push of the constraints on gradients"
        : !setup.method->is_stepwise()           ? "earlier releases"
        : setup.plan.num_first_steps > 0         ? "the weights that the first stage gives groups"
        : setup.plan.group_bounds.empty()        ? "the largest threshold of any group"
                                                 : "noisy answers about groups"));
  }
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
    const auto weakest = std::max_element(groups.begin(), groups.end(), costs_less);
    const auto strongest = std::min_element(groups.begin(), groups.end(), costs_less);
    const auto others = std::count_if(groups.begin(), groups.end(), [&](const GroupReport& group) {
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
  report.keeps_parameter_names = !schema.image;
  if (setup.plan.privacy) {
    const std::string warning =
        large_delta_warning(request.config.delta, schema.num_records, schema.size_key());
    if (!warning.empty()) report.warnings.push_back(warning);
  }
  return report;
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
