#include "equinoise/train/loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/logistic.h"
#include "equinoise/train/registry.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"

namespace equinoise {
namespace {

using testing::expect_close;

/// Whole runs with batches and noise given: norms, weights and clipped sums of each step, and the
/// parameters that follow from them.
TEST(Loop, StepsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/dpsgd_runs.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["sizes"].size() != 2 || c["loss"] != "logistic" || c["policy"]["name"] != "flat" ||
        c["optimizer"]["name"] != "sgd") {
      continue;
    }
    ++checked;
    const EncodedTable table = testing::dense_table(c["X"], c["y"], c["sizes"][0]);
    const LogisticModel model(table.feature_names, table.classes);
    const FlatClip clip(c["policy"]["max_grad_norm"].get<double>());
    std::vector<double> theta = c["params"]["layer1.weight"][0];
    theta.push_back(c["params"]["layer1.bias"][0]);
    for (size_t t = 0; t < c["steps"].size(); ++t) {
      const nlohmann::json& step = c["steps"][t];
      const nlohmann::json& expected = c["expected"]["steps"][t];
      const std::string what = c["id"].get<std::string>() + " step " + std::to_string(t);
      const std::vector<uint32_t> batch = step["batch"];
      PerSample samples;
      model.per_sample(table, batch, theta, samples);
      std::vector<double> weights(batch.size());
      clip.weights(samples.squared_norm, weights);
      std::vector<double> sum(theta.size(), 0);
      model.add_weighted_sum(table, batch, samples, weights, sum);
      for (size_t i = 0; i < batch.size(); ++i) {
        expect_close(std::sqrt(samples.squared_norm[i]), expected["grad_norm"][i],
                     c["tolerance_double"], what);
        expect_close(weights[i], expected["weights"][i], c["tolerance_double"], what);
      }
      const double rate = c["optimizer"]["learning_rates"][t];
      for (size_t j = 0; j < theta.size(); ++j) {
        expect_close(sum[j], expected["clipped_sum"][j], c["tolerance_double"], what);
        theta[j] -= rate * (sum[j] + step["gradient_noise"][j].get<double>()) /
                    c["expected_batch_size"].get<double>();
        expect_close(theta[j], expected["theta_next"][j], c["tolerance_double"], what);
      }
    }
  }
  EXPECT_GT(checked, 0);
}

TrainingState start_of(const Model& model) {
  return TrainingState::start(std::vector<double>(model.num_parameters()));
}

TrainingPlan plain_plan(const EncodedTable& table, TrainingConfig config) {
  const LogisticModel model(table.feature_names, table.classes);
  return find_training_method("sgd").make()->plan(config,
                                                  {table.num_records, model.num_parameters()});
}

/// Remembers the parameters after every step.
class Iterates final : public StepObserver {
 public:
  void on_step(const StepView& view) override { all.push_back(view.state.parameters); }
  std::vector<std::vector<double>> all;
};

TEST(Loop, ReturnsTheMeanOfTheLastIterates) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  for (double share : {0.0, 0.3, 1.0}) {
    TrainingConfig config;
    config.batch_size = 50;
    config.num_steps = 10;
    config.tail_average = share;
    SeededSource source(3);
    Iterates iterates;
    const TrainedModel trained = run_plain_loop(table, model, NoClip(), plain_plan(table, config),
                                                start_of(model), source, iterates);
    const size_t averaged = share == 0 ? 1 : static_cast<size_t>(std::lround(share * 10));
    for (size_t j = 0; j < trained.parameters.size(); ++j) {
      double mean = 0;
      for (size_t t = iterates.all.size() - averaged; t < iterates.all.size(); ++t)
        mean += iterates.all[t][j];
      EXPECT_NEAR(trained.parameters[j], mean / static_cast<double>(averaged), 1e-14) << share;
    }
  }
}

TEST(Loop, LearnsWhatThereIsToLearn) {
  const EncodedTable table = testing::mixed_table(4000, 5);
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config;
  config.batch_size = 200;
  config.num_steps = 400;
  SeededSource source(3);
  StepObserver silent;
  const TrainedModel trained = run_plain_loop(table, model, NoClip(), plain_plan(table, config),
                                              start_of(model), source, silent);
  const std::vector<uint16_t> predicted = model.predict(table, trained.parameters).predicted;
  int64_t hits = 0;
  for (size_t i = 0; i < predicted.size(); ++i) hits += predicted[i] == table.labels[i] ? 1 : 0;
  // Always saying the more frequent class is right for fewer than 70 %.
  EXPECT_GT(static_cast<double>(hits) / 4000, 0.8);
}

/// A run that is stopped after any step goes on to the same model, whatever the optimizer keeps.
TEST(Loop, GoesOnWithWhatTheOptimizerKeeps) {
  const EncodedTable table = testing::mixed_table(300, 5);
  const LogisticModel model(table.feature_names, table.classes);
  for (const char* name : {"sgd", "momentum", "adam"}) {
    TrainingConfig config;
    config.optimizer.name = name;
    config.batch_size = 60;
    config.num_steps = 12;
    config.learning_rate = 0.05;
    config.noise_multiplier = 1;
    const TrainingPlan plan =
        plan_noisy_gradients("dpsgd", config, {table.num_records, model.num_parameters()});
    class States final : public StepObserver {
     public:
      void on_step(const StepView& view) override { all.push_back(view.state); }
      std::vector<TrainingState> all;
    };
    const auto run = [&](TrainingState start, States& states) {
      SeededSource source(3);
      FlatClip clip(1);
      return run_noisy_loop(table, model, clip, plan, std::move(start),
                            Charge::unpaid(plan.events(), Relation::kZeroOut, source), source,
                            states)
          .parameters;
    };
    States states;
    const std::vector<double> whole = run(start_of(model), states);
    for (const size_t stop : {0U, 4U, 10U}) {
      States rest;
      EXPECT_EQ(run(states.all[stop], rest), whole) << name << " after step " << stop;
    }
    TrainingState foreign = states.all[4];
    foreign.optimizer.push_back(0);
    States none;
    EXPECT_THROW(run(foreign, none), Error) << name;
  }
}

TEST(Loop, RefusesAChargeThatIsNotForThePlan) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config;
  config.batch_size = 50;
  config.num_steps = 10;
  config.noise_multiplier = 2;
  const TrainingPlan plan =
      plan_noisy_gradients("dpsgd", config, {table.num_records, model.num_parameters()});
  SeededSource source(3);
  StepObserver silent;
  FlatClip clip(1);
  const auto run = [&](std::vector<Event> events) {
    run_noisy_loop(table, model, clip, plan, start_of(model),
                   Charge::unpaid(std::move(events), Relation::kZeroOut, source), source, silent);
  };
  EXPECT_THROW(run({}), Error);
  EXPECT_THROW(run({Event::repeat(10, Event::poisson_sampled(0.25, {Event::gaussian(3)}))}), Error);
  EXPECT_NO_THROW(run(plan.events()));
  const EncodedTable larger = testing::mixed_table(201, 1);
  EXPECT_THROW(
      run_noisy_loop(larger, model, clip, plan, start_of(model),
                     Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent),
      Error);
}

TEST(Loop, RefusesAStateOfAnotherPlan) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config;
  config.batch_size = 50;
  config.num_steps = 10;
  const TrainingPlan plan = plain_plan(table, config);
  SeededSource source(3);
  StepObserver silent;
  const auto run = [&](TrainingState start) {
    run_plain_loop(table, model, NoClip(), plan, std::move(start), source, silent);
  };
  TrainingState beyond = start_of(model);
  beyond.num_steps_done = 11;
  EXPECT_THROW(run(beyond), Error);
  EXPECT_THROW(run(TrainingState::start(std::vector<double>(model.num_parameters() + 1))), Error);
  TrainingState at_the_end = start_of(model);
  at_the_end.num_steps_done = 10;
  EXPECT_NO_THROW(run(at_the_end));
}

}  // namespace
}  // namespace equinoise
