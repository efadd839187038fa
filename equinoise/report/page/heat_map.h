// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace equinoise {

/// A number for each pair of things.
struct HeatMap {
  std::string title;
  std::vector<std::string> names = {};           ///< of rows
  std::vector<std::vector<double>> values = {};  ///< row by row; NaN: undefined
  std::vector<std::string> columns = {};         ///< their names; empty: those of rows
  double largest = 1;                            ///< absolute value, with the strongest colour
  int decimals = 2;
};

/// The map as a `<figure>`: a table of the numbers, with cells coloured by distance from 0, in one
/// colour for positive and in another for negative numbers. "" without any number.
std::string heat_map(const HeatMap& map);

}  // namespace equinoise
