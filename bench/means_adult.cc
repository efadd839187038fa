// SPDX-License-Identifier: Apache-2.0
// What does stratification cost on Adult? Hours per week and years of education by 2 to 100 strata,
// with the default of `equinoise means` and with plain stratification: the overall error in percent
// and the parity error (mean of relative errors of everybody and of strata), as means over --seeds
// of noise. The table is adult_train.csv.gz (32,561 records) in EQUINOISE_ADULT, the folder of the
// shared data by default. The sizes of strata are those of the table: this is an experiment.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/table.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/parity.h"
#include "equinoise/means/summary.h"

namespace equinoise {
namespace {

constexpr int kNumSeeds = 400;

constexpr const char* kSchema = R"(schema = "equinoise/1"
dataset = "adult"
reviewed = true
[public]
num_records = 32561
[columns.age]
type = "numeric"
bounds = [17, 90]
[columns.hours_per_week]
type = "numeric"
bounds = [0, 100]
[columns.education_num]
type = "numeric"
bounds = [0, 17]
[columns.sex]
type = "categorical"
values = ["Female", "Male"]
[columns.race]
type = "categorical"
values = ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]
[columns.marital_status]
type = "categorical"
values = ["Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse"]
[groups.age5]
column = "age"
cuts = [26, 36, 46, 61]
[groups.married]
column = "marital_status"
values = ["Married-civ-spouse"]
)";

struct Table {
  Schema schema = parse_schema(kSchema, "means_adult");
  Dataset data;
};

/// Or nullptr, if the table is not there.
const Table* load() {
  static const std::unique_ptr<const Table> table = [] {
    const char* given = std::getenv("EQUINOISE_ADULT");
    const std::filesystem::path folder =
        given != nullptr ? std::filesystem::path(given)
                         : std::filesystem::path(EQUINOISE_SOURCE_DIR) / "../shared/data";
    const std::filesystem::path file = folder / "adult_train.csv.gz";
    auto loaded = std::make_unique<Table>();
    if (!std::filesystem::exists(file)) return std::unique_ptr<const Table>();
    loaded->data = read_table(file, loaded->schema, TableUse::kOther);
    return std::unique_ptr<const Table>(std::move(loaded));
  }();
  return table.get();
}

struct Setting {
  const char* column;
  double rho;
  std::vector<std::string> by;
};

const std::vector<std::string> kBy2 = {"sex"};
const std::vector<std::string> kBy5 = {"race"};
const std::vector<std::string> kBy10 = {"sex", "race"};
const std::vector<std::string> kBy50 = {"sex", "race", "age5"};
const std::vector<std::string> kBy100 = {"sex", "race", "age5", "married"};

const std::vector<Setting> kSettings = {
    {"hours_per_week", 0.125, kBy2},   {"hours_per_week", 0.125, kBy5},
    {"hours_per_week", 0.125, kBy10},  {"hours_per_week", 0.125, kBy50},
    {"hours_per_week", 0.125, kBy100}, {"hours_per_week", 0.005, kBy10},
    {"hours_per_week", 0.005, kBy50},  {"education_num", 0.125, kBy10},
    {"education_num", 0.125, kBy50},   {"education_num", 0.5, kBy50}};

/// A mean over seeds with its standard error.
struct Average {
  double sum = 0;
  double squares = 0;
  void add(double value) {
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / kNumSeeds; }
  double error() const {
    return std::sqrt(std::max(0.0, squares / kNumSeeds - mean() * mean()) / kNumSeeds);
  }
};

void run(benchmark::State& state, const Setting& setting, bool by_default) {
  const Table* table = load();
  if (table == nullptr) {
    state.SkipWithError("adult_train.csv.gz is not there; set EQUINOISE_ADULT to its folder");
    return;
  }
  const Grouping grouping = group_by(table->data, table->schema, setting.by);
  const std::vector<double>& numbers = table->data.find_numeric(setting.column)->values;
  const size_t num_strata = grouping.groups.size();
  std::vector<uint32_t> strata;
  std::vector<double> sizes(num_strata, 0.0);
  std::vector<double> truth(num_strata, 0.0);
  double population = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    strata.push_back(index_of(grouping.group_of[i]));
    sizes[strata[i]] += 1;
    truth[strata[i]] += numbers[i];
    population += numbers[i] / static_cast<double>(numbers.size());
  }
  for (size_t k = 0; k < num_strata; ++k) truth[k] /= std::max(1.0, sizes[k]);
  const ColumnSchema& column = table->schema.column(setting.column);
  MeansQuestion question;
  question.columns = {{setting.column, column.lower, column.upper, {}}};
  question.method = by_default ? "auto" : "bounded";
  question.rho = setting.rho;
  question.num_strata = num_strata;
  question.sizes = sizes;
  question.overall_share = by_default ? kDefaultOverallShare : 0;
  const MeansPlan plan = plan_means(question);
  const Shrinking shrinking = {by_default, category_levels(grouping.groups)};
  Average overall_error;
  Average parity;
  for (auto _ : state) {
    for (uint64_t seed = 0; seed < kNumSeeds; ++seed) {
      SeededSource source(seed);
      std::vector<Charge> charges;
      for (const std::vector<Event>& events : plan.events)
        charges.push_back(Charge::unpaid(events, question.config.relation, source));
      const MeansRelease release =
          release_means(plan, {numbers.size(), {numbers}, strata, num_strata}, charges, source, 1);
      const ColumnSummary summary = summarise_column(plan, release, 0, {}, shrinking);
      overall_error.add(100 * std::fabs(summary.overall.mean - population) / population);
      parity.add(100 * parity_error({sizes,
                                     truth,
                                     summary.strata,
                                     population,
                                     summary.overall.mean,
                                     column.lower,
                                     column.upper,
                                     {}})
                           .parity_error);
    }
  }
  state.counters["overall_%"] = overall_error.mean();
  state.counters["overall_se"] = overall_error.error();
  state.counters["parity_%"] = parity.mean();
  state.counters["parity_se"] = parity.error();
}

const bool kRegistered = [] {
  for (const Setting& setting : kSettings) {
    for (const bool by_default : {false, true}) {
      size_t num_strata = 1;
      for (const std::string& name : setting.by)
        num_strata *= name == "race" || name == "age5" ? 5 : 2;
      const std::string name =
          std::string(setting.column) + "/rho:" + std::to_string(setting.rho).substr(0, 5) +
          "/k:" + std::to_string(num_strata) + (by_default ? "/default" : "/plain");
      benchmark::RegisterBenchmark(
          name.c_str(),
          [setting, by_default](benchmark::State& state) { run(state, setting, by_default); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace equinoise
