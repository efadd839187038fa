// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "equinoise/synth/mixture/attribute_blocks.h"

namespace equinoise {

/// Single cells of marginals of an equal mixture of products of distributions over blocks, and
/// their derivatives. Tables are those of MixtureMarginals.
class MixtureCells {
 public:
  /// Keeps a reference to `blocks`.
  explicit MixtureCells(const AttributeBlocks& blocks) : blocks_(blocks) {}

  /// One more cell: `codes` of the attributes of `set`. Errors: kUsage for a set or a code outside
  /// the domain.
  void add(const AttributeSet& set, const std::vector<uint32_t>& codes);
  size_t size() const { return cells_.size(); }

  /// The share of each cell.
  std::vector<double> shares(const float* probabilities, size_t num_components) const;

  /// derivatives += the derivatives of a loss with respect to the probabilities, for its
  /// derivatives `of_shares` with respect to the cells' shares; entries of 0 take no time.
  void add_derivatives(const float* probabilities, size_t num_components,
                       std::span<const double> of_shares, float* derivatives) const;

 private:
  /// The probabilities that add up, for each block in a cell.
  using Columns = std::vector<std::vector<size_t>>;

  const AttributeBlocks& blocks_;
  std::vector<Columns> cells_;
};

}  // namespace equinoise
