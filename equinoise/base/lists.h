// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

namespace equinoise {

/// Whether an element, or what `projection` makes of one, is that value.
template <typename List, typename Value, typename Projection = std::identity>
bool contains(const List& list, const Value& value, Projection projection = {}) {
  return std::ranges::find(list, value, projection) != std::ranges::end(list);
}

/// Appends copies of the elements of another list.
template <typename List, typename Elements>
void append(List& list, const Elements& elements) {
  list.insert(list.end(), elements.begin(), elements.end());
}

/// 0, 1, ..., count - 1
template <typename Number = size_t>
std::vector<Number> numbers_below(size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

}  // namespace equinoise
