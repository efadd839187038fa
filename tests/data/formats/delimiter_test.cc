// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/delimiter.h"

#include "tests/test_support.h"

namespace equinoise::delimiter_test {

std::string error_of_lines(const std::string& head) {
  return error_of(ErrorKind::kInput, [&] { delimiter_of_lines(head, "t.csv"); });
}

TEST(Delimiter, AFirstLineMayDeclareIt) {
  EXPECT_EQ(declared_delimiter("sep=;\na;b\n"), ';');
  EXPECT_EQ(declared_delimiter("\"sep=|\"\r\na|b\n"), '|');
  EXPECT_EQ(declared_delimiter("sep=\t\na\tb\n"), '\t');
  for (const std::string head : {"sep=\n", "sep=x\n", "sep=;;\n", "a,b\nsep=;\n", "", "sep,;\n"})
    EXPECT_EQ(declared_delimiter(head), std::nullopt) << head;
}

TEST(Delimiter, OfLinesIsTheOneThatGivesAllEquallyManyCells) {
  EXPECT_EQ(delimiter_of_lines("a,b\n1,2\n3,4\n", "t"), ',');
  EXPECT_EQ(delimiter_of_lines("a;b\n1;2\n3;4\n", "t"), ';');
  EXPECT_EQ(delimiter_of_lines("a\tb\n1\t2\n", "t"), '\t');
  EXPECT_EQ(delimiter_of_lines("a|b\r\n1|2\r\n", "t"), '|');
  // Decimal commas, commas and line breaks in names, and a text with the other separator.
  EXPECT_EQ(delimiter_of_lines("a;b\n1,5;2,5\n3;4\n", "t"), ';');
  EXPECT_EQ(delimiter_of_lines("\"a, b\";\"c\nd\"\n1;2\n", "t"), ';');
  EXPECT_EQ(delimiter_of_lines("a,b\n\"x;y\",2\n3,4\n", "t"), ',');
  EXPECT_EQ(delimiter_of_lines("a\n1\n2\n", "t"), ',');
}

TEST(Delimiter, WhereLinesDifferTheHeaderDecides) {
  EXPECT_EQ(delimiter_of_lines("a;b;c\n1;2;3\n1;2\n1;2;3\n", "t"), ';');
  EXPECT_EQ(delimiter_of_lines("a,b\n1,2,3\n1,2\n1,2\n", "t"), ',');
}

TEST(Delimiter, ADoubtIsAnErrorWithoutCells) {
  EXPECT_THAT(error_of_lines("a;b,c\nS3CRET;2,3\n4;5,6\n"),
              AllOf(HasSubstr("by a comma or by a semicolon"), HasSubstr("--delimiter"),
                    Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(error_of_lines("a b  c\nS3CRET 2 3\n 4 5\t6\n"),
              AllOf(HasSubstr("blanks between its cells"), Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(error_of_lines("a:b\nS3CRET:2\n3:4\n"),
              AllOf(HasSubstr("a sign between its cells"), Not(HasSubstr("S3CRET"))));
  EXPECT_EQ(delimiter_of_lines("time\n10:30\n11:00\n", "t"), ',');
  EXPECT_EQ(delimiter_of_lines("full name\nx\ny z\n", "t"), ',');
}

TEST(Delimiter, OfTheHeaderFollowsTheNamesOfTheSchemaAlone) {
  Schema schema;
  for (const char* name : {"age", "a;b", "sex"}) {
    ColumnSchema column;
    column.name = name;
    schema.columns.push_back(column);
  }
  EXPECT_EQ(delimiter_of_header("age;sex\n1,2,3;4\n", schema), ';');
  EXPECT_EQ(delimiter_of_header("age,a;b,sex\n1;2;3\n", schema), ',');
  EXPECT_EQ(delimiter_of_header(" age |\"sex\"\n", schema), '|');
  EXPECT_EQ(delimiter_of_header("x;y\nage;sex\n", schema), ',');
  EXPECT_EQ(num_columns_named("age;sex;x\n", ';', schema), 2u);
}

TEST(Delimiter, TheHeadEndsWithWholeRecords) {
  EXPECT_THAT(split_head("a;b\n1;2\n3;", ';'),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  EXPECT_THAT(split_head("sep=;\na;b\n1;2\n", ';'),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
}

TEST(Delimiter, DecimalCommasAreNumbersThatAreNoThousands) {
  EXPECT_TRUE(has_decimal_commas("a;b\n0,25;x\n1,5;y\n2;z\n", ';'));
  EXPECT_TRUE(has_decimal_commas("a,b\n\"-0,25\",x\n\"1,5\",y\n\"2,5\",z\n", ','));
  EXPECT_FALSE(has_decimal_commas("a;b\n1,250;x\n2,500;y\n", ';'));
  EXPECT_FALSE(has_decimal_commas("a;b\n0,25;1.5\n1,5;2.5\n", ';')) << "both marks";
  EXPECT_FALSE(has_decimal_commas("a;b\n1,2;x\n1,2,3;y\n4,5,6;z\n", ';')) << "lists of codes";
  // Groups of thousands say it, too, and a zero in front is no group.
  EXPECT_TRUE(has_decimal_commas("a;b\n1.234,50;x\n17.250;y\n1.234.567;z\n1.000;z\n", ';'));
  EXPECT_TRUE(has_decimal_commas("a;b\n0,125;x\n0,250;y\n1,000;z\n", ';'));
  EXPECT_FALSE(has_decimal_commas("a;b\n1,234,567;1,5\n2,500;2,5\n3,500;3,5\n", ';'));
  // A day and a month are no number of a column of texts.
  EXPECT_TRUE(has_decimal_commas("a;b\n1,5;x\n2,5;3.12\n3,5;y\n4,5;z\n", ';'));
}

TEST(Delimiter, DecimalCommasAreNotRecognisedFromAFewCells) {
  EXPECT_FALSE(has_decimal_commas("a;b\n1,5;x\n", ';'));
  std::string wholes = "a;b\n";
  for (int i = 0; i < 40; ++i) wholes += "12;x\n";
  EXPECT_FALSE(has_decimal_commas(wholes + "1,2;x\n2,3;x\n3;x\n", ';'));
  std::string lists = "a;b\n";
  for (int i = 0; i < 40; ++i) lists += "1,2;x\n";
  EXPECT_TRUE(has_decimal_commas(lists, ';'));
  EXPECT_FALSE(has_decimal_commas(lists + "1,2,3;x\n1;x\n", ';'));
}

}  // namespace equinoise::delimiter_test
