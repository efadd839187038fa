// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/number_bins.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

std::vector<double> even_edges(double lower, double upper, int num_bins) {
  std::vector<double> edges;
  for (int i = 0; i <= num_bins; ++i) edges.push_back(lower + (upper - lower) * i / num_bins);
  edges.back() = upper;
  return edges;
}

std::vector<double> whole_edges(double lower, double upper, int num_bins) {
  const auto first = static_cast<int64_t>(std::ceil(lower));
  const int64_t count = static_cast<int64_t>(std::floor(upper)) - first + 1;
  const int64_t bins = std::min<int64_t>(count, num_bins);
  std::vector<double> edges;
  // floor(i count / bins), computed without that product, which may overflow. The last bin ends
  // where the next whole number would begin.
  for (int64_t i = 0; i <= bins; ++i)
    edges.push_back(static_cast<double>(first + i * (count / bins) + i * (count % bins) / bins));
  return edges;
}

std::vector<double> edges_around(std::span<const double> numbers, bool whole) {
  std::vector<double> edges;
  for (const double number : numbers) {
    edges.push_back(number);
    edges.push_back(whole ? number + 1 : next_up(number));
  }
  return edges;
}

std::vector<double> own_edges(const Schema& schema, const ColumnSchema& column) {
  std::vector<double> edges = edges_around(column.point_masses, column.whole);
  for (const GroupAttribute& attribute : schema.group_attributes) {
    if (attribute.column != column.name) continue;
    for (const double cut : attribute.cuts) edges.push_back(column.whole ? std::ceil(cut) : cut);
  }
  return with_edges({}, edges);
}

std::vector<double> with_edges(std::vector<double> edges, std::span<const double> own) {
  append(edges, own);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

std::vector<double> with_edges(std::vector<double> edges, std::span<const double> own, bool whole,
                               size_t num_bins) {
  edges = with_edges(std::move(edges), own);
  while (edges.size() < num_bins + 1) {
    auto widest = edges.begin() + 1;
    for (auto upper = widest; upper != edges.end(); ++upper)
      if (*upper - *(upper - 1) > *widest - *(widest - 1)) widest = upper;
    const double middle = *(widest - 1) + (*widest - *(widest - 1)) / 2;
    edges.insert(widest, whole ? std::ceil(middle) : middle);
  }
  return edges;
}

}  // namespace equinoise
