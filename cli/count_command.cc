// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/data/open_table.h"
#include "equinoise/engines/count_query.h"
#include "equinoise/engines/engine_url.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/count/count.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/shared_options.h"

namespace equinoise::cli {

namespace {

struct CountOptions : CountRequest {
  std::string name;   ///< of the table
  std::string table;  ///< within it, if it is a database
  std::optional<Dialect> dialect;
  bool sql = false;
};

RequestOptions options_of(CountOptions& options) {
  return joined(
      {schema_options(options.schema),
       {{{.name = "from",
          .help = "Table to count: postgres://USER@HOST:PORT/DATABASE#TABLE (password from "
                  "PGPASSWORD or the password file), duckdb:FILE#TABLE, a folder of Parquet files, "
                  "or a file that is read here (CSV, ARFF, JSON, Parquet)",
          .required_without = "sql"},
         &options.name},
        {{.name = "table",
          .help = "Table or view of the database, as people or visits.people, if --from does not "
                  "name it behind a #"},
         &options.table},
        {{.name = "out",
          .help = "File for the counted table, which is read in place of the table itself: Parquet "
                  "if its name ends in .parquet, otherwise CSV; - is standard output. Not to be "
                  "published"},
         &options.out_path},
        {{.name = "force", .help = "Replace an existing --out"}, &options.force},
        {{.name = "sql",
          .help = "Only print the statement, for whoever administers the database to review"},
         &options.sql},
        {{.name = "dialect",
          .help = "Whose SQL --sql prints without --from, for columns of the types that the schema "
                  "has",
          .choices = words_of(kDialects),
          .needs = "sql"},
         word_field<kDialects>(options.dialect)}}});
}

constexpr Refusal refuse_count{ErrorKind::kUsage, "cli.count"};

std::string text_of(const CountReport& report) {
  std::string text = fmt::format("{} rows, {} of them different\n", format_count(report.num_rows),
                                 format_count(report.num_distinct));
  if (report.num_units) text += fmt::format("of {} units\n", format_count(*report.num_units));
  text += fmt::format("counted in {:.3g} s\n", report.seconds);
  for (const std::string& note : ingest_notes(report.columns))
    text += fmt::format("not private: {}\n", note);
  text +=
      "These figures and the counted table are NOT PRIVATE: they are exact,\nand rows that "
      "occur once are single records. Do not publish them.\n";
  return text + to_text(marked(report.files, Fence::kNotPrivate));
}

/// The table that --from and --table name.
TableSource source_of(const CountOptions& options, const CommonOptions& common) {
  if (is_engine_url(options.name)) return engine_table(options.name, options.table);
  if (!options.table.empty())
    refuse_count("--table is for a database; --from is a table by itself");
  return common.host.table(options.name);
}

CountStatements statements_of(const CountOptions& options) {
  if (options.name.empty()) {
    if (!options.dialect)
      refuse_count("--sql without --from needs --dialect: for which engine is the statement?");
    if (options.table.empty()) refuse_count("--sql without --from needs --table, as people");
    return count_statements(load_counting_schema(options.schema), *options.dialect, options.table);
  }
  if (options.dialect) refuse_count("--dialect is for --sql without --from; --from knows its own");
  if (!is_engine_url(options.name)) {
    refuse_count("{}: is read here and not by a database, so there is no statement", options.name);
  }
  const EngineUrl url = parse_engine_url(options.name, options.table);
  return count_statements(load_counting_schema(options.schema), url);
}

void print_statements(const CountOptions& options, const CommonOptions& common) {
  if (!options.out_path.empty()) refuse_count("--sql only prints the statement; leave --out out");
  const CountStatements statements = statements_of(options);
  print_report(statements, fmt::format("{}", fmt::join(statements.texts, ";\n\n")), common,
               "count --sql");
}

void run_count(const CLI::App&, CountOptions& options, const CommonOptions& common) {
  if (options.sql) {
    print_statements(options, common);
    return;
  }
  const bool is_standard_output = takes_standard_output("cli.count", common, options);
  options.from = source_of(options, common);
  refuse_unused_layout(options.from, options.schema.table);
  const auto progress = common.make_progress();
  const CountReport report = count_table(options, *progress);
  if (is_standard_output) return tell_beside_rows(text_of(report), common);
  print_report(report, text_of(report), common);
}

}  // namespace

void add_count_command(CLI::App& app, CommonOptions& common) {
  add_request_command<CountOptions>(
      app,
      {"count",
       "Count the equal rows of a table where it is, in a database or Parquet files; NOT PRIVATE",
       "equinoise count --schema people.toml --from duckdb:registry.duckdb#people \\\n"
       "    --out counted.csv\n"
       "  equinoise count --schema people.toml --from postgres://reader@db.example/registry \\\n"
       "    --table visits.people --sql"},
      common, run_count);
}

}  // namespace equinoise::cli
