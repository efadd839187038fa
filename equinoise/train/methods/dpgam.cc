// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/additive.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/additive/column_histograms.h"
#include "equinoise/train/additive/pair_screening.h"
#include "equinoise/train/additive/pair_terms.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.dpgam";

/// The limit for the noise of all rounds together: samplers can draw it for histograms of thousands
/// of columns, and it is far too large to learn anything.
constexpr double kLargestNoise = 10'000;

/// The share of what histograms leave of the budget, as precision, for the choice of pairs.
constexpr double kShareOfPairs = 0.125;
constexpr size_t kMaxPairs = 8;

/// The least number of rounds at which pairs are chosen.
constexpr int64_t kMinRounds = 10;

/// After this part of the rounds columns that noise hides are left out.
constexpr int64_t kRoundsToFirst = 5;

/// The pairs that get a term.
struct PairUse {
  bool is_screened = false;                  ///< chosen by a noisy answer
  std::vector<std::array<size_t, 2>> named;  ///< columns, by the user
};

/// The columns of "age*sex"; a name may hold a star itself.
std::array<size_t, 2> columns_of(const std::string& word, std::span<const std::string> columns) {
  const auto find = [&](std::string_view name) {
    return static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  for (size_t at = word.find('*'); at != word.npos; at = word.find('*', at + 1)) {
    const size_t first = find(std::string_view(word).substr(0, at));
    const size_t second = find(std::string_view(word).substr(at + 1));
    if (first < columns.size() && second < columns.size() && first != second)
      return {first, second};
  }
  if (word == "auto" || word == "none")
    throw Error(
        ErrorKind::kUsage, kWhere,
        "--pairs: auto and none stand alone; give one of them, or only pairs such as age*sex");
  constexpr size_t kMaxNames = 12;
  const auto names = columns.first(std::min(kMaxNames, columns.size()));
  throw Error(ErrorKind::kUsage, kWhere,
              "--pairs {}: give two different features as age*sex; the features are {}{}", word,
              fmt::join(names, ", "), names.size() < columns.size() ? ", ..." : "");
}

/// Scores of more classes follow their own gradients more slowly.
int64_t num_rounds_of(const TrainingConfig& config, const TrainingFacts& facts) {
  const double usual = facts.num_outputs > 1 ? 100 : 50;
  const double rounds = config.own.of<GamOptions>().rounds.value_or(usual);
  if (rounds != std::floor(rounds))
    throw Error(ErrorKind::kUsage, kWhere, fmt::format("--rounds {}: give a whole number", rounds));
  return static_cast<int64_t>(rounds);
}

PairUse pair_use(const TrainingConfig& config, const TrainingFacts& facts) {
  const auto& own = config.own.of<GamOptions>();
  const int64_t num_rounds = num_rounds_of(config, facts);
  const std::vector<double>& directions = facts.directions;
  PairUse use;
  if (own.pairs == std::vector<std::string>{"none"}) return use;
  if (own.pairs == std::vector<std::string>{"auto"}) {
    const auto num_monotone = static_cast<size_t>(
        std::ranges::count_if(directions, [](double direction) { return direction != 0; }));
    const bool has_pairs = facts.columns.empty() || facts.columns.size() >= 2 + num_monotone;
    use.is_screened =
        num_rounds >= kMinRounds && has_pairs && 4 * facts.num_outputs <= PairScreening::kMaxSums;
    return use;
  }
  if (num_rounds < kMinRounds)
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("--pairs needs at least {} --rounds", kMinRounds));
  for (const std::string& word : own.pairs) {
    std::array<size_t, 2> columns = columns_of(word, facts.columns);
    std::ranges::sort(columns);
    if (contains(use.named, columns))
      throw Error(ErrorKind::kUsage, kWhere, "--pairs {}: the pair is named twice; leave one out",
                  word);
    use.named.push_back(columns);
    for (const size_t column : use.named.back()) {
      if (column < directions.size() && directions[column] != 0)
        throw Error(
            ErrorKind::kUsage, kWhere,
            fmt::format(
                "--pairs {}: {} is monotone, which a pair would not keep; leave out the pair, or "
                "monotone in the schema",
                word, facts.columns[column]));
    }
  }
  return use;
}

/// The noise of each kind of release, in multiples of a record's largest change.
struct Noise {
  double of_counts = 0;  ///< 0: none
  double of_pairs = 0;
  double of_rounds = 0;  ///< of all rounds together
};

enum class Release { kHistograms, kPairs, kRound };

/// Adds the noise of a release to units of that sensitivity. round: of rounds, from 0.
using Draw = std::function<void(Release release, int64_t round, double sensitivity,
                                std::vector<int64_t>& units)>;

/// A record has one value of each column, within the column's block, as the sensitivity assumes.
void check_columns(const EncodedTable& table) {
  bool is_right = table.blocks.size() == table.num_active;
  for (int64_t record = 0; is_right && record < table.num_records; ++record) {
    const auto active = table.active_row(record);
    for (size_t c = 0; c < active.size(); ++c) {
      const uint32_t end = c + 1 < active.size() ? table.blocks[c + 1] : table.num_features;
      is_right = is_right && active[c] >= table.blocks[c] && active[c] < end;
    }
  }
  if (!is_right)
    throw Error(ErrorKind::kRuntime, kWhere, "the table does not say what its features are");
}

AdditiveDescentConfig descent_config(const TrainingRun& training, const TargetScale& target,
                                     double noise) {
  AdditiveDescentConfig config;
  config.num_scores = training.model.num_outputs();
  config.target = training.model.num_classes() == 0 ? AdditiveTarget::kNumber
                  : config.num_scores == 1          ? AdditiveTarget::kTwoClasses
                                                    : AdditiveTarget::kClasses;
  config.num_rounds = training.plan.config.num_steps;
  config.spread = target.spread;
  if (config.target == AdditiveTarget::kNumber) config.start = target.middle;
  config.noise = noise;
  config.threads = training.plan.config.threads;
  return config;
}

/// The rounds that pairs have: more for more pairs, because terms of columns are better for more
/// rounds, too. Between a tenth and a third of all, after which pairs are chosen.
int64_t rounds_of_pairs(int64_t num_rounds, size_t num_pairs, const AdditiveDesign& design) {
  const double of_pairs = 2 * static_cast<double>(num_pairs);  // cells and most often a line
  const double share = 2 * of_pairs / (of_pairs + static_cast<double>(design.parts().back()));
  return std::max(num_rounds / 10,
                  static_cast<int64_t>(std::min(share, 1.0 / 3) * static_cast<double>(num_rounds)));
}

class Fit {
 public:
  Fit(TrainingRun& training, const AdditiveModel& model, const Noise& noise, const Draw& draw)
      : training_(training),
        model_(model),
        noise_(noise),
        draw_(draw),
        num_records_(static_cast<double>(training.plan.facts.num_records)),
        directions_(training.plan.facts.directions),
        table_(model.in_cells(training.table)) {
    check_columns(table_);
    const ColumnHistograms histograms(model, table_, training.plan.facts.target);
    std::vector<int64_t> counts = histograms.count(table_, training.plan.config.threads);
    draw(Release::kHistograms, 0, histograms.sensitivity(), counts);
    design_.emplace(histograms.design(counts, noise.of_counts, num_records_));
    config_ = descent_config(training, histograms.target(counts, noise.of_counts, num_records_),
                             noise.of_rounds);
  }

  TrainedModel run() && {
    const bool has_monotone =
        std::ranges::any_of(directions_, [](double direction) { return direction != 0; });
    std::vector<AdditiveTerm> terms = design_->terms();
    const auto keep = [&](std::span<const double> at) {
      std::vector<double> parameters = design_->parameters(at, config_.num_scores);
      if (has_monotone) terms = design_->terms();
      for (size_t c = 0; c < directions_.size(); ++c)
        if (directions_[c] != 0) keep_monotone(terms[c], directions_[c], parameters);
      step_to(std::move(parameters), training_);
    };
    const int64_t num_rounds = config_.num_rounds;
    const int64_t first_round = num_rounds - num_rounds / 3;
    int64_t first_round_of_pairs = num_rounds;
    PairScreening::Choice choice;
    std::optional<AdditiveGradients> gradients;
    AdditiveState state;
    for (const int64_t end : {num_rounds / kRoundsToFirst, num_rounds}) {
      if (end == 0) continue;
      gradients.emplace(table_, *design_, config_, additive_length(*design_, config_));
      state =
          descend(*gradients, 0, std::move(state), [&](int64_t round, std::span<const double> at) {
            keep(at);
            if (round + 1 == first_round) {
              choice = choose_pairs(*gradients);
              if (!choice.pairs.empty())
                first_round_of_pairs -= rounds_of_pairs(num_rounds, choice.pairs.size(), *design_);
            }
            return round + 1 < std::min(end, first_round_of_pairs);
          });
      if (end < num_rounds) design_.emplace(without_hidden_parts(*gradients, state));
    }
    TrainedModel trained{.parameters = training_.start.parameters};
    trained.chosen = {
        {"num_features", static_cast<double>(std::ranges::count_if(
                             design_->squares(), [](double sum) { return sum > 0; }))}};
    if (config_.noise > 0)
      trained.chosen.emplace_back("signal", additive_signal(*design_, config_));
    trained.terms = std::move(terms);
    if (!choice.pairs.empty())
      add_pairs(choice, first_round_of_pairs, gradients->scores(trained.parameters), trained);
    return trained;
  }

 private:
  template <typename AfterRound>
  AdditiveState descend(const AdditiveGradients& gradients, int64_t first_round,
                        AdditiveState state, AfterRound after_round) const {
    return descend_additive(
        gradients,
        [&](int64_t round, std::vector<int64_t>& units) {
          draw_(Release::kRound, first_round + round, gradients.sensitivity(), units);
        },
        after_round, std::move(state));
  }

  PairScreening::Choice choose_pairs(const AdditiveGradients& gradients) const {
    const PairUse use = pair_use(training_.plan.config, training_.plan.facts);
    if (!use.is_screened) return {use.named, config_.spread * config_.spread};
    std::vector<ColumnFunctions> functions =
        screened_functions(model_, *design_, training_.start.parameters);
    for (size_t c = 0; c < directions_.size(); ++c)
      if (directions_[c] != 0) functions[c].clear();
    const PairScreening screening(table_, std::move(functions), config_, noise_.of_pairs);
    std::vector<int64_t> sums =
        screening.sum_up(gradients.residuals(gradients.scores(training_.start.parameters)));
    draw_(Release::kPairs, 0, screening.sensitivity(), sums);
    return screening.choose(sums, num_records_, kMaxPairs);
  }

  /// The rounds from the first one of pairs on. offsets: (records, scores) of single columns.
  void add_pairs(const PairScreening::Choice& choice, int64_t first_round,
                 std::vector<double> offsets, TrainedModel& trained) {
    const int64_t num_rounds = config_.num_rounds;
    config_.num_rounds = num_rounds - first_round;
    config_.noise *=
        std::sqrt(static_cast<double>(num_rounds) / static_cast<double>(config_.num_rounds));
    config_.start = 0;
    if (config_.target == AdditiveTarget::kNumber)
      config_.spread =
          std::clamp(std::sqrt(choice.mean_square), 0.02 * config_.spread, config_.spread);
    const PairTerms terms(model_, training_.table, *design_, trained.parameters, choice.pairs,
                          std::max(noise_.of_counts, 1.0));
    const AdditiveGradients gradients(terms.table(), terms.design(), config_,
                                      additive_length(terms.design(), config_), std::move(offsets));
    const AdditiveState state =
        descend(gradients, first_round, {}, [&](int64_t, std::span<const double>) {
          step_to(trained.parameters, training_);
          return true;
        });
    trained.parameters = terms.parameters(
        trained.parameters, terms.design().parameters(state.coefficients, config_.num_scores),
        config_.num_scores);
    trained.model = terms.model();
    std::ranges::move(terms.terms(), std::back_inserter(trained.terms));
  }

  TrainingRun& training_;
  const AdditiveModel& model_;
  Noise noise_;
  const Draw& draw_;
  double num_records_;
  std::vector<double> directions_;
  EncodedTable table_;  // in cells
  std::optional<AdditiveDesign> design_;
  AdditiveDescentConfig config_;
};

TrainedModel fit(TrainingRun& training, const Noise& noise, const Draw& draw) {
  const auto* model = dynamic_cast<const AdditiveModel*>(&training.model);
  if (model == nullptr || training.start.num_steps_done != 0 ||
      model->cells().size() != training.table.num_dense)
    throw Error(ErrorKind::kRuntime, kWhere, "this run cannot be started from here");
  return Fit(training, *model, noise, draw).run();
}

TrainingPlan plan_rounds(std::string_view method, const TrainingConfig& config,
                         const TrainingFacts& facts) {
  TrainingPlan plan =
      plan_full_batches(kWhere, method, config, facts, num_rounds_of(config, facts));
  plan.config.own.of<GamOptions>().rounds = static_cast<double>(plan.config.num_steps);
  plan.settings = {{"rounds", static_cast<double>(plan.config.num_steps)}};
  if (facts.num_outputs > 1 && !facts.directions.empty() &&
      facts.directions != std::vector<double>(facts.directions.size()))
    throw Error(ErrorKind::kUsage, kWhere,
                "columns can be monotone for a number or two classes; remove monotone from the "
                "schema");
  static_cast<void>(pair_use(plan.config, facts));  // refuses columns that it cannot take
  return plan;
}

Noise noise_of(const TrainingPlan& plan) {
  const double of_histograms = plan.config.own.of<GamOptions>().histogram_share;
  const double of_pairs = pair_use(plan.config, plan.facts).is_screened ? kShareOfPairs : 0;
  // Precisions of Gaussians add up.
  const double left = 1 - of_histograms;
  return {plan.noise_multiplier / std::sqrt(of_histograms),
          of_pairs > 0 ? plan.noise_multiplier / std::sqrt(left * of_pairs) : 0,
          plan.noise_multiplier / std::sqrt(left * (1 - of_pairs))};
}

/// Options of both.
const TrainingOptions& gam_options() {
  static const TrainingOptions options = in_section(
      "Additive model",
      {{{.name = "rounds",
         .help = "Number of steps, each along the gradients of all records",
         .range = between(1, 10'000),
         .derived = "50; for more than two classes 100"},
        kOwnTrainingField<&GamOptions::rounds>},
       {{.name = "pairs",
         .help = "Pairs of columns with joint terms: auto chooses them; none; or names as age*sex"},
        kOwnTrainingField<&GamOptions::pairs>}});
  return options;
}

/// A generalised additive model (AdditiveModel). Noisy histograms of the columns decide bins and
/// scales; then full-batch descent along noisy gradients, with the coefficients of a column shrunk
/// by the part that noise explains (descend_additive). After two thirds of the rounds noisy sums
/// choose pairs of columns, whose terms the other rounds fit to what single columns leave.
///
/// Relation: zero_out. Sensitivity in L2 of the histograms: ColumnHistograms; of the sums that
/// choose pairs: the public length to which a record's are shortened (PairScreening); of a round's
/// gradient: the public length to which residuals are shortened (AdditiveGradients). Cost: one
/// Gaussian for all histograms as one vector, one for the choice of pairs, and one for each round,
/// on full data; bins, scales, pairs, lengths, steps and shrinkage are post-processing of earlier
/// releases. Source: [NoriEtAl2021] for additive models of noisy bins.
///
/// Monotone columns are projections of the same releases (keep_monotone), and in no pair.
///
/// Deviations: gradients of all columns at once instead of one column after the other; cells that
/// many records have alike are separate bins; coefficients are shrunk [JamesStein1961]; pairs are
/// chosen by products of functions of the columns instead of the best cuts [LouEtAl2013].
class DpGam : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpgam",
      .status = PrivacyStatus::kPrivate,
      .source = "NoriEtAl2021",
      .summary =
          "an additive model of bins that noisy histograms decide, by descent along noisy "
          "gradients of all records",
      .is_stepwise = false,
      .takes_full_batches = true,
      .keeps_monotone = true,
      .clips_otherwise = true,
      .steps_option = "rounds",
      .trains = [](std::string_view model) { return model == "additive"; },
      .other_models = "trains additive models, got {}; leave --model out",
      .own_model = "additive",
      .reference = "gam",
      .purpose =
          "for relations that are not straight lines in the numbers: on the 14 tasks of bench/zoo "
          "its loss was 0.76 to 1.03 times that of dpsgd at epsilon 1, and 0.90 to 1.17 times at "
          "0.3",
      .needs_numeric_feature = true,
  };
  static TrainingOptions declared_options() {
    return all_of({gam_options(),
                   TrainingOptions{
                       {{.name = "histogram_share",
                         .help = "Share of the budget for the histograms from which bins are made",
                         .range = between(0.01, 0.9),
                         .section = "Additive model"},
                        kOwnTrainingField<&GamOptions::histogram_share>}}});
  }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_rounds("dpgam", config, facts);
    check_noise_choice(kWhere, config);
    const auto num_rounds = static_cast<double>(plan.config.num_steps);
    // A design has at most one bin for each cell and each number, a line for each number, and the
    // constant; that of pairs has their cells, a line each and a constant for each score.
    const size_t num_pairs = std::max(kMaxPairs, pair_use(config, facts).named.size());
    const size_t num_features =
        2 * facts.num_parameters +
        (num_pairs * (PairTerms::kMaxParts * PairTerms::kMaxParts + 1) + 1) * facts.num_outputs;
    const double num_draws = static_cast<double>(num_features) * (num_rounds + 1) +
                             static_cast<double>(PairScreening::kMaxSums + facts.num_outputs);
    const auto events = [&](double noise_multiplier) {
      plan.noise_multiplier = noise_multiplier;
      const Noise noise = noise_of(plan);
      std::vector<Event> all = {Event::gaussian(noise.of_counts)};
      if (noise.of_pairs > 0) all.push_back(Event::gaussian(noise.of_pairs));
      all.push_back(Event::repeat(plan.config.num_steps,
                                  Event::gaussian(noise.of_rounds * std::sqrt(num_rounds))));
      all.push_back(gaussian_error(num_draws));
      return all;
    };
    const double noise_multiplier = choose_noise_multiplier(plan.config, events);
    if (noise_multiplier > kLargestNoise) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format("noise multiplier {:.4g} is more than anything can be learnt with, the "
                      "limit is {:g}; spend more",
                      noise_multiplier, kLargestNoise));
    }
    const std::vector<Event> planned = events(noise_multiplier);
    plan.items = {{"noisy histograms of all columns", planned[0]}};
    if (planned.size() == 4)
      plan.items.push_back({"noisy sums of residuals by pairs of columns", planned[1]});
    plan.items.push_back({"noisy sums of all records' gradients", planned[planned.size() - 2]});
    plan.items.push_back({"sampler error", planned.back()});
    settle_guarantee(kWhere, plan);
    plan.bound = 1;
    plan.noise_stddev = noise_of(plan).of_rounds * std::sqrt(num_rounds);
    // The usual spread for a few columns with some bins each; after the release the histograms give
    // a better value.
    constexpr double kUsualSpread = 20;
    if (static_cast<double>(facts.num_records) < kUsualSpread * noise_of(plan).of_rounds)
      plan.notes.emplace_back(
          "noise will hide most of what these records say of any column, so that the model will be "
          "about the same for everybody; spend more, or use more records");
    plan.settings.emplace_back("histogram_share", config.own.of<GamOptions>().histogram_share);
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
    check_run(kWhere, training.table, training.model, training.plan, training.charge);
    return fit(
        training, noise_of(training.plan),
        [&](Release release, int64_t round, double sensitivity, std::vector<int64_t>& units) {
          const auto num_rounds = static_cast<uint64_t>(training.plan.config.num_steps);
          training.source.start_step(release == Release::kHistograms ? 0
                                     : release == Release::kPairs
                                         ? num_rounds + 1
                                         : static_cast<uint64_t>(round + 1));
          const size_t item = release == Release::kHistograms ? 0
                              : release == Release::kPairs    ? 1
                                                              : training.plan.items.size() - 2;
          add_gaussian_noise(training.charge.take(item),
                             Sensitivity(sensitivity, Norm::kL2, Relation::kZeroOut), units,
                             training.source);
        });
  }
};

/// The same without noise: the NON-PRIVATE reference. Residuals are shortened only at a hundred
/// times their usual size, and there is no shrinkage for noise.
class Gam : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "gam",
      .status = PrivacyStatus::kNotPrivate,
      .source = "NoriEtAl2021",
      .summary = "dpgam without noise, its non-private reference",
      .is_stepwise = false,
      .takes_full_batches = true,
      .keeps_monotone = true,
      .steps_option = "rounds",
      .trains = [](std::string_view model) { return model == "additive"; },
      .other_models = "trains additive models, got {}; leave --model out",
      .own_model = "additive",
      .reference = "gam",
      .private_form = "dpgam",
  };
  static TrainingOptions declared_options() { return gam_options(); }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_rounds("gam", config, facts);
  }

  TrainedModel run(TrainingRun training) const override {
    check_run(kWhere, training.table, training.model, training.plan, training.charge);
    return fit(training, {}, [](Release, int64_t, double, std::vector<int64_t>&) {});
  }
};

}  // namespace

TrainingMethodRow dpgam_row() { return method_row<DpGam>(); }
TrainingMethodRow gam_row() { return method_row<Gam>(); }

}  // namespace equinoise
