// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/encoder.h"

#include <vector>

#include "tests/columns.h"
#include "tests/test_support.h"

namespace equinoise::encoder_test {

using ::testing::ElementsAreArray;

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

struct Example {
  Example() {
    schema.target = "label";
    schema.columns = {testing::categorical_column("sex", {"F", "M"}),
                      numeric("unit", NumericScale::kUnit),
                      testing::categorical_column("label", {"no", "yes"}),
                      numeric("symmetric", NumericScale::kSymmetric),
                      testing::categorical_column("group", {"a", "b"}),
                      numeric("standard", NumericScale::kStandard),
                      testing::categorical_column("race", {"x", "y"})};
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

/// Categories are a half and a third as frequent as the first, and compared with it.
TEST(EncoderTest, TypicalFeaturesFollowFromTheSchema) {
  std::vector<double> rests;
  std::vector<bool> categories;
  for (const TypicalFeature& feature : typical_features(Example().schema)) {
    rests.push_back(feature.rest);
    categories.push_back(feature.is_category);
  }
  const double all = 1 + 1. / 2 + 1. / 3;
  EXPECT_THAT(rests, ElementsAre(1. / 3, 1. / 3, 1, 0, ::testing::DoubleNear(1. / 1.5 / 3, 1e-12),
                                 0, ::testing::DoubleNear(1 / all / 3, 1e-12),
                                 ::testing::DoubleNear(1 / all / 4, 1e-12)));
  EXPECT_THAT(categories, ElementsAre(false, false, false, true, true, true, true, true));
}

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

TEST(EncoderTest, SaysWhatNumbersAndBlocksMean) {
  const Example example;
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_THAT(table.blocks, ElementsAre(3, 5));
  ASSERT_EQ(table.scales.size(), 3);
  for (size_t j = 0; j < 3; ++j) {
    const NumberScale& scale = table.scales[j];
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_EQ(scale.offset + scale.divisor * static_cast<double>(table.dense_row(i)[j]),
                example.dataset.numeric[j].values[static_cast<size_t>(i)]);
    // Of bounds of -10 and 30 the middle is 10, as is the public mean.
    EXPECT_EQ(scale.offset + scale.divisor * scale.middle, 10);
    EXPECT_EQ(scale.divisor * scale.half_width, j == 2 ? 5 : 20);
  }
  EXPECT_EQ(table.scale_of(4).half_width, 1);
}

TEST(EncoderTest, TargetsOfBoundsAloneAreExpectedInTheirMiddle) {
  const auto expect = [](const ColumnSchema& column, double middle, double spread) {
    EXPECT_EQ(target_scale(column).middle, middle);
    EXPECT_EQ(target_scale(column).spread, spread);
  };
  expect(numeric("y", NumericScale::kUnit), 0.5, 0.25);
  expect(numeric("y", NumericScale::kSymmetric), 0, 0.5);
  expect(numeric("y", NumericScale::kStandard), 0, 1);
  expect(testing::categorical_column("y", {"no", "yes"}), 0, 1);
}

TEST(EncoderTest, ValuesOutsideTheBoundsAreClamped) {
  Example example;
  for (NumericColumn& column : example.dataset.numeric) column.values = {-1e9f, 10, 1e9f};
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_THAT(table.dense_row(0), ElementsAre(0.0f, -1.0f, -4.0f));
  EXPECT_THAT(table.dense_row(2), ElementsAre(1.0f, 1.0f, 4.0f));
}

/// Seconds within a minute and dates within a year: as numbers of single precision, all the same or
/// a few. The offset goes before precision does.
TEST(EncoderTest, ALargeOffsetIsTakenAwayInDoublePrecision) {
  for (const double offset : {0.0, 16777216.0, 20240101.0, 1.7e9, -4e12}) {
    Schema schema;
    for (const auto& [name, scale] :
         {std::pair("unit", NumericScale::kUnit), std::pair("symmetric", NumericScale::kSymmetric),
          std::pair("standard", NumericScale::kStandard),
          std::pair("target", NumericScale::kUnit)}) {
      ColumnSchema column = numeric(name, scale);
      column.lower = offset;
      column.upper = offset + 64;
      column.mean = offset + 32;
      column.stddev = 16;
      schema.columns.push_back(column);
    }
    schema.target = "target";
    Dataset dataset;
    dataset.num_records = 65;
    dataset.contributes.assign(65, 1);
    for (const ColumnSchema& column : schema.columns) {
      NumericColumn& numbers = dataset.numeric.emplace_back();
      numbers.name = column.name;
      for (int i = 0; i <= 64; ++i) numbers.values.push_back(offset + i);
    }
    const EncodedTable table = encode(dataset, schema);
    for (int i = 0; i <= 64; ++i) {
      const auto step = static_cast<float>(i);
      EXPECT_THAT(table.dense_row(i), ElementsAre(step / 64, step / 32 - 1, step / 16 - 2));
      EXPECT_EQ(table.targets[static_cast<size_t>(i)], step / 64);
    }
    EXPECT_EQ(table.target_offset, offset);
    EXPECT_EQ(table.target_divisor, 64);
  }
}

TEST(EncoderTest, SomeRecordsKeepTheOrderAsked) {
  const Example example;
  const std::vector<uint32_t> records = {2, 0, 2};
  const EncodedTable part = encode(example.dataset, example.schema, records);
  EXPECT_EQ(part.num_records, 3);
  EXPECT_EQ(part.num_features, 8u);
  EXPECT_THAT(part.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(part.labels, ElementsAre(1, 1, 1));
  EXPECT_THAT(part.contributes, ElementsAre(1, 1, 1));
  EXPECT_THAT(part.active_row(0), ElementsAre(4, 5));
  EXPECT_THAT(part.active_row(1), ElementsAre(3, 7));
  EXPECT_THAT(part.dense_row(2), ElementsAre(1.0f, 1.0f, 4.0f));
  const std::vector<uint32_t> outside = {3};
  EXPECT_ERROR(kUsage, HasSubstr("record 3 of a table of 3"),
               encode(example.dataset, example.schema, outside));
}

TEST(EncoderTest, RecordsThatRepeatTheOneBeforeShareItsRow) {
  const Example example;
  const std::vector<uint32_t> records = {1, 0, 0, 0, 2, 2, 0};
  const EncodedTable table = encode(example.dataset, example.schema, records);
  EXPECT_THAT(table.rows, ElementsAre(0, 1, 1, 1, 2, 2, 3));
  EXPECT_EQ(table.dense.size(), 4 * size_t{table.num_dense});
  EXPECT_EQ(table.active.size(), 4 * size_t{table.num_active});
  for (size_t i = 0; i < records.size(); ++i) {
    const EncodedTable alone =
        encode(example.dataset, example.schema, std::span(records).subspan(i, 1));
    const auto record = static_cast<int64_t>(i);
    EXPECT_THAT(table.dense_row(record), ElementsAreArray(alone.dense)) << i;
    EXPECT_THAT(table.active_row(record), ElementsAreArray(alone.active)) << i;
    EXPECT_EQ(table.labels[i], alone.labels[0]) << i;
    EXPECT_EQ(table.contributes[i], alone.contributes[0]) << i;
  }
}

/// More records than are written at a time, in a mixed order, against one record at a time.
TEST(EncoderTest, ManyRecordsAreEncodedAsEachByItself) {
  Example example;
  const uint32_t num_records = 5000;
  example.dataset.num_records = num_records;
  example.dataset.contributes.clear();
  for (NumericColumn& column : example.dataset.numeric) column.values.clear();
  for (CategoricalColumn& column : example.dataset.categorical) column.codes.clear();
  std::vector<uint32_t> records;
  for (uint32_t i = 0; i < num_records; ++i) {
    for (size_t c = 0; c < 3; ++c)
      example.dataset.numeric[c].values.push_back(static_cast<double>((size_t{i} * 7 + c) % 40) -
                                                  10);
    for (CategoricalColumn& column : example.dataset.categorical)
      column.codes.push_back(static_cast<uint16_t>(i * 31 / 7 % column.categories.size()));
    example.dataset.contributes.push_back(i % 5 == 0 ? 0 : 1);
    records.push_back((i + 1237) % num_records);
  }
  const EncodedTable all = encode(example.dataset, example.schema);
  const EncodedTable mixed = encode(example.dataset, example.schema, records);
  for (uint32_t i = 0; i < num_records; ++i) {
    const std::vector<uint32_t> one = {records[i]};
    const EncodedTable alone = encode(example.dataset, example.schema, one);
    for (const auto& [table, row] : {std::pair(&all, records[i]), std::pair(&mixed, i)}) {
      ASSERT_THAT(table->dense_row(row), ElementsAreArray(alone.dense)) << i;
      ASSERT_THAT(table->active_row(row), ElementsAreArray(alone.active)) << i;
      ASSERT_EQ(table->labels[row], alone.labels[0]) << i;
      ASSERT_EQ(table->contributes[row], alone.contributes[0]) << i;
    }
  }
}

TEST(EncoderTest, ANumericTargetIsScaledLikeAFeature) {
  Example example;
  example.schema.target = "symmetric";
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_THAT(table.targets, ElementsAre(-1.0f, -0.5f, 1.0f));
  EXPECT_EQ(table.target_offset, 10);
  EXPECT_EQ(table.target_divisor, 20);
  EXPECT_TRUE(table.labels.empty());
  EXPECT_TRUE(table.classes.empty());
  EXPECT_EQ(table.num_dense, 2u);
  const std::vector<uint32_t> records = {1};
  EXPECT_THAT(encode(example.dataset, example.schema, records).targets, ElementsAre(-0.5f));
  example.schema.target = "standard";
  const EncodedTable standard = encode(example.dataset, example.schema);
  EXPECT_THAT(standard.targets, ElementsAre(-4.0f, -2.0f, 4.0f));
  EXPECT_EQ(standard.target_offset, 10);
  EXPECT_EQ(standard.target_divisor, 5);
}

TEST(EncoderTest, WithoutUseOfTheTargetItsColumnMayBeAbsent) {
  Example example;
  const EncodedTable with_target = encode(example.dataset, example.schema);
  example.dataset.categorical.erase(example.dataset.categorical.begin() + 1);
  const EncodedTable table = encode(example.dataset, example.schema, TargetUse::kNone);
  EXPECT_EQ(table.feature_names, with_target.feature_names);
  EXPECT_EQ(table.dense, with_target.dense);
  EXPECT_EQ(table.active, with_target.active);
  EXPECT_TRUE(table.labels.empty());
  EXPECT_TRUE(table.targets.empty());
  EXPECT_TRUE(table.classes.empty());
  EXPECT_ERROR(kInput, HasSubstr("column 'label'"), encode(example.dataset, example.schema));
}

TEST(EncoderTest, PixelsAreTheFeaturesOfImages) {
  Example example;
  example.schema.image = ImageShape{3, 1, 2};
  example.dataset.pixels = {0,   51,  102, 153, 204, 255,  //
                            0,   0,   0,   0,   0,   0,    //
                            255, 254, 253, 3,   2,   1};
  const EncodedTable table = encode(example.dataset, example.schema);
  EXPECT_EQ(table.num_dense, 6u);
  EXPECT_EQ(table.num_active, 0u);
  EXPECT_EQ(table.num_features, 6u);
  EXPECT_THAT(table.feature_names, ElementsAre("pixel 0,0,0", "pixel 0,0,1", "pixel 1,0,0",
                                               "pixel 1,0,1", "pixel 2,0,0", "pixel 2,0,1"));
  EXPECT_EQ(table.feature_names, encoded_feature_names(example.schema));
  EXPECT_THAT(table.dense_row(0), ElementsAre(0.0f, 0.2f, 0.4f, 0.6f, 0.8f, 1.0f));
  EXPECT_THAT(table.dense_row(2),
              ElementsAre(1.0f, 254 / 255.0f, 253 / 255.0f, 3 / 255.0f, 2 / 255.0f, 1 / 255.0f));
  EXPECT_THAT(table.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.contributes, ElementsAre(1, 0, 1));
  const std::vector<uint32_t> records = {2, 0};
  const EncodedTable part = encode(example.dataset, example.schema, records, TargetUse::kNone);
  EXPECT_THAT(part.dense_row(0), ElementsAreArray(table.dense_row(2)));
  EXPECT_THAT(part.dense_row(1), ElementsAreArray(table.dense_row(0)));

  example.schema.image = ImageShape{1, 1, 2};
  EXPECT_ERROR(kInput, HasSubstr("does not hold images of the schema's shape"),
               encode(example.dataset, example.schema));
}

TEST(EncoderTest, RefusesASchemaWithoutATarget) {
  Example example;
  example.schema.target = "";
  EXPECT_ERROR(kInput, HasSubstr("names no target"), encode(example.dataset, example.schema));
}

TEST(EncoderTest, RefusesADatasetOfAnotherSchema) {
  Example example;
  example.dataset.categorical[0].categories = {"M", "F"};
  EXPECT_ERROR(kInput, HasSubstr("column 'sex'"), encode(example.dataset, example.schema));
  example.dataset.numeric.pop_back();
  EXPECT_ERROR(kInput, HasSubstr("column 'standard'"), encode(example.dataset, example.schema));
}

TEST(EncoderTest, UnitsCountOnceByTheirRowsThatContribute) {
  EncodedTable table;
  table.num_records = 6;
  table.contributes = {1, 1, 0, 1, 0, 1};
  weigh_by_units(table);
  EXPECT_THAT(table.weights, ElementsAre()) << "each row is a unit";
  table.unit_begin = {0, 3, 3, 5, 6};
  weigh_by_units(table);
  EXPECT_THAT(table.weights, ElementsAre(0.5, 0.5, 0, 1, 0, 1));
}

}  // namespace equinoise::encoder_test
