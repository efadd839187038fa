// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/heat_map.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/matchers.h"

namespace equinoise::heat_map_test {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(HeatMap, CellsAreColouredByTheirDistanceFromZero) {
  const std::string markup = heat_map(
      {"Correlations", {"age", "a <b>", "sex"}, {{1, -0.5, -0.001}, {-0.5, 1, kNone}, {0, 0, 1}}});
  EXPECT_THAT(markup,
              AllOf(HasSubstr("<figcaption>Correlations</figcaption>"),
                    HasSubstr("<th scope=\"col\">a &lt;b&gt;</th>"),
                    HasSubstr("<th scope=\"row\">a &lt;b&gt;</th>"
                              "<td class=\"below\" style=\"--heat: 22.5%\">-0.50</td>"
                              "<td class=\"above\" style=\"--heat: 45.0%\">1.00</td><td>-</td>"),
                    HasSubstr("<td class=\"below\" style=\"--heat: 0.0%\">0.00</td>")));
  EXPECT_THAT(markup, Not(HasSubstr("-0.00")));
}

TEST(HeatMap, WithoutANumberThereIsNone) {
  EXPECT_EQ(heat_map({"Correlations", {"age"}, {{kNone}}}), "");
  EXPECT_EQ(heat_map({"Correlations", {}, {}}), "");
}

}  // namespace equinoise::heat_map_test
