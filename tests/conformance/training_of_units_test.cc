// SPDX-License-Identifier: Apache-2.0
// What every row of the training registry must do with a table whose units have several rows.

#include <algorithm>
#include <cmath>

#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/registry.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/configs.h"

namespace equinoise::training_of_units_test {

constexpr uint64_t kSeed = 12;
constexpr int64_t kUnits = 300;

/// Keeps the batches.
class BatchRecorder final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    batches.emplace_back(view.batch.records.begin(), view.batch.records.end());
    EXPECT_EQ(view.num_cut, 0);
  }
  std::vector<std::vector<uint32_t>> batches;
};

/// A table of two classes, or numbers, in three groups, of so many rows for each unit; 0: no units.
EncodedTable table_of(uint32_t rows_per_unit) {
  EncodedTable table = testing::mixed_table(kUnits * std::max(1U, rows_per_unit), 5);
  for (uint32_t i = 0; i < table.num_records; ++i)
    table.groups.push_back(GroupId{i / std::max(1U, rows_per_unit) % 3});
  for (uint32_t u = 0; rows_per_unit > 0 && u <= kUnits; ++u)
    table.unit_begin.push_back(u * rows_per_unit);
  table.targets.assign(table.labels.begin(), table.labels.end());
  return table;
}

std::unique_ptr<Model> model_of(std::string_view kind, const EncodedTable& table) {
  for (const ModelRow& row : model_kinds()) {
    if (row.name == kind)
      return row.make({table.feature_names, table.classes, {}, 0, testing::mixed_cells()},
                      {{6, 5}, ActivationKind::kTanh});
  }
  return nullptr;
}

struct Trial {
  std::vector<double> parameters;
  std::vector<std::vector<uint32_t>> batches;
};

Trial run(const TrainingMethodRow& row, std::string_view kind, const EncodedTable& table,
          int threads = 1, int64_t num_steps = 12) {
  const auto method = row.make();
  std::unique_ptr<Model> model = model_of(kind, table);
  if (method->traits().has_model_per_group)
    model = make_per_group(std::move(model), {"a", "b", "c"});
  TrainingConfig config = testing::stepwise_config(60, num_steps);
  config.max_grad_norm = 0.5;
  config.threads = threads;
  if (row.status == PrivacyStatus::kPrivate) config.noise_multiplier = num_steps > 100 ? 10 : 1.3;
  if (method->traits().uses_constraints) {
    config.constraints = testing::shared_program("demographic_parity:group:0.05",
                                                 {{{"group", {"a", "b", "c"}}}, table.classes});
  }
  TrainingFacts facts = {kUnits,
                         model->num_parameters(),
                         0,
                         3,
                         model->num_outputs(),
                         {"group", {"a", "b", "c"}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
                         model->name()};
  if (kind == "linear") facts.target = {0, 1, -1, 2};
  const TrainingPlan plan = method->plan(config, facts);
  SeededSource source(kSeed);
  BatchRecorder recorder;
  const TrainedModel trained =
      method->run({table, *model, plan, TrainingState::start(model->initial_parameters(1)),
                   Charge::unpaid(plan.events(), config.relation, source), source, recorder});
  return {trained.parameters, std::move(recorder.batches)};
}

std::vector<TrainingMethodRow> methods_of_units() {
  std::vector<TrainingMethodRow> rows;
  for (const TrainingMethodRow& row : training_methods())
    if (row.supports_units) rows.push_back(row);
  return rows;
}

TEST(TrainingOfUnits, TheMethodsOfPlainSumsSupportIt) {
  std::vector<std::string_view> names;
  for (const TrainingMethodRow& row : methods_of_units()) names.push_back(row.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"dpsgd", "dpsgd_global", "dpsgd_global_adapt",
                                                  "dpsgd_f", "group_weighted", "balanced",
                                                  "decoupled", "dpnose", "sgd"}));
}

/// With one row for each unit nothing is different but how sums are rounded.
TEST(TrainingOfUnits, OneRowEachIsTrainingOnRows) {
  for (const TrainingMethodRow& row : methods_of_units()) {
    for (const std::string_view kind : {"logistic", "linear", "mlp"}) {
      if (kind == "mlp" && row.has_model_per_group) continue;
      const Trial of_rows = run(row, kind, table_of(0));
      const Trial of_units = run(row, kind, table_of(1));
      EXPECT_EQ(of_rows.batches, of_units.batches) << row.name;
      const double tolerance = kind == "mlp" ? 1e-4 : 1e-7;
      for (size_t j = 0; j < of_rows.parameters.size(); ++j)
        ASSERT_NEAR(of_units.parameters[j], of_rows.parameters[j], tolerance)
            << row.name << " " << kind << " " << j;
    }
  }
}

TEST(TrainingOfUnits, ThreadsChangeNothing) {
  const EncodedTable table = table_of(4);
  for (const TrainingMethodRow& row : methods_of_units())
    for (const std::string_view kind : {"logistic", "linear"})
      EXPECT_EQ(run(row, kind, table, 3).parameters, run(row, kind, table).parameters) << row.name;
}

/// Without a clip and noise: steps along the sums of all rows of the drawn units.
TEST(TrainingOfUnits, WithoutClipAndNoiseItIsPlainSgdOnSums) {
  const EncodedTable table = table_of(3);
  const Trial found = run(find_training_method("sgd"), "logistic", table, 1, 1);
  const std::unique_ptr<Model> model = model_of("logistic", table);
  std::vector<uint32_t> rows;
  for (const uint32_t unit : found.batches.at(0))
    for (uint32_t i = 0; i < 3; ++i) rows.push_back(3 * unit + i);
  std::vector<double> sum(model->num_parameters(), 0.0);
  PerSample samples;
  model->per_sample({table, rows}, model->initial_parameters(1), samples);
  model->add_weighted_sum({table, rows}, samples, std::vector<double>(rows.size(), 1), sum);
  const TrainingConfig usual;
  for (size_t j = 0; j < sum.size(); ++j)
    EXPECT_NEAR(found.parameters[j], -usual.learning_rate * sum[j] / 60, 1e-12);
}

/// Of what would take each row as a unit nothing runs, though its plan is sound.
TEST(TrainingOfUnits, OtherMethodsRefuseTheTable) {
  const EncodedTable of_classes = table_of(1);
  EncodedTable of_numbers = of_classes;
  of_numbers.targets.assign(of_classes.labels.begin(), of_classes.labels.end());
  of_numbers.labels.clear();
  of_numbers.classes.clear();
  for (const TrainingMethodRow& row : training_methods()) {
    const auto method = row.make();
    if (method->traits().supports_units) continue;
    const bool is_regression = row.name.ends_with("_statistics");
    const std::string_view own = method->traits().own_model;
    const std::string_view kind = !own.empty() ? own : is_regression ? "linear" : "logistic";
    const std::string refusal = error_of(
        ErrorKind::kRuntime, [&] { run(row, kind, is_regression ? of_numbers : of_classes); });
    EXPECT_THAT(refusal, ContainsRegex("takes? each row.* as a unit")) << row.name;
  }
}

/// Each unit is drawn on its own at the rate of the plan, and never a part of one.
TEST(TrainingOfUnits, BatchesAreOfUnits) {
  constexpr int64_t kSteps = 2000;
  const Trial found = run(find_training_method("dpsgd"), "logistic", table_of(4), 1, kSteps);
  std::vector<double> drawn(kUnits, 0);
  std::vector<double> with_next(kUnits, 0);
  for (const std::vector<uint32_t>& batch : found.batches) {
    ASSERT_TRUE(std::ranges::is_sorted(batch));
    for (size_t i = 0; i < batch.size(); ++i) {
      ASSERT_LT(batch[i], kUnits);
      ++drawn[batch[i]];
      if (i + 1 < batch.size() && batch[i + 1] == batch[i] + 1) ++with_next[batch[i]];
    }
  }
  // Bounds that 300 units keep but for a chance of 1e-6: 5.9 standard deviations of a binomial.
  constexpr double kRate = 60.0 / kUnits;
  const auto expect_rate = [&](double count, double rate) {
    EXPECT_NEAR(count / kSteps, rate, 5.9 * std::sqrt(rate * (1 - rate) / kSteps));
  };
  for (size_t u = 0; u < kUnits; ++u) {
    expect_rate(drawn[u], kRate);
    if (u + 1 < kUnits) expect_rate(with_next[u], kRate * kRate);
  }
}

}  // namespace equinoise::training_of_units_test
