// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "equinoise/data/schema/toml_section.h"
#include "tests/test_support.h"

namespace equinoise::schema_test {

constexpr std::string_view kGood = R"(schema = "equinoise/1"
dataset = "toy"
reviewed = true
target = "income"

[public]
num_records = 10

[[public.groups]]
group = { sex = "Female", race = "other" }
num_records = 4

[columns.zip]
type = "ignored"

[columns.age]
type = "numeric"
bounds = [17, 90.5]
scale = "standard"
mean = 40
stddev = 12.5
missing = "fill"
fill = 38

[columns.race]
type = "categorical"
values = ["White", "Black"]
unknown = "other"
missing = "category"
feature = false

[columns.sex]
type = "categorical"
values = ["Female", "Male"]

[columns.income]
type = "categorical"
values = ["low", "high"]

[groups.life_stage]
column = "age"
cuts = [25, 45.5, 65]

[groups.any_race]
column = "race"
values = ["White", "missing"]
rest = "non-white"
)";

/// The good schema with one piece of its text replaced.
std::string changed(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const size_t position = text.find(from);
  EXPECT_NE(position, text.npos) << from;
  return text.replace(position, from.size(), to);
}

TEST(SchemaTest, ReadsEveryField) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  EXPECT_EQ(schema.dataset, "toy");
  EXPECT_TRUE(schema.reviewed);
  EXPECT_EQ(schema.target, "income");
  EXPECT_EQ(schema.unit, "row");
  EXPECT_EQ(schema.num_records, 10);
  EXPECT_EQ(schema.source_text, without_comments(kGood));
  EXPECT_THAT(schema.missing_values, ElementsAre("", "?"));

  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("zip", "age", "race", "sex", "income"));

  const ColumnSchema& age = schema.column("age");
  EXPECT_EQ(age.type, ColumnType::kNumeric);
  EXPECT_EQ(age.lower, 17);
  EXPECT_EQ(age.upper, 90.5);
  EXPECT_EQ(age.scale, NumericScale::kStandard);
  EXPECT_EQ(age.mean, 40);
  EXPECT_EQ(age.stddev, 12.5);
  EXPECT_EQ(age.missing, MissingPolicy::kFill);
  EXPECT_EQ(age.fill, 38);
  EXPECT_TRUE(age.feature);

  const ColumnSchema& race = schema.column("race");
  EXPECT_FALSE(race.feature);
  EXPECT_THAT(race.categories(), ElementsAre("White", "Black", "other", "missing"));
  EXPECT_THAT(schema.column("sex").categories(), ElementsAre("Female", "Male"));
  EXPECT_FALSE(schema.column("income").feature) << "the target is never a feature";
  EXPECT_FALSE(schema.column("zip").feature);
}

/// A size is exact if it is declared so, or if no inexact one has a column in common with it.
TEST(SchemaTest, SizesThatMayRestOnInexactOnesAreNotExact) {
  std::string text(kGood);
  text.replace(text.find("[[public.groups]]"), 17,
               "[[public.groups]]\ngroup = { sex = \"Female\" }\nnum_records = 6\nexact = false\n"
               "[[public.groups]]\ngroup = { sex = \"Male\" }\nnum_records = 4\n"
               "[[public.groups]]");
  const Schema schema = parse_schema(text, "toy.toml");
  EXPECT_FALSE(schema.has_exact_size({{"sex", "Female"}}));
  EXPECT_TRUE(schema.has_exact_size({{"sex", "Male"}}));
  EXPECT_TRUE(schema.has_exact_size({{"sex", "Female"}, {"race", "other"}}));
  EXPECT_FALSE(schema.has_exact_size({{"sex", "Male"}, {"race", "White"}}));
  EXPECT_TRUE(schema.has_exact_size({{"race", "White"}}));
  EXPECT_TRUE(parse_schema(kGood, "toy.toml").has_exact_size({{"sex", "Female"}}));
}

TEST(SchemaTest, PublicSizesDoNotDependOnTheOrderOfColumns) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  EXPECT_EQ(schema.public_size({{"sex", "Female"}, {"race", "other"}}), 4);
  EXPECT_EQ(schema.public_size({{"race", "other"}, {"sex", "Female"}}), 4);
  EXPECT_EQ(schema.public_size({{"sex", "Female"}}), std::nullopt);
}

TEST(SchemaTest, MalformedNumbersStopUnlessTheTableOrTheColumnSaysOtherwise) {
  const auto rule_of_age = [](const std::string& of_table, const std::string& of_column) {
    std::string text = changed("reviewed = true\n", "reviewed = true\n" + of_table);
    text.replace(text.find("missing = \"fill\""), 0, of_column);
    return parse_schema(text, "toy.toml").column("age").malformed;
  };
  EXPECT_EQ(rule_of_age("", ""), MalformedPolicy::kStop);
  EXPECT_EQ(rule_of_age("malformed = \"drop\"\n", ""), MalformedPolicy::kDrop);
  EXPECT_EQ(rule_of_age("malformed = \"drop\"\n", "malformed = \"stop\"\n"),
            MalformedPolicy::kStop);
  EXPECT_EQ(rule_of_age("", "malformed = \"missing\"\n"), MalformedPolicy::kMissing);
}

/// missing = "allowed" becomes another policy for each task.
TEST(SchemaTest, EachTaskHasItsOwnUseOfCellsThatMayBeMissing) {
  const std::string text =
      "schema = \"equinoise/1\"\ndataset = \"d\"\ntarget = \"y\"\n[public]\nnum_records = 9\n"
      "[[public.groups]]\ngroup = { g = \"missing\" }\nnum_records = 3\n"
      "[[public.groups]]\ngroup = { g = \"a\" }\nnum_records = 5\n"
      "[columns.mean]\ntype = \"numeric\"\nbounds = [0, 10]\nscale = \"standard\"\nmean = 2\n"
      "stddev = 1\nmissing = \"allowed\"\n"
      "[columns.middle]\ntype = \"numeric\"\nbounds = [0, 9]\nwhole = true\n"
      "missing = \"allowed\"\n"
      "[columns.given]\ntype = \"numeric\"\nbounds = [0, 10]\nmissing = \"allowed\"\nfill = 7\n"
      "[columns.band]\ntype = \"numeric\"\nbounds = [0, 10]\nmissing = \"allowed\"\n"
      "[columns.g]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\nmissing = \"allowed\"\n"
      "[columns.y]\ntype = \"categorical\"\nvalues = [\"0\", \"1\"]\nmissing = \"allowed\"\n"
      "[columns.old]\ntype = \"numeric\"\nbounds = [0, 10]\nmissing = \"fill\"\nfill = 1\n"
      "[columns.none]\ntype = \"numeric\"\nbounds = [0, 10]\nmissing = \"none\"\n"
      "[groups.b]\ncolumn = \"band\"\ncuts = [5]\n"
      "[groups.known]\ncolumn = \"g\"\nvalues = [\"missing\"]\n";
  const auto rules = [](const Schema& schema) {
    std::vector<MissingPolicy> policies;
    for (const ColumnSchema& column : schema.columns) policies.push_back(column.missing);
    return policies;
  };
  using enum MissingPolicy;
  Schema schema = parse_schema(text, "d.toml");
  const auto models = ElementsAre(kFill, kFill, kFill, kFill, kCategory, kDrop, kFill, kNone);
  EXPECT_THAT(rules(schema), models);
  EXPECT_EQ(schema.column("mean").fill, 2);
  EXPECT_EQ(schema.column("middle").fill, 5);
  EXPECT_EQ(schema.column("given").fill, 7);
  const auto used = [&](MissingUse use) {
    Schema result = schema;
    use_missing(result, use);
    return result;
  };
  EXPECT_THAT(rules(used(MissingUse::kLeaveOut)),
              ElementsAre(kDrop, kDrop, kDrop, kDrop, kCategory, kCategory, kFill, kNone));
  EXPECT_THAT(rules(used(MissingUse::kKeep)), ElementsAre(kCategory, kCategory, kCategory, kFill,
                                                          kCategory, kCategory, kFill, kNone));
  const Schema dropping = used(MissingUse::kDrop);
  EXPECT_THAT(rules(dropping), ElementsAre(kDrop, kDrop, kDrop, kDrop, kDrop, kDrop, kFill, kNone));
  // Then no group is "missing".
  EXPECT_EQ(dropping.public_group_sizes.size(), 1);
  EXPECT_THAT(dropping.find_group_attribute("known")->categories(), ElementsAre("rest"));
  // Options of the table change none of it.
  TableOptions options;
  options.delimiter = ';';
  EXPECT_EQ(rules(with_table_options(dropping, options, "d.toml")), rules(dropping));
}

// Bounds 17 and 90.5.
TEST(SchemaTest, BandsOfWholeNumbersHoldSome) {
  const auto with = [](const std::string& cuts) {
    std::string text = changed("bounds = [17, 90.5]", "bounds = [17, 90.5]\nwhole = true");
    const std::string old = "cuts = [25, 45.5, 65]";
    return text.replace(text.find(old), old.size(), "cuts = " + cuts);
  };
  EXPECT_EQ(parse_schema(with("[17.5, 45.5, 90]"), "toy.toml")
                .find_group_attribute("life_stage")
                ->cuts.size(),
            3U);
  for (const auto& [cuts, problem] :
       {std::pair("[44.2, 44.7]", "no whole number of column 'age' is from 44.2 to below 44.7"),
        {"[25, 90.2]", "no whole number of column 'age' is from 90.2 to the upper bound"}}) {
    const std::string text = with(cuts);
    EXPECT_ERROR(kInput, HasSubstr(problem), parse_schema(text, "toy.toml"));
  }
}

TEST(SchemaTest, PointMassesAreNumbersWithinTheBounds) {
  const auto with = [](const std::string& lines) {
    return changed("bounds = [17, 90.5]", "bounds = [17, 90.5]\n" + lines);
  };
  EXPECT_THAT(parse_schema(with("atoms = [65, 17]"), "toy.toml").column("age").point_masses,
              ElementsAre(17, 65));
  EXPECT_TRUE(parse_schema(with("atoms = []"), "toy.toml").column("age").point_masses.empty());
  const std::vector<std::pair<std::string, std::string>> problems = {
      {"atoms = [16]", "columns.age.atoms must lie within the bounds 17 and 90.5, got 16"},
      {"atoms = [nan]", "must be a finite number"},
      {"atoms = [20, 20.0]", "must hold each number once, got 20"},
      {"whole = true\natoms = [20.5]", "must hold whole numbers, as whole = true says, got 20.5"},
      {"atoms = 20", "columns.age.atoms must be a list of numbers"}};
  for (const auto& [lines, problem] : problems) {
    const std::string& text = lines;
    EXPECT_ERROR(kInput, HasSubstr(problem), parse_schema(with(text), "toy.toml"));
  }
}

/// kGood with another age.
Schema with_age(const std::string& lines) {
  std::string text = changed("bounds = [17, 90.5]", "bounds = [0, 1]");
  const size_t begin = text.find("[columns.age]");
  const size_t end = text.find("\n[", begin + 1);
  text.replace(begin, end - begin, "[columns.age]\n" + lines);
  const size_t cuts = text.find("[groups.life_stage]");
  text.erase(cuts, text.find("[groups.any_race]") - cuts);
  return parse_schema(text, "toy.toml");
}

TEST(SchemaTest, DatesAreWholeNumbersWithBins) {
  const ColumnSchema date =
      with_age(
          "type = \"date\"\nbounds = [\"2019-06-15\", 2021-12-31]\nbins = \"year\"\n"
          "missing = \"fill\"\nfill = \"2020-02-29\"\natoms = [2020-01-01]\n")
          .column("age");
  EXPECT_EQ(date.type, ColumnType::kNumeric);
  EXPECT_TRUE(date.whole);
  EXPECT_EQ(date.lower, 18062);
  EXPECT_EQ(date.upper, 18992);
  EXPECT_THAT(date.bin_edges, ElementsAre(18262, 18628));
  EXPECT_EQ(date.fill, 18321);
  EXPECT_THAT(date.point_masses, ElementsAre(18262));
  EXPECT_EQ(date.text_of(date.fill), "2020-02-29");
  // A bound that is a date goes to the end of its day.
  const ColumnSchema time =
      with_age(
          "type = \"timestamp\"\nformat = \"YYYY-MM-DDThh:mm+02:00\"\nbins = \"month\"\n"
          "bounds = [\"1970-01-01\", \"1970-02-28\"]\n")
          .column("age");
  EXPECT_EQ(time.lower, 0);
  EXPECT_EQ(time.upper, 59 * 24 * 60 - 1);
  EXPECT_THAT(time.bin_edges, ElementsAre(31 * 24 * 60));
  EXPECT_EQ(with_age("type = \"timestamp\"\nbounds = [1970-01-01T00:00:01, 1970-01-01T00:00:09]\n")
                .column("age")
                .upper,
            9);
}

TEST(SchemaTest, WhatIsWrongWithDatesIsSaid) {
  const std::string date = "type = \"date\"\nbounds = [\"2020-01-01\", \"2020-12-31\"]\n";
  const std::vector<std::pair<std::string, std::string>> problems = {
      {"type = \"date\"\n", "columns.age.bounds is missing"},
      {"type = \"date\"\nbounds = [0, 1]\n", "must be dates, as \"2024-03-01\""},
      {"type = \"date\"\nbounds = [\"2020-02-30\", \"2021-01-01\"]\n", "must be dates"},
      {"type = \"date\"\nbounds = [\"2020-01-01T10:00\", \"2021-01-01\"]\n", "without a time"},
      {"type = \"date\"\nbounds = [\"2021-01-01\", \"2020-01-01\"]\n",
       "FIRST before LAST, got [2021-01-01, 2020-01-01]"},
      {date + "format = \"YYYY-MM-DD\"\n",
       "columns.age.format is not a key of a date column, but of a timestamp one; remove it"},
      {date + "whole = true\n", "columns.age.whole is not a key"},
      {date + "bins = \"week\"\n", "must be \"year\", \"month\", \"day\" or a number"},
      {date + "bins = 0\n", "must lie between 1 and 4096"},
      {date + "atoms = [\"2019-01-01\"]\n",
       "within the bounds 2020-01-01 and 2020-12-31, got 2019-01-01"},
      {"type = \"date\"\nbounds = [\"1900-01-01\", \"2020-12-31\"]\nbins = \"day\"\n",
       "makes more than 4096 bins between the bounds; give longer ones, a number of bins, or"},
      {"type = \"date\"\nbounds = [\"0001-01-01\", \"9999-12-31\"]\nbins = \"year\"\n",
       "makes more than 4096 bins between the bounds; give a number of bins, or narrower bounds"},
      {"type = \"timestamp\"\nbounds = [\"2020-01-01\", \"2021-01-01\"]\nformat = \"DD.MM\"\n",
       "columns.age.format must be \"YYYY-MM-DD\""},
      {"type = \"timestamp\"\nbounds = [\"2020-01-01T00:00Z\", \"2021-01-01\"]\n",
       "names a time zone, but the format of the column has none"},
      {"type = \"timestamp\"\nbounds = [\"1500-01-01\", \"2021-01-01\"]\n"
       "format = \"YYYY-MM-DD hh:mm:ss.ffffff\"\n",
       "within the years 1685 to 2255 in microseconds"}};
  for (const auto& [lines, problem] : problems) {
    const std::string& text = lines;
    EXPECT_ERROR(kInput, HasSubstr(problem), with_age(text)) << lines;
  }
}

TEST(Schema, GroupsNameLabelledValuesByLabelOrCell) {
  const std::string start =
      "schema = \"equinoise/1\"\ndataset = \"d\"\nreviewed = true\n"
      "[public]\nnum_records = 9\n"
      "[columns.sex]\ntype = \"categorical\"\nvalues = [\"1\", \"2\"]\n"
      "labels = { \"1\" = \"Male\", \"2\" = \"Female\" }\n";
  for (const char* value : {"1", "Male"}) {
    const Schema schema = parse_schema(
        start + fmt::format("[groups.men]\ncolumn = \"sex\"\nvalues = [\"{0}\"]\nrest = \"no\"\n"
                            "[[public.groups]]\ngroup = {{ sex = \"{0}\" }}\nnum_records = 4\n",
                            value),
        "d.toml");
    EXPECT_EQ(schema.public_size({{"sex", "Male"}}), 4) << value;
    EXPECT_EQ(schema.group_attributes[0].categories(), (std::vector<std::string>{"Male", "no"}));
  }
  EXPECT_ERROR(kInput, HasSubstr("groups.men.values lists \"Male\" twice, as text and as label"),
               parse_schema(start + "[groups.men]\ncolumn = \"sex\"\nvalues = [\"1\", "
                                    "\"Male\"]\n",
                            "d.toml"));
}

TEST(SchemaTest, TheFavourableClassIsOneOfTheTarget) {
  const auto with_key = [](const std::string& favourable) {
    return parse_schema(
        "schema = \"equinoise/1\"\ndataset = \"d\"\ntarget = \"repaid\"\n" + favourable +
            "\n[public]\nnum_records = 9\n[columns.repaid]\ntype = \"categorical\"\n"
            "values = [\"0\", \"1\"]\nlabels = { \"1\" = \"yes\" }\n",
        "f.toml");
  };
  EXPECT_EQ(with_key("").favourable, "");
  EXPECT_EQ(with_key("favourable = \"0\"").favourable, "0");
  EXPECT_EQ(with_key("favourable = \"1\"").favourable, "yes");  // by its code
  EXPECT_ERROR(kInput,
               HasAll("f.toml:4", "is not a class of the target \"repaid\"", "did you mean 'yes'"),
               with_key("favourable = \"yess\""));
}

TEST(SchemaTest, LabelsNameCategoriesAndCellsKeepTheirTexts) {
  const ColumnSchema age =
      with_age(
          "type = \"categorical\"\nvalues = [\"1\", \"2\", \"9\"]\n"
          "labels = { \"2\" = \"two\", \"1\" = \"one\" }\nmissing = \"category\"\n")
          .column("age");
  EXPECT_THAT(age.categories(), ElementsAre("one", "two", "9", "missing"));
  EXPECT_THAT(age.cell_texts, ElementsAre("1", "2", "9"));
  const ColumnSchema truth = with_age("type = \"boolean\"\n").column("age");
  EXPECT_EQ(truth.type, ColumnType::kCategorical);
  EXPECT_THAT(truth.values, ElementsAre("false", "true"));
  const std::vector<std::pair<std::string, std::string>> problems = {
      {"labels = { \"3\" = \"x\" }", "columns.age.labels labels \"3\", which is not one of values"},
      {"labels = { \"1\" = \"2\" }", "gives two values the name \"2\""},
      {"labels = { \"1\" = \"x\", \"2\" = \"x\" }", "gives two values the name \"x\""},
      {"labels = { \"1\" = \"?\" }", "holds \"?\", which marks a missing cell"},
      {"labels = { \"1\" = 5 }", "must be"},
      {"labels = { \"1\" = \"\" }", "a label needs a text"}};
  for (const auto& [lines, problem] : problems) {
    const std::string& text = lines;
    EXPECT_THAT(
        error_of(
            ErrorKind::kInput,
            [&] { with_age("type = \"categorical\"\nvalues = [\"1\", \"2\"]\n" + text + "\n"); }),
        HasSubstr(problem))
        << lines;
  }
  EXPECT_ERROR(kInput, HasSubstr("must be the two texts that rows are written with"),
               with_age("type = \"boolean\"\nvalues = [\"yes\", \"false\"]\n"));
}

TEST(SchemaTest, NumbersMayHaveMarksAndAUnit) {
  const std::string numeric = "type = \"numeric\"\nbounds = [0, 1]\n";
  const ColumnSchema age = with_age(numeric + "thousands = \" \"\nunit = \"kg\"\n").column("age");
  EXPECT_EQ(age.thousands, ' ');
  EXPECT_EQ(age.number_unit, "kg");
  for (const auto& [lines, problem] : std::vector<std::pair<std::string, std::string>>{
           {"thousands = \".\"\n", "is what stands before decimals"},
           {"thousands = \"_\"\n", "columns.age.thousands must be"},
           {"unit = \"\"\n", "columns.age.unit must be a word or sign"},
           {"unit = \"m2\"\n", "columns.age.unit must be a word or sign"}}) {
    const std::string text = numeric + lines;
    EXPECT_ERROR(kInput, HasSubstr(problem), with_age(text)) << lines;
  }
}

TEST(SchemaTest, TheNumberOfRecordsMayBePrivateWhereTheReaderLetsIt) {
  const std::string text = changed(
      "[public]\nnum_records = 10\n\n[[public.groups]]\n"
      "group = { sex = \"Female\", race = \"other\" }\nnum_records = 4\n",
      "");
  EXPECT_EQ(parse_schema(text, "toy.toml", SizesRule::kMayBePrivate).num_records, 0);
  EXPECT_EQ(parse_schema(text + "[public]\n", "toy.toml", SizesRule::kMayBePrivate).num_records, 0);
  EXPECT_EQ(parse_schema(kGood, "toy.toml", SizesRule::kMayBePrivate).num_records, 10);
  EXPECT_ERROR(kInput, HasSubstr("under it num_records = NUMBER"), parse_schema(text, "toy.toml"));
  // Sizes of groups without that of the table.
  EXPECT_ERROR(kInput, HasSubstr("public.num_records is missing"),
               parse_schema(changed("[public]\nnum_records = 10\n", ""), "toy.toml",
                            SizesRule::kMayBePrivate));
}

TEST(SchemaTest, ReadsGroupAttributes) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  ASSERT_EQ(schema.group_attributes.size(), 2u);
  const GroupAttribute& stage = schema.group_attributes[0];
  EXPECT_EQ(stage.name, "life_stage");
  EXPECT_EQ(stage.column, "age");
  EXPECT_THAT(stage.cuts, ElementsAre(25, 45.5, 65));
  EXPECT_THAT(stage.categories(),
              ElementsAre("below 25", "25 to below 45.5", "45.5 to below 65", "65 and above"));
  EXPECT_EQ(schema.find_group_attribute("any_race"), &schema.group_attributes[1]);
  EXPECT_THAT(schema.group_attributes[1].categories(),
              ElementsAre("White", "missing", "non-white"));
  EXPECT_EQ(schema.find_group_attribute("race"), nullptr);
  EXPECT_EQ(schema.find_column("life_stage"), nullptr);
}

TEST(SchemaTest, TheRestHasAName) {
  const Schema schema = parse_schema(changed("rest = \"non-white\"\n", ""), "toy.toml");
  EXPECT_THAT(schema.group_attributes[1].categories(), ElementsAre("White", "missing", "rest"));
}

TEST(SchemaTest, OneCutMakesTwoBands) {
  const Schema schema = parse_schema(changed("[25, 45.5, 65]", "[40]"), "toy.toml");
  EXPECT_THAT(schema.group_attributes[0].categories(), ElementsAre("below 40", "40 and above"));
}

TEST(SchemaTest, PublicGroupsMayUseGroupAttributes) {
  const Schema schema = parse_schema(
      changed("num_records = 4",
              "num_records = 4\n[[public.groups]]\n"
              "group = { sex = \"Male\", life_stage = \"below 25\" }\nnum_records = 3"),
      "toy.toml");
  EXPECT_EQ(schema.public_size({{"sex", "Male"}, {"life_stage", "below 25"}}), 3);
}

TEST(SchemaTest, TheTargetMayBeNumeric) {
  std::string text = changed("target = \"income\"", "target = \"age\"");
  const size_t begin = text.find("missing = \"fill\"\nfill = 38\n");
  const Schema schema = parse_schema(text.erase(begin, 27), "toy.toml");
  EXPECT_EQ(schema.target, "age");
  EXPECT_EQ(schema.column("age").type, ColumnType::kNumeric);
  EXPECT_FALSE(schema.column("age").feature);
}

TEST(SchemaTest, TheTargetIsOptionalAndNotReviewedIsTheDefault) {
  std::string text = changed("target = \"income\"\n", "");
  const Schema schema = parse_schema(text.erase(text.find("reviewed = true\n"), 16), "toy.toml");
  EXPECT_EQ(schema.target, "");
  EXPECT_TRUE(schema.column("income").feature);
  EXPECT_ERROR(kUsage, HasAll("dir/toy.toml: ", "reviewed = true", "--public-data"),
               require_reviewed(schema, "dir/toy.toml"));
  EXPECT_NO_THROW(require_reviewed(schema, "toy.toml", true));
  EXPECT_NO_THROW(require_reviewed(parse_schema(kGood, "toy.toml"), "toy.toml"));
}

TEST(SchemaTest, AnUnknownColumnIsProposed) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  EXPECT_ERROR(kInput, HasSubstr("did you mean 'income'?"), schema.column("incme"));
}

struct BadSchema {
  std::string_view name;
  std::string_view from;
  std::string_view to;
  std::string_view message;
};
void PrintTo(const BadSchema& bad, std::ostream* stream) { *stream << bad.name; }

class BadSchemaTest : public ::testing::TestWithParam<BadSchema> {};

TEST_P(BadSchemaTest, SaysWhereAndWhat) {
  const std::string text = changed(GetParam().from, GetParam().to);
  const std::string message =
      error_of(ErrorKind::kInput, [&] { parse_schema(text, "dir/toy.toml"); });
  EXPECT_THAT(message, StartsWith("[data.schema] dir/toy.toml:"));
  EXPECT_THAT(message, HasSubstr(std::string(GetParam().message)));
}

constexpr std::string_view kBounds = "bounds = [17, 90.5]";
constexpr std::string_view kSexValues = "values = [\"Female\", \"Male\"]";
constexpr std::string_view kLabels = "values = [\"low\", \"high\"]";
constexpr std::string_view kGroup = "group = { sex = \"Female\", race = \"other\" }";
constexpr std::string_view kCuts = "cuts = [25, 45.5, 65]";
constexpr std::string_view kRace = "values = [\"White\", \"missing\"]";
constexpr std::string_view kRows = "num_records = 10";

const BadSchema kBadSchemas[] = {
    {"syntax", "dataset = \"toy\"", "dataset = ", ":2:11: not valid TOML"},
    {"duplicate_key", "[columns.sex]", "[columns.age]", "not valid TOML"},
    {"no_version", "schema = \"equinoise/1\"\n", "", "schema is missing; write schema ="},
    {"version", "equinoise/1", "equinoise/2", ":1:10: schema \"equinoise/2\" is not supported"},
    {"version_type", "\"equinoise/1\"", "1", "schema must be a string in quotes"},
    {"no_dataset", "dataset = \"toy\"\n", "", "dataset is missing"},
    {"dataset_name", "\"toy\"", "\"to/y\"", ":2:11: dataset must consist of"},
    {"empty_dataset", "\"toy\"", "\"\"", "dataset must consist of"},
    {"reviewed", "reviewed = true", "reviewed = \"yes\"", "reviewed must be true or false"},
    {"unit", "reviewed = true", "unit = \"zipp\"",
     ":3:8: unit \"zipp\" is not a column; did you mean 'zip'?"},
    {"unit_is_read", "reviewed = true", "unit = \"sex\"",
     ":3:8: unit \"sex\" must be an ignored column"},
    {"unit_is_target", "reviewed = true", "unit = \"income\"", "is the target, too"},
    {"no_most_records", "reviewed = true", "unit = \"zip\"",
     "max_records_per_unit is missing; write max_records_per_unit = NUMBER, how many rows count"},
    {"most_records", "reviewed = true", "unit = \"zip\"\nmax_records_per_unit = 0",
     ":4:24: max_records_per_unit must lie between 1 and 1000000, got 0"},
    {"many_most_records", "reviewed = true", "unit = \"zip\"\nmax_records_per_unit = 1_000_001",
     "between 1 and 1000000, got 1000001"},
    {"most_records_of_rows", "reviewed = true", "max_records_per_unit = 3",
     ":3:24: max_records_per_unit needs unit = \"COLUMN\""},
    {"records_of_units", "reviewed = true", "unit = \"zip\"\nmax_records_per_unit = 2",
     "public.num_records counts rows, but unit = \"zip\", and how many rows each zip has is "
     "private; write num_units = NUMBER"},
    {"units_of_rows", kRows, "num_units = 10", ":7:13: public.num_units needs unit = \"COLUMN\""},
    {"units_of_rows_of_a_group", "num_records = 4", "num_units = 4",
     ":11:13: public.groups.num_units needs unit"},
    {"unknown_key", "reviewed", "reviewd", ":3:1: reviewd is not a key; did you mean 'reviewed'?"},
    {"missing_values", "reviewed = true", "missing_values = 3", "must be a list of strings"},
    {"target", "target = \"income\"", "target = \"incom\"", "did you mean 'income'?"},
    {"empty_target", "target = \"income\"", "target = \"\"", "target \"\" is not a column"},
    {"numeric_target", "target = \"income\"", "target = \"age\"",
     ":4:10: target \"age\" must have missing = \"allowed\" or \"none\""},
    {"ignored_target", "target = \"income\"", "target = \"zip\"",
     ":4:10: target \"zip\" must be a categorical or numeric column"},
    {"target_policy", "target = \"income\"", "target = \"race\"", "must have unknown = \"drop\""},
    {"no_public", "[public]\nnum_records = 10", "", "public.num_records is missing"},
    {"zero_rows", kRows, "num_records = 0", ":7:15: public.num_records must lie between 1 and"},
    {"negative_rows", kRows, "num_records = -1", "must lie between 1 and 4294967294, got -1"},
    {"many_rows", kRows, "num_records = 4294967295", "must lie between 1 and 4294967294"},
    {"fractional_rows", kRows, "num_records = 1.5", "must be a whole number"},
    {"public_key", kRows, "num_record = 10", "did you mean 'num_records'?"},
    {"group_column", kGroup, "group = { sx = \"Female\" }", "did you mean 'sex'?"},
    {"group_numeric", kGroup, "group = { age = \"17\" }",
     ":10:11: 'age' is not a categorical column or one of [groups]"},
    {"group_attribute", kGroup, "group = { lifestage = \"below 25\" }",
     "did you mean 'life_stage'?"},
    {"group_band", kGroup, "group = { life_stage = \"below25\" }",
     ":10:24: \"below25\" is not a value of 'life_stage'; did you mean 'below 25'?"},
    {"group_no_string", kGroup, "group = { sex = 1 }", "group.sex must be a string in quotes"},
    {"public_groups_type", "[[public.groups]]", "[public.groups]",
     ":9:1: public.groups must be a list; write [[public.groups]]"},
    {"group_value", kGroup, "group = { sex = \"female\" }", "did you mean 'Female'?"},
    {"group_empty", kGroup, "group = {}", "at least one"},
    {"group_list", kGroup, "group = []", "public.groups.group must be a table"},
    {"group_size", "num_records = 4", "num_records = -4", "must lie between 0 and the table's 10"},
    {"group_total", "num_records = 4",
     "num_records = 4\n[[public.groups]]\ngroup = { sex = \"Male\", race = \"White\" }\n"
     "num_records = 7",
     "add up to 11 records"},
    {"group_twice", "num_records = 4",
     "num_records = 4\n[[public.groups]]\ngroup = { race = \"other\", sex = \"Female\" }\n"
     "num_records = 4",
     "declared twice"},
    {"no_type", "type = \"ignored\"", "", "columns.zip.type is missing"},
    {"type", "type = \"ignored\"", "type = \"text\"", "must be one of \"numeric\""},
    {"key_of_ignored", "type = \"ignored\"", "type = \"ignored\"\nfeature = true",
     "columns.zip.feature is not a key of an ignored column"},
    {"key_of_categorical", kSexValues, "values = [\"Female\"]\nbounds = [0, 1]",
     "columns.sex.bounds is not a key of a categorical column, but of a numeric one; remove it"},
    {"key_of_numeric", kBounds, "unknown = \"other\"",
     "columns.age.unknown is not a key of a numeric column, but of a categorical one; remove it"},
    {"key_of_none", kBounds, "bound = [17, 90]",
     "columns.age.bound is not a key of a numeric column; did you mean 'bounds'"},
    {"column_is_no_table", "[columns.zip]\ntype = \"ignored\"", "[columns]\nzip = 3",
     "columns.zip must be a table"},
    {"no_bounds", kBounds, "", "columns.age.bounds is missing"},
    {"one_bound", kBounds, "bounds = [17]", "must be two numbers"},
    {"reversed_bounds", kBounds, "bounds = [90, 17]", "with LOWER < UPPER, got [90, 17]"},
    {"equal_bounds", kBounds, "bounds = [17, 17]", "with LOWER < UPPER"},
    {"nan_bounds", kBounds, "bounds = [17, nan]", "must be a finite number"},
    {"infinite_bounds", kBounds, "bounds = [17, inf]", "must be a finite number"},
    {"text_bounds", kBounds, "bounds = [17, \"90\"]", "must be a finite number"},
    {"close_bounds", kBounds, "bounds = [1000000000000001, 1000000000000100]",
     "columns.age.bounds must be at least 9.1e+02 apart"},
    {"close_bounds_fix", kBounds, "bounds = [1e12, 1000000000000.5]",
     "subtract a public number, e.g. 1000000000000, from the column"},
    {"tiny_bounds", kBounds, "bounds = [0, 1e-40]", "must be at least 1.2e-38 apart"},
    {"huge_bounds", kBounds, "bounds = [0, 1e39]", "must lie within +-3.4e+38"},
    {"inexact_bounds", kBounds, "bounds = [0, 9007199254740993]", "beyond 2^53"},
    {"inexact_negative_bounds", kBounds, "bounds = [-9007199254740993, 0]", "beyond 2^53"},
    {"inexact_whole", kBounds, "whole = true\nbounds = [0, 1e16]",
     "columns.age.bounds must lie within +-9007199254740991 (2^53 - 1) if whole = true"},
    {"no_whole", kBounds, "whole = true\nbounds = [17.2, 17.7]", "must hold a whole number"},
    {"scale", "scale = \"standard\"", "scale = \"log\"", "must be one of \"unit\", \"symmetric\""},
    {"mean_without_scale", "scale = \"standard\"", "", "columns.age.mean belongs to scale ="},
    {"no_stddev", "stddev = 12.5", "", "columns.age.stddev is missing"},
    {"stddev", "stddev = 12.5", "stddev = 0", "must be > 0"},
    {"mean", "mean = 40", "mean = 0", "must lie within the bounds"},
    {"fill_missing", "fill = 38", "", "columns.age.fill is missing"},
    {"fill_bounds", "fill = 38", "fill = 91", "must lie within the bounds"},
    {"fill_without_policy", "missing = \"fill\"", "", "columns.age.fill belongs to missing ="},
    {"numeric_missing", "missing = \"fill\"", "missing = \"never\"", "\"drop\", \"fill\""},
    {"numeric_missing_feature", "missing = \"fill\"\nfill = 38", "missing = \"category\"",
     "write feature = false"},
    {"missing_in_bands", "missing = \"fill\"\nfill = 38", "missing = \"category\"\nfeature = false",
     "bands have no place for missing cells"},
    {"malformed", "missing = \"fill\"", "malformed = \"skip\"\nmissing = \"fill\"",
     "columns.age.malformed must be one of \"stop\", \"drop\", \"missing\""},
    {"malformed_of_a_category", kSexValues, "values = [\"Female\"]\nmalformed = \"drop\"",
     "columns.sex.malformed is not a key of a categorical column"},
    {"malformed_without_missing", "missing = \"fill\"\nfill = 38",
     "missing = \"none\"\nmalformed = \"missing\"",
     "creates missing cells, but missing = \"none\" says that there are none"},
    {"monotone", "missing = \"fill\"", "monotone = \"up\"\nmissing = \"fill\"",
     "columns.age.monotone must be one of \"increasing\", \"decreasing\""},
    {"monotone_without_feature", "missing = \"fill\"",
     "feature = false\nmonotone = \"increasing\"\nmissing = \"fill\"",
     "columns.age.monotone is for features"},
    {"monotone_category", kSexValues, "values = [\"Female\"]\nmonotone = \"increasing\"",
     "columns.sex.monotone is not a key of a categorical column"},
    {"whole_number", "missing = \"fill\"", "whole = 1\nmissing = \"fill\"", "whole"},
    {"no_values", kSexValues, "", "columns.sex.values is missing"},
    {"empty_values", kSexValues, "values = []", "values is empty"},
    {"number_values", kSexValues, "values = [\"a\", 1]", "must hold only strings"},
    {"duplicate_values", kLabels, "values = [\"low\", \"low\"]", "lists \"low\" twice"},
    {"empty_string", kLabels, "values = [\"low\", \"\"]", "marks a missing cell"},
    {"missing_value", kLabels, "values = [\"low\", \"?\"]", "marks a missing cell"},
    {"unknown_policy", "unknown = \"other\"", "unknown = \"clamp\"", "\"drop\", \"other\""},
    {"other_value", "[\"White\", \"Black\"]", "[\"White\", \"other\"]", "unknown = \"other\" adds"},
    {"attributes_type", "[groups.life_stage]\ncolumn = \"age\"\ncuts = [25, 45.5, 65]\n",
     "[groups]\nlife_stage = 3\n", "groups.life_stage must be a table; write [groups.NAME]"},
    {"attribute_name", "[groups.life_stage]", "[groups.\"\"]",
     ":40:9: a group attribute needs a name"},
    {"attribute_twice", "[groups.any_race]", "[groups.life_stage]", "not valid TOML"},
    {"attribute_is_column", "[groups.life_stage]", "[groups.zip]",
     ":40:9: groups.zip has the name of a column"},
    {"attribute_no_column", "column = \"age\"\n", "",
     ":40:1: groups.life_stage.column is missing; write column ="},
    {"attribute_column", "column = \"age\"", "column = \"ag\"",
     ":41:10: groups.life_stage.column \"ag\" is not a column; did you mean 'age'?"},
    {"attribute_ignored", "column = \"age\"", "column = \"zip\"",
     ":41:10: groups.life_stage.column \"zip\" is an ignored column"},
    {"attribute_key", "cuts =", "cut =",
     ":42:1: groups.life_stage.cut is not a key of groups of a numeric column; did you mean "
     "'cuts'?"},
    {"no_cuts", kCuts, "", "groups.life_stage.cuts is missing; write cuts = [NUMBER, ...]"},
    {"cuts_type", kCuts, "cuts = 25", ":42:8: groups.life_stage.cuts must be a list of numbers"},
    {"empty_cuts", kCuts, "cuts = []", "groups.life_stage.cuts is empty"},
    {"cut_type", kCuts, "cuts = [25, \"45\"]", ":42:13: groups.life_stage.cuts must be a finite"},
    {"cut_nan", kCuts, "cuts = [25, nan]", "must be a finite number"},
    {"cut_at_the_bound", kCuts, "cuts = [17, 25]",
     ":42:9: groups.life_stage.cuts must lie between the bounds 17 and 90.5 of column 'age', got "
     "17"},
    {"cut_above", kCuts, "cuts = [25, 90.5]", ":42:13: groups.life_stage.cuts must lie between"},
    {"cuts_descend", kCuts, "cuts = [45, 25]",
     ":42:13: groups.life_stage.cuts must ascend, got 25 after 45"},
    {"cuts_twice", kCuts, "cuts = [45, 45]", "must ascend, got 45 after 45"},
    {"values_of_numeric", kCuts, "values = [\"25\"]",
     "groups.life_stage.values is not a key of groups of a numeric column"},
    {"cuts_of_categorical", kRace, "cuts = [3]",
     "groups.any_race.cuts is not a key of groups of a categorical column"},
    {"no_group_values", kRace, "", "groups.any_race.values is missing; write values ="},
    {"empty_group_values", kRace, "values = []", "groups.any_race.values is empty"},
    {"unknown_group_value", kRace, "values = [\"White\", \"Blck\"]",
     ":46:20: groups.any_race.values holds \"Blck\", which is not a value of column 'race'; did "
     "you "
     "mean 'Black'?"},
    {"group_value_twice", kRace, "values = [\"White\", \"White\"]", "lists \"White\" twice"},
    {"all_group_values", kRace, "values = [\"White\", \"Black\", \"other\", \"missing\"]",
     "leaves nothing for the rest; group by column 'race' itself"},
    {"rest_is_value", "rest = \"non-white\"", "rest = \"White\"",
     ":47:8: groups.any_race.rest must be a name that is not one of the values"},
    {"rest_empty", "rest = \"non-white\"", "rest = \"\"", "groups.any_race.rest must be a name"},
    {"missing_category", "[\"White\", \"Black\"]", "[\"White\", \"missing\"]", "rename the value"},
};
INSTANTIATE_TEST_SUITE_P(All, BadSchemaTest, ::testing::ValuesIn(kBadSchemas),
                         [](const ::testing::TestParamInfo<BadSchema>& bad) {
                           return std::string(bad.param.name);
                         });

/// The good schema about units.
std::string good_of_units() {
  std::string text = changed("reviewed = true", "unit = \"zip\"\nmax_records_per_unit = 5");
  for (const std::string_view size : {"num_records = 10", "num_records = 4"})
    text.replace(text.find(size), std::string_view("num_records").size(), "num_units");
  return text;
}

TEST(SchemaTest, UnitsAreNamedAndCounted) {
  const Schema schema = parse_schema(good_of_units(), "toy.toml");
  EXPECT_TRUE(schema.has_unit_column());
  EXPECT_EQ(schema.unit, "zip");
  EXPECT_EQ(schema.max_records_per_unit, 5);
  EXPECT_EQ(schema.num_records, 10);
  EXPECT_EQ(schema.public_size({{"sex", "Female"}, {"race", "other"}}), 4);
  EXPECT_EQ(schema.units_name(), "units (zip)");
  const Schema rows = parse_schema(kGood, "toy.toml");
  EXPECT_FALSE(rows.has_unit_column());
  EXPECT_EQ(rows.max_records_per_unit, 1);
  EXPECT_EQ(rows.units_name(), "records");
  EXPECT_EQ(rows.unit_answer, UnitAnswer::kAssumed);
  const Schema stated = parse_schema(changed("reviewed = true", "unit = \"row\""), "toy.toml");
  EXPECT_EQ(stated.unit, "row");
  EXPECT_EQ(stated.unit_answer, UnitAnswer::kStated);
}

TEST(SchemaTest, AnOpenUnitIsRefusedOnceReviewed) {
  const Schema reviewed =
      parse_schema(changed("reviewed = true", "reviewed = true\nunit = \"\""), "toy.toml");
  EXPECT_EQ(reviewed.unit_answer, UnitAnswer::kOpen);
  EXPECT_FALSE(reviewed.has_unit_column());
  for (const bool data_are_public : {false, true})
    EXPECT_ERROR(kInput, HasAll("toy.toml: ", "unit = \"COLUMN\"", "unit = \"row\""),
                 require_reviewed(reviewed, "toy.toml", data_are_public));
  // Without a review runs of public data promise nobody anything.
  const Schema draft = parse_schema(changed("reviewed = true", "unit = \"\""), "toy.toml");
  EXPECT_NO_THROW(require_reviewed(draft, "toy.toml", true));
}

TEST(SchemaTest, ErrorsAboutUnitsSpeakOfThem) {
  const auto message = [](std::string_view from, std::string_view to) {
    std::string text = good_of_units();
    text.replace(text.find(from), from.size(), to);
    return error_of(ErrorKind::kInput, [&] { parse_schema(text, "toy.toml"); });
  };
  EXPECT_THAT(message("num_units = 4", "num_records = 4"),
              HasSubstr("public.groups.num_records counts rows"));
  EXPECT_THAT(message("num_units = 4", ""), HasSubstr("num_units is missing; write num_units ="));
  EXPECT_THAT(message("num_units = 4", "num_units = 11"),
              HasSubstr("num_units must lie between 0 and the table's 10, got 11"));
  EXPECT_THAT(message("num_units = 10", ""), HasSubstr("num_units is missing; write num_units ="));
  EXPECT_THAT(message("num_units = 10", "num_units = 0"),
              HasSubstr("public.num_units must lie between 1 and"));
  EXPECT_THAT(message("num_units = 4",
                      "num_units = 4\n[[public.groups]]\n"
                      "group = { sex = \"Male\", race = \"other\" }\nnum_units = 7"),
              HasSubstr("add up to 11 units (zip), but the table has 10"));
  EXPECT_THAT(message("column = \"age\"", "column = \"zip\""),
              HasSubstr("\"zip\" only says whose a row is, see unit; group by another column"));
}

TEST(SchemaTest, ColumnsAreNeeded) {
  EXPECT_ERROR(kInput, HasSubstr("declares no numeric or categorical column"),
               parse_schema("schema = \"equinoise/1\"\ndataset = \"a\"\n[columns.a]\n"
                            "type = \"ignored\"\n",
                            "a.toml"));
}

TEST(SchemaTest, AtMost65000Values) {
  std::string values = "values = [";
  for (int i = 0; i <= 65000; ++i) values += "\"" + std::to_string(i) + "\",";
  const std::string text = changed(kLabels, values + "]");
  EXPECT_ERROR(kInput, HasSubstr("has 65001 values; at most 65000"), parse_schema(text, "a.toml"));
}

TEST(SchemaTest, LoadSaysWhyAFileCannotBeUsed) {
  const TempFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    return error_of(ErrorKind::kInput, [&] { load_schema({path}); });
  };
  EXPECT_THAT(message(folder.path() / "none.toml"), HasSubstr("none.toml: no such file"));
  EXPECT_THAT(message(folder.path()), HasSubstr("is not a regular file"));
  EXPECT_THAT(message(folder.write_file("empty.toml", "")), HasSubstr("is empty"));
  EXPECT_THAT(message(folder.write_file("blank.toml", "\n")), HasSubstr("blank.toml:1:1: schema"));
  EXPECT_THAT(message(folder.write_file("bad.toml", "\xff\xfe")), HasSubstr("not valid TOML"));
  EXPECT_EQ(load_schema({folder.write_file("good.toml", kGood)}).dataset, "toy");
}

TEST(SchemaTest, ATomlSchemaTakesNoFactsOfADomain) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write_file("good.toml", kGood);
  for (const SchemaFile& file :
       {SchemaFile{.path = path, .num_records = 10}, SchemaFile{.path = path, .target = "income"},
        SchemaFile{.path = path, .dataset = "toy"}}) {
    EXPECT_ERROR(kUsage, HasAll("good.toml: --num-records", "domain.json"), load_schema(file));
  }
}

constexpr std::string_view kImages = R"(schema = "equinoise/1"
dataset = "faces"
target = "Smiling"
[public]
num_records = 10
[image]
shape = [3, 48, 64]
[columns.Smiling]
type = "categorical"
values = ["-1", "1"]
[columns.Male]
type = "categorical"
values = ["-1", "1"]
feature = false
[columns.Age]
type = "numeric"
bounds = [0, 100]
)";

std::string images_with(std::string_view from, std::string_view to) {
  std::string text(kImages);
  const size_t position = text.find(from);
  EXPECT_NE(position, text.npos) << from;
  return text.replace(position, from.size(), to);
}

TEST(SchemaTest, BesideImagesNoColumnIsAFeature) {
  const Schema schema = parse_schema(kImages, "faces.toml");
  ASSERT_TRUE(schema.image.has_value());
  EXPECT_EQ(*schema.image, (ImageShape{3, 48, 64}));
  EXPECT_EQ(schema.image->num_values(), 9216U);
  for (const ColumnSchema& column : schema.columns) EXPECT_FALSE(column.feature) << column.name;
  EXPECT_EQ(parse_schema(schema.source_text, "kept").image, schema.image);
  EXPECT_EQ(parse_schema(kGood, "toy.toml").image, std::nullopt);
}

TEST(SchemaTest, WhatIsWrongWithImagesIsSaid) {
  const struct {
    std::string_view from;
    std::string_view to;
    std::string_view message;
  } cases[] = {
      {"feature = false", "feature = true",
       ":14:11: columns.Male.feature must be false or absent: with [image] the pixels are"},
      {"bounds = [0, 100]", "bounds = [0, 100]\nfeature = true", ":18:11: columns.Age.feature"},
      {"target = \"Smiling\"", "unit = \"Male\"",
       ":3:8: unit \"Male\" is not possible with [image]: each image is a unit"},
      {"shape = [3, 48, 64]", "", ":6:1: image.shape is missing; write shape = [CHANNELS,"},
      {"shape =", "shap =", "did you mean 'shape'?"},
      {"[3, 48, 64]", "3", ":7:9: image.shape must be three whole numbers, [CHANNELS, HEIGHT,"},
      {"[3, 48, 64]", "[48, 64]", ":7:9: image.shape must be three whole numbers"},
      {"[3, 48, 64]", "[3, 48, 64, 1]", ":7:9: image.shape must be three whole numbers"},
      {"48", "48.0", ":7:13: image.shape must be three whole numbers"},
      {"48", "\"48\"", ":7:13: image.shape must be three whole numbers"},
      {"[3,", "[2,",
       ":7:10: image.shape must have 1 (grey) or 3 (red, green, blue) channels, got "
       "2"},
      {"[3,", "[0,", "channels, got 0"},
      {"48", "0", ":7:13: image.shape must have a height and a width between 1 and 1024, got 0"},
      {"64", "1025", ":7:17: image.shape must have a height and a width between 1 and 1024"},
      {"64", "-64", "got -64"},
      {"[image]\nshape = [3, 48, 64]", "[[image]]\nshape = [3, 48, 64]", "image must be a table"},
  };
  for (const auto& [from, to, message] : cases) {
    EXPECT_THAT(
        error_of(ErrorKind::kInput,
                 [&, from = from, to = to] { parse_schema(images_with(from, to), "faces.toml"); }),
        AllOf(StartsWith("[data.schema] faces.toml:"), HasSubstr(std::string(message))))
        << to;
  }
}

/// toml++ would end the process on these.
TEST(SchemaParse, DocumentsThatBreakTheParserAreAnError) {
  for (const char* text :
       {"[}x]", "[[\\x]]", "bounds = [}, 9]", "a = {", "[a", "[\n", "\xc3\xa9 = 1"}) {
    EXPECT_ERROR(kInput, HasSubstr("not valid TOML"), parse_schema(text, "bad.toml"));
  }
}

/// Comments are no facts that anybody has reviewed, and the text goes into published models.
TEST(SchemaParse, TheTextThatIsKeptHasNoComments) {
  const std::string text =
      std::string("# 1.9 % missing\n\n") + std::string(kGood) + "  # 73 distinct\n# end";
  const Schema schema = parse_schema(text, "good.toml");
  EXPECT_EQ(schema.source_text.find("missing\n"), std::string::npos);
  EXPECT_EQ(schema.source_text.find("73 distinct"), std::string::npos);
  EXPECT_EQ(schema.source_text.find("# end"), std::string::npos);
  EXPECT_EQ(parse_schema(schema.source_text, "kept").source_text, schema.source_text);
}

TEST(SchemaParse, WithoutCommentsLeavesStringsAlone) {
  EXPECT_EQ(without_comments("a = \"x # y\" # z\nb = 'c:\\' # z\n\n# only\nc = \"\\\" # in\"#out"),
            "a = \"x # y\"\nb = 'c:\\'\nc = \"\\\" # in\"");
  EXPECT_EQ(without_comments("a = \"\"\"\n# in \" it\n\n\"\"\" # out"),
            "a = \"\"\"\n# in \" it\n\n\"\"\" ");
  EXPECT_EQ(without_comments("a = '''\n# in\n'''\n"), "a = '''\n# in\n'''\n");
  EXPECT_EQ(without_comments("# only"), "");
  EXPECT_EQ(without_comments("a = \"open # not closed"), "a = \"open # not closed");
}

}  // namespace equinoise::schema_test
