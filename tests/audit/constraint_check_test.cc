#include "equinoise/audit/constraint_check.h"

#include <gtest/gtest.h>

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
