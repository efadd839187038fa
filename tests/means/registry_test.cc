#include "equinoise/means/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/means/automatic.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MeanRegistry, ARowFollowsWholeFlags) {
  const MeanEstimatorRow& laplace = find_mean_estimator("laplace");
  EXPECT_TRUE(laplace.follows("--gamma"));
  EXPECT_TRUE(laplace.follows("--clipped-share"));
  for (const char* flag : {"--steps", "--gam", "-share", "--gamma --clipped-share", ""})
    EXPECT_FALSE(laplace.follows(flag)) << flag;
}

TEST(MeanRegistry, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_mean_estimator("quantil"); }),
              HasSubstr("did you mean quantile?"));
}

TEST(MeanRegistry, AutoTakesTheCandidateWithTheLeastNoise) {
  MeanConfig config;
  MeanColumn column{"x", 0, 10, 1.0};
  const std::vector<double> sizes = {1000, 2000};
  // Bounds that are a few standard deviations apart, and many.
  EXPECT_EQ(choose_mean_estimator(column, sizes, 0.1, config).method, "bounded");
  column.upper = 1000;
  const MeanChoice wide = choose_mean_estimator(column, sizes, 0.1, config);
  EXPECT_EQ(wide.method, "coinpress");
  EXPECT_THAT(wide.reason, AllOf(HasSubstr("1e+03 standard deviations"), HasSubstr("of bounded")));
  column.stddev.reset();
  EXPECT_EQ(choose_mean_estimator(column, sizes, 0.1, config).method, "bounded");
  EXPECT_EQ(choose_without_sizes().method, "bounded");
}

TEST(MeanRegistry, WhatARowNeedsIsWhatItsEstimatorRefusesToDoWithout) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const auto estimator = row.make();
    const auto events = [&] { estimator->events({{"x", 0, 1, {}}}, 100, 0.1, MeanConfig()); };
    if (estimator->needs_stddev()) {
      EXPECT_THAT(error_of(ErrorKind::kUsage, events), HasSubstr("--stddev x=NUMBER")) << row.name;
    } else {
      EXPECT_NO_THROW(events()) << row.name;
    }
  }
}

}  // namespace
}  // namespace equinoise
