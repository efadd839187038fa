// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// Text escaped for the content and for quoted attributes of HTML and SVG: & < > " ' are escaped;
/// bytes that are not UTF-8 and control characters become U+FFFD, line ends stay.
std::string escape_markup(std::string_view text);

/// Attributes of an element, in order. Values are escaped.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

/// `<name attributes>content</name>`; `content` is markup already.
std::string element(std::string_view name, const Attributes& attributes, std::string_view content);

/// The same around plain text, which is escaped.
std::string text_element(std::string_view name, std::string_view text);

}  // namespace equinoise
