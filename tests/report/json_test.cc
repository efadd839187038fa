// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"
#include "tests/report/sample_reports.h"

namespace equinoise::json_test {

using Json = nlohmann::ordered_json;

TEST(Json, PathsBeyondNameMissingKeysAtTheirDepth) {
  const Json object = {{"same", {1, 2}},   {"more", 1},
                       {"other", 2},       {"rows", {{{"a", 1}, {"b", 1}}, {{"a", 2}, {"b", 2}}}},
                       {"longer", {1, 2}}, {"deep", {{"x", {{"y", 1}}}}}};
  const Json less = {{"same", {1, 2}},
                     {"other", 3},
                     {"rows", {{{"a", 1}}, {{"a", 2}}}},
                     {"longer", {1}},
                     {"deep", {{"x", Json::object()}}}};
  EXPECT_EQ(paths_beyond(less, object),
            (std::vector<std::string>{"more", "rows[].b", "longer", "deep.x.y"}));
  EXPECT_TRUE(paths_beyond(object, object).empty());
}

TEST(Json, TheTrainingReportKeepsItsContract) {
  const Json json = training_to_json(sample_report());
  EXPECT_EQ(json["schema"], "equinoise/1");
  EXPECT_EQ(json["privacy"]["epsilon"], 2.99961);
  EXPECT_EQ(json["privacy"]["relation"], "zero_out");
  EXPECT_EQ(json["schema_reviewed"], true);
  EXPECT_EQ(json["overall"]["accuracy"], 0.875);
  EXPECT_EQ(json["overall"]["accuracy_interval"], Json({0.75, 0.95}));
  EXPECT_EQ(json["overall"]["true_positive_rate"], 0.5);
  EXPECT_EQ(json["overall"]["accuracy_cost"], 0.025);
  EXPECT_EQ(json["overall"]["loss_cost_interval"], Json({0.004, 0.016}));
  EXPECT_EQ(json["groups"][0]["group"]["sex"], "Female");
  EXPECT_EQ(json["reference"]["groups"][0]["accuracy"], 0.7);
  EXPECT_EQ(json["curve"][1], Json({{"step", 1500}, {"loss", 0.4}}));
  EXPECT_EQ(json["reference"]["curve"][2]["loss"], 0.3);
  EXPECT_EQ(json["settings"].dump(), R"({"num_steps":3000,"learning_rate":0.7})");
  for (const char* key :
       {"method", "status", "reference", "constraints", "seconds", "files", "notice"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(Json, WhatDoesNotApplyIsLeftOutAndWhatDoesNotExistIsNull) {
  const Json json = training_to_json(sample_report());
  const Json& nobody = json["groups"][1];
  EXPECT_EQ(nobody["num_records"], 0);
  EXPECT_TRUE(nobody["accuracy"].is_null());
  EXPECT_TRUE(nobody["loss_interval"][0].is_null());
  EXPECT_TRUE(nobody["accuracy_cost"].is_null());
  for (const char* key : {"rmse", "mean_error"}) {
    EXPECT_FALSE(json["overall"].contains(key)) << key;
    EXPECT_FALSE(nobody.contains(key)) << key;
  }
  // A metric of such a target that nobody has.
  EXPECT_TRUE(json["overall"].at("precision").is_null());
}

TEST(Json, WhatIsNotAnswerableNeitherHoldsNorFails) {
  AuditReport report = sample_audit();
  GroupCheck& check = report.thresholds[0].check;
  check.verdict = LimitVerdict::kNotAnswerable;
  check.value = std::nan("");
  report.thresholds[0].groups.left_out = {{{"sex", "Female"}, {"race", "Other"}}};
  const Json json = audit_to_json(report);
  const Json& limit = json["constraints"][0];
  EXPECT_EQ(limit["verdict"], "not answerable");
  EXPECT_TRUE(limit["holds"].is_null());
  EXPECT_TRUE(limit["value"].is_null());
  EXPECT_EQ(limit["left_out"][0]["race"], "Other");
  EXPECT_EQ(json["constraints"][1]["holds"], true);
  EXPECT_EQ(json["constraints"][1]["value_interval"], Json({0.1, 0.4}));
  check.verdict = LimitVerdict::kUnclear;
  const Json unclear = audit_to_json(report)["constraints"][0];
  EXPECT_EQ(unclear["verdict"], "unclear");
  EXPECT_TRUE(unclear["holds"].is_null());
  check.verdict = LimitVerdict::kNotAnswerable;
  EXPECT_NE(
      to_page(audit_document(report)).find("A limit is NOT ANSWERABLE: accuracy by sex, race"),
      std::string::npos);
}

TEST(Json, AModelThatDivergedSaysSo) {
  TrainingReport report = sample_report();
  EXPECT_FALSE(model_to_json(report).contains("diverged"));
  for (const double lost : {std::nan(""), 1e39, -HUGE_VAL}) {
    report.parameters.back().second = lost;
    const Json json = model_to_json(report);
    EXPECT_EQ(json["diverged"], true);
    EXPECT_EQ(json["parameters"].back()["value"].is_null(), !std::isfinite(lost));
  }
}

TEST(Json, ANumericTargetHasItsOwnMetrics) {
  const Json json = training_to_json(sample_regression());
  EXPECT_EQ(json["overall"]["rmse"], 2.5);
  EXPECT_EQ(json["overall"]["mean_error_interval"], Json({-0.75, -0.25}));
  EXPECT_EQ(json["overall"]["loss_cost"], 0.01);
  EXPECT_EQ(json["reference"]["overall"]["rmse"], 2.375);
  for (const char* key : {"accuracy", "accuracy_cost", "selection_rate"})
    EXPECT_FALSE(json["overall"].contains(key)) << key;
  EXPECT_TRUE(json["groups"][1]["rmse"].is_null());
}

TEST(Json, FiguresThatOverflowAreNull) {
  TrainingReport report = sample_report();
  report.overall.metrics->loss.value = std::numeric_limits<double>::infinity();
  report.curve = {{1, std::nan("")}};
  const Json json = training_to_json(report);
  EXPECT_TRUE(json["overall"]["loss"].is_null());
  EXPECT_TRUE(json["curve"][0]["loss"].is_null());
}

TEST(Json, TheModelSaysHowItWasSplit) {
  const Json json = model_to_json(sample_report());
  EXPECT_EQ(json["parameters"][0]["value"], 0.25);
  EXPECT_EQ(json["split"]["test_fraction"], 0.25);
  EXPECT_EQ(Json::parse(to_text(json))["split"]["split_seed"].get<uint64_t>(),
            18446744073709551615U);
  EXPECT_EQ(json["table_schema"], "target = \"income\"\n");
}

TEST(Json, TheAuditKeepsItsContract) {
  const Json json = audit_to_json(sample_audit());
  EXPECT_EQ(json["method"], "dpsgd");
  EXPECT_EQ(json["privacy"]["epsilon"], 2.99961);
  EXPECT_EQ(json["overall"]["num_records"], 40);
  EXPECT_EQ(json["overall"]["accuracy_cost"], 0.025);
  ASSERT_EQ(json["groups"].size(), 2U);
  EXPECT_EQ(json["groups"][1]["group"], Json({{"sex", "Male"}, {"race", "Black"}}));
  EXPECT_EQ(json["groups"][1]["accuracy"], 0.96);
  EXPECT_EQ(json["groups"][1]["privacy"]["delta"], 1e-6);
  ASSERT_EQ(json["disparities"].size(), 1U);
  const Json& disparity = json["disparities"][0];
  EXPECT_EQ(disparity["columns"], Json({"sex", "race"}));
  EXPECT_EQ(disparity["metric"], "accuracy");
  EXPECT_EQ(disparity["difference_between_groups"], 0.335);
  EXPECT_EQ(disparity["difference_between_groups_interval"], Json({0.15, 0.56}));
  EXPECT_EQ(disparity["difference_to_overall"], 0.25);
  EXPECT_EQ(disparity["ratio_between_groups"], 0.651);
  EXPECT_TRUE(disparity["ratio_to_overall"].is_null());
  EXPECT_EQ(disparity["lowest"]["sex"], "Female");
  EXPECT_EQ(disparity["highest"]["sex"], "Male");
  EXPECT_EQ(json["reference"]["model_path"], "reference");
  EXPECT_EQ(json["reference"]["overall"]["accuracy"], 0.9);
  EXPECT_EQ(json["reference"]["groups"].size(), 2U);
  EXPECT_EQ(json["constraints"][0]["name"], "difference of accuracy between groups by sex, race");
  EXPECT_EQ(json["constraints"][0]["value"], 0.335);
  EXPECT_EQ(json["constraints"][0]["slack"], 0.05);
  EXPECT_EQ(json["constraints"][0]["holds"], false);
  EXPECT_EQ(json["constraints"][1]["holds"], true);
  for (const char* key : {"notice", "status", "seconds", "files", "ingest", "warnings"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Json, RisksOfAGroupWithoutRecordsAreNull) {
  AuditReport report = sample_audit();
  AuditGrouping& grouping = report.groupings[0];
  ExcessiveRisk& risk = grouping.risk.emplace();
  risk.groups.resize(grouping.groups.size());
  risk.groups[1].num_records = 3;
  risk.groups[1].direction_first = std::nan("");
  risk.groups[1].magnitude_last = 0.25;
  risk.direction_gap_bound_by_spectrum.resize(grouping.groups.size() * grouping.groups.size());
  risk.direction_first_gap_bound_by_spectrum = risk.direction_gap_bound_by_spectrum;
  const Json json = audit_to_json(report).at("explanations")[0];
  EXPECT_TRUE(json.at("groups")[0].at("loss").is_null());
  EXPECT_TRUE(json.at("groups")[0].at("hessian_trace").is_null());
  EXPECT_EQ(json.at("groups")[1].at("loss"), 0);
  EXPECT_TRUE(json.at("groups")[1].at("direction_first").is_null());
  EXPECT_EQ(json.at("groups")[1].at("magnitude_last"), 0.25);
  for (const char* bound : {"direction_gap_bound", "direction_first_gap_bound"}) {
    EXPECT_TRUE(json.at(bound)[0][1].is_null());
    EXPECT_TRUE(json.at(bound)[1][0].is_null());
    EXPECT_EQ(json.at(bound)[1][1], 0);
  }
}

TEST(Json, AnAuditWithoutReferenceOrGroupsSaysSo) {
  AuditReport report = sample_audit();
  report.reference_path.reset();
  report.overall.reference.reset();
  report.overall.cost.reset();
  report.groupings.clear();
  report.privacy.reset();
  const Json json = audit_to_json(report);
  EXPECT_TRUE(json["reference"].is_null());
  EXPECT_TRUE(json["privacy"].is_null());
  EXPECT_EQ(json["groups"], Json::array());
  EXPECT_FALSE(json["overall"].contains("accuracy_cost"));
}

}  // namespace equinoise::json_test
