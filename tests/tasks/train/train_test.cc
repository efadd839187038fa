// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "equinoise/audit/private_constraint_check.h"
#include "equinoise/audit/private_group_rates.h"
#include "equinoise/base/read_text.h"
#include "equinoise/constraints/few_records.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"
#include "tests/schema_text.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::train_test {

/// Is interrupted at a stage, or after so many steps.
class Interrupted final : public TrainProgress {
 public:
  explicit Interrupted(std::string stage) : stage_(std::move(stage)) {}
  explicit Interrupted(int64_t steps) : steps_(steps) {}
  void stage(const std::string& text) override {
    now_ |= !stage_.empty() && text.starts_with(stage_);
  }
  void step_done(int64_t done) override { now_ |= done == steps_; }
  bool interrupted() const override { return now_; }

 private:
  std::string stage_;
  int64_t steps_ = -1;
  bool now_ = false;
};

/// A small table with a group, a dropped record and its schema; the ledger is open.
class TrainTask : public ::testing::Test {
 protected:
  void SetUp() override {
    request.method = "dpsgd";
    std::string csv = "x,sex,y\n";
    for (int i = 0; i < 200; ++i) {
      csv +=
          std::to_string(i % 10) + (i % 3 == 0 ? ",F," : ",M,") + (i % 10 > 4 ? "yes\n" : "no\n");
    }
    csv += "?,F,no\n";
    request.data = folder.write_file("table.csv", csv).string();
    request.schema.path = folder.write_file(
        "schema.toml", schema_head("small", "y", 201) + group_size("sex = \"F\"", 68) +
                           numeric_section("x", 0, 9) + categorical_section("sex", {"F", "M"}) +
                           categorical_section("y", {"no", "yes"}));
    request.ledger_path = (folder.path() / "ledger").string();
    request.out_path = (folder.path() / "out").string();
    request.config.epsilon = 1;
    request.config.delta = 1e-4;
    request.batch_size = 30;
    request.num_steps = 40;
    request.groupings = {{"sex"}};
    Ledger::open_account(request.ledger_path, "small",
                         {Epsilon(1.2), Delta(1e-4), Relation::kZeroOut});
  }

  double spent() const {
    return Ledger(request.ledger_path).account("small").spent.epsilon.value();
  }
  std::vector<LedgerEntry> entries() const {
    return Ledger(request.ledger_path).account("small").entries;
  }
  void edit_schema(const std::string& from, const std::string& to) {
    std::string text = read_text(request.schema.path, "tests");
    text.replace(text.find(from), from.size(), to);
    request.schema.path = folder.write_file("edited.toml", text);
  }
  void keep_checkpoints() { request.checkpoint_path = (folder.path() / "run.checkpoint").string(); }
  std::string refused(ErrorKind kind) {
    return error_of(kind, [&] { train(request, silent); });
  }
  /// Stops at that step; the request then goes on from its checkpoint. Returns the message.
  std::string interrupt_at(int64_t step) {
    keep_checkpoints();
    Interrupted stop(step);
    std::string message = error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
    request.resume = true;
    return message;
  }

  TempFolder folder;
  TrainRequest request;
  TrainProgress silent;
};

/// Stops at the first step and remembers what the ledger said by then.
class StopAtFirstStep final : public TrainProgress {
 public:
  explicit StopAtFirstStep(std::string ledger) : ledger_(std::move(ledger)) {}
  void step_done(int64_t) override {
    spent = Ledger(ledger_).account("small").spent.epsilon.value();
    throw Error(ErrorKind::kRuntime, "tests", "stop");
  }
  double spent = 0;

 private:
  std::string ledger_;
};

TEST_F(TrainTask, TellsTheTruthPerGroup) {
  request.reference = true;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.status, PrivacyStatus::kPrivate);
  ASSERT_EQ(report.groups.size(), 2U);
  EXPECT_EQ(report.groups[0].public_size, 68);
  EXPECT_FALSE(report.groups[1].public_size);
  EXPECT_TRUE(report.groups[0].cost);
  EXPECT_EQ(report.groups[0].privacy->epsilon.value(), report.privacy->epsilon.value());
  EXPECT_EQ(report.groups[0].metrics->num_records + report.groups[1].metrics->num_records,
            report.overall.metrics->num_records);
  EXPECT_EQ(report.parameters.size(), 4U);
  EXPECT_EQ(spent(), report.privacy->epsilon.value());
  for (const std::string& file : report.files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

/// By plan, for reasons of predictions; unknown for steps that do not grow with their directions.
TEST_F(TrainTask, TellsTheNoiseOfParameters) {
  const auto noise = [&]() -> std::optional<double> {
    const TrainingSetup setup = set_up_training(request);
    const TrainingReport report = plan_training(request);
    const auto found =
        std::ranges::find(report.settings, kParameterNoise, &std::pair<std::string, double>::first);
    if (found == report.settings.end()) return std::nullopt;
    EXPECT_EQ(found->second, setup.method->noise_reach(setup.plan)->parameter_stddev);
    return found->second;
  };
  ASSERT_TRUE(noise());
  EXPECT_GT(*noise(), 0);
  request.network.hidden = {4};
  request.model = "mlp";
  EXPECT_FALSE(noise());
  request.network = {};
  request.model = "auto";
  request.config.optimizer.name = "adam";
  EXPECT_FALSE(noise());
}

/// Contributions are the model's parameters, under the names of columns and values.
TEST_F(TrainTask, ReportsTheTermsOfAnAdditiveModel) {
  request.method = "dpgam";
  request.num_steps.reset();
  edit_schema("bounds = [0, 9]", "bounds = [0, 9]\nmonotone = \"increasing\"");
  const TrainingReport report = train(request, silent);
  ASSERT_EQ(report.terms.size(), 2U);
  EXPECT_GE(report.terms[0].mean_size, report.terms[1].mean_size);
  for (const TermReport& term : report.terms) {
    double share = 0;
    for (const TermPart& part : term.parts) share += part.share;
    EXPECT_NEAR(share, 1, 1e-9);
    const bool is_number = term.parts[0].from.has_value();
    EXPECT_EQ(term.columns, std::vector<std::string>{is_number ? "x" : "sex"});
    EXPECT_EQ(term.monotone, is_number ? "increasing" : "");
    const auto parameter = is_number ? report.parameters.begin() : report.parameters.end() - 3;
    const TermPart& first = term.parts[0];
    EXPECT_EQ((first.at_start.empty() ? first.contributions : first.at_start)[0],
              parameter->second);
    EXPECT_EQ(first.values[0].substr(0, 5), is_number ? "0 to " : "F");
    EXPECT_EQ(term.parts.back().to, is_number ? std::optional(9.0) : std::nullopt);
  }
  EXPECT_NE(read_text(request.out_path + "/model_card.json", "tests").find("\"terms\""),
            std::string::npos);
}

TEST_F(TrainTask, ACardCountsThePaidFitsThatItMayBeChosenFrom) {
  request.config.epsilon = 0.3;
  for (const char* fits : {"", "one of 2 paid fits for y", "one of 3 paid fits for y"}) {
    request.out_path += "2";
    const TrainingReport report = train(request, silent);
    for (const std::string& card : {to_card(training_card(report)), card_to_json(report).dump(),
                                    card_to_json(report).at("deployment").dump()}) {
      EXPECT_THAT(card, HasSubstr(fits));
      EXPECT_EQ(card.find("paid fits") == card.npos, std::string(fits).empty());
    }
  }
}

TEST_F(TrainTask, PaysBeforeTheFirstStepAndGetsNothingBack) {
  StopAtFirstStep stop(request.ledger_path);
  EXPECT_THROW(train(request, stop), Error);
  EXPECT_GT(stop.spent, 0.9);
  EXPECT_EQ(spent(), stop.spent);
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

TEST_F(TrainTask, MayBeStoppedForFreeUpToTheReservation) {
  request.reference = true;
  for (const char* stage : {"reading", "training the non-private", "reserving"}) {
    Interrupted stop{std::string(stage)};
    error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
    EXPECT_EQ(spent(), 0) << stage;
    EXPECT_FALSE(std::filesystem::exists(request.out_path)) << stage;
  }
}

TEST_F(TrainTask, AnInterruptedRunSaysThatItsCostStaysSpent) {
  Interrupted stop(7);
  EXPECT_ERROR(kRuntime, HasSubstr("stays spent"), train(request, stop));
  EXPECT_GT(spent(), 0.9);
}

TEST_F(TrainTask, GoesOnFromACheckpointWithoutPayingAgain) {
  EXPECT_THAT(interrupt_at(7), HasSubstr("--resume"));
  const double paid = spent();
  EXPECT_EQ(entries()[0].progress->num_done, 8);
  // Not again by accident.
  request.resume = false;
  refused(ErrorKind::kUsage);
  request.resume = true;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(spent(), paid);
  EXPECT_EQ(report.ledger->spent_after.epsilon.value(), paid);
  EXPECT_EQ(entries().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(request.checkpoint_path));
  EXPECT_TRUE(std::filesystem::exists(request.out_path));
  // The run is over: there is nothing left to go on with.
  request.out_path += "2";
  refused(ErrorKind::kUsage);
}

/// A look may take minutes: it ends, the step is taken and kept.
TEST_F(TrainTask, ALookAtRisksIsInterrupted) {
  class InterruptedByQuestions final : public TrainProgress {
   public:
    void start_training(int64_t, int64_t, const std::function<double(int64_t)>&) override {
      is_training_ = true;
    }
    bool interrupted() const override { return is_training_ && ++num_questions_ >= 3; }

   private:
    bool is_training_ = false;
    mutable std::atomic<int> num_questions_ = 0;
  };
  keep_checkpoints();
  request.explain_every = 1;
  InterruptedByQuestions stop;
  EXPECT_ERROR(kRuntime, HasSubstr("--resume"), train(request, stop));
  EXPECT_EQ(entries()[0].progress->num_done, 1);
}

TEST_F(TrainTask, AnOldCopyOfACheckpointIsRefused) {
  interrupt_at(7);
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy(request.checkpoint_path, copy);
  train(request, silent);
  std::filesystem::rename(copy, request.checkpoint_path);
  request.out_path += "2";
  refused(ErrorKind::kLedger);
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

TEST_F(TrainTask, AnInterruptedSeededRunEndsAsIfItHadNotBeen) {
  request.insecure_seed = 5;
  const TrainingReport whole = train(request, silent);
  request.force = true;
  interrupt_at(23);
  EXPECT_EQ(train(request, silent).parameters, whole.parameters);
}

TEST_F(TrainTask, ACheckpointIsForTheSameRunOnly) {
  interrupt_at(7);
  TrainRequest other = request;
  other.config.learning_rate = 0.1;
  EXPECT_ERROR(kUsage, HasSubstr("learning_rate"), train(other, silent));
  other = request;
  other.split_seed = 3;
  error_of(ErrorKind::kUsage, [&] { train(other, silent); });
  other = request;
  other.checkpoint_path.clear();
  error_of(ErrorKind::kUsage, [&] { train(other, silent); });
  EXPECT_NO_THROW(train(request, silent));
}

TEST_F(TrainTask, FollowsTheHeldOutLoss) {
  request.reference = true;
  const TrainingReport report = train(request, silent);
  ASSERT_GT(report.curve.size(), 10U);
  EXPECT_EQ(report.curve.back().step, 40);
  // All held-out records fit into the curve's sample, so its end is the loss of the report.
  EXPECT_NEAR(report.curve.back().loss, report.overall.metrics->loss.value, 1e-12);
  EXPECT_NEAR(report.reference_curve.back().loss, report.overall.reference->loss.value, 1e-12);
}

TEST_F(TrainTask, AnUnreviewedSchemaPassesForPublicDataOnlyAndIsStamped) {
  edit_schema("reviewed = true", "reviewed = false");
  refused(ErrorKind::kUsage);
  request.public_data = true;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.status, PrivacyStatus::kNotPrivate);
  EXPECT_FALSE(report.schema_reviewed);
  // The noise was drawn and is paid for all the same.
  EXPECT_GT(spent(), 0.9);
}

TEST_F(TrainTask, LearnsANumberWithTheLinearModel) {
  edit_schema("target = \"y\"", "target = \"x\"");
  request.reference = true;
  request.config.noise_multiplier = 1;
  request.config.epsilon.reset();
  request.insecure_seed = 5;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.model, "linear");
  EXPECT_TRUE(report.classes.empty());
  // y tells whether x is above 4: the error is far below the 2.9 of a constant.
  EXPECT_LT(report.overall.reference->rmse.value, 2);
  EXPECT_TRUE(std::isnan(report.overall.metrics->accuracy.value));
}

/// Targets are 0 and 1 where they are clamped: a steep line leaves them by far.
TEST_F(TrainTask, JudgesNumbersWithinTheirBounds) {
  edit_schema("target = \"y\"", "target = \"x\"");
  request.reference = true;
  request.insecure_seed = 5;
  request.config.learning_rate = 1000;  // clipped: wild, but finite
  request.config.final_learning_rate = 1000;
  const TrainingReport report = train(request, silent);
  const ColumnSchema x = load_schema(request.schema).column("x");
  EXPECT_LE(report.overall.metrics->rmse.value, x.upper - x.lower);
  EXPECT_LE(report.curve.back().loss, 0.5);  // of the scale 0 to 1
  EXPECT_THAT(report.ingest_notes, Contains(HasSubstr("predictions of the model lay beyond the "
                                                      "bounds of the target")));
}

/// Without clipping plain SGD diverges on squared losses at rates that suit the clipped run.
TEST_F(TrainTask, AReferenceThatDivergesIsTrainedAtASmallerRate) {
  edit_schema("target = \"y\"", "target = \"x\"");
  request.reference = true;
  request.insecure_seed = 5;
  request.config.learning_rate = 40;
  request.config.final_learning_rate = 4;
  const TrainingReport report = train(request, silent);
  EXPECT_LT(report.overall.reference->rmse.value, 3);
  EXPECT_THAT(report.ingest_notes, Contains(HasSubstr("diverged at learning rate 40")));
}

/// Not a warning of the plan or the model card: it follows from the records.
TEST_F(TrainTask, TellsTheClassAndTheGroupThatNoTrainingRecordIsOf) {
  request.insecure_seed = 5;
  EXPECT_THAT(train(request, silent).ingest_notes, Not(Contains(HasSubstr("no training record"))));
  std::string csv = "x,sex,y\n";
  for (int i = 0; i < 201; ++i) csv += std::to_string(i % 10) + ",M,yes\n";
  request.data = folder.write_file("table.csv", csv).string();
  request.out_path.clear();
  const TrainingReport report = train(request, silent);
  EXPECT_THAT(
      report.ingest_notes,
      Contains("there are no training records of class no, so the model learns nothing about it"));
  EXPECT_THAT(
      report.ingest_notes,
      Contains("there are no training records of group F, so the model learns nothing about it"));
  EXPECT_THAT(report.warnings, Not(Contains(HasSubstr("no training record"))));
}

/// Groups of a report need no names of their own: "x,y" and "z" reads as "x" and "y,z" does.
TEST_F(TrainTask, OfManyGroupsWithoutRecordsTheFirstAreNamed) {
  request.schema.path =
      folder.write_file("wide.toml", schema_head("wide", "y", 201) + numeric_section("x", 0, 9) +
                                         categorical_section("a", {"x", "x,y", "w"}) +
                                         categorical_section("b", {"y,z", "z", "w"}) +
                                         categorical_section("y", {"no", "yes"}));
  std::string csv = "x,a,b,y\n";
  for (int i = 0; i < 201; ++i)
    csv += std::to_string(i % 10) + ",w,w," + (i % 2 == 0 ? "no" : "yes") + "\n";
  request.data = folder.write_file("wide.csv", csv).string();
  request.insecure_seed = 5;
  request.out_path.clear();
  request.groupings = {{"a", "b"}};
  EXPECT_THAT(train(request, silent).ingest_notes,
              Contains("there are no training records of group x,y,z; x,z; x,w; x,y,y,z; x,y,z "
                       "and 3 more, so the model learns nothing about them"));
}

TEST_F(TrainTask, WarnsWhenThePaidModelWouldBeLost) {
  request.out_path.clear();
  EXPECT_FALSE(train(request, silent).warnings.empty());
}

TEST_F(TrainTask, WarnsOfADeltaThatIsTooLarge) {
  request.config.delta = 0.01;
  EXPECT_FALSE(plan_training(request).warnings.empty());
}

TEST_F(TrainTask, WarnsWhenTheLedgerKeepsItsAccountAtAnotherDelta) {
  EXPECT_TRUE(plan_training(request).warnings.empty());
  request.config.delta = 1e-5;
  EXPECT_FALSE(plan_training(request).warnings.empty());
  EXPECT_FALSE(train(request, silent).owner_warnings.empty());
}

/// Runs under a constraint, of which the account holds three: with a private evaluation, which is
/// the default.
class PrivateEvaluation : public TrainTask {
 protected:
  void SetUp() override {
    TrainTask::SetUp();
    request.method = "raco_dp";
    request.constraints = {"demographic_parity:sex:0.2"};
    request.config.epsilon = 0.4;
  }
  /// Ends with the state after `steps` steps in the checkpoint.
  void interrupt_after(int64_t steps) {
    interrupt_at(steps - 1);
    ASSERT_EQ(entries().back().progress->num_done, steps);
  }
  /// Returns the table as it was.
  std::string swap_first_rows() const {
    std::ifstream stream(request.data.path());
    const std::string table{std::istreambuf_iterator<char>(stream), {}};
    const size_t first = table.find('\n') + 1;
    const size_t second = table.find('\n', first) + 1;
    const size_t third = table.find('\n', second) + 1;
    folder.write_file("table.csv", table.substr(0, first) + table.substr(second, third - second) +
                                       table.substr(first, second - first) + table.substr(third));
    return table;
  }
  static bool says_that_there_is_none(const TrainingReport& report) {
    return std::ranges::any_of(report.warnings, [](const auto& warning) {
      return warning.starts_with("there is no private evaluation");
    });
  }
};

TEST_F(PrivateEvaluation, IsPartOfTheOneSpendAndCostsNothingMore) {
  const TrainingReport plan = plan_training(request);
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(spent(), plan.ledger->spent_after.epsilon.value());
  EXPECT_EQ(spent(), report.privacy->epsilon.value());
  ASSERT_EQ(entries().size(), 1U);
  ASSERT_EQ(entries()[0].events.size(), 1U);
  const Event paid = entries()[0].events[0];
  EXPECT_EQ(paid.kind(), Event::Kind::kParallel);
  EXPECT_EQ(paid.events()[1], Event::discrete_gaussian(*report.evaluation_noise_stddev, 1));
  ASSERT_EQ(report.costs.size(), 3U);
  EXPECT_EQ(report.costs[2].event, paid.events()[1]);
  for (const TrainingReport* of : {&plan, &report}) {
    EXPECT_EQ(of->evaluation_cost->with.value(), spent());
    EXPECT_EQ(of->evaluation_cost->without.value(), spent());
    EXPECT_EQ(of->evaluation_cost->before.value(), 0);
    EXPECT_EQ(of->why_not_evaluated, "");
  }
  for (size_t j = 0; j < report.constraints.size(); ++j) {
    ASSERT_TRUE(report.constraints[j].private_check) << j;
    EXPECT_EQ(report.constraints[j].private_check->slack, 0.2);
    EXPECT_FALSE(plan.constraints[j].private_check);
  }
  request.private_evaluation = false;
  request.out_path.clear();  // is taken now
  const TrainingReport without = plan_training(request);
  EXPECT_EQ(without.privacy->epsilon.value(), report.privacy->epsilon.value());
  EXPECT_EQ(without.by_rdp->epsilon.value(), report.by_rdp->epsilon.value());
  EXPECT_FALSE(without.evaluation_noise_stddev);
  EXPECT_FALSE(without.evaluation_cost);
}

/// Accuracy and errors of groups, of any private classifier: charged with the run, in card and
/// model.
TEST_F(PrivateEvaluation, OfGroupsIsPaidForWithoutAnyConstraint) {
  request.method = "dpsgd";
  request.constraints.clear();
  const TrainingReport without = plan_training(request);
  EXPECT_FALSE(without.evaluation_noise_stddev) << "nobody asked for it";
  request.private_evaluation = true;
  request.groupings = {{"sex"}};
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.privacy->epsilon.value(), without.privacy->epsilon.value());
  ASSERT_EQ(entries().size(), 1U);
  const Event paid = entries()[0].events[0];
  EXPECT_EQ(paid.kind(), Event::Kind::kParallel);
  EXPECT_EQ(paid.events()[1], Event::discrete_gaussian(*report.evaluation_noise_stddev, 1));
  EXPECT_EQ(spent(), report.evaluation_cost->with.value());
  ASSERT_TRUE(report.overall.private_rates);
  for (const GroupReport& group : report.groups) EXPECT_TRUE(group.private_rates);
  for (const nlohmann::ordered_json& json : {card_to_json(report), model_to_json(report)})
    EXPECT_EQ(json.at("private_rates").at("groups").size(), report.groups.size());
}

/// What plan says that it adds to a later entry is what the ledger then takes.
TEST_F(PrivateEvaluation, WhatItAddsToALaterEntryIsSaidBefore) {
  train(request, silent);
  const double before = spent();
  request.out_path += "2";
  request.config.epsilon.reset();
  request.config.noise_multiplier = 12;
  request.evaluation_noise = 7;
  const TrainingReport plan = plan_training(request);
  ASSERT_TRUE(plan.evaluation_cost);
  EXPECT_EQ(plan.evaluation_cost->before.value(), before);
  TrainRequest without = request;
  without.evaluation_noise.reset();
  without.private_evaluation = false;
  EXPECT_EQ(plan.evaluation_cost->without.value(),
            plan_training(without).ledger->spent_after.epsilon.value());
  train(request, silent);
  EXPECT_EQ(plan.evaluation_cost->with.value(), spent());
  EXPECT_GT(spent(), plan.evaluation_cost->without.value());
}

/// The noise is so little that the evaluation costs more than the training.
TEST_F(PrivateEvaluation, IsNamedWhereItAloneDoesNotFit) {
  request.config.epsilon.reset();
  request.config.noise_multiplier = 6;
  request.evaluation_noise = 0.5;
  const auto named = HasSubstr("only without its private evaluation");
  EXPECT_ERROR(kBudget, named, train(request, silent));
  EXPECT_THAT(plan_training(request).warnings.back(), named);
  request.config.noise_multiplier = 0.5;
  EXPECT_ERROR(kBudget, Not(named), train(request, silent));
  EXPECT_EQ(spent(), 0);
}

/// Whatever says why, there is nothing to read as an evaluation.
TEST_F(PrivateEvaluation, WhereThereIsNoneTheCardSaysWhy) {
  const auto expect_none = [&](const std::string& why, const std::function<void()>& change) {
    const TrainRequest usual = request;
    change();
    request.out_path = (folder.path() / why.substr(0, 4)).string();
    EXPECT_EQ(plan_training(request).why_not_evaluated, why);
    const TrainingReport report = train(request, silent);
    EXPECT_EQ(report.why_not_evaluated, why);
    EXPECT_FALSE(report.evaluation_noise_stddev);
    for (const ConstraintReport& constraint : report.constraints)
      EXPECT_FALSE(constraint.private_check);
    EXPECT_THAT(to_card(training_card(report)),
                HasSubstr("Private evaluation: none, because " + why));
    request = usual;
  };
  expect_none("--no-private-evaluation left it out", [&] { request.private_evaluation = false; });
  expect_none("no records are held out (--test-fraction)", [&] { request.test_fraction = 0; });
  expect_none("sgda has no guarantee", [&] {
    request.method = "sgda";
    request.config.epsilon.reset();
  });
}

TEST_F(PrivateEvaluation, EachRunDividesItsRecordsUnderANameOfItsOwn) {
  train(request, silent);
  const double one = spent();
  request.out_path += "2";
  train(request, silent);
  const Event first = entries()[0].events[0];
  const Event second = entries()[1].events[0];
  EXPECT_NE(first.partition(), second.partition());
  EXPECT_NE(first.partition(), kPlannedSplit);
  EXPECT_EQ(first.events(), second.events());
  EXPECT_GT(spent(), one);
}

/// By the declared size: of 201 records 68 are women, and 50 are held out.
TEST_F(PrivateEvaluation, WarnsOfAGroupThatIsLostInItsNoise) {
  const auto warned_of = [&](const std::string& rate) {
    const TrainingReport plan = plan_training(request);
    return std::ranges::any_of(plan.warnings, [&](const auto& warning) {
      return warning.starts_with(rate + ": about 16.9 such records are held out");
    });
  };
  EXPECT_TRUE(warned_of("P(yes | sex=F)"));
  EXPECT_FALSE(warned_of("P(yes | sex=M)")) << "its size is not declared";
  request.config.epsilon = 20;
  EXPECT_FALSE(warned_of("P(yes | sex=F)"));
}

/// A rate among the positive is about these, not about all of the group.
TEST_F(PrivateEvaluation, WarnsOfALabelThatIsLostInTheNoise) {
  const auto warnings_of = [&](int64_t num_positive, std::optional<int64_t> declared) {
    std::ifstream stream(request.schema.path);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (declared) {
      text =
          testing::with(text, "[columns.x]",
                        "[[public.groups]]\ngroup = { sex = \"F\", y = \"yes\" }\nnum_records = " +
                            std::to_string(*declared) + "\n[columns.x]");
    }
    TrainRequest changed = request;
    changed.schema.path = folder.write_file(std::to_string(num_positive) + ".toml", text);
    changed.constraints = {"fnr:sex=F:0.2"};
    changed.config.epsilon = 20;  // the group by itself stands out
    return plan_training(changed).warnings;
  };
  const char* rate = "P(no | sex=F, label=yes)";
  EXPECT_THAT(warnings_of(1, 2), Contains(HasAll(rate, "about 0.498 such")));
  EXPECT_THAT(warnings_of(2, 60), Not(Contains(HasSubstr("held out, and the noise"))));
  // Where it is not public the warning says so.
  EXPECT_THAT(warnings_of(3, std::nullopt), Contains(HasAll("is not public", ": F ")));
}

/// A group of twice the size needs half the share.
TEST(FewRecords, EachGroupHasTheShareThatItNeeds) {
  const Schema schema = parse_schema(
      schema_head("d", "y", 900) + group_sizes("sex", {{"F", 200}, {"M", 400}}) +
          categorical_section("sex", {"F", "M", "X"}) + categorical_section("y", {"no", "yes"}),
      "test");
  const RateProgram program =
      group_rate_program({{{"sex", "M"}}, {{"sex", "F"}}, {{"sex", "X"}}}, 2);
  const std::vector<std::string> warnings =
      few_records_warnings(schema, program.rates, 900, 2, "held out", "little shows");
  // 10 times the noise of two cells: 28 records of 200, of 400 and of 900, whose sum has more
  // cells.
  EXPECT_THAT(warnings, ElementsAre(HasAll("too few are held out",
                                           ": F 14 %; M 7.1 %; overall 5.4 %; declare")));
}

TEST_F(PrivateEvaluation, ANoiseOfItsOwnIsPaidForToo) {
  request.config.epsilon.reset();
  request.config.noise_multiplier = 6;
  request.evaluation_noise = 3;
  const TrainingReport dear = plan_training(request);
  EXPECT_EQ(dear.privacy->epsilon.value(),
            smallest_guarantee(Relation::kZeroOut, {Event::discrete_gaussian(3, 1)}, Delta(1e-4))
                .epsilon.value());
  request.evaluation_noise = 1000;
  const TrainingReport cheap = plan_training(request);
  EXPECT_EQ(cheap.evaluation_noise_stddev, 1000);
  EXPECT_LT(cheap.privacy->epsilon.value(), dear.privacy->epsilon.value());
  request.private_evaluation = false;
  request.evaluation_noise.reset();
  EXPECT_EQ(plan_training(request).privacy->epsilon.value(), cheap.privacy->epsilon.value());
}

TEST_F(PrivateEvaluation, WhatCannotBeIsRefusedBeforeAnythingHappens) {
  const auto expect_refused = [&](const std::string& part, const auto& change) {
    TrainRequest wrong = request;
    change(wrong);
    const std::string message = error_of(ErrorKind::kUsage, [&] { train(wrong, silent); });
    EXPECT_THAT(message, HasSubstr(part));
    EXPECT_EQ(error_of(ErrorKind::kUsage, [&] { plan_training(wrong); }), message);
    EXPECT_EQ(spent(), 0);
  };
  for (const char* method : {"sgd", "sgda"}) {
    expect_refused(std::string(method) + " has no guarantee", [&](TrainRequest& wrong) {
      wrong.method = method;
      if (wrong.method == "sgd") wrong.constraints.clear();
      wrong.config.epsilon.reset();
      wrong.private_evaluation = true;
    });
  }
  expect_refused("leaves out the private evaluation of constraints, but there are none",
                 [](TrainRequest& wrong) {
                   wrong.method = "dpsgd";
                   wrong.constraints.clear();
                   wrong.private_evaluation = false;
                 });
  expect_refused("needs held-out records", [](TrainRequest& wrong) {
    wrong.test_fraction = 0;
    wrong.evaluation_noise = 9;
  });
  expect_refused("needs held-out records", [](TrainRequest& wrong) {
    wrong.test_fraction = 0;
    wrong.private_evaluation = true;
  });
  for (const auto& [noise, part] : {std::pair{0.0, "evaluation_noise"},
                                    {std::nan(""), "evaluation_noise"},
                                    {0.5, "above the allowed 0.4"}})
    expect_refused(part,
                   [&, noise = noise](TrainRequest& wrong) { wrong.evaluation_noise = noise; });
  expect_refused("which --no-private-evaluation leaves out", [](TrainRequest& wrong) {
    wrong.private_evaluation = false;
    wrong.evaluation_noise = 9;
  });
}

TEST_F(PrivateEvaluation, IsDrawnByARunThatGoesOnFromAnEarlierState) {
  interrupt_after(8);
  const std::string name = entries()[0].events[0].partition();
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy(request.checkpoint_path, copy);
  const TrainingReport report = train(request, silent);
  EXPECT_TRUE(report.constraints[0].private_check);
  EXPECT_FALSE(says_that_there_is_none(report));
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(entries()[0].events[0].partition(), name);
  // A second time from a copy of the state: the run has gone on.
  std::filesystem::rename(copy, request.checkpoint_path);
  request.out_path += "2";
  refused(ErrorKind::kLedger);
}

/// Who was trained on would be held out: a record would lose the sum of both costs.
TEST_F(PrivateEvaluation, GoesOnWithTheSameTableAlone) {
  interrupt_after(8);
  const double paid = spent();
  const std::string table = swap_first_rows();
  EXPECT_ERROR(kUsage, HasSubstr("run on another table"), train(request, silent));
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
  folder.write_file("table.csv", table);
  EXPECT_TRUE(train(request, silent).constraints[0].private_check);
  EXPECT_EQ(spent(), paid);
}

/// Without an evaluation every step costs the same, whoever stands where.
TEST_F(PrivateEvaluation, OthersGoOnWithAnyTable) {
  request.private_evaluation = false;
  interrupt_after(8);
  swap_first_rows();
  train(request, silent);
}

TEST_F(PrivateEvaluation, IsNotDrawnAgainAfterTheLastState) {
  interrupt_after(40);
  const double paid = spent();
  for (const char* attempt : {"first", "second"}) {
    const std::filesystem::path copy = folder.path() / "copy";
    std::filesystem::copy(request.checkpoint_path, copy);
    request.out_path = (folder.path() / attempt).string();
    const TrainingReport report = train(request, silent);
    EXPECT_TRUE(says_that_there_is_none(report)) << attempt;
    EXPECT_THAT(to_card(training_card(report)), HasSubstr("was resumed from its last state"));
    EXPECT_TRUE(report.constraints[0].check);
    for (const ConstraintReport& constraint : report.constraints)
      EXPECT_FALSE(constraint.private_check) << attempt;
    std::filesystem::rename(copy, request.checkpoint_path);
  }
  EXPECT_EQ(spent(), paid);
  // Nor is it there for another noise: that would be another run.
  request.evaluation_noise = 50;
  refused(ErrorKind::kUsage);
}

/// Other groups cost the same.
TEST_F(PrivateEvaluation, AResumedRunAsksWhatItWasStartedWith) {
  request.method = "dpsgd";
  request.constraints.clear();
  request.private_evaluation = true;
  interrupt_after(8);
  const auto groupings = std::exchange(request.groupings, {});
  EXPECT_ERROR(kUsage, HasSubstr("its evaluation differs"), train(request, silent));
  request.groupings = groupings;
  request.private_evaluation.reset();
  refused(ErrorKind::kUsage);
  request.private_evaluation = true;
  EXPECT_TRUE(train(request, silent).groups[0].private_rates);
}

TEST_F(PrivateEvaluation, OfASeededRunIsTheSameAgainHoweverItWasInterrupted) {
  request.insecure_seed = 5;
  request.config.epsilon = 30;  // little noise, so that there is something to compare
  request.out_path.clear();
  const TrainingReport whole = train(request, silent);
  EXPECT_FALSE(whole.privacy);
  const Interval expected = whole.constraints[0].private_check->value.interval;
  ASSERT_FALSE(std::isnan(expected.low));
  for (const int64_t steps : {23, 39}) {
    request.resume = false;
    interrupt_at(steps);
    const TrainingReport resumed = train(request, silent);
    EXPECT_EQ(resumed.constraints[0].private_check->value.interval.low, expected.low);
    EXPECT_EQ(resumed.constraints[0].private_check->value.interval.high, expected.high);
  }
  EXPECT_EQ(spent(), 0);
}

TEST_F(TrainTask, HoldsNothingBackOnRequest) {
  request.test_fraction = 0;
  EXPECT_FALSE(train(request, silent).overall.metrics);
}

}  // namespace equinoise::train_test
