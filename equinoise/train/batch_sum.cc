// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/batch_sum.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/train/prediction_term.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"
#include "equinoise/train/unit_tile.h"

namespace equinoise {

namespace {

constexpr double kNoNorm = std::numeric_limits<double>::quiet_NaN();

/// The most single-precision numbers of a batch that are kept between the first look at it and the
/// sum: 16 MiB or, if that is more, half as many numbers as the records have. Memory then stays
/// near that of training without privacy. Whole rounds of a tile per thread are kept, the first one
/// in any case; later tiles are computed twice.
size_t max_kept(const EncodedTable& table) {
  constexpr size_t kAll = size_t{1} << 22;
  return std::max(kAll, (table.dense.size() + table.active.size()) / 2);
}

/// The number of single-precision numbers kept of a tile. Parameters, which all tiles share, are
/// not kept.
size_t kept_size(const PerSample& samples) {
  size_t size = 2 * (samples.output_gradient.size() + samples.squared_norm.size());
  for (const auto* layers : {&samples.outputs, &samples.gradients, &samples.kept})
    for (const std::vector<float>& layer : *layers) size += layer.size();
  return size;
}

/// Some records, each clipped by itself, with the interface of UnitTile. Equal records are added at
/// once.
template <typename Sum>
class RecordTile {
 public:
  static constexpr const char* kMembers = "records";

  struct Scratch {
    std::vector<double> weights;
    std::vector<double> added;  ///< to the gradients at the scores
    int64_t num_cut = 0;
  };

  /// places: of the table's records in the policy's term, if there is one.
  RecordTile(const EncodedTable& table, const Model& model, const ClipPolicy& clip,
             std::shared_ptr<const std::vector<uint32_t>> places)
      : table_(&table),
        model_(&model),
        clip_(&clip),
        term_(clip.term()),
        all_places_(std::move(places)) {}

  /// All tiles but the last have the same size.
  static std::vector<CountedRecords> cut(const EncodedTable& /*table*/, const Model& model,
                                         const CountedRecords& batch) {
    const size_t most = model.max_tile_records();
    const size_t num_tiles = (batch.size() + most - 1) / most;
    std::vector<CountedRecords> tiles;
    for (size_t begin = 0; begin < batch.size();) {
      const size_t size =
          std::min((batch.size() + num_tiles - 1) / num_tiles, batch.size() - begin);
      tiles.push_back(batch.subspan(begin, size));
      begin += size;
    }
    return tiles;
  }

  static SumScale scale_of(const Model& model, double bound, double grid) {
    return {model.exact_grid({grid, bound}), bound};
  }

  void fill(const CountedRecords& counted, std::span<const double> parameters,
            Scratch& /*scratch*/) {
    const std::span<const uint32_t> records = counted.records;
    batch_.records.assign(records.begin(), records.end());
    batch_.counts.assign(counted.counts.begin(), counted.counts.end());
    model_->score({*table_, records}, parameters, samples_);
    if (term_ == nullptr) {
      differentiate({});
    } else {
      term_->predict(samples_.output_gradient, shares_);
      places_.clear();
      for (const uint32_t record : records) places_.push_back((*all_places_)[record]);
    }
  }

  void count(std::span<const double> /*parameters*/, Scratch& /*scratch*/,
             std::span<int64_t> counts) {
    if (term_ == nullptr) {
      clip_->add_counts(norms(), counts);
    } else {
      term_->add_sums(places_, shares_, batch_.counts, counts);
    }
  }

  void add(std::span<const double> /*parameters*/, const SumScale& scale, Scratch& scratch,
           std::span<int64_t> counts, std::span<Sum> sum) {
    if (term_ != nullptr) {
      term_->gradient(places_, shares_, scratch.added);
      differentiate(scratch.added);
    }
    if (!counts.empty()) clip_->add_counts(norms(), counts);
    scratch.weights.resize(batch_.records.size());
    scratch.num_cut += clip_->weights(norms(), scratch.weights);
    if constexpr (std::is_same_v<Sum, int64_t>) {
      model_->add_counted_sum(*table_, batch_.view(), samples_, scratch.weights, scale, sum);
    } else {
      model_->add_weighted_sum({*table_, batch_.records}, samples_, scratch.weights, sum);
    }
  }

  PerSample& samples() { return samples_; }

 private:
  /// The backward pass. A null record and one of an unknown group have no norm: weight 0, and not
  /// counted.
  void differentiate(std::span<const double> added) {
    const std::vector<uint32_t>& records = batch_.records;
    model_->differentiate({*table_, records}, added, samples_);
    groups_.clear();
    const size_t num_groups = clip_->num_groups();
    for (size_t i = 0; i < records.size(); ++i) {
      if (table_->contributes[records[i]] == 0) samples_.squared_norm[i] = kNoNorm;
      if (num_groups == 0) continue;
      const GroupId group = table_->groups[records[i]];
      const bool is_known = index_of(group) < num_groups;
      if (!is_known) samples_.squared_norm[i] = kNoNorm;
      groups_.push_back(is_known ? group : GroupId(0));
    }
  }

  GradientNorms norms() const { return {samples_.squared_norm, groups_, batch_.counts}; }

  const EncodedTable* table_;
  const Model* model_;
  const ClipPolicy* clip_;
  const PredictionTerm* term_;
  std::shared_ptr<const std::vector<uint32_t>> all_places_;
  CountedBatch batch_;
  PerSample samples_;  ///< with a term: of the forward pass, until add()
  std::vector<GroupId> groups_;
  std::vector<double> shares_;    ///< the term's predictions, if there is a term
  std::vector<uint32_t> places_;  ///< the same: of these records
};

/// Sums tile by tile, as many tiles at once as there are threads. The cut into tiles does not
/// depend on the number of threads.
template <typename Sum, typename Tile>
class TileSum final : public BatchSum<Sum> {
 public:
  TileSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip, int threads,
          const Tile& empty)
      : table_(table),
        model_(model),
        clip_(clip),
        num_units_(static_cast<double>(table.num_units())),
        empty_(empty),
        workers_(static_cast<size_t>(threads), Worker{empty}),
        counts_(clip.term() != nullptr ? clip.term()->num_sums() : clip.num_counts()),
        total_(model.num_parameters()) {}

  std::span<Sum> compute(const CountedRecords& batch, std::span<const double> parameters,
                         double grid) override {
    const SumScale scale = kIsExact ? scale_of(grid) : SumScale{};
    const size_t num_known = std::exchange(num_known_, 0);
    // Otherwise norms and groups of some records would weight gradients of others.
    if ((num_known > 0 || has_term()) && !std::ranges::equal(batch.records, looked_at_))
      throw Error(ErrorKind::kRuntime, "train.loop", "a different batch was read");
    const bool counts = !has_term() && !clip_.counts_come_first();
    if (counts) std::ranges::fill(counts_, 0);
    std::ranges::fill(total_, Sum{0});
    for (Worker& worker : workers_) worker.scratch.num_cut = 0;
    tiles_ = Tile::cut(table_, model_, batch);
    for_each_tile(
        [&](Worker& worker, size_t place) {
          const bool is_known = place < num_known;
          with_tile(is_known, place, worker, [&](Tile& tile) {
            if (!is_known) tile.fill(tiles_[place], parameters, worker.scratch);
            std::vector<Sum>& sum = kIsExact && &worker == workers_.data() ? total_ : worker.sum;
            sum.resize(total_.size());
            tile.add(parameters, scale, worker.scratch,
                     counts ? std::span(worker.counts) : std::span<int64_t>(), sum);
          });
        },
        [&](size_t num_workers) {
          if (counts) add_counts(num_workers);
          if (!kIsExact) add_sums(num_workers);
        });
    if constexpr (kIsExact) {
      add_sums(std::min(workers_.size(), tiles_.size()));
      round_sum(scale.grid, grid, total_);
    }
    return total_;
  }

  std::span<const int64_t> count(const CountedRecords& batch,
                                 std::span<const double> parameters) override {
    std::ranges::fill(counts_, 0);
    looked_at_.assign(batch.records.begin(), batch.records.end());
    tiles_ = Tile::cut(table_, model_, batch);
    kept_.resize(std::max(kept_.size(), tiles_.size()), empty_);
    num_known_ = workers_.size();
    size_t num_seen = 0;
    size_t size = 0;
    for_each_tile(
        [&](Worker& worker, size_t place) {
          with_tile(place < num_known_, place, worker, [&](Tile& tile) {
            tile.fill(tiles_[place], parameters, worker.scratch);
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

  int64_t num_cut() const override {
    int64_t num_cut = 0;
    for (const Worker& worker : workers_) num_cut += worker.scratch.num_cut;
    return num_cut;
  }

  std::span<const int64_t> counts() const override { return counts_; }

 private:
  static constexpr bool kIsExact = std::is_same_v<Sum, int64_t>;

  /// Working memory of a thread.
  struct Worker {
    Tile tile;
    typename Tile::Scratch scratch = {};
    std::vector<int64_t> counts = {};
    /// (num_parameters) of its tiles so far, zeros between batches; or empty.
    std::vector<Sum> sum = {};
  };

  bool has_term() const { return clip_.term() != nullptr; }

  /// Calls use(worker, place) for each tile, one per thread at once, then end_round(number of
  /// tiles).
  template <typename Use, typename EndRound>
  void for_each_tile(const Use& use, const EndRound& end_round) {
    for (size_t begin = 0; begin < tiles_.size(); begin += workers_.size()) {
      const size_t num_tiles = std::min(workers_.size(), tiles_.size() - begin);
      parallel_for(num_tiles, static_cast<int>(workers_.size()), [&](size_t i) {
        workers_[i].counts.assign(counts_.size(), 0);
        use(workers_[i], begin + i);
      });
      end_round(num_tiles);
    }
  }

  /// Calls use(tile) with the kept tile, or with the worker's. Parts that are the same for all
  /// tiles, or are recomputed, are lent instead of kept: the parameters, and under a term the
  /// results of the backward pass.
  template <typename Use>
  void with_tile(bool is_kept, size_t place, Worker& worker, const Use& use) {
    if (!is_kept) return use(worker.tile);
    const auto lend = [&] {
      PerSample& kept = kept_[place].samples();
      PerSample& lent = worker.tile.samples();
      std::swap(kept.parameters, lent.parameters);
      if (!has_term()) return;
      std::swap(kept.gradients, lent.gradients);
      std::swap(kept.kept, lent.kept);
    };
    lend();
    use(kept_[place]);
    lend();
  }

  /// The scale of the sum before it is rounded to `grid`.
  SumScale scale_of(double grid) const {
    const SumScale scale = Tile::scale_of(model_, clip_.bound(), grid);
    if (!(num_units_ * clip_.bound() / scale.grid < 0x1p61)) {
      throw Error(ErrorKind::kRuntime, "train.loop",
                  std::string("sums of this many ") + Tile::kMembers + " may not fit in 64 bits");
    }
    return scale;
  }

  void add_counts(size_t num_workers) {
    for (size_t i = 0; i < num_workers; ++i)
      for (size_t k = 0; k < counts_.size(); ++k) counts_[k] += workers_[i].counts[k];
  }

  void add_sums(size_t num_workers) {
    for (size_t i = 0; i < num_workers; ++i) {
      std::vector<Sum>& sum = workers_[i].sum;
      for (size_t j = 0; j < sum.size(); ++j) total_[j] += std::exchange(sum[j], Sum{0});
    }
  }

  const EncodedTable& table_;
  const Model& model_;
  const ClipPolicy& clip_;
  double num_units_;
  const Tile empty_;
  std::vector<Worker> workers_;
  std::vector<int64_t> counts_;  // or the sums of the term
  std::vector<Sum> total_;
  std::vector<CountedRecords> tiles_;  // of the batch
  std::vector<Tile> kept_;             // tiles of the batch that was counted last
  size_t num_known_ = 0;               // the number of filled tiles, from the first
  std::vector<uint32_t> looked_at_;    // that batch
};

}  // namespace

template <typename Sum>
std::unique_ptr<BatchSum<Sum>> make_batch_sum(const EncodedTable& table, const Model& model,
                                              const ClipPolicy& clip, int threads) {
  const auto sum_of = [&](auto tile) -> std::unique_ptr<BatchSum<Sum>> {
    return std::make_unique<TileSum<Sum, decltype(tile)>>(table, model, clip, threads, tile);
  };
  const PredictionTerm* term = clip.term();
  if (clip.num_groups() > 0 || term != nullptr) require_groups("train.loop", table);
  // Otherwise a record's sums would be read from another record's scores.
  if (term != nullptr &&
      (term->num_outputs() != model.num_outputs() || term->num_classes() != model.num_classes())) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "the constraints or the penalty do not belong to this model");
  }
  const bool has_units = !table.unit_begin.empty();
  if (has_units && term != nullptr) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "constraints and penalties take each row as a unit");
  }
  if (has_units) return sum_of(UnitTile<Sum>(table, model, clip));
  std::shared_ptr<const std::vector<uint32_t>> places;
  if (term != nullptr) places = std::make_shared<const std::vector<uint32_t>>(term->places(table));
  return sum_of(RecordTile<Sum>(table, model, clip, std::move(places)));
}

template std::unique_ptr<BatchSum<int64_t>> make_batch_sum(const EncodedTable&, const Model&,
                                                           const ClipPolicy&, int);
template std::unique_ptr<BatchSum<double>> make_batch_sum(const EncodedTable&, const Model&,
                                                          const ClipPolicy&, int);

}  // namespace equinoise
