// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

/// A whole page: `title` is its name and heading, `body` is markup.
std::string html_page(std::string_view title, std::string_view body);

/// The banner at the top of the page; for "" the notice that it must not be published.
std::string html_banner(std::string_view notice = {});

/// Warnings, if any; `alarms` come first.
std::string html_warnings(const std::vector<std::string>& alarms,
                          const std::vector<std::string>& warnings);

/// A section with its heading and the words "not private" or "publishable" next to it.
std::string html_section(std::string_view heading, Fence fence, std::string_view body);

/// A paragraph of text.
std::string html_paragraph(std::string_view text);

/// The text above a table of constraints that were checked.
inline constexpr std::string_view kHowToReadChecks =
    "A constraint holds if its whole interval is at most its slack, fails if all of it is above, "
    "and "
    "is unclear otherwise; it is not answerable if one of its rates has no records to count. A "
    "single split of a single table decides little: with few records in a group, a gap moves by "
    "chance alone.";

/// A table with head cells in the first row and the first column; wide ones scroll.
std::string html_table(const TextTable& table, bool shows_caption = true);

/// A list of texts.
std::string html_list(const std::vector<std::string>& items);

/// The guarantee in figures and in plain words.
std::string html_guarantee(const Guarantee& guarantee);

/// The command, version and files.
std::string html_repeat(const std::string& command, const std::string& version,
                        const std::vector<std::string>& files);

}  // namespace equinoise
