// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/dominance.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "equinoise/audit/seed_mean.h"
#include "tests/test_support.h"

namespace equinoise::dominance_test {

Guarantee guarantee(double epsilon) {
  return {Epsilon(epsilon), Delta(1e-5), AccountantName::kPld, Relation::kZeroOut};
}

/// Five runs about these errors; `wobble` is how they vary by seed.
CompareRow row(const std::string& method, double overall, double worst, double wobble = 0.001,
               double epsilon = 1) {
  CompareRow made;
  made.method = method;
  made.epsilon = epsilon;
  made.weakest = guarantee(epsilon);
  const double steps[] = {-1, 1, 0.5, -0.5, 0};
  std::vector<double> of_all;
  std::vector<double> of_worst;
  for (uint64_t s = 0; s < 5; ++s) {
    CompareRun run;
    run.seed = s;
    // All rows share most of what a seed does to them.
    run.overall = overall + 0.05 * static_cast<double>(s) + wobble * steps[s];
    run.worst_group = worst + 0.05 * static_cast<double>(s) + wobble * steps[s];
    of_all.push_back(run.overall);
    of_worst.push_back(run.worst_group);
    made.runs.push_back(run);
  }
  made.overall = mean_over_seeds(of_all);
  made.worst_group = mean_over_seeds(of_worst);
  return made;
}

/// `weakest`: the epsilon of the last row, if it is not the same.
CompareReport report_of(std::vector<CompareRow> rows, std::optional<double> weakest = {}) {
  CompareReport report;
  report.num_seeds = 5;
  report.baseline = "the best constant prediction";
  report.is_public = true;
  report.groups.resize(2);
  report.groups[0].is_counted = true;
  report.groups[0].group = {{"sex", "F"}};
  report.constant.value = 0.9;
  report.rows = std::move(rows);
  if (weakest) report.rows.back().weakest = guarantee(*weakest);
  mark_dominated(report);
  recommend(report);
  return report;
}

TEST(Dominance, IsFoundByPairsThoughIntervalsOfRowsOverlap) {
  const CompareReport report = report_of({row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.002)});
  ASSERT_GT(report.rows[0].overall.interval.high, report.rows[1].overall.interval.low);
  EXPECT_EQ(report.rows[0].dominated, false);
  EXPECT_EQ(report.rows[1].dominated, true);
  EXPECT_EQ(report.rows[1].dominated_by, "good");
  EXPECT_EQ(report.num_comparisons, 2);
  ASSERT_EQ(report.advice.size(), 1U);
  EXPECT_EQ(report.advice[0].row, 0U);
  EXPECT_THAT(
      report.advice[0].sentence,
      AllOf(StartsWith("good is recommended"),
            HasSubstr("than the other one, overall (20.0 %) and in the worst group (30.0 %)")));
}

/// A budget that is met more or less exactly is no figure that a user chose.
TEST(Dominance, SaysWhereOnlyPrivacyHoldsARowBack) {
  const CompareReport report =
      report_of({row("good", 0.1, 0.2), row("private", 0.12, 0.22, 0.002)}, 0.95);
  EXPECT_FALSE(report.advice[0].row);
  EXPECT_THAT(report.advice[0].sentence,
              AllOf(StartsWith("no method is clearly better"), HasSubstr("more seeds, or fewer"),
                    HasSubstr("good (epsilon 1) has better figures than all others, but protects "
                              "less than private (epsilon 0.95)")));
}

TEST(Dominance, NamesTheGroupWhoseErrorIsUndefined) {
  CompareRow open = row("open", 0.1, 0.2);
  open.worst_group.value = std::numeric_limits<double>::quiet_NaN();
  open.group_errors.resize(2);
  open.group_errors[1].value = 0.1;
  const CompareReport report = report_of({open, row("good", 0.1, 0.2), row("bad", 0.12, 0.22)});
  EXPECT_THAT(report.advice[0].sentence,
              HasSubstr("open (the error of F is undefined in some run)"));
}

TEST(Dominance, NeedsADifferenceBeyondChance) {
  const CompareReport report = report_of({row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.2)});
  EXPECT_EQ(report.rows[1].dominated, false);
  EXPECT_EQ(report.advice[0].row, std::nullopt);
  EXPECT_THAT(report.advice[0].sentence, StartsWith("no method is clearly better: of 2 compared"));
}

/// A difference that one test would call significant is none among many tests.
TEST(Dominance, CountsAllComparisons) {
  std::vector<CompareRow> rows = {row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.012)};
  EXPECT_EQ(report_of(rows).rows[1].dominated, true);
  for (int i = 0; i < 30; ++i) rows.push_back(row("other", 0.1, 0.2, 0.5));
  const CompareReport report = report_of(rows);
  EXPECT_EQ(report.num_comparisons, 2 * 32 * 31 / 2);
  EXPECT_EQ(report.rows[1].dominated, false);
}

TEST(Dominance, IsNoneWhereTheWorstGroupIsWorse) {
  const CompareReport report = report_of({row("low", 0.1, 0.3), row("fair", 0.2, 0.2, 0.002)});
  EXPECT_EQ(report.rows[0].dominated, false);
  EXPECT_EQ(report.rows[1].dominated, false);
  EXPECT_THAT(report.advice[0].sentence,
              HasAll("overall error is 20.0 % (low)", "the worst group 30.0 % (fair)"));
}

/// What breaks the constraints is not better than what keeps them.
TEST(Dominance, NeedsTheConstraintsToBeKeptAsWell) {
  std::vector<CompareRow> rows = {row("low", 0.1, 0.2), row("fair", 0.12, 0.22, 0.002)};
  const auto report_with = [&](double low, double fair) {
    rows[0].violation.value = low;
    rows[1].violation.value = fair;
    CompareReport report = report_of(rows);
    report.has_constraints = true;
    mark_dominated(report);
    recommend(report);
    return report;
  };
  EXPECT_EQ(report_with(0.1, -0.01).rows[1].dominated, false);
  EXPECT_EQ(report_with(0.1, -0.01).advice[0].row, std::nullopt);
  // Both keep them; how much room is left does not matter.
  EXPECT_EQ(report_with(-0.01, -0.02).rows[1].dominated, true);
  EXPECT_THAT(report_with(-0.01, -0.02).advice[0].sentence, HasSubstr("keeps the constraints"));
  const CompareReport both_over = report_with(0.1, 0.2);
  EXPECT_EQ(both_over.rows[1].dominated, true);
  EXPECT_EQ(both_over.advice[0].row, std::nullopt);
  EXPECT_THAT(
      both_over.advice[0].sentence,
      HasSubstr("low dominates all others, but is over the slack of a constraint by 0.100"));
  const CompareReport open = report_with(std::numeric_limits<double>::quiet_NaN(), 0.2);
  EXPECT_EQ(open.rows[0].dominated, std::nullopt);
  EXPECT_EQ(open.rows[1].dominated, false);
  EXPECT_THAT(
      open.advice[0].sentence,
      HasSubstr("one method only; not compared: low (a constraint is not answerable in some run)"));
}

/// To protect the values of records but not their groups is less than to protect both.
TEST(Dominance, IsNoneWhereGroupsAreTakenAsPublic) {
  std::vector<CompareRow> rows = {row("apart", 0.1, 0.2), row("both", 0.3, 0.4, 0.002)};
  rows[0].public_groups = {"sex"};
  EXPECT_EQ(report_of(rows).rows[1].dominated, false);
  EXPECT_EQ(report_of(rows).advice[0].row, std::nullopt);
  rows[1].public_groups = {"sex", "race"};
  EXPECT_EQ(report_of(rows).rows[1].dominated, true);
}

TEST(Dominance, IsNoneAcrossEpsilonsAndWithWeakerPrivacy) {
  CompareRow leaky = row("leaky", 0.1, 0.2);
  leaky.weakest = guarantee(1.5);
  const CompareReport report =
      report_of({leaky, row("tight", 0.3, 0.4, 0.002), row("other budget", 0.5, 0.6, 0.002, 3)});
  for (const CompareRow& one : report.rows) EXPECT_EQ(one.dominated, false) << one.method;
  // A budget that noise meets a little less closely is the same one.
  leaky.weakest = guarantee(1.0001);
  EXPECT_EQ(report_of({leaky, row("tight", 0.3, 0.4, 0.002)}).rows[1].dominated, true);
}

TEST(Dominance, IsNotKnownOfReferencesAndOfUndefinedFigures) {
  CompareRow reference = row("sgd", 0.1, 0.2);
  reference.epsilon.reset();
  reference.weakest.reset();
  const double undefined = std::numeric_limits<double>::quiet_NaN();
  const CompareReport report = report_of({reference, row("diverged", undefined, 0.3),
                                          row("one", 0.4, 0.5), row("no group", 0.1, undefined)});
  EXPECT_EQ(report.rows[0].dominated, std::nullopt);
  EXPECT_EQ(report.rows[1].dominated, std::nullopt);
  EXPECT_EQ(report.rows[2].dominated, false);
  EXPECT_EQ(report.rows[3].dominated, std::nullopt);
  EXPECT_EQ(report.num_comparisons, 0);
  EXPECT_THAT(report.advice[0].sentence,
              AllOf(StartsWith("no method is recommended: there are figures"),
                    HasSubstr("no group (the error of a group is undefined in some run)")));
}

TEST(Dominance, WithoutCountedGroupsFollowsTheOverallErrorAlone) {
  std::vector<CompareRow> rows = {row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.002)};
  for (CompareRow& one : rows) {
    one.worst_group = {};
    for (CompareRun& run : one.runs) run.worst_group = std::numeric_limits<double>::quiet_NaN();
  }
  CompareReport report = report_of(rows);
  report.groups[0].is_counted = false;
  mark_dominated(report);
  recommend(report);
  EXPECT_EQ(report.num_comparisons, 1);
  EXPECT_EQ(report.rows[1].dominated, true);
  EXPECT_THAT(report.advice[0].sentence,
              AllOf(Not(HasSubstr("worst group")), HasSubstr("rests on overall error alone")));
  report.groups.clear();
  recommend(report);
  EXPECT_THAT(report.advice[0].sentence, Not(HasSubstr("alone")));
}

TEST(Recommendation, IsNoneOfOneSeedOrBelowAConstant) {
  CompareReport report = report_of({row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.002)});
  report.constant.value = 0.15;
  recommend(report);
  EXPECT_EQ(report.advice[0].row, std::nullopt);
  EXPECT_THAT(report.advice[0].sentence, HasSubstr("best constant prediction (15.0 %)"));
  report.constant.value = 0.9;
  report.num_seeds = 1;
  for (CompareRow& one : report.rows) one.runs.resize(1);
  mark_dominated(report);
  recommend(report);
  EXPECT_EQ(report.rows[1].dominated, std::nullopt);
  EXPECT_EQ(report.num_comparisons, 0);
  EXPECT_THAT(report.advice[0].sentence, HasSubstr("one seed"));
}

/// One that is better than some of the others and as good as one is not clearly better.
TEST(Recommendation, NeedsToDominateEveryOther) {
  const CompareReport report = report_of(
      {row("good", 0.1, 0.2), row("as good", 0.1001, 0.2001, 0.002), row("bad", 0.2, 0.3, 0.002)});
  EXPECT_EQ(report.rows[2].dominated, true);
  EXPECT_EQ(report.advice[0].row, std::nullopt);
  EXPECT_THAT(report.advice[0].sentence, HasSubstr("of 3 compared, 2 are not dominated"));
}

TEST(Recommendation, IsNoneOfAPrivateTable) {
  CompareReport report = report_of({row("good", 0.1, 0.2), row("bad", 0.12, 0.22, 0.002)});
  report.is_public = false;
  recommend(report);
  EXPECT_TRUE(report.advice.empty());
}

}  // namespace equinoise::dominance_test
