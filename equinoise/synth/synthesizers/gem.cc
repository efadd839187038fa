// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/check.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/synth/fit.h"
#include "equinoise/synth/hopeless_candidates.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/mixture/generator_training.h"
#include "equinoise/synth/mixture/mixture_cells.h"
#include "equinoise/synth/mixture/mixture_marginals.h"
#include "equinoise/synth/mixture/mixture_synth_model.h"
#include "equinoise/synth/synth_budget.h"
#include "equinoise/synth/synth_options.h"
#include "equinoise/synth/synth_progress.h"
#include "equinoise/synth/synthesizers/synthesizers.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.gem";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

constexpr size_t kComponents = 1000;
/// The least number of components, which statistics over components need. As many as the whole
/// table has cells are otherwise enough.
constexpr size_t kMinComponents = 64;
constexpr size_t kNoise = 32;
constexpr size_t kHidden = 64;

/// The shares of a round for its measurement. The published one gives a choice 0.67^2 parts and a
/// measurement 0.33^2.
constexpr double kMarginalShare = 0.9;
constexpr double kCellShare = 0.33 * 0.33 / (0.67 * 0.67 + 0.33 * 0.33);

/// Training on whole marginals: steps of all rounds together, of one of them, and in the end.
constexpr int kAllSteps = 1000;
constexpr int kMinRoundSteps = 10;
constexpr int kMaxRoundSteps = 100;
constexpr int kLastSteps = 400;
constexpr int kPatience = 30;
constexpr double kMarginalRate = 0.01;
/// Training ends at this multiple of the average loss of noise (fit.h).
constexpr double kNoiseLevel = 0.7;
/// The strength of add_information, in nats for each record.
constexpr double kInformation = 0.04;

/// Training on cells: steps of a round. kMaxCellErrors is the number of largest errors that count,
/// and an error below kThreshold of the usual largest error does not count.
constexpr int kCellSteps = 100;
constexpr double kCellRate = 0.001;
/// The strength of add_information, in shares of records for each nat.
constexpr double kCellInformation = 0.005;
constexpr size_t kMaxCellErrors = 100;
constexpr double kThreshold = 0.5;

/// The limit for one marginal, or for all marginals with cells to choose from.
constexpr double kMaxQueryCells = 1 << 26;

/// The items of the charge, after the one for the number of records if that is measured.
enum GemItem : size_t { kRoundChoices, kMeasurements };

bool measures_total(const SynthFacts& facts) { return !facts.num_records.has_value(); }

bool asks_cells(const SynthConfig& config) {
  return config.own.of<GemOptions>().query_form == QueryForm::kCell;
}

/// The marginals that rounds choose from; for cells, the marginals that hold them.
std::vector<WeightedMarginal> query_marginals(const SynthPlan& plan) {
  const SynthConfig& config = plan.config;
  std::vector<WeightedMarginal> marginals =
      asks_cells(config) ? config.workload : candidates_of(config.workload);
  std::erase_if(marginals, [&](const WeightedMarginal& marginal) {
    return plan.facts.domain.num_cells(marginal.attributes) > kMaxQueryCells;
  });
  return marginals;
}

double num_cells(const Domain& domain, const std::vector<WeightedMarginal>& marginals) {
  double sum = 0;
  for (const WeightedMarginal& marginal : marginals) sum += domain.num_cells(marginal.attributes);
  return sum;
}

size_t num_components_of(const AttributeBlocks& blocks, double max_megabytes) {
  const double most = max_megabytes / MixtureSynthModel::megabytes_of(blocks, 1);
  const double enough = std::clamp<double>(blocks.domain().num_cells(blocks.domain().all()),
                                           kMinComponents, kComponents);
  return static_cast<size_t>(std::min(most, enough));
}

/// One run, from the records to the model.
class GemRun {
 public:
  GemRun(const MarginalSource& records, const SynthPlan& plan, Charge charge, RandomSource& source,
         TaskProgress& progress)
      : records_(records),
        plan_(plan),
        config_(plan.config),
        domain_(plan.facts.domain),
        first_item_(measures_total(plan.facts) ? 1 : 0),
        epsilon_(plan.events[first_item_ + kRoundChoices].events()[0].epsilon()),
        stddev_(plan.events[first_item_ + kMeasurements].events()[0].noise_stddev()),
        charge_(std::move(charge)),
        source_(source),
        progress_(progress),
        blocks_(domain_, plan.facts.structural_zeros),
        trainer_(Generator({num_components_of(blocks_, config_.max_model_megabytes), kNoise,
                            kHidden, blocks_.sizes()},
                           source),
                 config_.threads, progress),
        queries_(blocks_),
        measured_(blocks_),
        cells_(blocks_) {}

  SynthOutcome run() {
    release_total();
    list_queries();
    report_stage(plan_, asks_cells(config_) ? "choosing cells of marginals" : "choosing marginals",
                 progress_);
    SynthOutcome outcome;
    const auto num_rounds = plan_.events[first_item_ + kRoundChoices].count();
    const double round_rho = rho_of_round(stddev_, epsilon_);
    double rho_spent = config_.rho - static_cast<double>(num_rounds) * round_rho;
    for (int64_t t = 0; t < num_rounds; ++t) {
      check_interrupted(progress_);
      SynthRound round = asks_cells(config_) ? take_cell_round() : take_marginal_round();
      rho_spent += round_rho;
      round.noise_stddev = stddev_;
      round.epsilon = epsilon_;
      round.megabytes = plan_.most_megabytes;
      round.rho_spent = rho_spent;
      outcome.rounds.push_back(std::move(round));
      report_round(plan_, outcome.rounds, progress_);
    }
    if (!asks_cells(config_)) {
      report_stage(plan_, "training the generator", progress_);
      train_on_marginals(kLastSteps, true);
    }
    outcome.model = MixtureSynthModel::of_probabilities(blocks_, trainer_.probabilities(), total_);
    outcome.measurements = std::move(released_);
    return outcome;
  }

 private:
  size_t num_components() const { return trainer_.generator().shape().num_components; }

  void release_total() {
    if (!measures_total(plan_.facts)) {
      total_ = static_cast<double>(std::max<int64_t>(1, *plan_.facts.num_records));
      return;
    }
    report_stage(plan_, "measuring the number of rows", progress_);
    std::vector<int64_t> units = {static_cast<int64_t>(records_.total_records())};
    const double stddev = plan_.events[0].noise_stddev();
    add_discrete_gaussian_noise(charge_.take(0), Sensitivity(1, Norm::kL1, config_.relation), units,
                                source_);
    measurements_.push_back({{}, stddev, {static_cast<double>(units[0])}, {}});
    released_.push_back({{}, stddev, measurements_.back().values});
    total_ = estimated_total(measurements_);
  }

  /// Lists the candidates of choices, and counts them once for all rounds.
  void list_queries() {
    marginals_ = query_marginals(plan_);
    if (!asks_cells(config_)) {
      // At most all records, or twice their released number, and all of the model, both ways.
      marginals_ = drop_hopeless(domain_, std::move(marginals_), 4 * total_, stddev_, epsilon_);
    }
    std::vector<AttributeSet> sets;
    largest_weight_ = largest_weight(marginals_);
    for (const WeightedMarginal& marginal : marginals_) {
      weights_.push_back(marginal.weight);
      sets.push_back(marginal.attributes);
      queries_.add(marginal.attributes);
    }
    counts_.resize(sets.size());
    records_.count(sets, config_.threads, [&](size_t index, std::span<const uint32_t> counts) {
      counts_[index].assign(counts.begin(), counts.end());
    });
    expected_.resize(sets.size());
  }

  /// Updates the mixture's expected counts of all marginals that can be chosen.
  void update_expected() {
    queries_.evaluate(trainer_.probabilities().data(), num_components(), config_.threads,
                      [&](size_t index, std::span<const double> shares) {
                        expected_[index].assign(shares.begin(), shares.end());
                        for (double& count : expected_[index]) count *= total_;
                      });
  }

  size_t choose(std::span<const int64_t> scores) {
    const MarginalScores grid(largest_weight_);
    return choose_exponentially(
        charge_.take(first_item_ + kRoundChoices),
        Sensitivity(grid.sensitivity_units(largest_weight_), Norm::kMax, config_.relation), scores,
        source_);
  }

  SynthRound take_marginal_round() {
    update_expected();
    const MarginalScores grid(largest_weight_);
    std::vector<int64_t> scores;
    for (size_t i = 0; i < marginals_.size(); ++i) {
      scores.push_back(grid.score(counts_[i], expected_[i], weights_[i],
                                  noise_l1(stddev_, static_cast<double>(counts_[i].size()))));
    }
    const size_t choice = choose(scores);
    SynthRound round;
    round.chosen = marginals_[choice].attributes;
    round.weight = weights_[choice];
    round.num_candidates = marginals_.size();
    const NoisyMarginal measurement =
        measure_marginal(records_, round.chosen, charge_.take(first_item_ + kMeasurements),
                         config_.relation, source_);
    round.missed = noisy_distance(measurement, expected_[choice]);
    released_.push_back(released(measurement));
    remember(measurement);
    // Records that contribute nothing are not public, so fewer may be counted than there are.
    total_ = estimated_total(measurements_);
    if (plan_.facts.num_records)
      total_ = std::clamp(total_, 1.0, static_cast<double>(*plan_.facts.num_records));
    train_on_marginals(
        std::clamp(kAllSteps / config_.own.of<GemOptions>().rounds, kMinRoundSteps, kMaxRoundSteps),
        false);
    return round;
  }

  /// Merges repeated measurements of a marginal into a mean with less noise.
  void remember(const NoisyMarginal& measurement) {
    const auto known = std::ranges::find(measurements_, measurement.clique, &NoisyMarginal::clique);
    if (known == measurements_.end()) {
      measurements_.push_back(measurement);
      measured_.add(measurement.clique);
      return;
    }
    const double share = std::pow(known->noise_stddev, 2) /
                         (std::pow(known->noise_stddev, 2) + std::pow(measurement.noise_stddev, 2));
    for (size_t cell = 0; cell < known->values.size(); ++cell)
      known->values[cell] += share * (measurement.values[cell] - known->values[cell]);
    known->noise_stddev *= std::sqrt(1 - share);
  }

  void train_on_marginals(int max_steps, bool anneals) {
    // The measurement of the number of records alone is no marginal.
    const std::span<const NoisyMarginal> measurements =
        std::span(measurements_).subspan(first_item_);
    double num_measured = 0;
    for (const NoisyMarginal& measurement : measurements)
      num_measured += static_cast<double>(measurement.values.size());
    std::vector<double> losses(measurements.size());
    std::vector<std::vector<double>> of_shares(measurements.size());
    const auto loss = [&](const float* probabilities, float* derivatives) {
      measured_.evaluate(
          probabilities, num_components(), config_.threads,
          [&](size_t index, std::span<const double> shares) {
            const NoisyMarginal& measurement = measurements[index];
            losses[index] = 0;
            of_shares[index].resize(shares.size());
            for (size_t cell = 0; cell < shares.size(); ++cell) {
              const double residual =
                  (total_ * shares[cell] - measurement.values[cell]) / measurement.noise_stddev;
              losses[index] += residual * residual / 2 / num_measured;
              of_shares[index][cell] = total_ * residual / measurement.noise_stddev / num_measured;
            }
          });
      measured_.add_derivatives(probabilities, num_components(), of_shares, config_.threads,
                                derivatives);
      add_information(trainer_.generator().shape(), kInformation * total_ / num_measured,
                      config_.threads, probabilities, derivatives);
      return std::accumulate(losses.begin(), losses.end(), 0.0);
    };
    trainer_.train(loss, {max_steps, kMarginalRate, anneals, kNoiseLevel / 2, kPatience});
  }

  SynthRound take_cell_round() {
    update_expected();
    std::vector<int64_t> scores = score_cells(counts_, expected_, weights_);
    // A cell is chosen once; the chosen cells are not secret.
    size_t kept = 0;
    std::vector<size_t> cell_of;
    for (size_t cell = 0; cell < scores.size(); ++cell) {
      if (std::ranges::binary_search(chosen_cells_, cell)) continue;
      scores[kept++] = scores[cell];
      cell_of.push_back(cell);
    }
    scores.resize(kept);
    size_t cell = cell_of[choose(scores)];
    chosen_cells_.insert(std::ranges::upper_bound(chosen_cells_, cell), cell);
    size_t set = 0;
    while (cell >= counts_[set].size()) cell -= counts_[set++].size();

    SynthRound round;
    round.chosen = marginals_[set].attributes;
    round.codes = codes_of(round.chosen, cell);
    round.weight = weights_[set];
    round.num_candidates = kept;
    std::vector<int64_t> units = {counts_[set][cell]};
    add_discrete_gaussian_noise(charge_.take(first_item_ + kMeasurements),
                                Sensitivity(1, Norm::kL1, config_.relation), units, source_);
    const auto noisy = static_cast<double>(units[0]);
    round.missed = std::abs(noisy - expected_[set][cell]) - noise_l1(stddev_, 1);
    cells_.add(round.chosen, round.codes);
    released_.push_back({round.chosen, stddev_, {noisy}, {}, round.codes});
    noisy_shares_.push_back(std::clamp(noisy / total_, 0.0, 1.0));
    train_on_cells();
    return round;
  }

  std::vector<uint32_t> codes_of(const AttributeSet& set, size_t cell) const {
    std::vector<uint32_t> codes(set.size());
    for (size_t i = set.size(); i-- > 0;) {
      const auto num_codes = static_cast<size_t>(domain_.num_codes(set[i]));
      codes[i] = static_cast<uint32_t>(cell % num_codes);
      cell /= num_codes;
    }
    return codes;
  }

  /// The published steps: the mean error of the largest errors, until none is above a threshold.
  void train_on_cells() {
    const auto errors_of = [&](const float* probabilities) {
      std::vector<double> errors = cells_.shares(probabilities, num_components());
      for (size_t i = 0; i < errors.size(); ++i) errors[i] -= noisy_shares_[i];
      return errors;
    };
    double largest = 0;
    for (const double error : errors_of(trainer_.probabilities().data()))
      largest = std::max(largest, std::abs(error));
    usual_error_ = cells_.size() == 1 ? largest : (usual_error_ + largest) / 2;
    const double threshold = kThreshold * usual_error_;
    const auto loss = [&](const float* probabilities, float* derivatives) {
      const std::vector<double> errors = errors_of(probabilities);
      std::vector<size_t> worst;
      for (size_t i = 0; i < errors.size(); ++i) {
        if (std::abs(errors[i]) >= threshold && errors[i] != 0) worst.push_back(i);
      }
      std::ranges::sort(worst, [&](size_t a, size_t b) {
        return std::abs(errors[a]) != std::abs(errors[b])
                   ? std::abs(errors[a]) > std::abs(errors[b])
                   : a < b;
      });
      if (worst.size() > kMaxCellErrors) worst.resize(kMaxCellErrors);
      std::vector<double> of_shares(errors.size(), 0);
      double sum = 0;
      for (const size_t i : worst) {
        of_shares[i] = std::copysign(1 / static_cast<double>(worst.size()), errors[i]);
        sum += std::abs(errors[i]) / static_cast<double>(worst.size());
      }
      cells_.add_derivatives(probabilities, num_components(), of_shares, derivatives);
      add_information(trainer_.generator().shape(), kCellInformation, config_.threads,
                      probabilities, derivatives);
      return sum;
    };
    trainer_.train(loss, {kCellSteps, kCellRate, true});
  }

  const MarginalSource& records_;
  const SynthPlan& plan_;
  const SynthConfig& config_;
  const Domain& domain_;
  const size_t first_item_;
  const double epsilon_;
  const double stddev_;
  Charge charge_;
  RandomSource& source_;
  TaskProgress& progress_;
  AttributeBlocks blocks_;
  GeneratorTrainer trainer_;
  double total_ = 1;

  // The candidates of choices: marginals, their weights, true counts and the mixture's expected
  // counts.
  std::vector<WeightedMarginal> marginals_;
  std::vector<double> weights_;
  double largest_weight_ = 0;
  std::vector<std::vector<uint32_t>> counts_;
  std::vector<std::vector<double>> expected_;
  MixtureMarginals queries_;

  // The measurements of marginals, or of cells.
  std::vector<SynthMeasurement> released_;  // one by one, in order
  std::vector<NoisyMarginal> measurements_;
  MixtureMarginals measured_;
  MixtureCells cells_;
  std::vector<double> noisy_shares_;  // (rounds) if cells are measured
  std::vector<size_t> chosen_cells_;  // ascending
  double usual_error_ = 0;
};

/// GEM: a neural network whose outputs are a mixture of product distributions. Round by round a
/// query that the mixture misses is chosen, measured, and the network trained on all measurements.
/// [LiuVietriWu2021, Alg. 1 and section 5]
///
/// Relation: zero_out or add_remove. Queries are counts of marginals (QueryForm): a whole marginal
/// of the workload or below it, or one cell of a marginal of the workload, as published.
/// Sensitivity: a record changes one cell of a marginal by 1, hence each measurement by at most 1
/// (L1 and L2), and each score by at most its marginal's weight (marginal_scores.h). Cost: rho. The
/// number of rounds is fixed, and all cost the same: one choice by the exponential mechanism and
/// one discrete Gaussian measurement. If the number of records is private, it is measured first,
/// for as much as one round.
///
/// Training, the total that counts are divided by (public, or released) and rows are
/// post-processing of the measurements.
///
/// Deviations: whole marginals by default, scored as AIM does, which may be chosen again, and
/// fitted by least squares. Noise of 32 numbers and 64 hidden units in place of 512 and 1024, no
/// more components than the whole table has cells, steps of rates of our own, with Adam's moments
/// kept between rounds. add_information() limits dependences that no measurement covers. The number
/// of rounds is fixed, not chosen by the true error; neither sensitivities nor delta depend on the
/// number of records.
class Gem final : public Synthesizer {
 public:
  const SynthOptions& options() const override {
    static const SynthOptions options = [] {
      SynthOptions all = workload_options();
      all.push_back(measurement_share_option(
          fmt::format("{:g}; with cells {:g}", kMarginalShare, kCellShare)));
      all.push_back({{.name = "rounds",
                      .help = "Number of rounds, each of which measures something",
                      .range = between(1, 1e6)},
                     &own_field_at<SynthConfig, &GemOptions::rounds>});
      all.push_back(
          {{.name = "query_form",
            .help = "Measurement of a round: marginal, all counts of a marginal; cell, one "
                    "of its counts, as published",
            .choices = words_of(kQueryForms)},
           own_word_at<SynthConfig, kQueryForms, &GemOptions::query_form>()});
      return all;
    }();
    return options;
  }
  SynthPlan make_plan(const SynthConfig& config, const SynthFacts& facts) const override {
    check_workload_left(config, kWhere);
    const bool by_cell = asks_cells(config);
    const double share = config.measurement_share.value_or(by_cell ? kCellShare : kMarginalShare);
    SynthPlan plan{config, facts, {}, {}, 0, 0, {}};

    check_one_ways_fit(facts.domain, config.max_model_megabytes, kWhere);
    const AttributeBlocks blocks(facts.domain, facts.structural_zeros);
    const size_t num_components = num_components_of(blocks, config.max_model_megabytes);
    if (num_components < 2) {
      refuse(
          "two components of a mixture take {:.4g} MB, more than max_model_size {:g} MB; raise "
          "--max-model-size, use coarser bins or declare fewer impossible combinations",
          MixtureSynthModel::megabytes_of(blocks, 2), config.max_model_megabytes);
    }
    plan.min_megabytes = MixtureSynthModel::megabytes_of(blocks, num_components);
    plan.most_megabytes = plan.min_megabytes;
    if (const size_t wanted = num_components_of(blocks, HUGE_VAL); num_components < wanted) {
      plan.warnings.push_back(fmt::format(
          "max_model_size {:g} MB has room for {} components of a mixture instead of {}",
          config.max_model_megabytes, num_components, wanted));
    }

    const std::vector<WeightedMarginal> marginals = query_marginals(plan);
    for (const WeightedMarginal& marginal : config.workload) {
      if (facts.domain.num_cells(marginal.attributes) <= kMaxQueryCells) continue;
      const std::string text =
          fmt::format("marginal ({}) has {:.4g} cells, more than {:.4g}",
                      facts.domain.describe(marginal.attributes),
                      facts.domain.num_cells(marginal.attributes), kMaxQueryCells);
      if (config.workload_is_listed || by_cell) refuse(text + "; use coarser bins or leave it out");
      plan.warnings.push_back(text + ": it can only be measured in parts, never as a whole");
    }
    const double num_queries =
        by_cell ? num_cells(facts.domain, marginals) : static_cast<double>(marginals.size());
    if (by_cell && num_queries > kMaxQueryCells) {
      refuse(
          "the marginals of the workload have {:.4g} cells, more than {:.4g}; "
          "use --query-form marginal, fewer columns or coarser bins",
          num_queries, kMaxQueryCells);
    }

    // No cell is chosen twice.
    const auto num_rounds = by_cell ? static_cast<int64_t>(std::min<double>(
                                          config.own.of<GemOptions>().rounds, num_queries))
                                    : int64_t{config.own.of<GemOptions>().rounds};
    const double part =
        config.rho / static_cast<double>(num_rounds + (measures_total(facts) ? 1 : 0));
    const double stddev = stddev_for(share * part, kWhere);
    const double epsilon = epsilon_for((1 - share) * part);
    if (measures_total(facts)) {
      const double total_stddev = stddev_for(part, kWhere);
      plan.events.push_back(Event::discrete_gaussian(total_stddev, 1));
      plan.settings.emplace_back("total_noise_stddev", total_stddev);
    }
    plan.events.push_back(Event::repeat(num_rounds, Event::exponential(epsilon)));
    plan.events.push_back(Event::repeat(num_rounds, Event::discrete_gaussian(stddev, 1)));
    plan.settings.insert(plan.settings.end(),
                         {{"rounds", static_cast<double>(num_rounds)},
                          {"queries", num_queries},
                          {"noise_stddev", stddev},
                          {"choice_epsilon", epsilon},
                          {"measurement_share", share},
                          {"workload_marginals", static_cast<double>(config.workload.size())},
                          {"components", static_cast<double>(num_components)},
                          {"noise_numbers", static_cast<double>(kNoise)},
                          {"hidden_units", static_cast<double>(kHidden)}});
    return plan;
  }
  std::vector<AttributeSet> marginals(const SynthPlan& plan) const override {
    std::vector<AttributeSet> sets;
    for (const WeightedMarginal& marginal : query_marginals(plan))
      sets.push_back(marginal.attributes);
    return sets;
  }

  SynthOutcome run(const MarginalSource& records, const SynthPlan& plan, Charge charge,
                   RandomSource& source, TaskProgress& progress) const override {
    return GemRun(records, plan, std::move(charge), source, progress).run();
  }
};

}  // namespace

std::vector<int64_t> score_cells(const std::vector<std::vector<uint32_t>>& counts,
                                 const std::vector<std::vector<double>>& expected,
                                 const std::vector<double>& weights) {
  const MarginalScores grid(*std::ranges::max_element(weights));
  std::vector<int64_t> scores;
  for (size_t set = 0; set < counts.size(); ++set) {
    for (size_t cell = 0; cell < counts[set].size(); ++cell) {
      scores.push_back(grid.score(std::span(counts[set]).subspan(cell, 1),
                                  std::span(expected[set]).subspan(cell, 1), weights[set], 0));
    }
  }
  return scores;
}

std::unique_ptr<Synthesizer> make_gem() { return std::make_unique<Gem>(); }

}  // namespace equinoise
