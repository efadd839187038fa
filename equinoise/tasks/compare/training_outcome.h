// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// Groups with fewer held-out records in one of the splits count neither as the worst group nor in
/// the gap, because chance would decide which is worst. About 300 of all records.
inline constexpr int64_t kMinHeldOut = 75;

/// The definition of a model's error.
enum class CompareMetric {
  kError,  ///< share of wrong classes, or mean squared error over that of the held-out mean
  kLoss,   ///< mean of the model's loss
  kAuc,    ///< for two classes, 1 - area under the ROC curve
};
inline constexpr EnumWords<CompareMetric, 3> kCompareMetrics = {{{CompareMetric::kError, "error"},
                                                                 {CompareMetric::kLoss, "loss"},
                                                                 {CompareMetric::kAuc, "auc"}}};

/// Refuses a metric that is undefined for the target and that kind of model (of models/registry.h,
/// or auto). Errors: kUsage.
void require_metric(CompareMetric metric, const Schema& schema, std::string_view model);

/// "share of held-out records with a wrong income".
std::string metric_in_words(CompareMetric metric, const Schema& schema);

/// Facts about the held-out records of one split, independent of the method. If the table has units
/// of several rows, each unit counts as one (weigh_by_units).
struct HeldOutFacts {
  std::vector<int64_t> group_sizes;  ///< (groups of all groupings) records or units that contribute
  double target_variance = 0;        ///< for a numeric target, about its mean; in its own units
  double target_divisor = 1;         ///< for a numeric target: losses are of targets divided by it
  std::vector<double> class_shares;  ///< (classes); empty without contributing records
};

/// Uses only the columns of each grouping. held_out: records, or units.
HeldOutFacts held_out_facts(const Dataset& table, const Schema& schema,
                            std::span<const Grouping> groupings, const GroupFloor& floor,
                            std::vector<uint32_t> held_out);

/// The error of the best constant prediction by a model of that kind; NaN if undefined.
double constant_error(CompareMetric metric, const HeldOutFacts& facts, std::string_view model);

/// The errors, also by the other metrics, and constraint values of a run; other fields of the
/// CompareRun are not set.
CompareRun figures_of_run(CompareMetric metric, const TrainingReport& report,
                          const HeldOutFacts& facts);

}  // namespace equinoise
