// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise::testing {

/// Errors of the columns age and label; undefined of a group without real records.
inline MarginalErrors sample_errors(double error) {
  const ComparedFigure figures{error, error / 2, error};
  return {{{1, 2, figures}, {2, 1, {2 * error, error, 2 * error}}},
          {{{"age"}, figures}, {{"label"}, figures}},
          {{{"age", "label"}, {2 * error, error, 2 * error}}}};
}

inline LearntResult sample_result(const GroupLabel& group, double rate) {
  LearntResult result{group, {}};
  result.metrics.num_records = 100;
  result.metrics.num_positives = 40;
  for (Estimate* estimate : {&result.metrics.accuracy, &result.metrics.selection_rate,
                             &result.metrics.false_negative_rate, &result.metrics.rmse,
                             &result.metrics.mean_error, &result.metrics.r_squared})
    *estimate = {rate, {rate - 0.0625, rate + 0.0625}};
  return result;
}

/// Rows without women, compared with records of women and men, and of nobody else.
inline SynthEvaluateReport sample_evaluation() {
  SynthEvaluateReport report;
  report.version = "1.2.3";
  report.real = "people.csv";
  report.synthetic = "rows.csv";
  report.errors = sample_errors(0.125);
  report.num_real = 300;
  report.num_read = 310;
  report.num_complete = 290;
  report.num_synthetic = 200;
  SynthParity& parity = report.parity.emplace();
  parity.by = {"sex"};
  parity.groups = {
      {{{"sex", "F"}},
       100,
       0,
       sample_errors(1),
       {{"age", 41.5, kNoFigure, 90, 0, {kNoFigure, 0.01, 0.02}},
        {"pay", 10, kNoFigure, 100, 0, {kNoFigure, 0.25, 0.5}}}},
      {{{"sex", "M"}},
       200,
       200,
       sample_errors(0.0625),
       {{"age", 40, 41, 200, 200, {0.025, 0.01, 0.02}}, {"pay", 12, 12, 200, 200, {0, 0.25, 0.5}}}},
      {{{"sex", "X"}},
       0,
       0,
       sample_errors(kNoFigure),
       {{"age", kNoFigure, kNoFigure, 0, 0, {}}, {"pay", kNoFigure, kNoFigure, 0, 0, {}}}}};
  parity.omega = 0.5;
  parity.marginals = {0.25, 1, 0.9375, 1.25};
  parity.means =
      EvaluatedMeans{0.125,
                     0.25,
                     "age",
                     {{"sex", "F"}},
                     {{{"age", 40.5, 41, 290, 200, {0.0125, 0.01, 0.02}}, 0.25, 0.25, 2.5},
                      {{"pay", 11, 12, 300, 200, {0.0625, 0.25, 0.5}}, 0.25, 0.25, 50}},
                     kNoFigure};
  SynthCorrelations& correlations = report.correlations.emplace();
  correlations.columns = {"age", "pay"};
  correlations.overall = {{}, 1, 0, 290, 290, {0.5, 0.25, 0.25}, {0.5, 0.25, 0.25}, {"age", "pay"}};
  correlations.pairs = {{{"age", "pay"}, 0.25, 0.75, 290, 200}};
  for (const EvaluatedGroup& group : parity.groups)
    correlations.groups.push_back({group.group, 0, 0, {}, {}, {}, {}, {}});
  SynthLearner& learner = report.learner.emplace();
  learner.target = "label";
  learner.positive = "yes";
  learner.num_trained = 200;
  learner.fills = {{"age", "20"}};
  for (LearntResult* result : {&learner.synthetic, &learner.bootstrap, &learner.second_half}) {
    *result = sample_result({}, 0.5);
    for (const EvaluatedGroup& group : parity.groups)
      result->groups.push_back(sample_result(group.group, group.num_real == 0 ? kNoFigure : 0.75));
  }
  report.ingest_notes = {"people.csv: column age: 10 missing cells"};
  report.command = "equinoise synth evaluate";
  report.seconds = 0.5;
  report.files = {"o/report.json"};
  return report;
}

}  // namespace equinoise::testing
