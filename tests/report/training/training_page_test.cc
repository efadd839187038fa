// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"
#include "tests/report/sample_reports.h"

namespace equinoise::training_page_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool holds_canary(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  return text.find("7317317") != std::string::npos || text.find("CANARY") != std::string::npos;
}

TEST(ModelCard, WhatIsPublishableDoesNotDependOnANonPrivateField) {
  TrainingReport report = sample_report();
  report.constraints = {{"gap", "P(high | sex=Female) <= 0.5", 0.5}};
  const TrainingReport canaries = report_with_canaries(report);
  const auto publishable = [](const TrainingReport& of) {
    return std::vector<std::string>{to_text(model_to_json(of)), to_text(card_to_json(of)),
                                    to_card(training_card(of)), to_page(training_card(of)),
                                    to_text(plan_to_json(of)),  to_screen(plan_document(of), true)};
  };
  EXPECT_EQ(publishable(report), publishable(canaries));
  for (const std::string& text : publishable(canaries)) EXPECT_FALSE(holds_canary(text)) << text;
  // The check can see canaries where they may be.
  EXPECT_TRUE(holds_canary(to_text(training_to_json(canaries))));
  EXPECT_TRUE(holds_canary(to_screen(training_document(canaries), true)));
  EXPECT_TRUE(holds_canary(to_page(training_document(canaries))));
}

/// A report of a run with a constraint, whose exact figures are canaries.
TrainingReport with_private_evaluation() {
  TrainingReport report = sample_report();
  const ConstraintCheck exact{{7317317, {7317317, 7317317}}, 0.05};
  ConstraintReport constraint{"parity", "P(high | sex=F) - P(high | sex=M) <= 0.05", 0.05};
  constraint.check = constraint.reference = exact;
  constraint.private_check = ConstraintCheck{{0.03125, {0.015625, 0.0625}}, 0.05};
  report.constraints = {constraint};
  report.evaluation_noise_stddev = 4.5;
  return report;
}

TEST(ModelCard, HoldsAPrivateEvaluationAndNotTheExactOne) {
  TrainingReport report = with_private_evaluation();
  for (const std::string& text : {to_text(card_to_json(report)), to_card(training_card(report)),
                                  to_page(training_card(report))}) {
    EXPECT_THAT(text, HasSubstr("noise of standard deviation 4.5, part of the guarantee"));
    EXPECT_FALSE(holds_canary(text)) << text;
  }
  EXPECT_THAT(to_card(training_card(report)),
              HasSubstr("| 0.0312 | 0.0156 to 0.0625 | 0.05 | unclear |"));
  EXPECT_EQ(card_to_json(report)["constraints"][0]["private_evaluation"]["value"], 0.03125);
  EXPECT_FALSE(holds_canary(to_text(model_to_json(report))));
  EXPECT_THAT(to_page(training_document(report)),
              HasSubstr("Constraints by the private evaluation: 1 unclear."));
  // The owner sees both.
  for (const std::string& text :
       {to_screen(training_document(report), true), to_page(training_document(report))}) {
    EXPECT_TRUE(holds_canary(text));
    EXPECT_THAT(text, HasSubstr("0.0156 to 0.0625"));
    EXPECT_THAT(text, HasSubstr("it may be published"));
  }
  report.status = PrivacyStatus::kInsecureRng;
  report.privacy.reset();
  EXPECT_THAT(to_card(training_card(report)), HasSubstr("NOT PRIVATE, as this run is not"));
}

/// A reader meets what is wrong, what is guaranteed, and then what may be changed.
TEST(ModelCard, HasTheGuaranteeBeforeItsWarnings) {
  TrainingReport report = sample_report();
  report.warnings = {"use larger batches"};
  const std::string card = to_card(training_card(report));
  for (const std::string& text : {card, to_page(training_card(report))}) {
    ASSERT_THAT(text, AllOf(HasSubstr("Guarantee:"), HasSubstr("Warning: use larger batches")));
    EXPECT_LT(text.find("Guarantee:"), text.find("Warning: use larger batches"));
  }
}

/// Without an evaluation nothing stands in for it.
TEST(ModelCard, SaysThatNothingIsKnownOfTheModelWhereNothingIs) {
  TrainingReport report = sample_report();
  report.constraints = {{"gap", "P(high | sex=Female) <= 0.5", 0.5}};
  report.constraints[0].check = ConstraintCheck{{0.4375, {0.25, 0.75}}, 0.5};
  report.why_not_evaluated = "no records are held out";
  const auto says_so = AllOf(HasSubstr("Private evaluation: none, because no records are held out"),
                             HasSubstr("Nothing publishable shows whether the model"));
  for (const std::string& text : {to_text(card_to_json(report)), to_card(training_card(report))})
    EXPECT_THAT(text, AllOf(says_so, Not(HasSubstr("0.4375"))));
  const nlohmann::ordered_json row = card_to_json(report)["constraints"][0];
  EXPECT_TRUE(row.at("private_evaluation").is_null());
  EXPECT_EQ(row.size(), 4U) << "name, text, slack and that: " << row;
  for (const std::string& text :
       {to_screen(training_document(report), true), to_page(training_document(report)),
        to_text(training_to_json(report)), to_screen(plan_document(report), true),
        to_text(plan_to_json(report))})
    EXPECT_THAT(text, says_so);
}

TEST(ModelCard, WhatAnEvaluationAddsToTheAccountIsComputed) {
  TrainingReport report = with_private_evaluation();
  EXPECT_EQ(evaluation_cost_line(report), "");
  report.evaluation_cost = {Epsilon(2.3), Epsilon(2.2), Epsilon(0.2)};
  ASSERT_TRUE(report.ledger);
  EXPECT_THAT(
      evaluation_cost_line(report),
      AllOf(HasSubstr(
                "The private evaluation costs epsilon 0.1, 5 % of what this run costs without it"),
            HasSubstr("the account comes to epsilon 2.3 with it and 2.2 without")));
  report.ledger.reset();
  report.evaluation_cost = {Epsilon(2), Epsilon(2), Epsilon(0)};
  EXPECT_THAT(evaluation_cost_line(report),
              HasSubstr("The private evaluation costs nothing: the run by itself costs epsilon 2 "
                        "with and without"));
  for (const std::string& text :
       {to_screen(plan_document(report), true), to_screen(training_document(report), true)})
    EXPECT_THAT(text, HasSubstr("The private evaluation costs nothing"));
  const auto costs = [&](double with) {
    report.evaluation_cost = {Epsilon(with), Epsilon(2), Epsilon(0)};
    return evaluation_cost_line(report);
  };
  EXPECT_THAT(costs(2 + 4e-16), HasSubstr("costs nothing that shows: the run by itself costs "
                                          "epsilon 2 with and without it"));
  EXPECT_THAT(costs(2.01), HasSubstr("costs epsilon 0.01"));
  EXPECT_EQ(plan_to_json(report)["private_evaluation_cost"]["epsilon_without"], 2);
}

TEST(ModelCard, FeaturesOfASettingAreNoColumns) {
  TrainingReport report = sample_report();
  const auto explanation = HasSubstr("num_features counts the constant and the bins and lines");
  EXPECT_THAT(to_card(training_card(report)), Not(explanation));
  report.settings.emplace_back("num_features", 83);
  EXPECT_THAT(to_card(training_card(report)), explanation);
}

TEST(ModelCard, SaysWhatTheModelIsAndWhatItCost) {
  const std::string card = to_card(training_card(sample_report()));
  for (const char* text :
       {"epsilon 3, delta 1e-06 (rdp, zero_out)", "| predicts | one of: low, high |",
        "| age | numeric, within 17 to 90 |", "| unit | one row |", "| Female, Black | 2,308 | 3 |",
        "| noisy gradient sums | 3000 x Gaussian", "| num_steps | 3,000 |",
        "budget epsilon 8 at delta 1e-06; spent 0.5 before this run, 3.25 after",
        "split seed 18446744073709551615", "audited by a third party",
        "```\nequinoise train --groups sex,race\n```"}) {
    EXPECT_THAT(card, HasSubstr(text));
  }
}

TEST(ModelCard, JsonHoldsTheSameFacts) {
  const nlohmann::ordered_json card = card_to_json(sample_report());
  EXPECT_EQ(card["classes"], nlohmann::ordered_json({"low", "high"}));
  EXPECT_EQ(card["features"][1]["column"], "job");
  EXPECT_EQ(card["split"]["split_seed"], 18446744073709551615U);
  EXPECT_EQ(card["ledger"]["spent"]["epsilon"], 3.25);
  EXPECT_EQ(card["groups"][0]["noise_per_expected_member_in_clips"], 0.0607);
  EXPECT_EQ(card["limitations"].size(), 5U);
}

TEST(ModelCard, AModelWithoutAGuaranteeHasNoneThatIsLimited) {
  TrainingReport report = sample_report();
  report.status = PrivacyStatus::kNotPrivate;
  report.privacy.reset();
  const std::vector<std::string> limitations = limitations_of(report);
  EXPECT_EQ(limitations.size(), 3U);
  EXPECT_THAT(limitations, Not(::testing::Contains(HasSubstr("The guarantee"))));
  EXPECT_THAT(limitations, ::testing::Contains(HasSubstr("No guarantee protects the records")));
}

TEST(ModelCard, AnUnreviewedSchemaIsALimitation) {
  TrainingReport report = sample_report();
  report.schema_reviewed = false;
  report.status = PrivacyStatus::kNotPrivate;
  const std::string card = to_card(training_card(report));
  EXPECT_THAT(card, HasSubstr("NOT PRIVATE as a whole: epsilon 3"));
  EXPECT_THAT(card, HasSubstr("was drafted from the data and not reviewed"));
  EXPECT_EQ(card_to_json(report)["limitations"].size(), 6U);
  EXPECT_EQ(card_to_json(report)["schema_reviewed"], false);
}

TEST(ModelCard, NamesCannotBreakTheMarkdown) {
  TrainingReport report = sample_report();
  report.groups[0].group = {{"se|x", "a|b\nc <img> [x](y) _z_ a_b"}};
  report.command = "equinoise train --out '```'";
  const std::string card = to_card(training_card(report));
  EXPECT_THAT(card, HasSubstr("| se\\|x |"));
  EXPECT_THAT(card, HasSubstr("| a\\|b c \\<img> \\[x](y) \\_z\\_ a_b |"));
  EXPECT_THAT(card, HasSubstr("````\nequinoise train --out '```'\n````"));
}

}  // namespace
}  // namespace equinoise::training_page_test
