// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// Text escaped so that Markdown shows it unchanged, also in a cell of a table. An underscore
/// within a word has no meaning in Markdown.
std::string markdown_text(std::string_view text);

/// A code block with a fence longer than any row of backticks in it.
std::string markdown_code(const std::string& text);

/// An empty line, then the table without its caption. Cells are texts.
std::string markdown_table(const TextTable& table);

}  // namespace equinoise
