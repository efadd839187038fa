// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/report/audit/audit_html.h"
#include "equinoise/report/audit/audit_text.h"
#include "equinoise/report/training/model_card.h"
#include "equinoise/report/training/training_html.h"
#include "equinoise/report/training/training_text.h"
#include "tests/report/sample_reports.h"

namespace equinoise::alarms_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ConstraintCheck check_of(double value) { return {{value, {value - 0.01, value + 0.01}}, 0.05}; }

TEST(Alarms, AreOfWhatFailsOrIsNotAnswerable) {
  TrainingReport report = sample_report();
  EXPECT_THAT(alarms_of(report), IsEmpty());
  report.constraints = {{"gap", "P(high | sex=F) <= 0.05", 0.05}};
  report.constraints[0].check = check_of(0.04);
  report.constraints[0].private_check = check_of(0.04);
  EXPECT_THAT(alarms_of(report), IsEmpty());
  report.constraints[0].check = check_of(0.125);
  EXPECT_THAT(publishable_alarms(report), IsEmpty()) << "exact figures are fenced";
  EXPECT_THAT(alarms_of(report),
              ElementsAre(AllOf(HasSubstr("FAILS"), HasSubstr("P(high"), HasSubstr("0.1250"))));
  report.constraints[0].private_check = {{0.2, {-0.25, 0.75}}, 0.05};
  EXPECT_THAT(publishable_alarms(report),
              ElementsAre(HasSubstr("0.2000, but uncertain, between -0.2500 and 0.7500")));
  report.constraints[0].private_check = check_of(NAN);
  EXPECT_THAT(publishable_alarms(report),
              ElementsAre(HasSubstr("is NOT ANSWERABLE according to the private")));
  report.constraints[0].private_check.reset();
  report.why_not_evaluated = "no records are held out";
  EXPECT_THAT(publishable_alarms(report), ElementsAre(HasSubstr("NOT KNOWN")));
}

/// Whoever reads a page has read it before any table.
TEST(Alarms, StandBeforeEverythingElse) {
  TrainingReport report = sample_report();
  report.constraints = {{"gap", "P(high | sex=F) less 0.05", 0.05}};
  report.constraints[0].check = check_of(0.125);
  report.constraints[0].private_check = check_of(0.25);
  AuditReport audit = sample_audit();
  audit.constraints = report.constraints;
  const auto expect_first = [](const std::string& text, const char* alarm, const char* table) {
    ASSERT_THAT(text, AllOf(HasSubstr(alarm), HasSubstr(table)));
    EXPECT_LT(text.find(alarm), text.find(table)) << text;
  };
  expect_first(card_to_markdown(report), "A constraint FAILS according to the private evaluation",
               "## Model");
  EXPECT_THAT(card_to_markdown(report), Not(HasSubstr("0.1250")));
  expect_first(training_to_text(report), "A constraint FAILS on the held-out", "public size");
  expect_first(report_to_html(report), "A constraint FAILS on the held-out", "<section>");
  expect_first(audit_to_text(audit), "A constraint FAILS on the audited", "tested");
  expect_first(audit_to_text(audit), "A limit FAILS: accuracy by sex, race", "tested");
  expect_first(audit_to_html(audit), "A constraint FAILS on the audited", "<section>");
}

}  // namespace
}  // namespace equinoise::alarms_test
