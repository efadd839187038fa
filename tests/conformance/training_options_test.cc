// SPDX-License-Identifier: Apache-2.0
// What a row of the training registry says that its method follows, changes what the method does,
// and nothing else does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/registry.h"
#include "tests/small_tables.h"

namespace equinoise::training_options_test {

/// Test names show these names instead of bytes.
void PrintTo(const TrainingMethodRow& row, std::ostream* stream) { *stream << row.name; }

namespace {

using Change = std::function<void(TrainingConfig&)>;

/// An option, what must be so that it matters, and another value of it.
struct OptionCase {
  std::string_view name;
  Change prepare;
  Change change;
};

void nothing(TrainingConfig&) {}

void with_momentum(TrainingConfig& config) { config.optimizer.name = "momentum"; }
void with_adam(TrainingConfig& config) { config.optimizer.name = "adam"; }
void with_first_stage(TrainingConfig& config) { config.tailoring.split = "error"; }
void with_group_loss(TrainingConfig& config) { config.tailoring.loss_multipliers = {1}; }
void with_group_loss_bound(TrainingConfig& config) {
  with_group_loss(config);
  config.tailoring.loss_bound = 0.5;
}
void with_choice(TrainingConfig& config) { config.tailoring.objectives = {"population", "mean"}; }
void with_low_strict_bound(TrainingConfig& config) { config.strict_bound = 1; }
/// The limit is in clip bounds, also where nothing is clipped.
void with_low_push_limit(TrainingConfig& config) {
  if (config.constraints == nullptr) return;
  config.dual_learning_rate = 2;
  config.push_limit = 0.1;
}
void with_soft_histogram(TrainingConfig& config) { config.histogram = HistogramOf::kProbabilities; }

const std::vector<OptionCase>& option_cases() {
  using C = TrainingConfig;
  static const std::vector<OptionCase> cases = {
      {"batch_size", nothing, [](C& c) { c.batch_size = 90; }},
      {"optimizer", nothing, [](C& c) { c.optimizer.name = "adam"; }},
      {"momentum", with_momentum, [](C& c) { c.optimizer.momentum = 0.5; }},
      {"beta1", with_adam, [](C& c) { c.optimizer.beta1 = 0.5; }},
      {"beta2", with_adam, [](C& c) { c.optimizer.beta2 = 0.5; }},
      {"adam_epsilon", with_adam, [](C& c) { c.optimizer.adam_epsilon = 0.1; }},
      {"learning_rate", nothing, [](C& c) { c.learning_rate = 0.3; }},
      {"final_learning_rate", nothing, [](C& c) { c.final_learning_rate = 0.01; }},
      {"tail_average", nothing, [](C& c) { c.tail_average = 0; }},
      {"max_grad_norm", with_low_push_limit, [](C& c) { c.max_grad_norm = 0.2; }},
      {"strict_bound", nothing, [](C& c) { c.strict_bound = 1; }},
      {"strict_bound_learning_rate", with_low_strict_bound,
       [](C& c) { c.strict_bound_learning_rate = 0.5; }},
      {"threshold", with_low_strict_bound, [](C& c) { c.threshold = 0.5; }},
      {"count_noise_multiplier", nothing, [](C& c) { c.count_noise_multiplier = 5; }},
      {"thresholds", nothing, [](C& c) { c.thresholds = ThresholdRule::kCode; }},
      {"max_threshold", nothing, [](C& c) { c.max_threshold = 0.5; }},
      {"clipping_penalty", nothing, [](C& c) { c.clipping_penalty = 5; }},
      {"boundary_penalty", nothing, [](C& c) { c.boundary_penalty = 5; }},
      {"group_weight", nothing,
       [](C& c) {
         c.group_weights = {{"a", 0.5}};
       }},
      {"group_clip", nothing,
       [](C& c) {
         c.group_clips = {{"a", 0.3}};
       }},
      {"group_epsilon", nothing,
       [](C& c) {
         c.group_epsilons = {{"a", 0.1}};
       }},
      {"split", nothing, [](C& c) { c.tailoring.split = "inverse_size"; }},
      {"max_share", with_first_stage, [](C& c) { c.tailoring.max_share = 0.4; }},
      {"stage1_fraction", with_first_stage, [](C& c) { c.tailoring.stage_one_fraction = 0.5; }},
      {"feature_norm_bound", with_first_stage, [](C& c) { c.tailoring.feature_norm_bound = 0.5; }},
      {"residual_clip", with_first_stage, [](C& c) { c.tailoring.residual_clip = 0.1; }},
      {"box", nothing, [](C& c) { c.tailoring.box = 0.01; }},
      {"group_objective", nothing, [](C& c) { c.tailoring.objectives = {"mean"}; }},
      {"group_loss_multiplier", nothing, [](C& c) { c.tailoring.loss_multipliers = {1}; }},
      {"group_loss_bound", with_group_loss, [](C& c) { c.tailoring.loss_bound = 100; }},
      {"group_loss_clip", with_group_loss_bound, [](C& c) { c.tailoring.loss_clip = 0.1; }},
      {"mean_runs", with_choice, [](C& c) { c.tailoring.mean_runs = 9; }},
      {"loss_bound", nothing, [](C& c) { c.worst_group.loss_bound = 0.3; }},
      {"group_learning_rate", nothing, [](C& c) { c.worst_group.group_learning_rate = 2; }},
      {"loss_share", nothing, [](C& c) { c.worst_group.loss_share = 0.5; }},
      {"group_batch_size", nothing, [](C& c) { c.worst_group.group_batch_size = 30; }},
      {"radius", nothing, [](C& c) { c.worst_group.radius = 0.05; }},
      {"selection", nothing, [](C& c) { c.worst_group.selection = "laplace"; }},
      {"phase_step", nothing, [](C& c) { c.worst_group.phase_step = 0.03; }},
      {"feature_bound", nothing, [](C& c) { c.worst_group.feature_bound = 1.5; }},
      {"exploration", nothing, [](C& c) { c.worst_group.exploration = 0.9; }},
      {"online", nothing, [](C& c) { c.worst_group.online = "descent"; }},
      {"dual_learning_rate", nothing, [](C& c) { c.dual_learning_rate = 2; }},
      {"max_multiplier", [](C& c) { c.dual_learning_rate = 2; },
       [](C& c) { c.max_multiplier = 0.01; }},
      {"histogram", nothing, with_soft_histogram},
      {"histogram_decay", nothing, [](C& c) { c.histogram_decay = 0; }},
      {"multipliers", nothing, [](C& c) { c.multipliers = MultiplierRule::kMean; }},
      {"inverse_temperature", with_soft_histogram, [](C& c) { c.inverse_temperature = 3; }},
      {"push_limit", [](C& c) { c.dual_learning_rate = 2; }, [](C& c) { c.push_limit = 0.01; }},
      {"clip_allowance", with_low_push_limit, [](C& c) { c.clip_allowance = 0; }},
      {"histogram_noise", nothing, [](C& c) { c.histogram_noise = HistogramNoise::kLaplace; }},
      {"histogram_noise_multiplier", nothing, [](C& c) { c.histogram_noise_multiplier = 1; }},
  };
  return cases;
}

constexpr int64_t kRecords = 600;

/// Groups of a half, a third and a sixth of the records.
EncodedTable make_table(std::string_view model) {
  EncodedTable table = testing::mixed_table(kRecords, 1);
  if (model == "linear") {
    for (size_t i = 0; i < table.labels.size(); ++i)
      table.targets.push_back(0.25F * static_cast<float>(i % 3) + table.labels[i]);
    table.labels.clear();
    table.classes.clear();
  }
  constexpr uint32_t kGroups[] = {0, 1, 0, 2, 0, 1};
  for (size_t i = 0; i < kRecords; ++i) table.groups.push_back(GroupId(kGroups[i % 6]));
  return table;
}

class TrainingOptionsTest : public ::testing::TestWithParam<TrainingMethodRow> {
 protected:
  /// What is charged, and the model.
  struct Outcome {
    std::vector<Event> events;
    std::vector<double> parameters;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };

  TrainingConfig config(const EncodedTable& table) const {
    TrainingConfig config;
    config.batch_size = 60;
    config.num_steps = 12;
    config.max_grad_norm = 0.5;
    config.learning_rate = 0.5;
    if (GetParam().status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.3;
    if (GetParam().make()->uses_constraints()) {
      const ConstraintDomain domain = {{{"group", {"a", "b", "c"}}}, table.classes};
      std::vector<std::string> notes;
      config.constraints = std::make_shared<const RateProgram>(compile_constraints(
          domain, parse_constraint("demographic_parity:group:0.001", domain), notes));
    }
    return config;
  }

  Outcome run(const EncodedTable& table, const Model& model, const TrainingConfig& config) const {
    const auto method = GetParam().make();
    const TrainingFacts facts = {
        table.num_records,   model.num_parameters(),
        model.sum_error(1),  3,
        model.num_outputs(), {"group", {"a", "b", "c"}, {1.0 / 2, 1.0 / 3, 1.0 / 6}},
        model.name()};
    const TrainingPlan plan = method->plan(config, facts);
    SeededSource source(5);
    StepObserver silent;
    Charge charge = Charge::unpaid(plan.events(), config.relation, source);
    Outcome outcome{plan.events(), method
                                       ->run({table, model, plan,
                                              TrainingState::start(model.initial_parameters(1)),
                                              std::move(charge), source, silent})
                                       .parameters};
    // NaN differs from itself.
    for (const double value : outcome.parameters) EXPECT_TRUE(std::isfinite(value));
    return outcome;
  }

  /// The options whose other value changes the outcome.
  std::set<std::string_view> effective_options() const {
    std::set<std::string_view> found;
    const auto method = GetParam().make();
    for (const ModelRow& row : model_kinds()) {
      const bool is_tried = row.name == "logistic" || row.name == "linear";
      if (!is_tried || !method->trains(row.name)) continue;
      if (row.name == "linear" && method->uses_constraints()) continue;
      const EncodedTable table = make_table(row.name);
      const auto model = row.make({table.feature_names, table.classes, {}}, {});
      for (const OptionCase& tried : option_cases()) {
        TrainingConfig before = config(table);
        tried.prepare(before);
        TrainingConfig after = before;
        tried.change(after);
        try {
          if (run(table, *model, before) != run(table, *model, after)) found.insert(tried.name);
        } catch (const Error& error) {
          // Plans refuse much of what is not theirs.
          if (GetParam().follows(tried.name))
            ADD_FAILURE() << tried.name << " " << row.name << ": " << error.what();
        }
      }
    }
    return found;
  }
};

TEST_P(TrainingOptionsTest, ThoseThatItFollowsAndNoOthersDoSomething) {
  std::set<std::string_view> followed;
  for (const OptionCase& known : option_cases())
    if (GetParam().follows(known.name)) followed.insert(known.name);
  EXPECT_EQ(effective_options(), followed);
}

/// Each option of the row is one that the test above knows.
TEST_P(TrainingOptionsTest, AreKnown) {
  const TrainingOptions& options = GetParam().options();
  for (const TrainingOption& option : options) {
    EXPECT_TRUE(
        std::any_of(option_cases().begin(), option_cases().end(),
                    [&](const OptionCase& known) { return known.name == option.facts.name; }))
        << option.facts.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingOptionsTest,
                         ::testing::ValuesIn(training_methods().begin(), training_methods().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace equinoise::training_options_test
