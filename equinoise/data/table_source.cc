// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table_source.h"

#include <utility>

#include "equinoise/data/record_reader.h"

namespace equinoise {

TableSource::TableSource(std::filesystem::path file) : path_(std::move(file)) {}
TableSource::TableSource(const std::string& file) : path_(file) {}
TableSource::TableSource(const char* file) : path_(file) {}
TableSource::TableSource(std::string name, Open open)
    : name_(std::move(name)), open_(std::move(open)) {}

std::unique_ptr<RecordReader> TableSource::open_records() const { return open_(); }

}  // namespace equinoise
