// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/same_table.h"

#include <filesystem>

#include "equinoise/data/engine_table.h"

namespace equinoise {

bool is_same_table(const TableSource& a, const TableSource& b) {
  if (a.is_engine() && b.is_engine()) return a.engine()->is_same(*b.engine());
  if (a.is_engine()) return b.is_file() && a.engine()->has_file(b.path());
  if (b.is_engine()) return is_same_table(b, a);
  std::error_code ignored;
  return a.is_file() && b.is_file() && std::filesystem::equivalent(a.path(), b.path(), ignored);
}

}  // namespace equinoise
