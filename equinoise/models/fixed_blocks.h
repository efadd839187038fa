// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>

namespace equinoise {

/// Calls `function` on all of `values` in place, as Eigen arrays of 8, the last one padded with
/// zeros. With blocks of fixed size a result depends on its value alone, not on the place or the
/// address. Otherwise Eigen would treat some values as scalars to reach an aligned address.
template <typename Value, typename Function>
void transform_in_blocks(std::span<Value> values, Function function) {
  constexpr size_t kBlock = 8;
  using Block = Eigen::Array<Value, kBlock, 1>;
  const size_t whole = values.size() / kBlock * kBlock;
  for (size_t begin = 0; begin < whole; begin += kBlock) {
    Eigen::Map<Block> block(values.data() + begin);
    block = function(block);
  }
  if (whole == values.size()) return;
  Block rest = Block::Zero();
  std::copy(values.begin() + static_cast<std::ptrdiff_t>(whole), values.end(), rest.data());
  rest = function(rest);
  std::copy_n(rest.data(), values.size() - whole, values.data() + whole);
}

}  // namespace equinoise
