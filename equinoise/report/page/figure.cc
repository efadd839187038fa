// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/figure.h"

#include <cmath>

#include "equinoise/report/page/markup.h"

namespace equinoise {

namespace {

/// How the data of a figure begin; text of a page cannot hold it, since its < is escaped.
constexpr std::string_view kDataStart = "<script type=\"application/json\">";

}  // namespace

std::string html_figure(const Figure& figure) {
  using Json = nlohmann::json;
  const std::string data = figure.data.dump(-1, ' ', false, Json::error_handler_t::replace);
  return element("figure", {{"class", figure.style}, {"data-chart", figure.kind}},
                 element("figcaption", {}, figure.caption) +
                     element("div", {{"class", "drawn"}}, figure.drawing) +
                     std::string(kDataStart) + escape_data(data) + "</script>");
}

bool has_figure(std::string_view markup) {
  return markup.find(kDataStart) != std::string_view::npos;
}

nlohmann::json axis_data(const Axis& axis) {
  auto ticks = nlohmann::json::array();
  for (const double tick : axis.ticks) ticks.push_back({{"at", tick}, {"label", axis.label(tick)}});
  const auto end = [&](double place) { return axis.is_logarithmic ? std::pow(10, place) : place; };
  return {{"low", end(axis.low)},
          {"high", end(axis.high)},
          {"is_logarithmic", axis.is_logarithmic},
          {"ticks", std::move(ticks)}};
}

}  // namespace equinoise
