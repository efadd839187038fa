// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace equinoise {

/// Memory that begins at a cache line, from which registers as wide as a line load fastest. For
/// working memory, which grows and shrinks all the time: new values of a vector are not initialised
/// unless one is given.
template <typename Value>
struct LineAllocator {
  using value_type = Value;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename Other>
  explicit LineAllocator(const LineAllocator<Other>& /*other*/) {}
  Value* allocate(size_t size) {
    return static_cast<Value*>(::operator new(size * sizeof(Value), kLine));
  }
  void construct(Value* value) { static_cast<void>(value); }
  template <typename... Arguments>
  void construct(Value* value, Arguments&&... arguments) {
    ::new (value) Value(std::forward<Arguments>(arguments)...);
  }
  void deallocate(Value* memory, size_t /*size*/) { ::operator delete(memory, kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

template <typename Value>
using AlignedVector = std::vector<Value, LineAllocator<Value>>;

/// Working memory of at least `size` values, which only grows. Values are not kept between uses.
template <typename Value>
Value* scratch(AlignedVector<Value>& memory, size_t size) {
  if (memory.size() < size) memory.resize(size);
  return memory.data();
}

constexpr size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

/// The distance between rows of `size` values: an odd number of cache lines, so that the values of
/// one column do not compete for the same places in the cache.
template <typename Value>
constexpr size_t row_pitch(size_t size) {
  constexpr size_t kLine = 64 / sizeof(Value);
  const size_t num_lines = round_up(size, kLine) / kLine;
  return (num_lines + 1 - num_lines % 2) * kLine;
}

}  // namespace equinoise
