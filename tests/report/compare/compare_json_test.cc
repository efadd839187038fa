// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/json.h"
#include "tests/report/compare/sample_comparison.h"
#include "tests/test_support.h"

namespace equinoise::compare_json_test {

CompareReport read_again(const CompareReport& report) {
  return compare_report_from_json(to_text(compare_to_json(report)), "compare.json");
}

TEST(CompareJson, ThePageOfWhatIsReadIsTheSame) {
  CompareReport undefined = sample_comparison();
  undefined.rows[0].worst_group = undefined.constant = Estimate();
  undefined.has_constraints = true;
  undefined.rows[0].violation = {0.5, {0.25, 0.75}};
  CompareReport means = sample_comparison();
  means.task = CompareTask::kMeans;
  means.is_share = false;
  means.target.clear();
  means.groups.clear();
  for (CompareRow& row : means.rows) row.group_errors.clear();
  CompareReport of_nobody_knows_how_many = sample_comparison();
  of_nobody_knows_how_many.num_records.reset();
  for (const CompareReport& report : {sample_comparison(), sample_private_comparison(), undefined,
                                      means, of_nobody_knows_how_many})
    EXPECT_EQ(to_page(compare_document(read_again(report))), to_page(compare_document(report)));
}

TEST(CompareJson, ReadsTheKeysOfEarlierVersions) {
  nlohmann::ordered_json json = compare_to_json(sample_comparison());
  json["error"] = json["error_definition"];
  json.erase("error_definition");
  for (auto& row : json["rows"]) {
    row["guarantee"] = row["privacy"];
    row.erase("privacy");
  }
  EXPECT_EQ(compare_to_json(compare_report_from_json(to_text(json), "compare.json")),
            compare_to_json(read_again(sample_comparison())));
}

TEST(CompareJson, ARecommendationIsOfItsRow) {
  const CompareReport report = read_again(sample_comparison());
  ASSERT_EQ(report.advice.size(), 2U);
  EXPECT_FALSE(report.advice[0].row.has_value());
  EXPECT_EQ(report.advice[1].row, 2U);
}

TEST(CompareJson, RefusesNamingFileAndMember) {
  const nlohmann::ordered_json good = compare_to_json(sample_comparison());
  const auto refusal = [&](auto change) {
    nlohmann::ordered_json json = good;
    change(json);
    return error_of(ErrorKind::kInput,
                    [&] { compare_report_from_json(to_text(json), "compared/compare.json"); });
  };
  EXPECT_THAT(refusal([](auto& json) { json.erase("dataset"); }),
              HasSubstr("compared/compare.json: lacks dataset"));
  EXPECT_THAT(refusal([](auto& json) { json["rows"][1]["overall"] = "low"; }),
              HasSubstr("rows[1].overall must be"));
  EXPECT_THAT(refusal([](auto& json) { json["rows"][0]["groups"].erase(0); }),
              HasSubstr("rows[0].groups must be a list of 3 groups"));
  EXPECT_THAT(refusal([](auto& json) { json["kind"] = "train"; }), HasSubstr("kind must be"));
  EXPECT_THAT(refusal([](auto& json) { json["rows"][0].erase("epsilon"); }),
              HasSubstr("lacks rows[0].epsilon"));
  EXPECT_THAT(refusal([](auto& json) {
                std::swap(json["rows"][0]["groups"][0], json["rows"][0]["groups"][1]);
              }),
              HasSubstr("rows[0].groups[0].group must be"));
  EXPECT_THAT(refusal([](auto& json) { json["recommendations"][1]["method"] = "sgd"; }),
              HasSubstr("recommendations[1].method"));
  EXPECT_THAT(refusal([](auto& json) { json["rows"][0]["privacy"]["delta"] = 1; }),
              HasSubstr("rows[0].privacy.delta"));
  EXPECT_THAT(refusal([](auto& json) { json = nlohmann::ordered_json::array(); }),
              HasSubstr("the file must be an object"));
}

}  // namespace equinoise::compare_json_test
