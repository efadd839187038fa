// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/tasks/compare/option_grid.h"
#include "equinoise/tasks/runs/many_runs.h"
#include "equinoise/tasks/train/chosen_options.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.compare";

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::kUsage, kWhere, problem);
}

std::vector<const TrainingMethodRow*> chosen_methods(const std::vector<std::string>& names) {
  std::vector<const TrainingMethodRow*> rows;
  for (const std::string& name : names) {
    const TrainingMethodRow* row = &find_training_method(name);
    if (std::count(rows.begin(), rows.end(), row) > 0)
      refuse(fmt::format("--methods names {} twice", name));
    rows.push_back(row);
  }
  if (names.empty())
    for (const TrainingMethodRow& row : training_methods()) rows.push_back(&row);
  return rows;
}

bool has_guarantee(const TrainingMethodRow* row) { return row->status == PrivacyStatus::kPrivate; }

void check_budgets(const CompareRequest& request,
                   const std::vector<const TrainingMethodRow*>& methods) {
  std::set<double> seen;
  for (const double epsilon : request.epsilons) {
    if (!(epsilon > 0) || !std::isfinite(epsilon))
      refuse(fmt::format("every --epsilon must be finite and > 0, got {}", epsilon));
    if (!seen.insert(epsilon).second) refuse(fmt::format("--epsilon holds {} twice", epsilon));
  }
  const bool has_private = std::any_of(methods.begin(), methods.end(), has_guarantee);
  if (seen.empty() && has_private)
    refuse("--epsilon is missing: the privacy budgets at which methods are compared");
  if (!seen.empty() && !has_private)
    refuse("--epsilon has no effect: none of the methods has a guarantee; leave it out");
  if (request.num_seeds < 1)
    refuse(fmt::format("--seeds must be at least 1, got {}", request.num_seeds));
  if (!(request.training.test_fraction > 0))
    refuse("methods are compared on held-out records; --test-fraction must be above 0");
}

/// What is wrong with the task itself is no reason to leave out every method.
void check_task(const TrainRequest& request) {
  const Schema schema = load_schema(request.schema);
  require_reviewed(schema, request.schema.path.string(), request.public_data);
  if (schema.target.empty()) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}: training needs a target; add target = \"COLUMN\"",
                            request.schema.path.string()));
  }
  require_distinct(request.groupings);
  for (const std::vector<std::string>& columns : request.groupings)
    static_cast<void>(list_groups(schema, columns, request.group_floor));
  if (!request.constraints.empty() || !request.constraints_path.empty())
    static_cast<void>(gather_constraints(request.constraints_path, request.constraints,
                                         constraint_domain(schema)));
}

/// What a paid run of the same plan would say: the guarantees of all and of groups, in the order of
/// the report, and its warnings and notes.
void tell_plan(TrainingSetup setup, TrainRequest request, CompareRow& row,
               std::vector<std::string>& warnings) {
  // Of a run under a test seed, or under a schema that was not reviewed, the report would not tell
  // what is protected.
  request.insecure_seed.reset();
  setup.schema.reviewed = true;
  const TrainingReport plan = begin_report(setup, request);
  warnings = plan.warnings;
  warnings.insert(warnings.end(), plan.notes.begin(), plan.notes.end());
  if (plan.protection) row.public_groups = plan.protection->public_groups;
  row.weakest = plan.privacy;
  for (const GroupReport& group : plan.groups) {
    row.group_privacy.push_back(group.privacy);
    if (group.privacy &&
        !(row.weakest && row.weakest->epsilon.value() >= group.privacy->epsilon.value()))
      row.weakest = group.privacy;
  }
}

/// A contender that is not planned yet, and why it cannot be, if it cannot.
struct Candidate {
  CompareRow row;
  TrainRequest request;
  std::optional<TrainingSetup> setup = {};
  std::vector<std::string> warnings = {};
  std::string refusal = {};
  bool takes_one_step = false;
};

Candidate make_candidate(const CompareRequest& request, const TrainingMethodRow& method,
                         const std::vector<Setting>& point, std::optional<double> epsilon) {
  Candidate candidate;
  candidate.row.method = method.name;
  candidate.row.options = point;
  candidate.row.epsilon = epsilon;
  TrainRequest& training = candidate.request;
  training = request.training;
  training.method = method.name;
  training.data_path.clear();
  training.config = at_point(point, method.followed(training.config));
  training.config.epsilon = epsilon;
  training.config.noise_multiplier.reset();
  training.config.threads = 1;
  training.insecure_seed = 0;
  training.judges_by_constraints = true;
  const auto is_chosen = [&](std::string_view name) {
    const bool is_given =
        std::find(request.given.begin(), request.given.end(), name) != request.given.end();
    return (is_given && is_followed(method, name)) ||
           std::any_of(point.begin(), point.end(),
                       [&](const Setting& setting) { return setting.name == name; });
  };
  settle_unchosen(is_chosen, training);
  return candidate;
}

/// Plans it. A number of steps that was given for all is no reason to leave out a method that takes
/// one.
TrainingSetup set_up_candidate(Candidate& candidate) {
  TrainRequest& request = candidate.request;
  try {
    return set_up_training(request);
  } catch (const Error& error) {
    const bool may_take_one = request.num_steps.has_value() &&
                              !find_training_method(request.method).make()->is_stepwise();
    if (error.kind() != ErrorKind::kUsage || !may_take_one) throw;
    TrainRequest without = request;
    without.num_steps.reset();
    TrainingSetup setup = set_up_training(without);
    if (setup.plan.config.num_steps != 1) throw;
    candidate.takes_one_step = true;
    request = std::move(without);
    std::erase_if(candidate.row.options,
                  [](const Setting& setting) { return setting.name == "steps"; });
    return setup;
  }
}

void plan_candidate(Candidate& candidate) {
  try {
    candidate.setup = set_up_candidate(candidate);
    tell_plan(*candidate.setup, candidate.request, candidate.row, candidate.warnings);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    candidate.setup.reset();
    candidate.refusal = without_place(error.what());
  }
}

/// One line for each method and reason.
void add_skip(const Candidate& candidate, std::vector<CompareSkip>& skipped) {
  const std::string name = name_of_row(candidate.row);
  const auto same = std::find_if(skipped.begin(), skipped.end(), [&](const CompareSkip& skip) {
    return skip.method == name && skip.reason == candidate.refusal;
  });
  CompareSkip& skip = same != skipped.end()
                          ? *same
                          : skipped.emplace_back(CompareSkip{name, candidate.refusal, {}});
  if (candidate.row.epsilon) skip.epsilons.push_back(*candidate.row.epsilon);
}

bool is_same_row(const CompareRow& row, const CompareRow& other) {
  return row.epsilon == other.epsilon && name_of_row(row) == name_of_row(other);
}

std::string lines_of_skipped(const std::vector<CompareSkip>& skipped) {
  std::string lines;
  for (const CompareSkip& skip : skipped)
    lines += fmt::format("\n  {}: {}", skip.method, skip.reason);
  return lines;
}

}  // namespace

std::string without_place(const std::string& message) {
  const size_t end = message.starts_with("[") ? message.find("] ") : std::string::npos;
  return end == std::string::npos ? message : message.substr(end + 2);
}

Contenders find_contenders(const CompareRequest& request) {
  const std::vector<const TrainingMethodRow*> methods = chosen_methods(request.methods);
  check_budgets(request, methods);
  OptionGrid grid(request.grid, request.given);
  std::vector<Candidate> candidates;
  const auto add = [&](const TrainingMethodRow& method, std::optional<double> epsilon) {
    const TrainingConfig config = method.followed(request.training.config);
    for (const std::vector<Setting>& point : grid.points_of(method, config))
      candidates.push_back(make_candidate(request, method, point, epsilon));
  };
  for (const double epsilon : request.epsilons)
    for (const TrainingMethodRow* method : methods)
      if (has_guarantee(method)) add(*method, epsilon);
  for (const TrainingMethodRow* method : methods)
    if (!has_guarantee(method)) add(*method, std::nullopt);
  check_task(request.training);
  run_side_by_side(candidates.size(), request.threads,
                   [&](size_t i) { plan_candidate(candidates[i]); });
  Contenders found;
  for (Candidate& candidate : candidates) {
    if (!candidate.setup) {
      add_skip(candidate, found.skipped);
      continue;
    }
    const TrainingMethodRow& method = *candidate.setup->row;
    grid.use(method, at_point(candidate.row.options, method.followed(request.training.config)),
             candidate.takes_one_step);
    // Points that differ in the steps of a method that takes one are the same.
    const bool is_repeated =
        std::any_of(found.ready.begin(), found.ready.end(),
                    [&](const Contender& other) { return is_same_row(other.row, candidate.row); });
    if (is_repeated) continue;
    found.ready.push_back({std::move(candidate.row), std::move(candidate.request),
                           std::move(*candidate.setup), std::move(candidate.warnings)});
  }
  // A reason that holds at every epsilon is not of these.
  for (CompareSkip& skip : found.skipped)
    if (skip.epsilons.size() == request.epsilons.size()) skip.epsilons.clear();
  if (found.ready.empty())
    refuse("no method is left to compare:" + lines_of_skipped(found.skipped));
  grid.require_used(
      found.skipped.empty() ? "" : "; not compared are:" + lines_of_skipped(found.skipped));
  return found;
}

}  // namespace equinoise
