#include "equinoise/audit/constraint_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"

namespace equinoise {
namespace {

/// 40 women of whom 10 are predicted positive, 60 men of whom 30 are, and a null record.
struct Given {
  Given() {
    for (int i = 0; i < 101; ++i) {
      const bool is_woman = i < 40;
      contexts.push_back(GroupId(is_woman ? 0 : 1));
      table.labels.push_back(static_cast<uint16_t>(i % 2));
      table.contributes.push_back(i < 100 ? 1 : 0);
      predictions.predicted.push_back(is_woman ? i < 10 : i < 70 || i == 100);
    }
    table.num_records = 101;
  }

  std::vector<ConstraintCheck> check(const std::string& line) const {
    const ConstraintDomain domain = testing::sex_and_race();
    std::vector<std::string> notes;
    return check_constraints(compile_constraints(domain, parse_constraint(line, domain), notes),
                             table, contexts, predictions);
  }

  EncodedTable table;
  std::vector<GroupId> contexts;
  Predictions predictions;
};

TEST(ConstraintCheck, ValuesAreThoseOfPredictedClasses) {
  const auto checks = Given().check("demographic_parity:sex:0.3");
  ASSERT_EQ(checks.size(), 2);
  EXPECT_DOUBLE_EQ(checks[0].value.value, -0.25);
  EXPECT_DOUBLE_EQ(checks[1].value.value, 0.25);
  // Score intervals 10 of 40: [0.1419, 0.4019], 30 of 60: [0.3773, 0.6227].
  EXPECT_NEAR(checks[1].value.interval.low, 0.25 - std::hypot(0.4019 - 0.25, 0.5 - 0.3773), 1e-4);
  EXPECT_NEAR(checks[1].value.interval.high, 0.25 + std::hypot(0.25 - 0.1419, 0.6227 - 0.5), 1e-4);
}

TEST(ConstraintCheck, VerdictsSayWhetherTheRecordsDecide) {
  EXPECT_EQ(verdict_of(Given().check("demographic_parity:sex:0.3")[0]), "holds");
  EXPECT_EQ(verdict_of(Given().check("demographic_parity:sex:0.3")[1]), "holds, unclear");
  EXPECT_EQ(verdict_of(Given().check("demographic_parity:sex:0.2")[1]), "fails, unclear");
  EXPECT_EQ(verdict_of(Given().check("demographic_parity:sex:0.01")[1]), "fails");
}

/// Three classes of one group, a group within everybody, two groups that overlap: intervals of sums
/// of correlated rates hold the truth about as often as they say.
TEST(ConstraintCheck, IntervalsCoverWhereRatesAreOfTheSameRecords) {
  constexpr uint64_t kSeed = 20261204;
  constexpr int kRuns = 4000;
  constexpr size_t kRecords = 300;
  const ConstraintDomain domain = {{{"sex", {"F", "M"}}, {"race", {"White", "Black", "Other"}}},
                                   {"low", "middle", "high"}};
  struct Case {
    std::string terms;
    double truth;
  };
  // Whatever the group, predictions are low, middle and high with 0.6, 0.3 and 0.1.
  const std::vector<Case> cases = {
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = -1, pred = ['middle'], given = {sex = 'F'}}",
       0.3},
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = 2, pred = ['high'], given = {sex = 'F'}}",
       0.8},
      {"{coef = 1, pred = ['low'], given = {race = 'White'}}, {coef = -1, pred = ['low'], given = "
       "{}}",
       0},
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = 1, pred = ['low'], given = {race = ['White', 'Black']}}",
       1.2},
      {"{coef = 1, pred = ['middle'], given = {sex = 'F', race = 'Other'}},"
       "{coef = -1, pred = ['middle'], given = {race = 'Other'}}",
       0}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.terms);
    std::vector<std::string> notes;
    const RateProgram program = compile_constraints(
        domain,
        parse_constraints_toml("[[constraint]]\nslack = 0\nterms = [" + c.terms + "]", "c", domain),
        notes);
    const bool has_sex = program.attributes[0] == "sex";
    const bool has_race = program.attributes.back() == "race";
    std::mt19937_64 random(kSeed);
    EncodedTable table;
    table.num_records = kRecords;
    table.labels.assign(kRecords, 0);
    table.contributes.assign(kRecords, 1);
    std::vector<GroupId> contexts(kRecords, GroupId(0));
    Predictions predictions;
    predictions.predicted.resize(kRecords);
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      for (size_t i = 0; i < kRecords; ++i) {
        const uint64_t drawn = random() % 10;
        predictions.predicted[i] = static_cast<uint16_t>(drawn < 6 ? 0 : drawn < 9 ? 1 : 2);
        const auto sex = static_cast<uint32_t>(random() % 2);
        const auto race = static_cast<uint32_t>(random() % 3);
        contexts[i] = GroupId((has_sex ? sex * (has_race ? 3 : 1) : 0) + (has_race ? race : 0));
      }
      const Interval interval =
          check_constraints(program, table, contexts, predictions)[0].value.interval;
      covered += interval.low <= c.truth && c.truth <= interval.high ? 1 : 0;
    }
    const double share = static_cast<double>(covered) / kRuns;
    std::printf("%s: covers %.4f; seed %llu, %d runs\n", c.terms.c_str(), share,
                static_cast<unsigned long long>(kSeed), kRuns);
    // 4.9 standard deviations of the share, and what score intervals are off by at such sizes.
    EXPECT_NEAR(share, 0.95, 4.9 * std::sqrt(0.95 * 0.05 / kRuns) + 0.01);
  }
}

TEST(ConstraintCheck, ARateOfNobodyDecidesNothing) {
  Given given;
  for (uint16_t& label : given.table.labels) label = 0;
  std::fill(given.contexts.begin(), given.contexts.end(), GroupId(0));
  const auto checks = given.check("fnr:0.1");
  EXPECT_EQ(checks[0].value.value, 0);
  EXPECT_EQ(verdict_of(checks[0]), "holds, unclear");
}

}  // namespace
}  // namespace equinoise
