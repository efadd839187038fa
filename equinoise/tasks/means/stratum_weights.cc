// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/stratum_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/table.h"
#include "equinoise/data/units.h"
#include "equinoise/means/stratified.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "tasks.stratum_weights";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

std::map<std::string, double> read_json(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: {}; write the weights as one JSON object such as {{\"Female\": "
                "0.4, \"Male\": 0.6}}",
                path.string(), problem);
  };
  if (!json.is_object()) fail(stream.is_open() ? "is not a JSON object" : "cannot be read");
  std::map<std::string, double> weights;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number()) fail(fmt::format("the weight of \"{}\" is not a number", name));
    weights[name] = value.get<double>();
  }
  return weights;
}

std::vector<double> weights_by_name(const std::map<std::string, double>& given,
                                    const std::vector<std::string>& names) {
  require_names(kWhere, "weight of", given, names);
  std::vector<bool> is_missing;
  is_missing.reserve(names.size());
  for (const std::string& name : names) is_missing.push_back(!given.contains(name));
  if (contains(is_missing, true)) {
    refuse(
        "these strata have no public weight: {}; give each one a weight, 0 if it should not count",
        list_names(names, is_missing));
  }
  std::vector<double> weights;
  weights.reserve(names.size());
  for (const std::string& name : names) weights.push_back(given.at(name));
  check_stratum_weights(weights, names.size());
  // Printed shares add up to nearly 1, which would move a mean far from 0.
  return weights_of_sizes(weights);
}

/// The schema with all columns ignored but those that make strata.
Schema schema_of_strata(Schema schema, const std::vector<std::string>& by) {
  const auto makes_strata = [&](const std::string& column) {
    return std::ranges::any_of(by, [&](const std::string& name) {
      const GroupAttribute* attribute = schema.find_group_attribute(name);
      return (attribute != nullptr ? attribute->column : name) == column;
    });
  };
  for (ColumnSchema& column : schema.columns)
    if (!makes_strata(column.name)) column.type = ColumnType::kIgnored;
  return schema;
}

StratumWeights shares_of_table(const TableSource& table, const Schema& schema,
                               const std::vector<std::string>& by, const GroupFloor& floor,
                               const std::vector<std::string>& names,
                               const std::vector<double>& sizes) {
  const Schema of_strata = schema_of_strata(schema, by);
  const Dataset dataset = read_table(table, of_strata, TableUse::kOther, CountedRows::kKept);
  const Grouping grouping = group_by(dataset, of_strata, by, floor);
  std::vector<double> counts(names.size(), 0.0);
  StratumWeights weights{{}, HeldOutRecords{table.name(), 0}};
  for (size_t i = 0; i < grouping.group_of.size(); ++i) {
    if (dataset.contributes[i] == 0) continue;
    counts[index_of(grouping.group_of[i])] += static_cast<double>(dataset.count_of(i));
    weights.held_out->num_records += dataset.count_of(i);
  }
  std::vector<bool> is_missing;
  for (size_t k = 0; k < counts.size(); ++k)
    is_missing.push_back(counts[k] == 0 && !(!sizes.empty() && sizes[k] == 0));
  if (contains(is_missing, true)) {
    refuse(
        "{} has no record of these strata: {}; use a table that has some, merge small "
        "strata with --min-group-size and --small-groups merge, or give --weights, 0 "
        "for a stratum that should not count",
        table.name(), list_names(names, is_missing));
  }
  weights.values = weights_of_sizes(counts);
  return weights;
}

}  // namespace

StratumWeights stratum_weights(const StratumWeightsRequest& request, const Schema& schema,
                               const std::vector<std::string>& by, const GroupFloor& floor,
                               const std::vector<std::string>& names,
                               const std::vector<double>& sizes, const TableSource& data) {
  const int num_given = (request.given.empty() ? 0 : 1) + (request.json_path.empty() ? 0 : 1) +
                        (request.table.empty() ? 0 : 1);
  if (num_given == 0) return {};
  if (num_given > 1) refuse("give only one of --weights, --weights-file and --weights-from");
  if (request.table.empty()) {
    return {weights_by_name(request.given.empty() ? read_json(request.json_path) : request.given,
                            names),
            {}};
  }
  require_rows_as_units(schema, "--weights-from");
  if (by.empty()) refuse("--weights-from needs --by; without strata there is nothing to weight");
  if (is_same_table(request.table, data)) {
    refuse(
        "--weights-from is the table of --data itself, whose shares must not be revealed; use a "
        "table of public records or of other people's records, or leave it out");
  }
  return shares_of_table(request.table, schema, by, floor, names, sizes);
}

}  // namespace equinoise
