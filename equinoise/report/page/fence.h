// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// How the notice of a JSON document begins that holds figures that are not private; which ones
/// they are follows.
inline constexpr const char* kDoNotPublish = "CONTAINS NON-PRIVATE STATISTICS, DO NOT PUBLISH: ";

/// The text under every table that is not private, after the notice that it must not be published.
inline constexpr const char* kDoNotChooseBy =
    "Do not use these figures to choose which model or figures to publish, or how to train the "
    "next model: such a choice is itself a release that no budget has paid for.";

/// The same for a screen, in a line.
inline constexpr const char* kFencedOnScreen =
    "NOT PRIVATE: computed from records without noise. Do not publish it, and choose nothing by "
    "it: "
    "no budget has paid for that.";

}  // namespace equinoise
