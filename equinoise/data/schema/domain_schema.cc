// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/domain_schema.h"

#include <fmt/format.h>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema";
constexpr std::string_view kOneObject =
    "must be one JSON object, {\"COLUMN\": NUMBER OF CODES, ...}";

void check_facts(const std::vector<DomainColumn>& columns, const SchemaFile& file,
                 const std::string& dataset) {
  const auto fail = [&](std::string_view problem) {
    throw Error(ErrorKind::kUsage, kWhere, "{}: {}", file.path.string(), problem);
  };
  if (!file.num_records && file.sizes == SizesRule::kPublic) {
    fail("a domain does not say how many records the table has; give --num-records N");
  }
  if (file.num_records && (*file.num_records < 1 || *file.num_records > kMaxRecords)) {
    fail(fmt::format("--num-records must lie between 1 and {}, got {}", kMaxRecords,
                     *file.num_records));
  }
  if (!is_dataset_name(dataset)) fail(fmt::format("--dataset {}", kDatasetNameRule));
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const DomainColumn& column : columns) names.push_back(column.name);
  if (!file.target.empty() && !contains(names, file.target)) {
    fail(fmt::format("--target {} is not a column{}", file.target,
                     did_you_mean(file.target, names)));
  }
}

}  // namespace

std::vector<DomainColumn> domain_columns(const nlohmann::ordered_json& json,
                                         const JsonSource& source) {
  constexpr uint64_t kMaxCodesInAll = 1'000'000;
  if (!json.is_object()) source.fail(fmt::format("{}, as private-pgm writes it", kOneObject));
  if (json.empty()) source.fail("declares no column");
  std::vector<DomainColumn> columns;
  uint64_t total = 0;
  for (const auto& [name, number] : json.items()) {
    if (name.empty()) source.fail("a column needs a name");
    const uint64_t num_codes = number.is_number_unsigned() ? number.get<uint64_t>() : 0;
    if (num_codes < 1 || num_codes > static_cast<uint64_t>(kMaxCategories)) {
      source.fail(
          fmt::format("the number of codes of column '{}' must be a whole number from 1 to {}",
                      name, kMaxCategories));
    }
    total += num_codes;
    if (total > kMaxCodesInAll)
      source.fail(fmt::format("declares more than {} codes", kMaxCodesInAll));
    DomainColumn& column = columns.emplace_back(DomainColumn{name, {}});
    for (uint64_t code = 0; code < num_codes; ++code) column.codes.push_back(std::to_string(code));
  }
  return columns;
}

std::string domain_to_toml(std::string_view json, const SchemaFile& file) {
  const std::string name = file.path.string();
  const JsonSource source{name, kWhere, "a domain of private-pgm", kOneObject};
  const std::vector<DomainColumn> columns =
      domain_columns(parse_json<nlohmann::ordered_json>(json, source), source);
  const std::string dataset = file.dataset.empty() ? dataset_name_of(file.path) : file.dataset;
  check_facts(columns, file, dataset);

  std::string toml = fmt::format(
      "# From a domain of private-pgm: each column holds the codes 0 to K - 1.\n"
      "schema = \"equinoise/1\"\n"
      "dataset = {}\n"
      "reviewed = true\n",
      toml_string(dataset));
  if (!file.target.empty()) toml += fmt::format("target = {}\n", toml_string(file.target));
  if (file.num_records) toml += fmt::format("\n[public]\nnum_records = {}\n", *file.num_records);
  for (const DomainColumn& column : columns) {
    constexpr std::string_view kValues = "values = ";
    toml += fmt::format("\n[columns.{}]\ntype = \"categorical\"\n{}{}\nmissing = \"none\"\n",
                        toml_key(column.name), kValues, toml_list(column.codes, kValues.size()));
  }
  return toml;
}

}  // namespace equinoise
