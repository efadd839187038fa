// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/schema/domain_schema.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/strftime_format.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "data.schema";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

using Json = nlohmann::ordered_json;

/// A column as another tool describes it.
struct ImportedColumn {
  std::string name;
  ColumnType type = ColumnType::kIgnored;
  std::string problem;        ///< of an ignored one: why
  std::string refusal;        ///< of an ignored one: why no schema can hold what the file says
  bool lacks_bounds = false;  ///< a number
  bool lacks_values = false;  ///< a category
  double lower = 0;
  double upper = 0;
  std::optional<TimeFormat> time;  ///< of dates and timestamps, whose bounds these are
  bool is_number = false;          ///< its cells are, also where it lists them
  bool whole = false;
  std::vector<std::string> values;
  std::vector<std::string> missing_values;  ///< in addition to those of the table
  bool may_be_missing = false;
  char decimal_mark = '\0';  ///< of numbers that are not whole, where the file's format says
};

/// A whole description.
struct Imported {
  std::string format;  ///< "Frictionless Table Schema"
  std::vector<ImportedColumn> columns;
  std::vector<std::string> missing_values = {""};
  bool decimal_comma = false;
  std::vector<std::string> notes;
};

/// The cell that a value of JSON stands for; nothing for one that is no plain value.
std::optional<std::string> cell_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

/// The cells of a list of values, or of objects with a "value". Each once, in their order.
std::vector<std::string> cells_of(const OrderedJsonSection& section, const std::string& key) {
  std::vector<std::string> cells;
  std::set<std::string> taken;
  for (const Json& item : section.list(key)) {
    const Json& value = item.is_object() && item.contains("value") ? item.at("value") : item;
    const std::optional<std::string> cell = cell_of(value);
    if (!cell) section.wrong(key, "a list of texts or numbers");
    if (taken.insert(*cell).second) cells.push_back(*cell);
  }
  return cells;
}

/// Names the members of a description that a schema does not hold.
void note_unheld(const OrderedJsonSection& section, const std::set<std::string>& held,
                 std::vector<std::string>& notes) {
  std::vector<std::string> unheld;
  for (const std::string& name : section.names())
    if (held.count(name) == 0) unheld.push_back(name);
  if (unheld.empty()) return;
  std::ranges::sort(unheld);
  notes.push_back(fmt::format("Not held: {}{}.", fmt::join(unheld, ", "),
                              section.path().empty() ? "" : " of " + section.path()));
}

void set_bounds(const OrderedJsonSection& section, const char* low, const char* high,
                ImportedColumn& column) {
  column.lower = section.number(low);
  column.upper = section.number(high);
  if (!(column.lower < column.upper)) section.wrong(high, fmt::format("above {}", low));
  const std::string problem = problem_of_bounds(column.lower, column.upper);
  if (!problem.empty()) column.refusal = fmt::format("bounds {}", problem);
  column.type = ColumnType::kNumeric;
}

/// Dates or timestamps of that form, which is `form` in the file. Their bounds are members `low`
/// and `high` of a section, or not in the file.
void set_time(const std::optional<TimeFormat>& time, const std::string& form,
              const OrderedJsonSection& section, const char* low, const char* high,
              ImportedColumn& column) {
  if (!time) {
    column.problem = fmt::format(
        "holds dates or times as {}, and a schema reads those of ISO 8601 (%Y-%m-%d, "
        "%Y-%m-%dT%H:%M:%S)",
        form);
    return;
  }
  column.time = time;
  column.lacks_bounds = !section.has(low) || !section.has(high);
  if (column.lacks_bounds) return;
  const auto bound = [&](const char* key) {
    const std::optional<double> number = parse_time(section.text(key), *time);
    if (!number) section.wrong(key, fmt::format("a date or time as {}", to_string(*time)));
    return *number;
  };
  column.lower = bound(low);
  column.upper = bound(high);
  if (!(column.lower < column.upper)) section.wrong(high, fmt::format("after {}", low));
  column.type = ColumnType::kNumeric;
}

/// Keeps of texts of the same number the first: a cell that holds another one is read as it.
void keep_first_of_numbers(std::vector<std::string>& values) {
  if (!std::ranges::all_of(
          values, [](const std::string& value) { return distinct_number(value).has_value(); }))
    return;
  std::set<double> taken;
  const auto is_again = [&](const std::string& value) {
    return !taken.insert(*distinct_number(value)).second;
  };
  std::vector<std::string> kept;
  std::remove_copy_if(values.begin(), values.end(), std::back_inserter(kept), is_again);
  values = std::move(kept);
}

/// Categories, without the marks of missing cells.
void set_values(std::vector<std::string> values, const std::vector<std::string>& marks,
                ImportedColumn& column) {
  std::erase_if(values,
                [&](const std::string& value) { return value.empty() || contains(marks, value); });
  if (column.is_number) keep_first_of_numbers(values);
  if (values.empty() || values.size() > static_cast<size_t>(kMaxCategories)) {
    column.problem = fmt::format("lists {} categories", values.size());
    return;
  }
  column.values = std::move(values);
  column.type = ColumnType::kCategorical;
}

/// NIST's schema of a data excerpt, of which "schema" is the section.
Imported read_nist(const OrderedJsonSection& root) {
  Imported imported;
  imported.format = "schema of NIST";
  note_unheld(root, {"schema"}, imported.notes);
  const OrderedJsonSection schema = root.section("schema");
  for (const std::string& name : schema.names()) {
    const OrderedJsonSection section = schema.section(name);
    ImportedColumn column;
    column.name = name;
    const std::string dtype = section.has("dtype") ? section.text("dtype") : "";
    const std::string kind = section.has("kind") ? section.text("kind") : "";
    if (section.has("null_value")) {
      const std::optional<std::string> mark = cell_of(section.member("null_value"));
      if (!mark) section.wrong("null_value", "a text or a number");
      if (!mark->empty()) column.missing_values = {*mark};
    }
    column.may_be_missing = section.has("has_null") && section.flag("has_null");
    column.whole = dtype.starts_with("int") || dtype.starts_with("uint");
    column.is_number = column.whole || dtype.starts_with("float") || kind == "numeric";
    if (kind == "id") {
      column.problem = "identifies records";
    } else if (section.has("values")) {
      set_values(cells_of(section, "values"), column.missing_values, column);
    } else if (dtype == "date" || kind == "date") {
      set_time(TimeFormat(), "", section, "min", "max", column);
    } else if (section.has("min") && section.has("max")) {
      set_bounds(section, "min", "max", column);
    } else {
      (column.is_number ? column.lacks_bounds : column.lacks_values) = true;
    }
    std::set<std::string> held = {"dtype", "kind", "has_null", "null_value", "values"};
    if (column.type == ColumnType::kNumeric) held.insert({"min", "max"});
    note_unheld(section, held, imported.notes);
    imported.columns.push_back(std::move(column));
  }
  return imported;
}

/// The two values of a boolean of Frictionless, false first.
void set_truths(const OrderedJsonSection& field, ImportedColumn& column,
                std::vector<std::string>& notes) {
  std::vector<std::string> values = {"false", "true"};
  for (const auto& [key, place] :
       {std::pair("falseValues", size_t{0}), std::pair("trueValues", size_t{1})}) {
    if (!field.has(key)) continue;
    const std::vector<std::string> cells = cells_of(field, key);
    if (cells.empty()) continue;
    values[place] = cells.front();
    const bool are_read = std::ranges::all_of(
        cells, [](const std::string& cell) { return parse_truth(cell).has_value(); });
    if (cells.size() > 1 && !are_read)
      notes.push_back(fmt::format("Not held: all but the first of {} of {}.", key, field.path()));
  }
  column.values = values;
  column.type = ColumnType::kCategorical;
}

ImportedColumn read_field(const OrderedJsonSection& field, const std::set<std::string>& keys,
                          Imported& imported) {
  ImportedColumn column;
  column.name = field.text("name");
  if (column.name.empty()) field.wrong("name", "a text that is not empty");
  const std::string type = field.has("type") ? field.text("type") : "string";
  if (field.has("missingValues")) column.missing_values = cells_of(field, "missingValues");
  const std::vector<std::string>& marks =
      field.has("missingValues") ? column.missing_values : imported.missing_values;
  const Json none = Json::object();
  const JsonSource nowhere{"", kWhere, "", ""};
  const OrderedJsonSection constraints = field.has("constraints")
                                             ? field.section("constraints")
                                             : OrderedJsonSection(none, "", nowhere);
  column.may_be_missing = !(constraints.has("required") && constraints.flag("required"));
  const bool is_number = type == "number" || type == "integer" || type == "year";
  column.is_number = is_number;
  column.whole = type == "integer" || type == "year";
  std::set<std::string> held = {"required"};
  bool has_known_format = field.has("format") && field.text("format") == "default";
  if (keys.count(column.name) != 0) {
    column.problem = "is a key, which identifies records";
  } else if (constraints.has("enum")) {
    held.insert("enum");
    set_values(cells_of(constraints, "enum"), marks, column);
  } else if (field.has("categories")) {
    set_values(cells_of(field, "categories"), marks, column);
  } else if (type == "boolean") {
    set_truths(field, column, imported.notes);
  } else if (is_number && constraints.has("minimum") && constraints.has("maximum")) {
    held.insert({"minimum", "maximum"});
    set_bounds(constraints, "minimum", "maximum", column);
  } else if (is_number) {
    column.lacks_bounds = true;
  } else if (type == "date" || type == "datetime") {
    const std::string usual = type == "date" ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%SZ";
    const std::string form = field.has("format") ? field.text("format") : "default";
    has_known_format = true;
    set_time(time_format_of_strftime(form == "default" ? usual : form), form, constraints,
             "minimum", "maximum", column);
    if (column.type == ColumnType::kNumeric) held.insert({"minimum", "maximum"});
  } else if (type == "string" || type == "any") {
    column.lacks_values = true;
  } else {
    column.problem = fmt::format("is of type {}", type);
  }
  note_unheld(constraints, held, imported.notes);
  std::set<std::string> told = {"name",          "type",       "constraints",
                                "missingValues", "title",      "description",
                                "categories",    "trueValues", "falseValues"};
  const std::string mark = field.has("decimalChar") ? field.text("decimalChar") : ".";
  if (type == "number" && (mark == "." || mark == ",")) column.decimal_mark = mark[0];
  if (mark == "." || column.decimal_mark != '\0') told.insert("decimalChar");
  if (has_known_format) told.insert("format");
  note_unheld(field, told, imported.notes);
  return column;
}

/// A schema has one decimal mark for the whole table. Where columns have several, those with a
/// comma are ignored.
void set_decimal_mark(Imported& imported) {
  const auto has_mark = [&](char mark) {
    return contains(imported.columns, mark, &ImportedColumn::decimal_mark);
  };
  if (!has_mark(',')) return;
  imported.decimal_comma = !has_mark('.');
  if (imported.decimal_comma) return;
  for (ImportedColumn& column : imported.columns) {
    if (column.decimal_mark == ',')
      column.refusal = "decimals have a comma, and those of other columns a point";
  }
}

/// A Table Schema of Frictionless.
Imported read_frictionless(const OrderedJsonSection& schema) {
  Imported imported;
  imported.format = "Frictionless Table Schema";
  if (schema.has("missingValues")) imported.missing_values = cells_of(schema, "missingValues");
  std::set<std::string> keys;
  if (schema.has("primaryKey")) {
    if (schema.member("primaryKey").is_string()) {
      keys.insert(schema.text("primaryKey"));
    } else {
      const std::vector<std::string> names = schema.texts("primaryKey");
      if (names.size() == 1) keys.insert(names.front());
      if (names.size() > 1)
        imported.notes.emplace_back("Not held: primaryKey, since it is of several columns.");
    }
  }
  for (const OrderedJsonSection& field : schema.sections("fields"))
    imported.columns.push_back(read_field(field, keys, imported));
  set_decimal_mark(imported);
  note_unheld(schema, {"fields", "missingValues", "primaryKey", "$schema"}, imported.notes);
  return imported;
}

/// Members of a resource or a package that say nothing of how its table is read.
std::set<std::string> names_for_people() {
  return {"$schema", "name",      "title",        "description", "homepage", "profile", "path",
          "format",  "mediatype", "bytes",        "hash",        "id",       "sources", "version",
          "created", "licenses",  "contributors", "keywords",    "image",    "type"};
}

/// A resource of Frictionless: a file and its Table Schema.
Imported read_resource(const OrderedJsonSection& resource) {
  Imported imported = read_frictionless(resource.section("schema"));
  std::set<std::string> held = names_for_people();
  held.insert("schema");
  const std::string encoding = resource.has("encoding") && resource.member("encoding").is_string()
                                   ? resource.text("encoding")
                                   : "";
  if (encoding == "utf-8" || encoding == "UTF-8" || encoding == "utf8") held.insert("encoding");
  note_unheld(resource, held, imported.notes);
  if (resource.has("dialect") || (resource.has("encoding") && held.count("encoding") == 0)) {
    imported.notes.emplace_back(
        "How the text of the table is laid out (delimiter, header, encoding) belongs under "
        "[table].");
  }
  return imported;
}

/// A table of SDV's metadata.
Imported read_sdv(const OrderedJsonSection& table, const std::string& version) {
  Imported imported;
  imported.format = fmt::format("metadata of SDV, version {}", version);
  const std::string key = table.has("primary_key") && table.member("primary_key").is_string()
                              ? table.text("primary_key")
                              : "";
  const OrderedJsonSection columns = table.section("columns");
  for (const std::string& name : columns.names()) {
    const OrderedJsonSection section = columns.section(name);
    const std::string sdtype = section.text("sdtype");
    ImportedColumn column;
    column.name = name;
    column.may_be_missing = true;
    std::set<std::string> held = {"sdtype"};
    if (name == key || sdtype == "id") {
      column.problem = "identifies records";
    } else if (sdtype == "numerical") {
      const std::string representation =
          section.has("computer_representation") ? section.text("computer_representation") : "";
      column.whole = representation.starts_with("Int") || representation.starts_with("UInt");
      column.lacks_bounds = true;
      held.insert("computer_representation");
    } else if (sdtype == "boolean") {
      column.values = {"false", "true"};
      column.type = ColumnType::kCategorical;
    } else if (sdtype == "datetime") {
      held.insert("datetime_format");
      const std::string form =
          section.has("datetime_format") ? section.text("datetime_format") : "%Y-%m-%d";
      set_time(time_format_of_strftime(form), form, section, "", "", column);
    } else if (sdtype == "categorical" && section.has("order")) {
      held.insert("order");
      set_values(cells_of(section, "order"), {}, column);
    } else if (sdtype == "categorical") {
      column.lacks_values = true;
    } else {
      column.problem = fmt::format("is of sdtype {}", sdtype);
    }
    note_unheld(section, held, imported.notes);
    imported.columns.push_back(std::move(column));
  }
  note_unheld(table, {"columns", "primary_key", "METADATA_SPEC_VERSION"}, imported.notes);
  return imported;
}

Imported read_domain(const Json& json, const JsonSource& source) {
  Imported imported;
  imported.format = "domain of private-pgm";
  for (DomainColumn& domain : domain_columns(json, source)) {
    ImportedColumn& column = imported.columns.emplace_back();
    column.name = domain.name;
    column.type = ColumnType::kCategorical;
    column.values = std::move(domain.codes);
  }
  return imported;
}

Imported read_description(const OrderedJsonSection& root, const Json& json,
                          const JsonSource& source) {
  const auto is_list = [](const Json& object, const char* key) {
    return object.is_object() && object.contains(key) && object.at(key).is_array();
  };
  // Its columns may have any name, also those of keys below.
  const bool is_domain =
      !json.empty() && std::ranges::all_of(json, [](const Json& item) { return item.is_number(); });
  if (is_domain) return read_domain(json, source);
  if (root.has("METADATA_SPEC_VERSION") || root.has("tables")) {
    const std::string version =
        root.has("METADATA_SPEC_VERSION") ? root.text("METADATA_SPEC_VERSION") : "without a number";
    if (!root.has("tables")) return read_sdv(root, version);
    const OrderedJsonSection tables = root.section("tables");
    const std::vector<std::string> names = tables.names();
    if (names.size() != 1) {
      source.fail(fmt::format("describes {} tables; keep one of them in \"tables\"", names.size()));
    }
    Imported imported = read_sdv(tables.section(names.front()), version);
    note_unheld(root, {"METADATA_SPEC_VERSION", "tables"}, imported.notes);
    return imported;
  }
  if (is_list(json, "resources")) {
    const std::vector<OrderedJsonSection> resources = root.sections("resources");
    if (resources.size() != 1) {
      source.fail(fmt::format("describes {} resources; keep one of them in \"resources\"",
                              resources.size()));
    }
    Imported imported = read_resource(resources.front());
    std::set<std::string> held = names_for_people();
    held.insert("resources");
    note_unheld(root, held, imported.notes);
    return imported;
  }
  if (is_list(json, "fields")) return read_frictionless(root);
  if (root.has("schema") && is_list(json.at("schema"), "fields")) return read_resource(root);
  if (root.has("schema") && json.at("schema").is_object()) return read_nist(root);
  source.fail(
      "is no description that is known: neither a schema of NIST, a Frictionless Table Schema, "
      "metadata of SDV nor a domain of private-pgm");
}

/// A text from outside as a part of a comment.
std::string comment_text(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  return text;
}

/// The type of numbers, dates or timestamps.
const char* type_of(const ImportedColumn& column) {
  return !column.time ? "numeric" : column.time->has_time() ? "timestamp" : "date";
}

/// The line that says how timestamps are written, behind that `prefix`.
std::string format_of(const ImportedColumn& column, std::string_view prefix) {
  if (!column.time || !column.time->has_time()) return "";
  return fmt::format("{}format = {}", prefix, toml_string(to_string(*column.time)));
}

/// The comment on a column that is ignored: why, or what a review has to add.
std::string comment_on_ignored(const ImportedColumn& column) {
  if (!column.refusal.empty()) {
    return fmt::format("REVIEW: a schema cannot hold what the file says of this column: {}.",
                       comment_text(column.refusal));
  }
  if (column.lacks_bounds) {
    return fmt::format(
        "REVIEW: there are no bounds in the file. Write public ones in place of \"ignored\":\n"
        "# type = \"{}\"\n# bounds = [{}]{}{}",
        type_of(column), column.time ? "\"FIRST\", \"LAST\"" : "LOWEST, HIGHEST",
        column.whole ? "\n# whole = true" : "", format_of(column, "\n# "));
  }
  if (column.lacks_values) {
    return "REVIEW: there is no list of categories in the file. Write a public one in place of "
           "\"ignored\":\n# type = \"categorical\"\n# values = [\"...\"]";
  }
  return fmt::format("Ignored: it {}.", comment_text(column.problem));
}

std::string section_of(const ImportedColumn& column) {
  const std::string head = fmt::format("[columns.{}]\n", toml_key(column.name));
  if (column.type == ColumnType::kIgnored)
    return fmt::format("\n# {}\n{}type = \"ignored\"\n", comment_on_ignored(column), head);
  std::string text = "\n" + head;
  if (column.type == ColumnType::kNumeric) {
    const auto bound = [&](double number) {
      return column.time ? toml_string(print_time(number, *column.time))
                         : fmt::format("{}", number);
    };
    text += fmt::format("type = \"{}\"\nbounds = [{}, {}]{}\n{}", type_of(column),
                        bound(column.lower), bound(column.upper), format_of(column, "\n"),
                        column.whole ? "whole = true\n" : "");
  } else {
    constexpr std::string_view kValues = "values = ";
    text += fmt::format("type = \"categorical\"\n{}{}\n", kValues,
                        toml_list(column.values, kValues.size()));
  }
  if (!column.missing_values.empty()) {
    constexpr std::string_view kMarks = "missing_values = ";
    text += fmt::format("{}{}\n", kMarks, toml_list(column.missing_values, kMarks.size()));
  }
  const bool is_value = contains(column.values, "missing");
  return text + (!column.may_be_missing ? "missing = \"none\"\n"
                 : is_value             ? "missing = \"drop\"  # \"missing\" is a value already\n"
                                        : "missing = \"allowed\"\n");
}

/// The part before the columns.
std::string root_of(const Imported& imported, const std::string& dataset,
                    const std::string& target) {
  std::string text = fmt::format("schema = \"equinoise/1\"\ndataset = {}\nreviewed = false\n",
                                 toml_string(dataset));
  if (!target.empty()) text += fmt::format("target = {}\n", toml_string(target));
  constexpr std::string_view kMarks = "missing_values = ";
  text += fmt::format("# REVIEW: if no person has two rows, write unit = \"row\".\n{}{}\n", kMarks,
                      toml_list(imported.missing_values, kMarks.size()));
  if (imported.decimal_comma) text += "\n[table]\ndecimal_comma = true\n";
  return text;
}

/// Why the reader of schemas refuses a text; "" if it does not.
std::string refusal_of(const std::string& text) {
  constexpr std::string_view kOrigin = "draft";
  try {
    parse_schema(text, kOrigin, SizesRule::kMayBePrivate);
  } catch (const Error& error) {
    // Without the place, which is in no file.
    const std::string message = error.what();
    const size_t place = message.find(kOrigin);
    const size_t problem = place == message.npos ? message.npos : message.find(": ", place);
    return problem == message.npos ? message : message.substr(problem + 2);
  }
  return "";
}

/// Ignores the columns that the reader of schemas refuses as the file describes them.
void ignore_refused(const std::string& dataset, const std::string& target, Imported& imported) {
  for (ImportedColumn& column : imported.columns) {
    const bool is_target = column.name == target;
    if (column.refusal.empty() && column.type != ColumnType::kIgnored) {
      column.refusal =
          refusal_of(root_of(imported, dataset, is_target ? target : "") + section_of(column));
    }
    if (column.refusal.empty()) continue;
    column.type = ColumnType::kIgnored;
    imported.notes.push_back(fmt::format(
        "Not held: what it says of column {}, which is ignored: {}.", column.name, column.refusal));
  }
}

}  // namespace

ImportedSchema import_schema(const std::filesystem::path& file, const ImportOptions& options) {
  const std::string name = file.filename().string();
  const JsonSource source{file.string(), kWhere, "a description of a table",
                          "give a JSON file of NIST, Frictionless, SDV or private-pgm"};
  const std::string dataset = options.dataset.empty() ? dataset_name_of(file) : options.dataset;
  if (!is_dataset_name(dataset)) {
    refuse("the name of the dataset {}", kDatasetNameRule);
  }
  const std::string content = read_json_file(file, source);
  const Json json = parse_json<Json>(content, source);
  const OrderedJsonSection root(json, "", source);
  Imported imported = read_description(root, json, source);
  if (imported.columns.empty()) source.fail("describes no column");
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (const ImportedColumn& column : imported.columns) {
    if (column.name.empty()) source.fail("describes a column without a name");
    if (!taken.insert(column.name).second)
      source.fail(fmt::format("describes column '{}' twice", column.name));
    names.push_back(column.name);
  }
  ignore_refused(dataset, options.target, imported);
  const auto target = std::ranges::find(imported.columns, options.target, &ImportedColumn::name);
  if (!options.target.empty() && target == imported.columns.end()) {
    refuse("{}: the target '{}' is not a column{}", file.string(), options.target,
           did_you_mean(options.target, names));
  }
  if (!options.target.empty() && !target->refusal.empty()) {
    refuse("{}: column '{}' cannot be the target: {}", file.string(), options.target,
           target->refusal);
  }
  if (!options.target.empty() && target->type == ColumnType::kIgnored) {
    refuse(
        "{}: column '{}' cannot be the target: the file does not say all that "
        "it takes to read it; import without --target and complete the draft",
        file.string(), options.target);
  }
  ImportedSchema result;
  result.notes = imported.notes;
  result.text = fmt::format(
      "# A draft from a {}, {}. No record was looked at.\n# Lines with REVIEW wait for facts that "
      "the file does not state. Check all others against what is\n# public without the records, "
      "and "
      "then set reviewed = true. See docs/guide/schema.md.\n",
      comment_text(imported.format), toml_string(name));
  for (const std::string& note : imported.notes)
    result.text += fmt::format("# {}\n", comment_text(note));
  result.text += root_of(imported, dataset, options.target);
  result.text +=
      "\n# REVIEW: the file does not state how many records the table has. If that is public:\n# "
      "[public]\n# num_records = 0\n";
  for (const ImportedColumn& column : imported.columns) result.text += section_of(column);
  // No schema exists yet for columns that all wait for a review.
  const bool is_schema = std::ranges::any_of(imported.columns, [](const ImportedColumn& column) {
    return column.type != ColumnType::kIgnored;
  });
  const std::string refusal = is_schema ? refusal_of(result.text) : "";
  if (!refusal.empty()) source.fail(fmt::format("describes what no schema can hold: {}", refusal));
  return result;
}

}  // namespace equinoise
