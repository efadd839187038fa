// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas in docs/schemas, which follow from declared fields, and the golden documents
// that they describe. With EQUINOISE_UPDATE_DOCS set the schemas are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "equinoise/report/audit/audit_fields.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/means/group_sizes_report.h"
#include "equinoise/report/means/means_outlook.h"
#include "equinoise/report/synth/estimate_report.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/report/synth/infer_report.h"
#include "equinoise/report/synth/rows_card.h"
#include "equinoise/report/synth/sample_report.h"
#include "equinoise/report/synth/synth_report.h"
#include "equinoise/report/tables/tables_report.h"
#include "equinoise/report/training/training_fields.h"
#include "tests/cli/people.h"
#include "tests/docs/field_schema.h"
#include "tests/docs/page.h"

namespace equinoise::testing::json_schema_test {
namespace {

/// By the kind of document.
std::map<std::string, SchemaJson> schemas() {
  std::map<std::string, SchemaJson> all;
  const auto add = [&]<typename Report>(const char* kind, DocumentSet document,
                                        std::type_identity<Report>) {
    all[kind] = document_schema<Report>(kind, document);
  };
  add("train", Documents::kReport, std::type_identity<TrainingReport>());
  add("plan", Documents::kPlan, std::type_identity<TrainingReport>());
  add("model", Documents::kModel, std::type_identity<TrainingReport>());
  add("model_card", Documents::kCard, std::type_identity<TrainingReport>());
  add("audit", Documents::kReport, std::type_identity<AuditReport>());
  add("compare", Documents::kAll, std::type_identity<CompareReport>());
  add("means", Documents::kReport, std::type_identity<MeansReport>());
  add("means --dry-run", Documents::kPlan, std::type_identity<MeansReport>());
  add("tables", Documents::kReport, std::type_identity<TablesReport>());
  add("tables --dry-run", Documents::kPlan, std::type_identity<TablesReport>());
  add("plan means", Documents::kAll, std::type_identity<MeansOutlook>());
  add("schema sizes", Documents::kAll, std::type_identity<GroupSizesReport>());
  add("synth", Documents::kReport, std::type_identity<SynthReport>());
  add("synth --dry-run", Documents::kPlan, std::type_identity<SynthReport>());
  add("rows_card", Documents::kAll, std::type_identity<RowsCard>());
  add("synth estimate", Documents::kAll, std::type_identity<SynthEstimateReport>());
  add("synth sample", Documents::kAll, std::type_identity<SynthSampleReport>());
  add("infer", Documents::kAll, std::type_identity<InferReport>());
  add("synth evaluate", Documents::kAll, std::type_identity<SynthEvaluateReport>());
  for (const char* learner : {"classifier", "regression"})
    all["synth evaluate"]["properties"][learner].update(schema_of<SynthLearner>(Documents::kAll));
  return all;
}

/// "synth --dry-run" is in synth_dry_run.json.
std::string file_of(const std::string& kind) {
  return std::regex_replace(kind, std::regex("[ -]+"), "_") + ".json";
}

std::string kind_of(const SchemaJson& document) { return document.value("kind", ""); }

/// Kinds of documents that no fields declare.
const std::set<std::string> kUndeclared = {"account epsilon", "ledger show", "error"};

/// The golden documents of declared kinds, by the names of their files. The model of rows has a
/// format of its own (synth/synth_file.h).
std::map<std::string, SchemaJson> golden_documents() {
  std::map<std::string, SchemaJson> documents;
  const std::map<std::string, SchemaJson> known = schemas();
  const std::filesystem::path folder = source_folder() / "tests/golden/expected";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json" && entry.path().extension() != ".txt") continue;
    std::string text = read_bytes(entry.path());
    text = text.substr(0, text.find("--- standard error"));
    // Figures of time are masked.
    text = std::regex_replace(text, std::regex("(seconds\": ?)#"), "$010");
    const SchemaJson json = SchemaJson::parse(text, nullptr, false);
    if (!json.is_object() || json.value("kind", "") == "synth_model") continue;
    if (kUndeclared.contains(kind_of(json))) continue;
    EXPECT_TRUE(known.contains(kind_of(json))) << entry.path() << " has no schema";
    documents[entry.path().lexically_relative(folder).string()] = json;
  }
  return documents;
}

TEST(Pages, OfJsonSchemasFollowFromDeclaredFields) {
  std::set<std::string> names = {"README.md"};
  for (const auto& [kind, schema] : schemas()) {
    names.insert(file_of(kind));
    const std::filesystem::path path = source_folder() / "docs/schemas" / file_of(kind);
    if (updates_pages()) std::ofstream(path) << to_text(schema);
    EXPECT_EQ(read_bytes(path), to_text(schema)) << "EQUINOISE_UPDATE_DOCS=1 writes it anew";
  }
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "docs/schemas"))
    EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
}

TEST(JsonSchema, EveryGoldenDocumentFitsThatOfItsKind) {
  const std::map<std::string, SchemaJson> known = schemas();
  std::set<std::string> kinds;
  for (const auto& [name, document] : golden_documents()) {
    kinds.insert(kind_of(document));
    EXPECT_EQ(problem_in(document, known.at(kind_of(document)), name), "");
  }
  for (const auto& [kind, schema] : known) EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(JsonSchema, ARenamedOrRemovedKeyDoesNotFit) {
  const std::map<std::string, SchemaJson> known = schemas();
  for (const auto& [name, document] : golden_documents()) {
    const SchemaJson& schema = known.at(kind_of(document));
    const SchemaJson& required = schema["required"];
    for (const auto& [key, value] : document.items()) {
      SchemaJson changed = document;
      changed.erase(key);
      if (std::find(required.begin(), required.end(), key) != required.end()) {
        EXPECT_NE(problem_in(changed, schema, name), "") << key;
      }
      changed["renamed_" + key] = value;
      EXPECT_NE(problem_in(changed, schema, name), "") << key;
    }
  }
}

}  // namespace
}  // namespace equinoise::testing::json_schema_test
