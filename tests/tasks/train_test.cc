#include "equinoise/tasks/train.h"

#include <gtest/gtest.h>

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
    request.schema_path = folder
                              .write_file("schema.toml", R"(schema = "equinoise/1"
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
)")
                              .string();
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
  EXPECT_TRUE(report.groups[0].accuracy_cost);
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

/// Stops at the stage that announces the reservation.
class StopBeforeReserving final : public TrainProgress {
 public:
  void stage(const std::string& text) override {
    if (text.starts_with("reserving")) throw Error(ErrorKind::kRuntime, "tests", "stop");
  }
};

TEST_F(TrainTask, MayBeStoppedForFreeUpToTheReservation) {
  request.reference = true;
  StopBeforeReserving stop;
  error_of(ErrorKind::kRuntime, [&] { train(request, stop); });
  EXPECT_EQ(spent(), 0);
  EXPECT_FALSE(std::filesystem::exists(request.out_path));
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
