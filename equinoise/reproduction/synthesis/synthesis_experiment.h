#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item.h"

namespace equinoise {

/// What can be told of synthetic rows:
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
bool is_synthesis_metric(std::string_view name);

/// What values of a run's points are: metrics, those of a division with its columns, "TV3 parity
/// by SEX,RAC1P".
std::vector<std::string> synthesis_columns(const ReproductionSynthesis& synthesis);

/// The columns of a metric that a method is told with: one that is made by strata is compared in
/// these groups, others in those of all divisions; of the records themselves there are classifiers
/// alone.
std::vector<std::string> told_columns(const ReproductionSynthesis& synthesis,
                                      const SynthesisMethod& method, const std::string& metric);

/// Fits of synthesizers to a random part of a table, evaluated against that part; the rest tests
/// classifiers. Seeds are of the parts, of noise and of rows. NOT PRIVATE. Errors: kInput (files,
/// columns).
std::unique_ptr<Experiment> open_synthesis_experiment(const ReproductionItem& item,
                                                      const std::filesystem::path& folder);

}  // namespace equinoise
