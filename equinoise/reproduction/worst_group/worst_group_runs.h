// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

/// One problem of an experiment on worst-group risk.
struct WorstGroupCell {
  std::string name;  ///< its distinct terms: "base", "p=2 K=5000"
  double num_groups = 0;
  double num_records = 0;
  double num_features = 0;
  double epsilon = 1;
};

/// The method of finding parameters.
struct WorstGroupMethod {
  enum class Kind {
    kTrained,  ///< a registered method with calibrated noise
    kPrinted,  ///< mgr with the printed noise (printed_noise.h)
    kAverage,  ///< the minimiser of the mean loss, without privacy
    kMinimax,  ///< the minimiser of the largest loss, without privacy
    kZero,     ///< parameters 0
  };
  Kind kind = Kind::kTrained;
  std::string training;                                ///< the registered method
  GroupSelection selection = GroupSelection::kGumbel;  ///< of ags
  std::vector<double> loss_shares = {0.2};             ///< of the budget, for losses; tuned over

  /// Whether the registered method has that option.
  bool follows(std::string_view option) const {
    return !training.empty() && find_training_method(training).follows(option);
  }
};

/// The feature_bound of phased_erm, for features of norm 1 and the 1.
inline constexpr double kFeatureBound = 1.4143;

/// Problems that are drawn or those of a table, and the settings of methods on them.
struct ReproductionWorstGroup {
  std::vector<WorstGroupCell> cells;       ///< the first is the base
  std::vector<std::string> group_columns;  ///< of a table; empty: problems are drawn
  /// Categories of such a column that stay separate, while the others are merged; by column.
  std::map<std::string, std::vector<std::string>> kept;
  std::vector<std::string> metrics;    ///< is_worst_group_metric()
  std::vector<double> learning_rates;  ///< the candidates of tuning, as the next
  std::vector<double> group_learning_rates;
  std::vector<double> max_grad_norms = {1};  ///< the same, not for phased_erm, which never clips
  std::vector<double> phase_steps;           ///< of phased_erm, instead of learning_rates
  std::vector<double> online_rates;          ///< of oco_exp3, instead of learning_rates
  std::vector<double> online_group_rates;    ///< the same, instead of group_learning_rates
  int64_t num_tuning_draws = 2;
  int64_t num_steps = 200;
  double sample_rate = 0.2;
  double delta = 1e-5;
  double loss_bound = 2;
  std::vector<WorstGroupMethod> methods;
};

/// Returns whether a method in a cell has this metric:
/// - "excess": the largest mean loss of any group on the training records, minus the least possible
/// - "test loss": the largest mean loss of any group on other records
/// - "test error": the largest error of any group on them
/// - "overall error": the error of all of them
/// - "epsilon": the cost of the run if it were paid for, by pld
bool is_worst_group_metric(std::string_view name);

/// Worst-group risk of registered methods, unpaid, on drawn problems or on a table. Models are
/// logistic, with an intercept. A drawn problem has equal groups, features on the unit sphere and
/// labels with logit 3 sqrt(d) <w_i, x>. Here w_i = u except for the first group, whose w_i is -0.3
/// u + 0.95 v, u and v orthonormal. Learning rates are those with the least mean excess over tuning
/// draws, which are not among the seeds. NOT PRIVATE: seeded noise. Pre: the arguments outlive it.
/// Errors: kInput (files, columns).
std::unique_ptr<ExperimentRuns> open_worst_group_runs(const ItemHeader& item,
                                                      const ReproductionWorstGroup& settings,
                                                      const std::filesystem::path& folder);

}  // namespace equinoise
