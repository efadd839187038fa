// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/trait_refusals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

bool takes_none(const MethodTraits&) { return false; }

/// A feature of a request that not every method supports.
struct TraitRefusal {
  bool (*asks)(const TrainRequest& request, const Schema& schema);
  bool (*takes)(const MethodTraits& traits);
  /// Placeholders: {method}, {target}, {objective}, {objectives}, {others}, the methods that take
  /// it, and {units}, that a unit has several rows.
  std::string_view text;
};

constexpr TraitRefusal kRefusals[] = {
    {[](const TrainRequest& request, const Schema& schema) {
       const bool is_other = request.objective == "worst-group" ||
                             request.objective == "coefficients" ||
                             (has_constraints(request) && !request.judges_by_constraints);
       return schema.has_monotone() && (is_other || schema.has_unit_column());
     },
     takes_none,
     "no method keeps columns monotone under constraints, where a unit has several rows, or for "
     "another objective than the average; remove that, or monotone from the schema"},
    {[](const TrainRequest&, const Schema& schema) { return schema.has_monotone(); },
     [](const MethodTraits& traits) { return traits.keeps_monotone; },
     "{method} cannot keep columns monotone; use {others}, or remove monotone from the schema"},
    {[](const TrainRequest&, const Schema& schema) { return schema.has_unit_column(); },
     [](const MethodTraits& traits) { return traits.supports_units; },
     "{method} takes each row as a unit{units}; use one of {others}"},
    {[](const TrainRequest& request, const Schema& schema) {
       return schema.has_unit_column() && has_constraints(request);
     },
     takes_none, "constraints are on rates among rows{units}"},
    {[](const TrainRequest& request, const Schema& schema) {
       return schema.has_unit_column() && request.overlapping;
     },
     takes_none, "--overlapping takes each row as a unit{units}"},
    {[](const TrainRequest& request, const Schema& schema) {
       return schema.has_unit_column() &&
              (request.private_evaluation.value_or(false) || request.evaluation_noise);
     },
     takes_none, "a private evaluation counts rows{units}"},
    {[](const TrainRequest& request, const Schema& schema) {
       return schema.has_unit_column() && request.explain_every > 0;
     },
     takes_none, "--explain-every explains gradients of rows{units}"},
    {[](const TrainRequest& request, const Schema&) { return request.overlapping; },
     [](const MethodTraits& traits) { return traits.takes_overlapping_groups; },
     "{method} needs disjoint groups, and those of several --groups are not disjoint; "
     "--overlapping is supported by {others}"},
    {[](const TrainRequest& request, const Schema& schema) {
       return !request.groupings.empty() && tells_target(request.groupings[0], schema);
     },
     [](const MethodTraits& traits) { return !traits.takes_groups_as_public; },
     "{method} protects a record's values, not which group it is in, so with groups by the target "
     "{target} no record's target would be protected; group by other columns or use mgr_w"},
    {[](const TrainRequest& request, const Schema&) {
       return has_constraints(request) && !request.judges_by_constraints;
     },
     [](const MethodTraits& traits) { return traits.uses_constraints; },
     "{method} does not support constraints; use raco_dp, or sgda without privacy, whose linear "
     "models have no curves"},
    {[](const TrainRequest& request, const Schema&) {
       return has_constraints(request) && request.explain_every > 0;
     },
     takes_none,
     "--explain-every explains steps along the gradient of the loss alone, which steps under "
     "constraints do not follow"},
    {[](const TrainRequest& request, const Schema&) {
       return !request.objective.empty() &&
              std::ranges::find(kObjectives, request.objective) == kObjectives.end();
     },
     takes_none, "--objective takes {objectives}, not \"{objective}\""},
    {[](const TrainRequest& request, const Schema&) { return request.objective == "worst-group"; },
     [](const MethodTraits& traits) { return traits.compares_groups; },
     "objective must be average for this method, got \"{objective}\"; others: {others}"},
    {[](const TrainRequest& request, const Schema&) { return request.objective == "average"; },
     [](const MethodTraits& traits) { return !traits.compares_groups; },
     "objective must be worst-group for this method, got \"{objective}\"; others: {others}"},
    {[](const TrainRequest& request, const Schema&) { return request.objective == "coefficients"; },
     [](const MethodTraits& traits) { return traits.releases_coefficients; },
     "{method} releases no coefficients with intervals; use {others}"},
    {[](const TrainRequest& request, const Schema&) { return request.explain_every > 0; },
     [](const MethodTraits& traits) { return traits.is_stepwise && !traits.takes_full_batches; },
     "--explain-every explains steps along one noisy sum of gradients of a batch; {method} has no "
     "such steps"},
    {[](const TrainRequest& request, const Schema&) { return !request.checkpoint_path.empty(); },
     [](const MethodTraits& traits) { return traits.is_stepwise; },
     "a run of {method} is a single release and cannot be checkpointed; drop --checkpoint"},
};

}  // namespace

bool has_constraints(const TrainRequest& request) {
  return !request.constraints.empty() || !request.constraints_path.empty();
}

bool tells_target(const std::vector<std::string>& columns, const Schema& schema) {
  return std::ranges::any_of(columns, [&](const std::string& name) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    return (attribute != nullptr ? attribute->column : name) == schema.target;
  });
}

void check_traits(const TrainRequest& request, const Schema& schema, const TrainingMethodRow& row) {
  for (const TraitRefusal& refusal : kRefusals) {
    if (refusal.takes(row) || !refusal.asks(request, schema)) continue;
    std::vector<std::string_view> others;
    for (const TrainingMethodRow& other : training_methods())
      if (refusal.takes(other)) others.push_back(other.name);
    throw Error(
        ErrorKind::kUsage, "tasks.train", fmt::runtime(refusal.text), fmt::arg("method", row.name),
        fmt::arg("others", fmt::format("{}", fmt::join(others, ", "))),
        fmt::arg("units",
                 fmt::format(", and a {0} may have several rows (unit = \"{0}\" in the schema)",
                             schema.unit)),
        fmt::arg("target", schema.target), fmt::arg("objective", request.objective),
        fmt::arg("objectives", fmt::format("{}", fmt::join(kObjectives, ", "))));
  }
}

}  // namespace equinoise
