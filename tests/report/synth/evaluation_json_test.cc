// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/report/json.h"
#include "equinoise/report/synth/evaluation_figures.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "tests/report/synth/sample_evaluation.h"
#include "tests/test_support.h"

namespace equinoise::evaluation_json_test {

using testing::sample_evaluation;
using testing::sample_result;
using Json = nlohmann::ordered_json;

SynthEvaluateReport read_again(const SynthEvaluateReport& report) {
  return evaluation_from_json(to_text(evaluation_to_json(report)), "report.json");
}

TEST(EvaluationJson, ThePageAndTheFiguresOfWhatIsReadAreTheSame) {
  SynthEvaluateReport weighed = sample_evaluation();
  weighed.weight_column = "weight";
  weighed.rows_have_weights = true;
  weighed.unit = {"person", 3};
  SynthEvaluateReport overall = sample_evaluation();
  overall.parity.reset();
  overall.correlations.reset();
  overall.learner.reset();
  SynthEvaluateReport regression = overall;
  SynthLearner& learner = regression.learner.emplace();
  learner.target = "pay";
  learner.unit = "euros";
  learner.synthetic = learner.bootstrap = learner.second_half = sample_result({}, 0.5);
  for (const SynthEvaluateReport& report : {sample_evaluation(), weighed, overall, regression}) {
    EXPECT_EQ(to_page(evaluation_document(read_again(report))),
              to_page(evaluation_document(report)));
    EXPECT_EQ(evaluation_to_csv(read_again(report)), evaluation_to_csv(report));
  }
}

TEST(EvaluationJson, KeepsDifferencesOfTheTarget) {
  SynthEvaluateReport report = sample_evaluation();
  report.parity->groups[1].target_difference = {0.25, {0.125, 0.5}};
  const SynthParity parity = *read_again(report).parity;
  EXPECT_EQ(parity.groups[1].target_difference.interval.high, 0.5);
  EXPECT_TRUE(std::isnan(parity.groups[0].target_difference.value));
}

TEST(EvaluationJson, CountsUnitsWhereRowsAreNotUnits) {
  SynthEvaluateReport report = sample_evaluation();
  EXPECT_EQ(evaluation_to_json(report)["classifier"]["positives"], 40);
  report.unit = {"person", 3};
  const Json json = evaluation_to_json(report);
  EXPECT_EQ(json["max_records_per_unit"], 3);
  EXPECT_EQ(json["classifier"]["units"], 100);
  EXPECT_EQ(json["classifier"]["positive_rows"], 40);
  EXPECT_FALSE(json["classifier"].contains("records"));
}

TEST(EvaluationJson, RefusesGroupsThatDoNotGoTogether) {
  for (const char* part : {"classifier", "correlations", "parity"}) {
    Json json = evaluation_to_json(sample_evaluation());
    json[part]["groups"].erase(2);
    EXPECT_THAT(
        error_of(ErrorKind::kInput, [&] { evaluation_from_json(json.dump(), "report.json"); }),
        HasSubstr("report.json: parity"))
        << part;
  }
}

}  // namespace equinoise::evaluation_json_test
