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
  if (seen.empty() && std::any_of(methods.begin(), methods.end(), has_guarantee))
    refuse("--epsilon is missing: the privacy budgets at which methods are compared");
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

/// The guarantees of all and of groups, in the order of the report.
void tell_guarantees(const TrainingSetup& setup, TrainRequest request, CompareRow& row) {
  // Of a run under a test seed the report would tell none.
  request.insecure_seed.reset();
  const TrainingReport plan = begin_report(setup, request);
  row.weakest = plan.privacy;
  for (const GroupReport& group : plan.groups) {
    row.group_privacy.push_back(group.privacy);
    if (group.privacy &&
        !(row.weakest && row.weakest->epsilon.value() >= group.privacy->epsilon.value()))
      row.weakest = group.privacy;
  }
}

/// A message without the part of the library that it comes from.
std::string without_place(const std::string& message) {
  const size_t end = message.starts_with("[") ? message.find("] ") : std::string::npos;
  return end == std::string::npos ? message : message.substr(end + 2);
}

/// A contender that is not planned yet, and why it cannot be, if it cannot.
struct Candidate {
  CompareRow row;
  TrainRequest request;
  std::optional<TrainingSetup> setup = {};
  std::string refusal = {};
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
    return (is_given && (method.follows(name) || name == "steps")) ||
           std::any_of(point.begin(), point.end(),
                       [&](const Setting& setting) { return setting.name == name; });
  };
  settle_unchosen(is_chosen, training);
  return candidate;
}

void plan_candidate(Candidate& candidate) {
  try {
    candidate.setup = set_up_training(candidate.request);
    tell_guarantees(*candidate.setup, candidate.request, candidate.row);
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

}  // namespace

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
  grid.require_used();
  check_task(request.training);
  run_side_by_side(candidates.size(), request.threads,
                   [&](size_t i) { plan_candidate(candidates[i]); });
  Contenders found;
  for (Candidate& candidate : candidates) {
    if (candidate.setup) {
      found.ready.push_back(
          {std::move(candidate.row), std::move(candidate.request), std::move(*candidate.setup)});
    } else {
      add_skip(candidate, found.skipped);
    }
  }
  // A reason that holds at every epsilon is not of these.
  for (CompareSkip& skip : found.skipped)
    if (skip.epsilons.size() == request.epsilons.size()) skip.epsilons.clear();
  if (found.ready.empty()) {
    std::string reasons;
    for (const CompareSkip& skip : found.skipped)
      reasons += fmt::format("\n  {}: {}", skip.method, skip.reason);
    refuse("no method is left to compare:" + reasons);
  }
  return found;
}

}  // namespace equinoise
