// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/quick_check.h"

#include <gtest/gtest.h>

#include "equinoise/report/field_json.h"
#include "equinoise/reproduction/reproduce.h"
#include "tests/reproduction/constrained_tables.h"
#include "tests/reproduction/dutch_table.h"
#include "tests/test_support.h"

namespace equinoise::quick_check_test {

using ::testing::Field;

using Outcome = QuickCheck::Outcome;

QuickChecks check(const std::vector<std::string>& items, const TempFolder& folder) {
  TrainProgress silent;
  return check_items(items, folder.path(), 2, silent);
}

/// Every kind but synthesis, whose tables are not made up here, and figures over runs of a table.
TEST(QuickCheck, EveryKindHasAShortForm) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  testing::write_credit_table(folder, 1300);
  const std::vector<std::string> items = {"000/figure3",  "000/table4",        "000/credit",
                                          "001/table5",   "001/figure3",       "001/figure11",
                                          "001/figure15", "002/figure1",       "002/figure3",
                                          "003/rates",    "004/figure4_credit"};
  for (const QuickCheck& one : check(items, folder).checks) {
    EXPECT_EQ(one.outcome, Outcome::kRan) << one.item << ": " << one.reason;
    EXPECT_GT(one.num_figures, 0U) << one.item;
    EXPECT_EQ(one.reason, "");
  }
}

TEST(QuickCheck, AnItemThatFailsLeavesTheOthers) {
  const TempFolder folder;
  folder.write_file("dutch_census_2001.csv.gz", "sex\n1\n");
  const QuickChecks all = check({"001/table5", "001/table4", "002/figure1"}, folder);
  const std::vector<QuickCheck>& checks = all.checks;
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[0].outcome, Outcome::kFailed);
  EXPECT_THAT(checks[0].reason, HasSubstr("dutch_census_2001.csv.gz"));
  EXPECT_EQ(checks[1].outcome, Outcome::kSkipped);
  EXPECT_THAT(checks[1].reason, HasSubstr("adult_train.csv.gz is missing"));
  EXPECT_EQ(checks[2].outcome, Outcome::kRan);

  const nlohmann::ordered_json json = document_of("reproduce --all --quick", all);
  EXPECT_EQ(json.at("failed"), 1);
  EXPECT_EQ(json.at("rows").at(1).at("outcome"), "skipped");
  EXPECT_THAT(quick_checks_to_text(all),
              HasAll("001/table5   failed", "ran 1, failed 1, skipped 1"));
}

/// No short form can say anything about published figures.
TEST(QuickCheck, NothingIsJudged) {
  const TempFolder folder;
  testing::write_dutch_table(folder, 1300);
  ReproduceRequest request;
  request.data_directory = folder.path();
  request.quick = true;
  TrainProgress silent;
  for (const char* item : {"001/table5", "001/figure11", "002/figure1", "000/table4"}) {
    request.item = item;
    const ReproductionReport report = reproduce(request, silent);
    EXPECT_THAT(report.notes, Contains(HasSubstr("nothing is judged")));
    for (const ReproductionRow& row : report.rows) {
      EXPECT_EQ(row.verdict, row.published ? Verdict::kNotJudged : Verdict::kNoPublishedNumber)
          << row.name();
      EXPECT_EQ(row.num_seeds, 1);
      EXPECT_FALSE(row.meets_target);
    }
    EXPECT_THAT(report.tests,
                Not(Contains(Field(&ReproductionTest::verdict, Verdict::kReproduces))));
    EXPECT_THAT(report.tests, Not(Contains(Field(&ReproductionTest::verdict, Verdict::kDiffers))));
  }
}

TEST(QuickCheck, AnInterruptionEndsIt) {
  class InterruptedAfterOne final : public TrainProgress {
   public:
    bool interrupted() const override { return num_items >= 1; }
    void step_done(int64_t num_done) override { num_items = num_done; }
    int64_t num_items = 0;
  };
  const TempFolder folder;
  InterruptedAfterOne progress;
  EXPECT_THAT(
      error_of(
          ErrorKind::kRuntime,
          [&] {
            check_items({"002/figure1", "002/figure3", "002/figure6"}, folder.path(), 1, progress);
          }),
      HasSubstr("interrupted: nothing was written"));
  EXPECT_EQ(progress.num_items, 1);
}

}  // namespace equinoise::quick_check_test
