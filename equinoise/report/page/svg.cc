// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/page/markup.h"

namespace equinoise {

namespace {

/// Differences of larger values would overflow or vanish.
constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-290;

std::string share(double x) { return fmt::format("{:.3f}%", 100 * x); }

std::string pixels(double y) { return fmt::format("{:.2f}", y); }

/// The nearest number in ratio among 1, 2, 5 times a power of ten.
double round_step(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  const double factor = value / power;
  return power * (factor < std::sqrt(2.0)    ? 1
                  : factor < std::sqrt(10.0) ? 2
                  : factor < std::sqrt(50.0) ? 5
                                             : 10);
}

}  // namespace

double Axis::position(double value) const {
  const double place = ((is_logarithmic ? std::log10(value) : value) - low) / (high - low);
  return place > 0 ? std::min(place, 1.0) : 0.0;
}

std::string Axis::label(double tick) const {
  if (is_logarithmic) return fmt::format("{:g}", tick);
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (size >= 1e7 || step < 1e-6) {
    const int digits = 2 + static_cast<int>(std::floor(std::log10(size / step)));
    return fmt::format("{:.{}g}", tick, std::max(3, digits));
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return decimals == 0 ? format_count(std::llround(tick)) : fmt::format("{:.{}f}", tick, decimals);
}

Axis make_axis(const std::vector<double>& values, size_t max_characters) {
  double low = kLargest;
  double high = -kLargest;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, std::max(value, -kLargest));
    high = std::max(high, std::min(value, kLargest));
  }
  if (!(low <= high)) {
    low = 0;
    high = 1;
  }
  // Values that are equal, or differ in their last digits only, are placed in the middle.
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (!(high - low > size * 1e-6) || size < kSmallest) {
    const double room = size < kSmallest ? 1 : size / 10;
    low -= room;
    high += room;
  }
  const double margin = 0.02 * (high - low);
  for (int num_ticks = 6;; --num_ticks) {
    Axis axis{low - margin, high + margin, round_step((high - low) / num_ticks), {}};
    size_t characters = 0;
    for (double i = std::ceil(axis.low / axis.step); i * axis.step <= axis.high; ++i) {
      axis.ticks.push_back(i == 0 ? 0.0 : i * axis.step);
      characters += axis.label(axis.ticks.back()).size() + 1;
    }
    if (characters <= max_characters || num_ticks == 1) return axis;
  }
}

Axis make_logarithmic_axis(const std::vector<double>& values, size_t max_characters) {
  const auto [least, most] = std::ranges::minmax_element(values);
  const double low = std::log10(*least);
  const double high = std::log10(*most);
  const double margin = 0.02 * (high - low);
  for (double step = 1;; ++step) {
    Axis axis{low - margin, high + margin, step, {}, true};
    size_t characters = 0;
    const double first = std::ceil(axis.low);
    for (int i = 0; first + i * step <= axis.high; ++i) {
      axis.ticks.push_back(std::pow(10, first + i * step));
      characters += axis.label(axis.ticks.back()).size() + 1;
    }
    if (characters <= max_characters || axis.ticks.size() == 1) return axis;
  }
}

Drawing::Drawing(std::string id, double height, std::string title, std::string description)
    : id_(std::move(id)),
      height_(height),
      title_(std::move(title)),
      description_(std::move(description)) {}

void Drawing::line(std::string_view style, double x1, double y1, double x2, double y2) {
  content_ += fmt::format(R"(<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>)", style, share(x1),
                          pixels(y1), share(x2), pixels(y2));
}

void Drawing::rectangle(std::string_view style, double x, double y, double width, double height,
                        std::string_view title) {
  content_ +=
      fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}">{}</rect>)", style,
                  share(x), pixels(y), share(width), pixels(height), text_element("title", title));
}

void Drawing::dot(std::string_view style, double x, double y, double radius,
                  std::string_view title) {
  content_ += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}">{}</circle>)", style,
                          share(x), pixels(y), pixels(radius), text_element("title", title));
}

void Drawing::diamond(std::string_view style, double x, double y, double radius,
                      std::string_view title) {
  // A nested picture, because the points of a polygon cannot be shares of the width.
  content_ += fmt::format(
      R"(<svg class="mark" x="{}" y="{}"><polygon class="{}" points="0,{r} {r},0 0,-{r} -{r},0">{}</polygon></svg>)",
      share(x), pixels(y), style, text_element("title", title), fmt::arg("r", pixels(radius)));
}

void Drawing::text(std::string_view style, double x, double y, Anchor anchor,
                   std::string_view text) {
  const std::string_view names[] = {"start", "middle", "end"};
  content_ +=
      fmt::format(R"(<text class="{}" x="{}" y="{}" text-anchor="{}">{}</text>)", style, share(x),
                  pixels(y), names[static_cast<size_t>(anchor)], escape_markup(text));
}

void Drawing::path(std::string_view style, double x1, double y1, double x2, double y2,
                   const std::vector<std::pair<double, double>>& points) {
  std::string commands;
  for (const auto& [x, y] : points) {
    commands += fmt::format("{}{:.2f} {:.2f}", commands.empty() ? "M" : "L", 1000 * x, 1000 * y);
  }
  content_ += fmt::format(
      R"(<svg class="frame" x="{}" y="{}" width="{}" height="{}" viewBox="0 0 1000 1000" preserveAspectRatio="none"><path class="{}" d="{}" vector-effect="non-scaling-stroke"/></svg>)",
      share(x1), pixels(y1), share(x2 - x1), pixels(y2 - y1), style, commands);
}

std::string Drawing::markup() const {
  const std::string title = id_ + "-title";
  const std::string description = id_ + "-description";
  return element("svg",
                 {{"role", "img"},
                  {"aria-labelledby", title + " " + description},
                  {"width", "100%"},
                  {"height", pixels(height_)}},
                 element("title", {{"id", title}}, escape_markup(title_)) +
                     element("desc", {{"id", description}}, escape_markup(description_)) +
                     content_);
}

std::string html_figure(const std::string& style, std::string_view caption,
                        std::string_view content) {
  return element("figure", {{"class", style}},
                 element("figcaption", {}, caption) + std::string(content));
}

}  // namespace equinoise
