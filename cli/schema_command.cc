// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/draft/schema_draft.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/schema/schema_export.h"
#include "equinoise/data/schema/schema_import.h"
#include "equinoise/data/table.h"
#include "equinoise/files/output_file.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/report/protection.h"
#include "equinoise/tasks/input/table_check.h"
#include "equinoise/tasks/means/group_sizes.h"

namespace equinoise::cli {

namespace {

struct SchemaCheck {
  SchemaFile schema;
  TableSource data;
  std::filesystem::path labels;
};

RequestOptions options_of(SchemaCheck& check) {
  return joined({schema_options(check.schema),
                 {{{.name = "data", .help = std::string(kTableHelp) + ", or images"},
                   RequestOption::Table{&check.data, &check.schema.table}}},
                 label_options(check.labels)});
}

nlohmann::ordered_json json_of(const RowsOfUnits& rows) {
  nlohmann::ordered_json quantiles = nlohmann::ordered_json::array();
  for (const auto& [share, count] : rows.quantiles)
    quantiles.push_back({{"share", share}, {"rows", count}});
  nlohmann::ordered_json kept = nlohmann::ordered_json::array();
  for (const auto& [most, count] : rows.kept)
    kept.push_back({{"max_records_per_unit", most}, {"rows", count}});
  return {{"num_units", rows.num_units},
          {"rows", rows.num_rows},
          {"rows_of_a_unit", quantiles},
          {"rows_that_count", kept}};
}

/// Prints what `schema check` found.
void print_check(const SchemaCheck& options, const CommonOptions& common, const Schema& schema,
                 const std::vector<std::string>& groups, bool fits,
                 const std::vector<std::string>& notes,
                 const std::optional<RowsOfUnits>& rows_of_units) {
  const size_t num_features = encoded_feature_names(schema).size();
  const bool is_size_public = schema.num_records > 0;
  const bool is_open = schema.unit_answer == UnitAnswer::kOpen;
  if (common.json) {
    const nlohmann::ordered_json size =
        is_size_public ? nlohmann::ordered_json(schema.num_records) : nullptr;
    nlohmann::ordered_json fits_or_null;
    if (!options.data.empty()) fits_or_null = fits;
    nlohmann::ordered_json json = {{"dataset", schema.dataset},
                                   {"reviewed", schema.reviewed},
                                   {"unit", is_open ? "" : schema.unit},
                                   {"unit_stated", schema.unit_answer == UnitAnswer::kStated}};
    if (schema.has_unit_column()) json["max_records_per_unit"] = schema.max_records_per_unit;
    json[schema.size_key()] = size;
    json["columns"] = schema.columns.size();
    json["features"] = num_features;
    json["target"] = schema.target;
    json["groups"] = groups;
    json["data_checked"] = !options.data.empty();
    json["fits"] = fits_or_null;
    json["ingest"] = notes;
    if (rows_of_units) json["not_private_units"] = json_of(*rows_of_units);
    print_json(json, common);
    return;
  }
  common.print("{}: dataset {}, {}, {} columns, {} features after encoding, target {}\n",
               options.schema.path.string(), schema.dataset,
               is_size_public ? format_count(schema.num_records) + " " + schema.units_name()
                              : "no public number of records (for synth --relation add_remove)",
               schema.columns.size(), num_features, schema.target.empty() ? "none" : schema.target);
  if (schema.has_unit_column())
    common.print("of each {}, {} rows count\n", schema.unit,
                 format_count(schema.max_records_per_unit));
  if (!schema.has_unit_column() && !is_open)
    common.print("{}\n", ProtectedUnit::of(schema).whose_row());
  if (!groups.empty()) common.print("declared groups: {}\n", fmt::join(groups, ", "));
  if (!schema.reviewed) common.print("not reviewed: read the schema, then set reviewed = true\n");
  if (options.data.empty()) return;
  common.print("{}: {} the schema\n", options.data.name(), fits ? "fits" : "does not fit");
  for (const std::string& note : notes) common.print("not private: {}\n", note);
}

void run_check(const CLI::App&, const SchemaCheck& options, const CommonOptions& common) {
  SchemaFile file = options.schema;
  file.sizes = SizesRule::kMayBePrivate;
  TableOptions layout = file.table;
  layout.missing_values.clear();  // they must not be values of a column
  if (options.data.empty() && !layout.empty()) {
    throw Error(ErrorKind::kUsage, "cli.schema",
                "options on how a table is laid out need --data TABLE; leave them out otherwise");
  }
  const Schema schema = load_schema(file);
  std::vector<std::string> groups;
  for (const GroupAttribute& attribute : schema.group_attributes) groups.push_back(attribute.name);
  TableCheck check;
  if (!options.data.empty()) {
    if (!schema.image) refuse_header_as_record(options.data, schema);
    const auto progress = common.make_progress();
    check = check_table({options.data, options.labels}, schema, *progress);
  }
  const bool fits = check.failures.empty();
  std::vector<std::string> notes = check.failures;
  append(notes, check.notes);
  print_check(options, common, schema, groups, fits, notes, check.rows_of_units);
  if (options.data.empty() && schema.unit_answer == UnitAnswer::kOpen) {
    throw Error(ErrorKind::kInput, "cli.schema", "{}: {}", options.schema.path.string(), kOpenUnit);
  }
  if (!fits) {
    // Whoever reads JSON may have the error alone.
    const std::string reasons =
        common.json ? fmt::format("{}", fmt::join(notes, "; "))
        : check.failures.size() == 1
            ? check.failures.front()
            : fmt::format("{} reasons, which are listed above", check.failures.size());
    throw Error(ErrorKind::kInput, "cli.schema", "{} does not fit the schema: {}",
                options.data.name(), reasons);
  }
}

struct DraftRequest {
  TableSource data;
  std::filesystem::path import;  ///< a description of the table in place of it
  DraftOptions draft;
  std::string out;
  bool force = false;
};

RequestOptions options_of(DraftRequest& request) {
  return joined(
      {{{{.name = "data",
          .help =
              "Table to describe (CSV, ARFF, JSON, Parquet; all but Parquet may be gzip, zip or "
              "zstd); required without --import",
          .required_without = "import"},
         RequestOption::Table{&request.data, &request.draft.table}},
        {{.name = "import",
          .help = "Description of the table by another tool in place of the table, so that nothing "
                  "is learnt from records: schema of NIST, Frictionless Table Schema, metadata of "
                  "SDV, or domain of private-pgm (JSON)",
          .excludes = {"data", "delimiter", "decimal_comma", "decimal_point", "header", "no_header",
                       "encoding", "na"}},
         &request.import}},
       layout_options(request.draft.table),
       {{{.name = "target", .help = "Column to predict"}, &request.draft.target},
        {{.name = "unit",
          .help = "Column that says whose a row is, or row if no person has two",
          .derived = "left open where a column may be an identifier that repeats, else not said",
          .excludes = {"import"}},
         &request.draft.unit},
        {{.name = "groups",
          .help = "Columns whose intersections get their sizes declared, e.g. sex,race; repeat the "
                  "option for further groupings",
          .excludes = {"import"}},
         &request.draft.groupings},
        {{.name = "dataset", .help = "Name of the dataset", .derived = "the name of the file"},
         &request.draft.dataset},
        {{.name = "out", .help = "File to write", .derived = "standard output"}, &request.out},
        {{.name = "force", .help = "Replace an existing --out"}, &request.force}}});
}

/// Refuses to replace what a command reads, `what`.
void require_other_file(const std::filesystem::path& read, const std::string& out,
                        std::string_view what) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(read, out, ignored)) return;
  throw Error(ErrorKind::kUsage, "cli.schema", "{} is {}; give another --out", out, what);
}

/// The file for --out, if that was given.
std::unique_ptr<OutputFile> open_out(const std::string& out, bool force) {
  return out.empty() ? nullptr : std::make_unique<OutputFile>(out, force);
}

/// Writes a text as a whole, or prints it if there is no file. `notes`, the name of the file and
/// what comes next follow where they do not mix with it. With --json only `json` is printed, with
/// the file.
void write_text(const std::string& text, const std::unique_ptr<OutputFile>& file,
                const std::vector<std::string>& notes, const WrittenFile& written,
                const std::string& closing, nlohmann::ordered_json json,
                const CommonOptions& common) {
  if (file) {
    file->write(text);
    file->commit();
  }
  if (common.json) {
    json["files"] = nlohmann::ordered_json::array();
    if (file) json["files"].push_back(written.path);
    print_json(json, common);
    return;
  }
  if (!file) common.print("{}", text);
  if (!file && common.quiet) return;
  const auto say = [&](const std::string& line) {
    file ? common.print("{}", line) : common.tell(line);
  };
  for (const std::string& note : notes) say(note + "\n");
  if (file) say(to_text({written}));
  say(closing);
}

void run_import(const DraftRequest& options, const CommonOptions& common) {
  require_other_file(options.import, options.out, "the file that is imported");
  const ImportedSchema imported =
      import_schema(options.import, {options.draft.dataset, options.draft.target});
  // The output is as private as the imported file; whether that is private is unknown.
  write_text(imported.text, open_out(options.out, options.force), imported.notes,
             {options.out, std::nullopt},
             "No record was looked at. Next: complete the lines with REVIEW, check all others, and "
             "set reviewed = true.\n",
             {{"reviewed", false}, {"draft", imported.text}, {"notes", imported.notes}}, common);
}

void run_draft(const CLI::App&, const DraftRequest& options, const CommonOptions& common) {
  if (!options.import.empty()) {
    run_import(options, common);
    return;
  }
  require_other_file(options.data.path(), options.out, "the table itself");
  const std::unique_ptr<OutputFile> file = open_out(options.out, options.force);
  const SchemaDraft draft = draft_schema(options.data, options.draft);
  std::vector<std::string_view> questions = {
      "which bounds, categories and numbers are public without this table?"};
  if (options.draft.unit.empty())
    questions.insert(questions.begin(),
                     "whose rows are these: does each person have one row, or which column tells "
                     "people apart?");
  if (options.draft.target.empty())
    questions.emplace_back("which column is the target, if there is one?");
  const std::string next = fmt::format(
      "The draft holds facts learnt from the data.\n"
      "Open questions; answer them in the draft, then set reviewed = true:\n  {2}\n"
      "Next:\n  equinoise schema check --schema {0} --data {1}\n",
      options.out, options.data.name(), fmt::join(questions, "\n  "));
  write_text(draft.text, file, draft.notes, {options.out, Fence::kNotPrivate},
             file ? next : "NOT PRIVATE: the draft holds facts learnt from the data\n",
             {{"status", "not private"},
              {"reviewed", false},
              {"draft", draft.text},
              {"notes", draft.notes}},
             common);
}

void run_sizes(const CLI::App&, const GroupSizesRequest& request, const CommonOptions& common) {
  const auto print = [&](const GroupSizesReport& report) {
    print_report(group_sizes_to_json(report), group_sizes_to_text(report), common);
  };
  if (request.dry_run) {
    print(plan_group_sizes(request));
    return;
  }
  const auto progress = common.make_progress();
  print(release_group_sizes(request, *progress));
}

struct SchemaExport {
  SchemaFile schema;
  ExportFormat to = ExportFormat::kSdv;
  std::string out;
  bool force = false;
};

constexpr EnumWords<ExportFormat, 2> kExportFormats = {
    {{ExportFormat::kSdv, "sdv"}, {ExportFormat::kDomain, "domain"}}};

RequestOptions options_of(SchemaExport& request) {
  RequestOption::Text to = word_field<kExportFormats>(request.to);
  to.usual = {};  // required
  return {{{.name = "schema",
            .help = "Schema file (TOML): what is publicly known about the table",
            .is_required = true},
           &request.schema.path},
          {{.name = "to",
            .help = "Format: sdv (metadata of SDV, version V1) or domain (of private-pgm)",
            .choices = words_of(kExportFormats),
            .is_required = true},
           to},
          {{.name = "out", .help = "File to write", .derived = "standard output"}, &request.out},
          {{.name = "force", .help = "Replace an existing --out"}, &request.force}};
}

void run_schema_export(const CLI::App&, const SchemaExport& options, const CommonOptions& common) {
  require_other_file(options.schema.path, options.out, "the schema itself");
  if (common.json && options.out.empty()) {
    throw Error(ErrorKind::kUsage, "cli.schema",
                "--json and the exported schema both need standard output; name a file with --out");
  }
  SchemaFile file = options.schema;
  file.sizes = SizesRule::kMayBePrivate;
  const ExportedSchema exported = export_schema(load_schema(file), options.to);
  write_text(exported.text, open_out(options.out, options.force), exported.notes,
             {options.out, std::nullopt}, "", {{"notes", exported.notes}}, common);
}

}  // namespace

void add_schema_command(CLI::App& app, CommonOptions& common) {
  CLI::App* schema = app.add_subcommand(
      "schema", "Draft, check and complete the schema: what is publicly known about a table");
  schema->require_subcommand(1);
  add_request_command<SchemaCheck>(
      *schema,
      {"check", "Validate a schema, and a table against it",
       "equinoise schema check --schema data/adult/schema.toml --data data/adult/adult.csv.gz"},
      common, run_check);
  add_request_command<DraftRequest>(
      *schema,
      {"draft", "Write a first schema for a table, for you to review; NOT PRIVATE",
       "equinoise schema draft --data data/adult/adult.csv.gz --target income --out adult.toml"},
      common, run_draft);
  add_request_command<GroupSizesRequest>(
      *schema,
      {"sizes", "Release the sizes of groups with noise and declare them in a copy of the schema",
       "equinoise schema sizes --schema people.toml --data people.csv --groups sex,race \\\n"
       "    --epsilon 0.1 --out people_with_sizes.toml"},
      common, run_sizes);
  add_request_command<SchemaExport>(
      *schema,
      {"export", "Write a schema in the format of another tool",
       "equinoise schema export --schema data/adult/schema.toml --to sdv --out adult.json"},
      common, run_schema_export);
}

}  // namespace equinoise::cli
