// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "equinoise/data/formats/arrow_interface.h"

namespace equinoise {

/// The most rows of an array: places of their bits and bytes fit into 64 bits.
inline constexpr int64_t kMaxArrowRows = std::numeric_limits<int64_t>::max() / 64;

/// Owns a structure of the C interfaces, which releases itself, once.
template <typename T>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  explicit ArrowOwned(T* taken) : value_(std::exchange(*taken, T{})) {}
  ~ArrowOwned() { reset(); }
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;

  void reset() {
    if (value_.release != nullptr) value_.release(&value_);
    value_ = T{};
  }
  bool is_released() const { return value_.release == nullptr; }
  T* get() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

/// A value of a buffer that need not be aligned.
template <typename T>
T value_at(const void* values, int64_t place) {
  T value;
  std::memcpy(&value, static_cast<const char*>(values) + place * int64_t{sizeof(T)}, sizeof value);
  return value;
}

inline bool bit_at(const void* bits, int64_t place) {
  return (static_cast<const uint8_t*>(bits)[place / 8] >> (place % 8) & 1) != 0;
}

}  // namespace equinoise
