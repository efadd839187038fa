// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/train/methods/ags.h"
#include "equinoise/train/methods/clipping_error.h"
#include "equinoise/train/methods/decoupled.h"
#include "equinoise/train/methods/dp_fermi.h"
#include "equinoise/train/methods/dp_lagrangian.h"
#include "equinoise/train/methods/dp_postprocess.h"
#include "equinoise/train/methods/dpgam.h"
#include "equinoise/train/methods/dpnose.h"
#include "equinoise/train/methods/dpse.h"
#include "equinoise/train/methods/dpsgd.h"
#include "equinoise/train/methods/dpsgd_f.h"
#include "equinoise/train/methods/dpsgd_global.h"
#include "equinoise/train/methods/dpsgd_global_adapt.h"
#include "equinoise/train/methods/fairlens.h"
#include "equinoise/train/methods/group_dro.h"
#include "equinoise/train/methods/group_loss_gd.h"
#include "equinoise/train/methods/group_statistics.h"
#include "equinoise/train/methods/group_weighted.h"
#include "equinoise/train/methods/mgr.h"
#include "equinoise/train/methods/mgr_w.h"
#include "equinoise/train/methods/minimax.h"
#include "equinoise/train/methods/noisy_newton.h"
#include "equinoise/train/methods/oco_exp3.h"
#include "equinoise/train/methods/phased_erm.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/methods/sgd.h"
#include "equinoise/train/methods/sgda.h"
#include "equinoise/train/methods/sufficient_statistics.h"
#include "equinoise/train/methods/two_stage.h"

namespace equinoise {

namespace {

template <typename... Methods>
constexpr std::array<TrainingMethodRow, sizeof...(Methods)> rows_of() {
  return {{{Methods::kTraits,
            []() -> std::unique_ptr<TrainingMethod> { return std::make_unique<Methods>(); }}...}};
}

constexpr auto kRows =
    rows_of<DpSgd, DpSgdGlobal, DpSgdGlobalAdapt, DpSgdF, GroupWeighted, Balanced, TwoStage,
            Decoupled, Dpse, Dpnose, DpseAlg3, DpsePrintedAlg2, SufficientStatistics, NoisyNewton,
            GroupStatistics, DpGam, MgrW, Mgr, Ags, PhasedErm, OcoExp3, RacoDp, DpFermi,
            DpLagrangian, DpPostprocess, FairLens, MagnitudeError, DirectionError, Sgd, Gam,
            GroupDro, Minimax, DpseAlg5, DpseAlg6, Sgda, RacoClipping>();

/// Whether each class has traits of its own and not those of the class it extends.
constexpr bool have_names_of_their_own() {
  for (size_t i = 0; i < kRows.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (kRows[i].name == kRows[j].name) return false;
  return true;
}
static_assert(have_names_of_their_own());

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
    for (const TrainingMethodRow& other : kRows)
      if (other.follows(name)) users.push_back(other.name);
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} has no effect with {}; only {} use it", name, row.name,
                            fmt::join(users, ", ")));
  }
}

const TrainingOptions& training_options() {
  static const TrainingOptions all = options_of_rows<TrainingConfig>(kRows);
  return all;
}

std::span<const TrainingMethodRow> training_methods() { return kRows; }

const TrainingMethodRow& find_training_method(std::string_view name) {
  std::vector<std::string> names;
  for (const TrainingMethodRow& row : kRows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, "train.registry",
              nearest.empty()
                  ? fmt::format("there is no method \"{}\"; equinoise methods lists them", name)
                  : fmt::format("there is no method \"{}\"; did you mean \"{}\"?", name, nearest));
}

}  // namespace equinoise
