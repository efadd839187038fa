// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/page/markup.h"

namespace equinoise {

namespace {

std::string heat_cell(double value, const HeatMap& map) {
  constexpr double kMaxPercent = 45;  // text stays legible on it
  if (!std::isfinite(value)) return element("td", {}, "-");
  const double percent = kMaxPercent * std::min(std::abs(value) / map.largest, 1.0);
  return element("td",
                 {{"class", value < 0 ? "below" : "above"},
                  {"style", fmt::format("--heat: {:.1f}%", percent)}},
                 format_fixed(value, map.decimals));
}

}  // namespace

std::string heat_map(const HeatMap& map) {
  const auto has_number = [](const std::vector<double>& row) {
    return std::ranges::any_of(row, [](double value) { return std::isfinite(value); });
  };
  if (std::ranges::none_of(map.values, has_number)) return "";
  std::string head = element("td", {}, "");
  std::string body;
  for (const std::string& name : map.columns.empty() ? map.names : map.columns)
    head += element("th", {{"scope", "col"}}, escape_markup(name));
  for (size_t i = 0; i < map.names.size(); ++i) {
    std::string cells = element("th", {{"scope", "row"}}, escape_markup(map.names[i]));
    for (const double value : map.values[i]) cells += heat_cell(value, map);
    body += element("tr", {}, cells) + "\n";
  }
  return element("figure", {{"class", "heat"}},
                 text_element("figcaption", map.title) +
                     element("div",
                             {{"class", "scroll"},
                              {"role", "region"},
                              {"tabindex", "0"},
                              {"aria-label", map.title}},
                             element("table", {},
                                     element("thead", {}, element("tr", {}, head)) + "\n" +
                                         element("tbody", {}, "\n" + body)))) +
         "\n";
}

}  // namespace equinoise
