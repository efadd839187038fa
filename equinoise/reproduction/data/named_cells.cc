// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/named_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "equinoise/data/open_table.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

NamedCells::NamedCells(const std::filesystem::path& path) : reader_(open_table(path)) {
  for (size_t c = 0; c < reader_->header().size(); ++c) places_[reader_->header()[c]] = c;
}

std::string_view NamedCells::text(const std::string& column) const {
  const auto place = places_.find(column);
  if (place == places_.end()) reader_->fail(fmt::format("there is no column '{}'", column));
  return reader_->text(place->second);
}

double NamedCells::number(const std::string& column) const {
  const std::optional<double> value = parse_number(text(column));
  if (!value || !std::isfinite(*value))
    reader_->fail_here(fmt::format("column '{}' is not a number", column));
  return *value;
}

size_t NamedCells::choice(const std::string& column,
                          const std::vector<std::string_view>& values) const {
  const auto found = std::ranges::find(values, text(column));
  if (found == values.end())
    reader_->fail_here(fmt::format("column '{}' has an unknown value", column));
  return static_cast<size_t>(found - values.begin());
}

}  // namespace equinoise
