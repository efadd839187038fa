#include "equinoise/means/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "equinoise/means/automatic.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(MeanRegistry, ARowFollowsWholeFlags) {
  const MeanEstimatorRow& laplace = find_mean_estimator("laplace");
  EXPECT_TRUE(laplace.follows("--gamma"));
  EXPECT_TRUE(find_mean_estimator("coinpress").follows("--beta"));
  for (const char* flag : {"--steps", "--gam", "gamma", "--gamma --steps", ""})
    EXPECT_FALSE(laplace.follows(flag)) << flag;
}

/// What a row says that its estimator follows, changes what is drawn or clipped to, and nothing
/// else does; a flag that no row has is followed by all.
TEST(MeanRegistry, OptionsOfARowDoSomethingAndNoOthersDo) {
  struct FlagCase {
    const char* flag;
    void (*change)(MeanConfig& config);
  };
  constexpr FlagCase kCases[] = {
      {"--steps", [](MeanConfig& config) { config.num_steps = 5; }},
      {"--beta", [](MeanConfig& config) { config.beta = 0.3; }},
      {"--constants", [](MeanConfig& config) { config.constants = "code"; }},
      {"--quantile-cells", [](MeanConfig& config) { config.num_cells = 64; }},
      {"--clipped-share", [](MeanConfig& config) { config.clipped_share = 0.2; }},
      {"--gamma", [](MeanConfig& config) { config.gamma = 0.01; }},
  };
  const std::vector<MeanColumn> columns = {{"x", 0, 100, 2.0}};
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const auto estimator = row.make();
    const auto outcome = [&](const MeanConfig& config) {
      return std::tuple(estimator->events(columns, 1000, 0.1, config),
                        estimator->predicted_noise(columns, 0, 1000, 0.1, config),
                        estimator->public_clip(columns[0], 1000, config),
                        estimator->num_counts(config));
    };
    for (const FlagCase& known : kCases) {
      MeanConfig before;
      before.constants = "paper";
      MeanConfig after = before;
      known.change(after);
      const bool is_of_all =
          std::none_of(mean_estimators().begin(), mean_estimators().end(),
                       [&](const MeanEstimatorRow& any) { return any.follows(known.flag); });
      EXPECT_EQ(outcome(before) != outcome(after), is_of_all || row.follows(known.flag))
          << row.name << " " << known.flag;
    }
  }
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
