// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/schema_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::schema_draft_test {

/// A table of the shared material. Without it: nothing, and a failure where
/// EQUINOISE_REQUIRE_SHARED is set.
std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const auto folder = testing::shared_folder();
  if (folder && std::filesystem::exists(*folder / "data" / name)) return *folder / "data" / name;
  if (std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr) ADD_FAILURE() << "missing: " << name;
  return std::nullopt;
}

/// The text with the comment signs of the examples at its end taken off.
std::string with_examples(std::string text) {
  const size_t begin = text.find("\n# Groups: ");
  EXPECT_NE(begin, text.npos);
  std::istringstream lines(text.substr(begin + 1));
  text.resize(begin + 1);
  for (std::string line; std::getline(lines, line);) {
    const bool is_declaration = line.find('[') != line.npos || line.find(" = ") != line.npos;
    text += (is_declaration ? line.substr(2) : line) + "\n";
  }
  return text;
}

/// Drafts a schema, checks what holds for every draft, and returns it.
Schema check_draft(const std::filesystem::path& table, const DraftOptions& options,
                   bool may_drop = false) {
  const std::string text = draft_schema(table, options).text;
  const Schema schema = parse_schema(text, "draft");
  EXPECT_FALSE(schema.reviewed);
  EXPECT_EQ(schema.target, options.target);
  const Dataset dataset = read_table(table, schema);
  EXPECT_EQ(dataset.num_records, schema.num_records);
  if (!may_drop) {
    EXPECT_EQ(dataset.num_dropped, 0);
  }
  for (const ColumnIngestCounts& counts : dataset.counts) {
    const bool is_any_left_out =
        text.find("are left out: ") != text.npos &&
        (schema.column(counts.name).unknown == UnknownPolicy::kOther || may_drop);
    if (!is_any_left_out) {
      EXPECT_EQ(counts.unknown, 0) << counts.name;
    }
  }
  const Schema with_groups = parse_schema(with_examples(text), "examples");
  EXPECT_FALSE(with_groups.group_attributes.empty());
  return schema;
}

class SchemaDraftTest : public ::testing::Test {
 protected:
  std::string draft(std::string_view csv, const DraftOptions& options = {}) {
    return draft_schema(folder_.write_file("table.csv", csv), options).text;
  }
  Schema checked(std::string_view csv, const DraftOptions& options = {}, bool may_drop = false) {
    return check_draft(folder_.write_file("table.csv", csv), options, may_drop);
  }
  std::string error(ErrorKind kind, std::string_view csv, const DraftOptions& options = {}) {
    return error_of(kind, [&] { draft(csv, options); });
  }

  /// A column "v" of the texts and a column "s" of two categories.
  static std::string column(const std::vector<std::string>& cells) {
    std::string csv = "v,s\n";
    for (size_t i = 0; i < cells.size(); ++i) csv += cells[i] + (i % 2 == 0 ? ",f\n" : ",m\n");
    return csv;
  }
  static std::vector<std::string> numbers(int first, int count, int step = 1) {
    std::vector<std::string> cells;
    for (int i = 0; i < count; ++i) cells.push_back(std::to_string(first + i * step));
    return cells;
  }
  /// Each of the cells several times.
  static std::vector<std::string> repeated(const std::vector<std::string>& cells, int times) {
    std::vector<std::string> result;
    for (int i = 0; i < times; ++i) append(result, cells);
    return result;
  }

  TempFolder folder_;
};

TEST_F(SchemaDraftTest, TheWholeText) {
  std::string csv = "age,sex,note,ok\n";
  for (int i = 0; i < 60; ++i) {
    csv += fmt::format("{},{},x,{}\n", i == 7 ? "" : std::to_string(18 + i % 30),
                       i % 3 == 0 ? "Female"
                       : i == 1   ? "?"
                                  : "Male",
                       i % 2 == 0 ? "no" : "yes");
  }
  EXPECT_EQ(draft(csv, {.target = "ok"}),
            R"(# A draft, NOT PRIVATE: everything below was learnt from the records of "table.csv".
# Check each line against what is public without these records (a code book, published counts),
# correct it, and then set reviewed = true. See docs/guide/schema.md.
schema = "equinoise/1"
dataset = "table"
reviewed = false
target = "ok"
# unit = "row"  # write this if no person has two rows; else draft with --unit COLUMN
missing_values = ["", "?"]

# The number of rows seen; it becomes public with every result.
[public]
num_records = 60

# Whole numbers, 30 distinct, 1.7 % missing.
# If these are codes and not a quantity, write type = "categorical" and a list of values
# instead of all the lines below but missing.
[columns.age]
type = "numeric"
bounds = [18, 47]
whole = true
scale = "standard"
mean = 32.6
stddev = 8.67
missing = "allowed"

# Texts, 2 distinct, 1.7 % missing.
# Read as missing: "?". If that is a category, move it from missing_values to values.
[columns.sex]
type = "categorical"
# Copied from the cells: review each value.
values = ["Female", "Male"]
missing = "allowed"

# Texts, 1 distinct, none missing.
# Ignored: it has only one value.
[columns.note]
type = "ignored"

# Texts, 2 distinct, none missing. The target.
[columns.ok]
type = "categorical"
# Copied from the cells: review each value.
values = ["no", "yes"]
missing = "none"  # as in this table; "allowed" where cells may be missing

# Groups: every categorical column is a grouping, and so is any section like these.
#
# [groups.age_band]
# column = "age"
# cuts = [28, 37]
#
# [groups.sex_group]
# column = "sex"
# values = ["Female"]
# rest = "all others"
#
# If the size of a group is public:
#
# [[public.groups]]
# group = { sex = "Female" }
# num_records = 0
)");
  checked(csv, {.target = "ok"});
}

TEST_F(SchemaDraftTest, WithoutATargetTheTextShowsHowToNameOne) {
  EXPECT_THAT(draft("a,b\n1,x\n2,y\n1,x\n2,y\n"),
              HasSubstr("\n# target = \"b\"  # the column to predict"));
}

TEST_F(SchemaDraftTest, BoundsAreRoundedOutwardToTwoDigitsOfTheRange) {
  struct Case {
    std::vector<std::string> cells;
    double lower;
    double upper;
  };
  const auto scaled = [](int first, int count, int step, const std::string& format) {
    std::vector<std::string> cells;
    for (int i = 0; i < count; ++i)
      cells.push_back(fmt::format(fmt::runtime(format), first + i * step));
    return repeated(cells, 3);
  };
  const std::vector<Case> cases = {
      {scaled(17, 74, 1, "{}"), 17, 90},          {scaled(3, 1001, 1, "{}"), 0, 1100},
      {scaled(-12, 50, 777, "{}"), -1000, 39000}, {scaled(1011, 30, 1, "0.{}"), 0.1011, 0.104},
      {scaled(291, 30, 1, "0.{}"), 0.291, 0.32},  {scaled(-300, 30, 10, "{}.5"), -300.5, -10.5},
      {scaled(10, 30, 1, "{}e30"), 1e31, 3.9e31}, {scaled(10, 30, 1, "{}e-30"), 1e-29, 3.9e-29},
  };
  for (const Case& c : cases) {
    const Schema schema = checked(column(c.cells));
    const ColumnSchema& v = schema.column("v");
    ASSERT_EQ(v.type, ColumnType::kNumeric) << c.cells[0];
    EXPECT_LE(v.lower, c.lower);
    EXPECT_GE(v.upper, c.upper);
    EXPECT_LE(v.upper - v.lower, 1.25 * (c.upper - c.lower)) << c.cells[0];
    EXPECT_LE(fmt::format("{}{}", v.lower, v.upper).size(), 14u) << "short numbers";
  }
  const ColumnSchema age = checked(column(repeated(numbers(17, 74), 3))).column("v");
  EXPECT_EQ(age.lower, 17);
  EXPECT_EQ(age.upper, 90);
}

TEST_F(SchemaDraftTest, MeansOfLargeNumbersKeepTheDigitsThatCount) {
  const ColumnSchema year = checked(column(repeated(numbers(1990, 24), 40))).column("v");
  EXPECT_NEAR(year.mean, 2001.5, 0.5);
  EXPECT_EQ(year.stddev, 6.92);
  EXPECT_EQ(year.scale, NumericScale::kStandard);
}

TEST_F(SchemaDraftTest, FewNumbersAreCategoriesInTheirOrder) {
  const Schema schema = checked(column(repeated({"10", "9", "-1", "2.5", ""}, 9)));
  const ColumnSchema& v = schema.column("v");
  EXPECT_EQ(v.type, ColumnType::kCategorical);
  EXPECT_THAT(v.values, ElementsAre("-1", "2.5", "9", "10"));
  EXPECT_EQ(v.missing, MissingPolicy::kCategory);
  EXPECT_EQ(checked(column(repeated(numbers(0, 20), 5))).column("v").type,
            ColumnType::kCategorical);
  EXPECT_EQ(checked(column(repeated(numbers(0, 21), 5))).column("v").type, ColumnType::kNumeric);
}

TEST_F(SchemaDraftTest, MarksOfMissingCells) {
  std::vector<std::string> cells = repeated(numbers(0, 50), 4);
  for (const char* mark :
       {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "n/a", "#N/A", "<NA>"}) {
    cells.emplace_back(mark);
  }
  const Schema schema = checked(column(cells));
  EXPECT_EQ(schema.column("v").type, ColumnType::kNumeric);
  EXPECT_EQ(schema.column("v").missing, MissingPolicy::kFill);
  EXPECT_THAT(schema.missing_values, ElementsAre("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL",
                                                 "None", ".", "n/a", "#N/A", "<NA>"));
  EXPECT_THAT(checked("a,b\n1,x\n2,y\n1,x\n2,y\n").missing_values, ElementsAre(""));
}

TEST_F(SchemaDraftTest, AMarkInACategoricalColumnIsPointedOut) {
  const std::string csv = column(repeated({"None", "College", "School", "None"}, 2));
  EXPECT_THAT(draft(csv), HasSubstr("# Read as missing: \"None\". If that is a category, move it "
                                    "from missing_values to values.\n[columns.v]"));
  EXPECT_EQ(checked(csv).column("v").missing, MissingPolicy::kCategory);
}

TEST_F(SchemaDraftTest, AValueCalledMissingLeavesNoRoomForTheCategory) {
  const std::string csv = column(repeated({"missing", "x", "", "x"}, 2));
  EXPECT_EQ(checked(csv, {}, true).column("v").missing, MissingPolicy::kDrop);
  EXPECT_THAT(draft(csv), HasSubstr("# \"missing\" is a value already"));
}

TEST_F(SchemaDraftTest, WhatIsIgnoredAndWhy) {
  std::vector<std::string> names;
  std::vector<std::string> amounts;
  std::vector<std::string> cards;  // too close for doubles to tell them apart
  std::vector<std::string> hashes;
  for (int i = 0; i < 1500; ++i) {
    names.push_back("name" + std::to_string(i));
    cards.push_back(std::to_string(4'000'000'000'000'000 + i * 7 % 1499));
    hashes.push_back(std::to_string(0x9E3779B97F4A7C15U * static_cast<uint64_t>(i + 1)));
    amounts.push_back(std::to_string(i * 977 % 1'000'003));
  }
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"x", "x", "x"}, "it has only one value"},
      {{"1", "1", "1"}, "it has only one value"},
      {{"", "?", ""}, "it has no value at all"},
      {numbers(1, 100), "it looks like a row number"},
      {numbers(5000, 3000), "it looks like a row number"},
      {{names.begin(), names.begin() + 40}, "it has a different text for nearly every record"},
      {names, "it has a different text for nearly every record"},
      {{cards.begin(), cards.begin() + 40}, "it has a different number for nearly every record"},
      {cards, "it has a different number for nearly every record"},
      {{hashes.begin(), hashes.begin() + 40}, "it has whole numbers beyond 2^53"},
      {hashes, "it has whole numbers beyond 2^53"},
      {repeated(hashes, 3), "it has whole numbers beyond 2^53"},
      {repeated(names, 4), "it has a different text for every fifth record or more"},
      {repeated(names, 6), "it has too many distinct values for categories"},
      {repeated({"short", std::string(300, 'x')}, 9), "it holds long texts"},
  };
  for (const auto& [cells, reason] : cases) {
    EXPECT_THAT(draft(column(cells)), HasSubstr(fmt::format("# Ignored: {}", reason))) << cells[0];
    EXPECT_EQ(checked(column(cells)).column("v").type, ColumnType::kIgnored);
  }
  // A quantity that differs between all people may look like this, too.
  EXPECT_THAT(draft(column(amounts)),
              HasSubstr("# Nearly every record has a different value: if it identifies people"));
  EXPECT_EQ(checked(column(amounts)).column("v").type, ColumnType::kNumeric);
}

TEST_F(SchemaDraftTest, OneValueThatIsNotAlwaysThereSaysSomething) {
  const ColumnSchema v = checked(column({"yes", "", "yes", ""})).column("v");
  EXPECT_THAT(v.categories(), ElementsAre("yes", "missing"));
}

TEST_F(SchemaDraftTest, NumbersThatDoublePrecisionCannotTellApart) {
  std::vector<std::string> close;
  for (int i = 0; i < 30; ++i) close.push_back(std::to_string(4'000'000'000'000'001 + i));
  EXPECT_EQ(checked(column(repeated(close, 4))).column("v").type, ColumnType::kCategorical);
  std::vector<std::string> ones;
  for (int i = 0; i < 25; ++i) ones.push_back("1." + std::string(static_cast<size_t>(i), '0'));
  EXPECT_EQ(checked(column(repeated(ones, 4))).column("v").type, ColumnType::kCategorical);
}

TEST_F(SchemaDraftTest, HugeNumbersAreLeftOutOfBoundsAndMeans) {
  std::vector<std::string> cells = repeated(numbers(0, 50), 4);
  for (const char* huge : {"inf", "-inf", "1e999", "1e300", "-1e39"}) cells.emplace_back(huge);
  const ColumnSchema v = checked(column(cells)).column("v");
  EXPECT_EQ(v.type, ColumnType::kNumeric);
  EXPECT_EQ(v.upper, 49);
  EXPECT_EQ(v.mean, 24.5);
  EXPECT_THAT(draft(column(cells)), HasSubstr("# 5 infinite or huge numbers were left out"));
}

TEST_F(SchemaDraftTest, TinyNumbersAreNumbersNearZero) {
  std::vector<std::string> cells = repeated(numbers(1, 50), 4);
  cells.insert(cells.end(), {"1e-400", "-1e-999"});
  const std::string text = draft(column(cells));
  EXPECT_THAT(text, Not(HasSubstr("huge")));
  EXPECT_EQ(checked(column(cells)).column("v").lower, 0);
}

TEST_F(SchemaDraftTest, ManyDistinctValuesAreCountedNearlyRight) {
  std::vector<std::string> cells;
  for (int i = 0; i < 60'000; ++i) cells.push_back(std::to_string(i % 20'000) + "x");
  const std::string text = draft(column(cells));
  const size_t begin = text.find("# Texts, about ");
  ASSERT_NE(begin, text.npos);
  EXPECT_NEAR(std::stod(text.substr(begin + 15)), 20'000, 3000);
}

TEST_F(SchemaDraftTest, TheCapOnCategories) {
  std::vector<std::string> words;
  for (int i = 0; i < 1001; ++i) words.push_back("w" + std::to_string(i));
  EXPECT_EQ(checked(column(repeated(words, 6))).column("v").type, ColumnType::kIgnored);
  words.pop_back();
  EXPECT_EQ(checked(column(repeated(words, 6))).column("v").values.size(), 1000u);
  EXPECT_EQ(checked(column(repeated(words, 6)), {.max_categories = 999}).column("v").type,
            ColumnType::kIgnored);
  for (const size_t cap : {size_t{0}, size_t{19}, size_t{65'001}}) {
    EXPECT_THAT(error(ErrorKind::kUsage, "a\n1\n2\n", {.max_categories = cap}),
                HasSubstr("max_categories must lie between 20 and 65000"));
  }
}

TEST_F(SchemaDraftTest, ATargetDropsWhatIsMissing) {
  const Schema numeric =
      checked(column(repeated(numbers(0, 40), 5)) + ",f\n", {.target = "v"}, true);
  EXPECT_EQ(numeric.column("v").type, ColumnType::kNumeric);
  EXPECT_EQ(numeric.column("v").missing, MissingPolicy::kDrop);
  const Schema categorical =
      checked(column(repeated({"a", "b", "", "?"}, 2)), {.target = "v"}, true);
  EXPECT_THAT(categorical.column("v").categories(), ElementsAre("a", "b"));
  EXPECT_EQ(categorical.column("v").missing, MissingPolicy::kDrop);
}

/// So that rows of a table without gaps have none.
TEST_F(SchemaDraftTest, AColumnWithoutGapsSaysSo) {
  for (const std::vector<std::string>& cells :
       {numbers(0, 40), {"a", "b", "c"}, {"yes", "no"}, {"0", "1"}}) {
    const Schema schema = checked(column(repeated(cells, 5)), {.target = "v"}, true);
    EXPECT_EQ(schema.column("v").missing, MissingPolicy::kNone) << cells[1];
    EXPECT_EQ(checked(column(repeated(cells, 5))).column("v").missing, MissingPolicy::kNone);
  }
  std::vector<std::string> marked = repeated(numbers(0, 40), 5);
  marked.insert(marked.end(), {"n/a", "n/a"});
  EXPECT_EQ(checked(column(marked), {.target = "v"}, true).column("v").missing,
            MissingPolicy::kDrop);
}

TEST_F(SchemaDraftTest, NumbersThatWereGivenOutRepeatLessThanQuantities) {
  // Order numbers with gaps, in few records and in so many that only a sample of them is looked at.
  for (const int count : {200, 20'000}) {
    std::vector<std::string> orders;
    std::vector<std::string> amounts;
    const int range = count == 200 ? 3000 : 1'000'000;
    uint64_t state = 1;
    for (int i = 0; i < count; ++i) {
      orders.push_back(std::to_string(10'000 + i * (range / count) + i % 7));
      // High bits of a linear congruential generator.
      state = state * 6364136223846793005U + 1442695040888963407U;
      amounts.push_back(std::to_string((state >> 33) % static_cast<uint64_t>(range)));
    }
    EXPECT_THAT(draft(column(orders)), HasSubstr("# Ignored: it looks like a row number or an"))
        << count;
    EXPECT_EQ(checked(column(amounts)).column("v").type, ColumnType::kNumeric) << count;
  }
}

TEST_F(SchemaDraftTest, CellsBelowNoNameAreSaidAndATitleIsNoHeader) {
  EXPECT_THAT(error(ErrorKind::kInput, "Report S3CRET,,\na,b,c\n1,2,3\n4,5,6\n"),
              AllOf(HasSubstr("if that line is a title, remove it"), Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(draft("a,b,,\n1,x,,\n1,x,,\n2,y,,7\n"),
              HasSubstr("# Columns 3 to 4 have no name, although there are cells below, and are "
                        "left out."));
  EXPECT_THAT(draft("a,b,,\n1,x,,\n1,x,,\n2,y, ,\n"),
              HasSubstr("# Columns 3 to 4 have no name and are"));
}

TEST_F(SchemaDraftTest, ATargetThatCannotBeOne) {
  EXPECT_THAT(error(ErrorKind::kUsage, column({"a", "b"}), {.target = "S"}),
              HasSubstr("the target 'S' is not a column"));
  EXPECT_THAT(error(ErrorKind::kUsage, column({"a", "a"}), {.target = "v"}),
              HasSubstr("column 'v' cannot be the target: it has only one value"));
  EXPECT_THAT(error(ErrorKind::kUsage, column({"a", "", "a"}), {.target = "v"}),
              HasSubstr("it has only one value"));
  EXPECT_THAT(error(ErrorKind::kUsage, column(numbers(1, 100)), {.target = "v"}),
              HasSubstr("it looks like a row number"));
}

TEST_F(SchemaDraftTest, NamesOfTheDataset) {
  EXPECT_THAT(draft("a\n1\n1\n2\n", {.dataset = "people-2"}), HasSubstr("dataset = \"people-2\""));
  EXPECT_THAT(error(ErrorKind::kUsage, "a\n1\n2\n", {.dataset = "a b"}),
              HasSubstr("must consist of letters"));
  const auto path = folder_.write_file("my table.csv", "a\n1\n1\n2\n2\n");
  EXPECT_EQ(check_draft(path, {}).dataset, "my_table");
}

TEST_F(SchemaDraftTest, NamesAndValuesThatTomlMustQuote) {
  const std::string head =
      "income>50K,a.b,\"say \"\"x\"\"\",\"two\nlines\",\xc3\xa4\xe2\x82\xac,#,back\\slash, blank "
      "\n";
  const std::string records =
      "<=50K,\"q\"\"q\",\\,\"l\nl\",\xe2\x82\xac,#1,'a',\ttab\n"
      ">50K,[x],],=,\xc3\xb6,#2,\"'''\", x \n";
  const std::string csv = head + records + records;
  const Schema schema = checked(csv, {.target = "income>50K"});
  std::vector<std::string> names;
  for (const ColumnSchema& c : schema.columns) names.push_back(c.name);
  EXPECT_THAT(names, ElementsAre("income>50K", "a.b", "say \"x\"", "two\nlines",
                                 "\xc3\xa4\xe2\x82\xac", "#", "back\\slash", "blank"));
  EXPECT_THAT(schema.columns[3].values, ElementsAre("=", "l\nl"));
}

TEST_F(SchemaDraftTest, TablesThatCannotBeDrafted) {
  EXPECT_THAT(error(ErrorKind::kInput, "a,,b\n1,2,3\n2,3,4\n"),
              HasSubstr("column 2 has no name in the header"));
  EXPECT_THAT(error(ErrorKind::kInput, "a,b\n"), HasSubstr("has a header but no rows"));
  EXPECT_THAT(error(ErrorKind::kInput, "a,b\nS3CRET,S3CRET\nS3CRET,S3CRET\n"),
              AllOf(HasSubstr("no column can be used; the first one has only one value"),
                    Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(error(ErrorKind::kInput, "a,b\nS3CRET,2\nS3CRET\n"),
              AllOf(HasSubstr("row 2"), Not(HasSubstr("S3CRET"))));
  EXPECT_ERROR(kInput, HasSubstr("none.csv"), draft_schema(folder_.path() / "none.csv", {}));
}

TEST_F(SchemaDraftTest, BoundsAreTheNextMultiples) {
  const auto bounds = [&](const std::string& lowest, const std::string& highest) {
    std::vector<std::string> cells = repeated({lowest, highest}, 20);
    for (int i = 1; i < 30; ++i) {
      const double share = i / 30.0;
      cells.push_back(
          fmt::format("{:.3f}", std::stod(lowest) * (1 - share) + std::stod(highest) * share));
    }
    const ColumnSchema v = checked(column(cells)).column("v");
    return std::pair(v.lower, v.upper);
  };
  EXPECT_EQ(bounds("5", "897"), std::pair(0.0, 900.0));
  EXPECT_EQ(bounds("0.05", "2.2"), std::pair(0.0, 2.2));
  EXPECT_EQ(bounds("-0.05", "1.25"), std::pair(-0.1, 1.3));
  EXPECT_EQ(bounds("-1.5", "-0.3"), std::pair(-1.5, -0.3));
  EXPECT_EQ(bounds("15000", "44999"), std::pair(15000.0, 45000.0));
}

// A number that one record holds is not copied: such columns have bounds instead of categories.
TEST_F(SchemaDraftTest, NumbersOfOneRecordAreNoCategories) {
  std::vector<std::string> counts = repeated({"0", "1", "2", "3"}, 10);
  counts.insert(counts.end(), {"7", "20"});
  EXPECT_EQ(checked(column(counts)).column("v").type, ColumnType::kNumeric);
  // One alone is a stray cell.
  std::vector<std::string> ratings = repeated({"1", "2", "3", "4"}, 10);
  ratings.emplace_back("99");
  EXPECT_THAT(checked(column(ratings)).column("v").values, ElementsAre("1", "2", "3", "4"));
  // As the target they are classes, but for these two.
  const ColumnSchema target = checked(column(counts), {.target = "v"}, true).column("v");
  EXPECT_THAT(target.values, ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(checked(column(repeated({"0", "1", "2", "3"}, 10))).column("v").type,
            ColumnType::kCategorical);
}

TEST_F(SchemaDraftTest, SmallTablesDoNotGiveAwayColumnsInWhichAllDiffer) {
  std::vector<std::string> names;
  std::vector<std::string> salaries;
  for (int i = 0; i < 19; ++i) {
    names.push_back(fmt::format("S3CRET {}", i));
    salaries.push_back(std::to_string(31'234 + 1'237 * i));
  }
  EXPECT_EQ(checked(column(names)).column("v").type, ColumnType::kIgnored);
  EXPECT_THAT(draft(column(names)), Not(HasSubstr("S3CRET")));
  EXPECT_THAT(draft(column(salaries)), HasSubstr("bounds = [31000, 54000]"));
  EXPECT_EQ(checked(column(salaries), {.target = "v"}, true).column("v").type,
            ColumnType::kNumeric);
}

// However few records there are, a draft holds nothing of one alone.
TEST_F(SchemaDraftTest, SmallTablesGiveNoValueOfASingleRecordAway) {
  const Schema schema = checked(
      "city,age,sex,rank\nS3CRETx,3411,F,1\nS3CRETy,5533,F,1\nS3CRETz,4177,M,2\nS3CRETx,7712,"
      "S3CRETw,2\n",
      {}, true);
  EXPECT_THAT(schema.column("city").values, ElementsAre("S3CRETx"));
  EXPECT_EQ(schema.column("age").type, ColumnType::kIgnored);
  EXPECT_THAT(schema.column("sex").values, ElementsAre("F"));
  EXPECT_THAT(schema.column("rank").values, ElementsAre("1", "2"));
  EXPECT_ERROR(kInput,
               AllOf(HasSubstr("no value that occurs more than once"), Not(HasSubstr("S3CRET"))),
               draft("a,b\nS3CRETx,1\nS3CRETy,2\n"));
  // Four numbers are too few for bounds.
  EXPECT_ERROR(kInput, HasSubstr("has fewer than five numbers"), draft("v\n10\n20\n30\n40\n"));
}

TEST_F(SchemaDraftTest, CodesForMissingAnswersAmongNumbersArePointedAt) {
  const auto with = [&](const std::string& code, int count, int first = 0) {
    std::vector<std::string> cells = repeated(numbers(first, 60), 3);
    for (int i = 0; i < count; ++i) cells.push_back(code);
    return draft(column(cells));
  };
  for (const char* code : {"-9", "-1", "-99", "99", "999", "9999"})
    EXPECT_THAT(with(code, 6), HasSubstr(fmt::format("# {} (6 times) ", code)));
  // Few, not alone below 0, not far, no code.
  for (const auto& [code, count, first] :
       {std::tuple("-9", 4, 0), {"-99", 9, -20}, {"79", 9, 0}, {"99", 9, 30}, {"-8", 9, 0}})
    EXPECT_THAT(with(code, count, first), Not(HasSubstr("stands for a missing answer"))) << code;
}

TEST_F(SchemaDraftTest, CodesForMissingAnswersAmongCategoriesArePointedAt) {
  const auto hint = [&](const std::string& code) {
    return HasSubstr("# \"" + code + "\" may stand for a missing answer: if it does, move it to");
  };
  EXPECT_THAT(draft(column(repeated({"1", "2", "99"}, 20))), hint("99"));
  EXPECT_THAT(draft(column(repeated({"10", "2", "1", "N"}, 20))),
              AllOf(hint("N"), HasSubstr("values = [\"1\", \"2\", \"10\", \"N\"]")));
  EXPECT_THAT(draft(column(repeated({"F", "M", "-9"}, 20)), {.target = "v"}), hint("-9"));
  for (const std::vector<std::string>& values :
       {std::vector<std::string>{"1", "2", "3"}, {"0", "1", "5+"}, {"a", "b"}, {"yes", "1"}})
    EXPECT_THAT(draft(column(repeated(values, 20))), Not(HasSubstr("may stand for a missing")));
}

TEST_F(SchemaDraftTest, MarksThatAreNumbersAreComparedAsSuch) {
  std::vector<std::string> cells = repeated(numbers(0, 50), 4);
  for (int i = 0; i < 30; ++i) cells.emplace_back("-9.0");
  DraftOptions options;
  options.table.missing_values = {"-9"};
  const Schema schema = checked(column(cells), options);
  EXPECT_THAT(schema.missing_values, ElementsAre("", "-9"));
  EXPECT_EQ(schema.column("v").lower, 0);
  EXPECT_TRUE(schema.column("v").point_masses.empty());
}

// Of bounds, too: what one record holds is rounded away.
TEST_F(SchemaDraftTest, TheNumberOfOneRecordIsNoBound) {
  std::vector<std::string> cells = repeated(numbers(3, 30), 4);
  cells.emplace_back("41");
  cells.emplace_back("1");
  const ColumnSchema v = checked(column(cells)).column("v");
  EXPECT_EQ(v.lower, 0);
  EXPECT_EQ(v.upper, 50);
  cells.emplace_back("41");
  EXPECT_EQ(checked(column(cells)).column("v").upper, 41);
}

TEST_F(SchemaDraftTest, ManyTextsOfAFewRecordsEachAreNames) {
  std::vector<std::string> names;
  std::vector<std::string> towns;
  for (int i = 0; i < 200; ++i) names.push_back(fmt::format("S3CRET {}", i));
  for (int i = 0; i < 60; ++i) towns.push_back(fmt::format("town {}", i));
  EXPECT_THAT(draft(column(repeated(names, 4))), Not(HasSubstr("S3CRET")));
  EXPECT_EQ(checked(column(repeated(towns, 20))).column("v").type, ColumnType::kCategorical);
}

TEST_F(SchemaDraftTest, APlusBeforeNumbersIsRead) {
  std::vector<std::string> cells;
  std::vector<std::string> amounts;
  for (int i = 0; i < 200; ++i) {
    cells.push_back(fmt::format("+{}.{}", i % 40, i % 10));
    amounts.push_back(fmt::format("{:+}", 7'000'000 * (i % 60) - 3'000'000));
  }
  const ColumnSchema v = checked(column(cells)).column("v");
  EXPECT_EQ(v.type, ColumnType::kNumeric);
  EXPECT_EQ(v.lower, 0);
  EXPECT_EQ(checked(column(amounts)).column("v").type, ColumnType::kNumeric);
}

TEST_F(SchemaDraftTest, NumbersOfTelephonesAreNoQuantities) {
  for (const char* pattern : {"+4{:09}", "+4{:06}", "+44 {:03} {:03}"}) {
    std::vector<std::string> cells;
    for (int i = 0; i < 200; ++i) {
      const int number = 100 + i * i % 899;
      cells.push_back(fmt::format(fmt::runtime(pattern), number, number));
    }
    EXPECT_THAT(draft(column(cells)), HasSubstr("# Ignored: it looks like numbers of telephones"))
        << pattern;
  }
}

TEST_F(SchemaDraftTest, LongNumbersOfOneLengthAreIdentifiers) {
  std::vector<std::string> cards;
  std::vector<std::string> amounts;
  std::vector<std::string> seconds;
  for (int64_t i = 0; i < 200; ++i) {
    cards.push_back(std::to_string(4'000'000'000'000'000 + i * i * 7'654'321'987));
    amounts.push_back(std::to_string(1'000 + i * i * i * 98'765));
    seconds.push_back(std::to_string(1'000'000'000 + i * i * 17'654));
  }
  EXPECT_EQ(checked(column(seconds)).column("v").type, ColumnType::kNumeric);
  EXPECT_THAT(draft(column(cards)), HasSubstr("# Ignored: it looks like numbers of accounts"));
  EXPECT_EQ(checked(column(amounts)).column("v").type, ColumnType::kNumeric);
}

// Nobody would look for them in a column that is said to hold names.
TEST_F(SchemaDraftTest, MostlyNumbersAreNotSaidToBeNames) {
  std::vector<std::string> cells;
  for (int i = 0; i < 300; ++i) cells.push_back(fmt::format("{}.5{}", i, i % 3 == 0 ? "-" : ""));
  EXPECT_THAT(draft(column(cells)), HasSubstr("# Ignored: it holds numbers in most cells, but"));
  for (int i = 0; i < 300; ++i)
    cells[static_cast<size_t>(i)] = fmt::format("{} {}", i, i % 2 == 0 ? "kg" : "lb");
  EXPECT_THAT(draft(column(cells)), HasSubstr("# Ignored: it holds numbers in most cells, but"));
}

TEST_F(SchemaDraftTest, IdentifiersOfWhichSomeHaveLettersAreSaidToBe) {
  std::vector<std::string> cells = numbers(1, 40);
  for (const std::string& number : numbers(1, 12)) cells.push_back("N" + number);
  EXPECT_THAT(draft(column(cells)), HasSubstr("# Ignored: it has a different text for nearly"));
}

TEST_F(SchemaDraftTest, OrdinalsAreTextsAndNoBadlyWrittenNumbers) {
  const std::string text = draft(column(repeated({"1st", "2nd", "3rd", "4th"}, 20)));
  EXPECT_THAT(text, AllOf(HasSubstr("# Texts, 4 distinct"), Not(HasSubstr("numbers with signs"))));
  const ColumnSchema grade =
      checked(column(repeated({"5th", "6th", "7th", "9th", "10th"}, 20))).column("v");
  EXPECT_EQ(grade.type, ColumnType::kCategorical);
  // A unit that looks like an ending.
  std::vector<std::string> stones;
  for (int i = 0; i < 200; ++i) stones.push_back(fmt::format("{}.5 st", 8 + i % 30));
  EXPECT_EQ(checked(column(stones)).column("v").number_unit, "st");
}

TEST_F(SchemaDraftTest, FractionsAreAQuantityHoweverFewThereAre) {
  std::vector<std::string> heights = repeated({"61.7", "62.2", "63.2", "64.2", "65.2"}, 12);
  for (const bool is_target : {false, true}) {
    const ColumnSchema v =
        checked(column(heights), {.target = is_target ? "v" : ""}, true).column("v");
    EXPECT_EQ(v.type, ColumnType::kNumeric);
    EXPECT_FALSE(v.whole);
  }
  EXPECT_THAT(draft(column(heights)), HasSubstr("# If these are codes and not a quantity"));
  // Four may be codes.
  heights = repeated({"61.7", "62.2", "63.2", "64.2"}, 12);
  EXPECT_THAT(draft(column(heights)),
              HasSubstr("# type = \"numeric\" and bounds = [61.7, 64.2]\n# instead of type"));
}

TEST_F(SchemaDraftTest, ATargetOfWhichManyNumbersOccurOnceIsAQuantity) {
  const std::string csv =
      "x,days\n1.5,1\n2.5,2\n3.1,3\n4.2,4\n5.9,6\n6.1,6\n7.3,5\n8.8,5\n9.4,10\n";
  EXPECT_EQ(checked(csv, {.target = "days"}).column("days").type, ColumnType::kNumeric);
}

// 11, 12, 13 and a value that is left out, within 10 and 13: it would be 10. Of a mean, too.
TEST_F(SchemaDraftTest, NoFigureTellsWhichValueIsLeftOut) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"11", "12", "13"}, "10"},
      {{"11", "13", "14"}, "12"},
      {{"20", "30", "40"}, "10"},
      {{"1", "2", "3"}, "999999"},
      {{"10.2", "10.3", "10.4"}, "10.1"}};
  for (const auto& [shared, single] : cases) {
    std::vector<std::string> cells = repeated(shared, 12);
    cells.insert(cells.end(), {single, "", ""});
    const std::string text = draft(column(cells));
    EXPECT_THAT(text, AllOf(HasSubstr("are left out: 1."), HasSubstr("bounds = [LOWER, UPPER]"),
                            Not(HasSubstr("fill = "))));
    EXPECT_THAT(text, Not(HasSubstr("bounds = [1"))) << single;
  }
  EXPECT_THAT(draft(column(repeated({"11", "12", "13"}, 12))), HasSubstr("bounds = [11, 13] and"));
}

TEST_F(SchemaDraftTest, NearlyAllIsNotAll) {
  std::vector<std::string> cells(1000, "");
  cells[1] = cells[2] = "yes";
  cells[3] = cells[4] = "no";
  EXPECT_THAT(draft(column(cells)), HasSubstr("2 distinct, more than 99 % missing"));
}

TEST_F(SchemaDraftTest, NamesOfPeopleAreNotCopied) {
  std::vector<std::string> words = repeated({"nurse", "clerk"}, 15);
  words.insert(words.end(), {"S3CRET Ann", "S3CRET Bob", "clerk", "nurse"});
  const std::string text = draft(column(words));
  EXPECT_THAT(
      text, AllOf(HasSubstr("# Values that occur once, and may tell of a person, are left out: 2."),
                  HasSubstr("values = [\"clerk\", \"nurse\"]\nunknown = \"other\"\n"),
                  Not(HasSubstr("S3CRET"))));
  EXPECT_EQ(checked(column(words)).column("v").unknown, UnknownPolicy::kOther);
  const std::string of_groups = draft(column(words), {.groupings = {{"v", "s"}}});
  EXPECT_THAT(of_groups, AllOf(HasSubstr("v = \"other\", s = \"f\" }\nnum_records = 1\n"),
                               Not(HasSubstr("S3CRET"))));
  EXPECT_EQ(checked(column(words), {.target = "v"}, true).column("v").unknown,
            UnknownPolicy::kDrop);
  words.emplace_back("other");
  words.emplace_back("other");
  EXPECT_EQ(checked(column(words), {}, true).column("v").unknown, UnknownPolicy::kDrop);

  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.insert(names.end(), 2, "S3CRET" + std::to_string(i));
  EXPECT_THAT(draft(column(names)),
              AllOf(HasSubstr("# Ignored: it has a different text for every other record or more"),
                    Not(HasSubstr("S3CRET"))));
}

TEST_F(SchemaDraftTest, NumbersWithLeadingZerosAreCodes) {
  std::vector<std::string> codes;
  for (int i = 0; i < 40; ++i) codes.push_back(fmt::format("{:05}", 977 * i));
  const std::string text = draft(column(repeated(codes, 3)));
  EXPECT_THAT(text, HasSubstr("# Cells begin with a zero before another digit: codes, not "
                              "numbers.\n[columns.v]\ntype = \"categorical\""));
  EXPECT_EQ(checked(column(repeated(codes, 3))).column("v").values.size(), 40u);
  EXPECT_EQ(checked(column(codes)).column("v").type, ColumnType::kIgnored);
  EXPECT_EQ(checked(column(repeated(numbers(0, 40), 3))).column("v").type, ColumnType::kNumeric);
}

TEST_F(SchemaDraftTest, OneCellOfARecordInTheFirstLineIsEnough) {
  const auto rows = [](const std::string& first, const auto& cell) {
    std::string csv = first + "\n";
    for (int i = 0; i < 30; ++i) csv += cell(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
    return csv;
  };
  const auto number = [](int i) { return std::to_string(i % 7 + 2000); };
  const auto decimal = [](int i) { return fmt::format("\"{},5\"", i % 7); };
  const auto date = [](int i) { return fmt::format("1950-01-{}", 10 + i % 15); };
  const auto address = [](int i) { return fmt::format("p{}@x.org", i % 9); };
  for (const std::string& csv :
       {rows("1999,S3CRET", number), rows("\"77,5\",S3CRET", decimal),
        rows("1949-12-31,S3CRET", date), rows("S3CRET@x.org,y", address)}) {
    EXPECT_THAT(error(ErrorKind::kInput, csv),
                AllOf(HasSubstr("column 1 has a number, a date or an address"),
                      HasSubstr("--no-header"), Not(HasSubstr("S3CRET"))));
  }
  EXPECT_THAT(error(ErrorKind::kInput, rows("S3CRET,a", number)),
              AllOf(HasSubstr("column 2 holds its name in the first line as a cell below"),
                    Not(HasSubstr("S3CRET"))));
  EXPECT_THAT(error(ErrorKind::kInput, "1,w,w\nx,a,b\ny,a,b\ny,b,a\n"),
              HasSubstr("column 1 has a number"));
  DraftOptions options;
  options.table.has_header = true;
  EXPECT_THAT(draft(rows("1999,s", number), options), HasSubstr("[columns.1999]"));
  EXPECT_THAT(draft(rows("year2000,s", number)), HasSubstr("[columns.year2000]"));
  EXPECT_THAT(draft(rows("2000,s", address)), HasSubstr("[columns.2000]")) << "no numbers below";
}

TEST_F(SchemaDraftTest, OtherFormatsMayHoldNulls) {
  const auto path = folder_.write_file(
      "table.json", R"([{"a": 1, "b": "x"}, {"a": null, "b": null}, {"a": 2, "b": "y"},
          {"a": 1, "b": "x"}, {"a": 2, "b": "y"}])");
  const Schema schema = check_draft(path, {});
  EXPECT_THAT(schema.column("a").categories(), ElementsAre("1", "2", "missing"));
  EXPECT_THAT(schema.column("b").categories(), ElementsAre("x", "y", "missing"));
}

/// Bounds keep all digits, however large the numbers are beside their range.
TEST_F(SchemaDraftTest, LargeNumbersThatDifferLittle) {
  const auto drafted = [&](double offset, double step) {
    std::vector<std::string> cells;
    for (int i = 0; i < 60; ++i) {
      cells.push_back(fmt::format("{}", offset + step * i));
      cells.push_back(cells.back());
    }
    const std::string csv = column(cells);
    const std::filesystem::path path = folder_.write_file("table.csv", csv);
    const Schema schema = check_draft(path, {});
    const Dataset table = read_table(path, schema);
    EXPECT_EQ(table.counts[0].clamped, 0) << offset;
    return schema.column("v");
  };
  for (const auto& [offset, step] :
       {std::pair(1.7e9, 1.0), std::pair(20240101.0, 100.0), std::pair(16777216.0, 0.01),
        std::pair(-5412345.125, 0.125), std::pair(1e12, 1.0)}) {
    const ColumnSchema column = drafted(offset, step);
    ASSERT_EQ(column.type, ColumnType::kNumeric) << offset;
    const double range = 59 * step;
    EXPECT_LE(column.upper - column.lower, 1.5 * range) << offset;
    EXPECT_NEAR(column.mean, offset + range / 2, range / 10);
  }
}

TEST_F(SchemaDraftTest, WholeNumbersBeyondDoublesAreIgnored) {
  std::vector<std::string> cells;
  for (int i = 0; i < 60; ++i) cells.push_back(std::to_string(9007199254740993 + i * i * 1000));
  const std::string text = draft("v,w\n" + [&] {
    std::string rows;
    for (size_t i = 0; i < cells.size(); ++i) rows += cells[i] + (i % 2 == 0 ? ",a\n" : ",b\n");
    return rows;
  }());
  EXPECT_THAT(text, HasSubstr("Ignored: it has whole numbers beyond 2^53 that double"));
}

TEST_F(SchemaDraftTest, OddSmallTables) {
  // Every draft must parse and read its own table, whatever the cells.
  const std::vector<std::string> odd = {
      "0",        "-0",   "1",     "1.0",     "01",       "1e5",  "-1e-5",    "1e-320",
      "1e400",    "-inf", "nan",   "NAN",     "infinity", "0.1",  "3.14",     "99999",
      "a",        "A",    "b",     "other",   "missing",  "rest", "None",     "",
      "?",        ".",    "NA",    "\"a,b\"", " ",        "x y",  "\"\"\"\"", "16777217",
      "16777216", "1e38", "-1e38", "3.5e38",  "+1",       "0x10", "true",     "\xc3\xa9"};
  constexpr int kTables = 400;
  std::mt19937 random(20240607);
  int num_drafted = 0;
  for (int t = 0; t < kTables; ++t) {
    const size_t num_rows = 1 + random() % 70;
    const size_t num_columns = 1 + random() % 4;
    // Some columns draw from a few of the cells, some from numbers around an offset.
    std::vector<std::vector<std::string>> columns(num_columns);
    for (std::vector<std::string>& cells : columns) {
      const size_t kind = random() % 4;
      const size_t first = random() % odd.size();
      const size_t width = 1 + random() % (kind == 0 ? odd.size() : 4);
      const double offset = std::ldexp(1.0, static_cast<int>(random() % 80) - 40);
      const double step = std::ldexp(offset, -static_cast<int>(random() % 40));
      for (size_t r = 0; r < num_rows; ++r) {
        if (kind < 2) {
          cells.push_back(odd[(first + random() % width) % odd.size()]);
        } else if (kind == 2) {
          cells.push_back(fmt::format("{}", offset + step * static_cast<double>(random() % 100)));
        } else {
          cells.push_back(std::to_string(static_cast<int>(random() % (2 * num_rows)) - 20));
        }
      }
    }
    std::string csv;
    for (size_t c = 0; c < num_columns; ++c) csv += fmt::format("{}c{}", c == 0 ? "" : ",", c);
    for (size_t r = 0; r < num_rows; ++r) {
      csv += "\n";
      for (size_t c = 0; c < num_columns; ++c) csv += (c == 0 ? "" : ",") + columns[c][r];
    }
    SCOPED_TRACE(fmt::format("table {}:\n{}", t, csv));
    // A table of one column may have blank lines, which are cells.
    csv += "\n";
    try {
      checked(csv, {}, true);
      ++num_drafted;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  AnyOf(HasSubstr("no column can be used"), HasSubstr("has a header but no rows")));
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(num_drafted, kTables / 2);
}

struct SharedTable {
  const char* file;
  const char* target;
  int64_t num_records;
  bool may_drop;
};
void PrintTo(const SharedTable& table, std::ostream* stream) { *stream << table.file; }

class SharedTableTest : public ::testing::TestWithParam<SharedTable> {};

TEST_P(SharedTableTest, TheDraftFits) {
  const SharedTable& table = GetParam();
  const auto path = shared_data(std::string(table.file) + ".csv.gz");
  if (!path) GTEST_SKIP() << "no shared material";
  const Schema schema = check_draft(*path, {.target = table.target}, table.may_drop);
  EXPECT_EQ(schema.dataset, table.file);
  EXPECT_EQ(schema.num_records, table.num_records);
  EXPECT_NO_THROW(check_draft(*path, {}));
}

INSTANTIATE_TEST_SUITE_P(
    All, SharedTableTest,
    ::testing::Values(SharedTable{"german_credit", "credit_risk", 1000, false},
                      SharedTable{"law_school_bar", "zgpa", 22407, true},
                      SharedTable{"law_school_lequy", "pass_bar", 20798, false},
                      SharedTable{"acs_income_2018_AL", "PINCP", 22268, false},
                      SharedTable{"credit_default", "default_payment", 30000, false},
                      SharedTable{"adult_pgm", "income>50K", 48842, false}),
    [](const ::testing::TestParamInfo<SharedTable>& table) {
      return std::string(table.param.file);
    });

TEST(DutchCensusTest, TheDraftOfAnArffFileFits) {
  const auto path = shared_data("dutch_census_2001.arff.gz");
  if (!path) GTEST_SKIP() << "no shared material";
  const Schema schema = check_draft(*path, {.target = "occupation"});
  EXPECT_EQ(schema.dataset, "dutch_census_2001");
  EXPECT_EQ(schema.num_records, 60'420);
  EXPECT_THAT(schema.column("occupation").categories(), ElementsAre("2_1", "5_4_9"));
}

TEST(LawSchoolTest, IdentifiersAreIgnoredAndGapsFilled) {
  const auto path = shared_data("law_school_bar.csv.gz");
  if (!path) GTEST_SKIP() << "no shared material";
  const Schema schema = check_draft(*path, {});
  EXPECT_EQ(schema.column("ID").type, ColumnType::kIgnored);
  EXPECT_EQ(schema.column("lsat").type, ColumnType::kNumeric);
  EXPECT_EQ(schema.column("zfygpa").missing, MissingPolicy::kFill);
  EXPECT_THAT(schema.column("race1").categories(),
              ElementsAre("asian", "black", "hisp", "other", "white", "missing"));
}

TEST_F(SchemaDraftTest, NumbersThatManyHoldArePointMasses) {
  // 0 in half of the cells, 7.5 in a tenth; the others all different.
  std::vector<std::string> cells;
  for (int i = 0; i < 3000; ++i)
    cells.push_back(i % 2 == 0 ? "0" : i % 10 == 1 ? "7.50" : fmt::format("{}.25", 10 + i));
  EXPECT_THAT(checked(column(cells)).column("v").point_masses, ElementsAre(0, 7.5));
  EXPECT_THAT(draft(column(cells)),
              HasAll("atoms = [0, 7.5]\n", "# Atoms were copied from the cells"));
  // No number stands out, and one that few hold is no point_mass in a small table.
  EXPECT_TRUE(checked(column(repeated(numbers(0, 40), 20))).column("v").point_masses.empty());
  std::vector<std::string> few = numbers(100, 30, 7);
  few.insert(few.end(), 4, "1000");
  EXPECT_TRUE(checked(column(few)).column("v").point_masses.empty());
}

TEST_F(SchemaDraftTest, IsoDatesAreDates) {
  std::vector<std::string> cells;
  for (int i = 0; i < 300; ++i)
    cells.push_back(fmt::format("20{:02}-{:02}-{:02}", 10 + i % 8, 1 + i % 12, 1 + i % 28));
  const ColumnSchema date = checked(column(cells)).column("v");
  ASSERT_TRUE(date.time);
  EXPECT_EQ(date.text_of(date.lower), "2010-01-01");
  EXPECT_EQ(date.text_of(date.upper), "2017-12-31");
  EXPECT_EQ(date.bin_edges.size(), 7U);
  EXPECT_THAT(draft(column(cells)), HasSubstr("rounded outward to years: write public ones.\n"));
  // Words and gaps, a date that many have, one that stands for none, and midnights.
  cells.insert(cells.end(), 9, "unknown");
  cells.emplace_back("2010-02-30");
  cells.emplace_back("");
  cells.insert(cells.end(), 40, "2013-05-05");
  cells.insert(cells.end(), 40, "1900-01-01");
  const std::string text = draft(column(cells));
  EXPECT_THAT(text,
              AllOf(HasSubstr("# Dates and words, "), HasSubstr("atoms = [\"2013-05-05\"]\n"),
                    HasSubstr("dates that more than 5 % of the cells with a value hold"),
                    HasSubstr("missing_values = [\"1900-01-01\", \"unknown\"]\n"
                              "malformed = \"missing\"\n"),
                    HasSubstr("missing = \"allowed\"\nfill = \""), Not(HasSubstr("2010-02-30"))));
  checked(column(cells));
  for (std::string& cell : cells)
    if (cell.size() == 10) cell += " 00:00:00";
  EXPECT_THAT(draft(column(cells)), HasAll("type = \"date\"", "midnight"));
}

TEST_F(SchemaDraftTest, BoundsOfDatesAreNobodysDate) {
  const std::vector<std::string> days = {"2022-01-08", "2022-01-09", "2022-01-12", "2022-02-20",
                                         "2022-02-21"};
  const std::string narrow = draft(column({days[0], days[1], days[2], days[3], days[4], ""}));
  EXPECT_THAT(narrow,
              HasAll("bounds = [\"2022-01-01\", \"2022-02-28\"]\n", "fill = \"2022-01-30\"\n",
                     "rounded outward to months: write public ones."));
  for (const std::string& day : days) EXPECT_THAT(narrow, Not(HasSubstr(day)));
  checked(column(days));
  // One person's date, or one date of all, makes no bounds.
  for (const std::vector<std::string>& cells :
       {std::vector<std::string>{"", "1931-05-17", "", "", "", "", ""},
        {"1931-05-17", "1931-05-18", "1931-05-19", "1931-05-20", ""},
        {"1931-05-17", "1931-05-17", "1931-05-17", "1931-05-17", "1931-05-17", ""},
        {"9999-12-31", "9999-12-31", "9999-12-31", "9999-12-31", "1931-05-17"}}) {
    EXPECT_THAT(draft(column(cells)),
                AllOf(HasSubstr("# Ignored: it has fewer than five dates, or one alone"),
                      Not(HasSubstr("1931"))));
    checked(column(cells));
  }
}

TEST_F(SchemaDraftTest, DatesForNoneAreMissingWhereTheyAreFarFromAllOthers) {
  std::vector<std::string> cells;
  for (int i = 0; i < 200; ++i)
    cells.push_back(fmt::format("19{}-{:02}-{:02}", 97 + i % 3, 1 + i % 12, 1 + i % 28));
  std::vector<std::string> with_none = cells;
  with_none.insert(with_none.end(), 20, "9999-12-31");
  with_none.emplace_back("0001-01-01");
  const ColumnSchema column_of_none = checked(column(with_none)).column("v");
  EXPECT_EQ(column_of_none.text_of(column_of_none.lower), "1997-01-01");
  EXPECT_EQ(column_of_none.text_of(column_of_none.upper), "1999-12-31");
  EXPECT_TRUE(column_of_none.point_masses.empty());
  EXPECT_THAT(draft(column(with_none)),
              AllOf(HasSubstr("taken for missing: \"9999-12-31\" (20 times)."),
                    HasSubstr("# Cells far from all other dates, each its own: 1."),
                    HasSubstr("missing_values = [\"9999-12-31\"]\nmissing = \"allowed\"\n"),
                    Not(HasSubstr("0001-01-01"))));
  // Near the others it is a date as any, and others that are far make wide bins.
  for (int i = 0; i < 30; ++i) cells.push_back(fmt::format("19{}-02-03", 60 + i));
  cells.insert(cells.end(), 20, "1970-01-01");
  EXPECT_THAT(draft(column(cells)), AllOf(Not(HasSubstr("missing_values = [\"1970")),
                                          HasSubstr("atoms = [\"1970-01-01\"]\n")));
  cells.emplace_back("3024-03-01");
  EXPECT_THAT(draft(column(cells)), HasSubstr("bins of synthetic rows are wide"));
}

TEST_F(SchemaDraftTest, WhatMostCellsAreDecidesOnNumbersAndDates) {
  std::vector<std::string> counts = repeated(numbers(0, 90), 3);
  counts.insert(counts.end(), {"1931-05-17", "1942-06-18"});
  EXPECT_THAT(draft(column(counts)),
              AllOf(HasSubstr("# Whole numbers and words, "), HasSubstr("bounds = [0, 89]\n"),
                    HasSubstr("malformed = \"missing\"\n"), Not(HasSubstr("1931"))));
  checked(column(counts));
  std::vector<std::string> dates;
  for (int i = 0; i < 100; ++i)
    dates.push_back(fmt::format("1997-{:02}-{:02}", 1 + i % 12, 1 + i % 28));
  dates.insert(dates.end(), {"0", "0", "0", "17"});
  EXPECT_THAT(draft(column(dates)), HasAll("# Dates and words, ",
                                           "missing_values = [\"0\"]\n"
                                           "malformed = \"missing\"\n"));
  EXPECT_TRUE(checked(column(dates)).column("v").time);
}

TEST_F(SchemaDraftTest, DatesThatAreNotIsoAreSaidToBeDates) {
  for (const std::string pattern :
       {"{1:02}/{0:02}/1997", "{1}.{0}.97", "1997-{0:02}-{1:02}T24:00"}) {
    std::vector<std::string> cells;
    for (int i = 0; i < 60; ++i)
      cells.push_back(fmt::format(fmt::runtime(pattern), 1 + i % 12, 1 + i % 28));
    cells.insert(cells.end(), 9, "1997-05-06");
    EXPECT_THAT(
        draft(column(cells)),
        AllOf(HasSubstr("# Ignored: it looks like dates, but not all"), Not(HasSubstr("97"))))
        << pattern;
  }
  // Codes with marks are no dates.
  std::vector<std::string> codes;
  for (int i = 0; i < 60; ++i) codes.push_back(fmt::format("1.{}.{}", i % 30, i % 3));
  EXPECT_EQ(checked(column(repeated(codes, 3))).column("v").type, ColumnType::kCategorical);
  std::vector<std::string> numbers_of_people;
  for (int i = 0; i < 60; ++i) numbers_of_people.push_back(fmt::format("123-45-{}", 6000 + i));
  EXPECT_THAT(draft(column(numbers_of_people)), HasSubstr("like a name or an identifier"));
}

TEST_F(SchemaDraftTest, TimesThatAreWrittenInSeveralWaysAreSaidToBe) {
  const auto with = [&](const std::string& pattern, const std::string& odd) {
    std::vector<std::string> cells;
    for (int i = 0; i < 50; ++i)
      cells.push_back(fmt::format(fmt::runtime(pattern), 1 + i % 28, i % 24));
    if (!odd.empty()) cells.push_back(odd);
    checked(column(cells));
    return draft(column(cells));
  };
  const std::string pattern = "2024-03-{:02}T{:02}:20";
  const std::string plain = with(pattern, "");
  EXPECT_THAT(plain, AllOf(HasSubstr("# Nearly every record has a different value"),
                           Not(HasSubstr("# Cells")), Not(HasSubstr("# Some"))));
  EXPECT_THAT(with(pattern, "2024-03-05"), HasSubstr("midnight here: 1 of 51."));
  EXPECT_THAT(with(pattern, "2024-03-05T10:11:12"),
              HasSubstr("# Some cells name the time more exactly"));
  EXPECT_THAT(with(pattern, "2024-03-05 10:11"), HasSubstr("# Some cells have T before the time"));
  // The bounds are on the column's clock.
  EXPECT_THAT(with("2024-03-{:02}T{:02}:20+02:00", "2024-03-01T00:30+02:00"),
              HasSubstr("bounds = [\"2024-03-01\", \"2024-03-31\"]\n"));
  EXPECT_THAT(with("2024-03-{:02}T{:02}:20Z", "2024-03-01T00:30+02:00"),
              HasAll("bounds = [\"2024-02-01\", \"2024-03-31\"]\n",
                     "# Cells name several offsets; rows hold UTC."));
}

TEST_F(SchemaDraftTest, TimestampsKeepTheirFormat) {
  const auto format = [&](const std::string& pattern) {
    std::vector<std::string> cells;
    for (int i = 0; i < 50; ++i) {
      std::string cell = fmt::format(fmt::runtime(pattern), 1 + i % 28, i % 24);
      cells.push_back(cell);
    }
    const Schema schema = checked(column(cells));
    const std::optional<TimeFormat> time = schema.column("v").time;
    return time ? to_string(*time) : std::string("none");
  };
  EXPECT_EQ(format("2024-03-{:02}T{:02}:20"), "YYYY-MM-DDThh:mm");
  EXPECT_EQ(format("2024-03-{:02} {:02}:20:30"), "YYYY-MM-DD hh:mm:ss");
  EXPECT_EQ(format("2024-03-{:02}T{:02}:20:30.12Z"), "YYYY-MM-DDThh:mm:ss.fffZ");
  EXPECT_EQ(format("2024-03-{:02}T{:02}:20:30.1234567+02:00"), "YYYY-MM-DDThh:mm:ss.ffffff+02:00");
  EXPECT_EQ(format("0999-03-{:02}T{:02}:20:30.123456"), "YYYY-MM-DDThh:mm:ss.fff");
  std::vector<std::string> mixed;
  for (int i = 0; i < 40; ++i)
    mixed.push_back(fmt::format("2024-03-{:02}T10:20{}", 1 + i % 28, i % 2 == 0 ? "Z" : ""));
  EXPECT_THAT(draft(column(mixed)), HasSubstr("times with a time zone and times without one"));
}

TEST_F(SchemaDraftTest, HowNumbersAreWrittenIsStated) {
  const auto cells = [](const std::string& pattern) {
    std::vector<std::string> result;
    for (int i = 0; i < 60; ++i) result.push_back(fmt::format(fmt::runtime(pattern), 100 + 7 * i));
    return result;
  };
  EXPECT_EQ(checked(column(cells("{} kg"))).column("v").number_unit, "kg");
  EXPECT_EQ(checked(column(cells("{}%"))).column("v").number_unit, "%");
  const ColumnSchema pay = checked(column(cells("$1'{}"))).column("v");
  EXPECT_EQ(pay.thousands, '\'');
  EXPECT_EQ(pay.number_unit, "$");
  EXPECT_EQ(pay.lower, 1100);
  EXPECT_TRUE(pay.whole);
  // A unit that stands once may be anything, and is not copied.
  std::vector<std::string> single = cells("{}");
  single.emplace_back("5 Anna");
  EXPECT_THAT(draft(column(single)), AllOf(Not(HasSubstr("Anna")), HasSubstr("malformed = ")));
  checked(column(single));
  // Two units are none.
  std::vector<std::string> two = cells("{} kg");
  two.emplace_back("5 lb");
  EXPECT_THAT(draft(column(two)), HasSubstr("not with one unit and one mark"));
  // Codes are no numbers with a unit.
  EXPECT_NE(checked(column(repeated(cells("A{}"), 3))).column("v").type, ColumnType::kNumeric);
}

/// What a comment "write A = 1, B = 2 instead of C, D and E" says, done to the section below it.
std::string followed(const std::string& draft, const std::string& begin) {
  const size_t from = draft.find(begin);
  const size_t section = draft.find("\n[columns.", from) + 1;
  const size_t end = draft.find("\n\n", section);
  EXPECT_TRUE(from != draft.npos && end != draft.npos) << draft;
  const std::string comment = draft.substr(from, draft.find(".\n", from) - from);
  const size_t instead = comment.find("instead of ");
  const std::string replaced = instead == comment.npos ? "" : comment.substr(instead);
  std::string lines = draft.substr(section, draft.find('\n', section) + 1 - section);
  static const std::regex assignment(R"re((\w+) = ("[^"]*"|\[[^\]]*\]|[^\s,]+))re");
  const std::string written = comment.substr(0, instead);
  for (std::sregex_iterator at(written.begin(), written.end(), assignment), none; at != none; ++at)
    lines += at->str() + "\n";
  std::istringstream old(draft.substr(section, end - section));
  std::string line;
  std::getline(old, line);
  while (std::getline(old, line)) {
    const std::string key = line.substr(0, line.find(' '));
    if (!std::regex_search(replaced, std::regex("\\b" + key + "\\b")) && key != "#" &&
        written.find(key + " = ") == written.npos)
      lines += line + "\n";
  }
  return draft.substr(0, section) + lines + draft.substr(end + 1);
}

/// What a draft asks for where its own figures would tell of a record.
std::string with_public_numbers(std::string text) {
  for (const auto& [asked, number] : {std::pair("LOWER", "0"), {"UPPER", "9"}, {"NUMBER", "3"}})
    text = std::regex_replace(text, std::regex(asked), number);
  return text;
}

TEST_F(SchemaDraftTest, WhoFollowsACommentHasASchemaThatFits) {
  const auto fits = [&](const std::string& csv, const std::string& text, const char* kind) {
    const Schema schema = parse_schema(text, kind);
    EXPECT_EQ(read_table(folder_.write_file("table.csv", csv), schema).num_dropped, 0) << text;
    return schema.column("v");
  };
  // A few whole numbers: some occur once, some are missing, both, or neither; also a target.
  for (const bool is_target : {false, true}) {
    for (const bool has_single : {false, true}) {
      for (const bool has_gaps : {false, true}) {
        if (is_target && has_gaps) continue;  // which a target drops
        std::vector<std::string> cells = repeated({"1", "2", "3", "7"}, 20);
        if (has_single) cells.emplace_back("5");
        if (has_gaps) cells.insert(cells.end(), 3, "");
        const std::string csv = column(cells);
        const std::string text = with_public_numbers(
            followed(draft(csv, {.target = is_target ? "v" : ""}), "# Categories, since there"));
        EXPECT_EQ(fits(csv, text, "quantity").type, ColumnType::kNumeric);
      }
    }
  }
  // Numbers that are codes: all lines are replaced.
  std::vector<std::string> codes = repeated(numbers(0, 30), 3);
  const auto as_codes = [&](const std::string& csv, const std::string& rules,
                            const std::string& kept) {
    const std::string text = draft(csv);
    EXPECT_THAT(text,
                HasSubstr("write type = \"categorical\"" +
                          (rules.empty() ? " and a list of values" : ", a list of values" + rules) +
                          "\n# instead of all the lines below but " +
                          (kept.empty() ? "missing.\n" : "missing_values and missing.\n")));
    EXPECT_THAT(text, HasSubstr(kept));
    const size_t section = text.find("[columns.v]\n");
    std::string values;
    for (const std::string& code : numbers(0, 30)) values += '"' + code + "\", ";
    std::string section_text = "[columns.v]\ntype = \"categorical\"\nvalues = [" + values + "]\n";
    for (const char* rule : {"unknown = \"other\""})
      if (rules.find(rule) != rules.npos) section_text += std::string(rule) + "\n";
    const size_t missing = text.find("missing = ", section);
    section_text += text.substr(missing, text.find('\n', missing) + 1 - missing);
    return text.substr(0, section) + section_text + kept +
           text.substr(text.find("\n\n", section) + 1);
  };
  EXPECT_EQ(fits(column(codes), as_codes(column(codes), "", ""), "codes").type,
            ColumnType::kCategorical);
  for (const char* word : {"", "N"}) {
    std::vector<std::string> cells = codes;
    cells.insert(cells.end(), 3, word);
    const std::string kept = *word == '\0' ? "" : "missing_values = [\"N\"]\n";
    const std::string csv = column(cells);
    fits(csv, as_codes(csv, "", kept), "codes with gaps");
    cells.emplace_back("unknown yet");
    const std::string more = column(cells);
    fits(more, as_codes(more, " and unknown = \"other\"", kept), "words");
  }
  std::vector<std::string> spelled = codes;
  spelled.emplace_back("5 kg");
  fits(column(spelled), as_codes(column(spelled), " and unknown = \"other\"", ""), "a spelling");
  // A mark that is a category.
  const std::string schools = column(repeated({"None", "College", "School", "None"}, 2));
  const auto moved = [](std::string text, const std::string& mark, const std::string& values) {
    text.replace(text.find("\"\", " + mark), mark.size() + 4, "\"\"");
    return text.insert(text.find(values) + values.size(), mark + ", ");
  };
  EXPECT_THAT(fits(schools, moved(draft(schools), "\"None\"", "\nvalues = ["), "mark").values,
              ElementsAre("None", "College", "School"));
  // A code for a missing answer.
  std::vector<std::string> ages = repeated(numbers(0, 60), 3);
  ages.insert(ages.end(), 6, "-9");
  const std::string coded = draft(column(ages));
  EXPECT_THAT(coded,
              HasSubstr("# write missing_values = [\"-9\"], missing = \"allowed\", and bounds"));
  EXPECT_TRUE(
      fits(column(ages), followed(coded, "# write missing_values"), "sentinel").may_be_missing);
  const std::string label = draft(column(repeated({"F", "M", "-9"}, 20)), {.target = "v"});
  EXPECT_THAT(label, HasSubstr("missing_values,\n# and write missing = \"allowed\".\n"));
}

/// "-" among numbers is a gap; among categories it may be one, or a category.
TEST_F(SchemaDraftTest, WordsForMissingNumbersArePointedAtInOtherColumns) {
  std::string csv = "x,flag,site,sex\n";
  for (int i = 0; i < 120; ++i) {
    const bool is_gap = i % 10 == 0;
    csv += fmt::format("{},{},{},{}\n",
                       is_gap        ? "-"
                       : i % 15 == 1 ? "n.a."
                                     : std::to_string(i * i % 61),
                       i % 12 == 0   ? "-"
                       : i % 12 == 5 ? "n.a."
                                     : std::to_string(i % 2),
                       i % 8 == 0   ? "-"
                       : i % 2 == 0 ? "east"
                                    : "west",
                       i % 3 == 0 ? "F" : "M");
  }
  const std::string text = draft(csv);
  const auto comment = [](const std::string& words, const std::string& name) {
    return HasSubstr("# Taken for missing in columns of numbers or dates: " + words +
                     ". If that is so here, too,\n# move it from values to "
                     "missing_values,\n# and write missing = \"allowed\".\n[columns." +
                     name + "]");
  };
  EXPECT_THAT(text, HasSubstr("missing_values = [\"-\", \"n.a.\"]"));
  EXPECT_THAT(text, comment("\"-\", \"n.a.\"", "flag"));
  EXPECT_THAT(text, comment("\"-\"", "site"));
  EXPECT_EQ(parse_schema(text, "draft").column("site").values.size(), 3U);
  EXPECT_THAT(text.substr(text.find("[columns.site]")), Not(HasSubstr("Taken for missing")));
}

TEST_F(SchemaDraftTest, MarksOfSeveralColumnsAreSaidToBe) {
  std::string csv = "school,x\n";
  for (int i = 0; i < 90; ++i)
    csv += fmt::format("{},{}\n", i % 3 == 0 ? "None" : "School",
                       i % 7 == 0 ? "None" : std::to_string(i * i % 61));
  EXPECT_THAT(draft(csv), HasSubstr("to values\n# and list it in missing_values of other columns "
                                    "that hold it.\n[columns.school]"));
}

TEST_F(SchemaDraftTest, TruthInSeveralSpellingsIsBoolean) {
  const std::vector<std::string> cells = repeated({"yes", "No", "TRUE", "0"}, 10);
  const ColumnSchema truth = checked(column(cells)).column("v");
  EXPECT_THAT(truth.values, ElementsAre("false", "true"));
  EXPECT_THAT(draft(column(repeated({"yes", "no"}, 10))), HasSubstr("values = [\"no\", \"yes\"]"));
}

/// 30 people, person i with i % 5 + 1 visits.
std::string visits(const std::string& name, const std::string& prefix) {
  std::string csv = name + ",sex,pressure\n";
  int row = 0;
  for (int person = 100; person < 130; ++person) {
    for (int visit = 0; visit <= person % 5; ++visit, ++row)
      csv += fmt::format("{}{},{},{}\n", prefix, person, person % 2 == 0 ? "F" : "M",
                         80 + row * 37 % 60);
  }
  return csv;
}

TEST_F(SchemaDraftTest, AnIdThatRepeatsLeavesTheUnitOpen) {
  for (const std::string prefix : {"", "P"}) {
    const auto file = folder_.write_file("visits.csv", visits("person_id", prefix));
    const SchemaDraft drafted = draft_schema(file, {});
    EXPECT_THAT(drafted.text,
                HasAll("Column \"person_id\" may be an identifier, and repeats: about 30\n"
                       "# different values in 90 rows, half of them in at most 3, 95 % in "
                       "at most 5.",
                       "\nunit = \"\"\n", "--unit \"person_id\"",
                       "[columns.person_id]\ntype = \"ignored\""));
    EXPECT_THAT(drafted.notes, ElementsAre(HasSubstr("say whose rows these are, see unit")));
    // What it proposes can be done.
    const SchemaDraft answered = draft_schema(file, {.unit = "person_id"});
    EXPECT_THAT(answered.notes, ElementsAre());
    const Dataset dataset = read_table(file, parse_schema(with_examples(answered.text), "draft"));
    EXPECT_EQ(dataset.num_units(), 30);
    EXPECT_EQ(dataset.num_beyond, 0);
    EXPECT_THAT(draft_schema(file, {.unit = "row"}).text, HasSubstr("\nunit = \"row\""));
  }
}

TEST_F(SchemaDraftTest, AUnitMustBeAColumnAndGroupsAreNotCountedForIt) {
  const std::string table = visits("person_id", "");
  EXPECT_THAT(error(ErrorKind::kUsage, table, {.unit = "person"}),
              HasSubstr("the unit 'person' is not a column"));
  EXPECT_THAT(error(ErrorKind::kUsage, table, {.unit = "person_id", .groupings = {{"sex"}}}),
              HasSubstr("leave --groups out"));
}

/// Each of the ids in 1, 1, 2, 3 or 9 rows, in any order or one after another.
std::vector<std::string> rows_of(const std::vector<std::string>& ids, bool together = false) {
  std::mt19937 random(7);
  std::vector<std::string> cells;
  for (const std::string& id : ids)
    cells.insert(cells.end(), std::array{1, 1, 2, 3, 9}[random() % 5], id);
  if (!together) std::shuffle(cells.begin(), cells.end(), random);
  return cells;
}

/// `count` texts of a distribution.
std::vector<std::string> drawn(int count,
                               const std::function<std::string(std::mt19937&)>& distribution) {
  std::mt19937 random(11);
  std::vector<std::string> cells;
  for (int i = 0; i < count; ++i) cells.push_back(distribution(random));
  return cells;
}

std::string draw_lognormal(std::mt19937& random, int step) {
  const double amount = std::lognormal_distribution<double>(10.5, 0.7)(random);
  return std::to_string(static_cast<int64_t>(amount) / step * step);
}

TEST_F(SchemaDraftTest, WhateverMayBeAnIdentifierThatRepeatsLeavesTheUnitOpen) {
  std::vector<std::string> uuids;
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) {
    uuids.push_back(fmt::format("{:08x}-9f3a-4c1e-{:04x}", i * 2654435761U, i * 40503 % 65536));
    names.push_back(fmt::format("{} {}", std::array{"Ann", "Bo", "Cy", "Di"}[i % 4],
                                fmt::format("Family{}", i / 4)));
  }
  const std::vector<std::string> random_ids = drawn(3000, [](std::mt19937& random) {
    return std::to_string(std::uniform_int_distribution(100'000'000, 999'999'999)(random));
  });
  std::vector<std::string> twice = random_ids;  // one of ten has two rows
  twice.insert(twice.end(), random_ids.begin(), random_ids.begin() + 300);
  for (const std::vector<std::string>& cells :
       {rows_of(numbers(100'000, 700, 7)), rows_of(numbers(1, 700)), rows_of(random_ids), twice,
        rows_of(numbers(1, 40), true), rows_of(uuids), rows_of(names)}) {
    EXPECT_THAT(draft(column(cells)), HasSubstr("\nunit = \"\"\n")) << cells.front();
    EXPECT_THAT(draft(column(cells), {.unit = "v"}), HasSubstr("[columns.v]\ntype = \"ignored\""));
  }
  // A name tells of fewer.
  std::string few = "subject,s\n";
  for (int i = 0; i < 60; ++i) few += fmt::format("{},{}\n", i % 12, i % 2 == 0 ? "f" : "m");
  EXPECT_THAT(draft(few), HasSubstr("\nunit = \"\"\n"));
}

TEST_F(SchemaDraftTest, QuantitiesAndFreeTextAreNoIdentifiers) {
  const auto normal = [](double mean, double stddev) {
    return [=](std::mt19937& random) {
      return std::to_string(
          static_cast<int>(std::normal_distribution<double>(mean, stddev)(random)));
    };
  };
  const auto comment = [](std::mt19937& random) {
    const std::array words = {"pain", "in", "the", "left", "knee", "since", "May", "worse"};
    std::string text;
    for (int i = 0; i < 4; ++i) text += fmt::format("{}{}", i == 0 ? "" : " ", words[random() % 8]);
    return text;
  };
  const auto day = [](std::mt19937& random) {
    return fmt::format("{}{:02}{:02}", 2015 + random() % 4, 1 + random() % 12, 1 + random() % 28);
  };
  const auto gain = [](std::mt19937& random) {
    return random() % 10 > 0 ? "0" : draw_lognormal(random, 1);
  };
  for (const std::vector<std::string>& cells :
       {drawn(2000, normal(45, 15)), drawn(3000, normal(125, 18)), drawn(800, normal(220, 45)),
        drawn(5000, [](std::mt19937& random) { return draw_lognormal(random, 1); }),
        drawn(5000, [](std::mt19937& random) { return draw_lognormal(random, 100); }),
        drawn(5000, gain), drawn(5000, day), drawn(3000, comment)})
    EXPECT_THAT(draft(column(cells)), HasSubstr("\n# unit = \"row\"")) << cells.front();
  std::string zips = "zip_code,s\n";
  for (const std::string& zip : rows_of(numbers(501, 900, 111)))
    zips += zip + (zip.back() % 2 == 0 ? ",f\n" : ",m\n");
  EXPECT_THAT(draft(zips), HasSubstr("\n# unit = \"row\""));
  std::vector<std::string> with_gaps = rows_of(numbers(100'000, 700, 7));
  for (size_t i = 0; i < with_gaps.size(); i += 5) with_gaps[i].clear();
  EXPECT_THAT(draft(column(with_gaps)), HasSubstr("\n# unit = \"row\""));
  std::string unique = "person_id,sex\n";
  for (int i = 0; i < 60; ++i) unique += fmt::format("{},{}\n", i, i % 2 == 0 ? "F" : "M");
  EXPECT_THAT(draft(unique), HasSubstr("\n# unit = \"row\""));
  for (const auto& [unit, answer] :
       {std::pair("", UnitAnswer::kAssumed), std::pair("row", UnitAnswer::kStated)})
    EXPECT_EQ(parse_schema(draft(unique, {.unit = unit}), "draft").unit_answer, answer);
}

TEST_F(SchemaDraftTest, RealTablesAskOnlyWhereAnIdentifierRepeats) {
  const auto asks = [](const std::filesystem::path& path) {
    return draft_schema(path, {}).text.find("\nunit = \"\"\n") != std::string::npos;
  };
  for (const char* name : {"adult_train.csv.gz", "german_credit.csv.gz", "compas_two_years.csv.gz",
                           "law_school_bar.csv.gz", "abalone.csv.gz", "credit_default.csv.gz"}) {
    const auto path = shared_data(name);
    EXPECT_FALSE(path && asks(*path)) << name;
  }
  const auto visits = shared_data("parkinsons_updrs.csv.gz");
  EXPECT_TRUE(!visits || asks(*visits));
}

TEST_F(SchemaDraftTest, BoundsThatOneCellSetsOrThatAreWideGetAComment) {
  const auto ages =
      drawn(2000, [](std::mt19937& random) { return std::to_string(18 + random() % 70); });
  EXPECT_THAT(draft(column(ages)), Not(HasSubstr("noise grows with the bounds")));
  std::vector<std::string> cells = ages;
  cells.push_back("999");
  EXPECT_THAT(draft(column(cells)), HasSubstr("# One cell alone sets 93 % of the bounds' width"));
  cells = repeated(numbers(0, 25), 2000);
  cells.insert(cells.end(), {"3000", "3000"});
  EXPECT_THAT(draft(column(cells)), HasSubstr("standard deviations apart: noise grows"));
}

}  // namespace equinoise::schema_draft_test
