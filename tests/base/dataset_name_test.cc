// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/dataset_name.h"

#include <gtest/gtest.h>

namespace equinoise::dataset_name_test {

TEST(DatasetName, LettersDigitsAndAFewCharacters) {
  EXPECT_TRUE(is_dataset_name("adult_2.0-x"));
  for (const char* name : {"", "a b", "a/b", "a\nb", "\xc3\xa4", "a,b"}) {
    EXPECT_FALSE(is_dataset_name(name)) << name;
  }
}

TEST(DatasetName, ADatasetIsNamedAfterItsFile) {
  EXPECT_EQ(dataset_name_of("dir/adult.csv.gz"), "adult");
  EXPECT_EQ(dataset_name_of("adult.arff.gz"), "adult");
  EXPECT_EQ(dataset_name_of("adult-domain.json"), "adult");
  EXPECT_EQ(dataset_name_of("adult_domain.json"), "adult");
  EXPECT_EQ(dataset_name_of("people.2018.parquet"), "people.2018");
  EXPECT_EQ(dataset_name_of("my table (1).csv"), "my_table__1_");
  EXPECT_EQ(dataset_name_of("domain.json"), "domain");
  EXPECT_EQ(dataset_name_of("\xc3\xa4.jsonl"), "__");
}

}  // namespace equinoise::dataset_name_test
