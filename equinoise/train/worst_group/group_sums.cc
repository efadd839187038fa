// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_sums.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/round_sum.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

GroupSums::GroupSums(const EncodedTable& table, const Model& model, size_t num_groups,
                     const GroupSumScales& scales, int threads)
    : table_(table), model_(model), num_groups_(num_groups), scales_(scales), threads_(threads) {
  require_rows("train.worst_group", table);
  require_groups("train.worst_group", table);
}

bool GroupSums::takes_part(uint32_t record) const {
  return table_.contributes[record] != 0 && index_of(table_.groups[record]) < num_groups_;
}

CountedBatch GroupSums::of_group(size_t group, const CountedRecords& records) const {
  CountedBatch members;
  for (size_t i = 0; i < records.size(); ++i) {
    if (index_of(table_.groups[records.records[i]]) != group) continue;
    members.records.push_back(records.records[i]);
    if (!records.counts.empty()) members.counts.push_back(records.counts[i]);
  }
  return members;
}

void GroupSums::compute(const CountedRecords& records, std::span<const double> parameters,
                        std::span<const double> factors, std::span<int64_t> gradients,
                        std::span<int64_t> losses) const {
  struct Sum {
    std::vector<int64_t> gradients;
    std::vector<int64_t> losses;
  };
  for (const double factor : factors)
    if (!(std::fabs(factor) <= 1))
      throw Error(ErrorKind::kRuntime, "train.worst_group", "a factor of a group is above 1");
  const FlatClip clip(scales_.max_grad_norm);
  const SumScale scale = {model_.exact_grid({scales_.gradient_grid, scales_.max_grad_norm}),
                          scales_.max_grad_norm};
  const size_t tile_records = model_.max_tile_records();
  const size_t num_tiles = (records.size() + tile_records - 1) / tile_records;
  const size_t num_parts = std::min(num_tiles, static_cast<size_t>(threads_));
  std::vector<Sum> sums(num_parts);
  parallel_for(num_parts, threads_, [&](size_t part) {
    Sum& sum = sums[part];
    sum.gradients.resize(gradients.size());
    sum.losses.resize(losses.size());
    PerSample samples;
    std::vector<double> values;
    for (size_t place = part; place < num_tiles; place += num_parts) {
      const size_t begin = place * tile_records;
      const CountedRecords counted =
          records.subspan(begin, std::min(tile_records, records.size() - begin));
      const std::span<const uint32_t> tile = counted.records;
      values.resize(tile.size());
      model_.score({table_, tile}, parameters, samples);
      if (!losses.empty()) {
        model_.losses({table_, tile}, samples, values);
        for (size_t i = 0; i < tile.size(); ++i) {
          if (!takes_part(tile[i]) || !std::isfinite(values[i])) continue;
          const double loss = std::clamp(values[i], 0.0, scales_.loss_bound);
          sum.losses[index_of(table_.groups[tile[i]])] +=
              counted.count(i) * static_cast<int64_t>(loss / scales_.loss_grid);
        }
      }
      if (gradients.empty()) continue;
      model_.differentiate({table_, tile}, {}, samples);
      clip.weights({samples.squared_norm}, values);
      for (size_t i = 0; i < tile.size(); ++i)
        values[i] = takes_part(tile[i]) ? values[i] * factors[index_of(table_.groups[tile[i]])] : 0;
      model_.add_counted_sum(table_, counted, samples, values, scale, sum.gradients);
    }
  });
  std::ranges::fill(gradients, 0);
  std::ranges::fill(losses, 0);
  for (const Sum& sum : sums) {
    for (size_t j = 0; j < gradients.size(); ++j) gradients[j] += sum.gradients[j];
    for (size_t k = 0; k < losses.size(); ++k) losses[k] += sum.losses[k];
  }
  round_sum(scale.grid, scales_.gradient_grid, gradients);
}

}  // namespace equinoise
