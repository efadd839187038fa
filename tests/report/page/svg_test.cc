// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/matchers.h"

namespace equinoise::svg_test {

constexpr size_t kAnyNumber = 1000;

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const double tick : axis.ticks) labels.push_back(axis.label(tick));
  return labels;
}

TEST(Axis, TicksAreRoundNumbers) {
  EXPECT_THAT(labels_of(make_axis({-4.7, 5.7}, kAnyNumber)),
              ElementsAre("-4", "-2", "0", "2", "4"));
  EXPECT_THAT(labels_of(make_axis({0, 3000}, kAnyNumber)),
              ElementsAre("0", "500", "1,000", "1,500", "2,000", "2,500", "3,000"));
  EXPECT_THAT(labels_of(make_axis({0.31, 0.69}, kAnyNumber)),
              ElementsAre("0.35", "0.40", "0.45", "0.50", "0.55", "0.60", "0.65"));
}

TEST(Axis, HasFewerTicksWhereTheirLabelsAreLong) {
  EXPECT_THAT(labels_of(make_axis({0, 3000}, 25)), ElementsAre("0", "1,000", "2,000", "3,000"));
}

TEST(Axis, PlacesValuesInProportion) {
  const Axis axis = make_axis({0, 10}, kAnyNumber);
  EXPECT_NEAR(axis.position(5), 0.5, 1e-12);
  EXPECT_NEAR(axis.position(10) - axis.position(5), axis.position(5) - axis.position(0), 1e-12);
  EXPECT_EQ(axis.position(1e9), 1);
  EXPECT_EQ(axis.position(-1e9), 0);
  EXPECT_EQ(axis.position(std::nan("")), 0);
}

TEST(Axis, AnyValuesGiveAnAxis) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> cases = {{},
                                                  {std::nan("")},
                                                  {kInfinity, -kInfinity},
                                                  {0, 0},
                                                  {5, 5},
                                                  {-kMax, kMax},
                                                  {kTiny, -kTiny},
                                                  {1e15, std::nextafter(1e15, 2e15)},
                                                  {-1e-9, 1e-9},
                                                  {1e300},
                                                  {0.1, 0.1, 0.1 + 1e-16}};
  for (const auto& values : cases) {
    const Axis axis = make_axis(values, 32);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_GE(axis.ticks.size(), 1U) << axis.low << " " << axis.high;
    EXPECT_LE(axis.ticks.size(), 12U);
    const std::vector<std::string> labels = labels_of(axis);
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size());
    for (const double value : values) {
      EXPECT_GE(axis.position(value), 0);
      EXPECT_LE(axis.position(value), 1);
    }
  }
}

TEST(Drawing, IsNamedAndDescribed) {
  Drawing drawing("costs", 40, "Cost <of> groups", "What \"each\" loses");
  drawing.dot("dot", 0.25, 20, 4, "25 < 26");
  drawing.text("tick", 0.5, 38, Drawing::Anchor::kMiddle, "a < b");
  const std::string markup = drawing.markup();
  EXPECT_THAT(markup, HasSubstr(R"(aria-labelledby="costs-title costs-description")"));
  EXPECT_THAT(markup, HasSubstr(R"(<title id="costs-title">Cost &lt;of&gt; groups</title>)"));
  EXPECT_THAT(markup, HasSubstr("What &quot;each&quot; loses"));
  EXPECT_THAT(markup,
              HasSubstr(R"(cx="25.000%" cy="20.00" r="4.00"><title>25 &lt; 26</title></circle>)"));
  EXPECT_THAT(markup, HasSubstr(R"(text-anchor="middle">a &lt; b</text>)"));
}

}  // namespace equinoise::svg_test
