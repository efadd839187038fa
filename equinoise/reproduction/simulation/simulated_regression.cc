// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulated_regression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr EnumWords<TailoringAlgorithm, 8> kAlgorithms = {{
    {TailoringAlgorithm::kUnweighted, "unweighted"},
    {TailoringAlgorithm::kSummed, "summed"},
    {TailoringAlgorithm::kPrinted, "printed"},
    {TailoringAlgorithm::kGroupLosses, "group_losses"},
    {TailoringAlgorithm::kBalanced, "balanced"},
    {TailoringAlgorithm::kWeighted, "weighted"},
    {TailoringAlgorithm::kDecoupled, "decoupled"},
    {TailoringAlgorithm::kStageOne, "stage_one"},
}};

/// The second stage, with the budget that the first one leaves.
class SecondStage {
 public:
  SecondStage(const SimulatedMethod& method, const SimulationSettings& settings,
              WeightedGroupAnswers& answers)
      : method_(method), settings_(settings), answers_(answers) {}

  /// (groups) the parameters of each group's model.
  std::vector<std::vector<double>> run(double rho, const std::vector<double>& shares) {
    const int64_t num_steps = settings_.descent.num_steps;
    switch (method_.algorithm) {
      case TailoringAlgorithm::kUnweighted:
        return shared(unweighted_release(answers_, num_steps, rho));
      case TailoringAlgorithm::kSummed:
        return shared(summed_release(answers_, num_steps, rho, shares));
      case TailoringAlgorithm::kBalanced:
        return shared(balanced_release(answers_, num_steps, rho));
      case TailoringAlgorithm::kWeighted:
        return shared(coefficients_release(answers_, num_steps, rho, shares));
      case TailoringAlgorithm::kPrinted:
        return shared(losses(printed_budgets(answers_, rho, shares)));
      case TailoringAlgorithm::kGroupLosses:
        return shared(losses(divided(rho, shares)));
      case TailoringAlgorithm::kDecoupled: {
        std::vector<std::vector<double>> models;
        for (size_t k = 0; k < num_groups(); ++k) {
          models.push_back(descend(answers_, settings_.descent,
                                   single_group_release(answers_, num_steps, rho, k)));
        }
        return models;
      }
      case TailoringAlgorithm::kStageOne:
        break;
    }
    return {};
  }

  /// (groups) The cost of run() for a record of each.
  std::vector<double> costs(double rho, const std::vector<double>& shares) const {
    const int64_t num_steps = settings_.descent.num_steps;
    const auto of_release = [&](const WeightedRelease& release) {
      return group_costs(release, answers_.bounds().relation, num_steps);
    };
    switch (method_.algorithm) {
      case TailoringAlgorithm::kSummed:
      case TailoringAlgorithm::kGroupLosses:
        return divided(rho, shares);
      case TailoringAlgorithm::kPrinted:
        return printed_budgets(answers_, rho, shares);
      case TailoringAlgorithm::kBalanced:
        return of_release(balanced_release(answers_, num_steps, rho));
      case TailoringAlgorithm::kWeighted:
        return of_release(coefficients_release(answers_, num_steps, rho, shares));
      case TailoringAlgorithm::kUnweighted:
      case TailoringAlgorithm::kDecoupled:
        return std::vector<double>(num_groups(), rho);
      case TailoringAlgorithm::kStageOne:
        break;
    }
    return std::vector<double>(num_groups(), 0.0);
  }

 private:
  size_t num_groups() const { return answers_.group_sizes().size(); }

  /// One model for all groups.
  template <typename Release>
  std::vector<std::vector<double>> shared(const Release& release) {
    return {num_groups(), descend(answers_, settings_.descent, release)};
  }

  std::vector<double> divided(double rho, const std::vector<double>& shares) const {
    std::vector<double> budgets(num_groups(), rho);
    for (size_t k = 0; k < shares.size(); ++k) budgets[k] *= shares[k];
    return budgets;
  }

  GroupLossConfig losses(std::vector<double> group_rho) const {
    const bool is_printed = method_.algorithm == TailoringAlgorithm::kPrinted;
    return {mean_weights(is_printed ? kSumOfGroups : method_.objective, answers_.group_sizes()),
            std::move(group_rho), is_printed ? 0 : method_.lagrange_multiplier,
            std::vector<double>(num_groups(), settings_.loss_bound)};
  }

  const SimulatedMethod& method_;
  const SimulationSettings& settings_;
  WeightedGroupAnswers& answers_;
};

/// The groups' variances from stage one, by a model that is found by descent.
std::vector<double> logistic_variances(const SimulationSettings& settings,
                                       const GroupRecords& records, const StageOneConfig& config,
                                       SimulatedStageOneAnswers& stage_one,
                                       SimulationNoise& noise) {
  const double part = stage_one_part(config.rho, config.max_groups);
  SimulatedGroupAnswers answers(records, settings.model, settings.bounds, noise);
  DescentConfig descent = settings.descent;
  descent.num_steps = kStageOneSteps;
  StageOneResult result;
  result.coefficients =
      descend(answers, descent, unweighted_release(answers, kStageOneSteps, part));
  measure_groups(stage_one, part, result);
  return result.group_variances;
}

}  // namespace

TailoringAlgorithm parse_tailoring_algorithm(std::string_view name) {
  const std::optional<TailoringAlgorithm> algorithm = value_of(kAlgorithms, name);
  if (algorithm) return *algorithm;
  throw Error(ErrorKind::kUsage, "tasks.reproduce", "algorithm must be one of {}, got \"{}\"",
              fmt::join(words_of(kAlgorithms), ", "), name);
}

bool needs_stage_one(const SimulatedMethod& method) {
  return method.algorithm == TailoringAlgorithm::kStageOne ||
         (method.is_private && method.split && needs_errors(*method.split));
}

SimulatedOutcome run_simulated(const SimulatedMethod& method, const SimulationSettings& settings,
                               const GroupRecords& records, double rho,
                               SimulatedStageOneAnswers* stage_one, SimulationNoise& noise) {
  if (!method.is_private) rho = std::numeric_limits<double>::infinity();
  SimulatedOutcome outcome;
  std::vector<double> variances;
  double rest = rho;
  if (needs_stage_one(method)) {
    StageOneConfig config;
    config.rho = settings.stage_one_share * rho;
    config.max_groups = 1;
    config.release = best_moment_release(settings.stage_one);
    variances = settings.model == RegressionModel::kLinear
                    ? run_stage_one(*stage_one, config).group_variances
                    : logistic_variances(settings, records, config, *stage_one, noise);
    for (const double variance : variances) outcome.residuals.push_back(std::sqrt(variance));
    rest = rho - config.rho;
  }
  if (method.split) {
    outcome.shares = split_budget(*method.split, variances, records.group_sizes(), 0);
  }
  SimulationSettings chosen = settings;
  if (method.step_size) {
    const bool follows_sum = method.algorithm == TailoringAlgorithm::kUnweighted ||
                             method.algorithm == TailoringAlgorithm::kSummed;
    const double records_of_step = follows_sum ? static_cast<double>(records.targets().size()) : 1;
    chosen.descent.step_size = {StepSize::Rule::kInverseRoot, *method.step_size / records_of_step};
  }
  SimulatedGroupAnswers answers(records, settings.model, settings.bounds, noise);
  SecondStage second(method, chosen, answers);
  outcome.parameters = second.run(rest, outcome.shares);
  if (!method.is_private) return outcome;
  outcome.group_rho = second.costs(rest, outcome.shares);
  for (double& cost : outcome.group_rho) cost += rho - rest;
  return outcome;
}

}  // namespace equinoise
