// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/compare_training.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "equinoise/report/compare/compare_report.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::compare_training_test {

using Json = nlohmann::ordered_json;

constexpr int kNumRecords = 1200;

/// A table of two sexes, whose target follows x; "score" is a number.
class CompareTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    write_table(0);
    request_.training.schema.path = folder_.write_file("schema.toml", schema("y"));
    request_.training.data = (folder_.path() / "table.csv").string();
    request_.training.groupings = {{"sex"}};
    request_.training.config.delta = 1e-4;
    request_.training.config.num_steps = 30;
    request_.given = {"steps"};
    request_.methods = {"dpsgd", "balanced", "sgd"};
    request_.epsilons = {1, 5};
    request_.num_seeds = 2;
    request_.threads = 2;
  }

  static std::string schema(const std::string& target) {
    return schema_head("small", target, kNumRecords) +
           group_sizes("sex", {{"F", 400}, {"M", 800}}) + numeric_section("x", 0, 9) +
           categorical_section("sex", {"F", "M"}) + numeric_section("score", 0, 20) +
           categorical_section("y", {"no", "yes"});
  }

  void write_table(int first) {
    std::string csv = "x,sex,score,y\n";
    for (int i = 0; i < kNumRecords; ++i) {
      const int x = (i + (i == 0 ? first : 0)) % 10;
      csv += std::to_string(x) + (i % 3 == 0 ? ",F," : ",M,") + std::to_string(x + i % 7) +
             ((x > 4) != (i % 9 == 0) ? ",yes\n" : ",no\n");
    }
    folder_.write_file("table.csv", csv);
  }

  /// Without what differs from one time to the next.
  Json run() {
    Json json = compare_to_json(compare_training(request_, silent_));
    for (Json& row : json.at("rows")) row.erase("seconds");
    return json;
  }

  std::string refusal() {
    return error_of(ErrorKind::kUsage, [&] { compare_training(request_, silent_); });
  }

  TempFolder folder_;
  CompareTrainingRequest request_;
  TrainProgress silent_;
};

const Json& row_of(const Json& report, const std::string& method, const Json& epsilon) {
  for (const Json& row : report.at("rows"))
    if (row.at("method") == method && row.at("epsilon") == epsilon) return row;
  ADD_FAILURE() << "no row of " << method << " at " << epsilon.dump();
  return report;
}

/// A run is what train() does under the same seeds.
TEST_F(CompareTraining, RunsAreThoseOfTrain) {
  request_.methods = {"dpsgd"};
  request_.epsilons = {1};
  const CompareReport report = compare_training(request_, silent_);
  TrainRequest train_request = request_.training;
  train_request.method = "dpsgd";
  train_request.config.epsilon = 1;
  train_request.config.final_learning_rate = train_request.config.learning_rate / 10;
  train_request.settles_learning_rate = true;
  train_request.settles_clip = true;
  train_request.num_steps = 30;
  train_request.insecure_seed = 1;
  train_request.split_seed = 1;
  const TrainingReport trained = train(train_request, silent_);
  EXPECT_EQ(report.rows[0].runs[1].overall, trained.overall.metrics->error.value);
  EXPECT_EQ(report.rows[0].runs[1].groups[1], trained.groups[1].metrics->error.value);
  EXPECT_NE(report.rows[0].runs[0].overall, report.rows[0].runs[1].overall);
  // Nothing was charged, and no ledger was made.
  EXPECT_FALSE(std::filesystem::exists(request_.training.ledger_path));
}

TEST_F(CompareTraining, TellsPrivacyAndReferencesOnce) {
  const Json report = run();
  EXPECT_EQ(report.at("rows").size(), 5U);
  const Json& private_row = row_of(report, "dpsgd", 5);
  EXPECT_LE(private_row.at("weakest_privacy").get<double>(), 5);
  EXPECT_GT(private_row.at("weakest_privacy").get<double>(), 4);
  const Json& reference = row_of(report, "sgd", nullptr);
  EXPECT_TRUE(reference.at("weakest_privacy").is_null());
  EXPECT_TRUE(reference.at("dominated").is_null());
  EXPECT_TRUE(reference.at("violation").is_null());
  EXPECT_GE(reference.at("worst_group").get<double>(), reference.at("overall").get<double>());
  EXPECT_TRUE(report.at("recommended").is_null());
  EXPECT_EQ(report.at("recommended_reason")[0], kWhyNoAdvice);
}

/// Where nobody has said that the table is public, nothing is chosen by it.
TEST_F(CompareTraining, RecommendsOnlyOnPublicData) {
  CompareReport report = compare_training(request_, silent_);
  EXPECT_THAT(to_screen(compare_document(report)), HasSubstr(wrapped(kWhyNoAdvice)));
  EXPECT_TRUE(report.advice.empty());
  request_.training.public_data = true;
  report = compare_training(request_, silent_);
  EXPECT_EQ(report.advice.size(), 2U);
  EXPECT_THAT(to_screen(compare_document(report)),
              AllOf(HasSubstr("at epsilon 1, "), Not(HasSubstr(wrapped(kWhyNoAdvice)))));
}

TEST_F(CompareTraining, DoesNotFollowThreads) {
  const Json before = run();
  request_.threads = 1;
  EXPECT_EQ(run(), before);
}

TEST_F(CompareTraining, GoesOnWithKeptRunsOfTheSameTableOnly) {
  const Json before = run();
  request_.runs_path = folder_.path() / "runs.jsonl";
  request_.num_seeds = 1;
  run();
  request_.num_seeds = 2;
  EXPECT_EQ(run(), before);
  request_.metric = CompareMetric::kLoss;
  const Json by_loss = run();
  EXPECT_NE(by_loss, before);
  request_.runs_path.clear();
  EXPECT_EQ(run(), by_loss);
  request_.runs_path = folder_.path() / "runs.jsonl";
  request_.metric = CompareMetric::kError;
  const auto kept_refusal = [&] {
    return error_of(ErrorKind::kInput, [&] { compare_training(request_, silent_); });
  };
  request_.training.test_fraction = 0.3;
  EXPECT_THAT(kept_refusal(), HasSubstr("\"test_fraction\" of its runs is 0.25 instead of 0.3"));
  request_.training.test_fraction = 0.25;
  request_.training.config.num_steps = 31;
  EXPECT_THAT(kept_refusal(), HasSubstr("\"options.steps\" of its runs is 30 instead of 31"));
  request_.training.config.num_steps = 30;
  write_table(1);
  EXPECT_THAT(kept_refusal(), HasSubstr("(the files hold other records)"));
}

/// Methods that obey no constraints are judged by them as well.
TEST_F(CompareTraining, JudgesEveryMethodByTheConstraints) {
  request_.training.constraints = {"demographic_parity:sex:0.05"};
  request_.methods = {"dpsgd", "raco_dp"};
  request_.epsilons = {5};
  const Json report = run();
  EXPECT_FALSE(row_of(report, "dpsgd", 5).at("violation").is_null());
  EXPECT_FALSE(row_of(report, "raco_dp", 5).at("violation").is_null());
  request_.training.constraints = {"demographic_parity:sx:0.05"};
  EXPECT_THAT(refusal(), HasSubstr("sx"));
}

/// All that can do the task, and the reasons of the others.
TEST_F(CompareTraining, LeavesOutMethodsWithTheReason) {
  request_.methods = {"dpsgd", "sufficient_statistics", "raco_dp"};
  const CompareReport report = compare_training(request_, silent_);
  EXPECT_EQ(report.rows.size(), 2U);
  ASSERT_EQ(report.skipped.size(), 2U);
  EXPECT_EQ(report.skipped[0].method, "sufficient_statistics");
  EXPECT_TRUE(report.skipped[0].epsilons.empty());
  EXPECT_THAT(to_screen(compare_document(report)),
              HasSubstr("Not compared (publishable)\nsufficient_statistics: "));
  request_.methods = {"raco_dp"};
  EXPECT_THAT(refusal(), HasSubstr("no method is left to compare:\n  raco_dp: "));
}

TEST_F(CompareTraining, OfANumberTakesItsVarianceAsTheUnit) {
  request_.training.schema.path = folder_.write_file("schema.toml", schema("score"));
  request_.methods = {"sgd"};
  request_.epsilons = {};
  request_.training.config.num_steps = 500;
  const CompareReport report = compare_training(request_, silent_);
  EXPECT_EQ(report.constant.value, 1);
  // The variance of the target is 8.25 of x and 4 of what nothing tells.
  EXPECT_NEAR(report.rows[0].overall.value, 4 / 12.25, 0.05);
}

/// What an option of steps cannot mean for a method is no reason to leave the method out.
TEST_F(CompareTraining, HasOneRowOfAMethodThatTakesOneStep) {
  request_.training.schema.path = folder_.write_file("schema.toml", schema("score"));
  request_.methods = {"dpsgd", "sufficient_statistics"};
  request_.epsilons = {5};
  request_.given = {};
  request_.grid = {{"steps", {"20", "30"}}};
  const CompareReport report = compare_training(request_, silent_);
  EXPECT_TRUE(report.skipped.empty());
  EXPECT_EQ(report.rows.size(), 3U);
}

/// The report of a run under such a schema tells of no protection.
TEST_F(CompareTraining, TellsWhatIsPublicAndWhatADraftHasLearnt) {
  std::string draft = schema("y");
  draft.replace(draft.find("reviewed = true"), 15, "reviewed = false");
  request_.training.schema.path = folder_.write_file("schema.toml", draft);
  request_.training.public_data = true;
  request_.methods = {"dpsgd", "oco_exp3", "sgd"};
  request_.epsilons = {1, 5};
  request_.training.config.delta = 1e-3;
  const CompareReport report = compare_training(request_, silent_);
  for (const CompareRow& row : report.rows)
    EXPECT_EQ(row.public_groups.empty(), row.method != "oco_exp3") << row.method;
  EXPECT_THAT(to_screen(compare_document(report)),
              HasAll("Not protected by oco_exp3: which group by sex",
                     "learnt from the table is in no row's privacy",
                     "dpsgd, oco_exp3: delta 0.001 is not below"));
}

TEST_F(CompareTraining, WritesALineForEachRunAndGroup) {
  request_.out_path = (folder_.path() / "out").string();
  const CompareReport report = compare_training(request_, silent_);
  EXPECT_EQ(report.files.size(), 3U);
  const std::string csv = compare_to_csv(report);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 5 * 2 * 3);
  EXPECT_THAT(csv, HasSubstr("\nsgd,,,0,sex,F,1,"));
  EXPECT_THAT(refusal(), HasSubstr("out"));
}

/// Those of small groups are null, not 0.
TEST_F(CompareTraining, CountsNoGroupWithFewHeldOutRecords) {
  request_.training.test_fraction = 0.1;
  request_.methods = {"sgd"};
  request_.epsilons = {};
  const CompareReport report = compare_training(request_, silent_);
  EXPECT_FALSE(report.groups[0].is_counted);
  EXPECT_TRUE(std::isnan(report.rows[0].gap.value));
  EXPECT_THAT(to_screen(compare_document(report)), HasSubstr("in some split: F"));
}

TEST_F(CompareTraining, RefusesBeforeAnyRun) {
  const CompareTrainingRequest good = request_;
  const auto refusal_of = [&](const std::function<void()>& change) {
    request_ = good;
    change();
    return refusal();
  };
  EXPECT_THAT(refusal_of([&] { request_.methods = {"dpsdg"}; }), HasSubstr("\"dpsgd\""));
  EXPECT_THAT(refusal_of([&] { request_.methods = {"sgd", "sgd"}; }), HasSubstr("sgd twice"));
  EXPECT_THAT(refusal_of([&] { request_.epsilons = {1, 0}; }), HasSubstr("> 0, got 0"));
  EXPECT_THAT(refusal_of([&] { request_.epsilons = {1, 1}; }), HasSubstr("holds 1 twice"));
  EXPECT_THAT(refusal_of([&] { request_.epsilons = {}; }), HasSubstr("--epsilon is missing"));
  EXPECT_THAT(refusal_of([&] { request_.methods = {"sgd"}; }), HasSubstr("has a guarantee"));
  // The one method that has such an option cannot do the task.
  EXPECT_THAT(refusal_of([&] {
                request_.methods = {"dpsgd", "sufficient_statistics"};
                request_.given = {"row_bound"};
              }),
              HasAll("row_bound has no effect", "not compared are:\n  sufficient_statistics: "));
  EXPECT_THAT(refusal_of([&] { request_.num_seeds = 0; }), HasSubstr("--seeds"));
  EXPECT_THAT(refusal_of([&] { request_.training.test_fraction = 0; }), HasSubstr("held out"));
}

/// Interrupts after some steps.
class InterruptedProgress final : public TrainProgress {
 public:
  void step_done(int64_t done) override { is_interrupted_ = done >= 70; }
  bool interrupted() const override { return is_interrupted_; }

 private:
  std::atomic<bool> is_interrupted_ = false;
};

TEST_F(CompareTraining, KeepsFinishedRunsWhenInterrupted) {
  const Json before = run();
  request_.runs_path = folder_.path() / "runs.jsonl";
  request_.threads = 1;
  InterruptedProgress stopped;
  EXPECT_ERROR(kRuntime, HasAll("interrupted", "runs.jsonl"), compare_training(request_, stopped));
  std::ifstream stream(request_.runs_path);
  EXPECT_EQ(Json::parse(stream).at("runs").size(), 2U);
  EXPECT_EQ(run(), before);
}

}  // namespace equinoise::compare_training_test
