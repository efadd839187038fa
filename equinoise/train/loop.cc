#include "equinoise/train/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/parallel.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/random/poisson.h"

namespace equinoise {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

/// Counts are released on this grid, far below their noise.
constexpr int kCountBits = 20;

/// Sums the clipped gradients of a batch tile by tile, as many tiles at once as there are threads.
/// Tiles are of equal size, but for the last, and do not depend on the number of threads. Integers
/// are added up where they arise, in whatever order; others are added in the order of the tiles.
template <typename Sum>
class BatchSum {
 public:
  BatchSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads)
      : table_(table),
        model_(model),
        clip_(clip),
        counts_(clip.num_counts()),
        tiles_(static_cast<size_t>(threads)),
        total_(model.num_parameters()) {
    if (clip.num_groups() > 0 && std::ssize(table.groups) != table.num_records) {
      throw Error(ErrorKind::kRuntime, "train.loop", "the table has no groups");
    }
  }

  /// The clipped sum; integers are in units of `grid`.
  std::span<Sum> compute(std::span<const uint32_t> batch, std::span<const double> parameters,
                         double grid) {
    std::fill(total_.begin(), total_.end(), Sum{0});
    if (!clip_.counts_come_first()) std::fill(counts_.begin(), counts_.end(), 0);
    for (Tile& tile : tiles_) tile.is_new = true;
    const SumScale scale{grid, clip_.bound()};
    for_each_round(
        batch,
        [&](size_t i, std::span<const uint32_t> records) {
          Tile& tile = tiles_[i];
          std::vector<Sum>& sum = kAnyOrder && i == 0 ? total_ : tile.sum;
          if (&sum != &total_ && (tile.is_new || !kAnyOrder)) sum.assign(total_.size(), Sum{0});
          tile.is_new = false;
          const GradientNorms norms = find_norms(records, parameters, tile);
          if (!clip_.counts_come_first()) count_tile(norms, tile);
          tile.weights.resize(records.size());
          clip_.weights(norms, tile.weights);
          if constexpr (kAnyOrder) {
            model_.add_weighted_sum(table_, records, tile.samples, tile.weights, scale, sum);
          } else {
            model_.add_weighted_sum(table_, records, tile.samples, tile.weights, sum);
          }
        },
        [&](size_t num_tiles) {
          if (!clip_.counts_come_first()) add_counts(num_tiles);
          if (!kAnyOrder) add_tiles(0, num_tiles);
        });
    if (kAnyOrder) add_tiles(1, tiles_.size());
    return total_;
  }

  /// What the clip policy counts of the batch, for policies that count before they give weights.
  std::span<const int64_t> count(std::span<const uint32_t> batch,
                                 std::span<const double> parameters) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for_each_round(
        batch,
        [&](size_t i, std::span<const uint32_t> records) {
          count_tile(find_norms(records, parameters, tiles_[i]), tiles_[i]);
        },
        [&](size_t num_tiles) { add_counts(num_tiles); });
    return counts_;
  }

  /// What the clip policy counts of the batch that was looked at last.
  std::span<const int64_t> counts() const { return counts_; }

 private:
  static constexpr bool kAnyOrder = std::is_same_v<Sum, int64_t>;

  struct Tile {
    PerSample samples;
    std::vector<double> weights;
    std::vector<GroupId> groups;
    std::vector<int64_t> counts;
    std::vector<Sum> sum;
    bool is_new = true;  ///< nothing of this batch is in `sum`
  };

  /// do_tile(i, records) for as many tiles at once as there are threads, then end_round(how many).
  template <typename DoTile, typename EndRound>
  void for_each_round(std::span<const uint32_t> batch, const DoTile& do_tile,
                      const EndRound& end_round) {
    if (batch.empty()) return;
    const auto tiles_of = [&](size_t tile_records) {
      return (batch.size() + tile_records - 1) / tile_records;
    };
    const size_t all_tiles = tiles_of(model_.max_tile_records());
    const size_t tile_records = (batch.size() + all_tiles - 1) / all_tiles;
    while (!batch.empty()) {
      const size_t num_tiles = std::min(tiles_.size(), tiles_of(tile_records));
      parallel_for(num_tiles, static_cast<int>(tiles_.size()), [&](size_t i) {
        const size_t begin = i * tile_records;
        do_tile(i, batch.subspan(begin, std::min(tile_records, batch.size() - begin)));
      });
      end_round(num_tiles);
      batch = batch.subspan(std::min(num_tiles * tile_records, batch.size()));
    }
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

  GradientNorms find_norms(std::span<const uint32_t> records, std::span<const double> parameters,
                           Tile& tile) {
    model_.per_sample(table_, records, parameters, tile.samples);
    // A null record has no norm: weight 0, and not counted.
    for (size_t i = 0; i < records.size(); ++i) {
      if (table_.contributes[records[i]] == 0) tile.samples.squared_norm[i] = kNoNorm;
    }
    tile.groups.clear();
    for (size_t i = 0; i < records.size() && clip_.num_groups() > 0; ++i) {
      const GroupId group = table_.groups[records[i]];
      const bool is_known = index_of(group) < clip_.num_groups();
      if (!is_known) tile.samples.squared_norm[i] = kNoNorm;
      tile.groups.push_back(is_known ? group : GroupId(0));
    }
    return {tile.samples.squared_norm, tile.groups};
  }

  void count_tile(const GradientNorms& norms, Tile& tile) {
    tile.counts.assign(counts_.size(), 0);
    clip_.add_counts(norms, tile.counts);
  }

  const EncodedTable& table_;
  const Model& model_;
  const ClipPolicy& clip_;
  std::vector<int64_t> counts_;
  std::vector<Tile> tiles_;
  std::vector<Sum> total_;
};

/// The optimizer's steps with a linearly falling rate, and the mean of the last iterates.
class Descent {
 public:
  Descent(const TrainingPlan& plan, TrainingState start)
      : config_(plan.config),
        first_averaged_(first_averaged_step(plan.config)),
        state_(std::move(start)) {
    const size_t size = plan.facts.num_parameters;
    const size_t kept = optimizer_state_size(config_.optimizer, size);
    if (state_.num_steps_done == 0) state_.optimizer.resize(kept, 0.0);
    if (state_.parameters.size() != size || state_.average.size() != size ||
        state_.optimizer.size() != kept || state_.num_steps_done < 0 ||
        state_.num_steps_done > config_.num_steps) {
      throw Error(ErrorKind::kRuntime, "train.loop", "the state is not one of this plan");
    }
  }

  const TrainingState& state() const { return state_; }
  void keep_clip(std::vector<double> clip) { state_.clip = std::move(clip); }
  bool done() const { return state_.num_steps_done == config_.num_steps; }

  /// A step for the gradient scale * sum / batch_size.
  template <typename Sum>
  void update(std::span<const Sum> sum, double scale) {
    const int64_t step = state_.num_steps_done++;
    take_step(config_.optimizer, step, learning_rate_at(config_, step), scale / config_.batch_size,
              sum, std::span<double>(state_.parameters), std::span<double>(state_.optimizer));
    if (step < first_averaged_) return;
    const double share = 1 / static_cast<double>(step - first_averaged_ + 1);
    for (size_t j = 0; j < sum.size(); ++j)
      state_.average[j] += share * (state_.parameters[j] - state_.average[j]);
  }

  TrainedModel result() && { return {std::move(state_.average)}; }

 private:
  TrainingConfig config_;
  int64_t first_averaged_;
  TrainingState state_;
};

/// Each record raises at most one count by 1.
std::vector<double> noisy_counts(Permit permit, std::span<const int64_t> counts,
                                 RandomSource& source) {
  std::vector<int64_t> units(counts.begin(), counts.end());
  for (int64_t& unit : units) unit <<= kCountBits;
  const double one = std::ldexp(1.0, kCountBits);
  add_gaussian_noise(std::move(permit), Sensitivity(one, Norm::kL2, Relation::kZeroOut), units,
                     source);
  std::vector<double> noisy(units.begin(), units.end());
  for (double& count : noisy) count /= one;
  return noisy;
}

/// The plan's grid, coarser by a power of two where a step's bound is larger than the clip of the
/// plan. Public, as the bound is.
double grid_for(const TrainingPlan& plan, double bound) {
  const double ratio = bound / plan.config.max_grad_norm;
  return ratio >= 2 ? plan.grid * power_of_two_below(ratio) : plan.grid;
}

}  // namespace

int64_t first_averaged_step(const TrainingConfig& config) {
  const double share = config.tail_average * static_cast<double>(config.num_steps);
  return config.num_steps - std::max<int64_t>(1, std::llround(share));
}

TrainedModel run_noisy_loop(const EncodedTable& table, const Model& model, ClipPolicy& clip,
                            const TrainingPlan& plan, TrainingState start, Charge charge,
                            RandomSource& source, StepObserver& observer) {
  if (charge.events() != plan.events() || table.num_records != plan.facts.num_records ||
      model.num_parameters() != plan.facts.num_parameters ||
      (clip.num_groups() > 0 && clip.num_groups() != plan.facts.num_groups)) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "charge, table or model are not those of the plan");
  }
  if (start.num_steps_done > 0) clip.restore(start.clip);
  BatchSum<int64_t> sums(table, model, clip, plan.config.threads);
  Descent descent(plan, std::move(start));
  std::vector<uint32_t> batch;
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    source.start_step(static_cast<uint64_t>(step));
    BatchPermit permit = charge.next_batch(0);
    permit.draw(table.num_records, source, batch);
    const std::vector<double>& parameters = descent.state().parameters;
    if (clip.counts_come_first()) {
      clip.take_counts(noisy_counts(permit.take(1), sums.count(batch, parameters), source));
    }
    const double bound = clip.bound();
    const double grid = grid_for(plan, bound);
    const std::span<int64_t> sum = sums.compute(batch, parameters, grid);
    observer.on_batch({step, batch, parameters, clip, sum, grid});
    // The grid is a power of two, so the quotient is exact.
    const Sensitivity sensitivity(add_up(bound, model.sum_error(grid)) / grid, Norm::kL2,
                                  Relation::kZeroOut);
    add_gaussian_noise(permit.take(0), sensitivity, sum, source);
    descent.update(std::span<const int64_t>(sum), grid);
    if (clip.num_counts() > 0 && !clip.counts_come_first()) {
      clip.take_counts(noisy_counts(permit.take(1), sums.counts(), source));
    }
    descent.keep_clip(clip.state());
    observer.on_step({step, plan.config.num_steps, descent.state()});
  }
  return std::move(descent).result();
}

TrainedModel run_plain_loop(const EncodedTable& table, const Model& model, const ClipPolicy& clip,
                            const TrainingPlan& plan, TrainingState start, RandomSource& source,
                            StepObserver& observer) {
  BatchSum<double> sums(table, model, clip, plan.config.threads);
  return run_plain_loop(table.num_records, plan, std::move(start), source, observer, clip,
                        [&](std::span<const uint32_t> batch, std::span<const double> parameters) {
                          return sums.compute(batch, parameters, 0);
                        });
}

TrainedModel run_plain_loop(int64_t num_records, const TrainingPlan& plan, TrainingState start,
                            RandomSource& source, StepObserver& observer, const ClipPolicy& clip,
                            const PlainSum& sum_of) {
  if (plan.privacy || !plan.items.empty()) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "a plan with a guarantee cannot be run without one");
  }
  Descent descent(plan, std::move(start));
  std::vector<uint32_t> batch;
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    source.start_step(static_cast<uint64_t>(step));
    poisson_sample(plan.sample_rate, num_records, source, batch);
    const std::vector<double>& parameters = descent.state().parameters;
    const std::span<const double> sum = sum_of(batch, parameters);
    observer.on_batch({step, batch, parameters, clip, {}, 0});
    descent.update(sum, 1.0);
    observer.on_step({step, plan.config.num_steps, descent.state()});
  }
  return std::move(descent).result();
}

}  // namespace equinoise
