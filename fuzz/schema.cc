// SPDX-License-Identifier: Apache-2.0
// Schemas, in TOML and as a domain of private-pgm.

#include "equinoise/data/schema/schema.h"

#include "equinoise/data/encoder.h"
#include "equinoise/data/schema/schema_export.h"
#include "equinoise/groups/grouping.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

/// What the options of a command say about tables, and that the schema then says it.
void override_layout(const Schema& schema) {
  TableOptions options;
  options.delimiter = ';';
  // The other mark may be that of thousands in a column.
  options.decimal_comma = schema.layout.decimal_comma;
  options.has_header = false;
  options.encoding = Encoding::kLatin1;
  options.missing_values = {"c4n4ry"};
  Schema other;
  const std::string error =
      error_of([&] { other = with_table_options(schema, options, "schema.toml"); });
  // A column may have the mark among its values.
  if (error.find("which marks a missing cell") != error.npos) return;
  require(error.empty(), "a schema with options is a schema: " + error);
  require(other.layout.delimiter == ';' && !other.layout.has_header &&
              other.layout.encoding == Encoding::kLatin1,
          "a schema with options says what they say");
  require(!other.missing_values.empty() && other.missing_values.back() == "c4n4ry",
          "a schema with options has their marks");
  require(encoded_feature_names(other) == encoded_feature_names(schema),
          "options change nothing else");
}

/// What every command does first with a schema.
void use(const Schema& schema) {
  override_layout(schema);
  for (const ExportFormat format : {ExportFormat::kSdv, ExportFormat::kDomain})
    error_of([&] { export_schema(schema, format); });
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
