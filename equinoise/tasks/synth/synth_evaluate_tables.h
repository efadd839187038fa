// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

// What the forms of the report of `equinoise synth evaluate` share. NOT PRIVATE.

/// What errors of marginals are, and what the bootstrap next to them is.
std::string how_to_read_marginals();

/// How errors of means are written.
inline constexpr const char* kHowToReadMeans =
    "Errors of means are relative, each divided by the real mean or, if that is larger, by a 20th "
    "of the bounds' width.";

/// Four decimals; "-" where there is none.
std::string error_figure(const std::optional<double>& value);

/// The names of a marginal's columns.
std::vector<std::string> columns_of(const SynthEvaluateReport& report, const MarginalError& error);

/// The relative error of a group's mean; none without a real or a synthetic value to average.
std::optional<double> mean_error(const SynthParity& parity, size_t column, size_t group);

/// The same of everybody's mean.
std::optional<double> overall_mean_error(const SynthParity& parity, size_t column);

/// By what records are weighed, a sentence; "" without weights.
std::string weights_line(const SynthEvaluateRequest& request, const SynthEvaluateReport& report);

/// The marginal of each column alone.
TextTable columns_table(const SynthEvaluateReport& report);

/// The marginals with the largest errors.
TextTable largest_table(const SynthEvaluateRequest& request, const SynthEvaluateReport& report);

/// For each group its workload error and, unless those are in a table of their own, errors of
/// means.
TextTable parity_table(const SynthParity& parity, bool with_means);

/// For each group the errors of the marginals of each column alone.
TextTable group_columns_table(const SynthEvaluateReport& report);

/// For each group the marginal with the largest error.
TextTable group_largest_table(const SynthEvaluateReport& report);

/// The means of one numeric column, for each group and of everybody.
TextTable means_table(const SynthParity& parity, size_t column);

TextTable classifier_table(const SynthClassifier& classifier, const SynthParity* parity);

/// What a reader of these tables must know besides; for each a sentence.
std::vector<std::string> parity_lines(const SynthParity& parity);
std::vector<std::string> classifier_lines(const SynthClassifier& classifier,
                                          const SynthParity* parity);

}  // namespace equinoise
