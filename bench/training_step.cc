// SPDX-License-Identifier: Apache-2.0
// What does one DP-SGD step cost beside a non-private one? Adult as in the demo, with Poisson
// sampling and secure noise: logistic regression at expected batch 512, one thread, also
// under 2 and 18 rate constraints; a multilayer perceptron with two hidden layers of 256 at
// expected batch 256, one thread and two, and by themselves its noise and the products of its
// second layer with every width of registers; the two convolutional networks of paper 001 on
// made-up images of 28 x 28 at expected batch 256. Times are per step. What does it cost that units
// have several rows? Each of these with units beside the same with as many rows: `ratio`.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/split.h"
#include "equinoise/data/table.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/exact_outer_products.h"
#include "equinoise/models/network/matrix_product.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/train/registry.h"

namespace equinoise {
namespace {

/// The encoded training records of the bundled data.
const EncodedTable& adult() {
  static const EncodedTable table = [] {
    const std::filesystem::path folder = std::filesystem::path(EQUINOISE_SOURCE_DIR) / "data/adult";
    const Schema schema = load_schema({folder / "schema.toml", {}, {}, {}});
    const Dataset dataset = read_table(folder / "adult.csv.gz", schema);
    return encode(dataset, schema, split_records(dataset.num_records, 0.25, 0).train);
  }();
  return table;
}

/// A ledger that pays for anything, from a new account each time, in the folder for temporary
/// files.
class GenerousLedger {
 public:
  GenerousLedger()
      : path_(std::filesystem::temp_directory_path() /
              ("equinoise-bench-" + std::to_string(getpid()))) {}
  ~GenerousLedger() { std::filesystem::remove(path_); }
  Charge pay(const TrainingPlan& plan) const {
    std::filesystem::remove(path_);
    Ledger::open_account(path_, "bench", {Epsilon(1e12), Delta(1e-6), Relation::kZeroOut});
    return Ledger(path_).reserve("bench", plan.events(), Relation::kZeroOut, "benchmark").charge;
  }

 private:
  std::filesystem::path path_;
};

/// Runs of one method on one table, each of which is paid for anew.
class PaidRuns {
 public:
  PaidRuns(const char* name, const EncodedTable& table, const Model& model, TrainingConfig config)
      : table_(table), model_(model), method_(find_training_method(name).make()) {
    if (find_training_method(name).status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.5;
    plan_ =
        method_->plan(config, {table.num_units(), model.num_parameters(), model.sum_error(1),
                               config.constraints != nullptr ? config.constraints->num_contexts : 0,
                               model.num_outputs()});
  }

  Charge pay() const {
    return plan_.items.empty() ? Charge::nothing(plan_.config.relation) : ledger_.pay(plan_);
  }

  void run(Charge charge) {
    benchmark::DoNotOptimize(
        method_->run({table_, model_, plan_, TrainingState::start(model_.initial_parameters(0)),
                      std::move(charge), source_, silent_}));
  }

  /// Of the processor for one run, which other programs hardly disturb.
  double seconds() {
    Charge charge = pay();
    const std::clock_t begin = std::clock();
    run(std::move(charge));
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }

 private:
  const EncodedTable& table_;
  const Model& model_;
  std::unique_ptr<TrainingMethod> method_;
  TrainingPlan plan_;
  GenerousLedger ledger_;
  SecureSource source_;
  StepObserver silent_;
};

void run_method(benchmark::State& state, const char* name, const EncodedTable& table,
                const Model& model, const TrainingConfig& config) {
  PaidRuns runs(name, table, model, config);
  for (auto _ : state) {
    state.PauseTiming();
    Charge charge = runs.pay();
    state.ResumeTiming();
    runs.run(std::move(charge));
  }
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations() * config.num_steps),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  const double rows_per_step = config.batch_size * static_cast<double>(table.num_records) /
                               static_cast<double>(table.num_units());
  state.SetItemsProcessed(
      std::llround(static_cast<double>(state.iterations() * config.num_steps) * rows_per_step));
}

/// dpsgd of units with so many rows each, beside that of rows, as many of which are drawn: the
/// counter `ratio` is how many times as long a step takes.
void compare_units(benchmark::State& state, const EncodedTable& of_rows,
                   const EncodedTable& of_units, const Model& model, TrainingConfig config) {
  PaidRuns rows("dpsgd", of_rows, model, config);
  config.batch_size *=
      static_cast<double>(of_units.num_units()) / static_cast<double>(of_units.num_records);
  PaidRuns units("dpsgd", of_units, model, config);
  double seconds_of_rows = 0;
  double seconds_of_units = 0;
  for (auto _ : state) {
    seconds_of_rows += rows.seconds();
    const double seconds = units.seconds();
    seconds_of_units += seconds;
    state.SetIterationTime(seconds);
  }
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations() * config.num_steps),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["ratio"] = seconds_of_units / seconds_of_rows;
}

/// A table as if so many records, one after another, were of one unit.
EncodedTable in_units(EncodedTable table, int64_t rows_per_unit) {
  for (int64_t row = 0; row < table.num_records; row += rows_per_unit)
    table.unit_begin.push_back(static_cast<uint32_t>(row));
  table.unit_begin.push_back(static_cast<uint32_t>(table.num_records));
  return table;
}

void run_logistic(benchmark::State& state, const char* name) {
  TrainingConfig config;
  config.num_steps = 2000;
  run_method(state, name, adult(), LogisticModel(adult().feature_names, adult().classes), config);
}

/// Argument: groups, of which demographic parity makes twice as many constraints where there are
/// more than two.
void BM_Raco(benchmark::State& state) {
  ConstraintDomain domain;
  domain.attributes.push_back({"group", {}});
  for (int64_t g = 0; g < state.range(0); ++g)
    domain.attributes[0].values.push_back(std::to_string(g));
  EncodedTable table = adult();
  domain.classes = table.classes;
  for (int64_t i = 0; i < table.num_records; ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % state.range(0))));
  TrainingConfig config;
  config.num_steps = 2000;
  std::vector<std::string> notes;
  config.constraints = std::make_shared<const RateProgram>(compile_constraints(
      domain, parse_constraint("demographic_parity:group:0.05", domain), notes));
  run_method(state, "raco_dp", table, LogisticModel(table.feature_names, table.classes), config);
}

void BM_Dpsgd(benchmark::State& state) { run_logistic(state, "dpsgd"); }
void BM_Sgd(benchmark::State& state) { run_logistic(state, "sgd"); }

/// Argument: rows of a unit.
void BM_DpsgdOfUnits(benchmark::State& state) {
  TrainingConfig config;
  config.num_steps = 500;
  config.batch_size = kDefaultBatchSize;
  compare_units(state, adult(), in_units(adult(), state.range(0)),
                LogisticModel(adult().feature_names, adult().classes), config);
}

std::unique_ptr<Model> perceptron() {
  return make_mlp(adult().feature_names, make_softmax_loss(2), {{256, 256}, ActivationKind::kTanh});
}

/// Argument: threads.
void run_perceptron(benchmark::State& state, const char* name) {
  TrainingConfig config;
  config.num_steps = 100;
  config.batch_size = 256;
  config.threads = static_cast<int>(state.range(0));
  run_method(state, name, adult(), *perceptron(), config);
}

void BM_MlpDpsgd(benchmark::State& state) { run_perceptron(state, "dpsgd"); }
void BM_MlpSgd(benchmark::State& state) { run_perceptron(state, "sgd"); }

/// Argument: rows of a unit.
void BM_MlpDpsgdOfUnits(benchmark::State& state) {
  TrainingConfig config;
  config.num_steps = 20;
  config.batch_size = 256;
  compare_units(state, adult(), in_units(adult(), state.range(0)), *perceptron(), config);
}

/// Argument: the place of the kernels in kEveryWidth.
constexpr const Kernels* kEveryWidth[] = {&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni};

/// run(kernels, records, factors, out) on a batch of 256 of the perceptron's second layer, which
/// has 2^25 floating-point operations in each of its three products.
template <typename Run>
void run_products(benchmark::State& state, int num_products, const Run& run) {
  const Kernels& kernels = *kEveryWidth[state.range(0)];
  if (!can_run(kernels)) return state.SkipWithError("this machine lacks these registers");
  state.SetLabel(kernels.architecture);
  constexpr size_t kSide = 256;
  std::vector<float> values(kSide * kSide);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 16;
  for (auto _ : state) run(kernels, kSide, values);
  state.counters["flops"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 0x1p25 * num_products,
                         benchmark::Counter::kIsRate, benchmark::Counter::kIs1000);
}

void BM_MlpProducts(benchmark::State& state) {
  std::vector<float> out(size_t{256} * 256);
  run_products(
      state, 2, [&](const Kernels& kernels, size_t side, const std::vector<float>& values) {
        multiply(side, side, side, values.data(), values.data(), out.data(), kernels);
        multiply_transposed(side, side, side, values.data(), values.data(), out.data(), kernels);
        benchmark::DoNotOptimize(out.data());
      });
}

void BM_MlpExactSum(benchmark::State& state) {
  std::vector<int64_t> units(size_t{257} * 256, 0);
  const std::vector<double> weights(256, 1e-3);
  run_products(
      state, 1, [&](const Kernels& kernels, size_t side, const std::vector<float>& values) {
        add_outer_products_exactly({side, side, side, values.data(), values.data(), weights.data()},
                                   1, units.data(), kernels);
        benchmark::DoNotOptimize(units.data());
      });
}

/// The noise of one step.
void BM_MlpNoise(benchmark::State& state) {
  std::vector<int64_t> units(perceptron()->num_parameters(), 0);
  SecureSource source;
  for (auto _ : state) {
    add_rounded_gaussian(0x1p30, units, source);
    benchmark::DoNotOptimize(units.data());
  }
}

/// Images of which values do not matter, as many as make the rate a tenth.
const EncodedTable& images() {
  static const EncodedTable table = [] {
    EncodedTable made;
    made.num_records = 2560;
    made.num_dense = made.num_features = 784;
    uint64_t state = 1;
    for (int64_t i = 0; i < made.num_records * 784; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      made.dense.push_back(static_cast<float>(state >> 56) / 255);
    }
    for (int64_t i = 0; i < made.num_records; ++i)
      made.labels.push_back(static_cast<uint16_t>(i % 10));
    made.contributes.assign(2560, 1);
    return made;
  }();
  return table;
}

std::unique_ptr<Model> convolutional(std::vector<size_t> channels) {
  NetworkOptions options;
  options.channels = std::move(channels);
  return make_cnn("cnn", {1, 28, 28}, make_softmax_loss(10), options);
}

/// Arguments: threads, convolutions (2 or 4).
void run_cnn(benchmark::State& state, const char* name) {
  TrainingConfig config;
  config.num_steps = 4;
  config.batch_size = 256;
  config.threads = static_cast<int>(state.range(0));
  const auto model =
      state.range(1) == 4 ? convolutional({32, 32, 16, 16}) : convolutional({32, 16});
  run_method(state, name, images(), *model, config);
}

/// Argument: rows of a unit.
void BM_CnnDpsgdOfUnits(benchmark::State& state) {
  TrainingConfig config;
  config.num_steps = 4;
  config.batch_size = 256;
  compare_units(state, images(), in_units(images(), state.range(0)), *convolutional({32, 16}),
                config);
}

void BM_CnnDpsgd(benchmark::State& state) { run_cnn(state, "dpsgd"); }
void BM_CnnSgd(benchmark::State& state) { run_cnn(state, "sgd"); }

/// The part of both that draws the batch.
void BM_PoissonBatch(benchmark::State& state) {
  SecureSource source;
  std::vector<uint32_t> batch;
  for (auto _ : state) {
    poisson_sample(512.0 / 36632, 36632, source, batch);
    benchmark::DoNotOptimize(batch.data());
  }
}

BENCHMARK(BM_Sgd)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Dpsgd)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DpsgdOfUnits)->Arg(1)->Arg(5)->Arg(20)->Unit(benchmark::kMillisecond)->UseManualTime();
BENCHMARK(BM_Raco)->Arg(2)->Arg(9)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpSgd)->Unit(benchmark::kMillisecond)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(BM_MlpDpsgd)->Unit(benchmark::kMillisecond)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(BM_MlpDpsgdOfUnits)
    ->Arg(1)
    ->Arg(2)
    ->Arg(5)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK(BM_MlpProducts)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpExactSum)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpNoise)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CnnSgd)->Unit(benchmark::kMillisecond)->ArgsProduct({{1, 2}, {2, 4}})->UseRealTime();
BENCHMARK(BM_CnnDpsgd)->Unit(benchmark::kMillisecond)->ArgsProduct({{1, 2}, {2, 4}})->UseRealTime();
BENCHMARK(BM_CnnDpsgdOfUnits)
    ->Arg(1)
    ->Arg(2)
    ->Arg(5)
    ->Arg(20)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK(BM_PoissonBatch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace equinoise
