// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/factor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::factor_test {

/// All subsets of the attributes of a domain.
std::vector<AttributeSet> subsets(const Domain& domain) {
  std::vector<AttributeSet> result;
  for (int bits = 0; bits < 1 << domain.num_attributes(); ++bits) {
    AttributeSet set;
    for (int a = 0; a < domain.num_attributes(); ++a) {
      if ((bits >> a) & 1) set.push_back(a);
    }
    result.push_back(set);
  }
  return result;
}

/// For each cell of a table over all attributes the cell of the subset that it falls onto.
std::vector<size_t> cells_onto(const Domain& domain, const AttributeSet& subset) {
  const auto cells = static_cast<size_t>(domain.num_cells(domain.all()));
  std::vector<size_t> result(cells);
  for (size_t cell = 0; cell < cells; ++cell) {
    size_t rest = cell;
    std::vector<size_t> codes(domain.num_attributes());
    for (int a = domain.num_attributes(); a-- > 0;) {
      codes[a] = rest % domain.num_codes(a);
      rest /= domain.num_codes(a);
    }
    for (int a : subset) result[cell] = result[cell] * domain.num_codes(a) + codes[a];
  }
  return result;
}

class BroadcastTest : public ::testing::TestWithParam<std::vector<int>> {
 protected:
  Domain domain() const {
    std::vector<Attribute> attributes;
    for (int codes : GetParam()) {
      attributes.push_back({"a" + std::to_string(attributes.size()), codes});
    }
    return Domain(attributes);
  }
};

TEST_P(BroadcastTest, DoesWhatItsLoopsSay) {
  const Domain domain = this->domain();
  const auto cells = static_cast<size_t>(domain.num_cells(domain.all()));
  std::vector<double> table(cells);
  for (size_t i = 0; i < cells; ++i) table[i] = std::sin(static_cast<double>(i)) * 5;
  table[cells / 2] = kLogZero;
  for (const AttributeSet& subset : subsets(domain)) {
    const Broadcast broadcast(domain, domain.all(), subset);
    const std::vector<size_t> onto = cells_onto(domain, subset);
    const size_t small_cells = broadcast.small_cells();
    ASSERT_EQ(small_cells, static_cast<size_t>(domain.num_cells(subset)));
    ASSERT_EQ(broadcast.outer_cells(), cells);
    std::vector<double> small(small_cells);
    for (size_t i = 0; i < small_cells; ++i) small[i] = 1.5 + static_cast<double>(i);

    std::vector<double> added(cells, 0.0);
    std::vector<double> multiplied(cells, 2.0);
    broadcast.add_to(added, small);
    broadcast.multiply_into(multiplied, small);
    std::vector<double> sums(small_cells, 0.0);
    std::vector<double> maxima(small_cells, kLogZero);
    std::vector<double> exponentials(small_cells, 0.0);
    for (size_t i = 0; i < cells; ++i) {
      ASSERT_EQ(added[i], small[onto[i]]);
      ASSERT_EQ(multiplied[i], 2 * small[onto[i]]);
      sums[onto[i]] += std::exp(table[i]);
      maxima[onto[i]] = std::max(maxima[onto[i]], table[i]);
    }
    std::vector<double> linear = table;
    exponentiate(linear, 0.0);
    std::vector<double> got_sums(small_cells, 0.0);
    std::vector<double> got_maxima(small_cells);
    std::vector<double> got_logs(small_cells);
    broadcast.sum_onto(linear, got_sums);
    broadcast.max_onto(table, got_maxima);
    std::vector<double> scratch(cells);
    log_sum_exp_onto(broadcast, table, got_logs, scratch);
    // The same in slices.
    std::vector<double> sliced_sums(small_cells, 0.0);
    std::vector<double> sliced_maxima(small_cells, kLogZero);
    std::vector<double> sliced_added(cells, 0.0);
    for (size_t code = 0; code < broadcast.num_sliceable(); ++code) {
      const Slice slice = {code, code + 1};
      broadcast.sum_onto(linear, sliced_sums, slice);
      broadcast.add_to(sliced_added, small, slice);
      std::vector<double> maxima_of_slice(small_cells, kLogZero);
      broadcast.max_onto(table, maxima_of_slice, slice);
      for (size_t i = 0; i < small_cells; ++i) {
        sliced_maxima[i] = std::max(sliced_maxima[i], maxima_of_slice[i]);
      }
    }
    ASSERT_EQ(sliced_added, added);
    ASSERT_EQ(sliced_maxima, maxima);
    for (size_t i = 0; i < small_cells; ++i) {
      EXPECT_NEAR(got_sums[i], sums[i], 1e-12 * sums[i]);
      EXPECT_NEAR(sliced_sums[i], sums[i], 1e-12 * sums[i]);
      EXPECT_EQ(got_maxima[i], maxima[i]);
      EXPECT_NEAR(std::exp(got_logs[i]), sums[i], 1e-12 * sums[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BroadcastTest,
                         ::testing::Values(std::vector<int>{7}, std::vector<int>{1},
                                           std::vector<int>{3, 5}, std::vector<int>{2, 1, 4},
                                           std::vector<int>{4, 2, 3, 5},
                                           std::vector<int>{2, 3, 2, 2, 6}));

TEST(Broadcast, LogSumExpNeitherOverflowsNorLosesSmallCells) {
  const Domain domain({{"a", 2}, {"b", 2}});
  const Broadcast broadcast(domain, {0, 1}, {0});
  const std::vector<double> table = {800.0, 800.0, -900.0, kLogZero};
  std::vector<double> logs(2);
  std::vector<double> scratch(4);
  log_sum_exp_onto(broadcast, table, logs, scratch);
  EXPECT_NEAR(logs[0], 800 + std::log(2), 1e-12);
  EXPECT_EQ(logs[1], -900.0);
  const std::vector<double> nothing(4, kLogZero);
  log_sum_exp_onto(broadcast, nothing, logs, scratch);
  EXPECT_EQ(logs[0], kLogZero);
}

TEST(ReorderedTable, MovesEachCell) {
  const Domain domain({{"a", 2}, {"b", 3}, {"c", 4}});
  std::vector<double> values(24);
  std::iota(values.begin(), values.end(), 0.0);
  const std::vector<double> moved = reordered_table(domain, {0, 1, 2}, {2, 0, 1}, values);
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 4; ++c) EXPECT_EQ(moved[(c * 2 + a) * 3 + b], (a * 3 + b) * 4 + c);
    }
  }
  EXPECT_EQ(reordered_table(domain, {2, 0, 1}, {0, 1, 2}, moved), values);
}

TEST(ConstantFactor, RefusesTablesThatDoNotFit) {
  const Domain domain({{"a", 60000}, {"b", 60000}});
  EXPECT_ERROR(kUsage, HasSubstr("a table over a, b would have 3600000000 cells"),
               constant_factor(domain, {0, 1}, 0.0));
}

}  // namespace equinoise::factor_test
