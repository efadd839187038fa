// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/attribute_blocks.h"

#include <algorithm>
#include <functional>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.attribute_blocks";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// Joins sets that overlap until none do.
std::vector<AttributeSet> connected(const Domain& domain, const std::vector<Factor>& zeros) {
  std::vector<AttributeSet> sets;
  sets.reserve(static_cast<size_t>(domain.num_attributes()));
  for (int i = 0; i < domain.num_attributes(); ++i) sets.push_back({i});
  for (const Factor& factor : zeros) {
    AttributeSet joined = factor.attributes;
    std::erase_if(sets, [&](const AttributeSet& set) {
      if (intersection_of(set, factor.attributes).empty()) return false;
      joined = union_of(joined, set);
      return true;
    });
    sets.push_back(std::move(joined));
  }
  std::ranges::sort(sets);
  return sets;
}

/// The cells of the table over `set` that no declaration excludes.
std::vector<uint32_t> possible_cells(const Domain& domain, const AttributeSet& set,
                                     const std::vector<Factor>& zeros) {
  std::vector<double> sums(static_cast<size_t>(domain.num_cells(set)), 0);
  for (const Factor& factor : zeros) {
    if (contains(set, factor.attributes))
      Broadcast(domain, set, factor.attributes).add_to(sums, factor.values);
  }
  std::vector<uint32_t> cells;
  for (size_t cell = 0; cell < sums.size(); ++cell) {
    if (sums[cell] != kLogZero) cells.push_back(static_cast<uint32_t>(cell));
  }
  return cells;
}

}  // namespace

AttributeBlocks::AttributeBlocks(Domain domain, const std::vector<Factor>& zeros)
    : domain_(std::move(domain)) {
  for (AttributeSet& set : connected(domain_, zeros)) {
    if (domain_.num_cells(set) > kMaxTableCells) {
      refuse(
          "declared impossible combinations connect the columns ({}), whose table has "
          "{:.4g} cells, more than {:.4g}; declare fewer or use coarser bins",
          domain_.describe(set), domain_.num_cells(set), kMaxTableCells);
    }
    AttributeBlock block{std::move(set), {}};
    block.cells = possible_cells(domain_, block.attributes, zeros);
    if (block.cells.size() > kMaxCells) {
      refuse(
          "declared impossible combinations connect the columns ({}) and leave "
          "{} possible ones, more than {}; declare fewer or use coarser bins",
          domain_.describe(block.attributes), block.cells.size(), kMaxCells);
    }
    if (block.cells.empty()) {
      refuse("declared impossible combinations leave nothing possible for ({})",
             domain_.describe(block.attributes));
    }
    blocks_.push_back(std::move(block));
  }
  index_attributes();
}

AttributeBlocks::AttributeBlocks(Domain domain, std::vector<AttributeBlock> blocks)
    : domain_(std::move(domain)), blocks_(std::move(blocks)) {
  std::vector<int> attributes;
  for (const AttributeBlock& block : blocks_) {
    domain_.check(block.attributes, kWhere);
    const bool is_ascending =
        std::ranges::adjacent_find(block.cells, std::greater_equal<>()) == block.cells.end();
    append(attributes, block.attributes);
    if (block.cells.empty() || block.cells.size() > kMaxCells || !is_ascending ||
        !(block.cells.back() < domain_.num_cells(block.attributes))) {
      refuse("the cells of a block must be ascending, within its table and not too many");
    }
  }
  std::ranges::sort(attributes);
  if (attributes != domain_.all()) refuse("each attribute must be in one block");
  index_attributes();
}

void AttributeBlocks::index_attributes() {
  block_of_.resize(static_cast<size_t>(domain_.num_attributes()));
  codes_of_.resize(block_of_.size());
  for (size_t b = 0; b < blocks_.size(); ++b) {
    uint32_t stride = 1;
    for (size_t i = blocks_[b].attributes.size(); i-- > 0;) {
      const int attribute = blocks_[b].attributes[i];
      const auto num_codes = static_cast<uint32_t>(domain_.num_codes(attribute));
      block_of_[static_cast<size_t>(attribute)] = b;
      for (const uint32_t cell : blocks_[b].cells) {
        codes_of_[static_cast<size_t>(attribute)].push_back(
            static_cast<uint16_t>(cell / stride % num_codes));
      }
      stride *= num_codes;
    }
  }
}

std::vector<size_t> AttributeBlocks::sizes() const {
  std::vector<size_t> sizes;
  for (const AttributeBlock& block : blocks_) sizes.push_back(block.cells.size());
  return sizes;
}

size_t AttributeBlocks::num_cells() const {
  size_t sum = 0;
  for (const AttributeBlock& block : blocks_) sum += block.cells.size();
  return sum;
}

}  // namespace equinoise
