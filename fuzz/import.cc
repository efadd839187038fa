// SPDX-License-Identifier: Apache-2.0
// Descriptions of tables by other tools, imported; what they become is reviewed and exported.

#include "equinoise/data/schema/schema_export.h"
#include "equinoise/data/schema/schema_import.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

/// Exports a schema, and imports what was exported.
void pass_on(const Schema& schema) {
  static const InputFile file("exported.json");
  for (const ExportFormat format : {ExportFormat::kSdv, ExportFormat::kDomain}) {
    ExportedSchema exported;
    if (!error_of([&] { exported = export_schema(schema, format); }).empty()) continue;
    const std::string error =
        error_of([&] { import_schema(file.write(exported.text), {.dataset = "people"}); });
    require(error.empty(), "what was exported can be imported: " + error);
  }
}

/// A draft is a schema as it is and after its review, unless each column waits for that.
void import(const std::filesystem::path& path, const ImportOptions& options) {
  ImportedSchema imported;
  if (!error_of([&] { imported = import_schema(path, options); }).empty()) return;
  constexpr std::string_view kNotReviewed = "\nreviewed = false\n";
  const size_t at = imported.text.find(kNotReviewed);
  require(at != imported.text.npos, "an import is marked as not reviewed");
  std::string reviewed = imported.text;
  reviewed.replace(at, kNotReviewed.size(), "\nreviewed = true\n");
  Schema schema;
  const std::string error =
      error_of([&] { schema = parse_schema(reviewed, "import", SizesRule::kMayBePrivate); });
  if (error.find("declares no numeric or categorical column") != error.npos) return;
  require(error.empty(), "an import is a schema: " + error);
  require(schema.reviewed, "what is marked as reviewed is");
  require(schema.target == options.target, "an import has the target that was asked for");
  pass_on(schema);
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  static const fuzz::InputFile file("description.json");
  const std::filesystem::path& path = file.write(fuzz::as_text(data, size));
  fuzz::import(path, {.dataset = "people"});
  fuzz::import(path, {.dataset = "people", .target = "income"});
  return 0;
}
