// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// The script that makes the figures of a page interactive: script/ with what it uses of
/// Observable Plot, below the licences of both. It loads nothing. Made by tools/bundle_charts.mjs.
std::string_view chart_script();

/// Its hash as a Content-Security-Policy names it: "sha256-" and base64.
std::string_view chart_script_hash();

}  // namespace equinoise
