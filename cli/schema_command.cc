// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/answers.h"
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

/// Prints what `schema check` found.
void print_check(const SchemaCheck& options, const CommonOptions& common,
                 const CheckedSchema& checked) {
  if (common.json) {
    print_json(checked, common);
    return;
  }
  const Schema& schema = checked.schema;
  common.print("{}: dataset {}, {}, {} columns, {} features after encoding, target {}\n",
               options.schema.path.string(), schema.dataset,
               schema.num_records > 0
                   ? format_count(schema.num_records) + " " + schema.units_name()
                   : "no public number of records (for synth --relation add_remove)",
               schema.columns.size(), encoded_feature_names(schema).size(),
               schema.target.empty() ? "none" : schema.target);
  if (schema.has_unit_column())
    common.print("of each {}, {} rows count\n", schema.unit,
                 format_count(schema.max_records_per_unit));
  if (!schema.has_unit_column() && schema.unit_answer != UnitAnswer::kOpen)
    common.print("{}\n", ProtectedUnit::of(schema).whose_row());
  if (!checked.groups.empty())
    common.print("declared groups: {}\n", fmt::join(checked.groups, ", "));
  if (!schema.reviewed) common.print("not reviewed: read the schema, then set reviewed = true\n");
  if (!checked.table) return;
  common.print("{}: {} the schema\n", options.data.name(),
               checked.table->failures.empty() ? "fits" : "does not fit");
  for (const std::string& note : checked.table->remarks()) common.print("not private: {}\n", note);
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
  CheckedSchema checked{load_schema(file), {}, {}};
  const Schema& schema = checked.schema;
  for (const GroupAttribute& attribute : schema.group_attributes)
    checked.groups.push_back(attribute.name);
  if (!options.data.empty()) {
    if (!schema.image) refuse_header_as_record(options.data, schema);
    const auto progress = common.make_progress();
    checked.table = check_table({options.data, options.labels}, schema, *progress);
  }
  print_check(options, common, checked);
  if (options.data.empty() && schema.unit_answer == UnitAnswer::kOpen) {
    throw Error(ErrorKind::kInput, "cli.schema", "{}: {}", options.schema.path.string(), kOpenUnit);
  }
  if (checked.table && !checked.table->failures.empty()) {
    // Whoever reads JSON may have the error alone.
    const std::vector<std::string>& failures = checked.table->failures;
    const std::string reasons =
        common.json            ? fmt::format("{}", fmt::join(checked.table->remarks(), "; "))
        : failures.size() == 1 ? failures.front()
                               : fmt::format("{} reasons, which are listed above", failures.size());
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
/// what comes next follow where they do not mix with it. With --json only `answer` is printed,
/// with the file.
template <HasFields Answer>
void write_text(const std::string& text, const std::unique_ptr<OutputFile>& file,
                const std::vector<std::string>& notes, const WrittenFile& written,
                const std::string& closing, Answer answer, const CommonOptions& common) {
  if (file) {
    file->write(text);
    file->commit();
  }
  if (common.json) {
    if (file) answer.files.push_back(written.path);
    print_json(answer, common);
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
             DraftedSchema{std::nullopt, imported.text, imported.notes, {}}, common);
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
             DraftedSchema{PrivacyStatus::kNotPrivate, draft.text, draft.notes, {}}, common);
}

void run_sizes(const CLI::App&, const GroupSizesRequest& request, const CommonOptions& common) {
  const auto print = [&](const GroupSizesReport& report) {
    print_report(report, group_sizes_to_text(report), common);
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
             {options.out, std::nullopt}, "", ExportedDescription{exported.notes, {}}, common);
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
