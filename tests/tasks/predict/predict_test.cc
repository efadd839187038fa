// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/predict/predict.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::predict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kSmallSchema;
using testing::kSmallTable;
using testing::kYesAboveMiddle;
using ::testing::Not;
using testing::small_model;
using ::testing::StartsWith;
using testing::with;

using Lines = std::vector<std::string>;

class PredictTask : public ::testing::Test {
 protected:
  void SetUp() override {
    save_model(kSmallSchema, kYesAboveMiddle);
    request.data = folder.write_file("table.csv", kSmallTable);
    request.out_path = folder.path() / "predictions.csv";
  }

  void save_model(const std::string& schema, const std::vector<double>& parameters) {
    request.model_path = folder.write_file("model.json", small_model(schema, parameters).dump());
  }

  Lines written() const {
    std::ifstream stream(request.out_path);
    Lines lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  size_t num_files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(folder.path()), {}));
  }

  TempFolder folder;
  PredictRequest request;
  TaskProgress silent;
};

/// The cells of a line without quotes.
std::vector<std::string> cells_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

TEST_F(PredictTask, WritesClassAndProbabilitiesOfEveryRecord) {
  const PredictReport report = predict(request, silent);
  EXPECT_EQ(report.num_rows, 9);
  EXPECT_EQ(report.num_not_predicted, 1);
  EXPECT_EQ(report.target, "y");
  EXPECT_THAT(report.files, ElementsAre(request.out_path.string()));
  EXPECT_GT(report.seconds, 0);
  const Lines lines = written();
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0], "row,prediction,probability of no,probability of yes");
  const std::vector<double> x = {9, 8, 1, 2, 9, 7, 1, 0};
  for (size_t i = 0; i < x.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i + 1]);
    ASSERT_EQ(cells.size(), 4U) << lines[i + 1];
    EXPECT_EQ(cells[0], std::to_string(i + 1));
    EXPECT_EQ(cells[1], x[i] > 4.5 ? "yes" : "no");
    const double yes =
        1 / (1 + std::exp(1 - 2 * static_cast<double>(static_cast<float>(x[i] / 9))));
    EXPECT_NEAR(std::stod(cells[2]), 1 - yes, 1e-12);
    EXPECT_NEAR(std::stod(cells[3]), yes, 1e-12);
  }
  EXPECT_EQ(lines[9], "9,,,");
}

TEST_F(PredictTask, LooksAtNothingButTheFeatures) {
  predict(request, silent);
  const Lines expected = written();
  request.force = true;
  for (const std::string& table :
       {std::string("sex,x\nF,9\nF,8\nF,1\nF,2\nM,9\nM,7\nM,1\nM,0\nM,?\n"),
        with(kSmallTable, "9,F,yes\n8,F,no\n", "9,F,\n8,F,neither\n")}) {
    folder.write_file("table.csv", table);
    EXPECT_EQ(predict(request, silent).num_not_predicted, 1);
    EXPECT_EQ(written(), expected);
  }
}

TEST_F(PredictTask, ANumberComesInItsOwnUnits) {
  // x = 2 + 3 if the sex is M, on the scale of the schema: divided by 9.
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  save_model(schema, {0, 3.0 / 9, 2.0 / 9});
  folder.write_file("table.csv", "sex\nF\nM\nQ\n");
  EXPECT_EQ(predict(request, silent).num_not_predicted, 1);
  const Lines lines = written();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0], "row,prediction");
  EXPECT_NEAR(std::stod(cells_of(lines[1]).at(1)), 2, 1e-12);
  EXPECT_NEAR(std::stod(cells_of(lines[2]).at(1)), 5, 1e-12);
  EXPECT_EQ(lines[3], "3,");
}

/// "name (+part)" as name and part.
std::pair<std::string, double> reason_of(const std::string& cell) {
  const size_t bracket = cell.find(" (");
  return {cell.substr(0, bracket), std::stod(cell.substr(bracket + 2))};
}

/// The parts less the mean of their column, which the bias (the last name) takes.
void centre(const std::vector<std::string>& names, std::map<std::string, double>& parts) {
  std::map<std::string, std::vector<std::string>> of_column;
  for (size_t k = 0; k + 1 < names.size(); ++k)
    of_column[names[k].substr(0, names[k].find('='))].push_back(names[k]);
  for (const auto& [column, own] : of_column) {
    double mean = 0;
    for (const std::string& name : own) mean += parts[name] / static_cast<double>(own.size());
    for (const std::string& name : own) parts[name] -= mean;
    parts[names.back()] += mean;
  }
}

/// Parts of gam are compared as its training left them, those of other methods within a column.
TEST_F(PredictTask, ReasonsAreThePartsOfTheScoreThatSpeakForThePrediction) {
  request.force = true;
  for (const bool is_gam : {true, false}) {
    const std::vector<std::string> names =
        make_model("additive", parse_schema(kSmallSchema, "test"))->parameter_names();
    std::map<std::string, double> parts;
    for (size_t k = 0; k < names.size(); ++k) parts[names[k]] = 0.2 * std::sin(3.0 + double(k));
    std::vector<double> parameters;
    for (const std::string& name : names) parameters.push_back(parts[name]);
    nlohmann::json model = small_model(kSmallSchema, parameters, "additive");
    model["method"] = is_gam ? "gam" : "sgd";
    folder.write_file("model.json", model.dump());
    if (!is_gam) centre(names, parts);
    request.reasons = 3;
    predict(request, silent);
    const Lines lines = written();
    EXPECT_EQ(lines[0],
              "row,prediction,probability of no,probability of yes,reason 1,reason 2,reason 3");
    EXPECT_EQ(lines[9], "9,,,,,,");
    std::set<size_t> numbers;
    for (size_t i = 1; i < 9; ++i) {
      std::vector<std::string> cells = cells_of(lines[i]);
      const double sign = cells.at(1) == "yes" ? 1 : -1;
      double log_odds = sign * parts[names.back()];
      double last = 1e9;
      cells.erase(cells.begin(), cells.begin() + 4);
      std::erase(cells, "");
      numbers.insert(cells.size());
      for (const std::string& cell : cells) {
        const auto [name, part] = reason_of(cell);
        EXPECT_NEAR(part, sign * parts.at(name), 1e-3) << cell;
        EXPECT_GT(part, 0);
        EXPECT_LE(part, last);
        last = part;
        log_odds += part;
      }
      // The columns that are not named speak against the prediction.
      const double yes = std::stod(cells_of(lines[i]).at(3));
      const double predicted = sign * std::log(yes / (1 - yes));
      EXPECT_LE(predicted, log_odds + 2e-3) << lines[i];
      if (cells.size() == 2) {
        EXPECT_NEAR(predicted, log_odds, 2e-3) << lines[i];
      }
    }
    EXPECT_GT(numbers.size(), 1U);
  }
}

/// Numbers are compared with the middle of their bounds, categories with their mean.
TEST_F(PredictTask, ReasonsOfALinearModelAreItsColumns) {
  save_model(kSmallSchema, {2, 0.5, 0.25, -1});
  request.reasons = 2;
  predict(request, silent);
  const Lines lines = written();
  EXPECT_THAT(lines.at(1), EndsWith(",x=9 (+1),sex=F (+0.125)"));
  EXPECT_THAT(lines.at(3), EndsWith(",x=1 (+0.778),"));
  EXPECT_THAT(lines.at(7), EndsWith(",x=1 (+0.778),sex=M (+0.125)"));
  EXPECT_EQ(lines.at(9), "9,,,,,");
}

/// A number in place of missing ones is one or the other.
TEST_F(PredictTask, AReasonOfTheFillMayBeAMissingCell) {
  save_model(with(kSmallSchema, "[columns.sex]", "missing = \"fill\"\nfill = 9\n[columns.sex]"),
             {2, 0, 0, -1});
  folder.write_file("table.csv", "x,sex\n,F\n8,F\n9,F\n");
  request.reasons = 1;
  predict(request, silent);
  EXPECT_THAT(written().at(1), EndsWith(",x=9 or missing (+1)"));
  EXPECT_THAT(written().at(2), Not(HasSubstr("missing")));
  EXPECT_EQ(written().at(3).substr(1), written().at(1).substr(1));
}

/// Of several classes: the score of the predicted one, less the mean over the classes.
TEST_F(PredictTask, ReasonsOfClassesNameColumnsOnly) {
  const std::string schema = with(kSmallSchema, "[\"no\", \"yes\"]", R"(["a", "b", "c"])");
  save_model(schema, {0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  request.reasons = 2;
  predict(request, silent);
  EXPECT_THAT(written().at(1), AllOf(StartsWith("1,c,"), EndsWith(",x=9 (+1),")));
}

TEST_F(PredictTask, ReasonsOfANumberAreInItsUnits) {
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  save_model(schema, {0, 3.0 / 9, 2.0 / 9});
  folder.write_file("table.csv", "sex\nF\nM\n");
  request.reasons = 1;
  predict(request, silent);
  EXPECT_THAT(written().at(1), EndsWith(",sex=F (-1.5)"));
  EXPECT_THAT(written().at(2), EndsWith(",sex=M (+1.5)"));
}

/// Its group's column is a part of the constant, of which a reason would be arbitrary.
TEST_F(PredictTask, ReasonsOfAModelPerGroupAreThoseWithinIt) {
  nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
  model["model_per_group"] = true;
  model["method_groups"] = {"sex"};
  model["parameters"].clear();
  const std::vector<std::string> names = {"x", "sex=F", "sex=M", "bias"};
  for (const auto& [group, parameters] : {std::pair("F", std::vector<double>{2, 0.5, -1, 0}),
                                          {"M", std::vector<double>{-2, 1, 0.5, 0}}}) {
    for (size_t j = 0; j < 4; ++j)
      model["parameters"].push_back(
          {{"name", group + (": " + names[j])}, {"value", parameters[j]}});
  }
  folder.write_file("model.json", model.dump());
  request.reasons = 2;
  predict(request, silent);
  EXPECT_THAT(written().at(1), EndsWith(",x=9 (+1),"));
  EXPECT_THAT(written().at(5), EndsWith(",x=9 (+1),"));
}

class Stages final : public TaskProgress {
 public:
  void stage(const std::string& text) override { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

TEST_F(PredictTask, WarnsOfNoiseInReasons) {
  nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
  request.force = true;
  const auto told = [&](int64_t reasons) {
    request.reasons = reasons;
    folder.write_file("model.json", model.dump());
    Stages stages;
    predict(request, stages);
    return stages.text();
  };
  EXPECT_THAT(told(1), Not(HasSubstr("warning")));
  model["status"] = "insecure rng";
  EXPECT_THAT(told(1), HasSubstr("warning: reasons hold noise of training, whose size is unknown"));
  EXPECT_THAT(told(0), Not(HasSubstr("warning")));
  model["settings"] = {{"parameter_noise", 0.25}};
  EXPECT_THAT(told(1), HasSubstr("by a standard deviation of about 0.25, those of common"));
}

TEST_F(PredictTask, ReasonsNeedASumOverColumns) {
  request.reasons = -1;
  EXPECT_THROW(predict(request, silent), Error);
  request.reasons = 1;
  nlohmann::json model = small_model(kSmallSchema, kYesAboveMiddle);
  model["model"] = "mlp";
  model["network"] = {{"hidden", {2}}, {"activation", "tanh"}};
  model["parameters"].clear();
  const NetworkOptions options = {.hidden = {2}};
  const auto network = make_model("mlp", parse_schema(kSmallSchema, "test"), options);
  for (const std::string& name : network->parameter_names())
    model["parameters"].push_back({{"name", name}, {"value", 0.5}});
  folder.write_file("model.json", model.dump());
  EXPECT_ERROR(kUsage, HasAll("linear and additive models", "this is a mlp model"),
               predict(request, silent));
}

TEST_F(PredictTask, ANumberStaysWithinTheBoundsOfTheTarget) {
  const std::string schema = with(with(kSmallSchema, "target = \"y\"", "target = \"x\""),
                                  "[\"no\", \"yes\"]", "[\"no\", \"yes\"]\nfeature = false");
  save_model(schema, {-114, 1e9, 0});
  folder.write_file("table.csv", "sex\nF\nM\nQ\n");
  EXPECT_EQ(predict(request, silent).num_clamped, 2);
  EXPECT_THAT(written(), ElementsAre("row,prediction", "1,0", "2,9", "3,"));
}

TEST_F(PredictTask, ClassesAreQuotedAsCellsAre) {
  const std::string schema =
      with(kSmallSchema, "[\"no\", \"yes\"]", R"(["a,b", "say \"c\"", "d"])");
  // The score of a class is its bias.
  std::vector<double> parameters(12, 0);
  parameters[10] = 1;
  save_model(schema, parameters);
  predict(request, silent);
  const Lines lines = written();
  EXPECT_EQ(lines.at(0),
            R"(row,prediction,"probability of a,b","probability of say ""c""",probability of d)");
  EXPECT_THAT(lines.at(1), HasSubstr(R"(1,"say ""c""",)"));
  EXPECT_EQ(lines.at(9), "9,,,,");
}

TEST_F(PredictTask, ManyRecordsKeepTheirOrder) {
  constexpr int kNumRecords = 40'000;
  std::string table = "x,sex\n";
  for (int i = 0; i < kNumRecords; ++i) table += i % 7 < 3 ? "1,F\n" : "8,M\n";
  folder.write_file("table.csv", table);
  EXPECT_EQ(predict(request, silent).num_rows, kNumRecords);
  const Lines lines = written();
  ASSERT_EQ(lines.size(), static_cast<size_t>(kNumRecords + 1));
  for (int i = 0; i < kNumRecords; ++i) {
    const std::string start = std::to_string(i + 1) + (i % 7 < 3 ? ",no," : ",yes,");
    ASSERT_EQ(lines[static_cast<size_t>(i + 1)].substr(0, start.size()), start);
  }
}

// However many blocks there are, the last of which is empty.
TEST_F(PredictTask, SaysThatTheSchemaDoesNotFit) {
  for (const auto& [num_records, written_count] :
       {std::pair(30, "30"), std::pair(40'000, "40,000"), std::pair(16'384, "16,384")}) {
    std::string table = "x,sex\n";
    for (int i = 0; i < num_records; ++i) table += "100,F\n";
    folder.write_file("table.csv", table);
    request.force = true;
    const std::vector<std::string> notes = predict(request, silent).ingest_notes;
    ASSERT_FALSE(notes.empty());
    EXPECT_THAT(notes.front(),
                HasAll("the schema does not fit this column",
                       std::string(written_count) + " of " + written_count + " cells (100 %)"));
  }
  std::string table = "x,sex\n";
  for (int i = 0; i < 20'000; ++i) table += i < 19'000 ? "1,F\n" : "100,F\n";
  folder.write_file("table.csv", table);
  EXPECT_THAT(predict(request, silent).ingest_notes,
              ElementsAre("column x: 1,000 numbers outside the bounds, clamped"));
}

TEST_F(PredictTask, WhatOverflowsIsNoPrediction) {
  save_model(with(kSmallSchema, "[\"no\", \"yes\"]", "[\"no\", \"yes\", \"so\"]"),
             std::vector<double>(12, 1e308));
  EXPECT_EQ(predict(request, silent).num_not_predicted, 9);
  EXPECT_EQ(written().at(1), "1,,,,");
}

/// An interruption that comes once it is held.
class Interruption final : public TaskProgress {
 public:
  void hold_interruptions() override { held_ = true; }
  bool interrupted() const override { return held_; }

 private:
  bool held_ = false;
};

TEST_F(PredictTask, AnInterruptionLeavesNothing) {
  const size_t before = num_files();
  Interruption interruption;
  EXPECT_ERROR(kRuntime, HasSubstr("interrupted"), predict(request, interruption));
  EXPECT_EQ(num_files(), before);
}

}  // namespace
}  // namespace equinoise::predict_test
