#include "equinoise/data/encoder.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ColumnSchema numeric(std::string name, NumericScale scale) {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = ColumnType::kNumeric;
  column.lower = -10;
  column.upper = 30;
  column.scale = scale;
  column.mean = 10;
  column.stddev = 5;
  return column;
}

ColumnSchema categorical(std::string name, std::vector<std::string> values) {
  ColumnSchema column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

struct Example {
  Example() {
    schema.target = "label";
    schema.columns = {
        categorical("sex", {"F", "M"}),      numeric("unit", NumericScale::kUnit),
        categorical("label", {"no", "yes"}), numeric("symmetric", NumericScale::kSymmetric),
        categorical("group", {"a", "b"}),    numeric("standard", NumericScale::kStandard),
        categorical("race", {"x", "y"})};
    schema.columns[4].feature = false;
    schema.columns[6].unknown = UnknownPolicy::kOther;
    dataset.num_records = 3;
    for (const char* name : {"unit", "symmetric", "standard"}) {
      dataset.numeric.push_back({name, {-10, 0, 30}});
    }
    dataset.categorical = {{"sex", {"F", "M"}, {0, 1, 1}},
                           {"label", {"no", "yes"}, {1, 0, 1}},
                           {"group", {"a", "b"}, {0, 0, 1}},
                           {"race", {"x", "y", "other"}, {2, 1, 0}}};
    dataset.contributes = {1, 0, 1};
  }
  Schema schema;
  Dataset dataset;
};

TEST(EncoderTest, NumericFirstThenOneHotBlocks) {
  const Example example;
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_EQ(table.num_records, 3);
  EXPECT_EQ(table.num_dense, 3u);
  EXPECT_EQ(table.num_active, 2u);
  EXPECT_EQ(table.num_features, 8u);
  EXPECT_THAT(table.feature_names, ElementsAre("unit", "symmetric", "standard", "sex=F", "sex=M",
                                               "race=x", "race=y", "race=other"));
  EXPECT_THAT(table.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(table.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.contributes, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.dense_row(0), ElementsAre(0.0f, -1.0f, -4.0f));
  EXPECT_THAT(table.dense_row(1), ElementsAre(0.25f, -0.5f, -2.0f));
  EXPECT_THAT(table.dense_row(2), ElementsAre(1.0f, 1.0f, 4.0f));
  EXPECT_THAT(table.active_row(0), ElementsAre(3, 7));
  EXPECT_THAT(table.active_row(1), ElementsAre(4, 6));
  EXPECT_THAT(table.active_row(2), ElementsAre(4, 5));
}

TEST(EncoderTest, ValuesOutsideTheBoundsAreClamped) {
  Example example;
  for (NumericColumn& column : example.dataset.numeric) column.values = {-1e9f, 10, 1e9f};
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_THAT(table.dense_row(0), ElementsAre(0.0f, -1.0f, -4.0f));
  EXPECT_THAT(table.dense_row(2), ElementsAre(1.0f, 1.0f, 4.0f));
}

TEST(EncoderTest, SelectKeepsTheOrderAsked) {
  const Example example;
  const EncodedTable table = encode(example.dataset, example.schema);
  const std::vector<uint32_t> records = {2, 0, 2};
  const EncodedTable part = select(table, records);
  EXPECT_EQ(part.num_records, 3);
  EXPECT_EQ(part.num_features, table.num_features);
  EXPECT_EQ(part.feature_names, table.feature_names);
  EXPECT_THAT(part.labels, ElementsAre(1, 1, 1));
  EXPECT_THAT(part.active_row(0), ElementsAre(4, 5));
  EXPECT_THAT(part.active_row(1), ElementsAre(3, 7));
  EXPECT_THAT(part.dense_row(2), ElementsAre(1.0f, 1.0f, 4.0f));
  const std::vector<uint32_t> outside = {3};
  EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { select(table, outside); }),
              HasSubstr("record 3 of a table of 3"));
}

TEST(EncoderTest, RefusesASchemaWithoutACategoricalTarget) {
  Example example;
  example.schema.target = "";
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { encode(example.dataset, example.schema); }),
              HasSubstr("names no target"));
  example.schema.target = "unit";
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { encode(example.dataset, example.schema); }),
              HasSubstr("must be categorical"));
}

TEST(EncoderTest, RefusesADatasetOfAnotherSchema) {
  Example example;
  example.dataset.categorical[0].categories = {"M", "F"};
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { encode(example.dataset, example.schema); }),
              HasSubstr("column 'sex'"));
  example.dataset.numeric.pop_back();
  EXPECT_THAT(error_of(ErrorKind::kInput, [&] { encode(example.dataset, example.schema); }),
              HasSubstr("column 'standard'"));
}

}  // namespace
}  // namespace equinoise
