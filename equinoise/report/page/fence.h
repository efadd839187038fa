// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/method_status.h"

namespace equinoise {

/// Whether a section may be published, the strictest last.
enum class Fence {
  kPublishable,  ///< protected by the guarantee, or public
  kUnprotected,  ///< released by a run without a guarantee, as its card states at the top
  kNotPrivate,   ///< computed without noise; never in a card
};

/// The fence of what a run of that status released with noise.
inline Fence fence_of(PrivacyStatus status) {
  return status == PrivacyStatus::kPrivate ? Fence::kPublishable : Fence::kUnprotected;
}

/// The start of the notice in a JSON document with figures that are not private; the names of the
/// figures follow.
inline constexpr const char* kDoNotPublish = "CONTAINS NON-PRIVATE STATISTICS, DO NOT PUBLISH: ";

/// The text under every table that is not private, after the notice that it must not be published.
inline constexpr const char* kDoNotChooseBy =
    "Do not use these figures to choose which model or figures to publish, or how to train the "
    "next model: such a choice is itself a release that no budget has paid for.";

/// The same for a screen, in a line.
inline constexpr const char* kFencedOnScreen =
    "Sections marked NOT PRIVATE are computed from records without noise: do not publish them, "
    "and choose nothing by them, because no budget has paid for that.";

}  // namespace equinoise
