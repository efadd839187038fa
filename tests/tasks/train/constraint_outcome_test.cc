// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/constraint_outcome.h"

#include <gtest/gtest.h>

#include "equinoise/train/methods/raco_dp.h"
#include "tests/test_support.h"

namespace equinoise::constraint_outcome_test {

/// Of steps that lie no further apart than is explained.
ConstraintTrace still(double mean, double mean_stddev, bool at_limit = false) {
  return {mean, mean_stddev, 0.01, 0.01, 0.02, at_limit};
}

TrainingReport told(const std::vector<ConstraintTrace>& traces, bool is_private,
                    PrivacyStatus status = PrivacyStatus::kPrivate) {
  TrainingReport report;
  report.status = status;
  report.constraints = {{"a", "A <= 0.1", 0.1}, {"b", "B <= 0.2", 0.2}};
  TrainingPlan plan;
  plan.config.own.of<RateOptions>().max_multiplier = 7;
  if (is_private)
    plan.privacy = Guarantee{Epsilon(1), Delta(1e-6), AccountantName::kPld, Relation::kZeroOut};
  tell_constraints(traces, plan, report);
  return report;
}

/// Of records without noise nothing may stand in the model card, nor of a seed that is known.
void expect_told(const std::vector<ConstraintTrace>& traces,
                 const ::testing::Matcher<const std::string&>& telling) {
  EXPECT_THAT(told(traces, true).warnings, ElementsAre(telling));
  EXPECT_THAT(told(traces, true).ingest_notes, IsEmpty());
  for (const TrainingReport& fenced :
       {told(traces, false), told(traces, true, PrivacyStatus::kInsecureRng),
        told(traces, true, PrivacyStatus::kNotPrivate)}) {
    EXPECT_THAT(fenced.warnings, IsEmpty());
    EXPECT_THAT(fenced.ingest_notes, ElementsAre(telling));
  }
}

TEST(ConstraintOutcome, WhatIsMissedAtTheLimitIsTold) {
  expect_told({still(0.15, 0.01, true), still(0.45, 0.02, true)},
              HasAll("missed 2 of 2 constraints", "limit of 7",
                     "averaged over the last steps, B <= 0.2 was missed by 0.25"));
}

/// Slow multipliers are another matter than constraints that cannot be kept.
TEST(ConstraintOutcome, WhatIsMissedBeforeTheLimitAsksForSteps) {
  expect_told({still(0.05, 0.01), still(0.45, 0.02)},
              HasAll("missed 1 of 2 constraints", "still below", "B <= 0.2 was missed by 0.25"));
  EXPECT_THAT(told({still(0.15, 0.01, true), still(0.45, 0.02)}, true).warnings,
              ElementsAre(HasSubstr("at the limit"), HasSubstr("still below")));
}

/// A setting that follows exact rates of private records would give them away.
TEST(ConstraintOutcome, AdviceFollowsFromWhatWasPaidForAlone) {
  std::vector<ConstraintTrace> missed = {still(0.05, 0.01), still(0.45, 0.02)};
  missed[1].multiplier = 3.6;
  EXPECT_THAT(told(missed, true).warnings, ElementsAre(HasAll("--dual-learning-rate", "now 3.6")));
  EXPECT_THAT(told(missed, false).ingest_notes,
              ElementsAre(Not(HasSubstr("--dual-learning-rate"))));
}

/// Within two standard deviations, or a tenth of the slack.
TEST(ConstraintOutcome, WhatMayBeNoiseOrIsLittleIsNot) {
  EXPECT_THAT(told({still(0.15, 0.03, true), still(0.23, 0.02)}, true).warnings, IsEmpty());
  EXPECT_THAT(told({still(0.109, 0.001, true), still(0.219, 0.001)}, true).warnings, IsEmpty());
}

/// On average they meet their slacks, which says nothing of their mean.
TEST(ConstraintOutcome, StepsThatLieFurtherApartThanIsExplainedAreTold) {
  expect_told({{0.09, 0.01, 0.031, 0.02, 0.03, false}, {-0.1, 0.01, 0.2, 0.02, 0.03, false}},
              HasAll("in 2 of 2 constraints these steps vary more",
                     "B <= 0.2 varies with a standard deviation of 0.2, of which 0.02 would be"));
  EXPECT_THAT(told({{0.09, 0.01, 0.03, 0.02, 0.03, false}, still(0.1, 0.01)}, true).warnings,
              IsEmpty());
}

}  // namespace equinoise::constraint_outcome_test
