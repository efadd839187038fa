// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/selftest/selftest.h"

#include <gtest/gtest.h>

#include <set>

#include "equinoise/tasks/selftest/selftest_checks.h"
#include "tests/test_support.h"

namespace equinoise::selftest_test {

/// Keeps what it is told.
class Listener final : public TaskProgress {
 public:
  void stage(const std::string& text) override { stages.push_back(text); }
  std::vector<std::string> stages;
};

SelfTestFinding right() { return {SelfTestOutcome::kPassed, "as it should be"}; }

SelfTestFinding wrong() {
  SelfTestVerdict verdict;
  verdict.add("something was right");
  verdict.require(false, "two is three");
  verdict.require_fit("a law", {3, 2}, 100);
  return verdict.finding();
}

SelfTestFinding unlikely() {
  SelfTestVerdict verdict;
  verdict.require_fit("a law", {3, 2}, 100);
  return verdict.finding();
}

SelfTestFinding broken() { throw Error(ErrorKind::kRuntime, "tests", "no memory"); }

std::string refusal(const std::vector<SelfTestRow>& rows) {
  Listener listener;
  const SelfTestReport report = run_selftest(rows, listener);
  EXPECT_FALSE(report.passed());
  return error_of(ErrorKind::kRuntime, [&] { require_passed(report); });
}

TEST(SelfTest, RowsHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const SelfTestRow& row : selftest_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.what.empty()) << row.name;
  }
  EXPECT_GE(names.size(), 10U);
}

TEST(SelfTest, EveryCheckIsRunWhateverTheOthersFind) {
  Listener listener;
  const SelfTestReport report = run_selftest(
      {{"a", "A", broken}, {"b", "B", wrong}, {"c", "C", unlikely}, {"d", "D", right}}, listener);
  ASSERT_EQ(report.checks.size(), 4U);
  EXPECT_EQ(report.checks[0].finding.outcome, SelfTestOutcome::kError);
  EXPECT_NE(report.checks[0].finding.detail.find("no memory"), std::string::npos);
  EXPECT_EQ(report.checks[1].finding.outcome, SelfTestOutcome::kFailed);
  EXPECT_NE(report.checks[1].finding.detail.find("two is three"), std::string::npos);
  EXPECT_EQ(report.checks[1].finding.detail.find("right"), std::string::npos);
  EXPECT_EQ(report.checks[2].finding.outcome, SelfTestOutcome::kUnlikely);
  EXPECT_EQ(report.checks[3].finding.detail, "as it should be");
  EXPECT_FALSE(report.passed());
  EXPECT_EQ(listener.stages,
            (std::vector<std::string>{"testing a", "testing b", "testing c", "testing d"}));
}

TEST(SelfTest, ChanceIsToldFromAFault) {
  const std::string by_chance = refusal({{"a", "A", right}, {"law", "L", unlikely}});
  EXPECT_NE(by_chance.find("law (unlikely)"), std::string::npos) << by_chance;
  EXPECT_NE(by_chance.find("again"), std::string::npos) << by_chance;
  const std::string fault = refusal({{"law", "L", unlikely}, {"b", "B", wrong}});
  EXPECT_NE(fault.find("b (failed)"), std::string::npos) << fault;
  EXPECT_EQ(fault.find("again"), std::string::npos) << fault;
  const std::string error = refusal({{"b", "B", broken}});
  EXPECT_NE(error.find("b (error)"), std::string::npos) << error;
}

TEST(SelfTest, NothingTestedIsNotPassed) {
  EXPECT_FALSE(SelfTestReport{}.passed());
  Listener listener;
  require_passed(run_selftest({{"a", "A", right}}, listener));
}

}  // namespace equinoise::selftest_test
