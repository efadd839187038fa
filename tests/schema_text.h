// SPDX-License-Identifier: Apache-2.0
// The sections of a schema as text. `lines` are other keys, as they stand in the file.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// The lines before the first column. "" as target and 0 as size leave their lines out.
inline std::string schema_head(std::string_view dataset, std::string_view target = "",
                               int64_t num_records = 0, std::string_view lines = "",
                               std::string_view size_key = "num_records") {
  std::string text =
      fmt::format("schema = \"equinoise/1\"\ndataset = \"{}\"\nreviewed = true\n", dataset);
  if (!target.empty()) text += fmt::format("target = \"{}\"\n", target);
  text += lines;
  if (num_records > 0) text += fmt::format("[public]\n{} = {}\n", size_key, num_records);
  return text;
}

/// The same of a table whose units have several rows.
inline std::string units_head(std::string_view dataset, std::string_view target, int64_t num_units,
                              std::string_view unit, int64_t max_records,
                              std::string_view lines = "") {
  return schema_head(
      dataset, target, num_units,
      fmt::format("unit = \"{}\"\nmax_records_per_unit = {}\n{}", unit, max_records, lines),
      "num_units");
}

/// The public size of a group, which is a TOML table: sex = "F".
inline std::string group_size(std::string_view group, int64_t size,
                              std::string_view size_key = "num_records") {
  return fmt::format("[[public.groups]]\ngroup = {{ {} }}\n{} = {}\n", group, size_key, size);
}

/// The public sizes of the values of a column.
inline std::string group_sizes(std::string_view column,
                               const std::vector<std::pair<std::string, int64_t>>& sizes,
                               std::string_view size_key = "num_records") {
  std::string text;
  for (const auto& [value, size] : sizes)
    text += group_size(fmt::format("{} = \"{}\"", column, value), size, size_key);
  return text;
}

inline std::string numeric_section(std::string_view name, double lower, double upper,
                                   std::string_view lines = "") {
  return fmt::format("[columns.{}]\ntype = \"numeric\"\nbounds = [{}, {}]\n{}", name, lower, upper,
                     lines);
}

inline std::string categorical_section(std::string_view name,
                                       const std::vector<std::string>& values,
                                       std::string_view lines = "") {
  std::string listed;
  for (const std::string& value : values)
    listed += fmt::format("{}\"{}\"", listed.empty() ? "" : ", ", value);
  return fmt::format("[columns.{}]\ntype = \"categorical\"\nvalues = [{}]\n{}", name, listed,
                     lines);
}

inline std::string ignored_section(std::string_view name) {
  return fmt::format("[columns.{}]\ntype = \"ignored\"\n", name);
}

/// Groups of the bands between `cuts`, a TOML list, of a numeric column.
inline std::string band_section(std::string_view name, std::string_view column,
                                std::string_view cuts) {
  return fmt::format("[groups.{}]\ncolumn = \"{}\"\ncuts = {}\n", name, column, cuts);
}

}  // namespace equinoise
