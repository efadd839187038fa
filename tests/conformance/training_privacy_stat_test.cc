// SPDX-License-Identifier: Apache-2.0
// Distinguishing games with every private training method: a canary whose gradient has the norm of
// the clip, in a table that is empty but for it. What an adversary shows must stay below the
// method's claim, and must exceed it for broken methods.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "equinoise/base/error.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/rate_lagrangian.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/training_options.h"
#include "tests/conformance/empirical_privacy.h"
#include "tests/conformance/scaled_weights.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/train/configs.h"

namespace equinoise::training_privacy_stat_test {

using testing::empirical_epsilon;
using testing::EmpiricalPrivacy;

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261126;
constexpr double kDelta = 0.01;
constexpr int64_t kRecords = 8;
constexpr uint32_t kCanary = 5;

/// A table of null records, or with one record that contributes: dense features, two classes.
EncodedTable table_of(bool with_canary) {
  EncodedTable table;
  table.num_records = kRecords;
  table.num_dense = table.num_features = 2;
  table.feature_names = {"a", "b"};
  table.classes = {"no", "yes"};
  // Features of a null record are NaN, so that a method that counts what it may not count is seen.
  table.dense.assign(2 * kRecords, std::nanf(""));
  table.labels.assign(kRecords, 0);
  table.groups.assign(kRecords, GroupId(0));
  table.contributes.assign(kRecords, 0);
  if (with_canary) {
    table.dense[2 * kCanary] = 3;
    table.dense[2 * kCanary + 1] = -4;
    table.labels[kCanary] = 1;
    table.contributes[kCanary] = 1;
  }
  return table;
}

/// What an adversary sees of a run.
struct Seen {
  std::vector<std::vector<double>> iterates;  ///< all of them, the start included
  std::vector<double> clip = {};              ///< what the clip policy kept at last
};

class Recorder final : public StepObserver {
 public:
  void on_step(const StepView& view) override {
    seen.iterates.push_back(view.state.parameters);
    seen.clip = view.state.clip;
  }
  Seen seen;
};

/// How an adversary turns it into a score.
using Attack = std::function<double(const Seen& seen, const std::vector<double>& canary)>;

/// How far the iterates went against the canary's gradient `canary`: the sufficient statistic of
/// steps with Gaussian noise in which that gradient stays the same.
double displacement(const Seen& seen, const std::vector<double>& canary) {
  double product = 0;
  for (size_t j = 0; j < canary.size(); ++j) {
    product -= canary[j] * (seen.iterates.back()[j] - seen.iterates.front()[j]);
  }
  return product;
}

/// How far the second step differs from the first one: not at all where both are the same noise and
/// nothing else.
double difference_of_steps(const Seen& seen, const std::vector<double>&) {
  const auto& iterates = seen.iterates;
  double squared = 0;
  for (size_t j = 0; j < iterates[0].size(); ++j) {
    const double difference = iterates[2][j] - 2 * iterates[1][j] + iterates[0][j];
    squared += difference * difference;
  }
  return std::sqrt(squared);
}

/// The histogram's cell of positive records that are predicted negative, as the canary is at the
/// start: after the number of steps and the multiplier of the one constraint.
double cell_of_canary(const Seen& seen, const std::vector<double>&) { return seen.clip[2]; }

/// One kind of game.
struct Game {
  std::string name;
  int64_t num_steps;
  double batch_size;
  double learning_rate;
  Attack attack;
  int plays;                    ///< of each table
  double power;                 ///< share of the claim that is shown of a right method at least
  bool of_constraints = false;  ///< for methods that have some, with as much noise on histograms
};

const std::vector<Game>& games() {
  static const std::vector<Game> all = {
      {"one_full_batch", 1, kRecords, 1e-6, displacement, 15'000, 0.5},
      {"four_poisson_batches", 4, kRecords / 2.0, 1e-6, displacement, 10'000, 0.25},
      {"two_steps_compared", 2, kRecords, 0.1, difference_of_steps, 5'000, 0},
      {"histogram_of_a_full_batch", 1, kRecords, 1e-6, cell_of_canary, 10'000, 0.25, true},
  };
  return all;
}

/// The gradient of the canary at the start.
std::vector<double> canary_gradient(const Model& model) {
  const EncodedTable table = table_of(true);
  const std::vector<uint32_t> canary = {kCanary};
  PerSample samples;
  model.per_sample({table, canary}, std::vector<double>(model.num_parameters(), 0.0), samples);
  std::vector<double> gradient(model.num_parameters(), 0);
  model.add_weighted_sum({table, canary}, samples, std::vector<double>{1}, gradient);
  return gradient;
}

struct Result {
  EmpiricalPrivacy found;
  double claim;  ///< to the canary: the least of all accountants'
};

/// Whether it trains where all records are of one group.
bool takes_one_group(const TrainingMethod& method, const TrainingConfig& config,
                     const TrainingFacts& facts) {
  try {
    method.plan(config, facts);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Plays `game` with what `method` releases against what `claimed` plans.
Result play(const TrainingMethod& claimed, const TrainingMethod& method, const Game& game,
            uint64_t seed) {
  const EncodedTable tables[] = {table_of(false), table_of(true)};
  const std::unique_ptr<Model> model =
      model_kinds()[0].make({tables[0].feature_names, tables[0].classes}, {});
  const std::vector<double> gradient = canary_gradient(*model);
  double squared = 0;
  for (double entry : gradient) squared += entry * entry;

  TrainingConfig config = testing::stepwise_config(game.batch_size, game.num_steps, 1);
  config.delta = kDelta;
  config.learning_rate = config.final_learning_rate = game.learning_rate;
  config.tail_average = 0;
  // Just below the canary's norm, so that it is clipped at the start and may be smaller later on.
  config.max_grad_norm = std::sqrt(squared) * (1 - 1e-9);
  TrainingFacts facts{kRecords,     model->num_parameters(), 0, 1, 1, {"group", {"all"}, {1}},
                      model->name()};
  if (claimed.traits().takes_full_batches) {
    // Every step's noise is the canary's group's own.
  } else if (claimed.traits().compares_groups ||
             (claimed.traits().uses_groups() && !takes_one_group(claimed, config, facts))) {
    // With even weights the canary's group counts as much as the other one.
    facts.num_groups = 2;
    facts.groups = {"group", {"canary", "others"}, {0.5, 0.5}};
  } else if (claimed.traits().uses_groups() && !claimed.plan(config, facts).group_bounds.empty()) {
    // The canary is in a group that pays less than the other one.
    facts.num_groups = 2;
    facts.groups = {"group", {"canary", "others"}, {0.5, 0.5}};
    config.own.of<GroupCostOptions>().clips = {{"canary", 0.7 * config.max_grad_norm}};
  } else if (claimed.traits().uses_groups()) {
    // With one group a threshold is twice the clip, whatever the counts.
    config.max_grad_norm /= 2;
  }
  // Just above it, for methods that scale up to there.
  config.own.of<StrictBoundOptions>().strict_bound = std::sqrt(squared) * (1 + 1e-9);
  if (claimed.traits().uses_constraints) {
    config.constraints = testing::shared_program("fnr:0.1", {{}, tables[0].classes});
    // So that the one step's histogram is in the state.
    config.own.of<DualStepOptions>().dual_interval = 1;
    if (game.of_constraints)
      config.own.of<RateOptions>().histogram_noise_multiplier = config.noise_multiplier;
  }
  const TrainingPlan claim = claimed.plan(config, facts);
  const TrainingPlan plan = method.plan(config, facts);

  std::vector<double> scores[2];
  for (int i = 0; i < 2 * game.plays; ++i) {
    SeededSource source(seed + static_cast<uint64_t>(i));
    Recorder recorder;
    recorder.seen.iterates.emplace_back(facts.num_parameters, 0.0);
    method.run({tables[i % 2], *model, plan,
                TrainingState::start(std::vector<double>(facts.num_parameters)),
                Charge::unpaid(plan.events(), config.relation, source), source, recorder});
    scores[i % 2].push_back(game.attack(recorder.seen, gradient));
  }

  const std::vector<Event> events = claim.events_of(0);
  double least = smallest_guarantee(config.relation, events, Delta(kDelta)).epsilon.value();
  for (const AccountantRow& row : accountant_rows()) {
    try {
      const auto accountant = row.make(config.relation, events);
      least = std::min(least, accountant->epsilon(Delta(kDelta)).value());
    } catch (const Error&) {
      // This accountant has no bound for such events.
    }
  }
  return {empirical_epsilon(scores[1], scores[0], kDelta, kSignificance), least};
}

void tell(std::string_view method, const Game& game, const Result& result, uint64_t seed) {
  std::printf(
      "%s, %s: epsilon at least %.4f, claim %.4f at delta %g; %d plays of each table, "
      "significance %g, seed %llu\n",
      std::string(method).c_str(), game.name.c_str(), result.found.epsilon, result.claim, kDelta,
      game.plays, kSignificance, static_cast<unsigned long long>(seed));
}

/// Plans and draws half of the noise that the method claims.
class HalfTheNoise final : public TrainingMethod {
 public:
  explicit HalfTheNoise(std::string_view claimed)
      : claimed_(find_training_method(claimed).make()) {}
  const MethodTraits& traits() const override { return claimed_->traits(); }
  const TrainingOptions& options() const override { return claimed_->options(); }
  TrainedModel run(TrainingRun training) const override {
    return claimed_->run(std::move(training));
  }

 private:
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingConfig half = config;
    *half.noise_multiplier /= 2;
    return claimed_->plan(half, facts);
  }

  std::unique_ptr<TrainingMethod> claimed_;
};

/// Draws the noise of every step from the words of the first.
class NoiseUsedAgain final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override { return noisy_gradient_options(); }
  const MethodTraits& traits() const override { return find_training_method("dpsgd"); }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("dpsgd", config, facts);
  }
  TrainedModel run(TrainingRun training) const override {
    TrainingConfig config = training.plan.config;
    config.num_steps = 1;
    const TrainingPlan step = plan_noisy_gradients("dpsgd", config, training.plan.facts);
    const uint64_t seed = training.source.next();
    TrainedModel trained{training.start.parameters};
    for (int64_t i = 0; i < training.plan.config.num_steps; ++i) {
      TrainingState state =
          TrainingState::start(std::vector<double>(training.plan.facts.num_parameters));
      state.parameters = trained.parameters;
      SeededSource again(seed);
      FlatClip clip(config.max_grad_norm);
      trained = run_noisy_loop(
          {training.table, training.model, step, std::move(state),
           Charge::unpaid(step.events(), config.relation, again), again, training.observer},
          clip);
    }
    return trained;
  }
};

/// Draws for histograms noise of one unit of their grid.
class ExactHistograms final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override { return noisy_gradient_options(); }
  const MethodTraits& traits() const override { return RacoDp::kTraits; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = raco_dp_->plan(config, facts);
    const Event histogram = Event::gaussian(std::ldexp(1, -RateLagrangian::kUnitBits));
    plan.items[0].event =
        Event::repeat(config.num_steps,
                      Event::poisson_sampled(plan.sample_rate,
                                             {Event::gaussian(plan.noise_multiplier), histogram}));
    return plan;
  }
  TrainedModel run(TrainingRun training) const override {
    return raco_dp_->run(std::move(training));
  }

 private:
  std::unique_ptr<TrainingMethod> raco_dp_ = find_training_method("raco_dp").make();
};

/// By the name of a method of the registry.
class TrainingPrivacy : public ::testing::TestWithParam<std::string> {};

TEST_P(TrainingPrivacy, StaysBelowItsClaim) {
  const auto method = find_training_method(GetParam()).make();
  for (const Game& game : games()) {
    if (game.of_constraints && !method->traits().uses_constraints) continue;
    const Result result = play(*method, *method, game, kSeed);
    tell(GetParam(), game, result, kSeed);
    EXPECT_LE(result.found.epsilon, result.claim) << game.name;
    // So little as what is printed with far too much noise costs, no game of this length shows.
    constexpr double kMinShown = 0.5;
    // Methods that follow one group a step choose the canary's in about half of the games.
    const bool follows_one_group = GetParam() == "mgr" || GetParam() == "ags";
    const double power = result.claim >= kMinShown ? (follows_one_group ? 0.4 : 1) * game.power : 0;
    EXPECT_GE(result.found.epsilon, power * result.claim) << game.name;
  }
}

/// The games are those of the test above: what they would miss here they would miss there.
TEST(BrokenTraining, IsCaught) {
  struct Broken {
    std::string_view name;
    std::unique_ptr<TrainingMethod> method;
    size_t game;
    std::string_view claims_to_be = "dpsgd";
  };
  std::vector<Broken> all;
  for (const size_t game : {0, 1})
    all.push_back({"half the noise", std::make_unique<HalfTheNoise>("dpsgd"), game});
  for (const std::string_view of_groups : {"dpsgd_f", "group_weighted"})
    all.push_back({"half the noise", std::make_unique<HalfTheNoise>(of_groups), 0, of_groups});
  all.push_back({"noise used again", std::make_unique<NoiseUsedAgain>(), 2});
  all.push_back({"exact histograms", std::make_unique<ExactHistograms>(), 3, "raco_dp"});
  for (const Broken& broken : all) {
    const Game& game = games()[broken.game];
    const auto right = find_training_method(broken.claims_to_be).make();
    const Result result = play(*right, *broken.method, game, kSeed + 1);
    tell(broken.name, game, result, kSeed + 1);
    EXPECT_GT(result.found.epsilon, result.claim) << broken.name << ", " << game.name;
  }
}

/// The loop cuts such weights to what records pay for.
TEST(BrokenTraining, WeightsBeyondTheBoundTellNoMore) {
  const auto right = find_training_method("dpsgd").make();
  const Result result = play(*right, testing::ScaledWeights(2), games()[0], kSeed + 2);
  tell("double weights", games()[0], result, kSeed + 2);
  EXPECT_LE(result.found.epsilon, result.claim);
}

std::vector<std::string> private_methods() {
  std::vector<std::string> names;
  for (const TrainingMethodRow& row : training_methods()) {
    // Those that follow no sums of batches have games of their own.
    if (row.status == PrivacyStatus::kPrivate && row.is_stepwise) names.emplace_back(row.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingPrivacy, ::testing::ValuesIn(private_methods()),
                         [](const auto& name) { return name.param; });

}  // namespace equinoise::training_privacy_stat_test
