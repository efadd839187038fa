// SPDX-License-Identifier: Apache-2.0
// Tables in CSV, ARFF and JSON, plain, gzip, zip and zstd, read with a schema and drafted without
// one.

#include "equinoise/data/draft/schema_draft.h"
#include "equinoise/data/formats/arff_reader.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/values/parse_number.h"
#include "fuzz/people.h"

namespace equinoise::fuzz {
namespace {

constexpr std::string_view kCanary = "c4n4ry";

/// Whether the canary can only be part of cells: it stands below the header of a CSV or ARFF file,
/// or always at the beginning of a JSON value. Names of columns may be told.
bool is_in_cells_only(std::string_view content) {
  for (const std::string_view header :
       {"age,sex,zip,income\n", "age,sex,zip,income\r\n", "age;sex;zip;income\n",
        "age\tsex\tzip\tincome\n", "sep=|\nage|sex|zip|income\n",
        "@relation people\n@attribute age real\n@attribute sex {Female,Male}\n"
        "@attribute zip string\n@attribute income {high,low}\n@data\n"}) {
    if (content.starts_with(header)) return true;
  }
  if (starts_like_arff(content)) return false;
  for (size_t at = content.find(kCanary); at != content.npos; at = content.find(kCanary, at + 1)) {
    if (!content.substr(0, at).ends_with("\": \"")) return false;
  }
  return true;
}

/// The people of a file that is laid out in no usual way.
const Schema& foreign_schema() {
  static const Schema schema = with_table_options(people_schema(),
                                                  {.delimiter = ';',
                                                   .decimal_comma = true,
                                                   .has_header = false,
                                                   .encoding = Encoding::kLatin1,
                                                   .missing_values = {"-"}},
                                                  "schema.toml");
  return schema;
}

/// Reads a table in blocks of a few records, which changes nothing.
void read_in_blocks(const std::filesystem::path& path, const Schema& schema, const Dataset& whole) {
  const std::unique_ptr<RecordReader> records = open_described(path, schema);
  TableBlocks blocks(*records, schema, TableUse::kOther);
  int64_t num_records = 0;
  for (Dataset block = blocks.next(3); block.num_records > 0; block = blocks.next(3)) {
    const auto first = static_cast<std::ptrdiff_t>(num_records);
    num_records += block.num_records;
    require(num_records <= whole.num_records, "blocks have no other records");
    for (size_t i = 0; i < block.numeric.size(); ++i) {
      require(std::equal(block.numeric[i].values.begin(), block.numeric[i].values.end(),
                         whole.numeric[i].values.begin() + first),
              "blocks hold the same numbers");
    }
    for (size_t i = 0; i < block.categorical.size(); ++i) {
      require(std::equal(block.categorical[i].codes.begin(), block.categorical[i].codes.end(),
                         whole.categorical[i].codes.begin() + first),
              "blocks hold the same categories");
    }
  }
  require(num_records == whole.num_records, "blocks have all records");
}

/// What is read lies within the bounds, and rows that hold it are read as the same.
void check_numbers(const Dataset& dataset, const Schema& schema) {
  for (const NumericColumn& column : dataset.numeric) {
    const ColumnSchema& described = schema.column(column.name);
    for (const double value : column.values) {
      require(value >= described.lower && value <= described.upper, "values are within bounds");
      const std::string text = described.text_of(value);
      require((described.time ? parse_time(text, *described.time) : parse_number(text)) == value,
              "a value that is written is read as the same");
    }
  }
}

/// Drafts a schema; the message of the Error, "" if there is none. A draft fits its table, unless
/// the first record is column_1, column_2 and so on.
std::string draft(const std::filesystem::path& path, const TableOptions& options) {
  SchemaDraft draft;
  const std::string message =
      error_of([&] { draft = draft_schema(path, {.dataset = "people", .table = options}); });
  if (!message.empty()) return message;
  Schema schema;
  Dataset dataset;
  const std::string misfit = error_of([&] {
    schema = parse_schema(draft.text, "draft");
    dataset = read_table(path, schema);
  });
  require(misfit.empty() || misfit.find("begins with the names") != misfit.npos,
          "a draft fits its table: " + misfit);
  if (!misfit.empty()) return "";
  check_numbers(dataset, schema);
  read_in_blocks(path, schema, dataset);
  return "";
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view content = fuzz::as_text(data, size);
  // Those have their own fuzzer: DuckDB takes a hundred times as long as the other readers.
  if (content.starts_with("PAR1")) return 0;

  static const fuzz::InputFile file("table");
  const std::filesystem::path& path = file.write(content);
  const bool must_not_tell = fuzz::is_in_cells_only(content);
  const auto require_silent = [&](const std::string& message) {
    fuzz::require(!must_not_tell || message.find(fuzz::kCanary) == message.npos,
                  "a message does not hold a cell");
  };
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly})
    require_silent(fuzz::read_people(path, use));
  require_silent(
      fuzz::error_of([&] { read_table(path, fuzz::foreign_schema(), TableUse::kOther); }));
  require_silent(fuzz::draft(path, {}));
  TableOptions headerless;
  headerless.has_header = false;
  headerless.encoding = Encoding::kLatin1;
  require_silent(fuzz::draft(path, headerless));
  return 0;
}
