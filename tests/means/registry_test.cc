// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "equinoise/means/automatic.h"
#include "equinoise/means/estimators/estimators.h"
#include "tests/test_support.h"
#include "tests/trial_values.h"

namespace equinoise::registry_test {
namespace {

TEST(MeanRegistry, ARowFollowsWholeNames) {
  const MeanEstimatorRow& laplace = find_mean_estimator("laplace");
  EXPECT_TRUE(laplace.follows("gamma"));
  EXPECT_TRUE(find_mean_estimator("coinpress").follows("beta"));
  for (const char* option : {"steps", "gam", "--gamma", "gamma steps", ""})
    EXPECT_FALSE(laplace.follows(option)) << option;
}

/// What a row says that its estimator follows, changes what is drawn or clipped to, and nothing
/// else does; what all follow is no row's.
TEST(MeanRegistry, OptionsOfARowDoSomethingAndNoOthersDo) {
  const std::vector<MeanColumn> columns = {{"x", 0, 100, 2.0}};
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const auto estimator = row.make();
    const auto outcome = [&](const MeanConfig& config) {
      return std::tuple(estimator->events(columns, 1000, 0.1, config),
                        estimator->predicted_noise(columns, 0, 1000, 0.1, config),
                        estimator->public_clip(columns[0], 1000, config),
                        estimator->num_counts(config));
    };
    for (const MeanOption& option : mean_options()) {
      bool has_effect = false;
      // The paper's constants follow beta, the code's do not.
      for (const char* constants : {"auto", "paper"}) {
        MeanConfig before;
        apply_settings<MeanConfig>("test", mean_options(), {{{"constants", constants}}}, before);
        for (const OptionValue& value : testing::trial_values(option, before)) {
          MeanConfig after = before;
          apply_settings<MeanConfig>("test", {&option, 1},
                                     {{{std::string(option.facts.name), value}}}, after);
          has_effect = has_effect || outcome(before) != outcome(after);
        }
      }
      EXPECT_EQ(has_effect, row.follows(option.facts.name)) << row.name << " " << option.facts.name;
    }
    MeanConfig counts;
    counts.clipped_share = 0.2;
    EXPECT_NE(outcome(counts), outcome({}));
  }
}

TEST(MeanRegistry, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"quantile\"?"), find_mean_estimator("quantil"));
}

/// Each candidate at the budget that it may have: at epsilon 1 and delta 1e-6 Laplace noise has rho
/// 0.5 for one column, Gaussian noise 0.0197 or so.
TEST(MeanRegistry, AutoTakesTheCandidateWithTheNarrowestIntervalsAtItsOwnBudget) {
  MeansQuestion question;
  question.columns = {{"x", 0, 1000, 1.0}};
  question.num_strata = 2;
  question.sizes = {1000, 2000};
  const auto chosen = [&](double of_bounded, double of_laplace) {
    return choose_plan(question, [&](const std::string& method) {
      EXPECT_TRUE(find_mean_estimator(method).is_candidate) << method;
      return method == "laplace" ? of_laplace : of_bounded;
    });
  };
  const MeansPlan laplace = chosen(0.0197, 0.5);
  EXPECT_EQ(laplace.parts[0].method, "laplace");
  EXPECT_EQ(laplace.question.rho, 0.5);
  EXPECT_THAT(laplace.parts[0].reason, HasSubstr("by bounded"));
  const MeansPlan bounded = chosen(0.1, 0.1);
  EXPECT_EQ(bounded.parts[0].method, "bounded");
  EXPECT_EQ(bounded.question.rho, 0.1);
  // Also where sizes are private, and gaps do not matter.
  question.columns[0].has_gaps = true;
  question.sizes.clear();
  question.private_sizes = true;
  question.config.relation = Relation::kZeroOut;
  EXPECT_EQ(chosen(0.0197, 0.5).parts[0].method, "laplace");
  EXPECT_EQ(chosen(0.1, 0.1).parts[0].method, "bounded");
}

TEST(MeanRegistry, AutoLeavesOutACandidateThatRefusesAndSaysWhyIfAllDo) {
  MeansQuestion question;
  question.columns = {{"x", 0, 1000, {}}};
  question.sizes = {1000};
  question.config.own.of<LaplaceOptions>().gamma =
      0.01;  // laplace needs a standard deviation for that
  const auto same = [](const std::string&) { return 0.1; };
  EXPECT_EQ(choose_plan(question, same).parts[0].method, "bounded");
  question.columns[0].upper = -1;
  EXPECT_ERROR(kUsage, HasSubstr("ascending"), choose_plan(question, same));
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
}  // namespace equinoise::registry_test
