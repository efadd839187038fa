// SPDX-License-Identifier: Apache-2.0
// Simulations of paper 003 against the registered methods that they stand for: without noise, on
// full batches and from 0 on both come to the same parameters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "equinoise/data/split.h"
#include "equinoise/privacy/random/uniform.h"
#include "equinoise/reproduction/worst_group/simulated_training.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/reproduction/drawn_problem.h"

namespace equinoise::registered_methods_test {
namespace {

using testing::DrawnProblem;

constexpr double kLargestGap = 1e-9;
constexpr uint64_t kSourceSeed = 5;
constexpr int kProblems = 4;

DrawnProblem draw(uint64_t seed) {
  return testing::draw_problem(
      RegressionModel::kLogistic,
      seed % 2 == 0 ? std::vector<int64_t>{60, 150, 90} : std::vector<int64_t>{200, 40}, seed);
}

/// The problem's records, those of each group in the order of `order`.
GroupedRecords records_of(const DrawnProblem& problem, const std::vector<uint32_t>& order) {
  return {RegressionModel::kLogistic, 1,
          problem.num_features(),     problem.sizes,
          problem.features(order),    problem.targets(order)};
}

/// What both are asked for.
struct Settings {
  int64_t num_steps = 30;
  double learning_rate = 2;
  double group_learning_rate = 0.3;
  double max_grad_norm = 0.8;
  double loss_bound = 1.1;
};

TrainingConfig config_of(const DrawnProblem& problem, const Settings& settings) {
  TrainingConfig config;
  config.noise_multiplier = 1;
  config.batch_size = static_cast<double>(problem.table.num_records);
  config.num_steps = settings.num_steps;
  config.learning_rate = settings.learning_rate;
  config.final_learning_rate = settings.learning_rate / 10;  // as by default
  config.max_grad_norm = settings.max_grad_norm;
  return config;
}

TrainingConfig worst_group_config_of(const DrawnProblem& problem, const Settings& settings) {
  TrainingConfig config = config_of(problem, settings);
  config.own.of<WorstGroupOptions>().loss_bound = settings.loss_bound;
  config.own.of<WorstGroupOptions>().group_learning_rate = settings.group_learning_rate;
  return config;
}

SimulatedRun simulated_run(SimulatedTraining training, const Settings& settings) {
  SimulatedRun run;
  run.training = training;
  run.sample_rate = 1;
  run.num_steps = settings.num_steps;
  run.learning_rate = settings.learning_rate;
  run.group_learning_rate = settings.group_learning_rate;
  run.max_grad_norm = settings.max_grad_norm;
  run.loss_bound = settings.loss_bound;
  run.gradient_multiplier = run.loss_multiplier = 0;
  return run;
}

/// Listens to the numbers in [0, 1) by which a run draws groups: the last one before the batch of a
/// step, which takes none where it is full.
class DrawnNumbers final : public StepObserver {
 public:
  DrawnNumbers(SeededSource& source, uint64_t seed) : source_(source), seed_(seed) {}

  void on_batch(const BatchView& view) override {
    constexpr size_t kMost = 100'000;
    // Its steps begin streams of their own, so that nothing is missed later.
    const uint64_t next = source_.next();
    SeededSource again(seed_);
    again.start_step(static_cast<uint64_t>(view.step));
    uint64_t last = 0;
    for (size_t i = 0; i < kMost; ++i) {
      const uint64_t word = again.next();
      if (word == next) {
        numbers_.push_back(static_cast<double>(last >> 11) * 0x1p-53);
        return;
      }
      last = word;
    }
    ADD_FAILURE() << "the step has another stream";
  }

  /// One after another.
  std::function<double()> replay() const {
    return [numbers = numbers_, i = size_t{0}]() mutable { return numbers.at(i++); };
  }

 private:
  SeededSource& source_;
  uint64_t seed_;
  std::vector<double> numbers_;
};

struct Pair {
  SimulatedTraining training;
  std::string method;
  bool has_losses;
  std::string selection = "gumbel";
  /// At 0 all groups have the same loss, so which of them has the largest is chance: of many
  /// sources some begin as the simulation does.
  uint64_t num_sources = 1;
};

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {SimulatedTraining::kDpSgd, "dpsgd", false},
      {SimulatedTraining::kBalanced, "balanced", false},
      {SimulatedTraining::kMgrW, "mgr_w", true},
      {SimulatedTraining::kMgr, "mgr", true},
      {SimulatedTraining::kAgsGumbel, "ags", true, "gumbel", 20},
      {SimulatedTraining::kAgsLaplace, "ags", true, "laplace", 20},
  };
  return all;
}

/// A registered method without noise beside its simulation.
class Comparison {
 public:
  Comparison(const Pair& pair, uint64_t seed)
      : pair_(pair), problem_(draw(seed)), method_(find_training_method(pair.method).make()) {
    TrainingConfig config = pair.has_losses ? worst_group_config_of(problem_, settings_)
                                            : config_of(problem_, settings_);
    config.own.of<WorstGroupOptions>().selection =
        value_of(kGroupSelections, pair.selection).value();
    plan_ = testing::without_noise(method_->plan(config, problem_.facts()));
  }

  /// How far both are from each other; `mistake` changes what the simulation is asked for.
  double distance(const std::function<void(SimulatedRun&)>& mistake = {}) const {
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < pair_.num_sources; ++i)
      least = std::min(least, distance_with(kSourceSeed + i, mistake));
    return least;
  }

 private:
  double distance_with(uint64_t source_seed,
                       const std::function<void(SimulatedRun&)>& mistake) const {
    SeededSource source(source_seed);
    DrawnNumbers drawn(source, source_seed);
    const std::vector<double> want =
        testing::run_method(*method_, problem_, *problem_.model, plan_, source, drawn).parameters;
    SimulatedRun run = simulated_run(pair_.training, settings_);
    if (pair_.training == SimulatedTraining::kMgr) run.draw_group = drawn.replay();
    if (mistake) mistake(run);
    return testing::relative_distance(
        simulate_training(records_of(problem_, problem_.order), run, 1), want);
  }

  const Pair& pair_;
  Settings settings_;
  DrawnProblem problem_;
  std::unique_ptr<TrainingMethod> method_;
  TrainingPlan plan_;
};

TEST(RegisteredMethods, SimulationsOfBatchesComeToTheSameParameters) {
  for (const Pair& pair : pairs()) {
    double largest = 0;
    for (uint64_t seed = 1; seed <= kProblems; ++seed) {
      const double found = Comparison(pair, seed).distance();
      EXPECT_LT(found, kLargestGap) << pair.method << ", problem " << seed;
      largest = std::max(largest, found);
    }
    std::printf("%s %s: largest relative difference %.2g\n", pair.method.c_str(),
                pair.has_losses ? pair.selection.c_str() : "", largest);
  }
}

/// So that the comparison does not pass whatever is compared: small mistakes stand out.
TEST(RegisteredMethods, SmallMistakesOfSimulationsAreSeen) {
  constexpr double kSmall = 1 + 1e-6;
  constexpr double kSeen = 10 * kLargestGap;
  for (const Pair& pair : pairs()) {
    SCOPED_TRACE(pair.method);
    const Comparison pair_of(pair, 2);
    EXPECT_GT(pair_of.distance([&](SimulatedRun& run) { run.learning_rate *= kSmall; }), kSeen);
    EXPECT_GT(pair_of.distance([&](SimulatedRun& run) { run.max_grad_norm *= kSmall; }), kSeen);
    EXPECT_GT(pair_of.distance([](SimulatedRun& run) { --run.num_steps; }), 1e-4);
    if (pair.training == SimulatedTraining::kMgrW) {
      EXPECT_GT(pair_of.distance([&](SimulatedRun& run) { run.group_learning_rate *= kSmall; }),
                kSeen);
      EXPECT_GT(pair_of.distance([](SimulatedRun& run) { run.loss_bound *= 1.01; }), kSeen);
    }
    if (pair.training == SimulatedTraining::kMgr) {
      EXPECT_GT(pair_of.distance([](SimulatedRun& run) { run.group_learning_rate *= 5; }), 1e-4)
          << "other weights draw other groups";
    }
  }
}

/// A step of oco_exp3 reads two records of a group in a public order, so the simulation has them in
/// places where it reads the same ones.
TEST(RegisteredMethods, OcoExp3ComesToTheSameParameters) {
  constexpr uint64_t kSimulationSeed = 7;
  const auto shipped = find_training_method("oco_exp3").make();
  for (uint64_t seed = 1; seed <= kProblems; ++seed) {
    const DrawnProblem problem = draw(seed);
    Settings settings;
    settings.num_steps = problem.table.num_records / 2;
    settings.group_learning_rate = 0.7;
    TrainingConfig config = worst_group_config_of(problem, settings);
    const double root = std::sqrt(static_cast<double>(settings.num_steps));
    config.own.of<WorstGroupOptions>().group_learning_rate =
        settings.group_learning_rate / root / settings.loss_bound;
    const TrainingPlan plan = testing::without_noise(shipped->plan(config, problem.facts()));
    SeededSource source(kSourceSeed);
    StepObserver silent;
    const std::vector<double> want =
        testing::run_method(*shipped, problem, *problem.model, plan, source, silent).parameters;

    std::vector<std::vector<uint32_t>> queues(problem.sizes.size());
    for (const uint32_t record : public_order(problem.table.num_records, 0))
      queues[index_of(problem.table.groups[record])].push_back(record);
    std::vector<uint32_t> order;
    for (const std::vector<uint32_t>& queue : queues) {
      const size_t first = order.size();
      order.resize(first + queue.size());
      const std::vector<uint32_t> places =
          public_order(static_cast<int64_t>(queue.size()), kSimulationSeed);
      for (size_t i = 0; i < queue.size(); ++i) order[first + places[i]] = queue[i];
    }
    const auto simulate = [&](double max_grad_norm, double group_learning_rate) {
      SimulatedRun run = simulated_run(SimulatedTraining::kOcoExp3, settings);
      run.max_grad_norm = max_grad_norm;
      run.group_learning_rate = group_learning_rate;
      run.draw_group = [step = uint64_t{0}]() mutable {
        SeededSource again(kSourceSeed);
        again.start_step(step++);
        return uniform_fraction(again);
      };
      return simulate_training(records_of(problem, order), run, kSimulationSeed);
    };
    const double found = testing::relative_distance(
        simulate(settings.max_grad_norm, settings.group_learning_rate), want);
    std::printf("problem %d: relative difference %.2g\n", static_cast<int>(seed), found);
    EXPECT_LT(found, kLargestGap);
    EXPECT_GT(
        testing::relative_distance(
            simulate(settings.max_grad_norm * (1 + 1e-6), settings.group_learning_rate), want),
        10 * kLargestGap);
    // Other weights draw other groups.
    EXPECT_GT(testing::relative_distance(
                  simulate(settings.max_grad_norm, 5 * settings.group_learning_rate), want),
              1e-3);
  }
}

/// Parts of the simulation are of each group; where every chunk of the method has its share of
/// every group, in places where the simulation has them, both solve the same problems.
TEST(RegisteredMethods, PhasedErmComesToTheSameParameters) {
  constexpr uint64_t kSimulationSeed = 7;
  constexpr int64_t kPhases = 6;
  const std::vector<int64_t> sizes = {66, 132};
  const int64_t num_records = sizes[0] + sizes[1];
  const auto shipped = find_training_method("phased_erm").make();
  const std::vector<uint32_t> public_records = public_order(num_records, 0);
  std::vector<uint32_t> group_of(static_cast<size_t>(num_records));
  for (size_t i = 0; i < group_of.size(); ++i) group_of[public_records[i]] = i % 3 == 0 ? 0 : 1;
  for (uint64_t seed = 1; seed <= kProblems; ++seed) {
    const DrawnProblem problem =
        testing::draw_problem(RegressionModel::kLogistic, sizes, seed, group_of);
    TrainingConfig config;
    config.noise_multiplier = 1;
    config.own.of<WorstGroupOptions>().phase_step = 0.2;
    config.own.of<WorstGroupOptions>().feature_bound = 10;
    const TrainingPlan plan = testing::without_noise(shipped->plan(config, problem.facts()));
    ASSERT_EQ(plan.config.num_steps, kPhases);
    SeededSource source(kSourceSeed);
    StepObserver silent;
    const std::vector<double> want =
        testing::run_method(*shipped, problem, *problem.model, plan, source, silent).parameters;

    std::vector<uint32_t> order;
    for (size_t k = 0; k < sizes.size(); ++k) {
      const size_t first = order.size();
      order.resize(first + static_cast<size_t>(sizes[k]));
      const std::vector<uint32_t> places = public_order(sizes[k], kSimulationSeed);
      size_t i = 0;
      for (const uint32_t record : public_records)
        if (group_of[record] == k) order[first + places[i++]] = record;
    }
    const auto simulate = [&](double phase_step) {
      SimulatedRun run = simulated_run(SimulatedTraining::kPhasedErm, {});
      run.learning_rate = phase_step;
      run.feature_bound = config.own.of<WorstGroupOptions>().feature_bound;
      return simulate_training(records_of(problem, order), run, kSimulationSeed);
    };
    const double found = testing::relative_distance(simulate(0.2), want);
    std::printf("problem %d: relative difference %.2g\n", static_cast<int>(seed), found);
    EXPECT_LT(found, kLargestGap);
    EXPECT_GT(testing::relative_distance(simulate(0.2 * (1 + 1e-6)), want), 10 * kLargestGap);
  }
}

}  // namespace
}  // namespace equinoise::registered_methods_test
