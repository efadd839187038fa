// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/record_scale.h"

#include <algorithm>
#include <cmath>

#include "equinoise/train/methods/options.h"
namespace equinoise {

size_t num_features(const TrainingFacts& facts) { return facts.num_parameters - 1; }

double typical_feature_norm(const TrainingFacts& facts) {
  const double with_constant = facts.row_norm * facts.row_norm;
  return std::sqrt(with_constant > 1
                       ? with_constant - 1
                       : static_cast<double>(std::max<size_t>(1, num_features(facts))));
}

double usual_row_bound(const TrainingFacts& facts) { return 1.1 * typical_feature_norm(facts); }

const TrainingOptions& row_bound_options() {
  static const TrainingOptions options = {
      {{.name = "row_bound",
        .help =
            "Norm of a record's features, from their middles and in half widths of their bounds "
            "or in standard deviations, beyond which it counts less",
        .range = between(1e-6, 1e6),
        .derived = "1.1 times the typical norm of features",
        .section = "Regression"},
       kOwnTrainingField<&MomentOptions::row_bound>}};
  return options;
}

double row_bound_of(const TrainingConfig& config, const TrainingFacts& facts) {
  return config.own.of<MomentOptions>().row_bound.value_or(usual_row_bound(facts));
}

}  // namespace equinoise
