// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// The form of dates or timestamps as strftime() of C and Python has it: "%Y-%m-%d",
/// "%Y-%m-%d %H:%M:%S.%f". A zone is "%z", whichever it is.
std::string strftime_format(const TimeFormat& format);

/// The format of such a form, with "%z" and "Z" as UTC and "%f" as microseconds; nothing for any
/// other form, such as "%d.%m.%Y".
std::optional<TimeFormat> time_format_of_strftime(std::string_view text);

}  // namespace equinoise
