// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/base/read_text.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"
#include "equinoise/tasks/compare/compare_synth.h"
#include "equinoise/tasks/means/means.h"
#include "equinoise/tasks/predict/predict.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "equinoise/tasks/train/train.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::memory_tables_test {

using ::testing::Eq;
using testing::memory_table;

const std::string kSchema =
    schema_head("people", "y", 200) + group_sizes("sex", {{"F", 67}, {"M", 133}}) +
    numeric_section("x", 0, 9, "missing = \"drop\"\n") + numeric_section("dose", 0, 2) +
    "[columns.born]\ntype = \"date\"\nbounds = [\"1950-01-01\", \"1952-01-01\"]\n" +
    categorical_section("sex", {"F", "M"}) + categorical_section("y", {"false", "true"});

/// 200 records of every kind of column; one has no x.
const std::string kQuery =
    "SELECT CASE WHEN i = 77 THEN NULL ELSE i % 10 END::INTEGER AS x, (i % 7) / 3.0 AS dose, "
    "DATE '1950-01-01' + (i * 3)::INTEGER AS born, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' "
    "END::ENUM('M', 'F') AS sex, i % 10 > 4 AS y FROM range(200) AS r(i) ORDER BY i";

/// The same table as CSV, as Parquet and in memory.
class MemoryTables : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "x,dose,born,sex,y\n";
    const std::unique_ptr<RecordReader> records = memory_table(kQuery).open_records();
    for (const testing::Cells& cells : testing::all_records(*records))
      for (size_t i = 0; i < cells.size(); ++i)
        csv += cells[i].value_or("") + (i + 1 == cells.size() ? "\n" : ",");
    schema_.path = folder_.write_file("schema.toml", kSchema);
    tables_ = {folder_.write_file("people.csv", csv),
               testing::write_parquet(folder_.path() / "people.parquet", kQuery),
               memory_table(kQuery)};
  }

  /// A path of its own for each table.
  std::filesystem::path out(const std::string& name) {
    return folder_.path() / (name + std::to_string(num_outs_++));
  }

  TempFolder folder_;
  SchemaFile schema_;
  std::vector<TableSource> tables_;
  int num_outs_ = 0;
  TrainProgress silent_;
};

TEST_F(MemoryTables, TrainedModelsAreThoseOfTheFiles) {
  std::vector<std::string> models;
  for (const TableSource& table : tables_) {
    TrainRequest request;
    request.method = "dpsgd";
    request.schema = schema_;
    request.data = table;
    request.groupings = {{"sex"}};
    request.config.epsilon = 1;
    request.config.delta = 1e-4;
    request.batch_size = 30;
    request.num_steps = 20;
    request.insecure_seed = 3;
    request.out_path = out("model").string();
    train(request, silent_);
    models.push_back(read_text(request.out_path + "/model.json", "test"));
  }
  EXPECT_THAT(models, Each(Eq(models[0])));
}

TEST_F(MemoryTables, MeansAreThoseOfTheFiles) {
  std::vector<std::string> means;
  for (const TableSource& table : tables_) {
    MeansRequest request;
    request.schema = schema_;
    request.data = table;
    request.columns = {"x", "dose"};
    request.by = {"sex"};
    request.rho = 0.1;
    request.insecure_seed = 3;
    request.out_path = out("means.json");
    release_means_task(request, silent_);
    auto json = nlohmann::ordered_json::parse(read_text(request.out_path, "test"));
    for (const char* own : {"seconds", "files"}) json.erase(own);
    means.push_back(json.dump());
  }
  EXPECT_THAT(means, Each(Eq(means[0])));
}

TEST_F(MemoryTables, SyntheticModelsAndRowsAreThoseOfTheFiles) {
  std::vector<std::string> models;
  std::vector<std::string> rows;
  for (const TableSource& table : tables_) {
    SynthRequest request;
    request.drop_incomplete = true;
    request.schema = schema_;
    request.data = table;
    request.method = "mst";
    request.epsilon = 3;
    request.delta = 1e-5;
    request.insecure_seed = 3;
    request.out_path = out("rows");
    synthesize(request, silent_);
    models.push_back(read_text(request.out_path / "model.json", "test"));
    rows.push_back(read_text(request.out_path / "rows.csv", "test"));
  }
  EXPECT_THAT(models, Each(Eq(models[0])));
  EXPECT_THAT(rows, Each(Eq(rows[0])));
}

TEST_F(MemoryTables, PredictionsAndTheirAuditAreThoseOfTheFiles) {
  TrainRequest training;
  training.schema = schema_;
  training.data = tables_[2];
  training.method = "sgd";
  training.num_steps = 20;
  training.insecure_seed = 3;
  training.out_path = out("model").string();
  train(training, silent_);
  std::vector<std::string> predictions;
  std::vector<std::string> audits;
  for (const TableSource& table : tables_) {
    PredictRequest request;
    request.model_path = training.out_path;
    request.data = table;
    request.out_path = out("predictions");
    request.kept = {"sex"};
    predict(request, silent_);
    predictions.push_back(read_text(request.out_path, "test"));

    AuditRequest logged;
    logged.predictions = table;
    logged.target = "y";
    logged.score = "dose";
    logged.threshold = 1;
    logged.groupings = {{"sex"}};
    audits.push_back(audit_to_json(audit(logged, silent_))["groups"].dump());
  }
  EXPECT_THAT(predictions, Each(Eq(predictions[0])));
  EXPECT_THAT(audits, Each(Eq(audits[0])));
}

TEST_F(MemoryTables, RowsAreEvaluatedAsThoseOfTheFiles) {
  for (const TableSource& table : tables_) {
    SynthEvaluateRequest request;
    request.schema = schema_;
    request.real = tables_[0];
    request.synthetic = table;
    EXPECT_EQ(evaluate_synthetic(request, silent_).errors.workload().error.rows, 0) << table.name();
    std::swap(request.real, request.synthetic);
    EXPECT_EQ(evaluate_synthetic(request, silent_).errors.workload().error.rows, 0) << table.name();
  }
}

/// Kept runs are of one table, whatever it is called.
TEST_F(MemoryTables, KeptRunsAreOfOneTable) {
  CompareSynthRequest request;
  request.synth.schema = schema_;
  request.synth.drop_incomplete = true;
  request.synth.data = tables_[2];
  request.synth.delta = 1e-5;
  request.methods = {"mst"};
  request.epsilons = {3};
  request.num_seeds = 1;
  request.runs_path = folder_.path() / "runs.jsonl";
  compare_synth(request, silent_);
  compare_synth(request, silent_);
  request.synth.data = memory_table("SELECT * FROM (" + kQuery + ") ORDER BY y, sex, born");
  EXPECT_ERROR(kInput, HasSubstr("hold other records"), compare_synth(request, silent_));
}

}  // namespace equinoise::memory_tables_test
