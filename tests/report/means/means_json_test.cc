// SPDX-License-Identifier: Apache-2.0

#include <nlohmann/json.hpp>

#include "equinoise/report/json.h"
#include "equinoise/report/means/means_report.h"
#include "tests/report/means/sample_means.h"
#include "tests/test_support.h"

namespace equinoise::means_json_test {

TEST(MeansJson, ThePageOfWhatIsReadIsTheSame) {
  MeansReport whole = sample_means();
  whole.strata.clear();
  whole.rows.resize(1);
  whole.rows[0].stratum.clear();
  whole.ledger.reset();
  for (const MeansReport& report : {sample_means(), sample_explained_means(), whole}) {
    const MeansReport again =
        means_report_from_json(to_text(means_to_json(report)), "means/report.json");
    EXPECT_EQ(to_page(means_document(again)), to_page(means_document(report)));
  }
}

TEST(MeansJson, ReadsEverybodyInOlderFiles) {
  nlohmann::ordered_json json = means_to_json(sample_means());
  json["columns"][0]["mean_of"] = "everybody";
  EXPECT_FALSE(means_report_from_json(to_text(json), "report.json").columns[0].has_gaps());
  json["columns"][0]["mean_of"] = "those who have a value";
  EXPECT_TRUE(means_report_from_json(to_text(json), "report.json").columns[0].has_gaps());
}

TEST(MeansJson, SizesThatAreNotNoisyAreWhole) {
  EXPECT_EQ(means_to_json(sample_means())["strata"][0]["num_records"].dump(), "500");
  EXPECT_EQ(means_to_json(sample_explained_means())["strata"][0]["num_records"].dump(), "512.25");
}

TEST(MeansJson, RefusesNamingFileAndMember) {
  const nlohmann::ordered_json good = means_to_json(sample_explained_means());
  const auto refusal = [&](auto change) {
    nlohmann::ordered_json json = good;
    change(json);
    return error_of(ErrorKind::kInput,
                    [&] { means_report_from_json(to_text(json), "means/report.json"); });
  };
  EXPECT_THAT(refusal([](auto& json) { json["kind"] = "train"; }), HasSubstr("kind must be"));
  EXPECT_THAT(refusal([](auto& json) { json.erase("rho"); }),
              HasSubstr("means/report.json: lacks rho"));
  EXPECT_THAT(refusal([](auto& json) { json["strata"][1]["ci"] = 3; }), HasSubstr("strata[1].ci"));
  EXPECT_THAT(refusal([](auto& json) { json["overall"].clear(); }),
              HasSubstr("overall must be a list of 1 means"));
  EXPECT_THAT(refusal([](auto& json) { json["not_private"]["num_records"].erase(0); }),
              HasSubstr("not_private must be figures of the same columns and strata"));
}

}  // namespace equinoise::means_json_test
