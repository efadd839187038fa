// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_synth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/synth/synth.h"
#include "equinoise/tasks/synth/synth_evaluate.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::compare_synth_test {

using Json = nlohmann::ordered_json;

/// 600 records of three columns that follow each other, and a rare third value of "site".
class CompareSynth : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "age,sex,site\n";
    for (int i = 0; i < 600; ++i) {
      csv += std::to_string(20 + i % 40) + (i % 3 == 0 ? ",F" : ",M") +
             (i % 60 == 0   ? ",c\n"
              : i % 40 < 20 ? ",a\n"
                            : ",b\n");
    }
    request_.synth.data = folder_.write_file("table.csv", csv);
    request_.synth.schema.path = folder_.write_file(
        "schema.toml", schema_head("sites", "", 600) + numeric_section("age", 20, 60) +
                           categorical_section("sex", {"F", "M"}) +
                           categorical_section("site", {"a", "b", "c"}));
    request_.synth.drop_incomplete = true;
    request_.synth.delta = 1e-5;
    request_.methods = {"mst", "swift"};
    request_.epsilons = {3};
    request_.num_seeds = 2;
    request_.threads = 2;
    request_.by = {"site"};
  }

  CompareReport run() { return compare_synth(request_, silent_); }

  TempFolder folder_;
  CompareSynthRequest request_;
  TrainProgress silent_;
};

/// The same errors as of the two commands, one after the other.
TEST_F(CompareSynth, JudgesWhatRealRowsAreLike) {
  const CompareReport report = run();
  ASSERT_EQ(report.rows.size(), 2U);
  const CompareRow& row = report.rows[0];
  SynthRequest synth = request_.synth;
  synth.method = row.method;
  synth.epsilon = 3;
  synth.insecure_seed = 1;
  synth.out_path = folder_.path() / "rows";
  TaskProgress silent;
  synthesize(synth, silent);
  SynthEvaluateRequest evaluation;
  evaluation.schema = request_.synth.schema;
  evaluation.real = request_.synth.data;
  evaluation.synthetic = folder_.path() / "rows" / "rows.csv";
  evaluation.degree = 2;
  evaluation.by = {"site"};
  const SynthEvaluateReport told = evaluate_synthetic(evaluation, silent);
  EXPECT_NEAR(row.runs[1].overall, told.errors.workload().error.rows, 1e-12);
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(row.runs[1].groups[k], told.parity->groups[k].errors.workload().error.rows, 1e-12);
  // Ten people are too few to be judged.
  EXPECT_EQ(report.groups[2].num_records, 10);
  EXPECT_FALSE(report.groups[2].is_counted);
  EXPECT_EQ(row.runs[1].worst_group, std::max(row.runs[1].groups[0], row.runs[1].groups[1]));
  EXPECT_LT(row.overall.value, report.constant.value);
  EXPECT_GT(report.constant.value, 0.2);
}

TEST_F(CompareSynth, TellsThePrivacyOfAPaidReleaseAndWritesNothing) {
  const auto num_files = [&] {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  };
  const auto before = num_files();
  const CompareReport report = run();
  EXPECT_EQ(num_files(), before);
  for (const CompareRow& row : report.rows) {
    ASSERT_TRUE(row.weakest);
    EXPECT_LE(row.weakest->epsilon.value(), 3 * (1 + 1e-6));
    EXPECT_EQ(row.group_privacy.size(), 3U);
    EXPECT_TRUE(row.public_groups.empty());
  }
  EXPECT_TRUE(report.advice.empty());
}

TEST_F(CompareSynth, ResumesToTheSameTable) {
  const auto without_seconds = [](const CompareReport& report) {
    Json json = compare_to_json(report).at("rows");
    for (Json& row : json) row.erase("seconds");
    return json;
  };
  const Json whole = without_seconds(run());
  request_.runs_path = folder_.path() / "runs.jsonl";
  request_.num_seeds = 1;
  run();
  request_.num_seeds = 2;
  request_.threads = 1;
  EXPECT_EQ(without_seconds(run()), whole);
  request_.by = {"sex"};
  EXPECT_ERROR(kInput, HasSubstr("by"), run());
}

/// Rows are not written in the layout of the table that they are of.
TEST_F(CompareSynth, ReadsRowsInTheirOwnLayout) {
  const CompareReport usual = run();
  std::ifstream file(request_.synth.data.path());
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::ranges::replace(text, ',', ';');
  request_.synth.data = folder_.write_file("semicolons.csv", text);
  request_.synth.schema.table.delimiter = ';';
  const CompareReport other = run();
  ASSERT_EQ(other.rows[0].problem, "");
  EXPECT_EQ(other.rows[0].runs[0].overall, usual.rows[0].runs[0].overall);
}

/// What a file said that a run followed is a part of what was run.
TEST_F(CompareSynth, TakesNoRunsOfAnotherWorkload) {
  request_.methods = {"mst"};
  request_.runs_path = folder_.path() / "runs.jsonl";
  run();
  request_.methods = {"aim"};
  request_.given = {"workload"};
  request_.runs_path = folder_.path() / "others.jsonl";
  request_.synth.config.workload_choice.file =
      folder_.write_file("workload.json", R"([{"columns": ["age", "sex"]}])");
  run();
  folder_.write_file("workload.json", R"([{"columns": ["age", "site"]}])");
  EXPECT_ERROR(kInput, HasSubstr("workload"), run());
}

/// It is what add_remove protects.
TEST_F(CompareSynth, DoesNotTellANumberOfRecordsThatIsPrivate) {
  request_.synth.relation = Relation::kAddRemove;
  request_.methods = {"mst"};
  const CompareReport report = run();
  EXPECT_FALSE(report.num_records);
  EXPECT_TRUE(compare_to_json(report).at("num_records").is_null());
}

/// All combinations alike: half of |1/3 - 1/2| + |2/3 - 1/2| is 1/6.
TEST_F(CompareSynth, HasABaselineThatKnowsNothing) {
  request_.synth.schema.path = folder_.write_file(
      "one.toml", schema_head("sites", "", 600) + ignored_section("age") +
                      categorical_section("sex", {"F", "M"}) + ignored_section("site"));
  request_.by = {};
  request_.degree = 1;
  request_.methods = {"mst"};
  EXPECT_NEAR(run().constant.value, 1.0 / 6, 1e-12);
}

/// A method that cannot do the task is listed, and where none can, the command is refused.
TEST_F(CompareSynth, RefusesWhatMakesNoSense) {
  const auto refusal = [&] { return error_of(ErrorKind::kUsage, [&] { run(); }); };
  request_.methods = {"aim", "aim"};
  EXPECT_THAT(refusal(), HasSubstr("names aim twice"));
  request_.methods = {"mst"};
  request_.grid = {{"epsilon", {"1", "2"}}};
  EXPECT_THAT(refusal(), HasSubstr("list several in --epsilon"));
  request_.grid = {};
  request_.synth.relation = Relation::kReplaceOne;
  EXPECT_THAT(refusal(), HasSubstr("no method is left to compare"));
}

}  // namespace equinoise::compare_synth_test
