// SPDX-License-Identifier: Apache-2.0
// Simulations of paper 000 against the registered methods that they stand for: without noise, on
// full batches and from 0 on both come to the same parameters; with noise both have as much.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "equinoise/models/per_group_model.h"
#include "equinoise/reproduction/simulation/simulated_regression.h"
#include "equinoise/reproduction/simulation/weighted_descent.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/reproduction/drawn_problem.h"
#include "tests/train/configs.h"

namespace equinoise::registered_methods_test {

using testing::DrawnProblem;

constexpr double kTolerance = 1e-9;
constexpr int64_t kSteps = 8;  // so that no model has settled
constexpr double kClip = 0.9;
constexpr double kRate = 0.2;
constexpr double kNoClip = 1e30;
constexpr double kNoBox = 1e6;

/// What losses there are of those here: of numbers half the square.
double factor_of(RegressionModel model) { return model == RegressionModel::kLinear ? 2 : 1; }

DrawnProblem draw(RegressionModel model, uint64_t seed) {
  return testing::draw_problem(
      model, seed % 2 == 0 ? std::vector<int64_t>{60, 150, 90} : std::vector<int64_t>{200, 40},
      seed);
}

GroupRecords records_of(const DrawnProblem& problem) {
  return GroupRecords::disjoint(problem.num_features(), problem.sizes,
                                problem.features(problem.order), problem.targets(problem.order));
}

TrainingConfig config_of(const DrawnProblem& problem) {
  TrainingConfig config =
      testing::stepwise_config(static_cast<double>(problem.table.num_records), kSteps, 1);
  config.learning_rate = config.final_learning_rate = kRate;
  config.tail_average = 0;
  config.max_grad_norm = kClip;
  return config;
}

/// The registered method's parameters, without noise.
std::vector<double> train(const std::string& name, const DrawnProblem& problem, const Model& model,
                          const TrainingConfig& config) {
  const auto method = find_training_method(name).make();
  TrainingFacts facts = problem.facts();
  facts.num_parameters = model.num_parameters();
  TrainingPlan plan = method->plan(config, facts);
  if (!plan.items.empty()) plan = testing::without_noise(plan, testing::kQuiet);
  SeededSource source(3);
  StepObserver silent;
  return testing::run_method(*method, problem, model, plan, source, silent).parameters;
}

/// (groups) the parameters of the simulation without noise; steps are of `step_size`.
std::vector<std::vector<double>> simulate(SimulatedMethod method, const DrawnProblem& problem,
                                          RegressionModel model, StepSize step_size,
                                          double max_grad_norm = kClip, double box = kNoBox,
                                          double loss_bound = 0) {
  method.is_private = false;
  SimulationSettings settings;
  settings.model = model;
  step_size.scale /= factor_of(model);
  settings.descent = {kSteps, box, step_size};
  settings.bounds = {Relation::kZeroOut, factor_of(model) * max_grad_norm, kNoClip};
  settings.loss_bound = factor_of(model) * loss_bound;
  SimulationNoise noise(1, 0);
  return run_simulated(method, settings, records_of(problem), 1, nullptr, noise).parameters;
}

SimulatedMethod method_of(TailoringAlgorithm algorithm) {
  SimulatedMethod method;
  method.algorithm = algorithm;
  return method;
}

StepSize constant(double scale) { return {StepSize::Rule::kConstant, scale}; }

/// Calls compare(model, problem) for several drawn problems of each model.
template <typename Compare>
void for_each_problem(const Compare& compare) {
  for (const RegressionModel model : {RegressionModel::kLinear, RegressionModel::kLogistic}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(::testing::Message()
                   << (model == RegressionModel::kLinear ? "linear" : "logistic") << ", problem "
                   << seed);
      compare(model, draw(model, seed));
    }
  }
}

/// Both are the same, and a simulation with a step a millionth longer is not.
template <typename Simulate>
void expect_same(const std::vector<double>& want, double step, const Simulate& simulate_with) {
  const double found = testing::relative_distance(simulate_with(step), want);
  std::printf("relative difference %.2g\n", found);
  EXPECT_LT(found, kTolerance);
  EXPECT_GT(testing::relative_distance(simulate_with(step * (1 + 1e-6)), want), 10 * kTolerance);
}

TEST(RegisteredMethods, UnweightedIsDpnose) {
  for_each_problem([](RegressionModel model, const DrawnProblem& problem) {
    const std::vector<double> want = train("dpnose", problem, *problem.model, config_of(problem));
    // Sums there, means here.
    expect_same(want, kRate / static_cast<double>(problem.table.num_records), [&](double step) {
      return simulate(method_of(TailoringAlgorithm::kUnweighted), problem, model,
                      constant(step))[0];
    });
  });
}

TEST(RegisteredMethods, BalancedIsBalanced) {
  for_each_problem([](RegressionModel model, const DrawnProblem& problem) {
    const std::vector<double> want = train("balanced", problem, *problem.model, config_of(problem));
    expect_same(want, kRate, [&](double step) {
      return simulate(method_of(TailoringAlgorithm::kBalanced), problem, model, constant(step))[0];
    });
  });
}

/// Steps of a group's model are along its mean here, along its sum in the simulation.
TEST(RegisteredMethods, DecoupledIsDecoupled) {
  for_each_problem([](RegressionModel model, const DrawnProblem& problem) {
    const TrainingFacts facts = problem.facts();
    std::vector<double> shares;
    for (const auto& share : facts.groups.shares) shares.push_back(*share);
    std::unique_ptr<GeneralisedLinearModel> one;
    if (model == RegressionModel::kLinear)
      one = std::make_unique<LinearModel>(problem.table.feature_names);
    else
      one = std::make_unique<LogisticModel>(problem.table.feature_names, problem.table.classes);
    const PerGroupModel models(std::move(one), facts.groups.names, shares);
    const std::vector<double> want = train("decoupled", problem, models, config_of(problem));
    for (size_t k = 0; k < problem.sizes.size(); ++k) {
      const auto begin = want.begin() + static_cast<std::ptrdiff_t>(k * problem.num_features());
      expect_same({begin, begin + static_cast<std::ptrdiff_t>(problem.num_features())},
                  kRate / static_cast<double>(problem.sizes[k]), [&](double step) {
                    return simulate(method_of(TailoringAlgorithm::kDecoupled), problem, model,
                                    constant(step))[k];
                  });
    }
  });
}

TEST(RegisteredMethods, GroupLossesAreDpse) {
  for_each_problem([](RegressionModel model, const DrawnProblem& problem) {
    for (const auto& [objective, name] :
         {std::pair(kMeanOfRecords, "population"), std::pair(kMeanOfGroups, "mean")}) {
      TrainingConfig config = config_of(problem);
      config.own.of<TailoringOptions>().objectives = {name};
      config.own.of<TailoringOptions>().box = kNoBox;
      double largest = 0;
      for (const double parameter : train("dpse", problem, *problem.model, config))
        largest = std::max(largest, std::fabs(parameter));
      // So that the box holds one parameter at least.
      config.own.of<TailoringOptions>().box = 0.9 * largest;
      const std::vector<double> want = train("dpse", problem, *problem.model, config);
      SimulatedMethod method = method_of(TailoringAlgorithm::kGroupLosses);
      method.objective = objective;
      expect_same(want, kRate, [&](double step) {
        return simulate(method, problem, model, constant(step), kClip,
                        config.own.of<TailoringOptions>().box)[0];
      });
    }
  });
}

/// Without clipping, under bounded group loss.
TEST(RegisteredMethods, GroupLossesWithoutPrivacyAreAlgorithms5And6) {
  for_each_problem([](RegressionModel model, const DrawnProblem& problem) {
    constexpr double kMultiplier = 0.4;
    constexpr double kLossBound = 0.3;
    TrainingConfig config = config_of(problem);
    config.noise_multiplier.reset();
    config.learning_rate = config.final_learning_rate = 0.1;
    config.own.of<TailoringOptions>().objectives = {"mean"};
    config.own.of<TailoringOptions>().loss_multipliers = {kMultiplier};
    config.own.of<TailoringOptions>().loss_bound = kLossBound;
    SimulatedMethod method = method_of(TailoringAlgorithm::kGroupLosses);
    method.objective = kMeanOfGroups;
    method.lagrange_multiplier = kMultiplier;
    const auto simulate_with = [&](StepSize::Rule rule) {
      return [&, rule](double step) {
        return simulate(method, problem, model, {rule, step}, kNoClip, kNoBox, kLossBound)[0];
      };
    };
    expect_same(train("dpse_alg6", problem, *problem.model, config), 0.1,
                simulate_with(StepSize::Rule::kConstant));
    expect_same(train("dpse_alg5", problem, *problem.model, config),
                0.1 * std::sqrt(static_cast<double>(problem.sizes.size())) / (1 + kMultiplier),
                simulate_with(StepSize::Rule::kInverseRoot));
    method.lagrange_multiplier = 0;
    EXPECT_GT(testing::relative_distance(simulate_with(StepSize::Rule::kConstant)(0.1),
                                         train("dpse_alg6", problem, *problem.model, config)),
              1e-3)
        << "the bound is exceeded by some group";
  });
}

/// Standard deviations of the noise on a step, for the same cost of the whole run. Algorithms 2 and
/// 3 as printed differ in it alone from the others.
TEST(RegisteredMethods, NoiseIsThatOfTheSimulations) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    const DrawnProblem problem = draw(RegressionModel::kLogistic, seed);
    const GroupRecords records = records_of(problem);
    SimulationNoise unused(1, 0);
    const SimulatedGroupAnswers answers(records, RegressionModel::kLogistic,
                                        {Relation::kZeroOut, kClip, 1}, unused);
    constexpr double kMultiplier = 2;  // of a step, or of the whole run
    const auto num_steps = static_cast<double>(kSteps);
    const double step_rho = num_steps / (2 * kMultiplier * kMultiplier);
    const double run_rho = 1 / (2 * kMultiplier * kMultiplier);
    const auto num_records = static_cast<double>(problem.table.num_records);
    const auto noise_of = [&](const char* name, const std::string& split = "") {
      TrainingConfig config = config_of(problem);
      config.noise_multiplier = kMultiplier;
      if (!split.empty()) config.own.of<TailoringOptions>().split = parse_split_rule(split);
      return find_training_method(name).make()->plan(config, problem.facts()).noise_stddev;
    };
    const auto expect_noise = [](double registered, double simulated) {
      EXPECT_NEAR(registered / simulated, 1, kTolerance);
    };
    expect_noise(noise_of("dpnose"), unweighted_release(answers, kSteps, step_rho).noise_stddev);
    expect_noise(noise_of("balanced") / num_records,
                 balanced_release(answers, kSteps, step_rho).noise_stddev);
    expect_noise(noise_of("decoupled"),
                 single_group_release(answers, kSteps, step_rho, 0).noise_stddev);
    const auto expect_group_noise = [&](const char* name, GroupFunction objective,
                                        std::vector<double> budgets) {
      expect_noise(
          noise_of(name) / num_records,
          direction_noise_stddev(
              answers, {mean_weights(objective, problem.sizes), std::move(budgets)}, kSteps));
    };
    const size_t num_groups = problem.sizes.size();
    expect_group_noise("dpse", kMeanOfRecords, std::vector(num_groups, run_rho));
    const std::vector<double> uniform(num_groups, 1 / static_cast<double>(num_groups));
    expect_group_noise("dpse_printed_alg2", kSumOfGroups,
                       printed_budgets(answers, run_rho, uniform));
    for (const char* split : {"uniform", "inverse_size"}) {
      const std::vector<double> shares =
          split_budget(parse_split_rule(split), {}, problem.sizes, 0);
      expect_noise(noise_of("dpse_alg3", split),
                   summed_release(answers, kSteps, run_rho, shares).noise_stddev);
    }
  }
}

}  // namespace equinoise::registered_methods_test
