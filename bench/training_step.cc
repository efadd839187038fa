// What does one DP-SGD step cost beside a non-private one? Adult as in the demo, expected batch
// 512, one thread, with Poisson sampling and secure noise. Times are per step.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "equinoise/data/split.h"
#include "equinoise/data/table.h"
#include "equinoise/models/logistic.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/train/registry.h"

namespace equinoise {
namespace {

constexpr int64_t kStepsPerRun = 2000;

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

void run_method(benchmark::State& state, const char* name) {
  const EncodedTable& table = adult();
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingMethodRow& row = find_training_method(name);
  const auto method = row.make();
  TrainingConfig config;
  config.num_steps = kStepsPerRun;
  if (row.status == PrivacyStatus::kPrivate) config.noise_multiplier = 1.5;
  const TrainingPlan plan = method->plan(config, {table.num_records, model.num_parameters()});
  const GenerousLedger ledger;
  SecureSource source;
  StepObserver silent;
  for (auto _ : state) {
    state.PauseTiming();
    Charge charge = plan.items.empty() ? Charge::nothing(config.relation) : ledger.pay(plan);
    state.ResumeTiming();
    benchmark::DoNotOptimize(method->run(
        table, model, plan, TrainingState::start(std::vector<double>(plan.facts.num_parameters)),
        std::move(charge), source, silent));
  }
  state.counters["per_step"] =
      benchmark::Counter(static_cast<double>(state.iterations() * kStepsPerRun),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_Dpsgd(benchmark::State& state) { run_method(state, "dpsgd"); }
void BM_Sgd(benchmark::State& state) { run_method(state, "sgd"); }

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
BENCHMARK(BM_PoissonBatch)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace equinoise
