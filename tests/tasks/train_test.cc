#include "equinoise/tasks/train.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/test_support.h"

namespace equinoise {
namespace {

/// A small table with a group, a dropped record and its schema; the ledger is open.
class TrainTask : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string csv = "x,sex,y\n";
    for (int i = 0; i < 200; ++i) {
      csv +=
          std::to_string(i % 10) + (i % 3 == 0 ? ",F," : ",M,") + (i % 10 > 4 ? "yes\n" : "no\n");
    }
    csv += "?,F,no\n";
    request.data_path = folder.write_file("table.csv", csv).string();
    request.schema.path = folder.write_file("schema.toml", R"(schema = "equinoise/1"
dataset = "small"
reviewed = true
target = "y"
[public]
num_records = 201
[[public.groups]]
group = { sex = "F" }
num_records = 68
[columns.x]
type = "numeric"
bounds = [0, 9]
[columns.sex]
type = "categorical"
values = ["F", "M"]
[columns.y]
type = "categorical"
values = ["no", "yes"]
)");
    request.ledger_path = (folder.path() / "ledger").string();
    request.out_path = (folder.path() / "out").string();
    request.config.epsilon = 1;
    request.config.delta = 1e-4;
    request.config.batch_size = 30;
    request.config.num_steps = 40;
    request.groupings = {{"sex"}};
    Ledger::open_account(request.ledger_path, "small",
                         {Epsilon(1.2), Delta(1e-4), Relation::kZeroOut});
  }

  double spent() const {
    return Ledger(request.ledger_path).account("small").spent.epsilon.value();
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
  EXPECT_EQ(report.status, "private");
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

TEST_F(TrainTask, PaysBeforeTheFirstStepAndGetsNothingBack) {
  StopAtFirstStep stop(request.ledger_path);
  EXPECT_THROW(train(request, stop), Error);
  EXPECT_GT(stop.spent, 0.9);
  EXPECT_EQ(spent(), stop.spent);
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

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
  const std::string message = error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  EXPECT_NE(message.find("stays spent"), std::string::npos) << message;
  EXPECT_GT(spent(), 0.9);
}

TEST_F(TrainTask, GoesOnFromACheckpointWithoutPayingAgain) {
  request.checkpoint_path = (folder.path() / "run.checkpoint").string();
  Interrupted stop(7);
  const std::string message = error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  EXPECT_NE(message.find("--resume"), std::string::npos) << message;
  const double paid = spent();
  EXPECT_EQ(Ledger(request.ledger_path).account("small").entries[0].progress->num_done, 8);
  // Not again by accident.
  error_of(ErrorKind::kUsage, [&] { train(request, silent); });
  request.resume = true;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(spent(), paid);
  EXPECT_EQ(report.ledger->spent_after.epsilon.value(), paid);
  EXPECT_EQ(Ledger(request.ledger_path).account("small").entries.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(request.checkpoint_path));
  EXPECT_TRUE(std::filesystem::exists(request.out_path));
  // The run is over: there is nothing left to go on with.
  request.out_path += "2";
  error_of(ErrorKind::kUsage, [&] { train(request, silent); });
}

TEST_F(TrainTask, AnOldCopyOfACheckpointIsRefused) {
  request.checkpoint_path = (folder.path() / "run.checkpoint").string();
  Interrupted stop(7);
  error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  const std::filesystem::path copy = folder.path() / "copy";
  std::filesystem::copy(request.checkpoint_path, copy);
  request.resume = true;
  train(request, silent);
  std::filesystem::rename(copy, request.checkpoint_path);
  request.out_path += "2";
  error_of(ErrorKind::kLedger, [&] { train(request, silent); });
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

TEST_F(TrainTask, AnInterruptedSeededRunEndsAsIfItHadNotBeen) {
  request.insecure_seed = 5;
  const TrainingReport whole = train(request, silent);
  request.force = true;
  request.checkpoint_path = (folder.path() / "run.checkpoint").string();
  Interrupted stop(23);
  error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  request.resume = true;
  EXPECT_EQ(train(request, silent).parameters, whole.parameters);
}

TEST_F(TrainTask, ACheckpointIsForTheSameRunOnly) {
  request.checkpoint_path = (folder.path() / "run.checkpoint").string();
  Interrupted stop(7);
  error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  request.resume = true;
  TrainRequest other = request;
  other.config.learning_rate = 0.1;
  const std::string message = error_of(ErrorKind::kUsage, [&] { train(other, silent); });
  EXPECT_NE(message.find("learning_rate"), std::string::npos) << message;
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
  std::ifstream file(request.schema.path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("reviewed = true"), 15, "reviewed = false");
  request.schema.path = folder.write_file("draft.toml", text);
  error_of(ErrorKind::kUsage, [&] { train(request, silent); });
  request.public_data = true;
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.status, "not private");
  EXPECT_FALSE(report.schema_reviewed);
  // The noise was drawn and is paid for all the same.
  EXPECT_GT(spent(), 0.9);
}

TEST_F(TrainTask, LearnsANumberWithTheLinearModel) {
  std::ifstream file(request.schema.path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("target = \"y\""), 12, "target = \"x\"");
  request.schema.path = folder.write_file("number.toml", text);
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

/// Without clipping plain SGD diverges on squared losses at rates that suit the clipped run.
TEST_F(TrainTask, AReferenceThatDivergesIsTrainedAtASmallerRate) {
  std::ifstream file(request.schema.path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  text.replace(text.find("target = \"y\""), 12, "target = \"x\"");
  request.schema.path = folder.write_file("number.toml", text);
  request.reference = true;
  request.insecure_seed = 5;
  request.config.learning_rate = 40;
  request.config.final_learning_rate = 4;
  const TrainingReport report = train(request, silent);
  EXPECT_LT(report.overall.reference->rmse.value, 3);
  ASSERT_FALSE(report.ingest_notes.empty());
  EXPECT_NE(report.ingest_notes.back().find("diverged at learning rate 40"), std::string::npos);
}

TEST_F(TrainTask, WarnsWhenThePaidModelWouldBeLost) {
  request.out_path.clear();
  EXPECT_FALSE(train(request, silent).warnings.empty());
}

TEST_F(TrainTask, SpendsNothingWhenTheDataOrTheOutputAreWrong) {
  TrainRequest wrong = request;
  wrong.data_path = (folder.path() / "missing.csv").string();
  error_of(ErrorKind::kInput, [&] { train(wrong, silent); });
  wrong = request;
  wrong.out_path = folder.path().string();
  error_of(ErrorKind::kUsage, [&] { train(wrong, silent); });
  wrong = request;
  wrong.groupings = {{"age"}};
  error_of(ErrorKind::kUsage, [&] { train(wrong, silent); });
  wrong = request;
  wrong.groupings = {{"sex"}, {"sex"}};
  error_of(ErrorKind::kUsage, [&] { train(wrong, silent); });
  EXPECT_EQ(spent(), 0);
}

TEST_F(TrainTask, RefusesASecondRunBeyondTheBudget) {
  train(request, silent);
  const double before = spent();
  request.out_path += "2";
  error_of(ErrorKind::kBudget, [&] { train(request, silent); });
  EXPECT_EQ(spent(), before);
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
}

TEST_F(TrainTask, PlanningSpendsNothingAndPredictsWhatTrainingSpends) {
  const TrainingReport plan = plan_training(request);
  EXPECT_EQ(spent(), 0);
  ASSERT_TRUE(plan.ledger);
  train(request, silent);
  EXPECT_EQ(spent(), plan.ledger->spent_after.epsilon.value());
}

TEST_F(TrainTask, AnInsecureRunIsStampedAndFree) {
  request.insecure_seed = 5;
  const TrainingReport first = train(request, silent);
  EXPECT_EQ(first.status, "insecure rng");
  EXPECT_FALSE(first.privacy);
  EXPECT_FALSE(first.groups[0].privacy);
  request.out_path.clear();
  EXPECT_EQ(train(request, silent).parameters, first.parameters);
  EXPECT_EQ(spent(), 0);
}

TEST_F(TrainTask, WarnsOfADeltaThatIsTooLarge) {
  request.config.delta = 0.01;
  EXPECT_FALSE(plan_training(request).warnings.empty());
}

TEST_F(TrainTask, WarnsWhenTheLedgerKeepsItsAccountAtAnotherDelta) {
  EXPECT_TRUE(plan_training(request).warnings.empty());
  request.config.delta = 1e-5;
  EXPECT_FALSE(plan_training(request).warnings.empty());
  EXPECT_FALSE(train(request, silent).warnings.empty());
}

TEST_F(TrainTask, TheNonPrivateMethodNeedsNoLedger) {
  request.method = "sgd";
  request.config.epsilon.reset();
  request.ledger_path = (folder.path() / "none").string();
  const TrainingReport report = train(request, silent);
  EXPECT_EQ(report.status, "not private");
  EXPECT_FALSE(report.privacy);
}

TEST_F(TrainTask, HoldsNothingBackOnRequest) {
  request.test_fraction = 0;
  EXPECT_FALSE(train(request, silent).overall.metrics);
}

}  // namespace
}  // namespace equinoise
