// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/page/markup.h"

namespace equinoise {

namespace {

std::string heat_cell(double value) {
  constexpr double kMaxPercent = 45;  // text stays legible on it
  if (!std::isfinite(value)) return element("td", {}, "-");
  // Avoids -0.00.
  const double printed = std::round(100 * value) / 100 + 0.0;
  const double percent = kMaxPercent * std::min(std::abs(value), 1.0);
  return element("td",
                 {{"class", value < 0 ? "below" : "above"},
                  {"style", fmt::format("--heat: {:.1f}%", percent)}},
                 fmt::format("{:.2f}", printed));
}

}  // namespace

std::string heat_map(const HeatMap& map) {
  const auto has_number = [](const std::vector<double>& row) {
    return std::ranges::any_of(row, [](double value) { return std::isfinite(value); });
  };
  if (std::ranges::none_of(map.values, has_number)) return "";
  std::string head = element("td", {}, "");
  std::string body;
  for (size_t i = 0; i < map.names.size(); ++i) {
    head += element("th", {{"scope", "col"}}, escape_markup(map.names[i]));
    std::string cells = element("th", {{"scope", "row"}}, escape_markup(map.names[i]));
    for (const double value : map.values[i]) cells += heat_cell(value);
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
