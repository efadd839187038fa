// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/reproduction/experiment.h"

namespace equinoise {

/// The method of making rows.
struct SynthesisMethod {
  std::string synthesizer;  ///< of synth/registry.h; "": the records that others are fitted to
  std::vector<std::string> strata;  ///< one of the divisions; empty: no strata
};

/// Synthetic rows of a table, for one epsilon after another, overall and by strata.
struct ReproductionSynthesis {
  std::string grid;  ///< the item that describes the runs: "002/synthesis"
  std::vector<double> epsilons;
  /// (epsilons) by synthesizer: what its runs spend instead.
  std::map<std::string, std::vector<double>> spent;
  double delta = 1e-9;
  int degree = 3;  ///< of the workload's marginals, for synthesizers that follow one
  /// Options of single synthesizers by name, degree among them.
  std::map<std::string, std::vector<Setting>> options_of;
  int num_bins = 32;  ///< of numeric columns
  double max_model_megabytes = 80;
  bool has_printed_parity = false;  ///< with the columns of parity as printed
  int64_t min_stratum = 0;  ///< smaller strata share a model, and are one group of the evaluation
  double test_fraction = 0.2;
  std::string positive;  ///< class of the table's target; "": the second of two
  std::vector<std::vector<std::string>> divisions;  ///< columns that make strata and groups
  std::vector<std::string> metrics;                 ///< reported ones: is_synthesis_metric()
  std::vector<SynthesisMethod> methods;
};

/// Returns whether synthetic rows have this metric:
/// - "accuracy": of a classifier of the target that is trained on the rows, on test records
/// - "TV3", "L1": the mean over all marginals of three columns of the total variation distance to
///   the records that the rows are made from, and of the L1 distance
///
/// And for the groups of each division:
/// - "means parity": audit/means_parity.h over all columns with numeric values, including codes:
///   the parity error
/// - "largest disparity": the same, the largest relative error of any group in any column
/// - "demographic parity ratio", "demographic parity difference", "false negative rate difference":
///   of the classifier; the ratio is 1 if no record is predicted positive
/// - "TV3 parity", "L1 parity": audit/marginal_parity.h, the parity error, and twice that
/// - "printed means parity", "printed L1 parity": the same as printed in the paper, omega one over
///   the number of groups; in runs with has_printed_parity
bool is_synthesis_metric(std::string_view name, bool has_printed_parity);

/// The names of the values of a run's points: metrics, those of a division with its columns, "TV3
/// parity by SEX,RAC1P".
std::vector<std::string> synthesis_columns(const ReproductionSynthesis& synthesis);

/// The columns of a metric that are reported for a method. A method with strata is compared in
/// these groups, others in those of all divisions; the records themselves have classifiers only.
std::vector<std::string> columns_of_metric(const ReproductionSynthesis& synthesis,
                                           const SynthesisMethod& method,
                                           const std::string& metric);

/// Fits of synthesizers to a random part of a table, evaluated against that part; the rest tests
/// classifiers. Seeds determine the parts, noise and rows. NOT PRIVATE. Pre: the arguments outlive
/// it. Errors: kInput (files, columns).
std::unique_ptr<ExperimentRuns> open_synthesis_runs(const ItemHeader& item,
                                                    const ReproductionSynthesis& synthesis,
                                                    const std::filesystem::path& folder);

}  // namespace equinoise
