// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

const std::vector<TrainingMethodRow>& rows() {
  static const std::vector<TrainingMethodRow> rows = {dpsgd_row(),
                                                      dpsgd_global_row(),
                                                      dpsgd_global_adapt_row(),
                                                      dpsgd_f_row(),
                                                      group_weighted_row(),
                                                      balanced_row(),
                                                      two_stage_row(),
                                                      decoupled_row(),
                                                      dpse_row(),
                                                      dpnose_row(),
                                                      dpse_alg3_row(),
                                                      dpse_printed_alg2_row(),
                                                      sufficient_statistics_row(),
                                                      noisy_newton_row(),
                                                      group_statistics_row(),
                                                      dpgam_row(),
                                                      mgr_w_row(),
                                                      mgr_row(),
                                                      ags_row(),
                                                      phased_erm_row(),
                                                      oco_exp3_row(),
                                                      raco_dp_row(),
                                                      dp_fermi_row(),
                                                      dp_lagrangian_row(),
                                                      dp_postprocess_row(),
                                                      fairlens_row(),
                                                      magnitude_error_row(),
                                                      direction_error_row(),
                                                      sgd_row(),
                                                      gam_row(),
                                                      group_dro_row(),
                                                      minimax_row(),
                                                      dpse_alg5_row(),
                                                      dpse_alg6_row(),
                                                      sgda_row(),
                                                      raco_clipping_row()};
  return rows;
}

}  // namespace

bool TrainingMethodRow::follows(std::string_view option) const {
  return has_option<TrainingConfig>(options(), option);
}

TrainingConfig TrainingMethodRow::followed(TrainingConfig config) const {
  for (const TrainingOption& option : training_options())
    if (!follows(option.facts.name)) copy_value<TrainingConfig>(option, {}, config);
  return config;
}

void check_followed(std::string_view where, const TrainingMethodRow& row,
                    const TrainingConfig& config) {
  for (const TrainingOption& option : training_options()) {
    const std::string_view name = option.facts.name;
    if (row.follows(name) || has_option<TrainingConfig>(noisy_gradient_options(), name)) continue;
    if (changed_flags<TrainingConfig>({&option, 1}, config, {}).empty()) continue;
    std::vector<std::string_view> users;
    for (const TrainingMethodRow& other : rows())
      if (other.follows(name)) users.push_back(other.name);
    throw Error(ErrorKind::kUsage, where, "{} has no effect with {}; only {} use it", name,
                row.name, fmt::join(users, ", "));
  }
}

const TrainingOptions& training_options() {
  static const TrainingOptions all = options_of_rows<TrainingConfig>(rows());
  return all;
}

std::span<const TrainingMethodRow> training_methods() { return rows(); }

const TrainingMethodRow& find_training_method(std::string_view name) {
  return find_row(rows(), "train.registry", "method", name);
}

}  // namespace equinoise
