// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/attribute_blocks.h"

#include "tests/test_support.h"

namespace equinoise::attribute_blocks_test {

Domain small_domain() { return Domain({{"a", 2}, {"b", 3}, {"c", 2}, {"d", 4}}); }

/// A table over `set` in which only `cell` is impossible.
Factor without_cell(const Domain& domain, const AttributeSet& set, size_t cell) {
  Factor zeros = constant_factor(domain, set, 0);
  zeros.values[cell] = kLogZero;
  return zeros;
}

TEST(AttributeBlocks, AttributesStandAloneWithoutDeclarations) {
  const AttributeBlocks blocks(small_domain(), std::vector<Factor>{});
  EXPECT_THAT(blocks.sizes(), ElementsAre(2, 3, 2, 4));
  EXPECT_EQ(blocks.num_cells(), 11U);
  EXPECT_EQ(blocks.block_of(3), 3U);
  EXPECT_THAT(blocks.codes_of(1), ElementsAre(0, 1, 2));
}

TEST(AttributeBlocks, DeclarationsThatShareAnAttributeAreOneBlock) {
  const Domain domain = small_domain();
  // Impossible: a = 1 with c = 0, and c = 1 with d = 3.
  const AttributeBlocks blocks(domain,
                               {without_cell(domain, {0, 2}, 2), without_cell(domain, {2, 3}, 7)});
  ASSERT_EQ(blocks.blocks().size(), 2U);
  EXPECT_THAT(blocks.blocks()[0].attributes, ElementsAre(0, 2, 3));
  EXPECT_EQ(blocks.blocks()[0].cells.size(), 16U - 4 - 2);
  for (size_t cell = 0; cell < 10; ++cell) {
    const auto a = blocks.codes_of(0)[cell];
    const auto c = blocks.codes_of(2)[cell];
    const auto d = blocks.codes_of(3)[cell];
    EXPECT_EQ(blocks.blocks()[0].cells[cell], (a * 2U + c) * 4 + d);
    EXPECT_FALSE(a == 1 && c == 0);
    EXPECT_FALSE(c == 1 && d == 3);
  }
}

TEST(AttributeBlocks, WhatIsTooLargeOrImpossibleIsNamed) {
  const Domain wide({{"left", 5000}, {"right", 5000}});
  Factor left = constant_factor(wide, {0}, 0);
  Factor both{{0, 1}, {}};
  EXPECT_ERROR(kUsage, HasSubstr("(left, right), whose table has 2.5e+07 cells"),
               AttributeBlocks(wide, std::vector{both}));
  const Domain many({{"left", 300}, {"right", 300}});
  EXPECT_ERROR(kUsage, HasSubstr("leave 89999 possible ones"),
               AttributeBlocks(many, {without_cell(many, {0, 1}, 5)}));
  left.values.assign(5000, kLogZero);
  EXPECT_ERROR(kUsage, HasSubstr("nothing possible for (left)"),
               AttributeBlocks(wide, std::vector{left}));
}

TEST(AttributeBlocks, BlocksOfAFileAreChecked) {
  const Domain domain({{"a", 2}, {"b", 3}});
  using Blocks = std::vector<AttributeBlock>;
  const AttributeBlocks good(domain, Blocks{{{0}, {0, 1}}, {{1}, {0, 2}}});
  EXPECT_EQ(good.num_cells(), 4U);
  for (const Blocks& bad :
       {Blocks{{{0}, {0, 1}}}, Blocks{{{0}, {0, 1}}, {{0, 1}, {0}}}, Blocks{{{0, 1}, {}}},
        Blocks{{{0, 1}, {1, 0}}}, Blocks{{{0, 1}, {2, 2}}}, Blocks{{{0, 1}, {6}}},
        Blocks{{{0, 2}, {0}}}}) {
    EXPECT_THROW(AttributeBlocks(domain, bad), Error);
  }
}

}  // namespace equinoise::attribute_blocks_test
