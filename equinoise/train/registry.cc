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

template <typename Method>
std::unique_ptr<TrainingMethod> make() {
  return std::make_unique<Method>();
}

constexpr std::array kRows = {
    TrainingMethodRow{"dpsgd", PrivacyStatus::kPrivate, "AbadiEtAl2016",
                      "per-sample clipping and Gaussian noise on Poisson batches", make<DpSgd>},
    TrainingMethodRow{
        "dpsgd_global", PrivacyStatus::kPrivate, "BuEtAl2021",
        "dpsgd with one scale for all gradients; gradients longer than a strict bound are dropped",
        make<DpSgdGlobal>},
    TrainingMethodRow{
        "dpsgd_global_adapt", PrivacyStatus::kPrivate, "EsipovaEtAl2023",
        "dpsgd with one scale for all gradients, which follows a noisy count of long gradients",
        make<DpSgdGlobalAdapt>},
    TrainingMethodRow{"dpsgd_f", PrivacyStatus::kPrivate, "XuDuWu2021",
                      "dpsgd with a clipping threshold for each group, which follows its noisy "
                      "count of long gradients",
                      make<DpSgdF>},
    TrainingMethodRow{"group_weighted", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "dpsgd with a weight, a clip and a privacy cost of its own for each group",
                      make<GroupWeighted>},
    TrainingMethodRow{"balanced", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "dpsgd in which all groups count equally, however small they are",
                      make<Balanced>},
    TrainingMethodRow{"two_stage", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "dpsgd whose later steps weigh groups by their noisy losses after the first "
                      "ones; any model",
                      make<TwoStage>},
    TrainingMethodRow{"decoupled", PrivacyStatus::kPrivate, "DworkEtAl2018",
                      "dpsgd of one linear model for each group, each with the whole budget",
                      make<Decoupled>},
    TrainingMethodRow{"dpse", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "descent on noisy answers about each group, each with its own budget; the "
                      "split helps no group, but the bounded group loss does",
                      make<Dpse>},
    TrainingMethodRow{"dpnose", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "noisy gradient descent on all records without groups, the baseline of dpse",
                      make<Dpnose>},
    TrainingMethodRow{"dpse_alg3", PrivacyStatus::kPrivate, "AlabiWiggins2024",
                      "dpse in which every group pays its own share, as printed in the paper: more "
                      "noise for all than dpnose; for comparison only",
                      make<DpseAlg3>},
    TrainingMethodRow{
        "dpse_printed_alg2", PrivacyStatus::kPrivate, "AlabiWiggins2024",
        "dpse with the noise printed in the paper, too large by a factor of the group's size, and "
        "charged accordingly; the result is mostly noise; for comparison only",
        make<DpsePrintedAlg2>},
    TrainingMethodRow{"sufficient_statistics", PrivacyStatus::kPrivate, "Wang2018",
                      "linear regression from one release of the sums that least squares needs, "
                      "with slopes shrunk by what noise hides",
                      make<SufficientStatistics>},
    TrainingMethodRow{"noisy_newton", PrivacyStatus::kPrivate, "AvellaMedinaEtAl2023",
                      "logistic regression in a few Newton steps along noisy gradients and second "
                      "derivatives of all records, with slopes shrunk by what noise hides",
                      make<NoisyNewton>},
    TrainingMethodRow{"group_statistics", PrivacyStatus::kPrivate, "Wang2018",
                      "sufficient_statistics of each group: one regression that weighs groups as "
                      "its aim asks, and how it fits each",
                      make<GroupStatistics>},
    TrainingMethodRow{"dpgam", PrivacyStatus::kPrivate, "NoriEtAl2021",
                      "an additive model of bins that noisy histograms decide, by descent along "
                      "noisy gradients of all records",
                      make<DpGam>},
    TrainingMethodRow{"mgr_w", PrivacyStatus::kPrivate, "ZhouBassily2024",
                      "training that lowers the largest loss of any group, on batches of all "
                      "records with groups weighted by noisy losses",
                      make<MgrW>},
    TrainingMethodRow{
        "mgr", PrivacyStatus::kPrivate, "ZhouBassily2024",
        "mgr_w with a single group in each step, drawn by its weight; mgr_w is better", make<Mgr>},
    TrainingMethodRow{
        "ags", PrivacyStatus::kPrivate, "ZhouBassily2024",
        "mgr_w with a single group of large loss in each step, chosen privately; mgr_w is better",
        make<Ags>},
    TrainingMethodRow{"phased_erm", PrivacyStatus::kPrivate, "ZhouBassily2024",
                      "training that lowers the largest loss of any group by exact minimisers on "
                      "disjoint chunks, each released with noise; for comparison",
                      make<PhasedErm>},
    TrainingMethodRow{
        "oco_exp3", PrivacyStatus::kPrivate, "ZhouBassily2024",
        "training that lowers the largest loss of any group by an online learner and a bandit that "
        "read each record once; treats groups as public; for comparison",
        make<OcoExp3>},
    TrainingMethodRow{
        "raco_dp", PrivacyStatus::kPrivate, "YaghiniEtAl2025",
        "dpsgd under rate constraints, evaluated on a noisy histogram of each batch's predictions",
        make<RacoDp>},
    TrainingMethodRow{
        "dp_fermi", PrivacyStatus::kPrivate, "LowyEtAl2023",
        "dpsgd with a penalty on what predictions tell of groups; raco_dp bounds that instead",
        make<DpFermi>},
    TrainingMethodRow{"dp_lagrangian", PrivacyStatus::kPrivate, "TranFiorettoVanHentenryck2021",
                      "dpsgd under rate constraints whose multipliers move between intervals of "
                      "many steps; for comparison",
                      make<DpLagrangian>},
    TrainingMethodRow{"dp_postprocess", PrivacyStatus::kPrivate, "JagielskiEtAl2019",
                      "dpsgd, then a threshold for each group from one noisy histogram of scores, "
                      "so that rate constraints hold",
                      make<DpPostprocess>},
    TrainingMethodRow{"fairlens", PrivacyStatus::kNotPrivate, "EsipovaEtAl2023",
                      "dpsgd with penalties on the effects of clipping and noise on groups, which "
                      "depend on all records of a batch; for comparison only",
                      make<FairLens>},
    TrainingMethodRow{
        "magnitude_error", PrivacyStatus::kNotPrivate, "EsipovaEtAl2023",
        "plain SGD with the length of a batch's gradient after clipping; for comparison only",
        make<MagnitudeError>},
    TrainingMethodRow{
        "direction_error", PrivacyStatus::kNotPrivate, "EsipovaEtAl2023",
        "plain SGD with the direction of a batch's gradient after clipping; for comparison only",
        make<DirectionError>},
    TrainingMethodRow{"sgd", PrivacyStatus::kNotPrivate, "RobbinsMonro1951",
                      "plain SGD on Poisson batches, the non-private reference", make<Sgd>},
    TrainingMethodRow{"gam", PrivacyStatus::kNotPrivate, "NoriEtAl2021",
                      "dpgam without noise, its non-private reference", make<Gam>},
    TrainingMethodRow{
        "group_dro", PrivacyStatus::kNotPrivate, "SagawaEtAl2020",
        "training that lowers the largest loss of any group without clipping and noise, the "
        "non-private reference of mgr_w, mgr and ags",
        make<GroupDro>},
    TrainingMethodRow{
        "minimax", PrivacyStatus::kNotPrivate, "ZhouBassily2024",
        "the least largest loss of any group of all records, with bounds that certify "
        "it, of models with convex losses",
        make<Minimax>},
    TrainingMethodRow{"dpse_alg5", PrivacyStatus::kNotPrivate, "AlabiWiggins2024",
                      "gradient descent under bounded group loss with decreasing steps, the "
                      "non-private reference of dpse",
                      make<DpseAlg5>},
    TrainingMethodRow{
        "dpse_alg6", PrivacyStatus::kNotPrivate, "AlabiWiggins2024",
        "gradient descent under bounded group loss with constant steps, for smooth losses",
        make<DpseAlg6>},
    TrainingMethodRow{"sgda", PrivacyStatus::kNotPrivate, "YaghiniEtAl2025",
                      "raco_dp without clipping and noise, the non-private reference under rate "
                      "constraints",
                      make<Sgda>},
    TrainingMethodRow{
        "raco_clipping", PrivacyStatus::kNotPrivate, "YaghiniEtAl2025",
        "raco_dp without noise, to show the effect of its clip on constraints; for comparison only",
        make<RacoClipping>},
};

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
