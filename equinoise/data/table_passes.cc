// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table_passes.h"

#include <filesystem>

#include "equinoise/base/error.h"
#include "equinoise/data/table.h"

namespace equinoise {

TablePasses::TablePasses(const TableSource& table, const Schema& schema, TaskProgress* progress)
    : table_(table), schema_(schema), progress_(progress) {
  std::error_code ignored;
  if (table.is_engine()) {
    held_.emplace(progress);
    engine_ = table.engine()->open();
  } else if (table.is_file() && std::filesystem::is_regular_file(table.path(), ignored)) {
    file_.emplace(table.path());
  }
}

bool TablePasses::can_repeat() const {
  return table_.is_file() ? file_.has_value() : table_.can_repeat();
}

std::unique_ptr<RecordReader> TablePasses::open() {
  require_unchanged();
  return engine_ ? engine_->stream(schema_, {{}, progress_}) : open_described(table_, schema_);
}

void TablePasses::require_unchanged() const {
  if (!file_ || file_->is_same()) return;
  throw Error(ErrorKind::kRuntime, "data.table", "{}: changed while it was read", table_.name());
}

}  // namespace equinoise
