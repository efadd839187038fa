#include "equinoise/tasks/constraint_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace equinoise {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TrainingReport told(const std::vector<ConstraintEstimate>& estimates, bool is_private,
                    const std::string& status = "private") {
  TrainingReport report;
  report.status = status;
  report.constraints = {{"a", "A <= 0.1", 0.1}, {"b", "B <= 0.2", 0.2}};
  TrainingPlan plan;
  plan.config.max_multiplier = 7;
  if (is_private) plan.privacy = Guarantee{Epsilon(1), Delta(1e-6), "pld", Relation::kZeroOut};
  tell_constraints(estimates, plan, report);
  return report;
}

TEST(ConstraintOutcome, IsReleasedWithAGuaranteeAlone) {
  const std::vector<ConstraintEstimate> estimates = {{0.09, 0.01, 0, false}, {0.3, 0.2, 2, true}};
  const TrainingReport report = told(estimates, true);
  EXPECT_EQ(report.constraints[0].released->value, 0.09);
  EXPECT_EQ(report.constraints[1].released->multiplier, 2);
  EXPECT_FALSE(report.constraints[0].observed);
  const TrainingReport fenced = told(estimates, false);
  EXPECT_EQ(fenced.constraints[1].observed->value, 0.3);
  EXPECT_FALSE(fenced.constraints[1].released);
  for (const char* status : {"insecure rng", "not private"}) {
    const TrainingReport of_seed = told(estimates, true, status);
    EXPECT_EQ(of_seed.constraints[1].observed->value, 0.3);
    EXPECT_FALSE(of_seed.constraints[1].released) << status;
  }
}

TEST(ConstraintOutcome, WhatIsMissedAtTheLimitIsTold) {
  const std::vector<ConstraintEstimate> estimates = {{0.15, 0.01, 6.9, true},
                                                     {0.45, 0.02, 7, true}};
  const auto telling = AllOf(HasSubstr("missed 2 of 2 constraints"), HasSubstr("limit of 7"),
                             HasSubstr("B <= 0.2 is missed by 0.25"));
  EXPECT_THAT(told(estimates, true).warnings, ElementsAre(telling));
  EXPECT_THAT(told(estimates, true).ingest_notes, IsEmpty());
  // Of records without noise nothing may stand in the model card.
  EXPECT_THAT(told(estimates, false).warnings, IsEmpty());
  EXPECT_THAT(told(estimates, false).ingest_notes, ElementsAre(telling));
}

/// Slow multipliers are another matter than constraints that cannot be kept.
TEST(ConstraintOutcome, WhatIsMissedBeforeTheLimitAsksForSteps) {
  EXPECT_THAT(told({{0.05, 0.01, 0, false}, {0.45, 0.02, 5, false}}, true).warnings,
              ElementsAre(AllOf(HasSubstr("missed 1 of 2 constraints"), HasSubstr("still below"),
                                HasSubstr("B <= 0.2 is missed by 0.25"),
                                HasSubstr("--dual-learning-rate"))));
  EXPECT_THAT(told({{0.15, 0.01, 7, true}, {0.45, 0.02, 5, false}}, true).warnings,
              ElementsAre(HasSubstr("at the limit"), HasSubstr("still below")));
}

/// Within two standard deviations, or a tenth of the slack.
TEST(ConstraintOutcome, WhatMayBeNoiseOrIsLittleIsNot) {
  EXPECT_THAT(told({{0.15, 0.03, 7, true}, {0.23, 0.02, 5, false}}, true).warnings, IsEmpty());
  EXPECT_THAT(told({{0.109, 0.001, 7, true}, {0.219, 0.001, 5, false}}, true).warnings, IsEmpty());
}

}  // namespace
}  // namespace equinoise
