// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/dataset.h"

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

const NumericColumn* Dataset::find_numeric(std::string_view name) const {
  return find(numeric, name);
}

const CategoricalColumn* Dataset::find_categorical(std::string_view name) const {
  return find(categorical, name);
}

}  // namespace equinoise
