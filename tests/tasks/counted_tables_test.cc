// SPDX-License-Identifier: Apache-2.0
// What commands make of counted rows is what they make of the rows that these count.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "equinoise/base/read_text.h"
#include "equinoise/engines/engine_url.h"
#include "equinoise/means/registry.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/compare/compare_means.h"
#include "equinoise/tasks/compare/compare_synth.h"
#include "equinoise/tasks/compare/compare_training.h"
#include "equinoise/tasks/input/table_check.h"
#include "equinoise/tasks/means/group_sizes.h"
#include "equinoise/tasks/means/means.h"
#include "equinoise/tasks/predict/predict.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/train/registry.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::counted_tables_test {

using Json = nlohmann::ordered_json;

constexpr int kNumRecords = 600;

/// Columns of every kind behind what stands before them.
std::string with_columns(const std::string& head) {
  return head +
         numeric_section("age", 0, 100,
                         "whole = true\nscale = \"standard\"\nmean = 40\nstddev = 20\nmissing = "
                         "\"fill\"\nfill = 33\n") +
         numeric_section("income", 0, 10,
                         "scale = \"standard\"\nmean = 4\nstddev = 3\natoms = [0]\n") +
         numeric_section("bmi", 10, 50,
                         "scale = \"standard\"\nmean = 24\nstddev = 6\nmissing = "
                         "\"category\"\nfeature = false\n") +
         numeric_section("weight", 0, 3, "feature = false\n") +
         categorical_section("sex", {"F", "M"}) +
         categorical_section("race", {"a", "b"}, "unknown = \"other\"\nmissing = \"category\"\n");
}

const std::string kSizes = group_sizes("sex", {{"F", 250}, {"M", 350}});

struct Files {
  std::filesystem::path counted;
  std::filesystem::path expanded;
};

class CountedTables : public ::testing::Test {
 protected:
  void SetUp() override {
    use_schema(schema_head("people", "", kNumRecords) + kSizes);
    files_ = write("equinoise_count");
  }

  void use_schema(const std::string& head) {
    schema_.path = folder_.write_file("schema.toml", with_columns(head));
  }
  /// A table whose rows are of units.
  Files use_units(const std::string& target = "") {
    use_schema(units_head("people", target, 300, "pid", 3) + ignored_section("pid"));
    return write("equinoise_count_units300_rows3");
  }

  /// Rows with every kind of cell; all together stand for kNumRecords.
  Files write(const std::string& count_column, uint32_t seed = 20261128) {
    std::mt19937 random(seed);
    const auto one_of = [&](std::vector<std::string> cells) {
      return cells[random() % cells.size()];
    };
    const std::string header = "age,income,bmi,weight,sex,race";
    std::string counted = header + "," + count_column + "\n";
    std::string expanded = header + "\n";
    for (int left = kNumRecords; left > 0;) {
      const std::string row =
          fmt::format("{},{},{},{},{},{}", one_of({"17", "30", "55", "", "130"}),
                      one_of({"0", "2.25", "9", "4.5", "?", "-1"}), one_of({"20", "31.5", "?"}),
                      one_of({"0.1", "1", "2.7", "?", "0"}), one_of({"F", "M", "M", "X"}),
                      one_of({"a", "b", "z", "?"}));
      const int count = std::min(left, static_cast<int>(random() % 6));
      counted += fmt::format("{},{}\n", row, count);
      for (int i = 0; i < count; ++i) expanded += row + "\n";
      left -= count;
    }
    const std::string name = fmt::format("{}_{}", count_column, seed);
    return {folder_.write_file(name + ".csv", counted),
            folder_.write_file(name + "_expanded.csv", expanded)};
  }

  std::filesystem::path out() { return folder_.path() / fmt::format("out{}", num_outs_++); }

  /// All that was released, as text.
  std::string means_of(const std::filesystem::path& table, MeansRequest request) {
    request.schema = schema_;
    request.data = table;
    if (!request.rho) request.rho = 0.5;
    request.insecure_seed = 3;
    Json json = means_to_json(release_means_task(request, silent_));
    for (const char* own : {"seconds", "files"}) json.erase(own);
    if (json.contains("not_private")) json["not_private"].erase("seconds");
    return json.dump();
  }

  /// `warnings`: what is said that may be published.
  std::string rows_of(const std::filesystem::path& table, SynthRequest request,
                      std::vector<std::string>* warnings = nullptr) {
    request.schema.path = schema_.path;
    request.drop_incomplete = true;
    request.data = table;
    request.epsilon = 2;
    request.delta = 1e-5;
    request.insecure_seed = 3;
    request.out_path = out();
    SynthReport report = synthesize(request, silent_);
    if (warnings != nullptr) *warnings = std::move(report.warnings);
    return read_text(request.out_path / "model.json", "test") +
           read_text(request.out_path / "rows.csv", "test");
  }

  TrainRequest training_on(const std::filesystem::path& table) {
    TrainRequest request;
    request.method = "dpsgd";
    request.schema = schema_;
    request.data = table;
    request.config.epsilon = 1;
    request.config.delta = 1e-4;
    request.batch_size = 60;
    request.num_steps = 5;
    request.insecure_seed = 3;
    request.out_path = out().string();
    return request;
  }

  std::string evaluation_of(const std::filesystem::path& real,
                            const std::filesystem::path& synthetic, SynthEvaluateRequest request) {
    request.schema.path = schema_.path;
    request.real = real;
    request.synthetic = synthetic;
    SynthEvaluateReport report = evaluate_synthetic(request, silent_);
    for (std::string& note : report.ingest_notes) note = note.substr(note.find(": "));
    Json json = evaluation_to_json(report);
    for (const char* own : {"seconds", "real", "synthetic"}) json.erase(own);
    return json.dump();
  }

  void expect_same_means(const MeansRequest& request, const std::string& what) {
    EXPECT_EQ(means_of(files_.counted, request), means_of(files_.expanded, request)) << what;
  }
  void expect_same_rows(const SynthRequest& request, const std::string& what) {
    EXPECT_EQ(rows_of(files_.counted, request), rows_of(files_.expanded, request)) << what;
  }

  TempFolder folder_;
  SchemaFile schema_;
  Files files_;
  int num_outs_ = 0;
  TrainProgress silent_;
};

TEST_F(CountedTables, EveryEstimatorOfMeansReleasesTheSame) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const bool has_strata : {false, true}) {
      MeansRequest request;
      request.method = row.name;
      request.columns = {"age", "income", "bmi"};
      if (has_strata) request.by = {"sex"};
      expect_same_means(request, fmt::format("{} {}", row.name, has_strata));
      if (row.takes_weights) {
        request.weight_column = "weight";
        expect_same_means(request, fmt::format("{} {} by weight", row.name, has_strata));
      } else {
        request.config.clipped_share = 0.1;
        request.config.relation = Relation::kZeroOut;
        request.relation = Relation::kZeroOut;
        request.private_sizes = true;
        expect_same_means(request, fmt::format("{} {} private sizes", row.name, has_strata));
      }
    }
  }
}

TEST_F(CountedTables, WeightsOfStrataAreSharesOfTheRecordsOfAnotherTable) {
  const Files others = write("equinoise_count", 7);
  std::vector<double> means;
  for (const auto& table : {others.counted, others.expanded}) {
    MeansRequest request;
    request.schema = schema_;
    request.data = files_.counted;
    request.columns = {"age"};
    request.by = {"sex"};
    request.weights.table = table;
    request.rho = 0.5;
    request.insecure_seed = 3;
    means.push_back(release_means_task(request, silent_).overall[0].mean);
  }
  EXPECT_EQ(means[0], means[1]);
}

TEST_F(CountedTables, EverySynthesizerReleasesTheSame) {
  for (const SynthesizerRow& row : synthesizers()) {
    SynthRequest request;
    request.method = row.name;
    expect_same_rows(request, std::string(row.name));
    request.relation = Relation::kAddRemove;
    expect_same_rows(request, fmt::format("{} add_remove", row.name));
    request.relation = Relation::kZeroOut;
    request.stratify = {"sex"};
    request.strata = StrataForm::kIndependent;
    expect_same_rows(request, fmt::format("{} of strata", row.name));
  }
  SynthRequest shared;
  shared.method = "aim";
  shared.stratify = {"sex"};
  shared.strata = StrataForm::kShared;
  expect_same_rows(shared, "shared strata");
}

TEST_F(CountedTables, NumbersReadByPublicBinsReleaseTheSame) {
  use_schema(schema_head("people", "", kNumRecords, "public_bins = 16\n"));
  const Files binned = write("equinoise_count_bins16");
  MeansRequest request;
  request.columns = {"age", "income", "bmi"};
  request.method = "bounded";
  EXPECT_EQ(means_of(binned.counted, request), means_of(binned.expanded, request));
  SynthRequest rows;
  rows.method = "mst";
  EXPECT_EQ(rows_of(binned.counted, rows), rows_of(binned.expanded, rows));
}

TEST_F(CountedTables, RowsOfUnitsAreTakenByThoseWhoNeedNotKnowWhoseTheyAre) {
  const Files units = use_units();
  MeansRequest request;
  request.columns = {"age"};
  request.by = {"sex"};
  request.relation = Relation::kZeroOut;
  request.private_sizes = true;
  EXPECT_THAT(means_of(units.counted, request), HasSubstr("\"mean\""));
  SynthRequest rows;
  rows.method = "mst";
  const auto fills = Contains(HasSubstr("missing cells of age were filled before"));
  std::vector<std::string> warnings;
  EXPECT_THAT(rows_of(units.counted, rows, &warnings), HasSubstr("age,income"));
  EXPECT_THAT(warnings, fills);
  rows.schema.missing = MissingUse::kFill;
  rows_of(units.counted, rows, &warnings);
  EXPECT_THAT(warnings, Not(fills));
  CompareMeansRequest comparing;
  comparing.means = request;
  comparing.means.schema = schema_;
  comparing.means.data = units.counted;
  comparing.means.delta = 1e-5;
  comparing.methods = {"bounded"};
  comparing.epsilons = {2};
  EXPECT_EQ(compare_means(comparing, silent_).num_records, 300);
  const Schema schema = load_schema(schema_);
  TaskProgress silent;
  const TableCheck check = check_table({units.counted, {}}, schema, silent);
  EXPECT_THAT(check.notes, Contains(HasSubstr("do not say whose they are")));
}

TEST_F(CountedTables, RowsOfUnitsAreRefusedByNameByThoseWhoMustKnowWhoseTheyAre) {
  const Files units = use_units("sex");
  TrainRequest request = training_on(units.counted);
  request.test_fraction = 0;
  const auto is_refused = HasAll(units.counted.string(), "whose they are");
  EXPECT_ERROR(kInput, is_refused, train(request, silent_));
  CompareTrainingRequest comparing;
  comparing.training = request;
  comparing.training.config.epsilon.reset();
  comparing.training.test_fraction = 0.2;
  comparing.methods = {"dpsgd"};
  comparing.epsilons = {2};
  EXPECT_ERROR(kInput, is_refused, compare_training(comparing, silent_));
}

TEST_F(CountedTables, TrainingSeesOneTable) {
  std::vector<std::string> models;
  use_schema(schema_head("people", "sex", kNumRecords));
  for (const auto& table : {files_.counted, files_.expanded}) {
    TrainRequest request = training_on(table);
    request.test_fraction = 0;
    train(request, silent_);
    models.push_back(read_text(request.out_path + "/model.json", "test"));
    if (table != files_.counted) continue;
    PredictRequest predicting;
    predicting.model_path = request.out_path;
    predicting.data = table;
    predicting.out_path = out();
    EXPECT_ERROR(kInput, HasAll("equinoise_count", "records one by one"),
                 predict(predicting, silent_));
  }
  EXPECT_EQ(models[0], models[1]);
}

/// The model, or why there is none, of batches of all records.
std::string trained_by(const TrainingMethodRow& method, TrainRequest request,
                       const std::filesystem::path& out, TrainProgress& progress) {
  request.method = method.name;
  if (method.status == PrivacyStatus::kPrivate) request.config.epsilon = 1;
  request.config.delta = 1e-4;
  if (method.follows("batch_size")) request.batch_size = kNumRecords;
  if (method.follows("steps")) request.num_steps = 4;
  request.insecure_seed = 3;
  request.test_fraction = 0;
  request.out_path = out.string();
  try {
    train(request, progress);
  } catch (const Error& error) {
    return error.what();
  }
  return read_text(request.out_path + "/model.json", "test");
}

TEST_F(CountedTables, EveryMethodThatFollowsNoPlacesTrainsTheSame) {
  struct Task {
    std::string target;
    std::string model;
    bool has_groups;
    std::vector<std::string> constraints;
  };
  const std::vector<Task> tasks = {
      {"sex", "auto", false, {}},    {"sex", "additive", false, {}},
      {"income", "auto", false, {}}, {"income", "auto", true, {}},
      {"sex", "auto", true, {}},     {"sex", "auto", false, {"demographic_parity:race:0.1"}}};
  for (const TrainingMethodRow& method : training_methods()) {
    if (method.follows_places) continue;
    int num_trained = 0;
    std::string why;
    for (const Task& task : tasks) {
      TrainRequest request;
      use_schema(schema_head("people", task.target, kNumRecords) + kSizes);
      request.schema = schema_;
      request.model = task.model;
      request.constraints = task.constraints;
      if (task.has_groups) request.groupings = {{"sex"}};
      request.data = files_.expanded;
      const std::string of_records = trained_by(method, request, out(), silent_);
      request.data = files_.counted;
      EXPECT_EQ(trained_by(method, request, out(), silent_), of_records)
          << method.name << " " << task.target;
      const bool is_trained = of_records.starts_with("{");
      num_trained += is_trained ? 1 : 0;
      if (!is_trained) why += "\n" + of_records;
    }
    EXPECT_GT(num_trained, 0) << method.name << why;
  }
}

/// Lists of them would take 17 GB and more. So little noise asks for a finer grid than 64 bits
/// hold.
TEST_F(CountedTables, BillionsOfRecordsAreTrainedOnInTheMemoryOfTheirRows) {
  const std::string sizes = group_sizes("sex", {{"F", 2'294'967'294}, {"M", 2'000'000'000}}) +
                            group_sizes("race", {{"a", 2'000'000'000},
                                                 {"b", 1'500'000'000},
                                                 {"other", 500'000'000},
                                                 {"missing", 294'967'294}});
  const auto table = folder_.write_file(
      "billions.csv",
      "age,income,bmi,weight,sex,race,equinoise_count\n17,2.25,20,0.1,F,a,2000000000\n"
      "30,9,31.5,1,M,b,1500000000\n55,0,20,2.7,M,z,500000000\n30,2.25,?,1,F,?,294967294\n");
  for (const std::string_view name : {"dpsgd", "dpsgd_f", "two_stage", "decoupled"}) {
    const TrainingMethodRow& method = find_training_method(name);
    int num_trained = 0;
    std::string why;
    for (const std::string target : {"income", "sex"}) {
      const bool is_number = target == "income";
      TrainRequest request;
      use_schema(schema_head("people", target, 4'294'967'294) + sizes);
      request.schema = schema_;
      request.data = table;
      if (method.uses_groups()) request.groupings = {{is_number ? "sex" : "race"}};
      if (method.uses_constraints) request.constraints = {"demographic_parity:race:0.1"};
      request.method = method.name;
      request.config.delta = 1e-10;
      request.config.noise_multiplier = 3;
      if (method.follows("batch_size")) request.batch_size = is_number ? 4'294'967'294 : 200;
      if (method.follows("steps")) request.num_steps = 2;
      request.insecure_seed = 3;
      request.test_fraction = 0;
      try {
        EXPECT_EQ(train(request, silent_).overall.public_size, 4'294'967'294);
        ++num_trained;
      } catch (const Error& error) {
        why += fmt::format("\n{}", error.what());
      }
    }
    EXPECT_GT(num_trained, 0) << method.name << why;
  }
}

/// A record more in one row and one less in another would move all between them.
TEST_F(CountedTables, NoGuaranteeFollowsPlacesThatCountedRowsDoNotHave) {
  use_schema(schema_head("people", "sex", kNumRecords));
  TrainRequest request = training_on(files_.counted);
  EXPECT_ERROR(kUsage, HasSubstr("--test-fraction 0"), train(request, silent_));
  request.data = engine_table("duckdb:" + files_.counted.string() + "#people");
  EXPECT_ERROR(kUsage, HasSubstr("--test-fraction 0"), plan_training(request));
  request.data = files_.expanded;
  train(request, silent_);
  AuditRequest judging;
  judging.model_path = request.out_path;
  judging.data = files_.counted;
  judging.held_out_only = true;
  EXPECT_ERROR(kUsage, HasSubstr("--held-out"), audit(judging, silent_));
  judging.held_out_only = false;
  const AuditReport of_counted = audit(judging, silent_);
  judging.data = files_.expanded;
  const AuditReport of_records = audit(judging, silent_);
  EXPECT_GT(of_records.overall.metrics.num_records, 100);
  EXPECT_EQ(of_counted.overall.metrics.num_records, of_records.overall.metrics.num_records);
  EXPECT_EQ(of_counted.overall.metrics.loss.value, of_records.overall.metrics.loss.value);
  judging.data = files_.counted;
  EXPECT_THAT(of_records.warnings, Contains(HasSubstr("--held-out audits only")));
  judging.reference_path = request.out_path;
  EXPECT_ERROR(kUsage, HasSubstr("--reference"), audit(judging, silent_));
  // Of a model that held nothing out --held-out is no advice.
  request.test_fraction = 0;
  request.out_path = out().string();
  train(request, silent_);
  judging.reference_path.clear();
  judging.model_path = request.out_path;
  EXPECT_THAT(audit(judging, silent_).warnings,
              Contains(AllOf(HasSubstr("nothing was held out"), Not(HasSubstr("--held-out")))));
}

/// Bit for bit, also where records have fractions of weights and numbers.
TEST_F(CountedTables, EvaluationSeesOneTable) {
  const Files rows = write("equinoise_count", 7);
  std::vector<SynthEvaluateRequest> requests(1);
  requests.emplace_back().by = {"sex", "race"};
  requests.back().schema.missing = MissingUse::kFill;
  for (const char* target : {"", "sex", "bmi"}) {
    for (const char* weights : {"", "weight"}) {
      SynthEvaluateRequest& request = requests.emplace_back();
      request.by = {"race"};
      request.weight_column = weights;
      request.schema.target = target;
    }
  }
  for (SynthEvaluateRequest& request : requests) {
    request.degree = 2;
    const std::string expected = evaluation_of(files_.expanded, rows.expanded, request);
    const std::string what = fmt::format("by {} weights {} target {}", request.by.size(),
                                         request.weight_column, request.schema.target);
    EXPECT_THAT(expected, HasSubstr("\"second_half\"")) << what;
    EXPECT_EQ(evaluation_of(files_.counted, rows.counted, request), expected) << what;
    EXPECT_EQ(evaluation_of(files_.expanded, rows.counted, request), expected) << what;
    EXPECT_EQ(evaluation_of(files_.counted, rows.expanded, request), expected) << what;
  }
}

TEST_F(CountedTables, EvaluationDoesNotTakeRowsOfUnitsAsUnits) {
  const Files units = use_units();
  EXPECT_ERROR(kInput, HasAll("equinoise_count_units300", "do not say whose they are"),
               evaluation_of(units.counted, files_.expanded, {}));
}

/// Rows of their own would take 180 GB.
TEST_F(CountedTables, BillionsOfRecordsAreJudgedInTheMemoryOfTheirRows) {
  const std::string header = "age,income,bmi,weight,sex,race,equinoise_count\n";
  const auto table = [&](const std::string& name, int a, int b) {
    return folder_.write_file(
        name, header + fmt::format("17,2.25,20,0.1,F,a,{}000000000\n30,9,31.5,1,M,b,1500000000\n"
                                   "55,0,20,2.7,M,a,{}00000000\n30,2.25,?,1,F,b,100000000\n",
                                   a, b));
  };
  const auto real = table("billions.csv", 1, 14);
  const auto synthetic = table("more_billions.csv", 2, 4);
  SynthEvaluateRequest request;
  request.by = {"sex"};
  request.weight_column = "weight";
  const std::string told = evaluation_of(real, synthetic, request);
  EXPECT_THAT(told, HasAll("\"real_records\":4000000000", "\"real_records\":1100000000"));
  request.weight_column.clear();
  request.schema.target = "sex";
  EXPECT_ERROR(kInput, HasAll("4000000000 records", "leave out --target"),
               evaluation_of(real, synthetic, request));
}

TEST_F(CountedTables, ComparisonsSeeOneTable) {
  std::vector<std::string> means;
  std::vector<std::string> rows;
  for (const auto& table : {files_.counted, files_.expanded}) {
    CompareMeansRequest of_means;
    of_means.means.schema = schema_;
    of_means.means.data = table;
    of_means.means.columns = {"age", "income", "bmi"};
    of_means.means.by = {"sex"};
    of_means.means.delta = 1e-5;
    of_means.methods = {"bounded", "laplace"};
    of_means.epsilons = {2};
    of_means.num_seeds = 2;
    CompareSynthRequest of_rows;
    of_rows.synth.schema = schema_;
    of_rows.synth.data = table;
    of_rows.synth.drop_incomplete = true;
    of_rows.synth.delta = 1e-5;
    of_rows.by = {"race"};
    of_rows.methods = {"mst"};
    of_rows.epsilons = {2};
    of_rows.num_seeds = 2;
    const auto text_of = [](Json json) {
      for (Json& row : json["rows"]) row.erase("seconds");
      return json.dump();
    };
    means.push_back(text_of(compare_to_json(compare_means(of_means, silent_))));
    of_means.means.weight_column = "weight";
    of_means.methods = {"bounded"};
    means.back() += text_of(compare_to_json(compare_means(of_means, silent_)));
    rows.push_back(text_of(compare_to_json(compare_synth(of_rows, silent_))));
  }
  EXPECT_EQ(means[0], means[1]);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_THAT(rows[0], HasSubstr("\"race\""));
}

TEST_F(CountedTables, AnAuditByWeightSeesOneTable) {
  use_schema(schema_head("people", "sex", kNumRecords));
  const TrainRequest training = training_on(files_.expanded);
  train(training, silent_);
  std::vector<std::string> audits;
  for (const auto& table : {files_.counted, files_.expanded}) {
    AuditRequest request;
    request.model_path = training.out_path;
    request.data = table;
    request.weight_column = "weight";
    request.groupings = {{"race"}};
    Json json = audit_to_json(audit(request, silent_));
    for (const char* own : {"seconds", "data"}) json.erase(own);
    audits.push_back(json.dump());
  }
  EXPECT_EQ(audits[0], audits[1]);
  EXPECT_THAT(audits[0], HasSubstr("records have weight 0 and count for nothing"));
}

TEST_F(CountedTables, SizesOfGroupsAndChecksAreOfRecords) {
  GroupSizesRequest request;
  request.schema = schema_;
  request.groups = {"race"};
  request.epsilon = 1;
  request.insecure_seed = 3;
  std::vector<std::string> sizes;
  std::vector<std::string> checks;
  const Schema schema = load_schema(schema_);
  for (const auto& table : {files_.counted, files_.expanded}) {
    request.table = {table, {}};
    sizes.push_back(release_group_sizes(request, silent_).toml);
    std::string& text = checks.emplace_back();
    TaskProgress silent;
    const TableCheck check = check_table(request.table, schema, silent);
    for (const std::string& sentence : check.failures) text += sentence + "\n";
    for (const std::string& sentence : check.notes) text += sentence + "\n";
  }
  EXPECT_EQ(sizes[0], sizes[1]);
  EXPECT_EQ(checks[0], checks[1]);
}

TEST_F(CountedTables, IntervalsOfMeansAllowForTheRounding) {
  const auto report_of = [&](const std::string& head, std::string_view method) {
    use_schema(schema_head("people", "", kNumRecords, head));
    MeansRequest request;
    request.schema = schema_;
    request.data = write(head.empty() ? "equinoise_count" : "equinoise_count_bins4").expanded;
    request.columns = {"age", "income"};
    request.method = method;
    request.rho = 0.5;
    request.insecure_seed = 3;
    request.stddevs = {{"age", 20}, {"income", 3}};
    return release_means_task(request, silent_);
  };
  for (const std::string_view method : {"bounded", "coinpress_joint"}) {
    const MeansReport kept = report_of("", method);
    const MeansReport binned = report_of("public_bins = 4\n", method);
    EXPECT_FALSE(kept.columns[0].rounding);
    ASSERT_TRUE(binned.columns[0].rounding && binned.columns[1].rounding);
    EXPECT_EQ(binned.columns[0].rounding->num_bins, 6U);  // 0 and the upper bound, too
    EXPECT_GE(binned.columns[0].rounding->most, 12);
    EXPECT_LE(binned.columns[0].rounding->most, 13.1);
    EXPECT_NEAR(binned.columns[1].rounding->most, 1.25, 1e-9);
    for (size_t j = 0; j < 2; ++j) {
      // Each end moves by how far numbers may have, or to where no mean can be beyond.
      const auto half = [&](const MeansReport& report) {
        return report.overall[j].interval->high - report.overall[j].mean;
      };
      EXPECT_GE(half(binned), binned.columns[j].rounding->most) << method << j;
      EXPECT_LT(half(kept), binned.columns[j].rounding->most) << method << j;
    }
    const Json json = means_to_json(binned);
    EXPECT_EQ(json["columns"][0]["rounding"]["num_bins"], 6);
    EXPECT_EQ(means_to_json(kept)["columns"][0]["rounding"], Json(nullptr));
  }
}

}  // namespace equinoise::counted_tables_test
