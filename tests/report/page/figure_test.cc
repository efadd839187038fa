// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace equinoise::figure_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Figure figure_of(nlohmann::json data) {
  return {"curves", "lines", "Title", "<svg></svg>", std::move(data)};
}

/// The text of the data element.
std::string data_of(const std::string& markup) {
  const std::string start = "<script type=\"application/json\">";
  const size_t begin = markup.find(start) + start.size();
  return markup.substr(begin, markup.find("</script>") - begin);
}

TEST(Figure, HoldsCaptionDrawingAndData) {
  EXPECT_EQ(html_figure(figure_of({{"name", "a"}})),
            "<figure class=\"curves\" data-chart=\"lines\"><figcaption>Title</figcaption>"
            "<div class=\"drawn\"><svg></svg></div>"
            "<script type=\"application/json\">{\"name\":\"a\"}</script></figure>");
}

TEST(Figure, DataCannotEndTheirElement) {
  const std::string name = "</script><!--<script>\xFF \xE2\x80\xAE";
  const std::string data = data_of(html_figure(figure_of({{"name", name}})));
  EXPECT_THAT(data, Not(HasSubstr("<")));
  // It is the same text when it is read; what is no text is marked.
  EXPECT_EQ(nlohmann::json::parse(data)["name"], "</script><!--<script>\xEF\xBF\xBD \xEF\xBF\xBD");
}

TEST(Figure, WhatIsNoNumberIsNull) {
  const std::string data = data_of(html_figure(figure_of({std::nan(""), HUGE_VAL, 1.5})));
  EXPECT_EQ(data, "[null,null,1.5]");
}

TEST(Figure, PagesWithoutAnyAreKnown) {
  EXPECT_TRUE(has_figure("<p></p>" + html_figure(figure_of({}))));
  EXPECT_FALSE(has_figure("<p>&lt;script type=&quot;application/json&quot;&gt;</p>"));
}

TEST(AxisData, EndsAreValues) {
  const nlohmann::json linear = axis_data(make_axis({0, 10}, 1000));
  EXPECT_NEAR(linear["low"].get<double>(), -0.2, 1e-12);
  EXPECT_NEAR(linear["high"].get<double>(), 10.2, 1e-12);
  EXPECT_EQ(linear["ticks"][1], (nlohmann::json{{"at", 2.0}, {"label", "2"}}));
  const nlohmann::json logarithmic = axis_data(make_logarithmic_axis({0.01, 100}, 1000));
  EXPECT_EQ(logarithmic["is_logarithmic"], true);
  EXPECT_NEAR(logarithmic["low"].get<double>(), std::pow(10, -2.08), 1e-6);
  EXPECT_EQ(logarithmic["ticks"][0]["label"], "0.01");
}

}  // namespace
}  // namespace equinoise::figure_test
