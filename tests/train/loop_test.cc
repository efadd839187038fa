// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/losses/loss.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/gradient_sums.h"
#include "equinoise/train/prediction_term.h"
#include "equinoise/train/registry.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"
#include "tests/vector_network.h"

namespace equinoise::loop_test {

using testing::expect_close;

/// The clip policy of a case of dpsgd_runs.json.
std::unique_ptr<ClipPolicy> clip_of(const nlohmann::json& c) {
  const nlohmann::json& policy = c["policy"];
  const std::string name = policy["name"];
  const double max_grad_norm = policy["max_grad_norm"];
  if (name == "flat") return std::make_unique<FlatClip>(max_grad_norm);
  if (name == "global") return std::make_unique<GlobalClip>(max_grad_norm, policy["strict_bound"]);
  if (name == "global_adapt") {
    return std::make_unique<GlobalAdaptClip>(
        max_grad_norm,
        StrictBoundConfig{policy["strict_bound"], policy["threshold"],
                          policy["strict_bound_learning_rate"], c["expected_batch_size"]});
  }
  EXPECT_EQ(name, "dpsgd_f");
  return std::make_unique<GroupClip>(max_grad_norm, c["num_groups"], ThresholdRule::kPaper,
                                     std::numeric_limits<double>::infinity());
}

/// What the policy is told of a step's counts: for dpsgd_f those above, then those below.
std::vector<double> told_counts(const std::vector<int64_t>& counts, const nlohmann::json& step) {
  std::vector<double> noise;
  if (step.contains("count_noise")) noise.push_back(step["count_noise"]);
  for (const char* key : {"above_noise", "below_noise"})
    for (const double value : step.value(key, std::vector<double>())) noise.push_back(value);
  std::vector<double> told(counts.begin(), counts.end());
  EXPECT_EQ(told.size(), noise.size());
  for (size_t k = 0; k < told.size(); ++k) told[k] += noise[k];
  return told;
}

void expect_block(const std::vector<double>& got, const std::vector<double>& want,
                  const nlohmann::json& tolerance, const std::string& what) {
  double largest = 0;
  for (const double value : want) largest = std::max(largest, std::fabs(value));
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t j = 0; j < got.size(); ++j) {
    EXPECT_NEAR(got[j], want[j],
                tolerance["abs"].get<double>() + tolerance["rel"].get<double>() * largest)
        << what << " " << j;
  }
}

/// Whole runs of every policy and optimizer with batches and noise given: norms, weights and
/// clipped sums of each step, and the parameters that follow from them.
TEST(Loop, RunsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/dpsgd_runs.json");
  std::set<std::string> policies;
  for (const auto& c : cases) {
    policies.insert(c["policy"]["name"]);
    const testing::VectorNetwork given(c);
    const nlohmann::json& tolerance = c["tolerance"];
    const std::unique_ptr<ClipPolicy> clip = clip_of(c);
    OptimizerConfig optimizer;
    optimizer.name = c["optimizer"]["name"];
    optimizer.momentum = c["optimizer"].value("momentum", optimizer.momentum);
    optimizer.beta1 = c["optimizer"].value("beta1", optimizer.beta1);
    optimizer.beta2 = c["optimizer"].value("beta2", optimizer.beta2);
    optimizer.adam_epsilon = c["optimizer"].value("epsilon", optimizer.adam_epsilon);
    std::vector<double> theta = given.theta;
    std::vector<double> kept(optimizer_state_size(optimizer, theta.size()), 0.0);
    for (size_t t = 0; t < c["steps"].size(); ++t) {
      const nlohmann::json& step = c["steps"][t];
      const nlohmann::json& expected = c["expected"]["steps"][t];
      const std::string what = c["id"].get<std::string>() + " step " + std::to_string(t);
      const std::vector<uint32_t> batch = step["batch"];
      PerSample samples;
      given.model->per_sample({given.table, batch}, theta, samples);
      std::vector<GroupId> groups;
      for (const uint32_t record : batch) groups.push_back(given.table.groups[record]);
      const GradientNorms norms{samples.squared_norm, groups};
      std::vector<int64_t> counts(clip->num_counts(), 0);
      clip->add_counts(norms, counts);
      if (clip->counts_come_first()) clip->take_counts(told_counts(counts, step));
      std::vector<double> weights(batch.size());
      clip->weights(norms, weights);
      for (size_t i = 0; i < batch.size(); ++i) {
        expect_close(std::sqrt(samples.squared_norm[i]), expected["grad_norm"][i], tolerance, what);
        expect_close(weights[i], expected["weights"][i], tolerance, what);
      }
      expect_close(c["noise_multiplier"].get<double>() * clip->bound(), expected["noise_stddev"],
                   tolerance, what);
      std::vector<double> sum(theta.size(), 0);
      given.model->add_weighted_sum({given.table, batch}, samples, weights, sum);
      expect_block(sum, given.flat(expected["clipped_sum"]), tolerance, what + " sum");
      const std::vector<double> noise = given.flat(step["gradient_noise"]);
      for (size_t j = 0; j < sum.size(); ++j) sum[j] += noise[j];
      take_step(optimizer, static_cast<int64_t>(t), c["optimizer"]["learning_rates"][t],
                1 / c["expected_batch_size"].get<double>(), std::span<const double>(sum),
                std::span<double>(theta), std::span<double>(kept));
      expect_block(theta, given.flat(expected["theta_next"]), tolerance, what + " parameters");
      if (clip->num_counts() > 0 && !clip->counts_come_first()) {
        clip->take_counts(told_counts(counts, step));
        expect_close(clip->state()[0], expected["next_strict_bound"], tolerance, what);
      }
    }
  }
  EXPECT_EQ(policies, (std::set<std::string>{"flat", "global", "global_adapt", "dpsgd_f"}));
}

TrainingState start_of(const Model& model) {
  return TrainingState::start(std::vector<double>(model.num_parameters()));
}

TrainingPlan plain_plan(const EncodedTable& table, TrainingConfig config) {
  const LogisticModel model(table.feature_names, table.classes);
  return find_training_method("sgd").make()->plan(config,
                                                  {table.num_records, model.num_parameters()});
}

TrainingConfig config_of(double batch_size, int64_t num_steps,
                         std::optional<double> noise_multiplier = {}) {
  TrainingConfig config;
  config.batch_size = batch_size;
  config.num_steps = num_steps;
  config.noise_multiplier = noise_multiplier;
  return config;
}

TrainedModel run_plain(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                       TrainingState start, StepObserver& observer) {
  SeededSource source(3);
  NoClip no_clip;
  return run_plain_loop(
      {table, model, plan, std::move(start), Charge::nothing(Relation::kZeroOut), source, observer},
      no_clip);
}

/// With a charge of these events.
TrainedModel run_noisy(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                       const std::vector<Event>& events, TrainingState start,
                       StepObserver& observer, ClipPolicy& clip) {
  SeededSource source(3);
  return run_noisy_loop({table, model, plan, std::move(start),
                         Charge::unpaid(events, Relation::kZeroOut, source), source, observer},
                        clip);
}

/// Remembers the parameters after every step.
class Iterates final : public StepObserver {
 public:
  void on_step(const StepView& view) override { all.push_back(view.state.parameters); }
  std::vector<std::vector<double>> all;
};

/// A record's place in the histogram must be read from its own scores.
TEST(Loop, ConstraintsForAnotherModelAreRefused) {
  EncodedTable table = testing::mixed_table(200, 1);
  table.groups.assign(table.labels.size(), GroupId(0));
  const LogisticModel model(table.feature_names, table.classes);
  const ConstraintDomain domain = {{{"all", {"one"}}}, {"no", "yes", "maybe"}};
  TrainingConfig config = config_of(50, 2, 1);
  config.constraints = testing::shared_program("group_error:all:0.1", domain);
  const auto method = find_training_method("raco_dp").make();
  for (const size_t num_outputs : {size_t{1}, size_t{3}}) {
    const TrainingPlan plan =
        method->plan(config, {table.num_records, model.num_parameters(), 0, 1, num_outputs});
    SeededSource source(3);
    StepObserver silent;
    EXPECT_ERROR(
        kRuntime, HasSubstr("do not belong to this model"),
        method->run({table, model, plan, start_of(model),
                     Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent}));
  }
}

TEST(Loop, ReturnsTheMeanOfTheLastIterates) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  for (double share : {0.0, 0.3, 1.0}) {
    TrainingConfig config = config_of(50, 10);
    config.tail_average = share;
    Iterates iterates;
    const TrainedModel trained =
        run_plain(table, model, plain_plan(table, config), start_of(model), iterates);
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
  StepObserver silent;
  const TrainedModel trained =
      run_plain(table, model, plain_plan(table, config_of(200, 400)), start_of(model), silent);
  const std::vector<uint16_t> predicted = model.predict(table, trained.parameters).predicted;
  int64_t hits = 0;
  for (size_t i = 0; i < predicted.size(); ++i) hits += predicted[i] == table.labels[i] ? 1 : 0;
  // Always saying the more frequent class is right for fewer than 70 %.
  EXPECT_GT(static_cast<double>(hits) / 4000, 0.8);
}

/// What observers see of a batch: parameters before the step, and the policy that gave the weights.
TEST(Loop, ShowsBatchesBeforeTheirUpdate) {
  const EncodedTable table = testing::mixed_table(300, 5);
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingConfig config = config_of(60, 6, 1);
  const TrainingPlan plan = plan_noisy_gradients(
      "dpsgd_global_adapt", config, {table.num_records, model.num_parameters()}, {"count", 1, 10});
  struct Both final : public StepObserver {
    void on_batch(const BatchView& view) override {
      EXPECT_EQ(std::vector<double>(view.parameters.begin(), view.parameters.end()), parameters);
      EXPECT_EQ(view.clip.state(), clip_state);
      ++num_batches;
    }
    void on_step(const StepView& view) override {
      EXPECT_NE(view.state.clip, clip_state);
      parameters = view.state.parameters;
      clip_state = view.state.clip;
    }
    std::vector<double> parameters;
    std::vector<double> clip_state;
    int num_batches = 0;
  } both;
  both.parameters.assign(model.num_parameters(), 0.0);
  GlobalAdaptClip clip(1, {20, 1, 0.1, 60});
  both.clip_state = clip.state();
  run_noisy(table, model, plan, plan.events(), start_of(model), both, clip);
  EXPECT_EQ(both.num_batches, 6);
}

/// What is accounted as private cannot be run by the loop that keeps no account.
TEST(Loop, APlanWithAGuaranteeIsNotRunWithoutOne) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingConfig config = config_of(50, 10, 1);
  const TrainingPlan plan =
      plan_noisy_gradients("dpsgd", config, {table.num_records, model.num_parameters()});
  StepObserver silent;
  EXPECT_ERROR(kRuntime, HasSubstr("a plan with a guarantee"),
               run_plain(table, model, plan, start_of(model), silent));
}

/// A run that is stopped after any step goes on to the same model, whatever the optimizer keeps.
TEST(Loop, GoesOnWithWhatTheOptimizerKeeps) {
  const EncodedTable table = testing::mixed_table(300, 5);
  const LogisticModel model(table.feature_names, table.classes);
  for (const char* name : {"sgd", "momentum", "adam"}) {
    TrainingConfig config = config_of(60, 12, 1);
    config.optimizer.name = name;
    config.learning_rate = 0.05;
    const TrainingPlan plan =
        plan_noisy_gradients("dpsgd", config, {table.num_records, model.num_parameters()});
    const auto run = [&](TrainingState start, testing::KeptStates& states) {
      FlatClip clip(1);
      return run_noisy(table, model, plan, plan.events(), std::move(start), states, clip)
          .parameters;
    };
    testing::KeptStates states;
    const std::vector<double> whole = run(start_of(model), states);
    for (const size_t stop : {0U, 4U, 10U}) {
      testing::KeptStates rest;
      EXPECT_EQ(run(states.all[stop], rest), whole) << name << " after step " << stop;
    }
    TrainingState foreign = states.all[4];
    foreign.optimizer.push_back(0);
    testing::KeptStates none;
    EXPECT_THROW(run(foreign, none), Error) << name;
  }
}

TEST(Loop, RefusesAChargeThatIsNotForThePlan) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingConfig config = config_of(50, 10, 2);
  const TrainingPlan plan =
      plan_noisy_gradients("dpsgd", config, {table.num_records, model.num_parameters()});
  StepObserver silent;
  FlatClip clip(1);
  const auto run = [&](const std::vector<Event>& events, const EncodedTable& records) {
    run_noisy(records, model, plan, events, start_of(model), silent, clip);
  };
  EXPECT_THROW(run({}, table), Error);
  EXPECT_THROW(run({Event::repeat(10, Event::poisson_sampled(0.25, {Event::gaussian(3)}))}, table),
               Error);
  EXPECT_NO_THROW(run(plan.events(), table));
  EXPECT_THROW(run(plan.events(), testing::mixed_table(201, 1)), Error);
}

TEST(Loop, RefusesAStateOfAnotherPlan) {
  const EncodedTable table = testing::mixed_table(200, 1);
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingPlan plan = plain_plan(table, config_of(50, 10));
  StepObserver silent;
  const auto run = [&](TrainingState start) {
    run_plain(table, model, plan, std::move(start), silent);
  };
  TrainingState beyond = start_of(model);
  beyond.num_steps_done = 11;
  EXPECT_THROW(run(beyond), Error);
  EXPECT_THROW(run(TrainingState::start(std::vector<double>(model.num_parameters() + 1))), Error);
  TrainingState at_the_end = start_of(model);
  at_the_end.num_steps_done = 10;
  EXPECT_NO_THROW(run(at_the_end));
}

/// Thresholds of two groups that counts have chosen, one of them above the clip of the plan.
class ChosenThresholds final : public ClipPolicy {
 public:
  static constexpr double kThresholds[] = {0.5, 1.3};
  double bound() const override { return kThresholds[1]; }
  size_t num_groups() const override { return 2; }
  size_t num_counts() const override { return 4; }
  bool counts_come_first() const override { return true; }
  double weight(double norm, GroupId group, double) const override {
    return std::min(1.0, kThresholds[index_of(group)] / norm);
  }
};

/// The sum, its grid and its bound of the last step.
class SumRecorder final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    sum.assign(view.sum_units.begin(), view.sum_units.end());
    grid = view.grid;
    bound = view.clip.bound();
    num_cut = view.num_cut;
  }
  int64_t num_cut = 0;
  std::vector<int64_t> sum;
  double grid = 0;
  double bound = 0;
};

/// The L2 norm of the difference of two sums on the same grid.
double distance(const SumRecorder& one, const SumRecorder& other) {
  long double squared = 0;
  for (size_t j = 0; j < one.sum.size(); ++j) {
    const auto change = static_cast<long double>(one.sum[j] - other.sum[j]);
    squared += change * change;
  }
  return static_cast<double>(std::sqrt(squared)) * one.grid;
}

/// With a bound above the plan's clip the grid follows, and neighbours stay within the bound, which
/// is attained.
TEST(Loop, SumsKeepToABoundThatCountsHaveChosen) {
  for (const ModelRow& row : model_kinds()) {
    if (row.name != "logistic" && row.name != "mlp" && row.name != "cnn") continue;
    EncodedTable table =
        row.needs_image ? testing::image_table(60, 8, 3) : testing::mixed_table(60, 3);
    for (size_t i = 0; i < table.dense.size(); i += 3) table.dense[i] = 1e4F;
    for (uint32_t i = 0; i < 60; ++i) table.groups.push_back(GroupId(i % 2));
    const auto model = row.make({table.feature_names, table.classes, ImageShape{1, 8, 8}},
                                {{5}, ActivationKind::kTanh, {3}, 3, PoolingKind::kNone});
    TrainingConfig config = config_of(60, 1, 1);
    config.max_grad_norm = 0.5;
    const auto method = find_training_method("dpsgd_f").make();
    const TrainingPlan plan =
        method->plan(config, {60, model->num_parameters(), model->sum_error(1), 2});
    const auto run = [&](const EncodedTable& records) {
      SeededSource source(5);
      ChosenThresholds clip;
      SumRecorder recorder;
      run_noisy_loop({records, *model, plan, TrainingState::start(model->initial_parameters(1)),
                      Charge::unpaid(plan.events(), config.relation, source), source, recorder},
                     clip);
      return recorder;
    };
    const SumRecorder all = run(table);
    EXPECT_EQ(all.grid, 2 * plan.grid);
    EXPECT_EQ(all.bound, 1.3);
    double largest = 0;
    for (uint32_t record = 0; record < 60; ++record) {
      EncodedTable neighbour = table;
      neighbour.contributes[record] = 0;
      const SumRecorder without = run(neighbour);
      largest = std::max(largest, distance(all, without));
    }
    EXPECT_LE(largest, 1.3 + model->sum_error(all.grid)) << row.name;
    EXPECT_GT(largest, 0.999 * 1.3) << row.name;
  }
}

/// What a stranger may write by docs/adding-a-method.md: nothing is checked, no gradient is
/// clipped, and all records raise all counts that there are.
struct GreedyOptions {
  double greed = 0.5;
};

class GreedyClip final : public ClipPolicy {
 public:
  explicit GreedyClip(const TrainingConfig& config)
      : bound_(config.max_grad_norm), greed_(config.own.of<GreedyOptions>().greed) {}
  double bound() const override { return bound_; }
  double weight(double, GroupId, double) const override { return 1e6 * greed_; }
  size_t num_counts() const override { return 1; }
  std::optional<size_t> count_of(double, GroupId) const override { return 7; }

 private:
  double bound_;
  double greed_;
};

class Greedy final : public NoisyGradientMethod {
 public:
  const MethodTraits& traits() const override {
    static constexpr MethodTraits kTraits;
    return kTraits;
  }
  const TrainingOptions& options() const override {
    static const TrainingOptions options =
        all_of({noisy_gradient_options(),
                TrainingOptions{{{.name = "greed", .help = "Greed", .range = between(0, 1)},
                                 kOwnTrainingField<&GreedyOptions::greed>}}});
    return options;
  }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<GreedyClip>(config);
  }

 protected:
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("greedy", config, facts, {"count", 1});
  }
};

TEST(Loop, AMethodThatChecksNothingIsHeldToWhatItDeclares) {
  const Greedy method;
  const TrainingConfig config = config_of(60, 1, 1);
  const TrainingFacts facts = {60, 11};
  const auto refusal = [&](const auto& change) {
    TrainingConfig changed = config;
    change(changed);
    return error_of(ErrorKind::kUsage, [&] { method.plan(changed, facts); });
  };
  for (const double greed : {1 + 1e-15, -1e-300, std::nan(""), HUGE_VAL})
    EXPECT_THAT(refusal([&](auto& c) { c.own.template of<GreedyOptions>().greed = greed; }),
                HasAll("greed must lie between 0 and 1", fmt::format("got {}", greed)));
  EXPECT_THAT(refusal([](auto& c) { c.optimizer.momentum = 1; }), HasSubstr("momentum must"));
  EXPECT_THAT(refusal([](auto& c) { c.optimizer.name = "none"; }), HasSubstr("optimizer must be"));
  EXPECT_THAT(refusal([](auto& c) { c.delta = 1; }), HasSubstr("delta must"));

  // Of the same records, each by itself, or in twos that are a unit.
  for (const bool has_units : {false, true}) {
    EncodedTable table = testing::mixed_table(has_units ? 120 : 60, 3);
    for (uint32_t unit = 0; has_units && unit <= 60; ++unit) table.unit_begin.push_back(2 * unit);
    const LogisticModel model(table.feature_names, table.classes);
    const TrainingPlan plan = method.plan(config, {60, model.num_parameters()});
    const auto run = [&](const EncodedTable& records) {
      SumRecorder recorder;
      testing::run_with_seed(method, records, model, plan, 5, recorder);
      return recorder;
    };
    const SumRecorder all = run(table);
    EXPECT_EQ(all.num_cut, 60);
    double largest = 0;
    for (const uint32_t unit : {0U, 31U, 59U}) {
      EncodedTable neighbour = table;
      for (uint32_t i = 0; i < (has_units ? 2U : 1U); ++i)
        neighbour.contributes[(has_units ? 2 : 1) * unit + i] = 0;
      const SumRecorder without = run(neighbour);
      EXPECT_EQ(without.num_cut, 59);
      largest = std::max(largest, distance(all, without));
    }
    EXPECT_LE(largest, config.max_grad_norm);
    EXPECT_GT(largest, 0.999 * config.max_grad_norm);
  }
}

/// How far a step's sum is from the one of the records' own gradients, made anew tile by tile.
class SumChecker final : public StepObserver {
 public:
  SumChecker(const EncodedTable& table, const Model& model) : table_(table), model_(model) {}
  void on_batch(const BatchView& view) override {
    std::vector<double> expected(model_.num_parameters());
    const PredictionTerm* term = view.clip.term();
    for (size_t begin = 0; begin < view.batch.size(); begin += model_.max_tile_records()) {
      const auto tile = view.batch.records.subspan(
          begin, std::min(model_.max_tile_records(), view.batch.size() - begin));
      PerSample samples;
      std::vector<double> added;
      std::vector<GroupId> groups;
      std::vector<uint32_t> places;
      for (const uint32_t record : tile) groups.push_back(table_.groups[record]);
      model_.score({table_, tile}, view.parameters, samples);
      if (term != nullptr) {
        const std::vector<uint32_t> all_places = term->places(table_);
        std::vector<double> shares;
        for (const uint32_t record : tile) places.push_back(all_places[record]);
        term->predict(samples.output_gradient, shares);
        term->gradient(places, shares, added);
      }
      model_.differentiate({table_, tile}, added, samples);
      std::vector<double> weights(tile.size());
      view.clip.weights({samples.squared_norm, groups}, weights);
      model_.add_weighted_sum({table_, tile}, samples, weights, expected);
    }
    double squared = 0;
    for (size_t j = 0; j < expected.size(); ++j) {
      const double ours = static_cast<double>(view.sum_units[j]) * view.grid;
      squared += (ours - expected[j]) * (ours - expected[j]);
    }
    error = std::sqrt(squared);
    length = norm(expected);
  }
  double error = 0;
  double length = 0;

 private:
  const EncodedTable& table_;
  const Model& model_;
};

/// Of a large batch only a part is kept between a first look and the sum: both parts count once.
TEST(Loop, TilesThatAreMadeTwiceAddTheSame) {
  constexpr uint32_t kRecords = 1200;  // of at least 0.16 MB each
  constexpr int kAllTiles = 64;        // so many threads keep all
  EncodedTable table = testing::image_table(kRecords, 28, 3);
  for (uint32_t i = 0; i < kRecords; ++i) table.groups.push_back(GroupId(i % 2));
  const auto model = make_cnn("cnn", {1, 28, 28}, make_softmax_loss(2),
                              {{}, ActivationKind::kTanh, {32, 32}, 3, PoolingKind::kNone});
  const ConstraintDomain domain = {{{"half", {"one", "other"}}}, {"no", "yes"}};
  for (const std::string_view name : {"dpsgd_f", "raco_dp"}) {
    TrainingConfig config = config_of(kRecords / 2, 2, 1);
    config.max_grad_norm = 0.5;
    if (name == "raco_dp")
      config.constraints = testing::shared_program("demographic_parity:half:0.01", domain);
    const auto method = find_training_method(name).make();
    const auto run = [&](int threads, StepObserver& observer) {
      config.threads = threads;
      const TrainingPlan plan = method->plan(
          config,
          {kRecords, model->num_parameters(), model->sum_error(1), 2, model->num_outputs()});
      return testing::run_with_seed(*method, table, *model, plan, 5, observer).parameters;
    };
    SumChecker checker(table, *model);
    const std::vector<double> parameters = run(2, checker);
    EXPECT_GT(checker.length, 1) << name;
    // The sum keeps three digits, and a tile is a hundredth of the batch.
    EXPECT_LT(checker.error, 1e-3 * checker.length) << name;
    StepObserver silent;
    EXPECT_EQ(parameters, run(kAllTiles, silent)) << name;
  }
}

/// What the conformance suite tests of small networks, of convolutions that go by tiles
/// (winograd.h) on one thread and more: a null record that was drawn changes no bit of a sum,
/// though it makes one more tile, beside records whose gradients are not finite.
TEST(Loop, ADrawnNullRecordChangesNothingOfManyChannels) {
  const auto model = make_cnn("cnn", {1, 14, 14}, make_softmax_loss(2),
                              {{}, ActivationKind::kTanh, {32, 32}, 3, PoolingKind::kNone});
  const size_t tile = model->max_tile_records();
  const size_t null = tile / 2;
  EncodedTable table = testing::image_table(static_cast<int64_t>(2 * tile + 1), 14, 3);
  for (size_t i = 0; i < table.labels.size(); ++i) table.groups.push_back(GroupId(i % 2));
  table.contributes[null] = 0;
  table.dense[(null - 1) * table.num_dense] = std::numeric_limits<float>::quiet_NaN();
  table.dense[(null + 1) * table.num_dense] = 1e30F;
  const EncodedTable without = testing::without_record(table, null);
  for (const std::string_view name : {"dpsgd", "dpsgd_f"}) {
    for (const int threads : {1, 2, 7}) {
      const auto first_step = [&](const EncodedTable& records) {
        TrainingConfig config = config_of(static_cast<double>(records.num_records), 1, 1);
        config.max_grad_norm = 0.5;
        config.threads = threads;
        const auto method = find_training_method(name).make();
        const TrainingPlan plan =
            method->plan(config, {records.num_records, model->num_parameters(), model->sum_error(1),
                                  2, model->num_outputs()});
        SumRecorder recorder;
        testing::run_with_seed(*method, records, *model, plan, 5, recorder);
        return recorder;
      };
      const SumRecorder before = first_step(table);
      const SumRecorder after = first_step(without);
      EXPECT_EQ(before.grid, after.grid);
      EXPECT_EQ(before.sum, after.sum) << name << ", " << threads << " threads";
    }
  }
}

/// A group that the method does not know is no group of anybody.
TEST(Loop, ARecordOfAnUnknownGroupContributesNothing) {
  EncodedTable table = testing::mixed_table(60, 3);
  for (uint32_t i = 0; i < 60; ++i) table.groups.push_back(GroupId(i % 2));
  EncodedTable without = table;
  table.groups[7] = GroupId(2);
  without.contributes[7] = 0;
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingConfig config = config_of(60, 3, 1);
  const auto method = find_training_method("dpsgd_f").make();
  const TrainingPlan plan = method->plan(config, {60, model.num_parameters(), 0, 2});
  const auto run = [&](const EncodedTable& records) {
    return testing::run_with_seed(*method, records, model, plan, 5).parameters;
  };
  EXPECT_EQ(run(table), run(without));
}

}  // namespace equinoise::loop_test
