// SPDX-License-Identifier: Apache-2.0
#include "python/src/count_plan.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "equinoise/base/error.h"
#include "equinoise/data/codes/cell_coder.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/count_plan.h"
#include "equinoise/data/schema/other_size.h"
#include "python/src/python_errors.h"

namespace equinoise::python {

namespace nb = nanobind;

namespace {

nb::object described(const std::optional<TimeFormat>& time) {
  if (!time) return nb::none();
  constexpr double kMicrosecondsPerDay = 86'400e6;
  nb::dict format;
  format["unit"] = static_cast<int64_t>(kMicrosecondsPerDay / units_per_day(time->unit));
  format["offset"] = time->offset;
  return format;
}

nb::dict described(const CountedColumn& counted) {
  nb::dict values;
  values["texts"] = counted.values.texts;
  values["numbers"] = counted.values.numbers;
  values["doubles"] = counted.values.doubles;
  values["singles"] = counted.values.singles;
  nb::dict column;
  column["name"] = counted.name;
  column["is_numeric"] = counted.type == ColumnType::kNumeric;
  column["values"] = values;
  column["cells"] = counted.cells;
  column["below"] = counted.below;
  column["above"] = counted.above;
  column["neither"] = counted.neither;
  column["whole"] = counted.whole;
  column["time"] = described(counted.time);
  column["numbers"] = counted.numbers;
  column["edges"] = counted.edges;
  column["single_edges"] = counted.single_edges;
  return column;
}

}  // namespace

PlanByName count_plan_of(const std::string& path) {
  try {
    const Schema schema = load_schema(
        {.path = path, .sizes = SizesRule::kMayBePrivate, .missing = MissingUse::kKeep});
    const CountPlan planned = count_plan(schema);
    PlanByName plan;
    nb::list columns;
    for (const CountedColumn& column : planned.columns) columns.append(described(column));
    plan["columns"] = columns;
    plan["count_column"] = planned.count_column;
    plan["num_records"] = planned.num_records;
    plan["other_size"] = std::string(kOtherSize);
    plan["schema"] = schema.source_text;
    return plan;
  } catch (const Error& error) {
    raise_error(static_cast<int>(error.kind()), error.what());
  }
}

std::vector<int32_t> codes_of_texts(const std::string& schema, const std::string& column,
                                    const std::vector<std::string>& texts) {
  Schema parsed = parse_schema(schema, "schema", SizesRule::kMayBePrivate);
  use_missing(parsed, MissingUse::kKeep);
  const ColumnCoding coding(parsed, parsed.column(column));
  CellCoder coder(parsed, coding);
  std::vector<int32_t> codes;
  codes.reserve(texts.size());
  for (const std::string& text : texts) codes.push_back(coder.code_of(text));
  return codes;
}

}  // namespace equinoise::python
