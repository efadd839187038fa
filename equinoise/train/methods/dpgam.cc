// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/dpgam.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/additive.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/random/gaussian.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.dpgam";

/// A record's contribution to the fine cell of a number, relative to 1 for its bin. It is larger
/// because single values are searched among many cells.
constexpr int64_t kFineWeight = 3;

/// The units per count handed to the sampler, so that rounding its noise is negligible.
constexpr int64_t kParts = 64;

/// The limit for the noise of all rounds together: samplers can draw it for histograms of thousands
/// of columns, and it is far too large to learn anything.
constexpr double kLargestNoise = 10'000;

/// The histograms of all columns as one vector: the bins or categories of each column; for a number
/// with finer cells, these cells after the bins.
class Histograms {
 public:
  Histograms(const AdditiveModel& model, const EncodedTable& table) {
    size_t at = 0;
    for (size_t c = 0; c < table.num_active; ++c) {
      const uint32_t end = c + 1 < table.num_active ? table.blocks[c + 1] : table.num_features;
      Column& column = columns_.emplace_back();
      column.cells = c < model.cells().size() ? &model.cells()[c] : nullptr;
      column.coarse = at;
      column.num_bins = column.cells != nullptr ? column.cells->num_bins() : end - table.blocks[c];
      at += column.num_bins;
      column.fine = at;
      if (!column.is_finer()) continue;
      at += column.cells->size();
      ++num_finer_;
    }
    size_ = at;
  }

  /// NOT PRIVATE.
  std::vector<int64_t> count(const EncodedTable& table, int threads) const {
    const std::vector<IndexRange> ranges =
        ranges_for_threads(static_cast<size_t>(table.num_records), kRecordsWorthAThread, threads);
    std::vector<std::vector<int64_t>> parts(ranges.size());
    parallel_for(ranges.size(), threads, [&](size_t part) {
      parts[part].resize(size_);
      add(table, ranges[part], parts[part]);
    });
    for (size_t part = 1; part < parts.size(); ++part)
      for (size_t k = 0; k < size_; ++k) parts[0][k] += parts[part][k];
    return std::move(parts[0]);
  }

  /// The L2 norm of the largest change by one record.
  double sensitivity() const {
    const double squares = static_cast<double>(columns_.size()) +
                           static_cast<double>(num_finer_ * kFineWeight * kFineWeight);
    return round_up(std::sqrt(squares), 1e-12) * kParts;
  }

  /// The design for descent, from counts with noise of that standard deviation, in records, on each
  /// bin.
  AdditiveDesign design(std::span<const int64_t> units, double noise, double num_records) const {
    const CountNoise of_counts = {noise, noise / kFineWeight};
    const auto counts_of = [&](size_t begin, size_t size, int64_t weight) {
      std::vector<double> counts;
      for (const int64_t unit : units.subspan(begin, size))
        counts.push_back(static_cast<double>(unit) / static_cast<double>(kParts * weight));
      return counts;
    };
    std::vector<ColumnBins> bins;
    std::vector<std::vector<double>> lines;
    for (const Column& column : columns_) {
      const std::vector<double> coarse = counts_of(column.coarse, column.num_bins, 1);
      std::vector<double>& line = lines.emplace_back();
      if (column.cells == nullptr) {
        ColumnBins& categories = bins.emplace_back();
        categories.counts = coarse;
        for (uint32_t k = 0; k < column.num_bins; ++k) categories.of_cell.push_back(k);
        continue;
      }
      const size_t num_fine = column.is_finer() ? column.cells->size() : 0;
      bins.push_back(column_bins(*column.cells, coarse,
                                 counts_of(column.fine, num_fine, kFineWeight), of_counts,
                                 num_records));
      for (size_t cell = 0; cell < column.cells->size(); ++cell)
        line.push_back(column.cells->position_of(cell));
    }
    return {std::move(bins), std::move(lines), std::max(noise, 1.0)};
  }

 private:
  struct Column {
    const NumberCells* cells = nullptr;  // null: categories
    size_t coarse = 0;
    size_t fine = 0;
    size_t num_bins = 0;

    bool is_finer() const { return cells != nullptr && cells->are_finer_than_bins(); }
  };

  /// Adds the counts of some records.
  void add(const EncodedTable& table, IndexRange range, std::span<int64_t> units) const {
    for (size_t i = range.begin; i < range.end; ++i) {
      if (table.contributes[i] == 0) continue;
      const int64_t parts = table.count_of(i) * kParts;
      const std::span<const uint32_t> active = table.active_row(static_cast<int64_t>(i));
      for (size_t c = 0; c < columns_.size(); ++c) {
        const uint32_t cell = active[c] - table.blocks[c];
        const Column& column = columns_[c];
        units[column.coarse + (column.cells != nullptr ? column.cells->bin_of(cell) : cell)] +=
            parts;
        if (column.is_finer()) units[column.fine + cell] += kFineWeight * parts;
      }
    }
  }

  std::vector<Column> columns_;
  size_t num_finer_ = 0;
  size_t size_ = 0;
};

struct Noise {
  double of_counts = 0;  ///< multiples of a record's largest change; 0: none
  double of_rounds = 0;  ///< of all rounds together
};

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

/// (numbers) 1 for a column whose contribution never falls, -1 if it never rises, else 0. Errors:
/// kUsage.
std::vector<double> directions_of(const TrainingConfig& config, const TrainingFacts& facts) {
  const GamOptions& options = config.own.of<GamOptions>();
  std::vector<double> directions(facts.numbers.size());
  const auto refuse = [](const std::string& problem) {
    throw Error(ErrorKind::kUsage, kWhere, "--increasing and --decreasing " + problem);
  };
  for (const auto& [names, sign] :
       {std::pair(&options.increasing, 1.0), std::pair(&options.decreasing, -1.0)}) {
    for (const std::string& name : *names) {
      if (facts.num_outputs > 1) refuse("are for a number or two classes");
      const auto found = std::find(facts.numbers.begin(), facts.numbers.end(), name);
      if (found == facts.numbers.end())
        refuse(fmt::format("take numeric features; {} is none", name));
      double& direction = directions[static_cast<size_t>(found - facts.numbers.begin())];
      if (direction == -sign) refuse(fmt::format("both name {}", name));
      direction = sign;
    }
  }
  return directions;
}

/// draw: adds the noise of the histograms (round -1) or of a round to units of that sensitivity.
TrainedModel fit(TrainingRun& training, const Noise& noise,
                 const std::function<void(int64_t round, double sensitivity,
                                          std::vector<int64_t>& units)>& draw) {
  const auto* model = dynamic_cast<const AdditiveModel*>(&training.model);
  if (model == nullptr || training.start.num_steps_done != 0 ||
      model->cells().size() != training.table.num_dense)
    throw Error(ErrorKind::kRuntime, kWhere, "this run cannot be started from here");
  const EncodedTable table = model->in_cells(training.table);
  check_columns(table);
  const TrainingFacts& facts = training.plan.facts;
  const Histograms histograms(*model, table);
  std::vector<int64_t> counts = histograms.count(table, training.plan.config.threads);
  draw(-1, histograms.sensitivity(), counts);
  const AdditiveDesign design =
      histograms.design(counts, noise.of_counts * histograms.sensitivity() / kParts,
                        static_cast<double>(facts.num_records));
  AdditiveDescentConfig config;
  config.num_scores = model->num_outputs();
  config.target = model->num_classes() == 0 ? AdditiveTarget::kNumber
                  : config.num_scores == 1  ? AdditiveTarget::kTwoClasses
                                            : AdditiveTarget::kClasses;
  config.num_rounds = training.plan.config.num_steps;
  config.spread = facts.target.spread;
  config.start = training.start.parameters.back();
  config.noise = noise.of_rounds;
  config.threads = training.plan.config.threads;
  const double length = additive_length(design, config);
  const AdditiveGradients gradients(table, design, config, length);
  const auto add_noise = [&](int64_t round, std::vector<int64_t>& units) {
    draw(round, gradients.sensitivity(), units);
  };
  const std::vector<double> directions = directions_of(training.plan.config, facts);
  std::vector<AdditiveTerm> terms;
  const auto after_round = [&](int64_t, std::span<const double> coefficients) {
    std::vector<double> parameters = design.parameters(coefficients, config.num_scores);
    terms = design.terms();
    for (size_t c = 0; c < directions.size(); ++c)
      if (directions[c] != 0) keep_monotone(terms[c], directions[c], parameters);
    step_to(std::move(parameters), training);
  };
  descend_additive(gradients, design, config, length, add_noise, after_round);
  TrainedModel trained{.parameters = training.start.parameters};
  trained.chosen = {{"num_features", static_cast<double>(design.num_features())}};
  if (config.noise > 0) trained.chosen.emplace_back("signal", additive_signal(design, config));
  trained.terms = std::move(terms);
  return trained;
}

TrainingPlan plan_rounds(std::string_view method, const TrainingConfig& config,
                         const TrainingFacts& facts) {
  TrainingPlan plan{std::string(method), config, facts};
  plan.config.num_steps = config.own.of<GamOptions>().rounds;
  plan.config.batch_size = static_cast<double>(facts.num_records);
  check_training_config(kWhere, plan.config, facts);
  static_cast<void>(directions_of(plan.config, facts));
  plan.sample_rate = 1;
  plan.settings = {{"rounds", static_cast<double>(plan.config.num_steps)}};
  return plan;
}

Noise noise_of(const TrainingPlan& plan) {
  const double share = plan.config.own.of<GamOptions>().histogram_share;
  // Precisions of Gaussians add up.
  return {plan.noise_multiplier / std::sqrt(share), plan.noise_multiplier / std::sqrt(1 - share)};
}

}  // namespace

TrainingPlan DpGam::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingPlan plan = plan_rounds("dpgam", config, facts);
  check_noise_choice(kWhere, config);
  const auto num_rounds = static_cast<double>(plan.config.num_steps);
  // A design has at most one bin for each cell and each number, a line for each number, and the
  // constant.
  const double num_draws = 2 * static_cast<double>(facts.num_parameters) * (num_rounds + 1);
  const Event sampler_error = Event::sampler_error(round_up(num_draws * kGaussianDrawError, 1e-12));
  const auto events = [&](double noise_multiplier) {
    plan.noise_multiplier = noise_multiplier;
    const Noise noise = noise_of(plan);
    return std::vector{Event::gaussian(noise.of_counts),
                       Event::repeat(plan.config.num_steps,
                                     Event::gaussian(noise.of_rounds * std::sqrt(num_rounds))),
                       sampler_error};
  };
  const double noise_multiplier = choose_noise_multiplier(plan.config, events);
  if (noise_multiplier > kLargestNoise) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("noise multiplier {:.4g} is more than anything can be learnt with, the "
                            "limit is {:g}; spend more",
                            noise_multiplier, kLargestNoise));
  }
  const std::vector<Event> planned = events(noise_multiplier);
  plan.items = {{"noisy histograms of all columns", planned[0]},
                {"noisy sums of all records' gradients", planned[1]},
                {"sampler error", planned[2]}};
  settle_guarantee(kWhere, plan);
  plan.bound = 1;
  plan.noise_stddev = noise_of(plan).of_rounds * std::sqrt(num_rounds);
  // For a few columns with some bins each; after the release the histograms give a better value.
  constexpr double kUsualSpread = 20;
  if (static_cast<double>(facts.num_records) < kUsualSpread * noise_of(plan).of_rounds)
    plan.notes.emplace_back(
        "noise will hide most of what these records say of any column, so that the model will be "
        "about the same for everybody; spend more, or use more records");
  plan.settings.emplace_back("histogram_share", config.own.of<GamOptions>().histogram_share);
  return plan;
}

TrainedModel DpGam::run(TrainingRun training) const {
  check_run(kWhere, training.table, training.model, training.plan, training.charge);
  return fit(training, noise_of(training.plan),
             [&](int64_t round, double sensitivity, std::vector<int64_t>& units) {
               training.source.start_step(static_cast<uint64_t>(round + 1));
               add_gaussian_noise(training.charge.take(round < 0 ? 0 : 1),
                                  Sensitivity(sensitivity, Norm::kL2, Relation::kZeroOut), units,
                                  training.source);
             });
}

const TrainingOptions& DpGam::options() const {
  static const TrainingOptions options = all_of(
      {Gam().options(),
       TrainingOptions{{{.name = "histogram_share",
                         .help = "Share of the budget for the histograms from which bins are made",
                         .range = between(0.01, 0.9),
                         .section = "Additive model"},
                        kOwnTrainingField<&GamOptions::histogram_share>}}});
  return options;
}

TrainingPlan Gam::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  return plan_rounds("gam", config, facts);
}

TrainedModel Gam::run(TrainingRun training) const {
  check_run(kWhere, training.table, training.model, training.plan, training.charge);
  return fit(training, {}, [](int64_t, double, std::vector<int64_t>&) {});
}

const TrainingOptions& Gam::options() const {
  static const TrainingOptions options = {
      {{.name = "rounds",
        .help = "Number of steps, each along the gradients of all records",
        .range = between(1, 10'000),
        .section = "Additive model"},
       kOwnTrainingField<&GamOptions::rounds>},
      {{.name = "increasing",
        .help = "Numeric columns, separated by commas, whose larger values never lower the score",
        .derived = "none",
        .section = "Additive model"},
       kOwnTrainingField<&GamOptions::increasing>},
      {{.name = "decreasing",
        .help = "The same for columns whose larger values never raise it",
        .derived = "none",
        .section = "Additive model"},
       kOwnTrainingField<&GamOptions::decreasing>}};
  return options;
}

}  // namespace equinoise
