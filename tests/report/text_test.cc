// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"
#include "tests/matchers.h"
#include "tests/report/sample_reports.h"

namespace equinoise::text_test {

TEST(Text, EpsilonIsRoundedUp) {
  EXPECT_EQ(format_epsilon(Epsilon(2.99961)), "3");
  EXPECT_EQ(format_epsilon(Epsilon(3.0001)), "3.001");
  EXPECT_EQ(format_epsilon(Epsilon(3)), "3");
  EXPECT_EQ(format_epsilon(Epsilon(0.123401)), "0.1235");
  EXPECT_EQ(format_epsilon(Epsilon(12345)), "1.235e+04");
  EXPECT_EQ(format_epsilon(Epsilon(0)), "0");
}

TEST(Text, CountsHaveSeparators) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(48842), "48,842");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
}

TEST(Text, TablesAlign) {
  EXPECT_EQ(to_text(TextTable{"", {"group", "n"}, {{"a", "1"}, {"bcdefg", "22"}}}),
            "group    n\n"
            "----------\n"
            "a        1\n"
            "bcdefg  22\n");
}

TEST(Text, TheResultShowsGroupsGuaranteeAndTheFence) {
  const std::string text = to_screen(training_document(sample_report()), true);
  EXPECT_THAT(text, HasSubstr("sex, race"));
  EXPECT_THAT(text, HasSubstr("Female, Black"));
  EXPECT_THAT(text, HasSubstr("62.5 [40.0, 80.0]"));
  EXPECT_THAT(text, HasSubstr("overall"));
  EXPECT_THAT(text, HasSubstr("Groups by sex, race\n"));
  EXPECT_THAT(text, HasSubstr("missing cells: age 3"));
}

/// A screen has the tables that were asked for, the guarantee and where the rest is.
TEST(Text, AScreenIsShortAndFenced) {
  TrainingReport report = sample_report();
  report.by_rdp = sample_guarantee();
  report.protection = Protection{Relation::kZeroOut, {"row"}, {}};
  report.files = {"model/model.json", "model/report.json"};
  const std::string text = to_screen(training_document(report));
  EXPECT_THAT(text, AllOf(HasSubstr("Groups by sex, race (NOT PRIVATE)\n"),
                          HasSubstr("Guarantee: epsilon 3, delta 1e-06 (rdp, zero_out)"),
                          HasSubstr("NOT PRIVATE are computed from records without noise"),
                          HasSubstr("wrote model/model.json (publishable)\n"
                                    "wrote model/report.json (NOT PRIVATE)\n")));
  EXPECT_LE(std::ranges::count(text, '\n'), 25);
  EXPECT_THAT(text, Not(HasSubstr("an attacker who")));
  // What is not shown is printed on demand.
  EXPECT_THAT(to_screen(training_document(report), true),
              AllOf(HasSubstr("an attacker who"), HasSubstr("All figures (NOT PRIVATE)\n")));
  // Of publishable facts alone nothing is fenced.
  EXPECT_THAT(to_screen(plan_document(report)), Not(HasSubstr("NOT PRIVATE")));
}

TEST(Text, FiguresHaveThePrecisionOfTheirIntervals) {
  const Precision loss("loss", {0.31, {0.2955, 0.3245}});
  EXPECT_EQ(loss.format(Estimate{0.5, {0.3, 0.7}}), "0.500 [0.300, 0.700]");
  EXPECT_EQ(loss.format(-0.0001), "0.000");
  EXPECT_EQ(loss.format(Estimate()), "-");
  const Precision dollars("rmse", {41234, {40000, 42500}});
  EXPECT_EQ(dollars.format(Estimate{41234.4, {40000, 42500}}), "41,234 [40,000, 42,500]");
  EXPECT_EQ(Precision("loss", {1, {1, 1}}).format(1e300), "1e+300");
  EXPECT_EQ(Precision("accuracy", Estimate()).format(0.12345), "12.3");
  // What is not 0 is not shown as such.
  EXPECT_EQ(loss.compact({0.31, {0.2955, 0.3245}}), loss.format(Estimate{0.31, {0.2955, 0.3245}}));
  Estimate tiny;
  tiny.value = 9.7e-6;
  EXPECT_EQ(loss.compact(tiny), "0.00000970");
  tiny.value = 0;
  EXPECT_EQ(loss.compact(tiny), loss.format(0.0));
  EXPECT_EQ(loss.compact(Estimate()), "-");
}

TEST(Text, AmountsHaveThreeDigits) {
  EXPECT_EQ(format_amount(0.35216), "0.352");
  EXPECT_EQ(format_amount(12345.6), "12,346");
  EXPECT_EQ(format_amount(1e20), "1e+20");
  EXPECT_EQ(format_amount(1.2345e-9), "1.23e-09");
  EXPECT_EQ(format_amount(0), "0.000");
  EXPECT_EQ(format_percent(-0.0001), "0.0");
  EXPECT_EQ(format_percent(0.625), "62.5");
}

TEST(Text, ANumericTargetShowsItsErrors) {
  const std::string text = to_screen(training_document(sample_regression()), true);
  EXPECT_THAT(text, HasSubstr("RMSE [95 %]"));
  EXPECT_THAT(text, HasSubstr("2.50 [2.25, 2.75]"));
  EXPECT_THAT(text, HasSubstr("-0.50 [-0.75, -0.25]"));
  EXPECT_THAT(text, HasSubstr("loss added by privacy"));
  EXPECT_THAT(text, HasSubstr("0.0500 [0.0100, 0.0900]"));
  EXPECT_THAT(text, Not(HasSubstr("accuracy")));
}

/// Three things: an interval, none because anything is possible, and no estimate; and why.
TEST(Text, ACoefficientSaysWhatIsKnownOfIt) {
  TrainingReport report = sample_regression();
  report.regression.emplace();
  report.regression->coefficients = {{"age", 0.5, 0.25, Interval{0, 1}},
                                     {"hours", 0.125, {}, {}, "nearly the same as age"},
                                     {"race", {}, {}, {}, "noise hides it: joins White"}};
  for (const bool is_logistic : {false, true}) {
    report.regression->log_odds_of = is_logistic ? "high" : "";
    const std::string text = to_screen(training_document(report), true);
    EXPECT_THAT(text, ContainsRegex("age +0.5 +0.25 +0 to 1"));
    EXPECT_THAT(text, ContainsRegex("hours +0.125 +- +unbounded: nearly the same as age"));
    EXPECT_THAT(text, ContainsRegex("race +- +- +noise hides it: joins White"));
    EXPECT_THAT(text, HasSubstr("says why"));
  }
  report.regression->coefficients.resize(1);
  EXPECT_THAT(to_screen(training_document(report), true), Not(HasSubstr("says why")));
}

TEST(Text, WhatIsLostWithoutPrivacyIsNotLostToIt) {
  TrainingReport report = sample_report();
  EXPECT_THAT(to_screen(training_document(report), true), HasSubstr("lost to privacy, points"));
  report.privacy.reset();
  EXPECT_THAT(to_screen(training_document(report), true),
              AllOf(HasSubstr("below reference, points"), Not(HasSubstr("lost to privacy, p"))));
  report = sample_regression();
  report.privacy.reset();
  EXPECT_THAT(to_screen(training_document(report), true), HasSubstr("loss above reference"));
}

TEST(Text, AnUnreviewedSchemaTakesTheGuaranteeAway) {
  TrainingReport report = sample_report();
  report.schema_reviewed = false;
  report.status = PrivacyStatus::kNotPrivate;
  const std::string line =
      "NOT PRIVATE as a whole: epsilon 3, delta 1e-06 (rdp, zero_out) covers only the noise; the "
      "schema was drafted from the data and not reviewed (--public-data)";
  EXPECT_THAT(to_screen(training_document(report), true), HasSubstr(line));
  EXPECT_THAT(to_screen(plan_document(report), true), HasSubstr(wrapped("Guarantee: " + line)));
}

TEST(Text, TheAuditShowsGroupsDifferencesAndLimits) {
  const std::string text = to_screen(audit_document(sample_audit()), true);
  EXPECT_THAT(text, HasSubstr("Positive class: high"));
  EXPECT_THAT(text, HasSubstr("62.5 [40.0, 80.0]"));
  EXPECT_THAT(text, HasSubstr("50.0 [25.0, 75.0]"));
  EXPECT_THAT(text, HasSubstr("7.5 [-2.0, 17.0]"));
  EXPECT_THAT(text, ContainsRegex("accuracy, points +Female, Black +Male, Black +33.5 \\[15.0, "
                                  "56.0\\] +25.0 +0.651 +-"));
  EXPECT_THAT(text,
              ContainsRegex("accuracy, points +sex, race +FAILS .*33.5 \\[15.0, 56.0\\] +5\n"));
  EXPECT_THAT(text, ContainsRegex("loss +sex, race +holds .*0.250 \\[0.100, 0.400\\] +0.5\n"));
  EXPECT_THAT(text, HasSubstr("Groups by sex, race (NOT PRIVATE)"));
  EXPECT_LT(text.find("Male, Black"), text.find("\noverall"));
}

TEST(Text, WhatGroupsLoseIsToldWithTheGap) {
  const std::vector<Cost> costs = {{{0.02, {0.01, 0.03}}, {0.5, {0.4, 0.6}}, 10},
                                   {{0.06, {0.03, 0.09}}, {0.25, {0.2, 0.3}}, 10}};
  const std::vector<std::string> rows = {"F +2.0 \\[1.0, 3.0\\] +0.50 \\[0.40, 0.60\\]\n",
                                         "M +6.0 \\[3.0, 9.0\\] +0.25 \\[0.20, 0.30\\]\n",
                                         "gap +4.0 \\[0.8, 7.2\\] +0.25 \\[0.14, 0.36\\]\n"};
  AuditReport audit = sample_audit();
  audit.groupings[0].columns = {"sex"};
  audit.groupings[0].groups = {{{"sex", "F"}}, {{"sex", "M"}}};
  std::vector<AuditedRecords>& audited = audit.groupings[0].figures;
  TrainingReport training = sample_report();
  for (size_t i = 0; i < 2; ++i) {
    training.groups[i].group = audit.groupings[0].groups[i];
    training.groups[i].cost = audited[i].cost = costs[i];
  }
  training.groups.resize(2);
  for (const std::string& text :
       {to_screen(audit_document(audit), true), to_screen(training_document(training), true)}) {
    EXPECT_THAT(text, HasSubstr("What groups by sex lose to the reference\n"));
    for (const std::string& row : rows) EXPECT_THAT(text, ContainsRegex(row));
  }
  for (const std::string& page :
       {to_page(audit_document(audit)), to_page(training_document(training))})
    EXPECT_THAT(page, HasSubstr("What groups by sex lose to the reference"));
  for (const auto& json : {audit_to_json(audit), training_to_json(training)}) {
    ASSERT_EQ(json["cost_gaps"].size(), 2U);
    EXPECT_EQ(json["cost_gaps"][0]["cost"], "accuracy_cost");
    EXPECT_EQ(json["cost_gaps"][0]["highest"]["sex"], "M");
    EXPECT_EQ(json["cost_gaps"][1]["highest"]["sex"], "F");
    EXPECT_DOUBLE_EQ(json["cost_gaps"][1]["gap"].get<double>(), 0.25);
  }
  audited[0].cost->num_records = 0;
  const auto unknown = audit_to_json(audit)["cost_gaps"][0];
  for (const char* name : {"gap", "lowest", "highest"})
    EXPECT_TRUE(unknown[name].is_null()) << name;
  for (AuditedRecords& group : audited) group.cost.reset();
  EXPECT_THAT(to_screen(audit_document(audit), true), Not(HasSubstr("lose to the reference")));
}

TEST(Text, AStepThatIsTooLongForTheSecondOrderIsSaidToBe) {
  AuditGrouping grouping;
  grouping.groups.resize(2);
  grouping.risk.emplace().groups.resize(2);
  grouping.risk->groups[1].num_records = 7;
  grouping.explained.learning_rate = 0.5;
  grouping.risk->groups[1].eigenvalues.largest = 1.9;
  EXPECT_THAT(lines_of(explained_caveats(grouping)), Not(HasSubstr("eigenvalue")));
  grouping.risk->groups[1].eigenvalues.largest = 3;
  EXPECT_THAT(lines_of(explained_caveats(grouping)),
              HasSubstr("learning rate times the largest eigenvalue is 1.5, above 1"));
}

TEST(Text, AHessianOfZeroDoesNotTellTheCostOfNoise) {
  AuditGrouping grouping;
  grouping.groups.resize(2);
  grouping.risk.emplace().groups.resize(2);
  grouping.explained.noise_stddev = 0.1;
  // Without a record nothing is known.
  EXPECT_THAT(lines_of(explained_caveats(grouping)), Not(HasSubstr("curvature")));
  grouping.risk->groups[1].num_records = 7;
  EXPECT_THAT(lines_of(explained_caveats(grouping)), HasSubstr("does not show the cost of noise"));
  grouping.explained.noise_stddev = 0;
  EXPECT_THAT(lines_of(explained_caveats(grouping)), Not(HasSubstr("curvature")));
  grouping.explained.noise_stddev = 0.1;
  grouping.risk->groups[1].hessian_trace.value = 1;
  EXPECT_THAT(lines_of(explained_caveats(grouping)), Not(HasSubstr("curvature")));
}

TEST(Text, WhatClippingCostsIsSplitInTwoWays) {
  GroupRisk risk;
  risk.num_records = 7;
  risk.clip = 1;
  risk.magnitude = 0.25;
  risk.direction = 0.75;
  risk.direction_first = 1.5;
  risk.magnitude_last = -0.5;
  GroupRisk undefined = risk;
  undefined.direction_first = undefined.magnitude_last = std::nan("");

  AuditReport audit = sample_audit();
  AuditGrouping& grouping = audit.groupings[0];
  grouping.risk.emplace().groups = {risk, undefined};
  const std::string audited = to_screen(audit_document(audit), true);
  EXPECT_THAT(audited, ContainsRegex("clipping +length first +direction last +direction first "
                                     "+length last"));
  EXPECT_THAT(audited, ContainsRegex(" \\+1 +\\+0.25 +\\+0.75 +\\+1.5 +-0.5 "));
  EXPECT_THAT(audited, ContainsRegex(" \\+1 +\\+0.25 +\\+0.75 +- +- "));
  EXPECT_THAT(audited, HasSubstr("and so do \"direction first\" and \"length last\"."));

  // A mean of which one look is undefined is.
  TrainingReport training = sample_report();
  training.explained_groups = {training.groups[0].group, training.groups[1].group};
  RiskPoint look;
  look.risk.groups = {risk, risk};
  training.explanations = {look, look};
  training.explanations[1].risk.groups[1] = undefined;
  const std::string trained = to_screen(training_document(training), true);
  EXPECT_THAT(trained, ContainsRegex("clipping +length first +direction last +direction first "
                                     "+length last"));
  EXPECT_THAT(trained, ContainsRegex(" \\+1 +\\+0.25 +\\+0.75 +\\+1.5 +-0.5 "));
  EXPECT_THAT(trained, ContainsRegex(" \\+1 +\\+0.25 +\\+0.75 +- +- "));
  for (const std::string& told :
       {trained, to_page(training_document(training)), to_page(audit_document(audit))})
    EXPECT_THAT(told, HasSubstr("direction first"));
}

/// The total is no group, whatever groups are called.
TEST(Text, NoGroupIsTakenForTheTotal) {
  const auto shown = [](const char* name) { return values_of({{"g", name}}); };
  EXPECT_EQ(values_of({}), "overall");
  EXPECT_EQ(shown("overall figures"), "overall figures");
  std::set<std::string> names = {"overall"};
  for (const char* name : {"overall", "Overall", "\"overall\"", "gap", "-"})
    EXPECT_TRUE(names.insert(shown(name)).second) << name;
  AuditReport report = sample_audit();
  report.groupings[0].groups[0] = {{"sex", "overall"}};
  for (const std::string& text :
       {to_screen(audit_document(report), true), to_page(audit_document(report))})
    EXPECT_THAT(text, ContainsRegex("(\"|&quot;)overall(\"|&quot;)"));
}

TEST(Text, SmallLimitsAndDifferencesAreNotRoundedToZero) {
  AuditReport report = sample_audit();
  const auto at = [](double value) { return Estimate{value, {value, value}}; };
  report.thresholds = {limit_on("accuracy", 0.00001, at(0.0004), LimitVerdict::kFails),
                       limit_on("error", 0.0712345, at(0), LimitVerdict::kHolds),
                       limit_on("loss", 1e-9, at(2e-9), LimitVerdict::kFails),
                       limit_on("rmse", 1234567, at(1000), LimitVerdict::kHolds)};
  const std::string text = to_screen(audit_document(report), true);
  EXPECT_THAT(text, ContainsRegex("accuracy, points +sex, race +FAILS .*0.0400 \\[.* +0.001\n"));
  EXPECT_THAT(text, ContainsRegex("error, points +sex, race +holds .*0.000 \\[.* +7.12345\n"));
  EXPECT_THAT(text, ContainsRegex("loss +sex, race +FAILS .*2e-09 \\[.* +1e-09\n"));
  EXPECT_THAT(text, ContainsRegex("RMSE +sex, race +holds .*1,000 \\[.* +1234567\n"));
}

TEST(Text, RoundedUpIsNeverLessAndAlwaysANumber) {
  for (const double value : {5e-324, 3e-310, 1.23456e-300, 2e-9, 1.0, 2.99961, 1e300}) {
    const std::string text = format_up(value, 4);
    const double told = std::strtod(text.c_str(), nullptr);
    EXPECT_GE(told, value) << text;
    EXPECT_LE(told, value * 1.002 + 5e-324) << text;
  }
}

TEST(Text, AnInsecureRunSaysSo) {
  TrainingReport report = sample_report();
  report.status = PrivacyStatus::kInsecureRng;
  report.privacy.reset();
  EXPECT_THAT(to_screen(training_document(report), true),
              HasSubstr("NOT PRIVATE: made with a reproducible random source"));
  EXPECT_THAT(to_screen(plan_document(report), true),
              HasSubstr("NOT PRIVATE: made with a reproducible random source"));
}

}  // namespace equinoise::text_test
