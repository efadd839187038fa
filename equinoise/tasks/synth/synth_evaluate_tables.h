// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

// What the forms of the report of `equinoise synth evaluate` share. NOT PRIVATE.

/// What errors of marginals are, and what the yardsticks next to them are.
std::string how_to_read_marginals();

/// How errors of means are written.
inline constexpr const char* kHowToReadMeans =
    "Means are over the records that have a value. Their errors are relative, each divided by the "
    "real mean or, if that is larger, by a 20th of the bounds' width; those of a bootstrap and of "
    "a second half are on the same scale.";

/// What correlations are, and their yardsticks.
inline constexpr const char* kHowToReadCorrelations =
    "Pearson's correlations of pairs of numeric columns, by records that have both numbers: the "
    "absolute difference of synthetic rows from real ones, over the pairs where both are defined. "
    "Fewest records are the real ones with both numbers, of the pair of which fewest have.";

/// What yardsticks of figures are that are learnt.
inline constexpr const char* kHowToReadLearnt =
    "Trained on the synthetic rows and tested on the real records; next to it trained on one "
    "bootstrap of the real records and tested on all of them, which it has seen in part; and on "
    "one "
    "half of them, tested on the other half: what real records would give, from half as many.";

/// Four decimals; "-" where there is none.
std::string error_figure(const std::optional<double>& value);

/// The names of a marginal's columns.
std::vector<std::string> columns_of(const SynthEvaluateReport& report, const MarginalError& error);

/// The relative error of a group's mean; none without a real or a synthetic value to average.
std::optional<double> mean_error(const SynthParity& parity, size_t column, size_t group);

/// The same of everybody's mean.
std::optional<double> overall_mean_error(const SynthParity& parity, size_t column);

/// Of how many records a column's means are, real and synthetic.
int64_t num_values(const GroupMeans& means);

/// What an error of a mean is divided by, in words.
std::string unit_of_mean_error(double real_mean, double floor);

/// How many real records have no missing cell, as the end of a sentence; "" where all of them.
std::string complete_cases(const SynthEvaluateReport& report);

/// By what records are weighed, a sentence; "" without weights.
std::string weights_line(const SynthEvaluateRequest& request, const SynthEvaluateReport& report);

/// Which rows are compared where units have several, a sentence; "" where each row is one.
std::string units_line(const SynthEvaluateReport& report);

/// The marginal of each column alone.
TextTable columns_table(const SynthEvaluateReport& report);

/// The means over all marginals of each number of columns, of everybody and of each group.
TextTable degrees_table(const SynthEvaluateReport& report);

/// How far correlations are off, for each group and of everybody.
TextTable correlations_table(const SynthEvaluateReport& report);

/// The most different pairs of everybody.
TextTable largest_correlations_table(const SynthCorrelations& correlations);

/// The marginals with the largest errors.
TextTable largest_table(const SynthEvaluateReport& report);

/// For each group its workload error and, unless those are in a table of their own, errors of
/// means.
TextTable parity_table(const SynthParity& parity, bool with_means);

/// For each group the errors of the marginals of each column alone.
TextTable group_columns_table(const SynthEvaluateReport& report);

/// For each group the marginal with the largest error.
TextTable group_largest_table(const SynthEvaluateReport& report);

/// The means of one numeric column, for each group and of everybody.
TextTable means_table(const SynthParity& parity, size_t column);

/// A figure of what was learnt, its unit in words.
struct LearntFigure {
  std::string_view metric;  ///< its name, see estimate_of()
  std::string title;
  std::string unit;
};
std::vector<LearntFigure> figures_of(const SynthClassifier& classifier);
std::vector<LearntFigure> figures_of(const SynthRegression& regression);

/// One of them for each group and everybody, from synthetic rows and from yardsticks.
TextTable learnt_table(const SynthClassifier& classifier, const LearntFigure& figure,
                       const SynthParity* parity);
TextTable learnt_table(const SynthRegression& regression, const LearntFigure& figure,
                       const SynthParity* parity);

/// What a reader of these tables must know besides; for each a sentence.
std::vector<std::string> parity_lines(const SynthParity& parity);

/// Parity error of means as printed; empty without an omega, numeric columns or where a real mean
/// is 0.
std::optional<double> printed_parity_of_means(const SynthParity& parity);
std::vector<std::string> classifier_lines(const SynthClassifier& classifier,
                                          const SynthParity* parity);

/// Which records something was learnt from, and what their gaps counted as.
std::vector<std::string> records_lines(const std::string& target, const LearntRecords& records,
                                       int64_t num_tested);

}  // namespace equinoise
