// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// How much of a file's beginning tells its kind.
inline constexpr size_t kKindBytes = 512;

/// What a file is that no reader here takes, by its first bytes, and what to do about it: "is
/// compressed by xz; unpack it with unxz". "" if nothing speaks against it.
std::string_view problem_of_kind(std::string_view start);

}  // namespace equinoise
