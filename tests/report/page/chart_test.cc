// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "tests/matchers.h"

namespace equinoise::chart_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

LineChart chart_of(std::vector<Line> lines, bool marks_points) {
  return {"chart", "Title", "Description", "axis", std::move(lines), marks_points};
}

/// The heights of the names beside the ends of lines.
std::vector<double> label_heights(const std::string& markup) {
  static const std::regex label("<text class=\"name [a-z]+\" x=\"[^\"]*\" y=\"([^\"]*)\"");
  std::vector<double> heights;
  for (std::sregex_iterator i(markup.begin(), markup.end(), label); i != std::sregex_iterator();
       ++i)
    heights.push_back(std::stod((*i)[1]));
  return heights;
}

size_t count(const std::string& markup, const std::string& part) {
  size_t num = 0;
  for (size_t at = markup.find(part); at != std::string::npos; at = markup.find(part, at + 1))
    ++num;
  return num;
}

/// Wherever three lines end, their names stand apart and inside the drawing.
TEST(LineChart, ThreeNamesStandApart) {
  constexpr double kHeight = 256;
  for (const auto& ends :
       {std::array{0.0, 0.0, 0.0}, std::array{1.0, 1.0, 1.0}, std::array{0.5, 0.55, 0.5},
        std::array{0.5, 0.4, 0.45}, std::array{0.0, 1.0, 0.03}, std::array{0.2, 0.5, 0.9}}) {
    std::vector<Line> lines;
    for (const double end : ends) lines.push_back({"name", {{0, 0}, {0.5, 1}, {1, end}}});
    std::vector<double> heights = label_heights(line_chart(chart_of(lines, true)));
    ASSERT_EQ(heights.size(), 3U);
    std::ranges::sort(heights);
    EXPECT_GE(heights[1] - heights[0], 15.99);
    EXPECT_GE(heights[2] - heights[1], 15.99);
    EXPECT_GT(heights[0], 0);
    EXPECT_LT(heights[2], kHeight);
  }
}

TEST(LineChart, MarksPointsOrEnds) {
  const std::vector<Line> lines = {{"first", {{3, 0}, {4, 1}, {5, 2}}},
                                   {"second", {{3, 1}, {4, 2}}},
                                   {"third", {{3, 2}, {4, 0}}}};
  const std::string all = line_chart(chart_of(lines, true));
  EXPECT_EQ(count(all, "class=\"mark first\""), 3U);
  EXPECT_EQ(count(all, "class=\"mark second\""), 2U);
  EXPECT_EQ(count(all, "class=\"mark third\""), 2U);
  const std::string ends = line_chart(chart_of(lines, false));
  for (const char* series : {"first", "second", "third"})
    EXPECT_EQ(count(ends, std::string("class=\"mark ") + series + "\""), 1U);
  // Across begins at 0 unless points are marked.
  EXPECT_THAT(ends, HasSubstr(">0</text>"));
}

/// Budgets from 0.005 to 50 would stand in one corner of a linear axis.
TEST(LineChart, PlacesRatiosWhereItIsLogarithmic) {
  LineChart chart = chart_of({{"first", {{0.01, 1}, {1, 2}, {100, 3}}}}, true);
  chart.is_logarithmic = true;
  const std::string markup = line_chart(chart);
  for (const char* tick : {">0.01</text>", ">1</text>", ">100</text>"})
    EXPECT_THAT(markup, HasSubstr(tick));
  static const std::regex mark("class=\"mark first\" cx=\"([0-9.]*)%");
  std::vector<double> places;
  for (std::sregex_iterator i(markup.begin(), markup.end(), mark); i != std::sregex_iterator(); ++i)
    places.push_back(std::stod((*i)[1]));
  ASSERT_EQ(places.size(), 3U);
  EXPECT_NEAR(places[2] - places[1], places[1] - places[0], 0.01);
  EXPECT_GT(places[1] - places[0], 20);
}

TEST(LineChart, LeavesOutWhatIsNotFinite) {
  const std::string markup = line_chart(chart_of(
      {{"first", {{kNan, 1}, {1, kNan}, {1, 1}, {2, 3}}}, {"second", {{kNan, 1}, {2, kNan}}}},
      true));
  EXPECT_EQ(count(markup, "class=\"mark first\""), 2U);
  EXPECT_EQ(label_heights(markup).size(), 1U);
  EXPECT_EQ(markup.find("nan"), std::string::npos);
  EXPECT_EQ(line_chart(chart_of({{"first", {{kNan, 1}}}, {"second", {}}}, true)), "");
}

TEST(LineChart, MarksHaveTitlesWithTheirFigures) {
  LineChart chart =
      chart_of({{"left out", {{kNan, 1}}}, {"a<b", {{1, 0.5}, {kNan, 1}, {2, 0.25}}}}, true);
  chart.up_label = "height";
  const std::string markup = line_chart(chart);
  EXPECT_THAT(markup, HasSubstr("<title>a&lt;b at 1: 0.5</title>"));
  EXPECT_THAT(markup, HasSubstr("<title>a&lt;b at 2: 0.25</title>"));
  EXPECT_EQ(markup.find("left out"), std::string::npos);
  EXPECT_THAT(markup, HasSubstr("<p class=\"axis\">axis; upwards: height</p>"));
}

/// One that is all but at 0 leaves the other intervals no room on a common scale.
TEST(CurveChart, NarrowIntervalsOfMostPeopleAreAsWideAsOthers) {
  CurveChart chart{"curve", "Title", "Description", "axis", {{"0", 0, 1, 2, 2, 0.75, "+2"}}};
  chart.parts.push_back({"1 to 999", 1, 1000, -1, 1, 0.25, "-1 to +1"});
  const std::string uneven = curve_chart(chart);
  EXPECT_THAT(uneven, AllOf(HasSubstr("drawn equally wide"), HasSubstr("0: +2, 75.0 % of records"),
                            HasSubstr("width=\"42.500%\"")));
  EXPECT_EQ(count(uneven, "class=\"pointed\""), 2U);
  chart.parts[0].to = chart.parts[1].from = 500;
  EXPECT_THAT(curve_chart(chart),
              AllOf(Not(HasSubstr("equally wide")), HasSubstr("class=\"zero\"")));
}

TEST(DotChart, HasNoOverallRowWhereThereIsNone) {
  DotChart chart{.id = "chart",
                 .title = "Title",
                 .metric = "records",
                 .axis_label = "axis",
                 .name_head = "sex",
                 .size_head = "",
                 .rows = {{"Female", "", {10, {8, 12}}}},
                 .has_total = false,
                 .compares_with_zero = true};
  chart.total.estimate.interval = {-20, 20};
  EXPECT_THAT(dot_chart(chart, {1}, "most"),
              AllOf(HasSubstr("<li>10 [8, 12]</li>"), Not(HasSubstr("class=\"total\"")),
                    Not(HasSubstr("class=\"rule\""))));
}

/// What is drawn and what is written of each row; nothing of rows that are not drawn.
TEST(DotChart, DrawsTheHeaviestRowsWithTheirFigures) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  DotChart chart{.id = "chart",
                 .title = "Title",
                 .metric = "accuracy",
                 .axis_label = "axis",
                 .name_head = "sex",
                 .size_head = "tested",
                 .rows = {},
                 .total = {"overall", "1,200", {0.5, {0.25, 0.75}}}};
  std::vector<double> weights;
  for (int i = 0; i < 70; ++i) {
    chart.rows.push_back({"row " + std::to_string(i), "10", {0.5, {0.25, 0.75}}});
    weights.push_back(i);
  }
  chart.rows[60].estimate = {kNan, {kNan, kNan}};
  chart.rows[61].estimate = {0.5, {-kInfinity, kInfinity}};
  const std::string markup = dot_chart(chart, weights, "most");
  EXPECT_EQ(count(markup, "<li class=\"row\">"), kMaxChartRows);
  EXPECT_EQ(count(markup, "<title>row 9:"), 0U);
  EXPECT_THAT(markup, HasSubstr("<title>row 10: 50.0 [25.0, 75.0]</title>"));
  EXPECT_EQ(count(markup, "<title>row 60:"), 0U);
  EXPECT_EQ(count(markup, ">no estimate</text>"), 1U);
  EXPECT_THAT(markup, HasSubstr("<line class=\"bar\" x1=\"0.000%\""));
  EXPECT_THAT(markup, HasSubstr("<title>overall: 50.0 [25.0, 75.0]</title>"));
  EXPECT_THAT(markup, HasSubstr("1,200"));
}

/// Errors have no intervals; what chance would make is a tick next to the dot.
TEST(DotChart, ErrorsHaveTicksInsteadOfIntervals) {
  const auto row = [](std::string name, double error, double yardstick) {
    return DotRow{std::move(name), "", {.value = error}, yardstick};
  };
  DotChart chart{.id = "chart",
                 .title = "Title",
                 .metric = "error",
                 .axis_label = "axis",
                 .name_head = "column",
                 .size_head = "",
                 .rows = {row("a", 0.25, 0.125), row("b", 0.5, kNan), row("c", kNan, 0.125)},
                 .total = row("all", 0.375, 0.0625),
                 .compares_with_zero = true,
                 .kind = DotKind::kErrors};
  const std::string markup = dot_chart(chart, {1, 1, 1}, "most");
  for (const char* text : {"<li>0.2500 (0.1250)</li>", "<li>0.5000</li>", "<li>-</li>",
                           ">0.3750 (0.0625)</li>", "error (bootstrap)", ">0.4</text>"})
    EXPECT_THAT(markup, HasSubstr(text));
  EXPECT_EQ(count(markup, "class=\"bar second\""), 2U);
  EXPECT_EQ(markup.find("95 %"), std::string::npos);
  EXPECT_EQ(markup.find("nan"), std::string::npos);
}

}  // namespace equinoise::chart_test
