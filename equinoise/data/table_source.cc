// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table_source.h"

#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

TableSource::TableSource(std::filesystem::path file) : path_(std::move(file)) {}
TableSource::TableSource(const std::string& file) : TableSource(std::filesystem::path(file)) {}
TableSource::TableSource(const char* file) : TableSource(std::filesystem::path(file)) {}
TableSource::TableSource(std::string name, Open open, bool can_repeat)
    : name_(std::move(name)), open_(std::move(open)), can_repeat_(can_repeat) {}
TableSource::TableSource(std::shared_ptr<const EngineTable> engine)
    : name_(engine->name()), engine_(std::move(engine)) {}

std::unique_ptr<RecordReader> TableSource::open_records() const {
  if (engine_) {
    throw Error(ErrorKind::kUsage, "data.table",
                "{}: is counted, not read record by record, as this needs it; give a "
                "file of the records",
                name_);
  }
  return open_();
}

}  // namespace equinoise
