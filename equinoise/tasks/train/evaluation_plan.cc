// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/evaluation_plan.h"

#include <fmt/format.h>

#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/constraints/few_records.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/random/discrete_gaussian.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.train";

/// The reason why the run has no private evaluation; "" if it has one, or none is expected. An
/// impossible evaluation that was requested is refused.
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

/// The counts of the private evaluation: for the constraints, and for accuracy by group if that was
/// requested or there are no constraints.
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

}  // namespace

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
  std::vector<RateProgram::CellRate> rates;
  for (const auto& program : setup.histograms)
    rates.insert(rates.end(), program->rates.begin(), program->rates.end());
  for (std::string& warning : few_records_warnings(
           setup.schema, rates, static_cast<double>(setup.sizes.test), *setup.evaluation_noise,
           "held out", "the private evaluation will show little about it"))
    setup.notes.push_back(std::move(warning));
}

}  // namespace equinoise
