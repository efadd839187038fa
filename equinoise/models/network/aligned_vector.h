#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace equinoise {

/// Memory from the beginning of a cache line: registers as wide as a line load it fastest so.
template <typename Value>
struct LineAllocator {
  using value_type = Value;
  static constexpr std::align_val_t kLine{64};

  LineAllocator() = default;
  template <typename Other>
  explicit LineAllocator(const LineAllocator<Other>& other) {
    static_cast<void>(other);
  }
  Value* allocate(size_t size) {
    return static_cast<Value*>(::operator new(size * sizeof(Value), kLine));
  }
  void deallocate(Value* memory, size_t size) {
    static_cast<void>(size);
    ::operator delete(memory, kLine);
  }
  bool operator==(const LineAllocator&) const { return true; }
};

template <typename Value>
using AlignedVector = std::vector<Value, LineAllocator<Value>>;

}  // namespace equinoise
