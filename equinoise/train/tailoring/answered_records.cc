// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/answered_records.h"

#include "equinoise/base/rounding.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/round_sum.h"

namespace equinoise {

namespace {

/// Passes each tile of the records to add_sums(tile, samples, clip weights, sum).
template <typename AddSums>
void clip_tiles(const AnsweredRecords& answered, const CountedRecords& records,
                std::span<const double> parameters, double max_grad_norm, std::span<int64_t> units,
                const AddSums& add_sums) {
  const FlatClip clip(max_grad_norm);
  sum_tiles(records, answered, units, [&](const CountedRecords& counted, std::span<int64_t> sum) {
    const std::span<const uint32_t> tile = counted.records;
    PerSample samples;
    std::vector<double> weights(tile.size());
    answered.model.per_sample({answered.table, tile}, parameters, samples);
    clip.weights({samples.squared_norm}, weights);
    for (size_t i = 0; i < tile.size(); ++i)
      if (!answered.takes_part(tile[i])) weights[i] = 0;
    add_sums(counted, samples, weights, sum);
  });
}

}  // namespace

double AnsweredRecords::grid(double bound, double noise_stddev) const {
  return grid_of_sum(bound, noise_stddev, table.total_records());
}

std::vector<double> losses_of(const AnsweredRecords& answered, std::span<const uint32_t> records,
                              std::span<const double> parameters) {
  const size_t tile_records = answered.model.max_tile_records();
  const size_t num_tiles = (records.size() + tile_records - 1) / tile_records;
  std::vector<double> losses(records.size());
  parallel_for(num_tiles, answered.threads, [&](size_t tile) {
    const size_t begin = tile * tile_records;
    const auto own = records.subspan(begin, std::min(tile_records, records.size() - begin));
    PerSample samples;
    answered.model.score({answered.table, own}, parameters, samples);
    answered.model.losses({answered.table, own}, samples,
                          std::span(losses).subspan(begin, own.size()));
  });
  return losses;
}

void add_gradients(const AnsweredRecords& answered, const CountedRecords& records,
                   std::span<const double> parameters, double max_grad_norm, double grid,
                   std::span<int64_t> units) {
  clip_tiles(answered, records, parameters, max_grad_norm, units,
             [&](const CountedRecords& tile, const PerSample& samples,
                 std::span<const double> weights, std::span<int64_t> sum) {
               answered.model.add_counted_sum(answered.table, tile, samples, weights,
                                              SumScale{grid, max_grad_norm}, sum);
             });
}

void add_group_gradients(const AnsweredRecords& answered, const CountedRecords& records,
                         std::span<const double> parameters, double max_grad_norm, double grid,
                         std::span<const double> scales, std::span<int64_t> units) {
  const size_t num_parameters = parameters.size();
  const size_t num_groups = units.size() / num_parameters;
  clip_tiles(answered, records, parameters, max_grad_norm, units,
             [&](const CountedRecords& tile, const PerSample& samples,
                 std::span<const double> weights, std::span<int64_t> sum) {
               std::vector<double> of_group(tile.size());
               for (size_t k = 0; k < num_groups; ++k) {
                 for (size_t i = 0; i < tile.size(); ++i) {
                   const bool counts = weights[i] != 0 && answered.is_in(tile.records[i], k);
                   of_group[i] = counts ? weights[i] : 0;
                   if (!scales.empty()) of_group[i] *= scales[k];
                 }
                 const double bound =
                     scales.empty() ? max_grad_norm : multiply_up(scales[k], max_grad_norm);
                 answered.model.add_counted_sum(answered.table, tile, samples, of_group,
                                                SumScale{grid, bound},
                                                sum.subspan(k * num_parameters, num_parameters));
               }
             });
}

}  // namespace equinoise
