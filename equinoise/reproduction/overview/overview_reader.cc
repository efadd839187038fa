// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/overview/overview_reader.h"

#include <cmath>
#include <string>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"

namespace equinoise {

namespace {

OverviewLine read_overview_line(const TomlSection& section) {
  section.check_keys({"column", "bins", "reason", "published"});
  OverviewLine line{required_text(section, "column"), {}};
  if (!section.has("bins")) return line;
  constexpr const char* kExample = "bins = [20, 80, 12]";
  const std::vector<double> bins = required_numbers(section, "bins", kExample);
  if (bins.size() != 3 || !(bins[0] < bins[1]) || !(bins[2] >= 1) ||
      bins[2] != std::floor(bins[2]) || !(bins[2] <= 1000))
    section.fail("bins", "bins must be the two ends and how many there are between them");
  line.bins = OverviewBins{bins[0], bins[1], static_cast<size_t>(bins[2])};
  return line;
}

}  // namespace

ReproductionOverview read_overview_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "groups", "seeds", "overview", "methods", "claims",
                   "charts", "notes"});
  ReproductionOverview overview;
  item.data = required_text(root, "data");
  item.seeds = required_count(root, "seeds");
  const std::vector<std::string> values = root.texts("groups").value_or(std::vector<std::string>());
  if (values.size() != 2) root.fail("groups", "groups must be the two that are compared");
  const TomlSection section = root.section("overview", "[overview]");
  section.check_keys({"target", "group_column", "group_names"});
  overview.target = required_text(section, "target");
  overview.group_column = required_text(section, "group_column");
  overview.names = section.texts("group_names").value_or(values);
  if (overview.names.size() != 2)
    section.fail("group_names", "group_names must be what the two groups are called");
  overview.values = values;
  for_each_section(root, "methods", "[methods.age]",
                   [&](const TomlSection& of_method, const std::string& name) {
                     ReproductionMethod& method = item.methods.emplace_back();
                     method.name = name;
                     overview.lines.push_back(read_overview_line(of_method));
                     read_printed(of_method, method);
                   });
  item.charts = read_charts(root);
  item.settings["table"] = table_schema_digest(item.data);
  return overview;
}

}  // namespace equinoise
