// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/training_outcome.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/schema_text.h"

namespace equinoise::training_outcome_test {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

TEST(TrainingOutcome, OfConstraintsIsTheLargestExcessIfAllAreAnswerable) {
  TrainingReport report;
  const auto add = [&](double value, double slack) {
    ConstraintCheck check;
    check.value.value = value;
    check.slack = slack;
    report.constraints.push_back({"", "", slack, "", check});
  };
  EXPECT_TRUE(std::isnan(figures_of_run(CompareMetric::kError, report, {}).violation));
  add(0.05, 0.1);
  add(0.3, 0.1);
  add(0.1, 0.1);
  EXPECT_DOUBLE_EQ(figures_of_run(CompareMetric::kError, report, {}).violation, 0.3 - 0.1);
  add(kUndefined, 0.1);
  add(0.9, 0.1);
  EXPECT_TRUE(std::isnan(figures_of_run(CompareMetric::kError, report, {}).violation));
}

TEST(TrainingOutcome, OfConstraintsHasTheLargestLowerEndAndTheWorstPrivateVerdict) {
  TrainingReport report;
  const auto add = [&](Estimate value, std::optional<Estimate> by_noise) {
    ConstraintReport& constraint = report.constraints.emplace_back();
    constraint.slack = 0.1;
    constraint.check = ConstraintCheck{value, 0.1};
    if (by_noise) constraint.private_check = ConstraintCheck{*by_noise, 0.1};
  };
  add({0.2, {0.15, 0.25}}, std::nullopt);
  CompareRun run = figures_of_run(CompareMetric::kError, report, {});
  EXPECT_DOUBLE_EQ(run.violation_low, 0.15 - 0.1);
  EXPECT_EQ(run.private_verdict, "");
  add({0.3, {0.05, 0.55}}, Estimate{0.05, {0.01, 0.09}});
  run = figures_of_run(CompareMetric::kError, report, {});
  EXPECT_DOUBLE_EQ(run.violation, 0.3 - 0.1);
  EXPECT_DOUBLE_EQ(run.violation_low, 0.15 - 0.1);
  EXPECT_EQ(run.private_verdict, "holds");
  add({kUndefined, {kUndefined, kUndefined}}, Estimate{0.15, {0.01, 0.2}});
  run = figures_of_run(CompareMetric::kError, report, {});
  EXPECT_DOUBLE_EQ(run.violation_low, 0.15 - 0.1);
  EXPECT_EQ(run.private_verdict, "unclear");
}

/// Each of these is worse than the one before it, in whatever order they come.
TEST(TrainingOutcome, TheWorstPrivateVerdictIsTheClearestFailure) {
  const std::vector<std::pair<Estimate, std::string>> verdicts = {
      {{0.05, {0.01, 0.09}}, "holds"},
      {{0.15, {0.01, 0.2}}, "unclear"},
      {{kUndefined, {kUndefined, kUndefined}}, "not answerable"},
      {{0.15, {0.12, 0.2}}, "fails"}};
  for (size_t i = 0; i < verdicts.size(); ++i) {
    for (size_t j = 0; j < verdicts.size(); ++j) {
      TrainingReport report;
      for (const size_t k : {i, j})
        report.constraints.emplace_back().private_check = ConstraintCheck{verdicts[k].first, 0.1};
      const CompareRun run = figures_of_run(CompareMetric::kError, report, {});
      EXPECT_EQ(run.private_verdict, verdicts[std::max(i, j)].second) << i << ' ' << j;
    }
  }
}

TEST(TrainingOutcome, HasTheFigureThatIsAskedFor) {
  TrainingReport report;
  report.classes = {"no", "yes"};
  report.overall.metrics.emplace();
  report.overall.metrics->error.value = 0.25;
  report.overall.metrics->loss.value = 0.5;
  report.overall.metrics->auc.value = 0.875;
  EXPECT_DOUBLE_EQ(figures_of_run(CompareMetric::kError, report, {}).overall, 0.25);
  EXPECT_DOUBLE_EQ(figures_of_run(CompareMetric::kLoss, report, {}).overall, 0.5);
  EXPECT_DOUBLE_EQ(figures_of_run(CompareMetric::kAuc, report, {}).overall, 0.125);
}

TEST(TrainingOutcome, OfTheBestConstantIsWhatNoOtherConstantIsBelow) {
  HeldOutFacts facts;
  facts.class_shares = {0.75, 0.25};
  EXPECT_DOUBLE_EQ(constant_error(CompareMetric::kError, facts, "auto"), 0.25);
  EXPECT_DOUBLE_EQ(constant_error(CompareMetric::kAuc, facts, "auto"), 0.5);
  const double best = constant_error(CompareMetric::kLoss, facts, "auto");
  for (const double p : {0.2, 0.24, 0.25, 0.26, 0.3})
    EXPECT_GE(-0.75 * std::log(1 - p) - 0.25 * std::log(p), best - 1e-12);
  EXPECT_DOUBLE_EQ(best, -0.75 * std::log(0.75) - 0.25 * std::log(0.25));
  const double hinge = constant_error(CompareMetric::kLoss, facts, "hinge");
  for (const double z : {-2.0, -1.0, -0.5, 0.0, 1.0})
    EXPECT_GE(0.75 * std::fmax(0, 1 + z) + 0.25 * std::fmax(0, 1 - z), hinge - 1e-12);
  EXPECT_DOUBLE_EQ(hinge, 0.5);

  facts = {};
  facts.target_variance = 8;
  facts.target_divisor = 2;
  EXPECT_DOUBLE_EQ(constant_error(CompareMetric::kError, facts, "auto"), 1);
  EXPECT_DOUBLE_EQ(constant_error(CompareMetric::kLoss, facts, "auto"), 1);
  EXPECT_TRUE(std::isnan(constant_error(CompareMetric::kLoss, {}, "auto")));
}

/// Units of two rows and of one: each counts once, in the group of most of its rows.
TEST(TrainingOutcome, OfUnitsEachCountsOnce) {
  Schema schema = parse_schema(units_head("visits", "y", 4, "id", 3) + ignored_section("id") +
                                   categorical_section("sex", {"F", "M"}) +
                                   categorical_section("y", {"no", "yes"}),
                               "test");
  Dataset table;
  table.num_records = 7;
  table.categorical = {{"sex", {"F", "M"}, {0, 1, 1, 1, 0, 0, 0}},
                       {"y", {"no", "yes"}, {1, 1, 0, 0, 1, 0, 1}}};
  table.contributes = {1, 1, 1, 1, 1, 0, 1};
  table.unit_begin = {0, 3, 4, 6, 7};
  const std::vector<Grouping> groupings = {list_groups(schema, {"sex"})};
  const HeldOutFacts facts = held_out_facts(table, schema, groupings, {}, {0, 1, 2});
  EXPECT_EQ(facts.group_sizes, (std::vector<int64_t>{1, 2}));
  ASSERT_EQ(facts.class_shares.size(), 2U);
  EXPECT_NEAR(facts.class_shares[1], (2.0 / 3 + 0 + 1) / 3, 1e-12);
  EXPECT_EQ(metric_in_words(CompareMetric::kError, schema),
            "share of held-out units (id) with a wrong y");
}

}  // namespace equinoise::training_outcome_test
