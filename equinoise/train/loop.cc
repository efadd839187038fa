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
/// Tiles do not depend on the number of threads. Integers are added up where they arise, in
/// whatever order; others are added in the order of the tiles.
template <typename Sum>
class BatchSum {
 public:
  /// `grid` is for integer sums.
  BatchSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, double grid,
           int threads)
      : table_(table),
        model_(model),
        clip_(clip),
        scale_{grid, clip.bound()},
        counts_(clip.num_counts()),
        tiles_(static_cast<size_t>(threads)),
        total_(model.num_parameters()) {}

  std::span<Sum> compute(std::span<const uint32_t> batch, std::span<const double> parameters) {
    constexpr bool kAnyOrder = std::is_same_v<Sum, int64_t>;
    std::fill(total_.begin(), total_.end(), Sum{0});
    std::fill(counts_.begin(), counts_.end(), 0);
    for (Tile& tile : tiles_) tile.is_new = true;
    const size_t tile_records = model_.max_tile_records();
    while (!batch.empty()) {
      const size_t num_tiles =
          std::min(tiles_.size(), (batch.size() + tile_records - 1) / tile_records);
      parallel_for(num_tiles, static_cast<int>(tiles_.size()), [&](size_t i) {
        const size_t begin = i * tile_records;
        Tile& tile = tiles_[i];
        std::vector<Sum>& sum = kAnyOrder && i == 0 ? total_ : tile.sum;
        if (&sum != &total_ && (tile.is_new || !kAnyOrder)) sum.assign(total_.size(), Sum{0});
        tile.is_new = false;
        compute_tile(batch.subspan(begin, std::min(tile_records, batch.size() - begin)), parameters,
                     tile, sum);
      });
      for (size_t i = 0; i < num_tiles; ++i) {
        for (size_t k = 0; k < counts_.size(); ++k) counts_[k] += tiles_[i].counts[k];
      }
      if (!kAnyOrder) add_tiles(0, num_tiles);
      batch = batch.subspan(std::min(num_tiles * tile_records, batch.size()));
    }
    if (kAnyOrder) add_tiles(1, tiles_.size());
    return total_;
  }

  /// What the clip policy counts of the batch that was summed up last.
  std::span<const int64_t> counts() const { return counts_; }

 private:
  struct Tile {
    PerSample samples;
    std::vector<double> weights;
    std::vector<int64_t> counts;
    std::vector<Sum> sum;
    bool is_new = true;  ///< nothing of this batch is in `sum`
  };

  void add_tiles(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (tiles_[i].is_new) continue;
      for (size_t j = 0; j < total_.size(); ++j) total_[j] += tiles_[i].sum[j];
    }
  }

  void compute_tile(std::span<const uint32_t> records, std::span<const double> parameters,
                    Tile& tile, std::vector<Sum>& sum) {
    model_.per_sample(table_, records, parameters, tile.samples);
    // A null record has no norm: weight 0, and not counted.
    for (size_t i = 0; i < records.size(); ++i) {
      if (table_.contributes[records[i]] == 0) tile.samples.squared_norm[i] = kNoNorm;
    }
    tile.weights.resize(records.size());
    clip_.weights(tile.samples.squared_norm, tile.weights);
    tile.counts.assign(counts_.size(), 0);
    clip_.add_counts(tile.samples.squared_norm, tile.counts);
    if constexpr (std::is_same_v<Sum, int64_t>) {
      model_.add_weighted_sum(table_, records, tile.samples, tile.weights, scale_, sum);
    } else {
      model_.add_weighted_sum(table_, records, tile.samples, tile.weights, sum);
    }
  }

  const EncodedTable& table_;
  const Model& model_;
  const ClipPolicy& clip_;
  SumScale scale_;
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
    const double progress = config_.num_steps > 1 ? static_cast<double>(step) /
                                                        static_cast<double>(config_.num_steps - 1)
                                                  : 0;
    const double rate =
        config_.learning_rate + progress * (config_.final_learning_rate - config_.learning_rate);
    take_step(config_.optimizer, step, rate, scale / config_.batch_size, sum,
              std::span<double>(state_.parameters), std::span<double>(state_.optimizer));
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
  std::vector<double> noisy;
  for (int64_t unit : units) noisy.push_back(static_cast<double>(unit) / one);
  return noisy;
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
      model.num_parameters() != plan.facts.num_parameters) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "charge, table or model are not those of the plan");
  }
  // The grid is a power of two, so the quotient is exact.
  const Sensitivity sensitivity(add_up(clip.bound(), model.sum_error(plan.grid)) / plan.grid,
                                Norm::kL2, Relation::kZeroOut);
  if (start.num_steps_done > 0) clip.restore(start.clip);
  BatchSum<int64_t> sums(table, model, clip, plan.grid, plan.config.threads);
  Descent descent(plan, std::move(start));
  std::vector<uint32_t> batch;
  std::vector<int64_t> noisy(model.num_parameters());
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    source.start_step(static_cast<uint64_t>(step));
    BatchPermit permit = charge.next_batch(0);
    permit.draw(table.num_records, source, batch);
    const std::span<const int64_t> sum = sums.compute(batch, descent.state().parameters);
    std::copy(sum.begin(), sum.end(), noisy.begin());
    add_gaussian_noise(permit.take(0), sensitivity, noisy, source);
    descent.update(std::span<const int64_t>(noisy), plan.grid);
    if (!sums.counts().empty()) {
      clip.take_counts(noisy_counts(permit.take(1), sums.counts(), source));
      descent.keep_clip(clip.state());
    }
    observer.on_step({step, plan.config.num_steps, batch, sum, descent.state()});
  }
  return std::move(descent).result();
}

TrainedModel run_plain_loop(const EncodedTable& table, const Model& model, const ClipPolicy& clip,
                            const TrainingPlan& plan, TrainingState start, RandomSource& source,
                            StepObserver& observer) {
  BatchSum<double> sums(table, model, clip, 0, plan.config.threads);
  Descent descent(plan, std::move(start));
  std::vector<uint32_t> batch;
  while (!descent.done()) {
    const int64_t step = descent.state().num_steps_done;
    source.start_step(static_cast<uint64_t>(step));
    poisson_sample(plan.sample_rate, table.num_records, source, batch);
    const std::span<const double> sum = sums.compute(batch, descent.state().parameters);
    descent.update(std::span<const double>(sum), 1.0);
    observer.on_step({step, plan.config.num_steps, batch, {}, descent.state()});
  }
  return std::move(descent).result();
}

}  // namespace equinoise
