// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/description.h"
#include "equinoise/data/schema/toml_section.h"
#include "python/src/count_plan.h"
#include "python/src/read_columns.h"
#include "python/src/run.h"

namespace nb = nanobind;

// The functions that the package calls; users call the modules next to it.
NB_MODULE(_core, module) {
  using namespace equinoise;
  module.doc() = "The commands of the equinoise tool, run in this process.";
  const auto runs = std::make_shared<python::Runs>();
  module.def(
      "run",
      [runs](const std::vector<std::string>& words, const python::TablesByName& tables,
             const nb::object& progress) { return runs->run(words, tables, progress); },
      nb::arg("words"), nb::arg("tables"), nb::arg("progress").none(),
      "Runs a command of the tool: its exit code and what it prints.");
  module.def("read_columns", &python::read_columns, nb::arg("path"),
             nb::arg("numbers") = nb::none(),
             "The columns of a CSV or Parquet file: arrays of numbers, lists of texts.");
  module.def("count_plan", &python::count_plan_of, nb::arg("path"),
             "How records are counted by codes, from the schema in a file.");
  module.def("codes_of_texts", &python::codes_of_texts, nb::arg("schema"), nb::arg("column"),
             nb::arg("texts"), "The codes of texts in a column, as of the cells of a file.");
  module.def(
      "without_comments", [](const std::string& text) { return without_comments(text); },
      nb::arg("text"), "A schema without its comments.");
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([runs] { runs->end(); }));
  module.def("describe", &cli::describe_tool,
             "What the tool can do, as JSON: commands, options, methods and models.");
}
