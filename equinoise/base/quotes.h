// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

// Lists of names in one text: sex,"a, b" names two columns. Between two double quotes a separator
// is part of a name; a quote that no other one closes is a character like any other.

/// The place of the first `character` outside quotes, or npos.
size_t find_outside_quotes(std::string_view text, char character);

/// The place of the last one.
size_t rfind_outside_quotes(std::string_view text, char character);

/// A name without the quotes around it, in which two quotes stand for one.
std::string without_quotes(std::string_view name);

/// The names between commas.
std::vector<std::string> split_names(std::string_view names);

/// A name as split_names reads it back: in quotes where it needs them.
std::string with_quotes(std::string_view name);

}  // namespace equinoise
