// SPDX-License-Identifier: Apache-2.0
#include "cli/schema_options.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "equinoise/data/unused_layout.h"

namespace equinoise::cli {

namespace {

/// The separator that a word names; NUL for none.
char delimiter_of(const std::string& word) {
  if (word == "tab" || word == "\\t") return '\t';
  return word.size() == 1 && kDelimiters.find(word) != kDelimiters.npos ? word.front() : '\0';
}

}  // namespace

void add_schema_options(CLI::App& command, SchemaFile& file) {
  // Through a string: CLI11 would cut a path at its first blank.
  command
      .add_option_function<std::string>(
          "--schema", [&file](const std::string& path) { file.path = path; },
          "Schema file (TOML), or a domain.json of private-pgm: what is publicly known about the "
          "table")
      ->required();
  command.add_option_function<int64_t>(
      "--num-records", [&file](const int64_t& count) { file.num_records = count; },
      "Number of records of the table, for a private-pgm domain.json");
  command.add_option("--target", file.target, "Column to predict, for a private-pgm domain.json");
  command.add_option("--dataset", file.dataset,
                     "Name of the dataset, for a private-pgm domain.json [the file's name]");
  add_table_options(command, file.table);
}

void add_table_options(CLI::App& command, TableOptions& table) {
  constexpr const char* kGroup = "Table";
  command.parse_complete_callback([&command, &table] {
    for (const char* name : {"--data", "--real", "--predictions"}) {
      const CLI::Option* data = command.get_option_no_throw(name);
      if (data != nullptr && data->count() > 0) refuse_unused_layout(data->results().back(), table);
    }
  });
  command
      .add_option_function<std::string>(
          "--delimiter",
          [&table](const std::string& word) { table.delimiter = delimiter_of(word); },
          "Separator of the cells of a CSV file: \",\", \";\", \"|\" or tab [from the schema; "
          "where "
          "it says none, the one that its header shows]")
      ->check([](const std::string& word) {
        return delimiter_of(word) != '\0' ? std::string() : "must be \",\", \";\", \"|\" or tab";
      })
      ->group(kGroup);
  CLI::Option* comma = command
                           .add_flag_callback(
                               "--decimal-comma", [&table] { table.decimal_comma = true; },
                               "Numbers with a comma before their decimals, as in 0,25")
                           ->disable_flag_override()
                           ->group(kGroup);
  command
      .add_flag_callback(
          "--decimal-point", [&table] { table.decimal_comma = false; },
          "Numbers with a point before their decimals, where the schema says decimal_comma = true")
      ->disable_flag_override()
      ->excludes(comma)
      ->group(kGroup);
  CLI::Option* header =
      command
          .add_flag_callback(
              "--header", [&table] { table.has_header = true; },
              "First line with the names of the columns, even if it looks like a record")
          ->group(kGroup);
  command
      .add_flag_callback(
          "--no-header", [&table] { table.has_header = false; },
          "No line with names: the columns are those of the schema, in its order")
      ->excludes(header)
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--encoding",
          [&table](const std::string& name) {
            table.encoding = name == "latin1" ? Encoding::kLatin1 : Encoding::kUtf8;
          },
          "Encoding of the text: utf8 or latin1 (as Windows writes it) [from the schema, else "
          "utf8]")
      ->check(CLI::IsMember({"utf8", "latin1"}))
      ->group(kGroup);
  command
      .add_option("--na", table.missing_values,
                  "Text of a missing cell, in addition to those of the schema; may be repeated")
      ->allow_extra_args(false)
      ->group(kGroup);
}

void add_missing_option(CLI::App& command, SchemaFile& file, const std::vector<std::string>& uses) {
  static const std::map<std::string, std::pair<MissingUse, std::string_view>> known = {
      {"keep", {MissingUse::kKeep, "missing in rows"}},
      {"leave-out", {MissingUse::kLeaveOut, "in no mean"}},
      {"fill", {MissingUse::kFill, "the public fill of its column, a category \"missing\""}}};
  std::string meanings;
  for (const std::string& use : uses)
    meanings += fmt::format("{}{} ({})", meanings.empty() ? "" : " or ", use, known.at(use).second);
  command
      .add_option_function<std::string>(
          "--missing", [&file](const std::string& use) { file.missing = known.at(use).first; },
          fmt::format(
              "What becomes of a missing cell in columns with missing = \"allowed\": {} [{}]",
              meanings, uses.front()))
      ->check(CLI::IsMember(uses));
}

void add_drop_option(CLI::App& command, SchemaFile& file) {
  command
      .add_flag_callback(
          "--drop-incomplete", [&file] { file.missing = MissingUse::kDrop; },
          "Leave out records with a missing cell, also in columns with missing = \"allowed\", "
          "which "
          "are filled otherwise")
      ->disable_flag_override();
}

CLI::Option* add_labels_option(CLI::App& command, std::filesystem::path& labels) {
  return command.add_option_function<std::string>(
      "--labels", [&labels](const std::string& path) { labels = path; },
      "File with the labels of the images in --data (idx) or their attributes (CelebA format); "
      "only for a schema with [image]");
}

}  // namespace equinoise::cli
