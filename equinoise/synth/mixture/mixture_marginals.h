// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "equinoise/models/network/aligned_vector.h"
#include "equinoise/synth/mixture/attribute_blocks.h"

namespace equinoise {

/// Marginals of an equal mixture of products of distributions over blocks, and their derivatives.
///
/// The mixture is a table of probabilities, (num_components, AttributeBlocks::num_cells()),
/// row-major: each component's distribution of each block. A marginal is the mean over components
/// of the outer product of its attributes' distributions: one matrix product for all sets that
/// differ in their last block only. In single precision; results do not depend on `threads`.
class MixtureMarginals {
 public:
  /// Keeps a reference to `blocks`. Errors: kUsage for a set outside the domain.
  explicit MixtureMarginals(const AttributeBlocks& blocks) : blocks_(blocks) {}

  /// Adds a set, whose index is the number of those before it.
  void add(const AttributeSet& set);
  const std::vector<AttributeSet>& sets() const { return sets_; }

  /// Takes the shares of sets()[index]: row-major, they sum to 1. They are gone when it returns.
  /// Called from several threads at once, once for each index, in any order.
  using Consumer = std::function<void(size_t index, std::span<const double> shares)>;
  void evaluate(const float* probabilities, size_t num_components, int threads,
                const Consumer& consume) const;

  /// derivatives (shaped as `probabilities`) += the derivatives of a loss with respect to them, for
  /// its derivatives `of_shares[index]` (num_cells) with respect to the shares of sets()[index].
  void add_derivatives(const float* probabilities, size_t num_components,
                       const std::vector<std::vector<double>>& of_shares, int threads,
                       float* derivatives) const;

 private:
  /// The part of sets in one block: the distribution of some of its attributes.
  struct Part {
    size_t block;
    AttributeSet attributes;
    size_t num_codes;
    std::vector<uint32_t> code_of;  // (cells of the block); empty: the block unchanged
    size_t begin;                   // of the block's cells among all
  };
  /// Sets that differ in their last part only.
  struct Group {
    std::vector<size_t> lefts;   // parts
    std::vector<size_t> rights;  // parts
    std::vector<size_t> sets;    // of each right
    size_t num_left = 1;         // cells of the product of the left parts
  };

  size_t find_part(size_t block, const AttributeSet& attributes);
  /// (count, num_codes) = the part's distributions of components `first`, ...
  void take_part(const Part& part, const float* probabilities, size_t first, size_t count,
                 float* table) const;
  /// Adds its derivatives to those of the block.
  void add_part(const Part& part, const float* table, size_t first, size_t count,
                float* derivatives) const;
  /// (count, num_left) products of the left parts.
  void take_lefts(const Group& group, const float* probabilities, size_t first, size_t count,
                  AlignedVector<float>& products) const;
  /// Attributes of a set in the order of its parts.
  std::vector<int> order_of(const Group& group, size_t right) const;

  const AttributeBlocks& blocks_;
  std::vector<AttributeSet> sets_;
  std::vector<Part> parts_;
  std::vector<Group> groups_;
};

}  // namespace equinoise
