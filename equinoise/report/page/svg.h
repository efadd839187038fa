// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// An axis with ticks at round numbers.
struct Axis {
  double low = 0;
  double high = 1;  ///< > low
  double step = 1;  ///< between ticks
  std::vector<double> ticks;
  bool is_logarithmic = false;  ///< low and high are base-10 logarithms, ticks are powers of ten

  /// The position of a value, 0 at `low`, 1 at `high`; values outside are clamped.
  double position(double value) const;

  /// The text of a tick, with as many decimals as `step` needs.
  std::string label(double tick) const;
};

/// An axis that holds all finite `values` with a margin; without any: from 0 to 1. It has about 6
/// ticks, or fewer if their labels together have more than `max_characters`.
Axis make_axis(const std::vector<double>& values, size_t max_characters);

/// The same on a logarithmic scale, for values > 0 that span at least a power of ten.
Axis make_logarithmic_axis(const std::vector<double>& values, size_t max_characters);

/// Static drawings in SVG. Horizontal positions are shares of the width, 0 to 1, and vertical ones
/// pixels: a drawing fits any width while its texts keep their size.
class Drawing {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };

  /// `id` is unique in the page. `title` and `description` are for readers who cannot see the
  /// drawing.
  Drawing(std::string id, double height, std::string title, std::string description);

  /// `style` is the class of the element.
  void line(std::string_view style, double x1, double y1, double x2, double y2);
  /// A browser shows `title` as a tooltip.
  void rectangle(std::string_view style, double x, double y, double width, double height,
                 std::string_view title);
  void dot(std::string_view style, double x, double y, double radius, std::string_view title);
  /// A diamond, for marks that must differ from dots in shape as well as colour.
  void diamond(std::string_view style, double x, double y, double radius, std::string_view title);
  void text(std::string_view style, double x, double y, Anchor anchor, std::string_view text);
  /// A line through points ((0 to 1), (0 to 1)) of the frame from x1 to x2 and from y1 to y2.
  void path(std::string_view style, double x1, double y1, double x2, double y2,
            const std::vector<std::pair<double, double>>& points);

  /// The `<svg>` element.
  std::string markup() const;

 private:
  std::string id_;
  double height_;
  std::string title_;
  std::string description_;
  std::string content_;
};

/// The `<figure>` of a class; `caption` and `content` are markup.
std::string html_figure(const std::string& style, std::string_view caption,
                        std::string_view content);

}  // namespace equinoise
