// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table_passes.h"

#include <filesystem>

#include "equinoise/data/engine/engine_reader.h"
#include "equinoise/data/engine/engine_url.h"
#include "equinoise/data/table.h"

namespace equinoise {

TablePasses::TablePasses(const TableSource& table, const Schema& schema)
    : table_(table), schema_(schema) {
  if (table.is_engine()) engine_ = open_engine(parse_engine_url(table.name()));
}

bool TablePasses::can_repeat() const {
  std::error_code ignored;
  return !table_.is_file() || std::filesystem::is_regular_file(table_.path(), ignored);
}

std::unique_ptr<RecordReader> TablePasses::open(const EngineOptions& engine) {
  return engine_ ? stream_engine(*engine_, schema_, engine) : open_described(table_, schema_);
}

}  // namespace equinoise
