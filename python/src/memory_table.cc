// SPDX-License-Identifier: Apache-2.0
#include "python/src/memory_table.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/arrow_reader.h"
#include "python/src/held_columns.h"
#include "python/src/python_errors.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

/// Records that a command may read more than once. An object that gives its records only once must
/// not look like an empty or shorter table the next time.
class RepeatedReader final : public ArrowReader {
 public:
  /// `max_rows`: the largest number of rows in any reading so far, shared by all readings of the
  /// table.
  RepeatedReader(const std::string& name, ArrowArrayStream* stream,
                 std::shared_ptr<int64_t> max_rows)
      : ArrowReader(name, stream), max_rows_(std::move(max_rows)) {}

  bool next() override {
    const bool is_there = ArrowReader::next();
    if (!is_there && row() < *max_rows_)
      fail("its records can be read once only; read them into a table first");
    *max_rows_ = std::max(*max_rows_, row());
    return is_there;
  }

 private:
  std::shared_ptr<int64_t> max_rows_;
};

/// Asks an object for its records, without the GIL. Messages of Python may hold values and are not
/// passed on.
std::unique_ptr<RecordReader> open_arrow(const std::string& name, PyObject* table,
                                         const std::shared_ptr<int64_t>& max_rows) {
  const nb::gil_scoped_acquire gil;
  try {
    const nb::object capsule = nb::handle(table).attr("__arrow_c_stream__")();
    void* stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
    if (stream == nullptr) throw nb::python_error();
    return std::make_unique<RepeatedReader>(name, static_cast<ArrowArrayStream*>(stream), max_rows);
  } catch (const nb::python_error& error) {
    if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
    const auto type = nb::cast<std::string>(error.type().attr("__name__"));
    throw Error(ErrorKind::kInput, "data.table",
                fmt::format("{}: its columns cannot be read as those of Arrow ({}); the values of "
                            "a column must be of one type",
                            name, type));
  }
}

}  // namespace

TableSource memory_table(const std::string& name, nb::handle table) {
  if (nb::isinstance<nb::dict>(table)) {
    return {name, [name, columns = hold_columns(name, nb::cast<nb::dict>(table))] {
              return read_held_columns(name, columns);
            }};
  }
  if (nb::hasattr(table, "__arrow_c_stream__")) {
    // A stream, which can be read once, has no length.
    const bool can_repeat = nb::hasattr(table, "__len__");
    return {name,
            [name, held = table.ptr(), max_rows = std::make_shared<int64_t>(0)] {
              return open_arrow(name, held, max_rows);
            },
            can_repeat};
  }
  raise_error(static_cast<int>(ErrorKind::kInput),
              fmt::format("[data.table] {}: a table must be a frame with __arrow_c_stream__ or a "
                          "dictionary of NumPy arrays",
                          name));
}

}  // namespace equinoise::python
