// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/tables.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/reproduction/constrained_tables.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::tables_test {

constexpr const char* kAdultHeader =
    "age,workclass,fnlwgt,education,education_num,marital_status,occupation,relationship,race,sex,"
    "capital_gain,capital_loss,hours_per_week,native_country,income\n";

/// Training and test file become one table, without the records that lack a value.
TEST(ReproductionTables, AdultIsBothFilesAndComplete) {
  const TempFolder folder;
  const std::string rest = ",Private,1,HS-grad,9,Divorced,Sales,Unmarried,White,Male,0,0,40,Peru,";
  folder.write_file("adult_train.csv.gz",
                    kAdultHeader + ("20" + rest + ">50K\n21,?" + rest.substr(8) + "<=50K\n"));
  folder.write_file("adult_test.csv.gz", kAdultHeader + ("30" + rest + "<=50K\n"));
  const ReproductionTable table = read_reproduction_table("adult", folder.path());
  EXPECT_EQ(table.dataset.num_records, 2);
  EXPECT_THAT(table.dataset.find_numeric("age")->values, ElementsAre(20, 30));
  EXPECT_THAT(table.dataset.find_categorical("income")->codes, ElementsAre(1, 0));
  EXPECT_THAT(table.dataset.contributes, ElementsAre(1, 1));

  EXPECT_THAT(
      read_reproduction_table("adult", folder.path(), 1).dataset.find_numeric("age")->values,
      ElementsAre(20));

  folder.write_file("adult_test.csv.gz", "age\n30\n");
  EXPECT_ERROR(kInput, HasSubstr("its columns are not those of"),
               read_reproduction_table("adult", folder.path()));
}

/// The score becomes a class: above the median or not.
TEST(ReproductionTables, ParkinsonsIsAboveTheMedianOrNot) {
  const TempFolder folder;
  const std::string header =
      "subject#,age,sex,test_time,motor_UPDRS,total_UPDRS,Jitter(%),Jitter(Abs),Jitter:RAP,"
      "Jitter:PPQ5,Jitter:DDP,Shimmer,Shimmer(dB),Shimmer:APQ3,Shimmer:APQ5,Shimmer:APQ11,"
      "Shimmer:DDA,NHR,HNR,RPDE,DFA,PPE\n";
  const auto row = [](const std::string& score) {
    return "1,72,0,5,28," + score + ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n";
  };
  folder.write_file("parkinsons_updrs.csv.gz", header + row("27.576") + row("27.577") + row("8"));
  const ReproductionTable table = read_reproduction_table("parkinsons", folder.path());
  EXPECT_THAT(table.dataset.find_categorical("total_UPDRS")->codes, ElementsAre(0, 1, 0));
  EXPECT_EQ(table.dataset.num_dropped, 0);

  folder.write_file("parkinsons_updrs.csv.gz", header + row("27.576") + row("high"));
  EXPECT_ERROR(kInput, HasSubstr("row 2 (line 3) column 'total_UPDRS' is not a number"),
               read_reproduction_table("parkinsons", folder.path()));
}

/// White and black students, where nothing that is used is missing.
TEST(ReproductionTables, LawSchoolIsWhiteAndBlackAndComplete) {
  const TempFolder folder;
  const std::string header = [] {
    std::string names;
    for (const ColumnSchema& column :
         parse_schema(find_table_schema("law_school").text, "law_school").columns)
      names += (names.empty() ? "" : ",") + column.name;
    return names + "\n";
  }();
  // Features, the target and the race come first, the rest is ignored.
  const auto row = [&](const std::string& gpa, const std::string& race) {
    return "40,3,0.5,4,1,3," + gpa + "," + race +
           std::string(static_cast<size_t>(std::ranges::count(header, ',')) - 7, ',') + "\n";
  };
  folder.write_file("law_school_bar.csv.gz", header + row("1", "white") + row("", "black") +
                                                 row("-1", "black") + row("0", "asian"));
  const ReproductionTable table = read_reproduction_table("law_school", folder.path());
  EXPECT_THAT(table.dataset.find_numeric("zgpa")->values, ElementsAre(1, -1));
  EXPECT_THAT(table.dataset.find_categorical("race1")->codes, ElementsAre(0, 1));
}

TEST(ReproductionTables, AnUnknownNameIsAnError) {
  EXPECT_ERROR(kUsage, HasSubstr("no table \"iris\""), find_reproduction_table("iris"));
}

/// The real files have as many records as their schemas say, and none is dropped.
TEST(ReproductionTables, FitTheRealFiles) {
  const auto shared = testing::shared_folder();
  if (!shared) GTEST_SKIP() << "no shared data";
  for (const char* name : {"adult", "credit", "credit_limit", "law_school", "parkinsons", "heart",
                           "acs_income_al", "acs_employment"}) {
    SCOPED_TRACE(name);
    const ReproductionTable table = read_reproduction_table(name, *shared / "data");
    EXPECT_EQ(table.dataset.num_records, table.schema.num_records);
    EXPECT_EQ(table.dataset.num_dropped, 0);
    for (const ColumnIngestCounts& counts : table.dataset.counts)
      EXPECT_EQ(counts.clamped + counts.missing, 0) << counts.name;
  }
}

}  // namespace equinoise::tables_test
