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

/// Groups with fewer held-out records than this in one of the splits count neither as the worst
/// group nor in the gap: chance would decide which is worst. About 300 of all records.
inline constexpr int64_t kMinHeldOut = 75;

/// What the error of a model is.
enum class CompareMetric {
  kError,  ///< share of wrong classes, or mean squared error over that of the held-out mean
  kLoss,   ///< mean of the model's loss
  kAuc,    ///< of two classes, 1 less the area under the ROC curve
};
inline constexpr EnumWords<CompareMetric, 3> kCompareMetrics = {{{CompareMetric::kError, "error"},
                                                                 {CompareMetric::kLoss, "loss"},
                                                                 {CompareMetric::kAuc, "auc"}}};

/// Refuses a metric that no model of that kind (of models/registry.h, or auto) has for the target.
/// Errors: kUsage.
void require_metric(CompareMetric metric, const Schema& schema, std::string_view model);

/// "share of held-out records with a wrong income".
std::string metric_in_words(CompareMetric metric, const Schema& schema);

/// What is true of the held-out records of one split, whatever the method; where the table has
/// units of several rows each counts as one (weigh_by_units).
struct HeldOutFacts {
  std::vector<int64_t> group_sizes;  ///< (groups of all groupings) records or units that contribute
  double target_variance = 0;        ///< of a numeric target, about its mean; in its own units
  double target_divisor = 1;         ///< of a numeric target: losses are of targets over it
  std::vector<double> class_shares;  ///< (classes); empty where nobody contributes
};

/// Of each grouping only the columns are read. held_out: records, or units.
HeldOutFacts held_out_facts(const Dataset& table, const Schema& schema,
                            std::span<const Grouping> groupings, const GroupFloor& floor,
                            std::vector<uint32_t> held_out);

/// The error of the best constant prediction by a model of that kind; NaN where undefined.
double constant_error(CompareMetric metric, const HeldOutFacts& facts, std::string_view model);

/// The errors of a run and how it keeps constraints, of a CompareRun nothing else.
CompareRun figures_of_run(CompareMetric metric, const TrainingReport& report,
                          const HeldOutFacts& facts);

}  // namespace equinoise
