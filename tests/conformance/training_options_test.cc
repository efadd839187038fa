// SPDX-License-Identifier: Apache-2.0
// What a row of the training registry says that its method follows, changes what the method does,
// and nothing else does; ranges are kept to, and at their ends the sensitivity is.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/prediction_term.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"
#include "tests/trial_values.h"

namespace equinoise::training_options_test {

/// Test names show these names instead of bytes.
void PrintTo(const TrainingMethodRow& row, std::ostream* stream) { *stream << row.name; }

namespace {

using Settings = std::vector<Setting>;

/// What makes one option or another matter: an optimizer, a first stage, constraints that push
/// hard. A method leaves alone what is not its own.
const std::vector<Settings>& circumstances() {
  using Words = std::vector<std::string>;
  static const std::vector<Settings> all = {
      {},
      {{"optimizer", "momentum"}},
      {{"optimizer", "adam"}},
      {{"split", "error"}},
      {{"group_loss_multiplier", std::vector<double>{1}}, {"group_loss_bound", 0.5}},
      {{"group_objective", Words{"population", "mean"}}},
      {{"strict_bound", 1.0}},
      {{"dual_learning_rate", 2.0}},
      {{"dual_learning_rate", 2.0}, {"push_limit", 0.1}},
      {{"dual_learning_rate", 2.0}, {"push_limit", 0.3}},
      {{"histogram", "soft"}},
      {{"aim", "bounded"}, {"loss_limit", 0.05}},
      {{"weights_by", "error_over_size"}},
      {{"score_share", 0.9}},
  };
  return all;
}

TrainingConfig with(TrainingConfig config, const Settings& settings) {
  apply_settings<TrainingConfig>("test", training_options(), settings, config);
  return config;
}

constexpr int64_t kRecords = 600;

/// Groups of a half, a third and a sixth of the records.
EncodedTable make_table(std::string_view model, size_t num_records = kRecords) {
  EncodedTable table = testing::mixed_table(static_cast<int64_t>(num_records), 1);
  if (model == "linear") {
    for (size_t i = 0; i < table.labels.size(); ++i)
      table.targets.push_back(0.25F * static_cast<float>(i % 3) + table.labels[i]);
    table.labels.clear();
    table.classes.clear();
  }
  constexpr uint32_t kGroups[] = {0, 1, 0, 2, 0, 1};
  for (size_t i = 0; i < num_records; ++i) table.groups.push_back(GroupId(kGroups[i % 6]));
  return table;
}

/// The sums of the first step, and what of a run is more than it has paid for.
class PaidParts final : public StepObserver {
 public:
  PaidParts(const EncodedTable& table, const Model& model) : table_(table), model_(model) {}

  void on_batch(const BatchView& view) override {
    num_cut += view.num_cut;
    if (view.step > 0) return;
    batch.assign(view.batch.records.begin(), view.batch.records.end());
    sum.assign(view.sum_units.begin(), view.sum_units.end());
    grid = view.grid;
    bound = view.clip.bound();
    group_bounds.assign(view.clip.group_bounds().begin(), view.clip.group_bounds().end());
    is_of_given_answers = view.clip.counts_come_first() || view.clip.term() != nullptr;
    if (view.clip.term() != nullptr) measure_term(*view.clip.term(), view.parameters);
  }

  /// What the record moves the sum by at most.
  double reach(uint32_t record) const {
    const double of_record =
        group_bounds.empty() ? bound : group_bounds[index_of(table_.groups[record])];
    return (of_record + model_.sum_error(grid)) / grid;
  }

  int64_t num_cut = 0;
  std::vector<uint32_t> batch;
  std::vector<int64_t> sum;
  double grid = 0;
  double bound = 0;
  std::vector<double> group_bounds;
  bool is_of_given_answers = false;  ///< records have parts in sums that follow from noisy answers
  double longest_of_term = 0;        ///< that a record adds to the term's sums, in L2

 private:
  void measure_term(const PredictionTerm& term, std::span<const double> parameters) {
    const std::vector<uint32_t> places = term.places(table_);
    PerSample samples;
    std::vector<double> shares;
    for (const uint32_t record : batch) {
      model_.score({table_, {&record, 1}}, parameters, samples);
      term.predict(samples.output_gradient, shares);
      std::vector<int64_t> units(term.num_sums());
      term.add_sums({&places[record], 1}, shares, {}, units);
      double squared = 0;
      for (const int64_t unit : units) squared += std::pow(std::ldexp(unit, -term.kUnitBits), 2);
      longest_of_term = std::max(longest_of_term, std::sqrt(squared));
    }
  }

  const EncodedTable& table_;
  const Model& model_;
};

class TrainingOptionsTest : public ::testing::TestWithParam<TrainingMethodRow> {
 protected:
  /// What is charged, and the model.
  struct Outcome {
    std::vector<Event> events;
    std::vector<double> parameters;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };

  TrainingConfig config(const EncodedTable& table) const {
    TrainingConfig config = testing::stepwise_config(60, 12);
    config.max_grad_norm = 0.5;
    config.learning_rate = 0.5;
    if (GetParam().status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.3;
    if (GetParam().uses_constraints) {
      config.constraints = testing::shared_program("demographic_parity:group:0.001",
                                                   {{{"group", {"a", "b", "c"}}}, table.classes});
    }
    return config;
  }

  Outcome run(const EncodedTable& table, const Model& model, const TrainingConfig& config) const {
    StepObserver silent;
    return run(table, model, config, silent);
  }

  Outcome run(const EncodedTable& table, const Model& model, const TrainingConfig& config,
              StepObserver& observer) const {
    const auto method = GetParam().make();
    TrainingFacts facts = {
        table.num_records,   model.num_parameters(),
        model.sum_error(1),  3,
        model.num_outputs(), {"group", {"a", "b", "c"}, {1.0 / 2, 1.0 / 3, 1.0 / 6}},
        model.name()};
    facts.row_norm = 4;
    // The first number has the name that trial_values gives to options of names.
    facts.columns.assign(table.num_dense + table.num_active, "another");
    facts.num_numbers = table.num_dense;
    if (facts.num_numbers > 0) facts.columns[0] = "mean";
    if (!table.targets.empty()) facts.target = {0, 1, -1, 2};
    const TrainingPlan plan = method->plan(config, facts);
    SeededSource source(5);
    Charge charge = Charge::unpaid(plan.events(), config.relation, source);
    Outcome outcome{plan.events(), method
                                       ->run({table, model, plan,
                                              TrainingState::start(model.initial_parameters(1)),
                                              std::move(charge), source, observer})
                                       .parameters};
    // NaN differs from itself.
    for (const double value : outcome.parameters) EXPECT_TRUE(std::isfinite(value));
    return outcome;
  }

  /// Whether another value of the option changes the outcome in any circumstances; of one that the
  /// method does not follow one value is tried, with all circumstances at once. What went wrong is
  /// in `problems`.
  bool has_effect(const EncodedTable& table, const Model& model, const TrainingOption& option,
                  std::string& problems) const {
    const bool is_own = GetParam().follows(option.facts.name);
    std::vector<Settings> tried = circumstances();
    if (!is_own) {
      Settings all;
      for (const Settings& settings : tried) append(all, settings);
      tried = {{}, all};
    }
    for (const Settings& settings : tried) {
      const TrainingConfig before = with(config(table), settings);
      std::vector<OptionValue> values = testing::trial_values(option, before);
      if (!is_own) values.resize(1);
      for (const OptionValue& value : values) {
        const TrainingConfig after = with(before, {{std::string(option.facts.name), value}});
        try {
          if (run(table, model, before) != run(table, model, after)) return true;
        } catch (const Error& error) {
          problems += fmt::format("{}; ", error.what());
        }
      }
    }
    return false;
  }
};

TEST_P(TrainingOptionsTest, ThoseThatItFollowsAndNoOthersDoSomething) {
  const auto method = GetParam().make();
  std::set<std::string_view> effective;
  std::map<std::string_view, std::string> problems;
  for (const ModelRow& row : model_kinds()) {
    const bool is_tried =
        row.name == "logistic" || row.name == "linear" || row.name == method->traits().own_model;
    if (!is_tried || !method->traits().trains(row.name)) continue;
    if (row.name == "linear" && method->traits().uses_constraints) continue;
    const EncodedTable table = make_table(row.name);
    std::unique_ptr<Model> model =
        row.make({table.feature_names, table.classes, {}, 0, testing::mixed_cells()}, {});
    if (method->traits().uses_constraints && method->traits().has_model_per_group)
      model = make_per_group(std::move(model), {"a", "b", "c"});
    for (const TrainingOption& option : training_options()) {
      const std::string_view name = option.facts.name;
      if (effective.count(name) == 0 && has_effect(table, *model, option, problems[name]))
        effective.insert(name);
    }
  }
  for (const TrainingOption& option : training_options()) {
    const std::string_view name = option.facts.name;
    // Done to the groups before a method sees them: WorstGroup.PoolingTrainsWhatMergingDoes.
    if (name == "pool_below") continue;
    EXPECT_EQ(effective.count(name) > 0, GetParam().follows(name))
        << name << ": " << problems[name];
  }
}

/// What is beyond a range is refused by its name; at the ends a method runs, or says why not, and
/// no record has a part in what is released that it does not pay for.
TEST_P(TrainingOptionsTest, RangesAreKeptToAndRecordsPayForTheirPartsAtTheEnds) {
  const auto method = GetParam().make();
  const ModelRow* row = nullptr;
  for (const ModelRow& each : model_kinds()) {
    const bool is_wanted = method->traits().own_model.empty()
                               ? each.name == "logistic" || each.name == "linear"
                               : each.name == method->traits().own_model;
    if (row == nullptr && is_wanted && method->traits().trains(each.name)) row = &each;
  }
  ASSERT_NE(row, nullptr);
  EncodedTable table = make_table(row->name, 60);
  for (uint32_t j = 0; j < table.num_dense; ++j) table.dense[12 * table.num_dense + j] = 1e6F;
  std::unique_ptr<Model> model =
      row->make({table.feature_names, table.classes, {}, 0, testing::mixed_cells()}, {});
  if (method->traits().uses_constraints && method->traits().has_model_per_group)
    model = make_per_group(std::move(model), {"a", "b", "c"});
  const TrainingOptions& options = GetParam().options();
  for (const TrainingOption& option : options) {
    const std::string name(option.facts.name);
    TrainingConfig base = config(table);
    base.num_steps = 2;
    if (name == "group_loss_bound" || name == "group_loss_clip")
      base = with(base, {{"group_loss_multiplier", std::vector<double>{1}}});
    if (name == "mean_runs")
      base = with(base, {{"group_objective", std::vector<std::string>{"population", "mean"}}});
    if (!option.facts.on_words.empty())
      base = with(base,
                  {{std::string(option.facts.depends_on), std::string(option.facts.on_words[0])}});
    for (const double number : testing::numbers_outside(option.facts.range)) {
      for (const OptionValue& value : testing::values_of_number(option, number)) {
        const TrainingConfig outside = with(base, {{name, value}});
        EXPECT_ERROR(kUsage, HasSubstr(name + " must"), run(table, *model, outside)) << number;
      }
    }
    for (const double number : testing::ends_of(option.facts.range)) {
      for (const OptionValue& value : testing::values_of_number(option, number)) {
        const std::string what = fmt::format("{} {}", name, number);
        const TrainingConfig at_end = with(base, {{name, value}});
        PaidParts all(table, *model);
        try {
          run(table, *model, at_end, all);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::kUsage) << what << ": " << error.what();
          continue;
        }
        EXPECT_EQ(all.num_cut, 0) << what;
        EXPECT_LE(all.longest_of_term, 1) << what;
        if (all.sum.empty() || all.is_of_given_answers || !std::isfinite(all.bound)) continue;
        for (const uint32_t record : {0U, 3U, 12U, 59U}) {
          EncodedTable neighbour = table;
          neighbour.contributes[record] = 0;
          PaidParts without(neighbour, *model);
          run(neighbour, *model, at_end, without);
          // A choice of a group is paid for, and sums are bounded for a given one.
          if (without.batch != all.batch) continue;
          long double squared = 0;
          for (size_t j = 0; j < all.sum.size(); ++j) {
            const auto change = static_cast<long double>(all.sum[j] - without.sum[j]);
            squared += change * change;
          }
          EXPECT_LE(static_cast<double>(std::sqrt(squared)), all.reach(record) * (1 + 1e-15))
              << what << " " << record;
        }
      }
    }
  }
}

/// Weights of groups are made of losses of networks as of others.
TEST_P(TrainingOptionsTest, ThoseThatItFollowsDoSomethingToNetworksThatCompareGroups) {
  const auto method = GetParam().make();
  if (!method->traits().compares_groups || !method->traits().trains("mlp"))
    GTEST_SKIP() << "no such networks";
  const EncodedTable table = make_table("mlp");
  const NetworkOptions small = {.hidden = {4}};
  for (const ModelRow& row : model_kinds()) {
    if (row.name != "mlp") continue;
    const auto model = row.make({table.feature_names, table.classes, {}, 0, {}}, row.settle(small));
    const TrainingOptions& own = GetParam().options();
    for (const TrainingOption& option : own) {
      // The other is of numbers, which this table's target is not.
      if (option.facts.name == "pool_below" || option.facts.name == "residual_share") continue;
      std::string problems;
      EXPECT_TRUE(has_effect(table, *model, option, problems)) << option.facts.name << problems;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingOptionsTest,
                         ::testing::ValuesIn(training_methods().begin(), training_methods().end()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace equinoise::training_options_test
