// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

// Lists of names in one text: sex,"a, b" names two columns. Between two double quotes a separator
// is part of a name; an unmatched quote is an ordinary character.

/// The place of the first `character` outside quotes, or npos.
size_t find_outside_quotes(std::string_view text, char character);

/// The position of the last `character` outside quotes, or npos.
size_t rfind_outside_quotes(std::string_view text, char character);

/// A text in quotes, with the quotes in it doubled.
std::string in_quotes(std::string_view text, char quote = '"');

/// A name without the quotes around it; two quotes inside become one. Quotes that end inside, as
/// in "a"="b", are not around it.
std::string without_quotes(std::string_view name);

/// The names between commas.
std::vector<std::string> split_names(std::string_view names);

/// A name that split_names reads back: in quotes if it needs them.
std::string with_quotes(std::string_view name);

}  // namespace equinoise
