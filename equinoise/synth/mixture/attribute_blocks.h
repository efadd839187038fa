// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "equinoise/synth/graph/factor.h"

namespace equinoise {

/// Attributes that are drawn together, and the possible combinations of their codes.
struct AttributeBlock {
  AttributeSet attributes;
  std::vector<uint32_t> cells;  ///< of the row-major table over `attributes`, ascending

  bool operator==(const AttributeBlock&) const = default;
};

/// A domain divided into blocks. Attributes that declared impossible combinations connect are one
/// block, whose cells are the combinations that no declaration excludes. Every other attribute is a
/// block by itself. A distribution that draws a cell for each block never gives an impossible
/// combination.
class AttributeBlocks {
 public:
  /// `zeros`: tables of 0 (possible) and kLogZero. Errors: kUsage if every combination is
  /// impossible, or, naming the attributes, if the table over a block has more than kMaxTableCells
  /// cells or more than kMaxCells of them are possible.
  AttributeBlocks(Domain domain, const std::vector<Factor>& zeros);
  /// Errors: kUsage unless each attribute is in one block and cells are within their tables.
  AttributeBlocks(Domain domain, std::vector<AttributeBlock> blocks);

  static constexpr double kMaxTableCells = 1 << 24;
  static constexpr size_t kMaxCells = Domain::kMaxCodes;  ///< of a block

  const Domain& domain() const { return domain_; }
  const std::vector<AttributeBlock>& blocks() const { return blocks_; }
  /// The block of an attribute.
  size_t block_of(int attribute) const { return block_of_[static_cast<size_t>(attribute)]; }
  /// Sizes of the blocks.
  std::vector<size_t> sizes() const;
  /// The sum of the sizes: the number of probabilities of a product of distributions over blocks.
  size_t num_cells() const;
  /// The code that each cell of its block gives an attribute.
  const std::vector<uint16_t>& codes_of(int attribute) const {
    return codes_of_[static_cast<size_t>(attribute)];
  }

 private:
  void index_attributes();

  Domain domain_;
  std::vector<AttributeBlock> blocks_;
  std::vector<size_t> block_of_;
  std::vector<std::vector<uint16_t>> codes_of_;
};

}  // namespace equinoise
