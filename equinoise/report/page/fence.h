// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// The protection of a section, which decides whether it may be published.
enum class Fence {
  kPublishable,  ///< protected by the guarantee, or public
  kUnprotected,  ///< released by a run without a guarantee, whose card says so on top
  kNotPrivate,   ///< computed without noise; in no card
};

/// How the notice of a JSON document begins that holds figures that are not private; which ones
/// they are follows.
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
