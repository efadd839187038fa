#include "equinoise/groups/grouping.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/test_support.h"

namespace equinoise {
namespace {

/// "sex=Female, race=White"
std::string to_string(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group) {
    if (!text.empty()) text += ", ";
    text.append(column).append("=").append(value);
  }
  return text;
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ColumnSchema categorical(std::string name, std::vector<std::string> values) {
  ColumnSchema column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

struct Example {
  Example() {
    schema.target = "label";
    schema.columns = {categorical("sex", {"F", "M"}), categorical("race", {"x", "y"}),
                      categorical("label", {"no", "yes"}), categorical("age", {}),
                      categorical("zip", {})};
    schema.columns[1].missing = MissingPolicy::kCategory;
    schema.columns[3].type = ColumnType::kNumeric;
    schema.columns[4].type = ColumnType::kIgnored;
    schema.public_group_sizes = {{{{"race", "y"}, {"sex", "M"}}, 2}, {{{"sex", "F"}}, 1}};
    dataset.num_records = 3;
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
  EXPECT_THAT(message({"age"}), HasSubstr("'age' is numeric"));
  EXPECT_THAT(message({"zip"}), HasSubstr("'zip' is ignored"));
  EXPECT_THAT(message({"sex", "race", "sex"}), HasSubstr("'sex' is named twice"));
}

TEST(GroupingTest, RefusesTooManyGroups) {
  Example example;
  std::vector<std::string> values;
  for (int i = 0; i < 300; ++i) values.push_back(std::to_string(i));
  for (const char* name : {"a", "b"}) {
    example.schema.columns.push_back(categorical(name, values));
    example.dataset.categorical.push_back({name, values, {0, 1, 2}});
  }
  EXPECT_EQ(group_by(example.dataset, example.schema, {"a"}).groups.size(), 300u);
  EXPECT_THAT(error_of(ErrorKind::kUsage,
                       [&] {
                         group_by(example.dataset, example.schema, {"a", "b"});
                       }),
              HasSubstr("more than 65536 groups"));
}

}  // namespace
}  // namespace equinoise
