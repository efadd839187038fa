// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/domain_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema";
constexpr int64_t kMaxCodesInAll = 1'000'000;

struct DomainColumn {
  std::string name;
  int64_t num_codes = 0;
};

/// Takes the events of the JSON parser; whatever is not {"COLUMN": K} is an error.
class DomainReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  DomainReader(std::string_view text, std::string name) : text_(text), file_(std::move(name)) {}

  std::vector<DomainColumn>& columns() { return columns_; }

  [[noreturn]] void fail(std::string_view problem) const {
    throw Error(ErrorKind::kInput, kWhere, fmt::format("{}: {}", file_, problem));
  }

  bool key(string_t& name) override {
    if (name.empty()) fail("a column needs a name");
    if (!names_.insert(name).second) {
      fail(fmt::format("column '{}' is declared twice; remove one", name));
    }
    columns_.push_back({name, 0});
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    return take(value <= static_cast<uint64_t>(kMaxCategories) ? static_cast<int64_t>(value) : 0);
  }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_float(number_float_t, const string_t&) override { return take(0); }
  bool null() override { return take(0); }
  bool boolean(bool) override { return take(0); }
  bool string(string_t&) override { return take(0); }
  bool binary(binary_t&) override { return take(0); }
  bool start_array(size_t) override { return take(0); }
  bool end_array() override { return true; }
  bool start_object(size_t) override {
    if (is_inside_) return take(0);
    is_inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  /// The parser's own message quotes the file, so only the place is passed on.
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}:{}:{}: not valid JSON", file_,
                            std::count(before.begin(), before.end(), '\n') + 1,
                            before.size() - line_begin + 1));
  }

 private:
  bool take(int64_t num_codes) {
    if (!is_inside_) {
      fail("must be one JSON object, {\"COLUMN\": NUMBER OF CODES, ...}, as private-pgm writes it");
    }
    if (num_codes < 1 || num_codes > kMaxCategories) {
      fail(fmt::format("the number of codes of column '{}' must be a whole number from 1 to {}",
                       columns_.back().name, kMaxCategories));
    }
    total_ += num_codes;
    if (total_ > kMaxCodesInAll) fail(fmt::format("declares more than {} codes", kMaxCodesInAll));
    columns_.back().num_codes = num_codes;
    return true;
  }

  std::string_view text_;
  std::string file_;
  bool is_inside_ = false;
  int64_t total_ = 0;
  std::vector<DomainColumn> columns_;
  std::unordered_set<std::string> names_;
};

void check_facts(const std::vector<DomainColumn>& columns, const SchemaFile& file,
                 const std::string& dataset) {
  const auto fail = [&](std::string_view problem) {
    throw Error(ErrorKind::kUsage, kWhere, fmt::format("{}: {}", file.path.string(), problem));
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
  if (!file.target.empty() && std::find(names.begin(), names.end(), file.target) == names.end()) {
    fail(fmt::format("--target {} is not a column{}", file.target,
                     did_you_mean(file.target, names)));
  }
}

}  // namespace

std::string domain_to_toml(std::string_view json, const SchemaFile& file) {
  DomainReader reader(json, file.path.string());
  nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  const std::vector<DomainColumn>& columns = reader.columns();
  if (columns.empty()) reader.fail("declares no column");
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
    std::vector<std::string> codes;
    codes.reserve(static_cast<size_t>(column.num_codes));
    for (int64_t code = 0; code < column.num_codes; ++code) codes.push_back(std::to_string(code));
    constexpr std::string_view kValues = "values = ";
    toml += fmt::format("\n[columns.{}]\ntype = \"categorical\"\n{}{}\nmissing = \"none\"\n",
                        toml_key(column.name), kValues, toml_list(codes, kValues.size()));
  }
  return toml;
}

}  // namespace equinoise
