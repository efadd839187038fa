// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/counted_records.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/train/iterates.h"
#include "equinoise/train/kept_passes.h"
#include "equinoise/train/prediction_term.h"
#include "equinoise/train/regression/residual_mean.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/row_batches.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/unit_sum.h"

namespace equinoise {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

/// Counts and sums of terms are released on this grid, far below their noise.
constexpr int kCountBits = PredictionTerm::kUnitBits;

/// Sums the clipped gradients of a batch: by UnitSum for a table of units, else tile by tile, as
/// many tiles at once as there are threads. All tiles but the last have the same size, which does
/// not depend on the number of threads. Integers are added as they arise, in any order, equal
/// records at once. Doubles are added one by one, in the order of the tiles.
template <typename Sum>
class BatchSum {
 public:
  BatchSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads)
      : table_(table),
        num_records_(static_cast<double>(table.total_records())),
        model_(model),
        clip_(clip),
        term_(clip.term()),
        counts_(term_ != nullptr ? term_->num_sums() : clip.num_counts()),
        tiles_(static_cast<size_t>(threads)),
        total_(model.num_parameters()) {
    if ((clip.num_groups() > 0 || term_ != nullptr) &&
        std::ssize(table.groups) != table.num_records) {
      throw Error(ErrorKind::kRuntime, "train.loop", "the table has no groups");
    }
    // Otherwise a record's sums would be read from another record's scores.
    if (term_ != nullptr && (term_->num_outputs() != model.num_outputs() ||
                             term_->num_classes() != model.num_classes())) {
      throw Error(ErrorKind::kRuntime, "train.loop",
                  "the constraints or the penalty do not belong to this model");
    }
    if (term_ != nullptr) places_ = term_->places(table);
    if (!table.unit_begin.empty()) {
      if (term_ != nullptr) {
        throw Error(ErrorKind::kRuntime, "train.loop",
                    "constraints and penalties take each row as a unit");
      }
      of_units_.emplace(table, model, clip, threads);
    }
  }

  /// The clipped sum; integers are in units of `grid`.
  std::span<Sum> compute(const CountedRecords& batch, std::span<const double> parameters,
                         double grid) {
    if (of_units_) return of_units_->compute(batch.records, parameters, grid);
    std::ranges::fill(total_, Sum{0});
    if (counts_norms_afterwards()) std::ranges::fill(counts_, 0);
    for (Tile& tile : tiles_) {
      tile.is_new = true;
      tile.num_cut = 0;
    }
    const size_t num_known = std::exchange(num_known_, 0);
    // Otherwise norms and groups of some records would weight gradients of others.
    if ((num_known > 0 || term_ != nullptr) && !std::ranges::equal(batch.records, looked_at_))
      throw Error(ErrorKind::kRuntime, "train.loop", "a different batch was read");
    const SumScale scale = kAnyOrder ? exact_scale(grid) : SumScale{};
    for_each_round(
        batch,
        [&](size_t i, size_t place, const CountedRecords& counted) {
          const std::span<const uint32_t> records = counted.records;
          Tile& tile = tiles_[i];
          std::vector<Sum>& sum = kAnyOrder && i == 0 ? total_ : tile.sum;
          if (&sum != &total_ && (tile.is_new || !kAnyOrder)) sum.assign(total_.size(), Sum{0});
          tile.is_new = false;
          const bool is_known = place < num_known;
          with_samples(is_known, tile, place, [&](PerSample& samples) {
            if (term_ != nullptr) {
              if (!is_known) model_.score(table_, records, parameters, samples);
              term_->gradient(kept_[place].places, kept_[place].shares, tile.added);
              model_.differentiate(table_, records, tile.added, samples);
            } else if (!is_known) {
              model_.per_sample(table_, records, parameters, samples);
            }
            const GradientNorms norms = find_norms(counted, samples, tile);
            if (counts_norms_afterwards()) count_tile(norms, tile);
            tile.weights.resize(records.size());
            tile.num_cut += clip_.weights(norms, tile.weights);
            if constexpr (kAnyOrder) {
              model_.add_counted_sum(table_, counted, samples, tile.weights, scale, sum);
            } else {
              model_.add_weighted_sum(table_, records, samples, tile.weights, sum);
            }
          });
        },
        [&](size_t num_tiles) {
          if (counts_norms_afterwards()) add_counts(num_tiles);
          if (!kAnyOrder) add_tiles(0, num_tiles);
        });
    if constexpr (kAnyOrder) {
      add_tiles(1, tiles_.size());
      round_sum(scale.grid, grid, total_);
    }
    return total_;
  }

  /// The clip policy's counts of the batch, for policies that count before weighting. Results of
  /// the passes are kept for `compute`.
  std::span<const int64_t> count(const CountedRecords& batch, std::span<const double> parameters) {
    if (of_units_) return of_units_->count(batch.records, parameters);
    look_at(batch, [&](size_t, const CountedRecords& counted, Tile& tile, PerSample& samples) {
      model_.per_sample(table_, counted.records, parameters, samples);
      count_tile(find_norms(counted, samples, tile), tile);
    });
    return counts_;
  }

  /// The sums over the batch for the clip policy's term, in its units. Results of the forward pass
  /// are kept for `compute`.
  std::span<const int64_t> sums_of_term(const CountedRecords& batch,
                                        std::span<const double> parameters) {
    look_at(batch,
            [&](size_t place, const CountedRecords& counted, Tile& tile, PerSample& samples) {
              KeptTile& kept = kept_[place];
              model_.score(table_, counted.records, parameters, samples);
              term_->predict(samples.output_gradient, kept.shares);
              tile.counts.assign(counts_.size(), 0);
              kept.places.clear();
              for (const uint32_t record : counted.records) kept.places.push_back(places_[record]);
              term_->add_sums(kept.places, kept.shares, counted.counts, tile.counts);
            });
    return counts_;
  }

  /// The number of records in the last sum whose weight was beyond the bound.
  int64_t num_cut() const {
    if (of_units_) return of_units_->num_cut();
    int64_t num_cut = 0;
    for (const Tile& tile : tiles_) num_cut += tile.num_cut;
    return num_cut;
  }

  /// The clip policy's counts of the last batch.
  std::span<const int64_t> counts() const { return of_units_ ? of_units_->counts() : counts_; }

 private:
  static constexpr bool kAnyOrder = std::is_same_v<Sum, int64_t>;

  struct Tile {
    PerSample samples;
    std::vector<double> weights;
    std::vector<double> added;  ///< to the gradients at the scores
    std::vector<GroupId> groups;
    std::vector<int64_t> counts;
    std::vector<Sum> sum;
    int64_t num_cut = 0;
    bool is_new = true;  ///< `sum` holds nothing of this batch
  };

  /// Results of a first look at a tile.
  struct KeptTile {
    PerSample samples;             ///< for the first num_known_ tiles
    std::vector<double> shares;    ///< the term's predictions, if there is a term
    std::vector<uint32_t> places;  ///< the same: of its records
  };

  /// Calls use(samples) with the kept samples of a tile, or with the working ones. Parts that are
  /// the same for all tiles, or are recomputed, are lent instead of kept: the parameters, and under
  /// rates the results of the backward pass.
  template <typename Use>
  void with_samples(bool is_kept, Tile& tile, size_t place, const Use& use) {
    if (!is_kept) return use(tile.samples);
    PerSample& samples = kept_[place].samples;
    const auto lend = [&] {
      std::swap(samples.parameters, tile.samples.parameters);
      if (term_ == nullptr) return;
      std::swap(samples.gradients, tile.samples.gradients);
      std::swap(samples.kept, tile.samples.kept);
    };
    lend();
    use(samples);
    lend();
  }

  /// The scale of the sum before it is rounded to `grid`.
  SumScale exact_scale(double grid) const {
    const double bound = clip_.bound();
    const SumScale scale{model_.exact_grid({grid, bound}), bound};
    if (!(num_records_ * bound / scale.grid < 0x1p61))
      throw Error(ErrorKind::kRuntime, "train.loop",
                  "sums of this many records may not fit in 64 bits");
    return scale;
  }

  bool counts_norms_afterwards() const { return term_ == nullptr && !clip_.counts_come_first(); }

  size_t num_tiles_of(const CountedRecords& batch) const {
    return (batch.size() + model_.max_tile_records() - 1) / model_.max_tile_records();
  }

  /// Calls do_tile(i, place, records) for as many tiles at once as there are threads, i < threads,
  /// then end_round(number of tiles). place: the index of the tile in the batch.
  template <typename DoTile, typename EndRound>
  void for_each_round(const CountedRecords& batch, const DoTile& do_tile,
                      const EndRound& end_round) {
    if (batch.size() == 0) return;
    const size_t all_tiles = num_tiles_of(batch);
    const size_t tile_records = (batch.size() + all_tiles - 1) / all_tiles;
    size_t place = 0;
    for (size_t done = 0; done < batch.size(); done += tiles_.size() * tile_records) {
      const size_t num_tiles =
          std::min(tiles_.size(), (batch.size() - done + tile_records - 1) / tile_records);
      parallel_for(num_tiles, static_cast<int>(tiles_.size()), [&](size_t i) {
        const size_t begin = done + i * tile_records;
        do_tile(i, place + i, batch.subspan(begin, std::min(tile_records, batch.size() - begin)));
      });
      end_round(num_tiles);
      place += num_tiles;
    }
  }

  /// A first look, which counts: calls look(place, counted records, tile, results of the passes).
  /// The results are kept as far as max_kept() allows.
  template <typename Look>
  void look_at(const CountedRecords& batch, const Look& look) {
    std::ranges::fill(counts_, 0);
    kept_.resize(std::max(kept_.size(), num_tiles_of(batch)));
    num_known_ = tiles_.size();
    looked_at_.assign(batch.records.begin(), batch.records.end());
    for_each_round(
        batch,
        [&](size_t i, size_t place, const CountedRecords& counted) {
          with_samples(place < num_known_, tiles_[i], place,
                       [&](PerSample& samples) { look(place, counted, tiles_[i], samples); });
        },
        [&](size_t num_tiles) {
          add_counts(num_tiles);
          // The same number after every round, because the first tile is the largest.
          num_known_ = std::max(tiles_.size(), max_kept(table_) / kept_size(kept_.front().samples));
        });
  }

  void add_counts(size_t num_tiles) {
    for (size_t i = 0; i < num_tiles; ++i) {
      for (size_t k = 0; k < counts_.size(); ++k) counts_[k] += tiles_[i].counts[k];
    }
  }

  void add_tiles(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (tiles_[i].is_new) continue;
      for (size_t j = 0; j < total_.size(); ++j) total_[j] += tiles_[i].sum[j];
    }
  }

  GradientNorms find_norms(const CountedRecords& counted, PerSample& samples, Tile& tile) {
    const std::span<const uint32_t> records = counted.records;
    // A null record has no norm: weight 0, and not counted.
    for (size_t i = 0; i < records.size(); ++i) {
      if (table_.contributes[records[i]] == 0) samples.squared_norm[i] = kNoNorm;
    }
    tile.groups.clear();
    for (size_t i = 0; i < records.size() && clip_.num_groups() > 0; ++i) {
      const GroupId group = table_.groups[records[i]];
      const bool is_known = index_of(group) < clip_.num_groups();
      if (!is_known) samples.squared_norm[i] = kNoNorm;
      tile.groups.push_back(is_known ? group : GroupId(0));
    }
    return {samples.squared_norm, tile.groups, counted.counts};
  }

  void count_tile(const GradientNorms& norms, Tile& tile) {
    tile.counts.assign(counts_.size(), 0);
    clip_.add_counts(norms, tile.counts);
  }

  const EncodedTable& table_;
  double num_records_;
  const Model& model_;
  const ClipPolicy& clip_;
  const PredictionTerm* term_;
  std::vector<int64_t> counts_;  // or the sums of the term
  std::vector<Tile> tiles_;
  std::vector<uint32_t> places_;     // if there is a term: of the table's records
  std::vector<KeptTile> kept_;       // tiles of the batch, after a first look at it
  size_t num_known_ = 0;             // the number of tiles with samples, from the first
  std::vector<uint32_t> looked_at_;  // the batch of the last first look
  std::vector<Sum> total_;
  std::optional<UnitSum<Sum>> of_units_;  // if the table has units: computes the sums instead
};

/// The result at the end of a run.
TrainedModel result_of(Iterates iterates, const ClipPolicy& clip, double side_noise_stddev) {
  TrainedModel trained{std::move(iterates).average()};
  if (const PredictionTerm* term = clip.term(); term != nullptr)
    trained.constraints = term->traces(side_noise_stddev);
  return trained;
}

/// Sums in units of 2^-kCountBits, with Laplace or Gaussian noise as the permit says. Each record
/// moves them by at most 1, in the norm (L1 or L2) of that noise.
std::vector<double> noisy_sums(Permit permit, std::vector<int64_t> units, RandomSource& source) {
  constexpr double kOne = int64_t{1} << kCountBits;
  if (permit.event().kind() == Event::Kind::kLaplace) {
    add_laplace_noise(std::move(permit), Sensitivity(kOne, Norm::kL1, Relation::kZeroOut), units,
                      source);
  } else {
    add_gaussian_noise(std::move(permit), Sensitivity(kOne, Norm::kL2, Relation::kZeroOut), units,
                       source);
  }
  std::vector<double> noisy(units.begin(), units.end());
  for (double& count : noisy) count /= kOne;
  return noisy;
}

/// Each record raises at most one count by 1.
std::vector<double> noisy_counts(Permit permit, std::span<const int64_t> counts,
                                 RandomSource& source) {
  std::vector<int64_t> units(counts.begin(), counts.end());
  for (int64_t& unit : units) unit <<= kCountBits;
  return noisy_sums(std::move(permit), std::move(units), source);
}

/// Adds noise to a gradient sum, in units of `grid`. The permits hold one payment for all records,
/// or one per group.
void add_noise(std::span<BatchPermit> permits, const ClipPolicy& clip, double sum_error,
               double grid, std::span<int64_t> sum, RandomSource& source) {
  std::vector<Permit> draws;
  for (BatchPermit& permit : permits) draws.push_back(permit.take(0));
  std::vector<Sensitivity> sensitivities;
  // The grid is a power of two, so the quotient is exact.
  const auto add_sensitivity = [&](double bound) {
    sensitivities.emplace_back(add_up(bound, sum_error) / grid, Norm::kL2, Relation::kZeroOut);
  };
  if (permits.size() == 1) {
    add_sensitivity(clip.bound());
  } else {
    for (const double bound : clip.group_bounds()) add_sensitivity(bound);
  }
  add_shared_gaussian_noise(std::move(draws), sensitivities, sum, source);
}

/// run_plain_loop without the check that the sum is not one of units.
TrainedModel take_plain_steps(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of) {
  if (training.plan.privacy || !training.plan.items.empty()) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "a plan with a guarantee cannot be run by a loop that gives none");
  }
  check_table("train.loop", training.table, training.model);
  if (training.start.num_steps_done > 0) clip.restore(training.start.clip);
  Iterates descent(training.plan, std::move(training.start));
  RowBatches batches(training.table);
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    training.source.start_step(static_cast<uint64_t>(step));
    const std::span<const uint32_t> batch =
        batches.draw_freely(training.plan.sample_rate, training.source);
    const std::vector<double>& parameters = descent.state().parameters;
    const std::span<const double> sum = sum_of(batch, parameters);
    training.observer.on_batch({step, {batch}, parameters, clip, {}, 0});
    descent.update(sum, 1.0);
    descent.keep_clip(clip.state());
    training.observer.on_step({step, training.plan.config.num_steps, descent.state()});
  }
  return result_of(std::move(descent), clip, training.plan.side_noise_stddev);
}

}  // namespace

void step_to(std::vector<double> parameters, TrainingRun& training) {
  TrainingState& state = training.start;
  state.parameters = std::move(parameters);
  state.average = state.parameters;
  ++state.num_steps_done;
  training.observer.on_step({state.num_steps_done - 1, training.plan.config.num_steps, state});
}

TrainedModel run_noisy_loop(TrainingRun training, ClipPolicy& clip, const BeforeStep& before_step) {
  check_run("train.loop", training.table, training.model, training.plan, training.charge,
            UnitRowsUse::kSummed);
  if (clip.num_groups() > 0 && clip.num_groups() != training.plan.facts.num_groups)
    throw Error(ErrorKind::kRuntime, "train.loop",
                "the clip policy and the plan have different groups");
  if (training.start.num_steps_done > 0) clip.restore(training.start.clip);
  BatchSum<int64_t> sums(training.table, training.model, clip, training.plan.config.threads);
  Iterates descent(training.plan, std::move(training.start), training.model.step_scales());
  RowBatches batches(training.table);
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    const std::vector<double>& parameters = descent.state().parameters;
    if (before_step) before_step(step, parameters, training.charge);
    training.source.start_step(static_cast<uint64_t>(step));
    std::vector<BatchPermit> permits = training.charge.next_batches(0);
    const CountedRecords batch = batches.draw(permits, training.source);
    if (PredictionTerm* term = clip.term(); term != nullptr) {
      const std::span<const int64_t> of_term = sums.sums_of_term(batch, parameters);
      term->take_sums(
          noisy_sums(permits[0].take(1), {of_term.begin(), of_term.end()}, training.source));
    } else if (clip.counts_come_first()) {
      clip.take_counts(
          noisy_counts(permits[0].take(1), sums.count(batch, parameters), training.source));
    }
    const double bound = clip.bound();
    const double grid = training.plan.grid_for(bound);
    const std::span<int64_t> sum = sums.compute(batch, parameters, grid);
    training.observer.on_batch({step, batch, parameters, clip, sum, grid, sums.num_cut()});
    add_noise(permits, clip, training.model.sum_error(grid), grid, sum, training.source);
    descent.update(std::span<const int64_t>(sum), grid);
    if (clip.num_counts() > 0 && !clip.counts_come_first()) {
      clip.take_counts(noisy_counts(permits[0].take(1), sums.counts(), training.source));
    }
    descent.keep_clip(clip.state());
    // Before the observer sees the last state: a run resumed from it has nothing left to draw.
    if (descent.done() && training.plan.residual_noise_multiplier > 0)
      descent.keep_average(without_mean_residual(training, clip.num_groups(), clip.group_weights(),
                                                 descent.state().average));
    training.observer.on_step({step, training.plan.config.num_steps, descent.state(), false,
                               step >= training.plan.num_first_steps});
  }
  return result_of(std::move(descent), clip, training.plan.side_noise_stddev);
}

TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip) {
  const Model& model = training.model;
  BatchSum<double> sums(training.table, model, clip, training.plan.config.threads);
  const auto sum_of = [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
    if (PredictionTerm* term = clip.term(); term != nullptr) {
      const std::span<const int64_t> units = sums.sums_of_term({batch}, parameters);
      std::vector<double> of_term(units.begin(), units.end());
      for (double& sum : of_term) sum = std::ldexp(sum, -kCountBits);
      term->take_sums(of_term);
    }
    const std::span<double> sum = sums.compute({batch}, parameters, 0);
    const std::span<const double> scales = model.step_scales();
    for (size_t j = 0; j < scales.size(); ++j) sum[j] *= scales[j];
    return sum;
  };
  return take_plain_steps(std::move(training), clip, sum_of);
}

TrainedModel run_plain_loop(TrainingRun training, ClipPolicy& clip, const PlainSum& sum_of) {
  require_rows("train.loop", training.table);
  return take_plain_steps(std::move(training), clip, sum_of);
}

}  // namespace equinoise
