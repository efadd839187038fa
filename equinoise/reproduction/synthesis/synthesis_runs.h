// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/synthesis/synthesis_item.h"

namespace equinoise {

/// What can be reported of synthetic rows:
///   "accuracy"  of a classifier of the target that is trained on the rows, on test records
///   "TV3", "L1" the mean over all marginals of three columns of half the L1 distance to the
///               records that the rows are made of, and of the distance itself
/// and for the groups of each division:
///   "means parity"       audit/means_parity.h over all columns whose values are numbers, codes
///                        among them: the parity error
///   "largest disparity"  the same: the largest relative error of any group in any column
///   "demographic parity ratio", "demographic parity difference", "false negative rate difference"
///                        of the classifier; the ratio is 1 where nobody is predicted positive
///   "TV3 parity", "L1 parity"  audit/marginal_parity.h: the parity error, and twice that
///   "printed means parity", "printed L1 parity"  the same as the paper prints them, omega one over
///               the number of groups; of runs that ask for them (has_printed_parity)
bool is_synthesis_metric(std::string_view name, bool has_printed_parity);

/// What values of a run's points are: metrics, those of a division with its columns, "TV3 parity
/// by SEX,RAC1P".
std::vector<std::string> synthesis_columns(const ReproductionSynthesis& synthesis);

/// The columns of a metric that are reported of a method. One that is made by strata is compared in
/// these groups, others in those of all divisions; of the records themselves there are classifiers
/// alone.
std::vector<std::string> columns_of_metric(const ReproductionSynthesis& synthesis,
                                           const SynthesisMethod& method,
                                           const std::string& metric);

/// Fits of synthesizers to a random part of a table, evaluated against that part; the rest tests
/// classifiers. Seeds are of the parts, of noise and of rows. NOT PRIVATE. Pre: what it is given
/// outlives it. Errors: kInput (files, columns).
std::unique_ptr<ExperimentRuns> open_synthesis_runs(const ItemHeader& item,
                                                    const ReproductionSynthesis& synthesis,
                                                    const std::filesystem::path& folder);

}  // namespace equinoise
