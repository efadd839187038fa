// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/unit_ids.h"

#include <string>

#include "tests/matchers.h"

namespace equinoise::unit_ids_test {

TEST(UnitIds, EqualTextsAreOne) {
  UnitIds ids;
  for (const char* id : {"b", "a", "", "b", "ab", "1", "1.0"}) ids.add(id);
  EXPECT_THAT(ids.of_rows(), ElementsAre(0, 1, UnitIds::kNobody, 0, 2, 3, 4));
  EXPECT_EQ(ids.num_ids(), 5U);
  EXPECT_EQ(ids.text(0), "b");
  EXPECT_EQ(ids.text(2), "ab");
  EXPECT_EQ(ids.text(4), "1.0");
}

TEST(UnitIds, ManyAndLongTextsStay) {
  constexpr uint32_t kMany = 20'000;
  UnitIds ids;
  const auto id = [](uint32_t i) { return std::string(i % 97, 'x') + std::to_string(i); };
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t i = 0; i < kMany; ++i) ids.add(id(i));
  ASSERT_EQ(ids.num_ids(), kMany);
  for (uint32_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(ids.of_rows()[i], i);
    ASSERT_EQ(ids.of_rows()[kMany + i], i);
    ASSERT_EQ(ids.text(i), id(i));
  }
}

}  // namespace equinoise::unit_ids_test
