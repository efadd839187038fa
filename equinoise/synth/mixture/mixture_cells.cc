// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_cells.h"

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.mixture_cells";

float sum_of(const float* row, const std::vector<size_t>& columns) {
  float sum = 0;
  for (const size_t column : columns) sum += row[column];
  return sum;
}

}  // namespace

void MixtureCells::add(const AttributeSet& set, const std::vector<uint32_t>& codes) {
  const Domain& domain = blocks_.domain();
  domain.check(set, kWhere);
  if (codes.size() != set.size())
    throw Error(ErrorKind::kUsage, kWhere, "there must be one code for each attribute of a cell");
  for (size_t i = 0; i < set.size(); ++i) {
    if (codes[i] >= static_cast<uint32_t>(domain.num_codes(set[i])))
      throw Error(ErrorKind::kUsage, kWhere, "the codes of a cell must lie within the domain");
  }
  Columns columns;
  size_t begin = 0;
  for (size_t b = 0; b < blocks_.blocks().size(); ++b) {
    const AttributeBlock& block = blocks_.blocks()[b];
    std::vector<size_t> matching;
    const AttributeSet named = intersection_of(block.attributes, set);
    for (size_t cell = 0; cell < (named.empty() ? 0 : block.cells.size()); ++cell) {
      bool matches = true;
      for (size_t i = 0; i < set.size(); ++i) {
        if (blocks_.block_of(set[i]) == b && blocks_.codes_of(set[i])[cell] != codes[i])
          matches = false;
      }
      if (matches) matching.push_back(begin + cell);
    }
    if (!named.empty()) columns.push_back(std::move(matching));
    begin += block.cells.size();
  }
  cells_.push_back(std::move(columns));
}

std::vector<double> MixtureCells::shares(const float* probabilities, size_t num_components) const {
  std::vector<double> result(cells_.size(), 0);
  const size_t pitch = blocks_.num_cells();
  for (size_t component = 0; component < num_components; ++component) {
    const float* row = probabilities + component * pitch;
    for (size_t i = 0; i < cells_.size(); ++i) {
      double product = 1;
      for (const std::vector<size_t>& columns : cells_[i]) product *= sum_of(row, columns);
      result[i] += product;
    }
  }
  for (double& share : result) share /= static_cast<double>(num_components);
  return result;
}

void MixtureCells::add_derivatives(const float* probabilities, size_t num_components,
                                   std::span<const double> of_shares, float* derivatives) const {
  const size_t pitch = blocks_.num_cells();
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (of_shares[i] == 0) continue;
    const auto factor = static_cast<float>(of_shares[i] / static_cast<double>(num_components));
    for (size_t component = 0; component < num_components; ++component) {
      const float* row = probabilities + component * pitch;
      float* to = derivatives + component * pitch;
      for (size_t own = 0; own < cells_[i].size(); ++own) {
        float product = factor;
        for (size_t other = 0; other < cells_[i].size(); ++other) {
          if (other != own) product *= sum_of(row, cells_[i][other]);
        }
        for (const size_t column : cells_[i][own]) to[column] += product;
      }
    }
  }
}

}  // namespace equinoise
