// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/base/method_status.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/count_query.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/input/table_check.h"

namespace equinoise {

// The JSON of commands that make no report.

/// A command that failed, with --json.
struct FailedCommand {
  ErrorKind error = ErrorKind::kRuntime;
  std::string message;
};
template <>
inline constexpr EnumWords<ErrorKind, 6> words_for<ErrorKind> = {
    {{ErrorKind::kRuntime, "runtime"},
     {ErrorKind::kUsage, "usage"},
     {ErrorKind::kInput, "input"},
     {ErrorKind::kBudget, "budget"},
     {ErrorKind::kThreshold, "threshold"},
     {ErrorKind::kLedger, "ledger"}}};
template <>
inline constexpr auto fields_of<FailedCommand> = std::tuple(
    field("error", &FailedCommand::error, "Kind of the error"),
    computed(
        "exit_code", +[](const FailedCommand& failed) { return static_cast<int>(failed.error); },
        "Exit code of the command"),
    field("message", &FailedCommand::message, "What is wrong, and what to do"));

template <>
inline constexpr auto fields_of<RowsOfUnits::Quantile> =
    std::tuple(field("share", &RowsOfUnits::Quantile::share, "Of the units"),
               field("rows", &RowsOfUnits::Quantile::num_rows, "The most of each of them"));
template <>
inline constexpr auto fields_of<RowsOfUnits::Kept> =
    std::tuple(field("max_records_per_unit", &RowsOfUnits::Kept::max_records, "Of the schema"),
               field("rows", &RowsOfUnits::Kept::num_rows, "That then count"));
template <>
inline constexpr auto fields_of<RowsOfUnits> =
    std::tuple(field("num_units", &RowsOfUnits::num_units, "Number of units"),
               field("rows", &RowsOfUnits::num_rows, "Rows with a unit"),
               field("rows_of_a_unit", &RowsOfUnits::quantiles, "Distribution of rows per unit"),
               field("rows_that_count", &RowsOfUnits::kept, "By the most rows of a unit"));

/// `schema check`
struct CheckedSchema {
  Schema schema;
  std::vector<std::string> groups;  ///< of the groups that it declares
  std::optional<TableCheck> table;  ///< nothing: no table was given
};
template <>
inline constexpr auto fields_of<CheckedSchema> = [] {
  using Checked = CheckedSchema;
  return std::tuple(
      computed(
          "notice",
          +[](const Checked& checked) {
            return checked.table ? std::string(kDoNotPublish) + "ingest and not_private_units"
                                 : std::string();
          },
          "What may not be done with it")
          .or_nothing(),
      computed(
          "dataset", +[](const Checked& checked) { return checked.schema.dataset; },
          "Name of the table"),
      computed(
          "reviewed", +[](const Checked& checked) { return checked.schema.reviewed; },
          "Whether somebody has checked the schema"),
      computed(
          "unit",
          +[](const Checked& checked) {
            const bool is_open = checked.schema.unit_answer == UnitAnswer::kOpen;
            return is_open ? std::string() : checked.schema.unit;
          },
          "What is protected; \"\": not answered yet"),
      computed(
          "unit_stated",
          +[](const Checked& checked) { return checked.schema.unit_answer == UnitAnswer::kStated; },
          "Whether the schema says it"),
      computed(
          "max_records_per_unit",
          +[](const Checked& checked) -> std::optional<int64_t> {
            if (!checked.schema.has_unit_column()) return std::nullopt;
            return checked.schema.max_records_per_unit;
          },
          "Of units that may have several rows")
          .or_nothing(),
      Derived<Checked>{
          "num_records?, num_units?", "Public size; null: there is none",
          +[](const Checked& checked, const FieldScope&, nlohmann::ordered_json& object) {
            nlohmann::ordered_json& size = object[checked.schema.size_key()];
            if (checked.schema.num_records > 0) size = checked.schema.num_records;
          }},
      computed(
          "columns", +[](const Checked& checked) { return checked.schema.columns.size(); },
          "Number of columns"),
      computed(
          "features",
          +[](const Checked& checked) { return encoded_feature_names(checked.schema).size(); },
          "Number of features after encoding"),
      computed(
          "target", +[](const Checked& checked) { return checked.schema.target; },
          "Column to predict, or \"\""),
      field("groups", &Checked::groups, "Names of [groups.NAME]"),
      computed(
          "data_checked", +[](const Checked& checked) { return checked.table.has_value(); },
          "Whether a table was given"),
      computed(
          "fits",
          +[](const Checked& checked) -> std::optional<bool> {
            if (!checked.table) return std::nullopt;
            return checked.table->failures.empty();
          },
          "Whether it fits; null: no table"),
      computed(
          "ingest",
          +[](const Checked& checked) {
            return checked.table ? checked.table->remarks() : std::vector<std::string>();
          },
          "Why it does not fit, and what the schema's rules did to records; not private"),
      computed(
          "not_private_units",
          +[](const Checked& checked) {
            return checked.table ? checked.table->rows_of_units : std::nullopt;
          },
          "Rows per unit")
          .or_nothing());
}();

/// `schema draft`, of a table or of a description of it.
struct DraftedSchema {
  std::optional<PrivacyStatus> status;  ///< nothing: no table was read
  std::string draft;
  std::vector<std::string> notes;
  std::vector<std::string> files;
};
template <>
inline constexpr auto fields_of<DraftedSchema> = std::tuple(
    computed(
        "notice",
        +[](const DraftedSchema& drafted) {
          return drafted.status ? std::string(kDoNotPublish) + "facts learnt from the table"
                                : std::string();
        },
        "What may not be done with it")
        .or_nothing(),
    field("status", &DraftedSchema::status, "Of what was learnt from a table").or_nothing(),
    computed(
        "reviewed", +[](const DraftedSchema&) { return false; }, "A person has to check it"),
    field("draft", &DraftedSchema::draft, "The schema, in TOML"),
    field("notes", &DraftedSchema::notes, "What needs attention"),
    field("files", &DraftedSchema::files, "Files that were written"));

/// `schema export`
struct ExportedDescription {
  std::vector<std::string> notes;
  std::vector<std::string> files;
};
template <>
inline constexpr auto fields_of<ExportedDescription> =
    std::tuple(field("notes", &ExportedDescription::notes, "What the other format cannot say"),
               field("files", &ExportedDescription::files, "Files that were written"));

/// `count --sql`
template <>
inline constexpr auto words_for<Dialect> = kDialects;
template <>
inline constexpr auto fields_of<CountStatements> =
    std::tuple(field("dialect", &CountStatements::dialect, "SQL of which engine"),
               field("statements", &CountStatements::texts, "Statements, in their order"));

/// An option as `methods NAME` shows it.
struct OptionText {
  std::string flag;
  std::string usual;  ///< its default
  std::string takes;  ///< its range or its words
  std::string help;
};
template <>
inline constexpr auto fields_of<OptionText> =
    std::tuple(field("option", &OptionText::flag, "Option of the command"),
               field("default", &OptionText::usual, "Its default"),
               field("takes", &OptionText::takes, "Its range or its words"),
               field("help", &OptionText::help, "Its meaning"));

/// A method as `methods` shows it.
struct MethodText {
  std::string name;
  std::string task;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::string source;
  std::string summary;
  std::vector<OptionText> options;
  std::string example;                      ///< the command that a user of the method types first
  std::optional<bool> supports_units = {};  ///< of several rows each; empty: not said of the task
};
template <>
inline constexpr auto fields_of<MethodText> = std::tuple(
    field("name", &MethodText::name, "Word of --method"),
    field("task", &MethodText::task, "Command that has it"),
    field("status", &MethodText::status, "Whether a guarantee holds"),
    field("source", &MethodText::source, "Key of docs/references.bib"),
    field("summary", &MethodText::summary, "What it does"),
    field("supports_units", &MethodText::supports_units, "Whether units may have several rows")
        .or_nothing(),
    field("options", &MethodText::options, "Its options"));

/// A kind of model, for --model of train.
struct ModelText {
  std::string name;
  std::string summary;
  std::vector<OptionText> options;
};
template <>
inline constexpr auto fields_of<ModelText> =
    std::tuple(field("name", &ModelText::name, "Word of --model"),
               field("summary", &ModelText::summary, "What it is"),
               field("options", &ModelText::options, "Options that it follows"));

/// `methods`
struct MethodList {
  std::vector<MethodText> methods;
  std::vector<ModelText> models;
};
template <>
inline constexpr auto fields_of<MethodList> =
    std::tuple(field("rows", &MethodList::methods, "Methods"),
               field("models", &MethodList::models, "Models of train"));

/// `report`
struct PageAnswer {
  std::string of;
  std::vector<std::string> files;
  bool is_opened = false;
};
template <>
inline constexpr auto fields_of<PageAnswer> =
    std::tuple(field("of", &PageAnswer::of, "Command that wrote the folder"),
               field("files", &PageAnswer::files, "Files that were written"),
               field("opened", &PageAnswer::is_opened, "Whether a browser was started"));

/// `reproduce --list`
struct ItemText {
  std::string name;
  std::string data;
  std::string summary;
};
struct ItemList {
  std::vector<ItemText> items;
};
template <>
inline constexpr auto fields_of<ItemText> = std::tuple(
    field("name", &ItemText::name, "Paper and item"), field("data", &ItemText::data, "Its table"),
    field("summary", &ItemText::summary, "What it compares"));
template <>
inline constexpr auto fields_of<ItemList> = std::tuple(field("rows", &ItemList::items, "Items"));

/// `manual`
struct ManualPage {
  std::string text;
};
template <>
inline constexpr auto fields_of<ManualPage> = std::tuple(field("manual", &ManualPage::text,
                                                               "In the language of man"));

/// `completion`
struct CompletionScript {
  std::string shell;
  std::string script;
};
template <>
inline constexpr auto fields_of<CompletionScript> =
    std::tuple(field("shell", &CompletionScript::shell, "Shell that reads it"),
               field("script", &CompletionScript::script, "What it reads"));

}  // namespace equinoise
