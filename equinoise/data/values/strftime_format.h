// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// The format of dates or timestamps for strftime() of C and Python: "%Y-%m-%d", "%Y-%m-%d
/// %H:%M:%S.%f". Any zone is "%z".
inline std::string strftime_format(const TimeFormat& time) {
  std::string format = "%Y-%m-%d";
  if (!time.has_time()) return format;
  format += fmt::format("{}%H:%M", time.separator);
  if (time.unit != TimeUnit::kMinute) format += ":%S";
  if (time.unit == TimeUnit::kMillisecond || time.unit == TimeUnit::kMicrosecond) format += ".%f";
  if (time.offset) format += "%z";
  return format;
}

/// The format for such a text, with "%z" and "Z" as UTC and "%f" as microseconds; nothing for
/// others, such as "%d.%m.%Y".
inline std::optional<TimeFormat> time_format_of_strftime(std::string_view text) {
  std::string form(text);
  if (form.ends_with('Z')) form.replace(form.size() - 1, 1, "%z");
  for (const TimeUnit unit :
       {TimeUnit::kDay, TimeUnit::kMinute, TimeUnit::kSecond, TimeUnit::kMicrosecond}) {
    for (const char separator : {'T', ' '}) {
      for (const std::optional<int>& offset : {std::optional<int>(), std::optional(0)}) {
        const TimeFormat format = {unit, separator, offset};
        if (strftime_format(format) == form) return format;
      }
    }
  }
  return std::nullopt;
}

}  // namespace equinoise
