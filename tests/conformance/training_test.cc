// SPDX-License-Identifier: Apache-2.0
// What every row of the training registry must do, whatever the method, with every kind of model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/privacy/failure_events.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/training_options.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::training_test {

namespace {

/// A method with a kind of model.
struct Pair {
  TrainingMethodRow method;
  ModelRow model;
};

/// Test names show these names instead of bytes.
void PrintTo(const Pair& pair, std::ostream* stream) {
  *stream << pair.method.name << " " << pair.model.name;
}

constexpr uint64_t kSeed = 99;
constexpr int64_t kSide = 16;  // of images

TrainingConfig small_config(const TrainingMethodRow& row) {
  TrainingConfig config = testing::stepwise_config(60, 12);
  config.max_grad_norm = 0.5;
  config.learning_rate = 0.5;
  if (row.status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.3;
  return config;
}

/// Keeps the pre-noise sums and batches of all steps, and the grid and bound of the last.
class Recorder final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override {
    sums.emplace_back(view.sum_units.begin(), view.sum_units.end());
    batches.push_back(view.batch.repeated());
    grid = view.grid;
    bound = view.clip.bound();
    num_cut += view.num_cut;
  }
  std::vector<std::vector<int64_t>> sums;
  std::vector<std::vector<uint32_t>> batches;
  double grid = 0;
  double bound = 0;
  int64_t num_cut = 0;
};

/// Stops the run at its first step.
class StopAtOnce final : public StepObserver {
 public:
  void on_step(const StepView&) override { throw Error(ErrorKind::kRuntime, "tests", "stop"); }
};

/// Each record of the table so many times, as records of their own.
EncodedTable repeated(const EncodedTable& table, std::span<const uint32_t> counts) {
  EncodedTable made = table;
  made.num_records = 0;
  made.dense.clear();
  made.active.clear();
  made.labels.clear();
  made.targets.clear();
  made.contributes.clear();
  made.groups.clear();
  for (uint32_t row = 0; row < counts.size(); ++row) {
    const std::span<const float> dense = table.dense_row(row);
    const std::span<const uint32_t> active = table.active_row(row);
    for (uint32_t i = 0; i < counts[row]; ++i) {
      ++made.num_records;
      append(made.dense, dense);
      append(made.active, active);
      if (!table.labels.empty()) made.labels.push_back(table.labels[row]);
      if (!table.targets.empty()) made.targets.push_back(table.targets[row]);
      made.contributes.push_back(table.contributes[row]);
      made.groups.push_back(table.groups[row]);
    }
  }
  return made;
}

class TrainingConformance : public ::testing::TestWithParam<Pair> {
 protected:
  struct Run {
    TrainingPlan plan;
    TrainedModel trained;
    Recorder recorder;
  };

  /// A table whose target the model can learn: two classes, three, or a number.
  EncodedTable make_table(int64_t num_records, uint64_t seed) const {
    EncodedTable table = GetParam().model.needs_image
                             ? testing::image_table(num_records, kSide, seed)
                             : testing::mixed_table(num_records, seed);
    if (GetParam().model.name == "softmax") {
      table.classes.emplace_back("maybe");
      for (size_t i = 0; i < table.labels.size(); i += 4) table.labels[i] = 2;
    } else if (GetParam().model.name == "linear") {
      for (size_t i = 0; i < table.labels.size(); ++i)
        table.targets.push_back(0.25F * static_cast<float>(i % 3) + table.labels[i]);
      table.labels.clear();
      table.classes.clear();
    }
    for (size_t i = 0; i < table.contributes.size(); ++i) table.groups.push_back(GroupId(i % 3));
    return table;
  }

  std::unique_ptr<Model> make_model(const EncodedTable& table) const {
    const NetworkOptions small = {{6, 5}, ActivationKind::kTanh, {3}, 3, PoolingKind::kAverage};
    const ModelRow& row = GetParam().model;
    std::unique_ptr<Model> model =
        row.make({table.feature_names, table.classes, ImageShape{1, kSide, kSide}, 0,
                  testing::mixed_cells()},
                 row.settle != nullptr ? row.settle(small) : small);
    const auto method = GetParam().method.make();
    if (!method->traits().uses_constraints || !method->traits().has_model_per_group) return model;
    return make_per_group(std::move(model), {"a", "b", "c"});
  }

  TrainingFacts facts(const EncodedTable& table) const {
    const auto model = make_model(table);
    TrainingFacts facts = {
        table.total_records(), model->num_parameters(),
        model->sum_error(1),   3,
        model->num_outputs(),  {"group", {"a", "b", "c"}, {1.0 / 3, 1.0 / 3, 1.0 / 3}},
        model->name()};
    if (!table.targets.empty()) facts.target = {0, 1, -1, 2};
    return facts;
  }

  TrainingState start(const EncodedTable& table) const {
    return TrainingState::start(make_model(table)->initial_parameters(1));
  }

  Run run(const EncodedTable& table, const TrainingConfig& config, uint64_t seed = kSeed) const {
    const auto method = GetParam().method.make();
    Run result{method->plan(config, facts(table)), {}, {}};
    SeededSource source(seed);
    Charge charge = Charge::unpaid(result.plan.events(), config.relation, source);
    result.trained = method->run({table, *make_model(table), result.plan, start(table),
                                  std::move(charge), source, result.recorder});
    // No weight of its clip policy is beyond the bound.
    EXPECT_EQ(result.recorder.num_cut, 0);
    return result;
  }

  TrainingConfig config() const {
    TrainingConfig config = small_config(GetParam().method);
    if (GetParam().method.uses_constraints) {
      const EncodedTable table = make_table(10, 1);
      config.constraints = testing::shared_program("demographic_parity:group:0.05",
                                                   {{{"group", {"a", "b", "c"}}}, table.classes});
    }
    return config;
  }
  bool is_stepwise() const { return GetParam().method.is_stepwise; }
  bool is_private() const { return GetParam().method.status == PrivacyStatus::kPrivate; }
};

/// The rows with a guarantee.
class PrivateTrainingConformance : public TrainingConformance {};

/// The rows without one.
class OpenTrainingConformance : public TrainingConformance {};

/// Records that share a row are taken at once where sums do not depend on it.
TEST_P(TrainingConformance, CountedRowsAreTheRecordsThatTheyCount) {
  constexpr int64_t kRows = 40;
  EncodedTable table = make_table(kRows, 5);
  table.contributes[7] = 0;
  table.groups[9] = GroupId(3);
  std::vector<uint32_t> counts;
  for (uint32_t row = 0; row < kRows; ++row) counts.push_back(row % 9 == 0 ? 1 : 3 + row % 7);
  EncodedTable counted = table;
  counted.row_counts = counts;
  const EncodedTable expanded = repeated(table, counts);
  std::vector<uint32_t> row_of;
  for (uint32_t row = 0; row < kRows; ++row) row_of.insert(row_of.end(), counts[row], row);
  for (const double part : {0.3, 1.0}) {
    TrainingConfig given = config();
    given.batch_size = part * static_cast<double>(expanded.num_records);
    given.num_steps = 6;
    given.threads = 2;
    const Run of_counted = run(counted, given);
    Run of_records = run(expanded, given);
    for (std::vector<uint32_t>& batch : of_records.recorder.batches)
      for (uint32_t& record : batch) record = row_of[record];
    EXPECT_EQ(of_counted.trained.parameters, of_records.trained.parameters) << part;
    EXPECT_EQ(of_counted.trained.chosen, of_records.trained.chosen) << part;
    EXPECT_EQ(of_counted.recorder.sums, of_records.recorder.sums) << part;
    EXPECT_EQ(of_counted.recorder.batches, of_records.recorder.batches) << part;
  }
}

TEST_P(TrainingConformance, IsDeterministicUnderASeed) {
  const EncodedTable table = make_table(600, 1);
  EXPECT_EQ(run(table, config()).trained.parameters, run(table, config()).trained.parameters);
  const bool draws = is_private() || !GetParam().method.takes_full_batches;
  EXPECT_EQ(
      run(table, config()).trained.parameters != run(table, config(), kSeed + 1).trained.parameters,
      draws);
}

TEST_P(TrainingConformance, StatusAndPlanAgree) {
  const EncodedTable table = make_table(600, 1);
  const TrainingPlan plan = run(table, config()).plan;
  EXPECT_EQ(plan.privacy.has_value(), is_private());
  EXPECT_EQ(plan.events().empty(), !is_private());
}

/// Whatever is asked for, a method whose row says "not private" plans nothing that could be paid
/// for or told as a guarantee, and a target is refused.
TEST_P(OpenTrainingConformance, NothingMakesItPrivate) {
  const EncodedTable table = make_table(600, 1);
  const auto method = GetParam().method.make();
  for (const auto& epsilon : {std::optional<double>(), std::optional(3.0)}) {
    for (const auto& noise_multiplier : {std::optional<double>(), std::optional(5.0)}) {
      TrainingConfig asked = config();
      asked.epsilon = epsilon;
      asked.noise_multiplier = noise_multiplier;
      try {
        const TrainingPlan plan = method->plan(asked, facts(table));
        EXPECT_FALSE(epsilon);
        EXPECT_FALSE(plan.privacy);
        EXPECT_FALSE(plan.by_rdp);
        EXPECT_TRUE(plan.items.empty());
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        EXPECT_TRUE(epsilon || noise_multiplier) << error.what();
      }
    }
  }
}

TEST_P(PrivateTrainingConformance, ABudgetOfHundredsSpendsWhatSamplersKeep) {
  TrainingConfig asked = config();
  asked.noise_multiplier.reset();
  asked.epsilon = 700;
  const TrainingFacts known = facts(make_table(600, 1));
  const TrainingPlan plan = GetParam().method.make()->plan(asked, known);
  const double spent = plan.privacy->epsilon.value();
  EXPECT_GT(spent, 0);
  EXPECT_LE((1 + std::exp(spent)) * split_failures(plan.events()).sampler_error,
            asked.delta / 1000);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("of the 700 given is spent")));
}

TEST_P(PrivateTrainingConformance, DrawsExactlyWhatThePlanCharges) {
  const EncodedTable table = make_table(600, 1);
  const std::unique_ptr<Model> model = make_model(table);
  const auto method = GetParam().method.make();
  const TrainingPlan plan = method->plan(config(), facts(table));
  SeededSource source(kSeed);
  // One batch fewer than planned is another charge: refused.
  Charge too_short = Charge::unpaid(is_stepwise() ? plan.events_after(plan.config.num_steps - 1)
                                                  : std::vector{Event::gaussian(99)},
                                    Relation::kZeroOut, source);
  StepObserver silent;
  EXPECT_THROW(
      method->run({table, *model, plan, start(table), std::move(too_short), source, silent}),
      Error);
  if (!is_stepwise()) return;
  EXPECT_EQ(run(table, config()).recorder.sums.size(),
            static_cast<size_t>(num_runs(plan.events())));
}

TEST_P(PrivateTrainingConformance, RefusesAnUnpaidChargeWithTheSecureSource) {
  const EncodedTable table = make_table(600, 1);
  const std::unique_ptr<Model> model = make_model(table);
  const auto method = GetParam().method.make();
  const TrainingPlan plan = method->plan(config(), facts(table));
  Charge charge = Charge::unpaid(plan.events(), Relation::kZeroOut, SeededSource(1));
  SecureSource secure;
  StepObserver silent;
  EXPECT_THROW(method->run({table, *model, plan, start(table), std::move(charge), secure, silent}),
               Error);
}

/// Neighbours under zero_out: one record becomes the null record. The first step's sums then differ
/// by at most the declared sensitivity.
TEST_P(PrivateTrainingConformance, ANeighbourChangesTheSumByAtMostTheSensitivity) {
  if (!is_stepwise()) GTEST_SKIP() << "no sums of batches: the method's own test bounds it";
  EncodedTable table = make_table(300, 4);
  // Extreme records, so that clipping is at work.
  for (int64_t record = 0; record < table.num_records; record += 5) {
    for (uint32_t j = 0; j < table.num_dense; ++j)
      table.dense[static_cast<size_t>(record * table.num_dense + j)] = 1e6F;
  }
  TrainingConfig full = config();
  full.batch_size = static_cast<double>(table.num_records);
  full.num_steps = 1;
  // Methods with a strict bound: the longest gradient attains the clip.
  std::vector<uint32_t> changed;
  for (uint32_t record = 0; record < table.num_records; record += 7) changed.push_back(record);
  PerSample samples;
  make_model(table)->per_sample({table, changed}, start(table).parameters, samples);
  full.own.of<StrictBoundOptions>().strict_bound =
      std::max(full.max_grad_norm, std::sqrt(*std::ranges::max_element(samples.squared_norm)));
  // Methods with thresholds from counts of the same batch: the sum is bounded for given counts.
  full.own.of<DpSgdFOptions>().max_threshold = full.max_grad_norm;
  const Run before = run(table, full);
  EXPECT_EQ(before.recorder.bound, full.max_grad_norm);
  const double sensitivity =
      (full.max_grad_norm + make_model(table)->sum_error(before.recorder.grid)) /
      before.recorder.grid;
  double largest = 0;
  for (const uint32_t record : changed) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const Run after = run(neighbour, full);
    // A record may tip the choice of a group, which is paid for; sums are bounded for a given one.
    const bool is_tipped = after.recorder.batches[0] != before.recorder.batches[0];
    if (is_tipped && GetParam().method.follows("selection")) continue;
    ASSERT_FALSE(is_tipped);
    long double squared = 0;
    for (size_t j = 0; j < before.recorder.sums[0].size(); ++j) {
      const auto change =
          static_cast<long double>(before.recorder.sums[0][j] - after.recorder.sums[0][j]);
      squared += change * change;
    }
    const auto norm = static_cast<double>(std::sqrt(squared));
    EXPECT_LE(norm, sensitivity * (1 + 1e-15)) << record;
    largest = std::max(largest, norm);
  }
  // The bound is attained: a test with room to spare would not notice a wrong clip.
  EXPECT_GT(largest, 0.999 * sensitivity);
}

/// Amplification by sampling compares batches with a record to those without its place: a null
/// record that was drawn changes nothing, even where it moves the ends of tiles.
TEST_P(PrivateTrainingConformance, ADrawnNullRecordChangesNothing) {
  if (!is_stepwise()) GTEST_SKIP() << "no sums of batches: the method's own test bounds it";
  const size_t tile = make_model(make_table(10, 8))->max_tile_records();
  size_t num_drawn = 0;
  // One of each group, as some methods draw from one group at a time.
  for (const size_t null : {tile / 2, tile / 2 + 1, tile / 2 + 2}) {
    // One more record makes one more tile.
    EncodedTable with_null = make_table(static_cast<int64_t>(2 * tile + 1), 8);
    with_null.contributes[null] = 0;
    const EncodedTable without = testing::without_record(with_null, null);
    const auto first_step = [&](const EncodedTable& table) {
      TrainingConfig full = config();
      full.batch_size = static_cast<double>(table.num_records);
      full.num_steps = 1;
      return run(table, full).recorder;
    };
    const auto before = first_step(with_null);
    const auto after = first_step(without);
    if (before.batches[0].size() != after.batches[0].size() + 1) continue;
    ++num_drawn;
    EXPECT_EQ(before.grid, after.grid);
    EXPECT_EQ(before.sums[0], after.sums[0]);
  }
  EXPECT_GT(num_drawn, 0U);
}

/// Else its gradient would be another record's, or nobody's.
TEST_P(TrainingConformance, RefusesALabelThatIsNoClass) {
  EncodedTable table = make_table(200, 2);
  if (table.labels.empty()) GTEST_SKIP() << "the target is a number";
  table.labels[150] = static_cast<uint16_t>(table.classes.size());
  EXPECT_THAT([&] { run(table, config()); },
              ::testing::ThrowsMessage<Error>(HasSubstr("does not belong to the model")));
}

TEST_P(TrainingConformance, NaNRecordsChangeNothingButTheirOwnPart) {
  EncodedTable with_nan = make_table(400, 2);
  EncodedTable without = with_nan;
  for (size_t record : {size_t{3}, size_t{77}, size_t{390}}) {
    with_nan.dense[record * with_nan.num_dense] = std::nanf("");
    without.contributes[record] = 0;
  }
  const std::vector<double> got = run(with_nan, config()).trained.parameters;
  EXPECT_EQ(got, run(without, config()).trained.parameters);
  for (double value : got) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(TrainingConformance, SurvivesATableWithoutContributions) {
  EncodedTable table = make_table(200, 2);
  std::ranges::fill(table.contributes, uint8_t{0});
  for (double value : run(table, config()).trained.parameters) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(TrainingConformance, SurvivesEmptyBatches) {
  if (GetParam().method.takes_full_batches) GTEST_SKIP() << "batches hold everybody";
  if (!is_stepwise()) GTEST_SKIP() << "no Poisson batches";
  const EncodedTable table = make_table(200, 2);
  TrainingConfig sparse = config();
  sparse.batch_size = 0.01;
  sparse.num_steps = 50;
  const Run result = run(table, sparse);
  size_t empty = 0;
  for (const auto& batch : result.recorder.batches) empty += batch.empty() ? 1 : 0;
  EXPECT_GT(empty, 40U);
  for (double value : result.trained.parameters) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(TrainingConformance, ThreadsDoNotChangeTheResult) {
  const size_t tile = make_model(make_table(10, 8))->max_tile_records();
  const EncodedTable table = make_table(static_cast<int64_t>(4 * tile), 8);
  TrainingConfig one = config();
  one.batch_size = 3.3 * static_cast<double>(tile);
  one.num_steps = 4;
  TrainingConfig many = one;
  many.threads = 4;
  EXPECT_EQ(run(table, one).trained.parameters, run(table, many).trained.parameters);
}

/// With a clip above all norms the engine without noise is plain SGD, and the private engine's
/// first sum is the plain one but for truncation on the grid.
TEST_P(PrivateTrainingConformance, ALooseClipWithoutNoiseIsPlainSgd) {
  if (!is_stepwise()) GTEST_SKIP() << "no sums of batches";
  const EncodedTable table = make_table(600, 1);
  const std::unique_ptr<Model> model = make_model(table);
  TrainingConfig loose = config();
  loose.max_grad_norm = 1e3;
  loose.own.of<StrictBoundOptions>().strict_bound = 1e3;
  TrainingConfig plain_config = loose;
  plain_config.noise_multiplier.reset();
  const TrainingPlan plan = find_training_method("sgd").make()->plan(plain_config, facts(table));
  StepObserver silent;
  SeededSource a(kSeed);
  SeededSource b(kSeed);
  FlatClip flat_clip(loose.max_grad_norm);
  NoClip no_clip;
  EXPECT_EQ(run_plain_loop(
                {table, *model, plan, start(table), Charge::nothing(Relation::kZeroOut), a, silent},
                flat_clip)
                .parameters,
            run_plain_loop(
                {table, *model, plan, start(table), Charge::nothing(Relation::kZeroOut), b, silent},
                no_clip)
                .parameters);

  loose.num_steps = 1;
  const Run first = run(table, loose);
  PerSample samples;
  model->per_sample({table, first.recorder.batches[0]}, start(table).parameters, samples);
  std::vector<double> sum(model->num_parameters(), 0);
  model->add_weighted_sum({table, first.recorder.batches[0]}, samples,
                          std::vector<double>(first.recorder.batches[0].size(), 1), sum);
  // Networks truncate the factors of each gradient on grids of their own.
  const double truncation =
      model->sum_error(1) > 0 ? first.recorder.bound * 0x1p-20 : first.recorder.grid;
  // Where groups have sums of their own, these stand one after the other.
  std::vector<int64_t> units(sum.size());
  for (size_t j = 0; j < first.recorder.sums[0].size(); ++j)
    units[j % sum.size()] += first.recorder.sums[0][j];
  for (size_t j = 0; j < sum.size(); ++j) {
    EXPECT_NEAR(static_cast<double>(units[j]) * first.recorder.grid, sum[j],
                1e-9 + static_cast<double>(first.recorder.batches[0].size()) * truncation);
  }
}

/// Every state that an observer is shown can be gone on from, and leads to the same model.
TEST_P(TrainingConformance, GoesOnFromAnyOfItsStates) {
  if (!is_stepwise()) GTEST_SKIP() << "runs are not gone on with";
  const EncodedTable table = make_table(300, 6);
  const std::unique_ptr<Model> model = make_model(table);
  const auto method = GetParam().method.make();
  const TrainingPlan plan = method->plan(config(), facts(table));
  const auto run_from = [&](TrainingState from, StepObserver& observer) {
    SeededSource source(kSeed);
    Charge charge = Charge::unpaid(plan.events(), Relation::kZeroOut, source);
    return method->run({table, *model, plan, std::move(from), std::move(charge), source, observer})
        .parameters;
  };
  testing::KeptStates states;
  const std::vector<double> whole = run_from(start(table), states);
  ASSERT_EQ(states.all.size(), static_cast<size_t>(config().num_steps));
  for (const TrainingState& state : states.all)
    EXPECT_LE(state.clip.size(), method->max_kept(plan));
  StepObserver silent;
  for (const TrainingState& state : states.all) {
    EXPECT_EQ(run_from(state, silent), whole) << state.num_steps_done;
  }
}

TEST_P(TrainingConformance, ARefusedRunLeavesNoModel) {
  const EncodedTable table = make_table(100, 1);
  const std::unique_ptr<Model> model = make_model(table);
  const auto method = GetParam().method.make();
  const TrainingPlan plan = method->plan(config(), facts(table));
  SeededSource source(kSeed);
  StopAtOnce stop;
  EXPECT_THROW(
      method->run({table, *model, plan, start(table),
                   Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, stop}),
      Error);
}

TEST_P(TrainingConformance, RowIsComplete) {
  const TrainingMethodRow& row = GetParam().method;
  EXPECT_FALSE(row.source.empty());
  EXPECT_FALSE(row.summary.empty());
  EXPECT_EQ(find_training_method(row.name).name, row.name);
}

std::vector<Pair> pairs(std::optional<PrivacyStatus> status) {
  std::vector<Pair> result;
  for (const TrainingMethodRow& method : training_methods()) {
    if (status && method.status != *status) continue;
    for (const ModelRow& model : model_kinds()) {
      // Constraints are about classes.
      const auto made = method.make();
      if (made->traits().trains(model.name) &&
          (model.name != "linear" || !made->traits().uses_constraints))
        result.push_back({method, model});
    }
  }
  return result;
}

std::string name_of(const ::testing::TestParamInfo<Pair>& pair) {
  return std::string(pair.param.method.name) + "_" + std::string(pair.param.model.name);
}

INSTANTIATE_TEST_SUITE_P(Methods, TrainingConformance, ::testing::ValuesIn(pairs(std::nullopt)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Methods, PrivateTrainingConformance,
                         ::testing::ValuesIn(pairs(PrivacyStatus::kPrivate)), name_of);
INSTANTIATE_TEST_SUITE_P(Methods, OpenTrainingConformance,
                         ::testing::ValuesIn(pairs(PrivacyStatus::kNotPrivate)), name_of);

TEST(TrainingRegistry, ProposesTheNearestName) {
  EXPECT_THAT([] { find_training_method("dpsdg"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("did you mean \"dpsgd\"?")));
}

}  // namespace
}  // namespace equinoise::training_test
