#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/table.h"
#include "equinoise/report/json.h"
#include "equinoise/report/text.h"
#include "equinoise/tasks/ingest_notes.h"

namespace equinoise::cli {

namespace {

struct SchemaCheck {
  std::string schema;
  std::string data;
};

void run_check(const SchemaCheck& options, const CommonOptions& common) {
  const Schema schema = load_schema(options.schema);
  const size_t num_features = encoded_feature_names(schema).size();
  std::vector<std::string> notes;
  if (!options.data.empty()) notes = ingest_notes(read_table(options.data, schema));
  if (common.json) {
    const nlohmann::ordered_json json = {
        {"schema", "equinoise/1"},          {"dataset", schema.dataset},
        {"reviewed", schema.reviewed},      {"num_records", schema.num_records},
        {"columns", schema.columns.size()}, {"features", num_features},
        {"target", schema.target},          {"data_checked", !options.data.empty()},
        {"not_private_ingest", notes}};
    fmt::print("{}", to_text(json));
    return;
  }
  fmt::print("{}: dataset {}, {} records, {} columns, {} features after encoding, target {}\n",
             options.schema, schema.dataset, format_count(schema.num_records),
             schema.columns.size(), num_features, schema.target.empty() ? "none" : schema.target);
  if (!schema.reviewed) fmt::print("not reviewed: read it, then set reviewed = true\n");
  if (options.data.empty()) return;
  fmt::print("{}: fits the schema\n", options.data);
  for (const std::string& note : notes) fmt::print("not private: {}\n", note);
}

}  // namespace

void add_schema_command(CLI::App& app, CommonOptions& common) {
  CLI::App* schema = app.add_subcommand("schema", "Check what is publicly known about a table");
  schema->require_subcommand(1);
  CLI::App* check = add_command(
      *schema, "check", "Validate a schema, and a table against it",
      "equinoise schema check --schema data/adult/schema.toml --data data/adult/adult.csv.gz",
      common);
  auto options = std::make_shared<SchemaCheck>();
  check->add_option("--schema", options->schema, "Schema file (TOML)")->required();
  check->add_option("--data", options->data, "Table to check against it (CSV, gzip CSV)");
  check->callback([options, &common] { run_check(*options, common); });
}

}  // namespace equinoise::cli
