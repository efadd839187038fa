// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace equinoise {

/// A number from -1 to 1 of each two of several things.
struct HeatMap {
  std::string title;
  std::vector<std::string> names;           ///< of rows and of columns
  std::vector<std::vector<double>> values;  ///< row by row, as many as names; NaN: none
};

/// The map as a `<figure>`: a table of the numbers, whose cells are the more coloured the farther
/// they are from 0, in one colour above it and in another one below. "" without any number.
std::string heat_map(const HeatMap& map);

}  // namespace equinoise
