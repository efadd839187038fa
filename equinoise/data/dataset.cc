// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/dataset.h"

#include <numeric>

namespace equinoise {
namespace {

template <typename Column>
const Column* find(const std::vector<Column>& columns, std::string_view name) {
  for (const Column& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace

int64_t Dataset::total_records() const {
  return row_counts.empty() ? num_records
                            : std::accumulate(row_counts.begin(), row_counts.end(), int64_t{0});
}

const NumericColumn* Dataset::find_numeric(std::string_view name) const {
  return find(numeric, name);
}

const CategoricalColumn* Dataset::find_categorical(std::string_view name) const {
  return find(categorical, name);
}

}  // namespace equinoise
