// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/report/json.h"
#include "equinoise/report/training/training_report.h"
#include "tests/report/sample_reports.h"
#include "tests/test_support.h"

namespace equinoise::training_json_test {
namespace {

using ::testing::HasSubstr;

TrainingReport read_again(const TrainingReport& report) {
  return training_report_from_json(to_text(training_to_json(report)), "report.json");
}

/// With everything that a report can have.
TrainingReport full_report() {
  TrainingReport report = sample_report();
  report.by_rdp = sample_guarantee();
  report.protection = Protection{Relation::kZeroOut, report.unit, {"sex"}, AttackBounds{0.25, 0.5}};
  const ConstraintCheck check{{0.25, {0.125, 0.5}}, 0.05};
  report.constraints = {{"a", "P(high | sex=F) <= 0.05", 0.05, "", check, check, check},
                        {"b", "P(high | sex=M) <= 0.05", 0.05, "", ConstraintCheck{{}, 0.05}}};
  report.evaluates_groups = true;
  report.evaluation_noise_stddev = 12.5;
  report.evaluation_cost = EvaluationCost{Epsilon(3), Epsilon(2.5), Epsilon(0.5)};
  const PrivateRates rates{{0.75, {0.5, 0.875}},
                           {0.375, {0.25, 0.5}},
                           {0.25, {0.125, 0.5}},
                           {0.125, {0, 0.25}},
                           {0.5, {0.25, 0.75}}};
  report.overall.private_rates = rates;
  for (GroupReport& group : report.groups) group.private_rates = rates;
  report.trained_groups = {report.groups[0].group, report.groups[1].group};
  report.group_path = {{0, {0.5, 0.5}, {1, 2}}, {100, {0.25, 0.75}, {0.5, 1.5}}};
  report.regression.emplace();
  report.regression->coefficients = {{"age", 0.5, 0.25, Interval{0, 1}}, {"hours", 0.5}, {"race"}};
  report.regression->groups = {{report.groups[0].group}};
  report.terms = sample_terms();
  report.explained_groups = report.trained_groups;
  RiskPoint look;
  look.step = 7;
  look.risk.groups.resize(2);
  look.risk.groups[0].num_records = 10;
  look.risk.groups[0].clip = 0.5;
  look.risk.groups[0].direction_first = 0.375;
  look.risk.groups[0].magnitude_last = 0.125;
  report.explanations = {look, look};
  report.ledger_entries[0].progress = RunProgress{1500, "abc"};
  report.num_earlier_entries = 48;
  report.unit.is_stated = report.protection->unit.is_stated = true;
  report.run_file = "command = \"train\"\n";
  return report;
}

TEST(TrainingJson, ThePageOfWhatIsReadIsTheSame) {
  TrainingReport unprotected = sample_report();
  unprotected.privacy.reset();
  unprotected.ledger.reset();
  unprotected.ledger_entries.clear();
  unprotected.status = PrivacyStatus::kInsecureRng;
  unprotected.overall.reference.reset();
  unprotected.overall.cost.reset();
  unprotected.reference_curve.clear();
  for (GroupReport& group : unprotected.groups) group.reference.reset(), group.cost.reset();
  TrainingReport told = sample_report();
  told.constraints = {{"a", "P(high | sex=F) <= 0.05", 0.05}};
  told.why_not_evaluated = "nobody asked for it";
  TrainingReport logistic = full_report();
  logistic.regression->log_odds_of = "high";
  logistic.regression->groups.clear();
  for (const TrainingReport& report :
       {sample_report(), sample_regression(), full_report(), unprotected, told, logistic})
    EXPECT_EQ(to_page(training_document(read_again(report))), to_page(training_document(report)));
}

/// That a card has all that is not listed, with the same values.
void expect_in_card(const nlohmann::ordered_json& value, const nlohmann::ordered_json& card,
                    const std::string& path, const std::vector<std::string>& listed) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      if (std::ranges::find(listed, below) != listed.end()) continue;
      ASSERT_TRUE(card.contains(key)) << below;
      expect_in_card(member, card.at(key), below, listed);
    }
  } else if (value.is_array() && !value.empty() && value[0].is_object()) {
    ASSERT_EQ(value.size(), card.size()) << path;
    for (size_t i = 0; i < value.size(); ++i)
      expect_in_card(value[i], card[i], path + "[]", listed);
  } else {
    EXPECT_EQ(value, card) << path;
  }
}

/// Exact figures of records are listed with the keys below which they are; what cards have is not.
TEST(TrainingJson, ListsWhatMustNotBePublished) {
  TrainingReport report = full_report();
  report.status = PrivacyStatus::kPrivate;
  nlohmann::ordered_json json = training_to_json(report);
  const auto paths = json.at("not_publishable").get<std::vector<std::string>>();
  for (const char* path : {"overall", "groups[].accuracy", "groups[].loss_cost_interval", "curve",
                           "constraints[].value", "explanations", "reference", "ingest", "alarms"})
    EXPECT_THAT(paths, ::testing::Contains(path));
  for (const char* key : {"notice", "notice_of_choice", "not_publishable", "kind"}) json.erase(key);
  expect_in_card(json, card_to_json(report), "", paths);
  // Without a guarantee nothing is publishable, terms of a card neither.
  report.status = PrivacyStatus::kNotPrivate;
  EXPECT_FALSE(training_to_json(report).contains("not_publishable"));
}

TEST(TrainingJson, CardsHaveTheRatioOfSelectionRates) {
  TrainingReport report = full_report();
  report.groups[0].private_rates->selection_rate.value = 0.125;
  report.groups[1].private_rates->selection_rate.value = 0.5;
  const auto ratios = [&] {
    return card_to_json(report).at("private_rates").at("selection_rate_ratios");
  };
  ASSERT_EQ(ratios().size(), 1U);
  EXPECT_EQ(ratios()[0].at("ratio"), 0.25);
  EXPECT_EQ(ratios()[0].at("by"), (nlohmann::ordered_json{"sex", "race"}));
  EXPECT_EQ(ratios()[0].at("lowest"), to_json(report.groups[0].group));
  EXPECT_EQ(ratios(), model_to_json(report).at("private_rates").at("selection_rate_ratios"));
  const std::string line = "Ratio of selection rates by sex, race, lowest by highest: 0.250 (";
  EXPECT_THAT(to_card(training_card(report)), HasSubstr(line));
  EXPECT_THAT(to_page(training_card(report)), HasSubstr(line));
  // Noise hides one of the two rates.
  report.groups[1].private_rates->selection_rate = {};
  EXPECT_TRUE(ratios()[0].at("ratio").is_null());
  EXPECT_TRUE(ratios()[0].at("lowest").is_null());
  EXPECT_EQ(ratios()[0].at("left_out").size(), 1U);
  EXPECT_THAT(to_card(training_card(report)),
              HasSubstr("highest: undefined, as fewer than two groups have a rate"));
  // Nobody is in it.
  report.groups[1].public_size = 0;
  EXPECT_TRUE(ratios().empty());
  report.classes.emplace_back("third");
  EXPECT_FALSE(card_to_json(report).at("private_rates").contains("selection_rate_ratios"));
}

TEST(TrainingJson, ThePageHasTheRunFile) {
  EXPECT_THAT(to_page(training_document(full_report())),
              HasSubstr("<pre>command = &quot;train&quot;\n</pre>"));
}

TEST(TrainingJson, RefusesNamingFileAndMember) {
  const nlohmann::ordered_json good = training_to_json(full_report());
  const auto refusal = [&](auto change) {
    nlohmann::ordered_json json = good;
    change(json);
    return error_of(ErrorKind::kInput,
                    [&] { training_report_from_json(to_text(json), "model/report.json"); });
  };
  EXPECT_THAT(refusal([](auto& json) { json.erase("target"); }),
              HasSubstr("model/report.json: lacks target"));
  EXPECT_THAT(refusal([](auto& json) { json["kind"] = "audit"; }), HasSubstr("kind must be"));
  EXPECT_THAT(refusal([](auto& json) { json["groups"][1].erase("public_size"); }),
              HasSubstr("lacks groups[1].public_size"));
  EXPECT_THAT(refusal([](auto& json) { json["events"][0]["event"]["type"] = "magic"; }),
              HasSubstr("events[0].event must be"));
  EXPECT_THAT(refusal([](auto& json) { json["ledger_entries"][0]["events"][0] = 1; }),
              HasSubstr("ledger_entries[0].events must be"));
  EXPECT_THAT(refusal([](auto& json) { json["ledger"]["spent"] = nullptr; }),
              HasSubstr("ledger.spent must be"));
  EXPECT_THAT(refusal([](auto& json) { json["reference"]["groups"].erase(0); }),
              HasSubstr("reference.groups must be a list of 2 groups"));
  EXPECT_THAT(refusal([](auto& json) { json["group_path"][0]["weights"] = {1}; }),
              HasSubstr("group_path[0].weights must be"));
  EXPECT_THAT(refusal([](auto& json) { json["overall"]["loss_interval"] = {1}; }),
              HasSubstr("overall.loss_interval must be two numbers"));
  EXPECT_THAT(refusal([](auto& json) { json["privacy"]["epsilon"] = -1; }),
              HasSubstr("privacy.epsilon must be"));
}

}  // namespace
}  // namespace equinoise::training_json_test
