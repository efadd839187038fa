// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/learnt_columns.h"

#include "tests/test_support.h"

namespace equinoise::learnt_columns_test {

class LearntColumnsTest : public ::testing::Test {
 protected:
  LearntColumns learn(const std::string& text, const std::vector<std::string>& names,
                      size_t max_values = 10) {
    return learn_columns(folder.write_file("t.csv", text), {}, {"", "?", "-9"}, names, max_values);
  }

  TempFolder folder;
};

TEST_F(LearntColumnsTest, NumbersAreComparedAsNumbers) {
  const LearntColumns learnt = learn("b;a\nx; 10\ny;2.0\n;2\nx;?\ny;-9.0\n", {"a", "b"});
  EXPECT_EQ(learnt.layout.delimiter, ';');
  EXPECT_THAT(learnt.header, ElementsAre("b", "a"));
  const LearntColumns::Column& a = learnt.columns[0];
  EXPECT_TRUE(a.are_numbers && a.is_complete && a.has_missing);
  EXPECT_THAT(a.values, ElementsAre("2", "10"));
  const LearntColumns::Column& b = learnt.columns[1];
  EXPECT_FALSE(b.are_numbers);
  EXPECT_TRUE(b.has_missing);
  EXPECT_THAT(b.values, ElementsAre("x", "y"));
}

TEST_F(LearntColumnsTest, TextsAreKeptAsTheyStand) {
  const LearntColumns learnt = learn("a,b\n01,x\n10,y\n1,x\n2,\n-9.0,x\n", {"a", "b"});
  EXPECT_THAT(learnt.columns[0].texts, ElementsAre("1", "01", "2", "10"));
  EXPECT_THAT(learnt.columns[0].values, ElementsAre("1", "2", "10"));
  EXPECT_THAT(learnt.columns[1].texts, ElementsAre("x", "y"));
}

TEST_F(LearntColumnsTest, RepeatedNamesAreListed) {
  EXPECT_THAT(learn("y,p,p\n1,2,3\n", {"y"}).repeated_names, ElementsAre("p"));
  EXPECT_THAT(learn("y,p,q\n1,2,3\n", {"y"}).repeated_names, ElementsAre());
}

TEST_F(LearntColumnsTest, TooManyValuesAreNoticed) {
  const std::string text = "a\n1\n2\n3\n3\n";
  EXPECT_TRUE(learn(text, {"a"}, 3).columns[0].is_complete);
  EXPECT_FALSE(learn(text, {"a"}, 2).columns[0].is_complete);
}

TEST_F(LearntColumnsTest, WhatIsNotThereIsSaid) {
  EXPECT_ERROR(kInput, HasAll("t.csv: has no column 'gendr'", "'gender'"),
               learn("gender,b\n1,2\n", {"gendr"}));
  EXPECT_ERROR(kInput, HasSubstr("no rows"), learn("a,b\n", {"a"}));
}

}  // namespace equinoise::learnt_columns_test
