// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/column_codes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/columns.h"
#include "tests/test_support.h"

namespace equinoise::column_codes_test {

ColumnCodes codes_of(const ColumnSchema& column, const BinOptions& options) {
  return column_codes(testing::schema_of({column}), options)[0];
}

double number_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  EXPECT_EQ(std::from_chars(text.data(), end, value).ptr, end) << text;
  return value;
}

TEST(ColumnCodes, EdgesOfDatesAreDates) {
  ColumnSchema born = testing::numeric_column("born", 0, 364, true);
  born.time = TimeFormat();
  EXPECT_THAT(codes_of(born, {.edges_of = {{"born", {"1970-02-01", "1970-03-01"}}}}).edges,
              ElementsAre(0, 31, 59, 365));
  born.time->unit = TimeUnit::kMinute;
  EXPECT_THAT(codes_of(born, {.edges_of = {{"born", {"1970-01-01T00:10"}}}}).edges,
              ElementsAre(0, 10, 365));
  const auto error = [&](const std::string& edge) {
    return error_of(ErrorKind::kUsage, [&] { codes_of(born, {.edges_of = {{"born", {edge}}}}); });
  };
  EXPECT_THAT(error("10"), HasSubstr("times as YYYY-MM-DDThh:mm, in quotes"));
  EXPECT_THAT(error("1970-01-02"),
              HasSubstr("within its bounds 1970-01-01T00:00 and 1970-01-01T06:04"));
}

TEST(ColumnCodes, BinsComeFromTheBounds) {
  EXPECT_THAT(codes_of(testing::numeric_column("x", 0, 1, false), {.num_bins = 4}).edges,
              ElementsAre(0, 0.25, 0.5, 0.75, 1));
  // 17 to 26: ten whole numbers, in bins of three, three and four at most.
  EXPECT_THAT(codes_of(testing::numeric_column("age", 17, 26, true), {.num_bins = 3}).edges,
              ElementsAre(17, 20, 23, 27));
  EXPECT_THAT(codes_of(testing::numeric_column("kids", -0.5, 2.5, true), {.num_bins = 32}).edges,
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(
      codes_of(testing::numeric_column("x", 0, 1, false), {.num_bins_of = {{"x", 1}}}).edges,
      ElementsAre(0, 1));
  EXPECT_THAT(
      codes_of(testing::numeric_column("x", 0, 9, false), {.edges_of = {{"x", {"1", "5"}}}}).edges,
      ElementsAre(0, 1, 5, 9));
}

TEST(ColumnCodes, ANumberFallsIntoItsBinAndOutsideIntoTheNearest) {
  const ColumnCodes codes = codes_of(testing::numeric_column("x", 0, 1, false), {.num_bins = 4});
  const std::map<double, uint32_t> bins = {{-1, 0},  {0, 0},    {0.2, 0}, {0.25, 1},
                                           {0.5, 2}, {0.99, 3}, {1, 3},   {2, 3}};
  for (const auto& [value, bin] : bins) EXPECT_EQ(codes.bin_of(value), bin) << value;
}

TEST(ColumnCodes, DecodingStaysInTheBinAndIsUniform) {
  SeededSource source(7);
  for (const bool whole : {false, true}) {
    const ColumnCodes codes =
        codes_of(testing::numeric_column("x", -3, 40, whole), {.num_bins = 5});
    EXPECT_EQ(codes.limits_of(4).second, 40) << "the upper bound is in the last bin";
    for (uint32_t code = 0; code < codes.num_codes(); ++code) {
      double sum = 0;
      constexpr int kDraws = 4000;
      for (int i = 0; i < kDraws; ++i) {
        const double value = number_of(codes.decode(code, source));
        ASSERT_EQ(codes.bin_of(value), code) << value;
        ASSERT_TRUE(!whole || value == std::floor(value)) << value;
        sum += value;
      }
      const double width = codes.edges[code + 1] - codes.edges[code];
      const double last = whole ? std::ceil(codes.edges[code + 1]) - 1 : codes.edges[code + 1];
      // Six standard deviations of a mean of uniform draws.
      EXPECT_NEAR(sum / kDraws, (codes.edges[code] + last) / 2,
                  6 * width / std::sqrt(12.0 * kDraws));
      EXPECT_NEAR(sum / kDraws, codes.mean_number(code), 6 * width / std::sqrt(12.0 * kDraws));
    }
  }
}

/// Within a bin numbers are where the distribution says, and stay in the bin; without a part of the
/// distribution in it they are spread evenly.
TEST(ColumnCodes, DecodingFollowsTheDistribution) {
  SeededSource source(3);
  constexpr int kDraws = 4000;
  for (const bool whole : {false, true}) {
    ColumnCodes codes = codes_of(testing::numeric_column("x", 0, 39, whole), {.num_bins = 2});
    codes.edges = {0, 20, 40};
    // Of the first bin nine in ten are below 2, of the second one there is nothing.
    codes.distribution = NumberDistribution{{0, 2, 20, 40}, {0, 0.9, 1, 1}};
    int num_below = 0;
    double sum = 0;
    for (int i = 0; i < kDraws; ++i) {
      const double first = number_of(codes.decode(0, source));
      ASSERT_EQ(codes.bin_of(first), 0) << first;
      ASSERT_TRUE(!whole || first == std::floor(first)) << first;
      num_below += first < 2 ? 1 : 0;
      const double second = number_of(codes.decode(1, source));
      ASSERT_EQ(codes.bin_of(second), 1) << second;
      sum += second;
    }
    // Six standard deviations each.
    EXPECT_NEAR(num_below, 0.9 * kDraws, 6 * std::sqrt(0.09 * kDraws));
    EXPECT_NEAR(sum / kDraws, whole ? 29.5 : 30, 6 * 20 / std::sqrt(12.0 * kDraws));
    EXPECT_DOUBLE_EQ(codes.part_of(0, 1, 20), 0.55);
    EXPECT_EQ(codes.part_of(0, -5, 25), 1);
    EXPECT_EQ(codes.part_of(0, 20, 25), 0);
    EXPECT_DOUBLE_EQ(codes.part_of(1, 35, 100), 0.25);
    EXPECT_DOUBLE_EQ(codes.part_of(0, 0.5, 0.75), whole ? 0 : 0.9 / 8);
    EXPECT_DOUBLE_EQ(codes.mean_number(0), whole ? 0.9 * 0.5 + 0.1 * 10.5 : 0.9 * 1 + 0.1 * 11);
    EXPECT_DOUBLE_EQ(codes.mean_number(1), whole ? 29.5 : 30);
    EXPECT_EQ(codes.limits_of(0), std::pair(0.0, whole ? 19 : std::nextafter(20.0, 0)));
    EXPECT_EQ(codes.limits_of(1).second, whole ? 39 : std::nextafter(40.0, 0));
    // Where the distribution has nobody somebody may be.
    codes.distribution->below = {0, 1, 1, 1};
    EXPECT_GT(codes.part_of(0, 10, 20), 0);
    EXPECT_LT(codes.part_of(0, 10, 20), 1e-6);
  }
}

TEST(ColumnCodes, PartsOfBinsWithoutWholeNumbersAreWhole) {
  ColumnCodes codes = codes_of(testing::numeric_column("x", 0, 39, true), {.num_bins = 2});
  codes.edges = {0, 20.2, 20.8, 40};
  EXPECT_EQ(codes.part_of(1, 20.5, 30), 1);
  EXPECT_EQ(codes.part_of(0, 20.1, 30), 0);
  EXPECT_EQ(codes.part_of(2, 20.5, 30), 9.0 / 19);
}

/// A number that many have is a cell of the distribution, and comes back as it is.
TEST(ColumnCodes, ANumberOfItsOwnInTheDistributionComesBack) {
  SeededSource source(4);
  ColumnCodes codes = codes_of(testing::numeric_column("x", 0, 1, false), {.num_bins = 1});
  codes.edges.back() = std::nextafter(1, 2);
  codes.distribution = NumberDistribution{{0, 5e-324, 1, std::nextafter(1, 2)}, {0, 0.4, 0.6, 1}};
  EXPECT_EQ(codes.largest(), 1);
  int num_low = 0;
  int num_high = 0;
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const double value = codes.numbers_of(0).draw(source);
    ASSERT_TRUE(value >= 0 && value <= 1) << value;
    num_low += value == 0 ? 1 : 0;
    num_high += value == 1 ? 1 : 0;
  }
  EXPECT_NEAR(num_low, 0.4 * kDraws, 6 * std::sqrt(0.24 * kDraws));
  EXPECT_NEAR(num_high, 0.4 * kDraws, 6 * std::sqrt(0.24 * kDraws));
}

TEST(ColumnCodes, WholeNumbersComeBackWhereBinsHoldOneEach) {
  SeededSource source(1);
  const ColumnCodes codes =
      codes_of(testing::numeric_column("age", 17, 90, true), {.num_bins = 100});
  ASSERT_EQ(codes.num_codes(), 74U);
  for (int age = 17; age <= 90; ++age)
    EXPECT_EQ(codes.decode(codes.bin_of(age), source), std::to_string(age));
}

// Rows hold exactly the point_mass, and no bin loses or doubles a number.
TEST(ColumnCodes, AnPointMassIsABinOfItsOwn) {
  SeededSource source(11);
  for (const bool whole : {false, true}) {
    for (const std::vector<double>& point_masses :
         std::vector<std::vector<double>>{{0}, {-7}, {40}, {-7, 0, 1, 40}, {5, 6}, {-7, 39, 40}}) {
      ColumnSchema column = testing::numeric_column("x", -7, 40, whole);
      column.point_masses = point_masses;
      for (const int num_bins : {1, 3, 47}) {
        const ColumnCodes codes = codes_of(column, {.num_bins = num_bins});
        const ColumnCodes read =
            column_codes_from_json(nlohmann::json::parse(to_json(codes).dump()), "columns[0]");
        ASSERT_EQ(read.edges, codes.edges);
        ASSERT_TRUE(std::ranges::is_sorted(codes.edges, std::less_equal<>()));
        EXPECT_EQ(codes.largest(), 40);
        for (const double point_mass : point_masses) {
          const uint32_t code = codes.bin_of(point_mass);
          EXPECT_EQ(number_of(codes.decode(code, source)), point_mass);
          if (point_mass > -7) {
            EXPECT_EQ(codes.bin_of(std::nextafter(point_mass, -100)), code - 1) << point_mass;
          }
          if (point_mass < 40) {
            EXPECT_EQ(codes.bin_of(whole ? point_mass + 1 : point_mass + 1e-9), code + 1)
                << point_mass;
          }
        }
        for (uint32_t code = 0; code < codes.num_codes(); ++code)
          for (int i = 0; i < 20; ++i)
            ASSERT_EQ(codes.bin_of(number_of(codes.decode(code, source))), code);
      }
    }
  }
}

TEST(ColumnCodes, BinsAreAsManyAsPlannedWithPointMasses) {
  const std::vector<double> point_masses = {0, 40};
  for (const bool whole : {false, true}) {
    const std::vector<double> edges =
        with_edges({0, 10, 50, 100}, edges_around(point_masses, whole), whole, 12);
    EXPECT_EQ(edges.size(), 13U);
    EXPECT_EQ(edges.front(), 0);
    EXPECT_EQ(edges.back(), 100);
    EXPECT_TRUE(std::ranges::is_sorted(edges, std::less_equal<>()));
    for (const double edge : edges) EXPECT_TRUE(!whole || edge == std::floor(edge)) << edge;
    EXPECT_TRUE(std::ranges::binary_search(edges, 40));
  }
}

TEST(ColumnCodes, NoBinHoldsNumbersOfTwoBands) {
  for (const bool whole : {false, true}) {
    Schema plain = testing::schema_of({testing::numeric_column("age", 0, 99, whole),
                                       testing::numeric_column("pay", 0, 99, whole)});
    Schema schema = plain;
    schema.columns[0].point_masses = {18};
    // A cut at the lower bound divides nothing, one between whole numbers does so before the next.
    for (const std::vector<double>& cuts :
         std::vector<std::vector<double>>{{0, 18, 64.5}, {30, 99}}) {
      GroupAttribute bands;
      bands.column = "age";
      bands.cuts = cuts;
      schema.group_attributes.push_back(bands);
    }
    const BinOptions five = {.num_bins = 5};
    for (const BinOptions& options : {five, BinOptions{.edges_of = {{"age", {"50"}}}}}) {
      const ColumnCodes codes = column_codes(schema, options)[0];
      SeededSource source(3);
      for (uint32_t code = 0; code < codes.num_codes(); ++code) {
        const double first = number_of(codes.decode(code, source));
        for (int i = 0; i < 50; ++i) {
          const double number = number_of(codes.decode(code, source));
          for (const double cut : {18.0, 30.0, 64.5, 99.0})
            ASSERT_EQ(number < cut, first < cut) << number << " and " << first << " at " << cut;
        }
      }
      // The largest number of a column that is not whole belongs to its last bin.
      EXPECT_EQ(codes.num_bins(), column_codes(plain, options)[0].num_bins() + (whole ? 5 : 4));
    }
    EXPECT_EQ(column_codes(schema, five)[1].num_bins(), 5U);
  }
}

TEST(ColumnCodes, MissingCellsAreAValueAndDroppedRecordsAreLeftOut) {
  ColumnSchema age = testing::numeric_column("age", 0, 10, true);
  age.missing = MissingPolicy::kCategory;
  ColumnSchema sex = testing::categorical_column("sex", {"F", "M"});
  ColumnSchema id;
  id.name = "id";
  id.type = ColumnType::kIgnored;
  Dataset dataset;
  dataset.num_records = 4;
  dataset.numeric = {{"age", {0, 3, 10, 5}, {1, 0, 0, 0}}};
  dataset.categorical = {{"sex", {"F", "M"}, {1, 0, 1, 0}}};
  dataset.contributes = {1, 1, 1, 0};
  const auto columns = column_codes(testing::schema_of({sex, id, age}), {});
  ASSERT_EQ(columns.size(), 2U);
  const CodedTable table = encode_table(dataset, columns);
  EXPECT_EQ(table.num_records, 3U);
  EXPECT_THAT(table.sizes(), ElementsAre(2, 12));
  EXPECT_THAT(table.columns[0].narrow, ElementsAre(1, 0, 1));
  EXPECT_THAT(table.columns[1].narrow, ElementsAre(11, 3, 10));
  SeededSource source(1);
  EXPECT_EQ(columns[1].decode(11, source), "");
  EXPECT_EQ(columns[0].decode(1, source), "M");
}

TEST(ColumnCodes, MissingCellsAreWrittenAsTheSchemaReadsThem) {
  ColumnSchema work = testing::categorical_column("work", {"private", "state"});
  work.unknown = UnknownPolicy::kOther;
  work.missing = MissingPolicy::kCategory;
  ColumnSchema age = testing::numeric_column("age", 0, 10, true);
  age.missing = MissingPolicy::kCategory;
  Schema schema = testing::schema_of({work, age});
  SeededSource source(1);
  for (const auto& [texts, written] :
       std::map<std::vector<std::string>, std::string>{{{"?", ""}, ""}, {{"n/a", "?"}, "?"}}) {
    schema.missing_values = texts;
    for (const ColumnCodes& column : column_codes(schema, {})) {
      const auto last = static_cast<uint32_t>(column.num_codes() - 1);
      EXPECT_TRUE(column.is_missing(last));
      EXPECT_FALSE(column.is_missing(last - 1));
      EXPECT_EQ(column.decode(last, source), written);
    }
  }
}

// Seconds within a minute, dates, cents, the largest whole numbers: bins that single precision
// would merge, and texts that are the number itself.
TEST(ColumnCodes, LargeNumbersKeepTheirBinsAndAllTheirDigits) {
  SeededSource source(3);
  for (const ColumnSchema& column :
       {testing::numeric_column("t", 1700000000, 1700000060, true),
        testing::numeric_column("t", 1700000000, 1700000060, false),
        testing::numeric_column("date", 20240101, 20241231, true),
        testing::numeric_column("cents", 0, 16777299, true),
        testing::numeric_column("id", 0x1p53 - 101, 0x1p53 - 1, true),
        testing::numeric_column("metres", 5e6, 5e6 + 0.25, false),
        testing::numeric_column("all", -0x1p53 + 1, 0x1p53 - 1, true)}) {
    const ColumnCodes codes = codes_of(column, {.num_bins = 50});
    ASSERT_EQ(codes.num_bins(), 50U) << column.name;
    for (uint32_t bin = 0; bin < 50; ++bin) {
      for (int i = 0; i < 20; ++i) {
        const std::string text = codes.decode(bin, source);
        ASSERT_EQ(codes.bin_of(number_of(text)), bin) << column.name << text;
        ASSERT_EQ(text.find_first_not_of(column.whole ? "-0123456789" : "-.0123456789"), text.npos)
            << text;
      }
      ASSERT_EQ(codes.bin_of(codes.edges[bin]), bin) << column.name;
    }
  }
  const ColumnCodes seconds =
      codes_of(testing::numeric_column("t", 1700000000, 1700000059, true), {.num_bins = 60});
  for (uint32_t second = 0; second < 60; ++second)
    EXPECT_EQ(seconds.decode(second, source), std::to_string(1700000000 + second));
}

// i count / bins needs more than 53 bits.
TEST(ColumnCodes, BinsOfWholeNumbersHoldEquallyManyHoweverManyThereAre) {
  const ColumnCodes codes =
      codes_of(testing::numeric_column("all", 0, 0x1p53 - 1, true), {.num_bins = 4093});
  const int64_t least = (int64_t{1} << 53) / 4093;
  for (size_t bin = 0; bin < codes.num_bins(); ++bin) {
    const auto count = static_cast<int64_t>(codes.edges[bin + 1] - codes.edges[bin]);
    EXPECT_TRUE(count == least || count == least + 1) << bin;
  }
  EXPECT_EQ(codes.edges.back(), 0x1p53);
}

TEST(ColumnCodes, RowsOfCodesAreATableThatHasTheseCodes) {
  ColumnSchema x = testing::numeric_column("x", 0, 10, false);
  x.missing = MissingPolicy::kCategory;
  ColumnSchema city = testing::categorical_column("city", {"north", "south"});
  const std::vector<ColumnCodes> columns =
      column_codes(testing::schema_of({x, city}), {.num_bins = 5});
  const CodedRows rows{3, {{0, 4, 5}, {1, 0, 1}}};  // the last x is missing
  SeededSource source(1);
  const Dataset table = decode_rows(rows, columns, source);
  EXPECT_EQ(table.num_records, 3);
  EXPECT_LE(table.numeric[0].values[0], 2);
  EXPECT_GE(table.numeric[0].values[1], 8);
  EXPECT_THAT(table.numeric[0].missing, ElementsAre(0, 0, 1));
  EXPECT_EQ(table.find_categorical("city")->categories[1], "south");
  const CodedTable coded = encode_table(table, columns);
  for (size_t i = 0; i < 2; ++i)
    for (size_t row = 0; row < 3; ++row)
      EXPECT_EQ(coded.columns[i].code(row), rows.columns[i][row]) << i << ", " << row;
}

TEST(ColumnCodes, JsonComesBack) {
  ColumnSchema sex = testing::categorical_column("sex", {"F", "M"});
  sex.unknown = UnknownPolicy::kOther;
  ColumnSchema age = testing::numeric_column("age", 17, 90.5, true);
  age.missing = MissingPolicy::kCategory;
  for (const ColumnSchema& column : {age, testing::numeric_column("age", 17, 90.5, false), sex}) {
    const ColumnCodes codes = codes_of(column, {});
    const ColumnCodes back =
        column_codes_from_json(nlohmann::json::parse(to_json(codes).dump()), "model");
    EXPECT_EQ(to_json(back), to_json(codes));
    if (!codes.is_numeric()) continue;
    ColumnCodes with_distribution = codes;
    with_distribution.distribution = NumberDistribution{{17, 20, 91}, {0, 0.25, 1}};
    const ColumnCodes distribution_back =
        column_codes_from_json(nlohmann::json::parse(to_json(with_distribution).dump()), "model");
    EXPECT_EQ(distribution_back.distribution->knots, with_distribution.distribution->knots);
    EXPECT_EQ(distribution_back.distribution->below, with_distribution.distribution->below);
  }
  for (const std::string distribution :
       {"1", "{}", R"({"knots": [1, 2], "below": [0]})", R"({"knots": [1], "below": [0]})",
        R"({"knots": [2, 1], "below": [0, 1]})", R"({"knots": [1, 2], "below": [1, 0]})"}) {
    const std::string text =
        R"({"name": "a", "edges": [1, 2], "whole": false, "law": )" + distribution + "}";
    EXPECT_ERROR(kInput, HasSubstr("m.json"),
                 column_codes_from_json(nlohmann::json::parse(text), "m.json"));
  }
  for (const std::string text : {"1", "{}", R"({"name": "a"})", R"({"name": "a", "values": []})",
                                 R"({"name": "a", "edges": [1], "whole": false})",
                                 R"({"name": "a", "edges": [1, 1], "whole": false})",
                                 R"({"name": "a", "values": ["b"], "missing": 1})"}) {
    EXPECT_ERROR(kInput, HasSubstr("m.json"),
                 column_codes_from_json(nlohmann::json::parse(text), "m.json"));
  }
}

TEST(ColumnCodes, WhatIsWrongIsSaid) {
  const ColumnSchema x = testing::numeric_column("xy", 0, 1, false);
  const auto error = [&](const BinOptions& options) {
    return error_of(ErrorKind::kUsage, [&] { codes_of(x, options); });
  };
  EXPECT_THAT(error({.num_bins = 0}), HasSubstr("between 1 and 4096, got 0"));
  EXPECT_THAT(error({.num_bins_of = {{"xyz", 3}}}), HasSubstr("did you mean"));
  EXPECT_THAT(error({.edges_of = {{"xy", {"0.5", "0.5"}}}}), HasSubstr("ascend strictly"));
  EXPECT_THAT(error({.edges_of = {{"xy", {"1.5"}}}}), HasSubstr("ascend strictly"));
  EXPECT_THAT(error({.edges_of = {{"xy", {"0.5", "x"}}}}), HasSubstr("must be numbers, got x"));
  EXPECT_ERROR(
      kUsage, HasSubstr("narrower than double precision"),
      codes_of(testing::numeric_column("t", 1e12, 1e12 + 0.25, false), {.num_bins = 4096}));
}

}  // namespace equinoise::column_codes_test
