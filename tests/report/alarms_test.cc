// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/alarms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"
#include "tests/matchers.h"
#include "tests/report/sample_reports.h"

namespace equinoise::alarms_test {

ConstraintCheck check_of(double value) { return {{value, {value - 0.01, value + 0.01}}, 0.05}; }

TEST(Alarms, AreOfWhatDoesNotHold) {
  TrainingReport report = sample_report();
  EXPECT_THAT(alarms_of(report), IsEmpty());
  report.constraints = {{"gap", "P(high | sex=F) <= 0.05", 0.05}};
  report.constraints[0].check = check_of(0.04);
  report.constraints[0].private_check = check_of(0.04);
  EXPECT_THAT(alarms_of(report), IsEmpty());
  report.constraints[0].check = check_of(0.125);
  EXPECT_THAT(publishable_alarms(report), IsEmpty()) << "exact figures are fenced";
  EXPECT_THAT(alarms_of(report), ElementsAre(AllOf(HasSubstr("FAILS"), HasSubstr("P(high"),
                                                   HasSubstr("0.125 [0.115, 0.135]"))));
  report.constraints[0].private_check = check_of(0.125);
  EXPECT_THAT(alarms_of(report), ElementsAre(HasSubstr("according to the private"))) << "once";
  report.constraints[0].private_check = {{0.05, {-0.1, 0.2}}, 0.05};
  EXPECT_THAT(alarms_of(report), ElementsAre(HasSubstr("UNCLEAR"), HasSubstr("FAILS")));
  // Whichever side the value is on.
  for (const double value : {0.068, 0.032}) {
    report.constraints[0].private_check = {{value, {-0.085, 0.223}}, 0.05};
    EXPECT_THAT(publishable_alarms(report),
                ElementsAre(AllOf(HasSubstr("A constraint is UNCLEAR according to the private"),
                                  HasSubstr("[-0.085, 0.223]"))));
  }
  // Of many that are unclear one is named.
  TrainingReport many = report;
  many.constraints.resize(9, report.constraints[0]);
  EXPECT_THAT(publishable_alarms(many), ElementsAre(HasSubstr("; 8 more are unclear")));
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
  expect_first(to_card(training_card(report)),
               "A constraint FAILS according to the private evaluation", "## Model");
  EXPECT_THAT(to_card(training_card(report)), Not(HasSubstr("0.125 [")));
  for (const bool is_verbose : {false, true}) {
    expect_first(to_screen(training_document(report), is_verbose),
                 "A constraint FAILS according to the private", "public size");
    const std::string audited = to_screen(audit_document(audit), is_verbose);
    expect_first(audited, "A constraint FAILS on the audited", "tested");
    expect_first(audited, "A limit FAILS: accuracy by sex, race", "tested");
  }
  expect_first(to_page(training_document(report)), "A constraint FAILS according to the private",
               "<section>");
  expect_first(to_page(audit_document(audit)), "A constraint FAILS on the audited", "<section>");
}

/// Exit codes: 5 where something fails, and of strict commands unless all holds.
TEST(RequireLimits, FailWhereSomethingFailsOrStrictlyUnlessAllHolds) {
  const auto is_refused = [](const auto& report, bool strict) {
    try {
      require_limits(report, strict);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kThreshold);
      return true;
    }
    return false;
  };
  const ConstraintCheck holds = check_of(0.02);
  const ConstraintCheck unclear = {{0.06, {0.01, 0.1}}, 0.05};
  const ConstraintCheck fails = check_of(0.125);
  TrainingReport run = sample_report();
  run.constraints = {{"gap", "P(high | sex=F) <= 0.05", 0.05}};
  AuditReport audit = sample_audit();
  audit.thresholds.clear();
  audit.constraints = run.constraints;
  const auto expect = [&](const ConstraintCheck& check, bool fails_always, bool fails_strictly) {
    run.constraints[0].private_check = audit.constraints[0].check = check;
    run.constraints[0].check = fails;  // exact figures of a private run decide nothing
    for (const bool strict : {false, true}) {
      const bool expected = strict ? fails_strictly : fails_always;
      EXPECT_EQ(is_refused(run, strict), expected);
      EXPECT_EQ(is_refused(audit, strict), expected);
    }
  };
  expect(holds, false, false);
  expect(unclear, false, true);
  expect(check_of(NAN), false, true);
  expect(fails, true, true);
  // Without a private evaluation nothing may be said of a private run.
  run.constraints[0].private_check.reset();
  EXPECT_FALSE(is_refused(run, false));
  EXPECT_TRUE(is_refused(run, true));
  run.privacy.reset();
  EXPECT_TRUE(is_refused(run, false));
  // What is asked strictly must be asked of something.
  audit.constraints.clear();
  EXPECT_FALSE(is_refused(audit, false));
  EXPECT_TRUE(is_refused(audit, true));
}

}  // namespace equinoise::alarms_test
