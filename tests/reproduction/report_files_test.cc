// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/report_files.h"

#include <gtest/gtest.h>

#include "equinoise/report/json.h"
#include "tests/test_support.h"

namespace equinoise::report_files_test {

ReproductionRow row_of(const std::string& metric, PrintedValue published) {
  ReproductionRow row;
  row.method = "raco_dp";
  row.metric = metric;
  row.published = std::move(published);
  row.ours = 0.2;
  row.verdict = Verdict::kDiffers;
  return row;
}

TEST(Reproduction, ABoundIsToldAsOne) {
  ReproductionReport report;
  report.rows = {row_of("value", {0.1, 0, 1, "<= 0.1", PrintedValue::Kind::kAtMost})};
  report.rows[0].target = PrintedValue{0.1, 0, 1, ">= 0.1", PrintedValue::Kind::kAtLeast};
  const nlohmann::ordered_json row = reproduction_to_json(report)["rows"][0];
  EXPECT_EQ(row["published"], 0.1);
  EXPECT_EQ(row["published_bound"], "<=");
  EXPECT_EQ(row["target_bound"], ">=");
  EXPECT_THAT(reproduction_to_html(report), Not(HasSubstr("<polygon class=\"mark second\"")));
  report.rows = {row_of("value", {0.1, 0, 1, "0.1"})};
  EXPECT_EQ(reproduction_to_json(report)["rows"][0]["published_bound"], nullptr);
  EXPECT_EQ(reproduction_to_json(report)["rows"][0]["target_bound"], nullptr);
  EXPECT_THAT(reproduction_to_html(report), HasSubstr("<polygon class=\"mark second\""));
}

TEST(Reproduction, TargetsThatAreNotMetAreNamed) {
  ReproductionReport report;
  report.rows = {row_of("value", {0.1, 0, 1, "0.1"}), row_of("error", {0.1, 0, 1, "0.1"})};
  EXPECT_THAT(reproduction_to_text(report), Not(HasSubstr("targets:")));
  report.rows[0].meets_target = true;
  report.rows[1].meets_target = false;
  const std::string line = "targets: 1 of 2 are met; not met: raco_dp error";
  EXPECT_THAT(reproduction_to_text(report), HasSubstr(line + "\n"));
  EXPECT_THAT(reproduction_to_html(report), HasSubstr(line + "."));
  EXPECT_EQ(reproduction_to_json(report)["rows"][0]["meets_target"], true);
}

/// What is drawn is nobody's.
TEST(Reproduction, OnlyFiguresOfRecordsAreNotToBePublished) {
  ReproductionReport report;
  report.rows = {row_of("value", {0.1, 0, 1, "0.1"})};
  EXPECT_THAT(reproduction_to_html(report), HasAll("do not publish", "class=\"fence closed\""));
  report.is_drawn = true;
  EXPECT_THAT(reproduction_to_html(report),
              AllOf(Not(HasSubstr("do not publish")), Not(HasSubstr("class=\"fence closed\""))));
}

/// A value against the slack that bounds it is drawn beside the slack itself; a method that obeys
/// no constraint has no place there.
TEST(Reproduction, ASlackIsDrawnBesideItsValues) {
  ReproductionReport report;
  report.position = "slack";
  report.columns = {"error", "value"};
  report.curves = {{"heart: raco_dp", 0, {{0.1, {20, 0.12}}, {0.2, {18, 0.19}}}},
                   {"heart: sgd", 0, {{kUnconstrained, {17, 0.3}}}}};
  report.charts = {{"heart", "slack", "value", {"raco_dp", "sgd"}, "heart: "}};
  const std::string page = reproduction_to_html(report);
  EXPECT_THAT(page, HasSubstr(">raco_dp</text>"));
  EXPECT_THAT(page, HasSubstr(">slack</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">sgd</text>")));
  report.charts[0].up = "error";
  EXPECT_THAT(reproduction_to_html(report), Not(HasSubstr(">slack</text>")));
  report.charts[0].prefix = "adult: ";
  EXPECT_THAT(reproduction_to_html(report), Not(HasSubstr("chart-of-means")));
}

TEST(Reproduction, AMetricOfEachMethodWithEachIsAHeatMap) {
  ReproductionReport report;
  ReproductionRow row;
  row.method = "age";
  row.metric = "correlation with sex";
  row.ours = -0.4;
  report.rows = {row};
  report.charts = {{"A) correlations", "", "", {"age", "sex"}, "", "correlation with {}"}};
  EXPECT_THAT(reproduction_to_html(report),
              HasSubstr("<th scope=\"row\">age</th><td>-</td>"
                        "<td class=\"below\" style=\"--heat: 18.0%\">-0.40</td>"));
  report.rows.clear();
  EXPECT_THAT(reproduction_to_html(report), Not(HasSubstr("A) correlations")));
}

/// Beside the end of a line is little room.
TEST(Reproduction, LinesAreNamedByWhatTheyDoNotShare) {
  ReproductionReport report;
  report.position = "step";
  report.columns = {"rate times eigenvalue M", "rate times eigenvalue F"};
  report.curves = {{"dpsgd", 0, {{0, {1, 2}}, {50, {2, 3}}}}};
  const std::string page = reproduction_to_html(report);
  EXPECT_THAT(page, HasSubstr("dpsgd: rate times eigenvalue M and F"));
  EXPECT_THAT(page, HasSubstr(">M</text>"));
  EXPECT_THAT(page, HasSubstr(">F</text>"));
  report.columns = {"bias", "binary"};
  EXPECT_THAT(reproduction_to_html(report), HasSubstr("dpsgd: bias and binary"));
}

}  // namespace equinoise::report_files_test
