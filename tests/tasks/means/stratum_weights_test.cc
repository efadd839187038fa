// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/stratum_weights.h"

#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::stratum_weights_test {

using ::testing::DoubleNear;

const std::string kSchema = schema_head("people", "label", 100) + numeric_section("age", 0, 100) +
                            categorical_section("city", {"north", "south", "east"}) +
                            categorical_section("label", {"no", "yes"}) +
                            band_section("band", "age", "[50]");

class StratumWeightsTest : public ::testing::Test {
 protected:
  StratumWeights weights(const std::vector<std::string>& by, const StratumWeightsRequest& request,
                         const std::vector<double>& sizes = {}) const {
    const Schema schema = parse_schema(kSchema, "people.toml");
    return stratum_weights(request, schema, by, {}, group_names(list_groups(schema, by)), sizes,
                           folder_.path() / "data.csv");
  }

  StratumWeights shares(const std::vector<std::string>& by, std::string_view table,
                        const std::vector<double>& sizes = {}) const {
    return weights(by, {{}, {}, folder_.write_file("others.csv", table)}, sizes);
  }

  TempFolder folder_;
};

TEST_F(StratumWeightsTest, AreSharesOfATableThatHoldsTheColumnsOfStrataAlone) {
  // Of five records one has a city that the schema does not list, which drops it.
  const StratumWeights of_cities = shares({"city"}, "city\neast\nnorth\neast\nsouth\nwest\n");
  EXPECT_THAT(of_cities.values, ElementsAre(0.25, 0.25, 0.5));
  ASSERT_TRUE(of_cities.held_out);
  EXPECT_EQ(of_cities.held_out->num_records, 4);
  EXPECT_THAT(of_cities.held_out->file, HasSubstr("others.csv"));
  // Bands of a numeric column; other columns may be there, with anything in them.
  const StratumWeights of_bands = shares({"band"}, "city,age,more\n?,50,x\n,49,\n,80,y\n");
  EXPECT_THAT(of_bands.values, ElementsAre(DoubleNear(1 / 3.0, 1e-15), DoubleNear(2 / 3.0, 1e-15)));
}

TEST_F(StratumWeightsTest, AStratumWithoutARecordIsRefusedByNameUnlessItIsPubliclyEmpty) {
  const std::string_view table = "city\neast\nnorth\neast\n";
  const std::string error = error_of(ErrorKind::kUsage, [&] { shares({"city"}, table); });
  EXPECT_THAT(error, AllOf(HasSubstr("no record of these strata: south"), HasSubstr("--weights"),
                           HasSubstr("merge"), Not(HasSubstr("east"))));
  EXPECT_EQ(error_of(ErrorKind::kUsage, [&] { shares({"city"}, table, {50, 1, 49}); }), error);
  EXPECT_THAT(shares({"city"}, table, {50, 0, 50}).values,
              ElementsAre(DoubleNear(1 / 3.0, 1e-15), 0, DoubleNear(2 / 3.0, 1e-15)));
}

TEST_F(StratumWeightsTest, AreTakenFromOnePlaceWhichIsNotTheTableItself) {
  const auto refusal = [&](const std::vector<std::string>& by,
                           const StratumWeightsRequest& request) {
    return error_of(ErrorKind::kUsage, [&] { weights(by, request); });
  };
  const std::filesystem::path data = folder_.write_file("data.csv", "city\neast\n");
  EXPECT_THAT(refusal({"city"}, {{}, {}, data}), HasSubstr("the table of --data itself"));
  EXPECT_THAT(refusal({"city"}, {{{"east", 1}}, {}, data}), HasSubstr("give only one of"));
  EXPECT_THAT(refusal({"city"}, {{{"east", 1}}, {}, {}}), HasSubstr("north; south"));
  EXPECT_THAT(weights({"city"}, {}).values, IsEmpty());
  EXPECT_THAT(weights({"city"}, {{{"east", 0.5}, {"south", 0.25}, {"north", 0.25}}, {}, {}}).values,
              ElementsAre(0.25, 0.25, 0.5));
}

TEST_F(StratumWeightsTest, ATableThatCannotBeReadSaysWhereAndNeverWhatACellHolds) {
  const std::string no_column = error_of(ErrorKind::kInput, [&] { shares({"city"}, "age\n30\n"); });
  EXPECT_THAT(no_column, HasAll("others.csv", "city"));
  const std::string no_number =
      error_of(ErrorKind::kInput, [&] { shares({"band"}, "age\n30\nsecret\n"); });
  EXPECT_THAT(no_number, AllOf(HasSubstr("others.csv: row 2 (line 3) column 'age' is not"),
                               Not(HasSubstr("secret"))));
}

}  // namespace equinoise::stratum_weights_test
