// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/contenders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/tasks/runs/many_runs.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.compare";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

std::vector<CompareMethod> chosen_methods(const std::vector<std::string>& names,
                                          const std::vector<CompareMethod>& all) {
  if (names.empty() || names == std::vector<std::string>{"all"}) return all;
  if (contains(names, "all")) refuse("--methods all stands alone");
  std::vector<CompareMethod> chosen;
  for (const std::string& name : names) {
    const CompareMethod& found = find_row(all, kWhere, "method", name);
    if (std::ranges::count(chosen, name, &CompareMethod::name) > 0)
      refuse("--methods names {} twice", name);
    chosen.push_back(found);
  }
  return chosen;
}

void check_budgets(const CompareRequest& request, const std::vector<CompareMethod>& methods) {
  std::set<double> seen;
  for (const double epsilon : request.epsilons) {
    if (!(epsilon > 0) || !std::isfinite(epsilon))
      refuse("every --epsilon must be finite and > 0, got {}", epsilon);
    if (!seen.insert(epsilon).second) refuse("--epsilon holds {} twice", epsilon);
  }
  const bool has_private = std::ranges::any_of(methods, &CompareMethod::has_guarantee);
  if (seen.empty() && has_private)
    refuse("--epsilon is missing: the privacy budgets at which methods are compared");
  if (!seen.empty() && !has_private)
    refuse("--epsilon has no effect: none of the methods has a guarantee; leave it out");
  if (request.num_seeds < 1) refuse("--seeds must be at least 1, got {}", request.num_seeds);
}

/// A candidate row, and the result of planning it.
struct Candidate {
  CompareRow row;
  std::optional<Contender> contender = {};
  std::string refusal = {};  ///< if it has no plan
};

std::vector<Candidate> list_candidates(const CompareRequest& request, CompareSubject& subject,
                                       const std::vector<CompareMethod>& methods) {
  std::vector<Candidate> candidates;
  const auto add = [&](const CompareMethod& method, std::optional<double> epsilon) {
    const std::vector<std::vector<Setting>> points = subject.grid().points_of(method.name);
    for (const std::vector<Setting>& point : points) {
      CompareRow& row = candidates.emplace_back().row;
      row.method = method.name;
      row.options = point;
      row.epsilon = epsilon;
    }
  };
  for (const double epsilon : request.epsilons)
    for (const CompareMethod& method : methods)
      if (method.has_guarantee) add(method, epsilon);
  for (const CompareMethod& method : methods)
    if (!method.has_guarantee) add(method, std::nullopt);
  return candidates;
}

void plan_candidate(const CompareSubject& subject, Candidate& candidate) {
  try {
    candidate.contender = subject.plan(candidate.row);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    candidate.refusal = error.problem();
  }
}

/// One line for each method and reason.
void add_skip(const Candidate& candidate, std::vector<CompareSkip>& skipped) {
  const std::string name = name_of_row(candidate.row);
  const auto same = std::ranges::find_if(skipped, [&](const CompareSkip& skip) {
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

Contenders find_contenders(const CompareRequest& request, CompareSubject& subject) {
  const std::vector<CompareMethod> methods =
      chosen_methods(request.methods, subject.grid().methods());
  check_budgets(request, methods);
  std::vector<Candidate> candidates = list_candidates(request, subject, methods);
  subject.check();
  run_side_by_side(candidates.size(), request.threads,
                   [&](size_t i) { plan_candidate(subject, candidates[i]); });
  Contenders found;
  for (Candidate& candidate : candidates) {
    if (!candidate.contender) {
      add_skip(candidate, found.skipped);
      continue;
    }
    Contender& contender = *candidate.contender;
    subject.grid().use(contender.row.method, contender.row.options, contender.idle_option);
    // Points that differ only in an option without effect for this method are the same.
    const bool is_repeated = std::ranges::any_of(
        found.ready, [&](const Contender& other) { return is_same_row(other.row, contender.row); });
    if (!is_repeated) found.ready.push_back(std::move(contender));
  }
  // A reason that applies at every epsilon names none.
  for (CompareSkip& skip : found.skipped)
    if (skip.epsilons.size() == request.epsilons.size()) skip.epsilons.clear();
  if (found.ready.empty())
    refuse("no method is left to compare:" + lines_of_skipped(found.skipped));
  subject.grid().require_used(
      found.skipped.empty() ? "" : "; not compared are:" + lines_of_skipped(found.skipped));
  return found;
}

}  // namespace equinoise
