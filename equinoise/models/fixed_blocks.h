#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>

namespace equinoise {

/// Calls `function` on all of `values` in place, as Eigen arrays of 8, the last one padded with
/// zeros. Blocks of fixed size: a value depends on nothing but itself, neither on its place nor on
/// where the memory happens to be, as it would where Eigen picks scalars to reach an aligned
/// address.
template <typename Value, typename Function>
void transform_in_blocks(std::span<Value> values, Function function) {
  constexpr size_t kBlock = 8;
  Eigen::Array<Value, kBlock, 1> block;
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    const size_t count = std::min(kBlock, values.size() - begin);
    block.setZero();
    std::copy_n(values.data() + begin, count, block.data());
    block = function(block);
    std::copy_n(block.data(), count, values.data() + begin);
  }
}

}  // namespace equinoise
