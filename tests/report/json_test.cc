#include "equinoise/report/json.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise {
namespace {

TrainingReport small_report() {
  TrainingReport report;
  report.method = "dpsgd";
  report.status = "private";
  report.privacy = Guarantee{Epsilon(1.5), Delta(1e-6), "rdp", Relation::kZeroOut};
  report.overall.metrics = Metrics{40, {0.875, {0.75, 0.95}}, {0.31, {0.2, 0.4}}};
  GroupReport group;
  group.group = {{"sex", "Female"}};
  group.metrics = Metrics{0, {NAN, {NAN, NAN}}, {NAN, {NAN, NAN}}};
  report.groups = {group};
  report.parameters = {{"bias", 0.25}};
  report.settings = {{"num_steps", 3000}, {"learning_rate", 0.7}};
  report.ingest_notes = {"column age: 3 missing cells"};
  return report;
}

TEST(Json, TheTrainingReportKeepsItsContract) {
  const nlohmann::ordered_json json = training_to_json(small_report());
  EXPECT_EQ(json["schema"], "equinoise/1");
  EXPECT_EQ(json["privacy"]["epsilon"], 1.5);
  EXPECT_EQ(json["privacy"]["relation"], "zero_out");
  EXPECT_EQ(json["overall"]["accuracy"], 0.875);
  EXPECT_EQ(json["groups"][0]["group"]["sex"], "Female");
  EXPECT_EQ(json["settings"].dump(), R"({"num_steps":3000,"learning_rate":0.7})");
  for (const char* key :
       {"method", "status", "reference", "constraints", "seconds", "files", "notice"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(Json, AFigureThatDoesNotExistIsNull) {
  const nlohmann::ordered_json json = training_to_json(small_report());
  EXPECT_TRUE(json["groups"][0]["accuracy"].is_null());
  EXPECT_TRUE(json["groups"][0]["loss_interval"][0].is_null());
}

TEST(Json, ModelAndCardHoldNoFigureOfTheRecords) {
  for (const nlohmann::ordered_json& json :
       {model_to_json(small_report()), card_to_json(small_report()),
        plan_to_json(small_report())}) {
    const std::string text = json.dump();
    for (const char* word : {"accuracy", "loss", "0.875", "missing cells", "seconds"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word;
    }
  }
  EXPECT_EQ(model_to_json(small_report())["parameters"][0]["value"], 0.25);
}

}  // namespace
}  // namespace equinoise
