#include "equinoise/data/schema.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  EXPECT_EQ(schema.source_text, kGood);
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

TEST(SchemaTest, PublicSizesDoNotDependOnTheOrderOfColumns) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  EXPECT_EQ(schema.public_size({{"sex", "Female"}, {"race", "other"}}), 4);
  EXPECT_EQ(schema.public_size({{"race", "other"}, {"sex", "Female"}}), 4);
  EXPECT_EQ(schema.public_size({{"sex", "Female"}}), std::nullopt);
}

TEST(SchemaTest, TheTargetIsOptionalAndNotReviewedIsTheDefault) {
  std::string text = changed("target = \"income\"\n", "");
  const Schema schema = parse_schema(text.erase(text.find("reviewed = true\n"), 16), "toy.toml");
  EXPECT_EQ(schema.target, "");
  EXPECT_TRUE(schema.column("income").feature);
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { require_reviewed(schema); }),
              HasSubstr("reviewed = true"));
  EXPECT_NO_THROW(require_reviewed(parse_schema(kGood, "toy.toml")));
}

TEST(SchemaTest, AnUnknownColumnIsProposed) {
  const Schema schema = parse_schema(kGood, "toy.toml");
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { schema.column("incme"); }),
              HasSubstr("did you mean 'income'?"));
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
    {"unit", "reviewed = true", "unit = \"household\"", "unit must be \"row\""},
    {"unknown_key", "reviewed", "reviewd", ":3:1: reviewd is not a key; did you mean 'reviewed'?"},
    {"missing_values", "reviewed = true", "missing_values = 3", "must be a list of strings"},
    {"target", "target = \"income\"", "target = \"incom\"", "did you mean 'income'?"},
    {"empty_target", "target = \"income\"", "target = \"\"", "target \"\" is not a column"},
    {"numeric_target", "target = \"income\"", "target = \"age\"", "must be a categorical column"},
    {"ignored_target", "target = \"income\"", "target = \"zip\"", "must be a categorical column"},
    {"target_policy", "target = \"income\"", "target = \"race\"", "must have unknown = \"drop\""},
    {"no_public", "[public]\nnum_records = 10", "", "public.num_records is missing"},
    {"zero_rows", kRows, "num_records = 0", ":7:15: public.num_records must lie between 1 and"},
    {"negative_rows", kRows, "num_records = -1", "must lie between 1 and 4294967294, got -1"},
    {"many_rows", kRows, "num_records = 4294967295", "must lie between 1 and 4294967294"},
    {"fractional_rows", kRows, "num_records = 1.5", "must be a whole number"},
    {"public_key", kRows, "num_record = 10", "did you mean 'num_records'?"},
    {"group_column", kGroup, "group = { sx = \"Female\" }", "did you mean 'sex'?"},
    {"group_numeric", kGroup, "group = { age = \"17\" }", "'age' is not a categorical column"},
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
     "columns.sex.bounds is not a key of a categorical column"},
    {"key_of_numeric", kBounds, "values = [\"17\"]", "is not a key of a numeric column"},
    {"column_is_no_table", "[columns.zip]\ntype = \"ignored\"", "[columns]\nzip = 3",
     "columns.zip must be a table"},
    {"no_bounds", kBounds, "", "columns.age.bounds is missing"},
    {"one_bound", kBounds, "bounds = [17]", "must be two numbers"},
    {"reversed_bounds", kBounds, "bounds = [90, 17]", "with LOWER < UPPER, got [90, 17]"},
    {"equal_bounds", kBounds, "bounds = [17, 17]", "with LOWER < UPPER"},
    {"nan_bounds", kBounds, "bounds = [17, nan]", "must be a finite number"},
    {"infinite_bounds", kBounds, "bounds = [17, inf]", "must be a finite number"},
    {"text_bounds", kBounds, "bounds = [17, \"90\"]", "must be a finite number"},
    {"close_bounds", kBounds, "bounds = [1000000001, 1000000002]", "single precision"},
    {"scale", "scale = \"standard\"", "scale = \"log\"", "must be one of \"unit\", \"symmetric\""},
    {"mean_without_scale", "scale = \"standard\"", "", "columns.age.mean belongs to scale ="},
    {"no_stddev", "stddev = 12.5", "", "columns.age.stddev is missing"},
    {"stddev", "stddev = 12.5", "stddev = 0", "must be > 0"},
    {"mean", "mean = 40", "mean = 0", "must lie within the bounds"},
    {"fill_missing", "fill = 38", "", "columns.age.fill is missing"},
    {"fill_bounds", "fill = 38", "fill = 91", "must lie within the bounds"},
    {"fill_without_policy", "missing = \"fill\"", "", "columns.age.fill belongs to missing ="},
    {"numeric_missing", "missing = \"fill\"", "missing = \"category\"", "\"drop\", \"fill\""},
    {"no_values", kSexValues, "", "columns.sex.values is missing"},
    {"empty_values", kSexValues, "values = []", "values is empty"},
    {"number_values", kSexValues, "values = [\"a\", 1]", "must hold strings only"},
    {"duplicate_values", kLabels, "values = [\"low\", \"low\"]", "holds \"low\" twice"},
    {"empty_string", kLabels, "values = [\"low\", \"\"]", "marks a missing cell"},
    {"missing_value", kLabels, "values = [\"low\", \"?\"]", "marks a missing cell"},
    {"unknown_policy", "unknown = \"other\"", "unknown = \"clamp\"", "\"drop\", \"other\""},
    {"other_value", "[\"White\", \"Black\"]", "[\"White\", \"other\"]", "unknown = \"other\" adds"},
    {"missing_category", "[\"White\", \"Black\"]", "[\"White\", \"missing\"]", "rename the value"},
};
INSTANTIATE_TEST_SUITE_P(All, BadSchemaTest, ::testing::ValuesIn(kBadSchemas),
                         [](const ::testing::TestParamInfo<BadSchema>& bad) {
                           return std::string(bad.param.name);
                         });

TEST(SchemaTest, ColumnsAreNeeded) {
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [] {
                         parse_schema(
                             "schema = \"equinoise/1\"\ndataset = \"a\"\n[columns.a]\n"
                             "type = \"ignored\"\n",
                             "a.toml");
                       }),
              HasSubstr("declares no numeric or categorical column"));
}

TEST(SchemaTest, AtMost65000Values) {
  std::string values = "values = [";
  for (int i = 0; i <= 65000; ++i) values += "\"" + std::to_string(i) + "\",";
  const std::string text = changed(kLabels, values + "]");
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { parse_schema(text, "a.toml"); }),
              HasSubstr("has 65001 values; at most 65000"));
}

TEST(SchemaTest, LoadSaysWhyAFileCannotBeUsed) {
  const TempFolder folder;
  const auto message = [&](const std::filesystem::path& path) {
    return error_of(ErrorKind::kInput, [&] { load_schema(path); });
  };
  EXPECT_THAT(message(folder.path() / "none.toml"), HasSubstr("none.toml: no such file"));
  EXPECT_THAT(message(folder.path()), HasSubstr("is not a regular file"));
  EXPECT_THAT(message(folder.write_file("empty.toml", "")), HasSubstr("is empty"));
  EXPECT_THAT(message(folder.write_file("blank.toml", "\n")), HasSubstr("blank.toml:1:1: schema"));
  EXPECT_THAT(message(folder.write_file("bad.toml", "\xff\xfe")), HasSubstr("not valid TOML"));
  EXPECT_EQ(load_schema(folder.write_file("good.toml", kGood)).dataset, "toy");
}

}  // namespace
}  // namespace equinoise
