// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/frontier_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

namespace equinoise::frontier_chart_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

FrontierPoint point(const std::string& name, double x, double y, FrontierStanding standing) {
  return {name, {x, {x - 0.01, x + 0.01}}, {y, {y - 0.02, y + 0.02}}, standing};
}

FrontierChart chart_of(std::vector<FrontierPoint> points) {
  return {.id = "frontier-1",
          .title = "Errors at epsilon 1",
          .x_label = "overall error, percent",
          .y_label = "error of the worst group, percent",
          .is_share = true,
          .points = std::move(points)};
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Heights of the names beside the plot.
std::vector<double> name_heights(const std::string& svg) {
  std::vector<double> heights;
  const std::regex name("<text class=\"name [a-z]+\" x=\"[0-9.]+%\" y=\"([0-9.]+)\"");
  for (std::sregex_iterator found(svg.begin(), svg.end(), name), end; found != end; ++found)
    heights.push_back(std::stod((*found)[1]));
  return heights;
}

TEST(FrontierChart, MarksShowHowEachPointStands) {
  const std::string svg =
      frontier_chart(chart_of({point("dpsgd", 0.16, 0.2, FrontierStanding::kNotDominated),
                               point("a <b>", 0.14, 0.19, FrontierStanding::kRecommended),
                               point("mgr_w", 0.18, 0.21, FrontierStanding::kDominated),
                               point("ags", 0.17, 0.22, FrontierStanding::kNotCompared),
                               point("sgd", 0.13, 0.18, FrontierStanding::kReference)}));
  EXPECT_THAT(svg, AllOf(HasSubstr("role=\"img\""), HasSubstr("<title id=\"frontier-1-title\">"),
                         HasSubstr("Across: overall error, percent. Up: "),
                         HasSubstr("a &lt;b&gt;"), HasSubstr("error of the worst group, percent")));
  EXPECT_EQ(count_of(svg, "<circle class=\"mark best\""), 2U);
  EXPECT_EQ(count_of(svg, "r=\"7.00\""), 1U);
  EXPECT_EQ(count_of(svg, "<circle class=\"mark rest\""), 2U);
  EXPECT_EQ(count_of(svg, "<polygon class=\"mark reference\""), 1U);
  EXPECT_EQ(count_of(svg, "class=\"bar best\""), 4U);
  EXPECT_THAT(svg, HasSubstr("<title>mgr_w\noverall error, percent: 18.0 [17.0, 19.0]\n"));
}

TEST(FrontierChart, NamesOfPointsThatLieTogetherDoNotCollide) {
  std::vector<FrontierPoint> points;
  for (int i = 0; i < 28; ++i)
    points.push_back(point("method" + std::to_string(i), 0.2, 0.3, FrontierStanding::kDominated));
  std::vector<double> heights = name_heights(frontier_chart(chart_of(points)));
  ASSERT_EQ(heights.size(), 28U);
  std::sort(heights.begin(), heights.end());
  for (size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 16.9);
  EXPECT_GT(heights.front(), 12);
}

TEST(FrontierChart, ManyPointsAreThoseThatStandBest) {
  std::vector<FrontierPoint> points;
  for (int i = 0; i < 40; ++i) {
    points.push_back(
        point("far" + std::to_string(i), 0.3 + 0.001 * i, 0.4, FrontierStanding::kDominated));
  }
  points.push_back(point("front", 0.9, 0.95, FrontierStanding::kNotDominated));
  const std::string svg = frontier_chart(chart_of(points));
  EXPECT_THAT(svg, AllOf(HasSubstr("Of 41 rows, only 30 are drawn"), HasSubstr(">front<"),
                         HasSubstr(">far0<"), HasSubstr(">far28<"), Not(HasSubstr(">far29<"))));
}

TEST(FrontierChart, WhatIsUndefinedIsNotDrawn) {
  FrontierPoint half = point("half", 0.1, 0.2, FrontierStanding::kNotCompared);
  half.y = Estimate();
  EXPECT_EQ(frontier_chart(chart_of({half})), "");
  EXPECT_EQ(frontier_chart(chart_of({})), "");
  FrontierPoint one_seed = point("one", 0.1, 0.2, FrontierStanding::kNotCompared);
  one_seed.x.interval = one_seed.y.interval = Estimate().interval;
  const std::string svg = frontier_chart(chart_of({half, one_seed}));
  EXPECT_THAT(svg, AllOf(HasSubstr(">one<"), Not(HasSubstr("half")), Not(HasSubstr("nan")),
                         Not(HasSubstr("class=\"bar"))));
}

TEST(FrontierChart, LongNamesAreCutBetweenCharacters) {
  std::string name = "dpsgd ";
  for (int i = 0; i < 20; ++i) name += "\xC3\xA9";
  const std::string svg =
      frontier_chart(chart_of({point(name, 0.1, 0.2, FrontierStanding::kDominated)}));
  EXPECT_THAT(svg, HasSubstr("\xC3\xA9\xE2\x80\xA6\xC3\xA9"));
  EXPECT_THAT(svg, Not(HasSubstr("\xEF\xBF\xBD")));
}

/// Names of one method differ at their ends.
TEST(FrontierChart, NamesThatAreCutStayApart) {
  const std::string svg = frontier_chart(
      chart_of({point("dpsgd_global_adapt 0.11", 0.1, 0.2, FrontierStanding::kDominated),
                point("dpsgd_global_adapt 0.25", 0.2, 0.3, FrontierStanding::kDominated)}));
  EXPECT_THAT(svg, AllOf(HasSubstr("0.11</text>"), HasSubstr("0.25</text>")));
}

/// One wide interval would press all others together.
TEST(FrontierChart, WideIntervalsDoNotSetTheAxis) {
  FrontierChart chart = chart_of({point("a", 0.1, 0.2, FrontierStanding::kNotDominated),
                                  point("b", 0.2, 0.4, FrontierStanding::kDominated)});
  chart.points[1].x.interval = {0, 90};
  EXPECT_THAT(frontier_chart(chart), Not(HasSubstr(">9,000<")));
  EXPECT_THAT(frontier_chart(chart), HasSubstr(">20<"));
}

TEST(FrontierChart, MultiplesAreNotInPercent) {
  FrontierChart chart = chart_of({point("a", 1, 2, FrontierStanding::kNotDominated),
                                  point("b", 2, 4, FrontierStanding::kDominated)});
  chart.is_share = false;
  EXPECT_THAT(frontier_chart(chart), AllOf(HasSubstr(">1.5<"), Not(HasSubstr(">150<"))));
}

}  // namespace
}  // namespace equinoise::frontier_chart_test
