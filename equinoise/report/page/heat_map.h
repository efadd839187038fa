// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace equinoise {

/// A number from -1 to 1 for each pair of several things.
struct HeatMap {
  std::string title;
  std::vector<std::string> names;           ///< of rows and of columns
  std::vector<std::vector<double>> values;  ///< row by row, as many as names; NaN: undefined
};

/// The map as a `<figure>`: a table of the numbers, with cells coloured by distance from 0, in one
/// colour for positive and in another for negative numbers. "" without any number.
std::string heat_map(const HeatMap& map);

}  // namespace equinoise
