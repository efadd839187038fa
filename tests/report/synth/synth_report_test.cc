// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/synth/synth_report.h"

#include "equinoise/base/error.h"
#include "equinoise/report/json.h"
#include "tests/matchers.h"

namespace equinoise::synth_report_test {

/// A run without a guarantee.
SynthReport report_of() {
  SynthReport report;
  report.version = "1.2";
  report.dataset = "people";
  report.method = "aim";
  report.num_rows = 1000;
  report.warnings = {"few records"};
  report.ingest_notes = {"3 records contribute nothing"};
  report.command = "equinoise synth --epsilon 1";
  SynthRoundReport& round = report.rounds.emplace_back();
  round.stratum = "Female";
  round.columns = {"sex", "age"};
  round.round.missed = 296;
  round.round.noise_stddev = 4.5;
  round.round.num_candidates = 6;
  return report;
}

TEST(SynthReport, ThePageIsTheSameFromItsJson) {
  const SynthReport report = report_of();
  const SynthReport read = synth_report_from_json(to_text(synth_to_json(report)), "report.json");
  const std::string page = to_page(synth_page(report, {}));
  EXPECT_EQ(to_page(synth_page(read, {})), page);
  EXPECT_THAT(page, AllOf(HasSubstr("Female: sex, age"), HasSubstr("296"), HasSubstr("few records"),
                          HasSubstr("equinoise synth --epsilon 1")));
}

TEST(SynthReport, OnlyThePlanAndThePageMayBePublished) {
  const SynthReport report = report_of();
  EXPECT_THAT(to_page(synth_page(report, {})), Not(HasSubstr("contribute nothing")));
  EXPECT_FALSE(synth_plan_to_json(report).contains("ingest"));
  EXPECT_FALSE(synth_plan_to_json(report).contains("seconds"));
  EXPECT_THAT(to_text(synth_to_json(report)),
              AllOf(HasSubstr("DO NOT PUBLISH"), HasSubstr("contribute nothing")));
}

TEST(SynthReport, TheScreenHasNoRoundsUnlessItIsVerbose) {
  const Document document = synth_document(report_of());
  EXPECT_THAT(to_screen(document),
              AllOf(HasSubstr("1,000 synthetic rows of people by aim"), HasSubstr("NOT PRIVATE"),
                    HasSubstr("warning: few records"), Not(HasSubstr("sex, age"))));
  EXPECT_THAT(to_screen(document, true), HasSubstr("Female: sex, age"));
}

TEST(SynthReport, ErrorsNameTheMember) {
  nlohmann::ordered_json json = synth_to_json(report_of());
  json["round_details"][0]["missed"] = "many";
  try {
    synth_report_from_json(json.dump(), "rows/report.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rows/report.json"), HasSubstr("missed")));
  }
}

}  // namespace equinoise::synth_report_test
