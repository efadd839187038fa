// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/means/published_means.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/reproduction/reproduced.h"
#include "tests/test_support.h"

namespace equinoise::published_means_test {

using testing::ours;
using testing::reproduced;

constexpr std::string_view kHead =
    "combination,stratum_id,column_name,mean_value,mean_type,method,exact_data_size,"
    "public_data_size\n";

/// Two stratifications of 1,000 records by sex, and by sex and disability. One stratum of the
/// second is told a mean beyond the bounds 0 and 24.
std::string table() {
  std::string text(kHead);
  const auto add = [&](const std::string& combination, const std::string& stratum, int size,
                       const std::string& exact, const std::string& of_coinpress) {
    const std::string tail = "," + std::to_string(size) + ",1\n";
    text += combination + "," + stratum + ",SCHL," + exact + ",x,standard" + tail;
    text += combination + "," + stratum + ",SCHL," + of_coinpress + ",x,coinpress" + tail;
  };
  add("SEX", "overall", 1000, "14", "15");
  add("SEX", "SEX=1.0", 600, "12", "12.6");
  add("SEX", "SEX=2.0", 400, "17", "18.7");
  add("SEX DIS", "overall", 1000, "14", "15");
  add("SEX DIS", "SEX=1.0-DIS=1.0", 600, "12", "13.2");
  add("SEX DIS", "SEX=2.0-DIS=1.0", 300, "18", "18");
  add("SEX DIS", "SEX=2.0-DIS=2.0", 98, "14", "28");
  add("SEX DIS", "SEX=1.0-DIS=2.0", 0, "0", "0");
  return text + "SEX,overall,WKHP,40,x,standard,900,1\n";
}

constexpr std::string_view kItem = R"(
schema = "equinoise/1"
summary = "results"
data = "published_means"
seeds = 6

[means]
parameter = "strata"
values = [2, 3]
column = "SCHL"
lower = 0
upper = 24
stddev = 2
rho = 0.5
metrics = ["global error", "group error", "typical error", "beyond bounds"]

[methods."authors, everybody"]
curve = "published"
strata = "none"

[methods.authors]
curve = "published"

[methods.one]
estimator = "bounded"
strata = "none"

[methods.strata]
estimator = "bounded"
shrinks = true
overall_share = 0.05

[[claims]]
better = "strata"
than = "one"
metrics = ["group error at 3"]
)";

class PublishedMeansTest : public ::testing::Test {
 protected:
  ReproductionReport run(const std::string& item = std::string(kItem)) const {
    return reproduced(parse_reproduction_item({"002/results", item}),
                      {.data_directory = folder_.path()});
  }

  TempFolder folder_;
};

TEST_F(PublishedMeansTest, AreReadByStratification) {
  const auto path = folder_.write_file("results.csv", table());
  const std::vector<PublishedStratification> all = read_published_means(path, "SCHL");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0].sizes, ElementsAre(600, 400));
  EXPECT_THAT(all[0].exact, ElementsAre(12, 17));
  EXPECT_THAT(all[0].private_means, ElementsAre(12.6, 18.7));
  EXPECT_EQ(all[0].exact_overall, 14);
  EXPECT_EQ(all[0].private_overall, 15);
  // A stratum without a record is left out.
  EXPECT_THAT(all[1].sizes, ElementsAre(600, 300, 98));
  EXPECT_THAT(all[1].levels, ElementsAre(ElementsAre(0, 0), ElementsAre(1, 0), ElementsAre(1, 1)));
}

TEST_F(PublishedMeansTest, ATableThatLacksAFigureIsRefused) {
  const auto error = [&](const std::string& text, std::string_view column) {
    const auto path = folder_.write_file("results.csv", text);
    return error_of(ErrorKind::kInput, [&] { read_published_means(path, column); });
  };
  EXPECT_THAT(error(table(), "WKHP"), HasAll("results.csv", "lacks"));
  EXPECT_THAT(error(table(), "PINCP"), HasSubstr("there are no figures for column 'PINCP'"));
  EXPECT_THAT(error(std::string(kHead) + "SEX,overall,SCHL,secret,x,standard,9,1\n", "SCHL"),
              AllOf(HasSubstr("line 2"), HasSubstr("mean_value"), Not(HasSubstr("secret"))));
  EXPECT_THAT(error(std::string(kHead) + "SEX,overall,SCHL,1,x,other,9,1\n", "SCHL"),
              HasSubstr("'method'"));
  EXPECT_THAT(error("combination,column_name\nSEX,SCHL\n", "SCHL"), HasSubstr("stratum_id"));
}

TEST_F(PublishedMeansTest, ErrorsOfPublishedFiguresAreTheirDistances) {
  folder_.write_file("strat_means_reference.csv.gz", table());
  const ReproductionReport report = run();
  EXPECT_NEAR(ours(report, "authors, everybody global error at 2"), 100.0 / 14, 1e-9);
  EXPECT_NEAR(ours(report, "authors, everybody group error at 2"), 100 * (3 / 12.0 + 2 / 17.0) / 2,
              1e-9);
  // 0.6 12.6 + 0.4 18.7 against 0.6 12 + 0.4 17.
  EXPECT_NEAR(ours(report, "authors global error at 2"), 100 * (15.04 - 14) / 14, 1e-9);
  EXPECT_NEAR(ours(report, "authors group error at 2"), 100 * (0.6 / 12 + 1.7 / 17) / 2, 1e-9);
  EXPECT_NEAR(ours(report, "authors group error at 3"), 100 * (0.1 + 0 + 1) / 3, 1e-9);
  EXPECT_NEAR(ours(report, "authors typical error at 3"), 10, 1e-9);
  EXPECT_NEAR(ours(report, "authors beyond bounds at 3"), 100 / 3.0, 1e-9);
  EXPECT_EQ(ours(report, "authors beyond bounds at 2"), 0);
}

TEST_F(PublishedMeansTest, OursAreOfRecordsWithTheseMeans) {
  folder_.write_file("strat_means_reference.csv.gz", table());
  const ReproductionReport report = run();
  // Documents one mean, strata are off by what the published exact means differ.
  EXPECT_NEAR(ours(report, "one group error at 2"), 100 * (2 / 12.0 + 3 / 17.0) / 2, 2);
  EXPECT_LT(ours(report, "strata group error at 2"), 1);
  EXPECT_LT(ours(report, "strata global error at 3"), 1);
  EXPECT_EQ(ours(report, "strata beyond bounds at 3"), 0);
  ASSERT_EQ(report.tests.size(), 1U);
  EXPECT_EQ(report.tests[0].verdict, Verdict::kReproduces);
}

TEST_F(PublishedMeansTest, WithoutTheFileEverythingIsSkippedWithTheReason) {
  const ReproductionReport report = run();
  ASSERT_FALSE(report.rows.empty());
  for (const ReproductionRow& row : report.rows) {
    EXPECT_EQ(row.verdict, Verdict::kSkipped);
    EXPECT_THAT(row.reason, HasAll("strat_means_reference.csv.gz is missing", "--data-dir"));
  }
}

TEST_F(PublishedMeansTest, ItemsThatMakeNoSenseAreRefused) {
  folder_.write_file("strat_means_reference.csv.gz", table());
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string text(kItem);
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [from, to, what] :
       std::vector<std::tuple<std::string_view, std::string_view, const char*>>{
           {"\"strata\"\nvalues", "\"rho\"\nvalues", "parameter"},
           {"[2, 3]", "[3, 2]", "ascending"},
           {"[2, 3]", "[2, 3, 9]", "more than 3 and at most 9 strata"},
           {"\"global error\"", "\"gap closed\"", "there is no metric gap closed"}}) {
    EXPECT_THAT(error_of(ErrorKind::kInput, [&, from = from, to = to] { run(changed(from, to)); }),
                HasSubstr(what));
  }
}

}  // namespace equinoise::published_means_test
