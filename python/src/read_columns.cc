// SPDX-License-Identifier: Apache-2.0
#include "python/src/read_columns.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/parquet_reader.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/values/parse_number.h"
#include "python/src/held_columns.h"
#include "python/src/python_errors.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

/// Numbers, NaN for a missing one, or texts.
using Column = std::variant<std::vector<double>, Texts>;

/// Of a CSV file an empty cell is missing, of Parquet it is a text. Errors: kInput for a cell that
/// is no number, where the column holds numbers.
void add_cell(std::string_view cell, bool is_missing, const RecordReader& reader, size_t index,
              Column& column) {
  if (auto* texts = std::get_if<Texts>(&column)) {
    if (is_missing) {
      texts->add_code(Texts::kMissing);
    } else {
      texts->add(cell);
    }
    return;
  }
  const std::optional<double> number = parse_number(cell);
  if (!number && !cell.empty())
    reader.fail_here("column '" + reader.header()[index] + "' is not a number");
  std::get<std::vector<double>>(column).push_back(
      number.value_or(std::numeric_limits<double>::quiet_NaN()));
}

nb::object to_python(std::vector<double>& numbers) {
  auto owned = std::make_unique<std::vector<double>>(std::move(numbers));
  std::vector<double>& values = *owned;
  const nb::capsule owner(owned.release(), [](void* pointer) noexcept {
    delete static_cast<std::vector<double>*>(pointer);
  });
  return nb::cast(
      nb::ndarray<nb::numpy, double, nb::ndim<1>>(values.data(), {values.size()}, owner));
}

nb::object to_python(const Texts& column) {
  std::vector<nb::object> texts;
  texts.reserve(column.texts().size());
  for (const std::string& text : column.texts()) texts.push_back(nb::cast(text));
  nb::list list;
  for (const int32_t code : column.codes())
    list.append(code == Texts::kMissing ? nb::none() : texts[static_cast<size_t>(code)]);
  return list;
}

struct ReadTable {
  std::vector<std::string> header;
  std::vector<Column> columns;
};

ReadTable read(const std::string& path, const std::optional<std::vector<std::string>>& numbers) {
  const std::unique_ptr<RecordReader> reader = open_table(path);
  const auto* parquet = dynamic_cast<const ParquetReader*>(reader.get());
  ReadTable table{reader->header(), {}};
  for (size_t i = 0; i < table.header.size(); ++i) {
    if (!reader->is_readable(i)) {
      reader->fail("column '" + table.header[i] + "' " + std::string(reader->column_problem(i)));
    }
    const bool is_number = numbers
                               ? std::count(numbers->begin(), numbers->end(), table.header[i]) > 0
                               : parquet != nullptr && parquet->holds_numbers(i);
    table.columns.push_back(is_number ? Column(std::vector<double>()) : Column(Texts()));
  }
  while (reader->next()) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const std::string_view cell = reader->text(i);
      const bool is_missing = parquet != nullptr ? RecordReader::is_null(cell) : cell.empty();
      add_cell(cell, is_missing, *reader, i, table.columns[i]);
    }
  }
  return table;
}

}  // namespace

ColumnsByName read_columns(const std::string& path,
                           const std::optional<std::vector<std::string>>& numbers) {
  try {
    ReadTable table;
    {
      const nb::gil_scoped_release release;
      table = read(path, numbers);
    }
    ColumnsByName columns;
    for (size_t i = 0; i < table.columns.size(); ++i)
      columns[table.header[i].c_str()] =
          std::visit([](auto& column) { return to_python(column); }, table.columns[i]);
    return columns;
  } catch (const Error& error) {
    raise_error(static_cast<int>(error.kind()), error.what());
  }
}

}  // namespace equinoise::python
