// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace equinoise {

/// The index of a group within one grouping, 0 .. number of groups - 1.
enum class GroupId : uint32_t {};

inline uint32_t index_of(GroupId group) { return static_cast<uint32_t>(group); }

}  // namespace equinoise
