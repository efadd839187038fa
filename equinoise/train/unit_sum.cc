// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/unit_sum.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/train/kept_passes.h"
#include "equinoise/train/round_sum.h"

namespace equinoise {

template <typename Sum>
UnitSum<Sum>::UnitSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip,
                      int threads)
    : table_(table),
      model_(model),
      clip_(clip),
      workers_(static_cast<size_t>(threads), Worker{UnitTile<Sum>(table, model, clip)}),
      counts_(clip.num_counts()),
      total_(model.num_parameters()) {
  for (Worker& worker : workers_) worker.sum.resize(total_.size());
}

template <typename Sum>
std::span<Sum> UnitSum<Sum>::compute(std::span<const uint32_t> units,
                                     std::span<const double> parameters, double grid) {
  constexpr bool kIsExact = std::is_same_v<Sum, int64_t>;
  const SumScale scale = kIsExact ? scale_of(grid) : SumScale{};
  const size_t num_known = std::exchange(num_known_, 0);
  if (num_known > 0 && !std::ranges::equal(units, looked_at_))
    throw Error(ErrorKind::kRuntime, "train.loop", "a different batch was read");
  const bool counts = !clip_.counts_come_first();
  if (counts) std::ranges::fill(counts_, 0);
  std::ranges::fill(total_, Sum{0});
  for (Worker& worker : workers_) worker.scratch.num_cut = 0;
  size_t num_used = 0;  // workers with a sum that is not 0
  const auto add_sums = [&](size_t num_workers) {
    for (size_t i = 0; i < num_workers; ++i) {
      std::vector<Sum>& sum = workers_[i].sum;
      for (size_t j = 0; j < total_.size(); ++j) total_[j] += std::exchange(sum[j], Sum{0});
    }
  };
  cut(units);
  for_each_tile(
      [&](Worker& worker, size_t place) {
        const bool is_known = place < num_known;
        with_tile(is_known, place, worker, [&](UnitTile<Sum>& tile) {
          if (!is_known) tile.fill(tile_units_[place], parameters, worker.scratch);
          tile.add(parameters, scale, worker.scratch,
                   counts ? std::span(worker.counts) : std::span<int64_t>(), worker.sum);
        });
      },
      [&](size_t num_workers) {
        if (counts) add_counts(num_workers);
        // Doubles are added in the order of the tiles, so the result does not depend on threads.
        num_used = std::max(num_used, num_workers);
        if (!kIsExact) add_sums(num_workers);
      });
  if constexpr (kIsExact) {
    add_sums(num_used);
    round_sum(scale.grid, grid, total_);
  }
  return total_;
}

template <typename Sum>
std::span<const int64_t> UnitSum<Sum>::count(std::span<const uint32_t> units,
                                             std::span<const double> parameters) {
  std::ranges::fill(counts_, 0);
  looked_at_.assign(units.begin(), units.end());
  cut(units);
  while (kept_.size() < tile_units_.size()) kept_.emplace_back(table_, model_, clip_);
  num_known_ = workers_.size();
  size_t num_seen = 0;
  size_t size = 0;
  for_each_tile(
      [&](Worker& worker, size_t place) {
        with_tile(place < num_known_, place, worker, [&](UnitTile<Sum>& tile) {
          tile.fill(tile_units_[place], parameters, worker.scratch);
          tile.count(parameters, worker.scratch, worker.counts);
        });
      },
      [&](size_t num_workers) {
        add_counts(num_workers);
        for (size_t i = num_seen; i < std::min(num_seen + num_workers, num_known_); ++i)
          size += kept_size(kept_[i].samples());
        num_seen += num_workers;
        if (size < max_kept(table_)) num_known_ = num_seen + workers_.size();
      });
  return counts_;
}

template <typename Sum>
int64_t UnitSum<Sum>::num_cut() const {
  int64_t num_cut = 0;
  for (const Worker& worker : workers_) num_cut += worker.scratch.num_cut;
  return num_cut;
}

template <typename Sum>
void UnitSum<Sum>::cut(std::span<const uint32_t> units) {
  tile_units_.clear();
  while (!units.empty()) {
    size_t num_units = 0;
    size_t num_rows = 0;
    for (const uint32_t unit : units) {
      num_rows += table_.unit_begin[unit + 1] - table_.unit_begin[unit];
      if (num_rows > model_.max_tile_records() && num_units > 0) break;
      ++num_units;
    }
    tile_units_.push_back(units.first(num_units));
    units = units.subspan(num_units);
  }
}

template <typename Sum>
template <typename Use, typename EndRound>
void UnitSum<Sum>::for_each_tile(const Use& use, const EndRound& end_round) {
  for (size_t begin = 0; begin < tile_units_.size(); begin += workers_.size()) {
    const size_t num_tiles = std::min(workers_.size(), tile_units_.size() - begin);
    parallel_for(num_tiles, static_cast<int>(workers_.size()), [&](size_t i) {
      workers_[i].counts.assign(counts_.size(), 0);
      use(workers_[i], begin + i);
    });
    end_round(num_tiles);
  }
}

template <typename Sum>
template <typename Use>
void UnitSum<Sum>::with_tile(bool is_kept, size_t place, Worker& worker, const Use& use) {
  if (!is_kept) return use(worker.tile);
  // Parameters are the same for all tiles: they are lent, not kept.
  std::vector<float>& kept = kept_[place].samples().parameters;
  std::vector<float>& lent = worker.tile.samples().parameters;
  std::swap(kept, lent);
  use(kept_[place]);
  std::swap(kept, lent);
}

template <typename Sum>
SumScale UnitSum<Sum>::scale_of(double grid) const {
  const SumScale scale = UnitTile<Sum>::scale_of(model_, clip_.bound(), grid);
  if (!(static_cast<double>(table_.num_units()) * clip_.bound() / scale.grid < 0x1p61)) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "sums of this many units may not fit in 64 bits");
  }
  return scale;
}

template <typename Sum>
void UnitSum<Sum>::add_counts(size_t num_workers) {
  for (size_t i = 0; i < num_workers; ++i)
    for (size_t k = 0; k < counts_.size(); ++k) counts_[k] += workers_[i].counts[k];
}

template class UnitSum<int64_t>;
template class UnitSum<double>;

}  // namespace equinoise
