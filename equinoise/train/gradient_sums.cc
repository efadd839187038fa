// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/gradient_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace equinoise {

void add_scaled(double factor, std::span<const double> added, std::span<double> sum) {
  for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * added[j];
}

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

double norm(std::span<const double> a) { return std::sqrt(inner_product(a, a)); }

GradientSums sum_gradients(const EncodedTable& table, size_t num_groups, const Model& model,
                           std::span<const double> parameters, const ClipPolicy& clip,
                           std::span<const uint32_t> records, double divisor) {
  GradientSums sums{std::vector<double>(model.num_parameters(), 0.0),
                    std::vector<double>(model.num_parameters(), 0.0)};
  PerSample samples;
  std::vector<double> weights;
  std::vector<GroupId> groups;
  while (!records.empty()) {
    const auto tile = records.first(std::min(records.size(), model.max_tile_records()));
    model.per_sample({table, tile}, parameters, samples);
    groups.clear();
    for (size_t i = 0; i < tile.size(); ++i) {
      const GroupId group = num_groups > 0 ? table.groups[tile[i]] : GroupId(0);
      const bool is_known = num_groups == 0 || index_of(group) < num_groups;
      const bool counts = table.contributes[tile[i]] != 0 && is_known;
      if (!counts) samples.squared_norm[i] = std::numeric_limits<double>::quiet_NaN();
      groups.push_back(counts ? group : GroupId(0));
    }
    weights.resize(tile.size());
    clip.weights({samples.squared_norm, groups}, weights);
    for (double& weight : weights) weight /= divisor;
    model.add_weighted_sum({table, tile}, samples, weights, sums.clipped);
    for (size_t i = 0; i < tile.size(); ++i)
      weights[i] = std::isfinite(samples.squared_norm[i]) ? 1 / divisor : 0;
    model.add_weighted_sum({table, tile}, samples, weights, sums.plain);
    records = records.subspan(tile.size());
  }
  return sums;
}

}  // namespace equinoise
