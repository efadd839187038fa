// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/means/means.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::compare_means_test {

using Json = nlohmann::ordered_json;

/// 900 F of score 2, 5 or 8, 300 M of score 11 to 13, and 60 without one among the F.
class CompareMeans : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "score,sex\n";
    for (int i = 0; i < 1200; ++i) {
      const bool is_f = i % 4 != 0;
      const std::string score =
          is_f ? (i % 15 == 1 ? "" : std::to_string(2 + i % 3 * 3)) : std::to_string(11 + i % 3);
      csv += score + (is_f ? ",F\n" : ",M\n");
    }
    request_.means.data = folder_.write_file("table.csv", csv);
    request_.means.schema.path = folder_.write_file(
        "schema.toml", schema_head("scores", "", 1200) +
                           group_sizes("sex", {{"F", 900}, {"M", 300}}) +
                           numeric_section("score", 0, 20, "missing = \"drop\"\n") +
                           categorical_section("sex", {"F", "M"}));
    request_.means.columns = {"score"};
    request_.means.by = {"sex"};
    request_.means.delta = 1e-5;
    request_.methods = {"bounded", "laplace"};
    request_.epsilons = {0.5, 5};
    request_.num_seeds = 3;
    request_.threads = 2;
  }

  CompareReport run() { return compare_means(request_, silent_); }

  std::string refusal() {
    return error_of(ErrorKind::kUsage, [&] { run(); });
  }

  TempFolder folder_;
  CompareMeansRequest request_;
  TrainProgress silent_;
};

/// A run is a release under that seed, judged by means that are computed here.
TEST_F(CompareMeans, JudgesWhatARealReleaseSays) {
  const CompareReport report = run();
  ASSERT_EQ(report.rows.size(), 4U);
  ASSERT_EQ(report.groups.size(), 2U);
  double sum_f = 0;
  double sum_m = 0;
  int64_t num_f = 0;
  std::vector<double> values;
  for (int i = 0; i < 1200; ++i) {
    if (i % 4 == 0) {
      values.push_back(11 + i % 3);
      sum_m += values.back();
    } else if (i % 15 != 1) {
      values.push_back(2 + i % 3 * 3);
      sum_f += values.back();
      ++num_f;
    }
  }
  const double mean = (sum_f + sum_m) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double stddev = std::sqrt(squares / static_cast<double>(values.size()));
  EXPECT_EQ(report.groups[0].num_records, num_f);
  EXPECT_EQ(report.groups[1].num_records, 300);
  EXPECT_NEAR(report.constant.value, std::fabs(10 - mean) / stddev, 1e-9);

  MeansRequest release = request_.means;
  release.ledger_path.clear();
  release.method = report.rows[0].method;
  release.epsilon = report.rows[0].epsilon;
  release.insecure_seed = 2;
  TaskProgress silent;
  const MeansReport told = release_means_task(release, silent);
  const CompareRun& run_of = report.rows[0].runs[2];
  EXPECT_NEAR(run_of.overall, std::fabs(told.overall[0].mean - mean) / stddev, 1e-9);
  EXPECT_NEAR(run_of.groups[0],
              std::fabs(told.rows[0].mean - sum_f / static_cast<double>(num_f)) / stddev, 1e-9);
  EXPECT_NEAR(run_of.groups[1], std::fabs(told.rows[1].mean - sum_m / 300) / stddev, 1e-9);
  EXPECT_EQ(run_of.worst_group, std::max(run_of.groups[0], run_of.groups[1]));
}

TEST_F(CompareMeans, TellsThePrivacyOfAPaidRelease) {
  const CompareReport report = run();
  for (const CompareRow& row : report.rows) {
    ASSERT_TRUE(row.weakest);
    EXPECT_LE(row.weakest->epsilon.value(), *row.epsilon * (1 + 1e-6));
    EXPECT_GT(row.weakest->epsilon.value(), *row.epsilon * 0.9);
    ASSERT_EQ(row.group_privacy.size(), 2U);
    EXPECT_EQ(row.public_groups, std::vector<std::string>{"sex"});
  }
  // More budget, less error.
  EXPECT_LT(report.rows[2].overall.value, report.rows[0].overall.value);
}

TEST_F(CompareMeans, GivesAdviceOfPublicTablesOnly) {
  CompareReport report = run();
  EXPECT_TRUE(report.advice.empty());
  EXPECT_THAT(to_screen(compare_document(report)), HasSubstr("no method is recommended"));
  EXPECT_THAT(to_page(compare_document(report)), HasSubstr("records with a value"));
  request_.means.public_data = true;
  report = run();
  EXPECT_EQ(report.advice.size(), 2U);
}

TEST_F(CompareMeans, ResumesToTheSameTable) {
  const auto without_seconds = [](const CompareReport& report) {
    Json json = compare_to_json(report).at("rows");
    for (Json& row : json) row.erase("seconds");
    return json;
  };
  const Json whole = without_seconds(run());
  request_.runs_path = folder_.path() / "runs.jsonl";
  request_.num_seeds = 2;
  run();
  request_.num_seeds = 3;
  request_.threads = 1;
  EXPECT_EQ(without_seconds(run()), whole);
  request_.means.delta = 1e-6;
  EXPECT_ERROR(kInput, HasSubstr("delta"), run());
}

/// Else every row would have "-" without a word why.
TEST_F(CompareMeans, SaysWhatLeavesErrorsUndefined) {
  std::string csv = "score,sex\n";
  for (int i = 0; i < 1200; ++i) csv += i % 4 != 0 ? "5,F\n" : "5,M\n";
  request_.means.data = folder_.write_file("constant.csv", csv);
  request_.means.public_data = true;
  const CompareReport report = run();
  EXPECT_TRUE(std::isnan(report.rows[0].overall.value));
  EXPECT_THAT(report.ingest_notes, Contains(HasSubstr("column score: all values are the same")));
  EXPECT_FALSE(report.advice[0].row);
  EXPECT_THAT(compare_to_json(report).at("rows")[0].at("overall").dump(), "null");
}

/// A gap in one column leaves a record in the means of others.
TEST_F(CompareMeans, CountsRecordsAsMeansDo) {
  EXPECT_THAT(run().ingest_notes, Not(Contains(HasSubstr("contribute nothing"))));
}

TEST_F(CompareMeans, ListsWhoCannotDoIt) {
  request_.methods.clear();
  const CompareReport report = run();
  EXPECT_FALSE(report.rows.empty());
  request_.methods = {"bonded"};
  EXPECT_THAT(refusal(), HasSubstr("did you mean \"bounded\"?"));
  request_.methods = {"bounded"};
  request_.grid = {{"gama", {"1"}}};
  EXPECT_THAT(refusal(), HasSubstr("gama"));
  request_.grid = {};
  request_.epsilons = {};
  EXPECT_THAT(refusal(), HasSubstr("--epsilon is missing"));
}

}  // namespace equinoise::compare_means_test
