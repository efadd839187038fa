// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// The format of dates or timestamps for strftime() of C and Python: "%Y-%m-%d", "%Y-%m-%d
/// %H:%M:%S.%f". Any zone is "%z".
std::string strftime_format(const TimeFormat& format);

/// The format for such a text, with "%z" and "Z" as UTC and "%f" as microseconds; nothing for
/// others, such as "%d.%m.%Y".
std::optional<TimeFormat> time_format_of_strftime(std::string_view text);

}  // namespace equinoise
