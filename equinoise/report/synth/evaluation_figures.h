// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise {

/// The metrics of a classifier, or of a regression, that is trained on synthetic rows.
std::array<std::string_view, 3> learnt_metrics(bool is_classifier);

/// The kind of a figure: an error, or a share or an amount that a learner has.
enum class EvaluatedKind { kError, kLearntShare, kLearntAmount };

/// A figure of an evaluation, overall or of a group.
struct EvaluatedFigure {
  std::string key;  ///< as errors.csv has it, see evaluation_to_csv()
  EvaluatedKind kind = EvaluatedKind::kError;
  std::string name;  ///< for readers
  std::vector<std::string> columns = {};
  GroupLabel group = {};  ///< empty: overall
  std::string unit = {};
  double real = kNoFigure;  ///< means that an error is of
  double synthetic = kNoFigure;
  ComparedFigure figures = {};                 ///< errors; of a learner what it has
  int64_t num_real = 0;                        ///< records that it is of
  Interval interval = {kNoFigure, kNoFigure};  ///< of a learner's figure

  bool is_learnt() const { return kind != EvaluatedKind::kError; }
};

/// All figures of an evaluation. NOT PRIVATE.
std::vector<EvaluatedFigure> evaluated_figures(const SynthEvaluateReport& report);

/// The same, a line each: kind, columns, group, unit, real, synthetic, error, bootstrap,
/// second_half, real_records. Names of columns are between commas, as options take them; a group is
/// "sex=Female,race=White", all records are "". What is undefined is empty. NOT PRIVATE.
///
/// Kinds: "workload" (mean error over all marginals; "workload_1", ... of fewer columns), "single"
/// (marginals of one column), "largest" (largest errors of marginals of several columns), "mean"
/// (of a numeric column, or the share of the target's class; the unit names what its error is
/// divided by), "correlation_mean", "correlation_largest", and the metrics of a learner, which
/// stand under `synthetic`. real_records are those behind a figure: for means those with a value,
/// for correlations those with both numbers (of the pair with the fewest, or of the worst), for a
/// learner those with a value of the target.
std::string evaluation_to_csv(const SynthEvaluateReport& report);

}  // namespace equinoise
