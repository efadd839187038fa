// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "equinoise/synth/mixture/attribute_blocks.h"

namespace equinoise::testing {

/// A domain of four attributes, of which the first and the third are one block.
inline AttributeBlocks blocks_with_zeros() {
  const Domain domain({{"a", 2}, {"b", 3}, {"c", 3}, {"d", 4}});
  Factor zeros = constant_factor(domain, {0, 2}, 0);
  zeros.values[4] = kLogZero;
  return {domain, {zeros}};
}

/// (num_components, num_cells()): a distribution of each block in each component.
inline std::vector<float> random_mixture(const AttributeBlocks& blocks, size_t num_components,
                                         uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> probabilities;
  for (size_t component = 0; component < num_components; ++component) {
    for (const size_t size : blocks.sizes()) {
      std::vector<float> weights(size);
      float sum = 0;
      for (float& weight : weights) {
        weight = static_cast<float>(random() % 1000 + 1);
        sum += weight;
      }
      for (const float weight : weights) probabilities.push_back(weight / sum);
    }
  }
  return probabilities;
}

/// The share of records with these codes, cell by cell of every block.
inline double share_by_brute_force(const AttributeBlocks& blocks,
                                   const std::vector<float>& probabilities, const AttributeSet& set,
                                   const std::vector<uint32_t>& codes) {
  const size_t width = blocks.num_cells();
  const size_t num_components = probabilities.size() / width;
  double share = 0;
  for (size_t component = 0; component < num_components; ++component) {
    double product = 1;
    size_t begin = component * width;
    for (size_t b = 0; b < blocks.blocks().size(); ++b) {
      double sum = 0;
      for (size_t cell = 0; cell < blocks.sizes()[b]; ++cell) {
        bool matches = true;
        for (size_t i = 0; i < set.size(); ++i) {
          if (blocks.block_of(set[i]) == b && blocks.codes_of(set[i])[cell] != codes[i])
            matches = false;
        }
        if (matches) sum += probabilities[begin + cell];
      }
      product *= sum;
      begin += blocks.sizes()[b];
    }
    share += product / static_cast<double>(num_components);
  }
  return share;
}

/// Codes of a cell of the row-major table over `set`.
inline std::vector<uint32_t> codes_of_cell(const Domain& domain, const AttributeSet& set,
                                           size_t cell) {
  std::vector<uint32_t> codes(set.size());
  for (size_t i = set.size(); i-- > 0;) {
    const auto num_codes = static_cast<size_t>(domain.num_codes(set[i]));
    codes[i] = static_cast<uint32_t>(cell % num_codes);
    cell /= num_codes;
  }
  return codes;
}

}  // namespace equinoise::testing
