// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/strftime_format.h"

#include <fmt/format.h>

namespace equinoise {

std::string strftime_format(const TimeFormat& time) {
  std::string format = "%Y-%m-%d";
  if (!time.has_time()) return format;
  format += fmt::format("{}%H:%M", time.separator);
  if (time.unit != TimeUnit::kMinute) format += ":%S";
  if (time.unit == TimeUnit::kMillisecond || time.unit == TimeUnit::kMicrosecond) format += ".%f";
  if (time.offset) format += "%z";
  return format;
}

std::optional<TimeFormat> time_format_of_strftime(std::string_view text) {
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
