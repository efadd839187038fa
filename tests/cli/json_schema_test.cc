// SPDX-License-Identifier: Apache-2.0
// The JSON Schemas in docs/schemas, which follow from declared fields, and the golden documents
// that they describe. With EQUINOISE_UPDATE_DOCS set the schemas are written.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "cli/answers.h"
#include "equinoise/report/audit/audit_fields.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/ledger/ledger_report.h"
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
#include "equinoise/report/training/unit_outlook.h"
#include "equinoise/reproduction/quick_check.h"
#include "equinoise/reproduction/report.h"
#include "equinoise/tasks/account.h"
#include "equinoise/tasks/count/count.h"
#include "equinoise/tasks/predict/predict.h"
#include "equinoise/tasks/selftest/selftest.h"
#include "tests/cli/people.h"
#include "tests/docs/field_schema.h"
#include "tests/docs/page.h"
#include "tests/docs/schema_problem.h"

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
  add("audit --private", Documents::kReport, std::type_identity<audit_keys::ReleasedAudit>());
  add("audit --private --dry-run", Documents::kPlan,
      std::type_identity<audit_keys::ReleasedAudit>());
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
  add("plan --unit", Documents::kAll, std::type_identity<UnitOutlook>());
  add("predict", Documents::kAll, std::type_identity<PredictReport>());
  add("count", Documents::kAll, std::type_identity<CountReport>());
  add("count --sql", Documents::kAll, std::type_identity<CountStatements>());
  add("schema draft", Documents::kAll, std::type_identity<DraftedSchema>());
  add("schema export", Documents::kAll, std::type_identity<ExportedDescription>());
  add("schema check", Documents::kAll, std::type_identity<CheckedSchema>());
  for (const char* kind : {"account epsilon", "account delta", "account noise", "account steps"})
    add(kind, Documents::kAll, std::type_identity<AccountAnswer>());
  add("account compare", Documents::kAll, std::type_identity<AccountComparison>());
  add("ledger init", Documents::kAll, std::type_identity<LedgerAccount>());
  add("ledger show", Documents::kAll, std::type_identity<LedgerExplanation>());
  add("ledger explain", Documents::kAll, std::type_identity<LedgerExplanation>());
  add("ledger export", Documents::kAll, std::type_identity<LedgerExport>());
  add("ledger verify", Documents::kAll, std::type_identity<LedgerVerification>());
  add("methods", Documents::kAll, std::type_identity<MethodList>());
  add("method", Documents::kAll, std::type_identity<MethodText>());
  add("model_of_train", Documents::kAll, std::type_identity<ModelText>());
  add("report", Documents::kAll, std::type_identity<PageAnswer>());
  add("reproduce", Documents::kAll, std::type_identity<ReproductionReport>());
  add("reproduce --list", Documents::kAll, std::type_identity<ItemList>());
  add("reproduce --all --quick", Documents::kAll, std::type_identity<QuickChecks>());
  add("selftest", Documents::kAll, std::type_identity<SelfTestReport>());
  add("manual", Documents::kAll, std::type_identity<ManualPage>());
  add("completion", Documents::kAll, std::type_identity<CompletionScript>());
  add("error", Documents::kAll, std::type_identity<FailedCommand>());
  for (const char* learner : {"classifier", "regression"})
    all["synth evaluate"]["properties"][learner].update(schema_of<SynthLearner>(Documents::kAll));
  return all;
}

std::string kind_of(const SchemaJson& document) { return document.value("kind", ""); }

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
    EXPECT_TRUE(known.contains(kind_of(json))) << entry.path() << " has no schema";
    documents[entry.path().lexically_relative(folder).string()] = json;
  }
  return documents;
}

TEST(Pages, OfJsonSchemasFollowFromDeclaredFields) {
  std::set<std::string> names = {"README.md"};
  for (const auto& [kind, schema] : schemas()) {
    names.insert(schema_file_of(kind));
    const std::filesystem::path path = source_folder() / "docs/schemas" / schema_file_of(kind);
    if (updates_pages()) std::ofstream(path) << to_text(schema);
    EXPECT_EQ(read_bytes(path), to_text(schema)) << "EQUINOISE_UPDATE_DOCS=1 writes it anew";
  }
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "docs/schemas"))
    EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
}

/// What commands print that no golden file has, by the words of the command.
std::map<std::string, SchemaJson> printed_documents() {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("visits.toml",
                  schema_head("visits", "", 0, "unit = \"person\"\nmax_records_per_unit = 3\n") +
                      ignored_section("person") + categorical_section("ward", {"a", "b"}) +
                      "[public]\nnum_units = 300\n");
  workspace.write("binned.toml", "public_bins = 1024\n" + people_schema());
  ok(workspace.run(Workspace::train_words({"--epsilon", "1", "--out", "model"})));
  std::map<std::string, SchemaJson> documents;
  for (const std::string line : {
           "schema draft --data people.csv",
           "schema check --schema people.toml --data people.csv",
           "schema export --schema people.toml --to domain --out domain.json",
           "account epsilon --gaussian 2 --delta 1e-6",
           "account delta --gaussian 2 --epsilon 1",
           "account noise --gaussian ? --epsilon 1 --delta 1e-6",
           "account steps --gaussian 9 --steps ? --epsilon 1 --delta 1e-6",
           "account compare --gaussian 2 --delta 1e-6",
           "ledger init --ledger other.ledger --dataset people --epsilon 1",
           "ledger show --ledger people.ledger --accountant pld",
           "ledger explain --ledger people.ledger",
           "ledger export --ledger people.ledger",
           "ledger verify --ledger people.ledger",
           "plan --schema visits.toml --unit --epsilon 1",
           "predict --model model --data people.csv --out predicted.csv",
           "audit --model model --data people.csv --private --epsilon 1 --delta 1e-5 "
           "--ledger people.ledger",
           "audit --model model --data people.csv --private --epsilon 1 --delta 1e-5 "
           "--ledger people.ledger --dry-run",
           "count --schema binned.toml --from people.csv --out counted.csv",
           "count --schema binned.toml --sql --dialect duckdb --table people",
           "report model",
           "methods",
           "methods dpsgd",
           "methods mlp",
           "reproduce --list",
           "reproduce 000/figure3 --quick",
           "selftest",
           "manual",
           "completion bash",
       })
    documents[line] = json_of(ok(workspace.run(join(Words(line.c_str()), {"--json"}))));
  documents["train"] = json_of(workspace.run("train --json"));
  return documents;
}

TEST(JsonSchema, EveryDocumentFitsThatOfItsKind) {
  const std::map<std::string, SchemaJson> known = schemas();
  std::map<std::string, SchemaJson> documents = golden_documents();
  documents.merge(printed_documents());
  std::set<std::string> kinds = {"reproduce --all --quick"};  // takes minutes
  for (const auto& [name, document] : documents) {
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
