// SPDX-License-Identifier: Apache-2.0
// Schemas, in TOML and as a domain of private-pgm.

#include "equinoise/data/schema.h"

#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

/// What every command does first with a schema.
void use(const Schema& schema) {
  const std::vector<std::string> names = encoded_feature_names(schema);
  const Schema again = parse_schema(schema.source_text, "source_text");
  require(encoded_feature_names(again) == names, "the text kept with models says the same");
  for (const ColumnSchema& column : schema.columns) {
    error_of([&] { static_cast<void>(list_groups(schema, {column.name})); });
  }
  for (const GroupAttribute& attribute : schema.group_attributes) {
    static_cast<void>(list_groups(schema, {attribute.name}));
  }
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const std::string_view text = fuzz::as_text(data, size);
  // No schema in TOML begins like this.
  if (text.starts_with("{")) {
    static const fuzz::InputFile file("domain.json");
    const std::filesystem::path& path = file.write(text);
    fuzz::error_of([&] { fuzz::use(load_schema({path, 100, "", ""})); });
    fuzz::error_of([&] { fuzz::use(load_schema({path, 100, "income", "census"})); });
  } else {
    fuzz::error_of([&] { fuzz::use(parse_schema(text, "schema.toml")); });
  }
  return 0;
}
