// SPDX-License-Identifier: Apache-2.0
// What does one DP-SGD step cost beside a non-private one? Adult as in the demo, with Poisson
// sampling and secure noise: logistic regression at expected batch 512, one thread, also
// under 2 and 18 rate constraints and with units of several rows; a multilayer
// perceptron with two hidden layers of 256 at expected batch 256, one thread and two, and by
// themselves its noise and the products of its second layer with every width of registers; the two
// convolutional networks of paper 001 on made-up images of 28 x 28 at expected batch 256. Times are
// per step.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/data/split.h"
#include "equinoise/data/table.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/logistic.h"
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

void run_method(benchmark::State& state, const char* name, const EncodedTable& table,
                const Model& model, TrainingConfig config) {
  const TrainingMethodRow& row = find_training_method(name);
  const auto method = row.make();
  if (row.status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.5;
  const TrainingPlan plan =
      method->plan(config, {table.num_units(), model.num_parameters(), model.sum_error(1),
                            config.constraints != nullptr ? config.constraints->num_contexts : 0,
                            model.num_outputs()});
  const GenerousLedger ledger;
  SecureSource source;
  StepObserver silent;
  for (auto _ : state) {
    state.PauseTiming();
    Charge charge = plan.items.empty() ? Charge::nothing(config.relation) : ledger.pay(plan);
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        method->run({table, model, plan, TrainingState::start(model.initial_parameters(0)),
                     std::move(charge), source, silent}));
  }
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations() * config.num_steps),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  const double rows_per_step = config.batch_size * static_cast<double>(table.num_records) /
                               static_cast<double>(table.num_units());
  state.SetItemsProcessed(
      std::llround(static_cast<double>(state.iterations() * config.num_steps) * rows_per_step));
}

/// Adult as if so many records, one after another, were of one unit.
EncodedTable adult_of_units(int64_t rows_per_unit) {
  EncodedTable table = adult();
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

/// Argument: rows of a unit, of which as many are drawn as records are elsewhere.
void BM_DpsgdOfUnits(benchmark::State& state) {
  const EncodedTable table = adult_of_units(state.range(0));
  TrainingConfig config;
  config.num_steps = 500;
  config.batch_size = kDefaultBatchSize / static_cast<double>(state.range(0));
  run_method(state, "dpsgd", table, LogisticModel(table.feature_names, table.classes), config);
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

/// Argument: rows of a unit, as above.
void BM_MlpDpsgdOfUnits(benchmark::State& state) {
  TrainingConfig config;
  config.num_steps = 10;
  config.batch_size = 256 / static_cast<double>(state.range(0));
  run_method(state, "dpsgd", adult_of_units(state.range(0)), *perceptron(), config);
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

/// Arguments: threads, convolutions (2 or 4).
void run_cnn(benchmark::State& state, const char* name) {
  TrainingConfig config;
  config.num_steps = 4;
  config.batch_size = 256;
  config.threads = static_cast<int>(state.range(0));
  NetworkOptions options;
  options.channels = {32, 16};
  if (state.range(1) == 4) options.channels = {32, 32, 16, 16};
  run_method(state, name, images(), *make_cnn("cnn", {1, 28, 28}, make_softmax_loss(10), options),
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
BENCHMARK(BM_DpsgdOfUnits)->Arg(1)->Arg(5)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Raco)->Arg(2)->Arg(9)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpSgd)->Unit(benchmark::kMillisecond)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(BM_MlpDpsgd)->Unit(benchmark::kMillisecond)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(BM_MlpDpsgdOfUnits)->Arg(1)->Arg(5)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpProducts)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpExactSum)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_MlpNoise)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CnnSgd)->Unit(benchmark::kMillisecond)->ArgsProduct({{1, 2}, {2, 4}})->UseRealTime();
BENCHMARK(BM_CnnDpsgd)->Unit(benchmark::kMillisecond)->ArgsProduct({{1, 2}, {2, 4}})->UseRealTime();
BENCHMARK(BM_PoissonBatch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace equinoise
