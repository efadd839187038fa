// SPDX-License-Identifier: Apache-2.0
// Tables in CSV, ARFF and JSON, plain and gzip.

#include "equinoise/data/arff_reader.h"
#include "fuzz/people.h"

namespace equinoise::fuzz {
namespace {

constexpr std::string_view kCanary = "c4n4ry";

/// Whether the canary can only be part of cells: it stands below the header of a CSV or ARFF file,
/// or always at the beginning of a JSON value. Names of columns may be told.
bool is_in_cells_only(std::string_view content) {
  for (const std::string_view header :
       {"age,sex,zip,income\n", "age,sex,zip,income\r\n",
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
  for (const TableUse use : {TableUse::kDescribed, TableUse::kOther, TableUse::kFeaturesOnly}) {
    const std::string message = fuzz::read_people(path, use);
    fuzz::require(!must_not_tell || message.find(fuzz::kCanary) == message.npos,
                  "a message does not hold a cell");
  }
  return 0;
}
