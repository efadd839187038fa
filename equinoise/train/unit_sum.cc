// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/unit_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"

namespace equinoise {

namespace {

/// So many units have the rows of one tile of a model, or a few tiles where units have many.
size_t units_of_tile(const EncodedTable& table, const Model& model) {
  constexpr double kFewest = 8;
  const double rows_of_unit = static_cast<double>(std::max<int64_t>(table.num_records, 1)) /
                              static_cast<double>(std::max<int64_t>(table.num_units(), 1));
  const auto rows = static_cast<double>(model.max_tile_records());
  return static_cast<size_t>(std::clamp(rows / rows_of_unit, kFewest, rows + kFewest));
}

/// The squared norm, raised as the header says.
double raised_squared_norm(std::span<const double> values) {
  // Several sums at once: one after the other would wait for each addition.
  constexpr size_t kLanes = 16;
  std::array<double, kLanes> sums = {};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane] * values[i + lane];
  double squared = std::numeric_limits<double>::min();
  for (; i < values.size(); ++i) squared += values[i] * values[i];
  for (const double sum : sums) squared += sum;
  return squared * (1 + (static_cast<double>(values.size()) + 32) * 0x1p-52);
}

/// Adds factor * gradient, truncated towards zero where sums are integers.
template <typename Sum>
void add_scaled(const GradientSum& gradient, double factor, std::span<Sum> sum) {
  if (gradient.indices.empty()) {
    for (size_t j = 0; j < gradient.values.size(); ++j)
      sum[j] += static_cast<Sum>(factor * gradient.values[j]);
  } else {
    for (size_t i = 0; i < gradient.values.size(); ++i)
      sum[gradient.indices[i]] += static_cast<Sum>(factor * gradient.values[i]);
  }
}

}  // namespace

template <typename Sum>
UnitSum<Sum>::UnitSum(const EncodedTable& table, const Model& model, const ClipPolicy& clip,
                      int threads)
    : table_(table),
      model_(model),
      clip_(clip),
      tile_units_(units_of_tile(table, model)),
      workers_(static_cast<size_t>(threads)),
      counts_(clip.num_counts()),
      total_(model.num_parameters()) {
  for (Worker& worker : workers_) worker.sum.resize(total_.size());
}

template <typename Sum>
std::span<Sum> UnitSum<Sum>::compute(std::span<const uint32_t> units,
                                     std::span<const double> parameters, double grid) {
  constexpr bool kIsExact = std::is_same_v<Sum, int64_t>;
  if (kIsExact && !(static_cast<double>(table_.num_units()) * clip_.bound() / grid < 0x1p61)) {
    throw Error(ErrorKind::kRuntime, "train.loop",
                "sums of this many units may not fit in 64 bits");
  }
  const bool counts = !clip_.counts_come_first();
  if (counts) std::fill(counts_.begin(), counts_.end(), 0);
  std::fill(total_.begin(), total_.end(), Sum{0});
  size_t num_used = 0;  // workers with something in their sums
  const auto add_sums = [&](size_t num_workers) {
    for (size_t i = 0; i < num_workers; ++i) {
      std::vector<Sum>& sum = workers_[i].sum;
      for (size_t j = 0; j < total_.size(); ++j) total_[j] += std::exchange(sum[j], Sum{0});
    }
  };
  for_each_gradient(
      units, parameters,
      [&](Worker& worker, const GradientNorms& norms) {
        if (counts) clip_.add_counts(norms, worker.counts);
        double weight = 0;
        clip_.weights(norms, {&weight, 1});
        // The grid is a power of two, so the quotient is exact.
        if (weight != 0)
          add_scaled<Sum>(worker.gradient, kIsExact ? weight / grid : weight, worker.sum);
      },
      [&](size_t num_workers) {
        if (counts) add_counts(num_workers);
        // Doubles are added in the order of the tiles, so that threads change nothing.
        num_used = std::max(num_used, num_workers);
        if (!kIsExact) add_sums(num_workers);
      });
  if (kIsExact) add_sums(num_used);
  return total_;
}

template <typename Sum>
std::span<const int64_t> UnitSum<Sum>::count(std::span<const uint32_t> units,
                                             std::span<const double> parameters) {
  std::fill(counts_.begin(), counts_.end(), 0);
  for_each_gradient(
      units, parameters,
      [&](Worker& worker, const GradientNorms& norms) { clip_.add_counts(norms, worker.counts); },
      [&](size_t num_workers) { add_counts(num_workers); });
  return counts_;
}

template <typename Sum>
void UnitSum<Sum>::add_counts(size_t num_workers) {
  for (size_t i = 0; i < num_workers; ++i)
    for (size_t k = 0; k < counts_.size(); ++k) counts_[k] += workers_[i].counts[k];
}

template <typename Sum>
template <typename Use, typename EndRound>
void UnitSum<Sum>::for_each_gradient(std::span<const uint32_t> units,
                                     std::span<const double> parameters, const Use& use,
                                     const EndRound& end_round) {
  while (!units.empty()) {
    const size_t num_tiles =
        std::min(workers_.size(), (units.size() + tile_units_ - 1) / tile_units_);
    parallel_for(num_tiles, static_cast<int>(workers_.size()), [&](size_t i) {
      const size_t begin = i * tile_units_;
      workers_[i].counts.assign(counts_.size(), 0);
      visit_tile(units.subspan(begin, std::min(tile_units_, units.size() - begin)), parameters,
                 workers_[i], use);
    });
    end_round(num_tiles);
    units = units.subspan(std::min(num_tiles * tile_units_, units.size()));
  }
}

template <typename Sum>
template <typename Use>
void UnitSum<Sum>::visit_tile(std::span<const uint32_t> units, std::span<const double> parameters,
                              Worker& worker, const Use& use) const {
  const size_t most = model_.max_tile_records();
  const auto use_gradient = [&](uint32_t first_row) {
    const double squared = raised_squared_norm(worker.gradient.values);
    if (clip_.num_groups() == 0) return use(worker, GradientNorms{{&squared, 1}});
    const GroupId group = table_.groups[first_row];
    if (index_of(group) < clip_.num_groups())
      use(worker, GradientNorms{{&squared, 1}, {&group, 1}});
  };
  for (size_t next = 0; next < units.size();) {
    // The rows of as many units as a pass takes, at least one.
    worker.rows.clear();
    worker.ends.clear();
    while (next < units.size()) {
      const size_t before = worker.rows.size();
      append_rows(units[next], worker);
      if (worker.rows.size() > most && before > 0) {
        worker.rows.resize(before);
        break;
      }
      worker.ends.push_back(worker.rows.size());
      ++next;
    }
    if (worker.rows.size() > most) {
      if (sum_long_unit(parameters, worker)) use_gradient(worker.rows.front());
      continue;
    }
    if (worker.rows.empty()) continue;
    model_.per_sample(table_, worker.rows, parameters, worker.samples);
    size_t begin = 0;
    for (const size_t end : worker.ends) {
      if (sum_rows(begin, end, worker)) use_gradient(worker.rows[begin]);
      begin = end;
    }
  }
}

template <typename Sum>
bool UnitSum<Sum>::sum_rows(size_t begin, size_t end, Worker& worker) const {
  worker.ones.clear();
  bool has_gradient = false;
  for (size_t i = begin; i < end; ++i) {
    const bool is_finite = std::isfinite(worker.samples.squared_norm[i]);
    worker.ones.push_back(is_finite ? 1 : 0);
    has_gradient = has_gradient || is_finite;
  }
  if (has_gradient) {
    model_.sum_gradients(table_, std::span(worker.rows).subspan(begin, end - begin), worker.samples,
                         begin, worker.ones, worker.gradient);
  }
  return has_gradient;
}

template <typename Sum>
bool UnitSum<Sum>::sum_long_unit(std::span<const double> parameters, Worker& worker) const {
  worker.gradient.indices.clear();
  worker.gradient.values.assign(model_.num_parameters(), 0.0);
  bool has_gradient = false;
  for (std::span<const uint32_t> rest = worker.rows; !rest.empty();) {
    const auto tile = rest.first(std::min(rest.size(), model_.max_tile_records()));
    model_.per_sample(table_, tile, parameters, worker.samples);
    worker.ones.clear();
    for (const double squared_norm : worker.samples.squared_norm) {
      worker.ones.push_back(std::isfinite(squared_norm) ? 1 : 0);
      has_gradient = has_gradient || std::isfinite(squared_norm);
    }
    model_.add_weighted_sum(table_, tile, worker.samples, worker.ones, worker.gradient.values);
    rest = rest.subspan(tile.size());
  }
  return has_gradient;
}

template <typename Sum>
void UnitSum<Sum>::append_rows(uint32_t unit, Worker& worker) const {
  for (uint32_t row = table_.unit_begin[unit]; row < table_.unit_begin[unit + 1]; ++row)
    if (table_.contributes[row] != 0) worker.rows.push_back(row);
}

template class UnitSum<int64_t>;
template class UnitSum<double>;

}  // namespace equinoise
