// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/wrong_sizes.h"

#include "equinoise/data/table.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::wrong_sizes_test {

using testing::kSmallSchema;
using testing::kSmallTable;
using testing::with;

class WrongSizesTest : public ::testing::Test {
 protected:
  std::vector<std::string> found(const std::string& schema_text,
                                 const std::string& table = kSmallTable) {
    const Schema schema = parse_schema(schema_text, "s.toml");
    return wrong_sizes(read_table(folder_.write_file("t.csv", table), schema), schema);
  }

  TempFolder folder_;
};

const std::string kAdvice =
    "; correct the sizes in [[public.groups]] if the true ones are public, take the entries out if "
    "not, or write exact = false in the entry of each that was released with noise or is an "
    "estimate";

TEST_F(WrongSizesTest, CountsOfTheTableAreNamedNextToTheDeclaredOnes) {
  EXPECT_THAT(found(kSmallSchema), IsEmpty());
  const std::string swapped = with(with(kSmallSchema, "num_records = 4", "num_records = 6"),
                                   "num_records = 5", "num_records = 3");
  EXPECT_THAT(found(swapped),
              ElementsAre("groups by sex: F has 4 records, declared are 6; M has 5 records, "
                          "declared are 3" +
                          kAdvice));
}

TEST_F(WrongSizesTest, SizesThatAreNotExactAreNotCompared) {
  EXPECT_THAT(found(with(kSmallSchema, "num_records = 4", "num_records = 2\nexact = false")),
              IsEmpty());
}

TEST_F(WrongSizesTest, BandsAndIntersectionsAreCountedToo) {
  const std::string bands = kSmallSchema + "[groups.band]\ncolumn = \"x\"\ncuts = [5]\n";
  // The record without x is in no band.
  const auto declared = [&](int high) {
    return with(bands, "[columns.x]",
                "[[public.groups]]\ngroup = { band = \"5 and above\", sex = \"M\" }\n"
                "num_records = " +
                    std::to_string(high) + "\n[columns.x]");
  };
  EXPECT_THAT(found(declared(2)), IsEmpty());
  EXPECT_THAT(
      found(declared(3)),
      ElementsAre("groups by band,sex: 5 and above,M has 2 records, declared are 3" + kAdvice));
}

TEST_F(WrongSizesTest, WhoHasNoGroupIsInNone) {
  EXPECT_THAT(found(with(kSmallSchema, "num_records = 4", "num_records = 3"),
                    with(kSmallTable, "9,F,yes", "9,?,yes")),
              IsEmpty());
}

}  // namespace equinoise::wrong_sizes_test
