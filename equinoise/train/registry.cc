// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/train/methods/ags.h"
#include "equinoise/train/methods/clipping_error.h"
#include "equinoise/train/methods/decoupled.h"
#include "equinoise/train/methods/dpnose.h"
#include "equinoise/train/methods/dpse.h"
#include "equinoise/train/methods/dpsgd.h"
#include "equinoise/train/methods/dpsgd_f.h"
#include "equinoise/train/methods/dpsgd_global.h"
#include "equinoise/train/methods/dpsgd_global_adapt.h"
#include "equinoise/train/methods/fairlens.h"
#include "equinoise/train/methods/group_loss_gd.h"
#include "equinoise/train/methods/group_weighted.h"
#include "equinoise/train/methods/mgr.h"
#include "equinoise/train/methods/mgr_w.h"
#include "equinoise/train/methods/oco_exp3.h"
#include "equinoise/train/methods/phased_erm.h"
#include "equinoise/train/methods/raco_dp.h"
#include "equinoise/train/methods/sgd.h"
#include "equinoise/train/methods/sgda.h"

namespace equinoise {

namespace {

template <typename Method>
std::unique_ptr<TrainingMethod> make() {
  return std::make_unique<Method>();
}

constexpr std::array kRows = {
    TrainingMethodRow{"dpsgd", PrivacyStatus::kPrivate, Maturity::kExperimental, "AbadiEtAl2016",
                      "per-sample clipping and Gaussian noise on Poisson batches", &DpSgd::options,
                      make<DpSgd>},
    TrainingMethodRow{"dpsgd_global", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "BuEtAl2021",
                      "one scale for all gradients, what is longer than a strict bound is dropped",
                      &DpSgdGlobal::options, make<DpSgdGlobal>},
    TrainingMethodRow{"dpsgd_global_adapt", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "one scale for all gradients that follows a noisy count of long ones",
                      &DpSgdGlobalAdapt::options, make<DpSgdGlobalAdapt>},
    TrainingMethodRow{"dpsgd_f", PrivacyStatus::kPrivate, Maturity::kExperimental, "XuDuWu2021",
                      "a clipping threshold for each group that follows its noisy count of long "
                      "gradients",
                      &DpSgdF::options, make<DpSgdF>},
    TrainingMethodRow{"group_weighted", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpsgd with a weight, a clip and a privacy cost of its own for each group",
                      &GroupWeighted::options, make<GroupWeighted>},
    TrainingMethodRow{"balanced", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpsgd in which all groups count alike, however few they are",
                      &Balanced::options, make<Balanced>},
    TrainingMethodRow{"decoupled", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "DworkEtAl2018",
                      "dpsgd of one linear model for each group, each with the whole budget",
                      &Decoupled::options, make<Decoupled>},
    TrainingMethodRow{"dpse", PrivacyStatus::kPrivate, Maturity::kExperimental, "AlabiWiggins2024",
                      "descent along answers about each group, each with a budget of its own: the "
                      "split helps nobody, the bounded group loss does",
                      &Dpse::options, make<Dpse>},
    TrainingMethodRow{"dpnose", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "noisy gradient descent on all records, which knows no groups; dpse's "
                      "baseline",
                      &Dpnose::options, make<Dpnose>},
    TrainingMethodRow{"dpse_alg3", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpse in which every group pays its share alone, as printed: more noise for "
                      "all than dpnose; for comparison only",
                      &DpseAlg3::options, make<DpseAlg3>},
    TrainingMethodRow{"dpse_printed_alg2", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpse with the printed noise, too large by the size of each group: hardly "
                      "more than noise, charged for what it is; for comparison only",
                      &DpsePrintedAlg2::options, make<DpsePrintedAlg2>},
    TrainingMethodRow{
        "mgr_w", PrivacyStatus::kPrivate, Maturity::kExperimental, "ZhouBassily2024",
        "lowers the largest loss of any group: batches of all records, groups weighed "
        "by noisy losses",
        &MgrW::options, make<MgrW>},
    TrainingMethodRow{"mgr", PrivacyStatus::kPrivate, Maturity::kExperimental, "ZhouBassily2024",
                      "the same with one group for each step, drawn by its weight; mgr_w is better",
                      &Mgr::options, make<Mgr>},
    TrainingMethodRow{"ags", PrivacyStatus::kPrivate, Maturity::kExperimental, "ZhouBassily2024",
                      "the same with a group of large loss for each step, chosen privately; mgr_w "
                      "is better",
                      &Ags::options, make<Ags>},
    TrainingMethodRow{"phased_erm", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "ZhouBassily2024",
                      "the same by exact minimisers on disjoint chunks, each released with noise; "
                      "for comparison",
                      &PhasedErm::options, make<PhasedErm>},
    TrainingMethodRow{
        "oco_exp3", PrivacyStatus::kPrivate, Maturity::kExperimental, "ZhouBassily2024",
        "the same by an online learner and a bandit that read each record once; takes "
        "groups as public; for comparison",
        &OcoExp3::options, make<OcoExp3>},
    TrainingMethodRow{"raco_dp", PrivacyStatus::kPrivate, Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "dpsgd under rate constraints, which follow a noisy histogram of each "
                      "batch's predictions",
                      &RacoDp::options, make<RacoDp>},
    TrainingMethodRow{"fairlens", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "dpsgd with penalties on what clipping and noise do to groups, which follow "
                      "all records of a batch; for comparison only",
                      &FairLens::options, make<FairLens>},
    TrainingMethodRow{"magnitude_error", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "plain SGD with the length that clipping leaves of a batch's gradient; for "
                      "comparison only",
                      &MagnitudeError::options, make<MagnitudeError>},
    TrainingMethodRow{"direction_error", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "plain SGD with the direction that clipping gives a batch's gradient; for "
                      "comparison only",
                      &DirectionError::options, make<DirectionError>},
    TrainingMethodRow{"sgd", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "RobbinsMonro1951", "plain SGD on Poisson batches, the non-private reference",
                      &Sgd::options, make<Sgd>},
    TrainingMethodRow{"dpse_alg5", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "gradient descent under bounded group loss with falling steps, dpse's "
                      "non-private reference",
                      &DpseAlg5::options, make<DpseAlg5>},
    TrainingMethodRow{"dpse_alg6", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "AlabiWiggins2024", "the same with steps of one length, for smooth losses",
                      &DpseAlg6::options, make<DpseAlg6>},
    TrainingMethodRow{"sgda", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "raco_dp without clipping and noise, the non-private reference under rate "
                      "constraints",
                      &Sgda::options, make<Sgda>},
    TrainingMethodRow{"raco_clipping", PrivacyStatus::kNotPrivate, Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "raco_dp without noise, what its clip does to constraints; for comparison "
                      "only",
                      &RacoClipping::options, make<RacoClipping>},
};

}  // namespace

bool TrainingMethodRow::follows(std::string_view option) const {
  return has_option<TrainingConfig>(options(), option);
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
