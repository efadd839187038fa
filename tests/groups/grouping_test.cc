// SPDX-License-Identifier: Apache-2.0
#include "equinoise/groups/grouping.h"

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/columns.h"
#include "tests/test_support.h"

namespace equinoise::grouping_test {

/// "sex=Female, race=White"
std::string to_string(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group) {
    if (!text.empty()) text += ", ";
    text.append(column).append("=").append(value);
  }
  return text;
}

struct Example {
  Example() {
    schema.target = "label";
    schema.columns = {testing::categorical_column("sex", {"F", "M"}),
                      testing::categorical_column("race", {"x", "y"}),
                      testing::categorical_column("label", {"no", "yes"}),
                      testing::categorical_column("age", {}),
                      testing::categorical_column("zip", {})};
    schema.columns[1].missing = MissingPolicy::kCategory;
    schema.columns[3].type = ColumnType::kNumeric;
    schema.columns[3].lower = 17;
    schema.columns[3].upper = 90;
    schema.columns[4].type = ColumnType::kIgnored;
    schema.public_group_sizes = {{{{"race", "y"}, {"sex", "M"}}, 2}, {{{"sex", "F"}}, 1}};
    schema.group_attributes = {
        {.name = "stage", .column = "age", .cuts = {25, 45.1}, .values = {}},
        {.name = "any_race", .column = "race", .cuts = {}, .values = {"missing", "y"}},
    };
    dataset.num_records = 3;
    dataset.numeric = {{"age", {90, 25, 24.999F}}};
    dataset.categorical = {{"sex", {"F", "M"}, {0, 1, 1}},
                           {"race", {"x", "y", "missing"}, {2, 1, 0}},
                           {"label", {"no", "yes"}, {1, 0, 1}}};
    dataset.contributes = {1, 1, 1};
  }
  Schema schema;
  Dataset dataset;
};

std::vector<uint32_t> indices(const Grouping& grouping) {
  std::vector<uint32_t> result;
  for (const GroupId group : grouping.group_of) result.push_back(index_of(group));
  return result;
}

TEST(GroupingTest, OneColumn) {
  const Example example;
  const Grouping grouping = group_by(example.dataset, example.schema, {"sex"});
  EXPECT_THAT(grouping.columns, ElementsAre("sex"));
  EXPECT_THAT(grouping.groups, ElementsAre(GroupLabel{{"sex", "F"}}, GroupLabel{{"sex", "M"}}));
  EXPECT_THAT(grouping.public_sizes, ElementsAre(1, std::nullopt));
  EXPECT_THAT(indices(grouping), ElementsAre(0, 1, 1));
}

TEST(GroupingTest, IntersectionsWithTheLastColumnFastest) {
  const Example example;
  const Grouping grouping = group_by(example.dataset, example.schema, {"sex", "race"});
  std::vector<std::string> labels;
  for (const GroupLabel& group : grouping.groups) labels.push_back(to_string(group));
  EXPECT_THAT(labels, ElementsAre("sex=F, race=x", "sex=F, race=y", "sex=F, race=missing",
                                  "sex=M, race=x", "sex=M, race=y", "sex=M, race=missing"));
  EXPECT_EQ(grouping.public_sizes[4], 2);
  EXPECT_EQ(grouping.public_sizes[0], std::nullopt);
  EXPECT_THAT(indices(grouping), ElementsAre(2, 4, 3));
}

TEST(GroupingTest, TheTargetMayBeAGroup) {
  const Example example;
  const Grouping grouping = group_by(example.dataset, example.schema, {"label"});
  EXPECT_THAT(indices(grouping), ElementsAre(1, 0, 1));
}

TEST(GroupingTest, RefusesColumnsThatMakeNoGroups) {
  const Example example;
  const auto message = [&](const std::vector<std::string>& columns) {
    return error_of(ErrorKind::kUsage, [&] { group_by(example.dataset, example.schema, columns); });
  };
  EXPECT_THAT(message({}), HasSubstr("at least one column"));
  EXPECT_THAT(message({"rac"}), HasSubstr("did you mean 'race'?"));
  EXPECT_THAT(message({"stag"}), HasSubstr("did you mean 'stage'?"));
  EXPECT_THAT(message({"age"}), HasAll("'age' is numeric",
                                       "\n[groups.age_band]\ncolumn = \"age\"\n"
                                       "cuts = [53.5]"));
  EXPECT_THAT(message({"zip"}), HasSubstr("'zip' is ignored"));
  EXPECT_THAT(message({"sex=F", " or M"}), HasSubstr("write 'sex' alone"));
  EXPECT_THAT(message({"sex", "race", "sex"}), HasSubstr("'sex' is named twice"));
}

TEST(GroupingTest, TheBandsThatTheMessageShowsCanBeUsed) {
  Example example;
  example.schema.columns[3].name = "a.\"b\"";
  EXPECT_ERROR(kUsage, HasSubstr("[groups.\"a.\\\"b\\\"_band\"]\ncolumn = \"a.\\\"b\\\"\""),
               list_groups(example.schema, {"a.\"b\""}));
}

TEST(GroupingTest, GroupingsThatAreGivenTwiceAreRefused) {
  EXPECT_NO_THROW(require_distinct({}));
  EXPECT_NO_THROW(require_distinct({{"sex"}, {"sex", "race"}, {"race", "sex"}}));
  EXPECT_ERROR(kUsage, HasSubstr("--groups sex,race is given twice"),
               require_distinct({{"sex", "race"}, {"sex"}, {"sex", "race"}}));
}

TEST(GroupingTest, BandsOfANumericColumn) {
  const Example example;
  const Grouping grouping = group_by(example.dataset, example.schema, {"stage"});
  EXPECT_THAT(grouping.columns, ElementsAre("stage"));
  EXPECT_THAT(grouping.groups, ElementsAre(GroupLabel{{"stage", "below 25"}},
                                           GroupLabel{{"stage", "25 to below 45.1"}},
                                           GroupLabel{{"stage", "45.1 and above"}}));
  EXPECT_THAT(indices(grouping), ElementsAre(2, 1, 0));
}

TEST(GroupingTest, ANumberAtACutIsInTheBandThatBeginsThere) {
  Example example;
  for (const double cut : {45.1, 20240229.0, 1700000030.5, 0x1p53 - 1}) {
    example.schema.group_attributes[0].cuts[1] = cut;
    example.dataset.numeric = {
        {"age", {std::nextafter(cut, 0.0), cut, std::nextafter(cut, 1e300)}}};
    EXPECT_THAT(indices(group_by(example.dataset, example.schema, {"stage"})), ElementsAre(1, 2, 2))
        << cut;
  }
}

TEST(GroupingTest, SomeCategoriesAndTheRest) {
  const Example example;
  const Grouping grouping = group_by(example.dataset, example.schema, {"any_race"});
  EXPECT_THAT(grouping.groups,
              ElementsAre(GroupLabel{{"any_race", "missing"}}, GroupLabel{{"any_race", "y"}},
                          GroupLabel{{"any_race", "rest"}}));
  EXPECT_THAT(indices(grouping), ElementsAre(0, 1, 2));
}

TEST(GroupingTest, AttributesAndColumnsIntersect) {
  Example example;
  example.schema.public_group_sizes[{{"sex", "M"}, {"stage", "below 25"}}] = 1;
  const Grouping grouping = group_by(example.dataset, example.schema, {"stage", "sex", "any_race"});
  ASSERT_EQ(grouping.groups.size(), 18u);
  std::vector<std::string> labels;
  for (const GroupId group : grouping.group_of) {
    labels.push_back(to_string(grouping.groups[index_of(group)]));
  }
  EXPECT_THAT(labels, ElementsAre("stage=45.1 and above, sex=F, any_race=missing",
                                  "stage=25 to below 45.1, sex=M, any_race=y",
                                  "stage=below 25, sex=M, any_race=rest"));
  EXPECT_EQ(list_groups(example.schema, {"stage", "sex"}).public_sizes[1], 1);
}

TEST(GroupingTest, ADatasetWithoutTheColumnIsRefused) {
  Example example;
  example.dataset.numeric.clear();
  EXPECT_ERROR(kUsage, HasSubstr("column 'age' does not have this form in the dataset"),
               group_by(example.dataset, example.schema, {"stage"}));
  example.dataset.categorical[1].categories = {"x", "y"};
  for (const char* name : {"race", "any_race"}) {
    EXPECT_ERROR(kUsage, HasSubstr("column 'race' does not have this form in the dataset"),
                 group_by(example.dataset, example.schema, {name}));
  }
}

/// All groups by sex and race have a public size: 5, 2, 0, 7, 1, 3.
Example sized() {
  Example example;
  example.schema.public_group_sizes.clear();
  int64_t sizes[] = {5, 2, 0, 7, 1, 3};
  size_t next = 0;
  for (const char* sex : {"F", "M"}) {
    for (const char* race : {"x", "y", "missing"}) {
      example.schema.public_group_sizes[{{"race", race}, {"sex", sex}}] = sizes[next++];
    }
  }
  return example;
}

TEST(GroupFloorTest, KeepKeepsThemAll) {
  const Example example = sized();
  const Grouping grouping =
      group_by(example.dataset, example.schema, {"sex", "race"}, {100, SmallGroups::kKeep});
  EXPECT_EQ(grouping.groups.size(), 6u);
  EXPECT_THAT(indices(grouping), ElementsAre(2, 4, 3));
}

TEST(GroupFloorTest, MergeMakesOneLastGroupOfTheSmallOnes) {
  const Example example = sized();
  const Grouping grouping =
      group_by(example.dataset, example.schema, {"sex", "race"}, {3, SmallGroups::kMerge});
  EXPECT_THAT(grouping.columns, ElementsAre("sex", "race"));
  std::vector<std::string> labels;
  for (const GroupLabel& group : grouping.groups) labels.push_back(to_string(group));
  EXPECT_THAT(labels, ElementsAre("sex=F, race=x", "sex=M, race=x", "sex=M, race=missing",
                                  "sex=(small groups), race=(small groups)"));
  EXPECT_THAT(grouping.public_sizes, ElementsAre(5, 7, 3, 3));
  EXPECT_THAT(indices(grouping), ElementsAre(3, 3, 1)) << "F missing, M y, M x";
  const Grouping list = list_groups(example.schema, {"sex", "race"}, {3, SmallGroups::kMerge});
  EXPECT_EQ(list.groups, grouping.groups);
  EXPECT_EQ(list.public_sizes, grouping.public_sizes);
  EXPECT_TRUE(list.group_of.empty());
}

TEST(GroupFloorTest, MergeWithoutASmallGroupChangesNothing) {
  const Example example = sized();
  const Grouping grouping =
      group_by(example.dataset, example.schema, {"sex", "race"}, {0, SmallGroups::kMerge});
  EXPECT_EQ(grouping.groups.size(), 6u);
  EXPECT_THAT(indices(grouping), ElementsAre(2, 4, 3));
}

TEST(GroupFloorTest, EveryGroupMayBeSmall) {
  const Example example = sized();
  const Grouping grouping =
      group_by(example.dataset, example.schema, {"sex", "race"}, {100, SmallGroups::kMerge});
  EXPECT_EQ(grouping.groups.size(), 1u);
  EXPECT_THAT(grouping.public_sizes, ElementsAre(18));
  EXPECT_THAT(indices(grouping), ElementsAre(0, 0, 0));
}

TEST(GroupFloorTest, RefuseNamesTheSmallGroups) {
  const Example example = sized();
  const auto message = [&](int64_t min_size) {
    return error_of(ErrorKind::kUsage, [&] {
      list_groups(example.schema, {"sex", "race"}, {min_size, SmallGroups::kRefuse});
    });
  };
  EXPECT_THAT(message(3), AllOf(HasSubstr("3 of 6 groups have fewer than 3 records: sex=F, race=y "
                                          "(2); sex=F, race=missing (0); sex=M, race=y (1); "),
                                Not(HasSubstr("..."))));
  EXPECT_THAT(message(100),
              AllOf(HasSubstr("sex=M, race=y (1); ...;"), Not(HasSubstr("sex=M, race=missing"))));
  EXPECT_NO_THROW(list_groups(example.schema, {"sex", "race"}, {0, SmallGroups::kRefuse}));
}

TEST(GroupFloorTest, MergeAndRefuseNeedEveryPublicSize) {
  Example example = sized();
  example.schema.public_group_sizes.erase({{"race", "missing"}, {"sex", "M"}});
  for (const SmallGroups policy : {SmallGroups::kMerge, SmallGroups::kRefuse}) {
    EXPECT_ERROR(kUsage,
                 HasAll("the size of group sex=M, race=missing is not declared",
                        "\n[[public.groups]]\ngroup = { sex = \"M\", race = \"missing\" }"),
                 list_groups(example.schema, {"sex", "race"}, {1, policy}));
  }
  EXPECT_NO_THROW(list_groups(example.schema, {"sex", "race"}, {1, SmallGroups::kKeep}));
}

TEST(GroupFloorTest, ANegativeFloorIsRefused) {
  const Example example = sized();
  EXPECT_ERROR(kUsage, HasSubstr("must be >= 0, got -1"),
               list_groups(example.schema, {"sex"}, {-1, {}}));
}

TEST(GroupFloorTest, TheNameOfTheMergedGroupMustBeFree) {
  Example example;
  example.schema.columns[0].values = {"F", "(small groups)"};
  example.schema.public_group_sizes = {{{{"sex", "F"}}, 1}, {{{"sex", "(small groups)"}}, 9}};
  EXPECT_ERROR(kUsage, HasSubstr("a group is called (small groups) already"),
               list_groups(example.schema, {"sex"}, {5, SmallGroups::kMerge}));
  EXPECT_NO_THROW(list_groups(example.schema, {"sex"}, {1, SmallGroups::kMerge}));
}

// Looked up one by one in a list, the sizes of so many groups would take a minute.
/// Costs of one name add up as those of the same people.
TEST(GroupingTest, TheDivisionIsNamedByHowCellsAreRead) {
  Schema schema = Example().schema;
  std::set<std::string> names;
  const auto expect_another_name = [&](const std::vector<std::string>& columns) {
    EXPECT_TRUE(names.insert(list_groups(schema, columns).partition).second);
  };
  expect_another_name({"sex"});
  schema.layout.delimiter = ';';
  EXPECT_FALSE(names.insert(list_groups(schema, {"sex"}).partition).second)
      << "separators decide nothing about a record";
  schema.columns[0].missing_values = {"N"};
  expect_another_name({"sex"});
  schema.layout.encoding = Encoding::kLatin1;
  expect_another_name({"sex"});
  schema.layout.has_header = false;
  expect_another_name({"sex"});
  std::swap(schema.columns[0], schema.columns[1]);
  expect_another_name({"sex"});
  expect_another_name({"stage"});
  schema.layout.decimal_comma = true;
  expect_another_name({"stage"});
  schema.columns[2].values = {"0.5", "1"};
  schema.layout.decimal_comma = false;
  expect_another_name({schema.columns[2].name});
  schema.layout.decimal_comma = true;
  expect_another_name({schema.columns[2].name});
  // The same names of other cells divide people otherwise.
  schema.columns[2].cell_texts = {"1", "2"};
  expect_another_name({schema.columns[2].name});
  schema.columns[2].cell_texts = {"2", "1"};
  expect_another_name({schema.columns[2].name});
  ColumnSchema& banded = schema.columns[3];
  ASSERT_EQ(banded.name, schema.find_group_attribute("stage")->column);
  banded.thousands = '.';
  expect_another_name({"stage"});
  banded.number_unit = "kg";
  expect_another_name({"stage"});
  banded.time = TimeFormat();
  expect_another_name({"stage"});
  banded.time->offset = 60;
  banded.time->unit = TimeUnit::kMinute;
  expect_another_name({"stage"});
}

TEST(GroupingTest, GroupsThatAreDeclaredEmptyCanBeLeftOut) {
  Example example;
  example.schema.public_group_sizes = {{{{"sex", "F"}}, 0}};
  const Grouping listed = list_groups(example.schema, {"sex"});
  EXPECT_EQ(names_of_empty_groups(listed), (std::vector<std::string>{"F"}));
  const Grouping kept = without_empty_groups(listed);
  EXPECT_EQ(group_names(kept), (std::vector<std::string>{"M"}));
  EXPECT_EQ(kept.public_sizes, (std::vector<std::optional<int64_t>>{std::nullopt}))
      << "a size that is not declared is not 0";
  EXPECT_EQ(without_empty_groups(kept).groups, kept.groups);
}

TEST(GroupingTest, FindsThePublicSizesOfManyGroups) {
  Example example;
  std::vector<std::string> values;
  for (int i = 0; i < 250; ++i) values.push_back("a rather long name " + std::to_string(i));
  example.schema.columns[0].values = values;
  example.schema.columns[2].values = values;
  example.schema.public_group_sizes.clear();
  int64_t size = 0;
  for (const std::string& label : values) {
    for (const std::string& sex : values) {
      example.schema.public_group_sizes[{{"label", label}, {"sex", sex}}] = size++;
    }
  }
  const Grouping grouping = list_groups(example.schema, {"label", "sex"});
  ASSERT_EQ(grouping.public_sizes.size(), 62'500u);
  for (size_t i = 0; i < grouping.public_sizes.size(); ++i) {
    ASSERT_EQ(grouping.public_sizes[i], static_cast<int64_t>(i));
  }
}

/// Three units: one with most rows of M, one whose M is a cell that its rule drops, one of race x
/// by its first row in the list.
TEST(GroupingTest, UnitsAreInTheGroupOfMostOfTheirRows) {
  Example example;
  Dataset& dataset = example.dataset;
  dataset.num_records = 6;
  dataset.categorical = {{"sex", {"F", "M"}, {0, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}},
                         {"race", {"x", "y", "missing"}, {0, 0, 0, 0, 1, 0}}};
  dataset.categorical[0].codes[3] = 1;
  dataset.contributes = {1, 1, 1, 0, 1, 1};
  EXPECT_THAT(indices(group_units_by(dataset, example.schema, {"sex"})),
              ElementsAre(0, 1, 1, 1, 0, 0));
  EXPECT_THAT(without_group(dataset, example.schema, {"sex"}), ElementsAre(0, 0, 0, 1, 0, 0));
  EXPECT_THAT(without_group(dataset, example.schema, {"race"}), ElementsAre(0, 0, 0, 0, 0, 0));
  dataset.unit_begin = {0, 3, 5, 6};
  EXPECT_THAT(indices(group_units_by(dataset, example.schema, {"sex"})),
              ElementsAre(1, 1, 1, 0, 0, 0));
  EXPECT_THAT(indices(group_units_by(dataset, example.schema, {"race"})),
              ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(GroupingTest, RefusesTooManyGroups) {
  Example example;
  std::vector<std::string> values;
  for (int i = 0; i < 300; ++i) values.push_back(std::to_string(i));
  for (const char* name : {"a", "b"}) {
    example.schema.columns.push_back(testing::categorical_column(name, values));
    example.dataset.categorical.push_back({name, values, {0, 1, 2}});
  }
  EXPECT_EQ(group_by(example.dataset, example.schema, {"a"}).groups.size(), 300u);
  EXPECT_ERROR(kUsage, HasSubstr("more than 65536 groups"),
               group_by(example.dataset, example.schema, {"a", "b"}));
}

}  // namespace equinoise::grouping_test
