#include "equinoise/train/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/flag_list.h"
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

constexpr std::string_view kBatches = "--batch-size";
constexpr std::string_view kClip = "--max-grad-norm";
/// A step from one model to the next (Iterates).
constexpr std::string_view kSteps =
    "--optimizer --momentum --beta1 --beta2 --adam-epsilon --learning-rate --final-learning-rate "
    "--tail-average";
/// Budgets of groups.
constexpr std::string_view kSplit =
    "--split --max-share --stage1-fraction --feature-norm-bound --residual-clip --box";
constexpr std::string_view kGroupLoss = "--group-loss-multiplier --group-loss-bound";
/// Constraints, and the noise on what they follow.
constexpr std::string_view kRates =
    "--dual-learning-rate --max-multiplier --multipliers --histogram --histogram-decay "
    "--inverse-temperature --push-limit --clip-allowance";
constexpr std::string_view kRateNoise = "--histogram-noise --histogram-noise-multiplier";

constexpr std::array kRows = {
    TrainingMethodRow{"dpsgd",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AbadiEtAl2016",
                      "per-sample clipping and Gaussian noise on Poisson batches",
                      {kBatches, kSteps, kClip},
                      make<DpSgd>},
    TrainingMethodRow{"dpsgd_global",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "BuEtAl2021",
                      "one scale for all gradients, what is longer than a strict bound is dropped",
                      {kBatches, kSteps, kClip, "--strict-bound"},
                      make<DpSgdGlobal>},
    TrainingMethodRow{
        "dpsgd_global_adapt",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "EsipovaEtAl2023",
        "one scale for all gradients that follows a noisy count of long ones",
        {kBatches, kSteps, kClip,
         "--strict-bound --strict-bound-learning-rate --threshold --count-noise-multiplier"},
        make<DpSgdGlobalAdapt>},
    TrainingMethodRow{
        "dpsgd_f",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "XuDuWu2021",
        "a clipping threshold for each group that follows its noisy count of long "
        "gradients",
        {kBatches, kSteps, kClip, "--count-noise-multiplier --thresholds --max-threshold"},
        make<DpSgdF>},
    TrainingMethodRow{"group_weighted",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpsgd with a weight, a clip and a privacy cost of its own for each group",
                      {kBatches, kSteps, kClip, "--group-weight --group-clip --group-epsilon"},
                      make<GroupWeighted>},
    TrainingMethodRow{"balanced",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpsgd in which all groups count alike, however few they are",
                      {kBatches, kSteps, kClip, "--group-clip --group-epsilon"},
                      make<Balanced>},
    TrainingMethodRow{"decoupled",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "DworkEtAl2018",
                      "dpsgd of one linear model for each group, each with the whole budget",
                      {kBatches, kSteps, kClip},
                      make<Decoupled>},
    TrainingMethodRow{
        "dpse",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "AlabiWiggins2024",
        "descent along answers about each group, each with a budget of its own: the "
        "split helps nobody, the bounded group loss does",
        {kSteps, kClip, kSplit, kGroupLoss, "--group-objective --group-loss-clip --mean-runs"},
        make<Dpse>},
    TrainingMethodRow{"dpnose",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "noisy gradient descent on all records, which knows no groups; dpse's "
                      "baseline",
                      {kSteps, kClip},
                      make<Dpnose>},
    TrainingMethodRow{"dpse_alg3",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpse in which every group pays its share alone, as printed: more noise for "
                      "all than dpnose; for comparison only",
                      {kSteps, kClip, kSplit},
                      make<DpseAlg3>},
    TrainingMethodRow{"dpse_printed_alg2",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "dpse with the printed noise, too large by the size of each group: hardly "
                      "more than noise, charged for what it is; for comparison only",
                      {kSteps, kClip, kSplit, kGroupLoss, "--group-loss-clip"},
                      make<DpsePrintedAlg2>},
    TrainingMethodRow{
        "mgr_w",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "ZhouBassily2024",
        "lowers the largest loss of any group: batches of all records, groups weighed "
        "by noisy losses",
        {kBatches, kSteps, kClip,
         "--loss-bound --group-learning-rate --loss-share --group-batch-size --radius"},
        make<MgrW>},
    TrainingMethodRow{
        "mgr",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "ZhouBassily2024",
        "the same with one group for each step, drawn by its weight; mgr_w is better",
        {kBatches, kSteps, kClip,
         "--loss-bound --group-learning-rate --loss-share --group-batch-size --radius"},
        make<Mgr>},
    TrainingMethodRow{"ags",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "ZhouBassily2024",
                      "the same with a group of large loss for each step, chosen privately; mgr_w "
                      "is better",
                      {kBatches, kSteps, kClip,
                       "--loss-bound --loss-share --group-batch-size --radius --selection"},
                      make<Ags>},
    TrainingMethodRow{"phased_erm",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "ZhouBassily2024",
                      "the same by exact minimisers on disjoint chunks, each released with noise; "
                      "for comparison",
                      {"--radius --phase-step --feature-bound"},
                      make<PhasedErm>},
    TrainingMethodRow{
        "oco_exp3",
        PrivacyStatus::kPrivate,
        Maturity::kExperimental,
        "ZhouBassily2024",
        "the same by an online learner and a bandit that read each record once; takes "
        "groups as public; for comparison",
        {kClip,
         "--learning-rate --loss-bound --group-learning-rate --radius --exploration --online"},
        make<OcoExp3>},
    TrainingMethodRow{"raco_dp",
                      PrivacyStatus::kPrivate,
                      Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "dpsgd under rate constraints, which follow a noisy histogram of each "
                      "batch's predictions",
                      {kBatches, kSteps, kClip, kRates, kRateNoise},
                      make<RacoDp>},
    TrainingMethodRow{"fairlens",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "dpsgd with penalties on what clipping and noise do to groups, which follow "
                      "all records of a batch; for comparison only",
                      {kBatches, kSteps, kClip, "--clipping-penalty --boundary-penalty"},
                      make<FairLens>},
    TrainingMethodRow{"magnitude_error",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "plain SGD with the length that clipping leaves of a batch's gradient; for "
                      "comparison only",
                      {kBatches, kSteps, kClip},
                      make<MagnitudeError>},
    TrainingMethodRow{"direction_error",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "EsipovaEtAl2023",
                      "plain SGD with the direction that clipping gives a batch's gradient; for "
                      "comparison only",
                      {kBatches, kSteps, kClip},
                      make<DirectionError>},
    TrainingMethodRow{"sgd",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "RobbinsMonro1951",
                      "plain SGD on Poisson batches, the non-private reference",
                      {kBatches, kSteps},
                      make<Sgd>},
    TrainingMethodRow{"dpse_alg5",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "gradient descent under bounded group loss with falling steps, dpse's "
                      "non-private reference",
                      {kSteps, kGroupLoss, "--group-objective"},
                      make<DpseAlg5>},
    TrainingMethodRow{"dpse_alg6",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "AlabiWiggins2024",
                      "the same with steps of one length, for smooth losses",
                      {kSteps, kGroupLoss, "--group-objective"},
                      make<DpseAlg6>},
    TrainingMethodRow{"sgda",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "raco_dp without clipping and noise, the non-private reference under rate "
                      "constraints",
                      {kBatches, kSteps, kClip, kRates},
                      make<Sgda>},
    TrainingMethodRow{"raco_clipping",
                      PrivacyStatus::kNotPrivate,
                      Maturity::kExperimental,
                      "YaghiniEtAl2025",
                      "raco_dp without noise, what its clip does to constraints; for comparison "
                      "only",
                      {kBatches, kSteps, kClip, kRates},
                      make<RacoClipping>},
};

}  // namespace

bool TrainingMethodRow::follows(std::string_view flag) const {
  return std::any_of(options.begin(), options.end(),
                     [&](std::string_view flags) { return lists_flag(flags, flag); });
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
