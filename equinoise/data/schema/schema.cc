// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/read_text.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/schema/domain_schema.h"
#include "equinoise/data/schema/public_sizes.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/data/values/spelled_number.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema";
constexpr std::string_view kVersion = "equinoise/1";
constexpr std::string_view kOther = "other";
constexpr std::string_view kMissing = "missing";

/// Fails for the value of a key, which the message begins with.
template <typename... Values>
[[noreturn]] void fail_value(const TomlSection& section, std::string_view key,
                             fmt::format_string<Values...> problem, Values&&... values) {
  section.fail(key, fmt::format("{} {}", section.name_of(key),
                                fmt::format(problem, std::forward<Values>(values)...)));
}

/// Settings of the whole table that apply to its columns.
struct TableRules {
  std::vector<std::string> missing_values;
  MalformedPolicy malformed = MalformedPolicy::kStop;
  bool beside_images = false;
  bool decimal_comma = false;
};

MalformedPolicy read_malformed(const TomlSection& section, MalformedPolicy absent) {
  return section.choice("malformed", absent,
                        {{"stop", MalformedPolicy::kStop},
                         {"drop", MalformedPolicy::kDrop},
                         {"missing", MalformedPolicy::kMissing}});
}

TableLayout read_layout(const TomlSection& root) {
  TableLayout layout;
  if (!root.has("table")) return layout;
  const TomlSection section = root.section("table", "[table] and under it delimiter = \";\"");
  section.check_keys({"delimiter", "decimal_comma", "header", "encoding"});
  if (const std::optional<std::string> delimiter = section.text("delimiter")) {
    if (delimiter->size() != 1 || kDelimiters.find(*delimiter) == kDelimiters.npos) {
      section.fail("delimiter", R"(table.delimiter must be ",", ";", "|" or "\t", which is a tab)");
    }
    layout.delimiter = delimiter->front();
  }
  layout.decimal_comma = section.boolean("decimal_comma").value_or(false);
  layout.has_header = section.boolean("header").value_or(true);
  layout.encoding = section.choice("encoding", Encoding::kUtf8,
                                   {{"utf8", Encoding::kUtf8}, {"latin1", Encoding::kLatin1}});
  return layout;
}

/// The text of a date or time of TOML, or of a string.
std::optional<std::string> text_of_time(const toml::node& node) {
  const auto of_date = [](const toml::date& date) {
    return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
  };
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* date = node.as_date()) return of_date(date->get());
  const auto* found = node.as_date_time();
  if (found == nullptr) return std::nullopt;
  const toml::date_time& value = found->get();
  std::string text = fmt::format("{}T{:02}:{:02}:{:02}.{:09}", of_date(value.date), value.time.hour,
                                 value.time.minute, value.time.second, value.time.nanosecond);
  if (!value.offset) return text;
  const int minutes = value.offset->minutes;
  const int size = std::abs(minutes);
  return text + fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

/// Whether a date without a time is the first unit of its day or the last one.
enum class DayEnd { kFirst, kLast };

/// A public constant of a column: a finite number; for dates and timestamps a date or timestamp.
double read_constant(const TomlSection& section, const toml::node& node, std::string_view name,
                     const ColumnSchema& column, DayEnd end = DayEnd::kFirst) {
  if (!column.time) return section.finite_number(node, name);
  const TimeFormat& format = *column.time;
  const auto fail = [&](std::string_view problem) {
    section.fail_at(node.source(), fmt::format("{} {}", name, problem));
  };
  const std::optional<std::string> text = text_of_time(node);
  std::optional<ParsedTime> time = text ? parse_time(*text) : std::nullopt;
  if (!time) {
    fail(format.has_time() ? "must be dates or times, as \"2024-03-01T10:20:30\""
                           : "must be dates, as \"2024-03-01\"");
  }
  if (time->offset && !format.offset)
    fail(format.has_time() ? "names a time zone, but the format of the column has none"
                           : "must be dates without a time");
  if (time->has_time && !time->offset) time->offset = format.offset;
  const std::optional<double> number = number_of_time(*time, format);
  if (!number) {
    fail(format.has_time() ? "must lie within the years 1 to 9999 in the time zone of the column"
                           : "must be dates without a time");
  }
  const bool is_whole_day = end == DayEnd::kLast && format.has_time() && !time->has_time;
  return is_whole_day ? *number + units_per_day(format.unit) - 1 : *number;
}

void read_point_masses(const TomlSection& section, ColumnSchema& column) {
  const std::string name = section.name_of("atoms");
  const toml::array* point_masses = section.array("atoms", "a list of numbers");
  if (point_masses == nullptr) return;
  if (point_masses->size() > kMaxPointMasses)
    fail_value(section, "atoms", "has {} numbers; at most {} are possible", point_masses->size(),
               kMaxPointMasses);
  for (const toml::node& element : *point_masses) {
    const double point_mass = read_constant(section, element, name, column) + 0.0;  // -0 becomes 0
    const auto fail_point_mass = [&](std::string_view problem) {
      section.fail_at(element.source(),
                      fmt::format("{} {}, got {}", name, problem, column.text_of(point_mass)));
    };
    if (!(point_mass >= column.lower && point_mass <= column.upper)) {
      fail_point_mass(fmt::format("must lie within the bounds {} and {}",
                                  column.text_of(column.lower), column.text_of(column.upper)));
    }
    if (column.whole && point_mass != std::floor(point_mass))
      fail_point_mass("must hold whole numbers, as whole = true says");
    const auto place = std::ranges::lower_bound(column.point_masses, point_mass);
    if (place != column.point_masses.end() && *place == point_mass)
      fail_point_mass("must hold each number once");
    column.point_masses.insert(place, point_mass);
  }
}

void read_bounds(const TomlSection& section, ColumnSchema& column) {
  const std::string_view pair_kind =
      column.time ? "two dates, [FIRST, LAST]" : "two numbers, [LOWER, UPPER]";
  const toml::array* pair = section.array("bounds", pair_kind);
  if (pair == nullptr) {
    section.fail_missing("bounds", column.time
                                       ? "bounds = [\"FIRST\", \"LAST\"] from public knowledge"
                                       : "bounds = [LOWER, UPPER] from public knowledge");
  }
  const std::string name = section.name_of("bounds");
  if (pair->size() != 2) fail_value(section, "bounds", "must be {}", pair_kind);
  column.lower = read_constant(section, *pair->get(0), name, column);
  column.upper = read_constant(section, *pair->get(1), name, column, DayEnd::kLast);
  const auto fail_bounds = [&](const std::string& problem) {
    fail_value(section, "bounds", "{}, got [{}, {}]", problem, column.text_of(column.lower),
               column.text_of(column.upper));
  };
  if (!(column.lower < column.upper))
    fail_bounds(column.time ? "must be [FIRST, LAST] with FIRST before LAST"
                            : "must be [LOWER, UPPER] with LOWER < UPPER");
  if (column.time && std::max(-column.lower, column.upper) > kMaxExactWhole)
    fail_bounds("must lie within the years 1685 to 2255 in microseconds; give a coarser format");
  const std::string problem = problem_of_bounds(column.lower, column.upper);
  if (!problem.empty()) fail_bounds(problem);
  column.whole = column.time || section.boolean("whole").value_or(false);
  if (column.whole && !(std::floor(column.upper) >= std::ceil(column.lower)))
    fail_bounds("must hold a whole number, as whole = true says");
  if (column.whole && std::max(-column.lower, column.upper) > kMaxExactWhole) {
    fail_bounds(
        fmt::format("must lie within +-{:.0f} (2^53 - 1) if whole = true, because double precision "
                    "does not hold larger whole numbers; make an identifier ignored or "
                    "categorical, and divide other numbers by a public number",
                    kMaxExactWhole));
  }
}

/// Reads the rule for missing cells: none exist ("none"), some may ("allowed"), or a rule for
/// all tasks.
void read_missing(const TomlSection& section, ColumnSchema& column) {
  using Rule = std::optional<MissingPolicy>;
  const bool is_number = column.type == ColumnType::kNumeric;
  const Rule rule = is_number ? section.choice("missing", Rule(MissingPolicy::kDrop),
                                               {{"allowed", std::nullopt},
                                                {"none", MissingPolicy::kNone},
                                                {"drop", MissingPolicy::kDrop},
                                                {"fill", MissingPolicy::kFill},
                                                {"category", MissingPolicy::kCategory}})
                              : section.choice("missing", Rule(MissingPolicy::kDrop),
                                               {{"allowed", std::nullopt},
                                                {"none", MissingPolicy::kNone},
                                                {"drop", MissingPolicy::kDrop},
                                                {"category", MissingPolicy::kCategory}});
  column.may_be_missing = !rule;
  column.missing = rule.value_or(is_number ? MissingPolicy::kFill : MissingPolicy::kCategory);
}

/// The value that replaces a missing number if the schema gives none.
double usual_fill(const ColumnSchema& column) {
  const double usual = column.scale == NumericScale::kStandard
                           ? column.mean
                           : column.lower + (column.upper - column.lower) / 2;
  if (!column.whole) return usual;
  return std::clamp(std::round(usual), std::ceil(column.lower), std::floor(column.upper));
}

void read_missing_number(const TomlSection& section, const TableRules& rules,
                         ColumnSchema& column) {
  read_missing(section, column);
  const toml::node* fill = section.table().get("fill");
  const std::string name = section.name_of("fill");
  if (column.missing != MissingPolicy::kFill && fill != nullptr) {
    fail_value(section, "fill",
               "belongs to missing = \"allowed\" or \"fill\"; remove it or write one of these");
  }
  if (fill != nullptr) {
    column.fill = read_constant(section, *fill, name, column);
    if (column.fill < column.lower || column.fill > column.upper)
      fail_value(section, "fill", "must lie within the bounds");
  } else if (column.may_be_missing) {
    column.fill = usual_fill(column);
  } else if (column.missing == MissingPolicy::kFill) {
    section.fail_missing("fill", "fill = NUMBER, the public value for missing cells");
  }

  column.malformed = read_malformed(section, rules.malformed);
  if (column.malformed == MalformedPolicy::kMissing && column.missing == MissingPolicy::kNone) {
    fail_value(section, "malformed",
               "= \"missing\" creates missing cells, but missing = \"none\" says that there are "
               "none; write malformed = \"stop\" or \"drop\", or another rule for missing cells");
  }
}

/// Reads the marks and the unit with which numbers of a column are written.
void read_spelling(const TomlSection& section, const TableRules& rules, ColumnSchema& column) {
  if (const std::optional<std::string> thousands = section.text("thousands")) {
    if (thousands->size() != 1 || kThousandsMarks.find(*thousands) == kThousandsMarks.npos)
      fail_value(section, "thousands", R"(must be ",", ".", "'" or " ", a blank)");
    column.thousands = thousands->front();
    if (column.thousands == (rules.decimal_comma ? ',' : '.')) {
      fail_value(section, "thousands", "is what stands before decimals; {}",
                 rules.decimal_comma
                     ? "[table] of the schema says decimal_comma = true"
                     : "if numbers have decimal commas, write decimal_comma = true under [table]");
    }
  }
  const std::optional<std::string> unit = section.text("unit");
  if (!unit) return;
  if (!is_number_unit(*unit)) {
    fail_value(section, "unit",
               "must be a word or sign without figures, blanks around it and signs of numbers, as "
               "\"kg\", \"$\" or \"%\"");
  }
  column.number_unit = *unit;
}

/// The types that a schema may give a column.
enum class WrittenType { kNumeric, kCategorical, kBoolean, kDate, kTimestamp, kIgnored };

/// The keys of a type of columns.
struct ColumnKeys {
  WrittenType type;
  std::string_view of;  ///< "a numeric"
  std::vector<std::string> keys;
};

const std::vector<ColumnKeys>& keys_of_types() {
  static const std::vector<std::string> of_categories = {
      "type", "values", "labels", "unknown", "missing", "missing_values", "feature"};
  static const std::vector<ColumnKeys> keys = {
      {WrittenType::kNumeric,
       "a numeric",
       {"type", "bounds", "scale", "mean", "stddev", "missing", "missing_values", "fill",
        "malformed", "feature", "monotone", "whole", "atoms", "thousands", "unit"}},
      {WrittenType::kCategorical, "a categorical", of_categories},
      {WrittenType::kBoolean, "a boolean", of_categories},
      {WrittenType::kTimestamp,
       "a timestamp",
       {"type", "bounds", "bins", "scale", "missing", "fill", "atoms", "malformed", "feature",
        "monotone", "missing_values", "format"}},
      {WrittenType::kDate,
       "a date",
       {"type", "bounds", "bins", "scale", "missing", "fill", "atoms", "malformed", "feature",
        "monotone", "missing_values"}},
      {WrittenType::kIgnored, "an ignored", {"type"}}};
  return keys;
}

/// Fails for a key that a column of that type does not have. For a key of another type, the message
/// advises to remove it.
void check_keys_of_column(const TomlSection& section, WrittenType type) {
  const ColumnKeys& own = *std::ranges::find(keys_of_types(), type, &ColumnKeys::type);
  for (const auto& [key, node] : section.table()) {
    if (contains(own.keys, key.str())) continue;
    for (const ColumnKeys& other : keys_of_types()) {
      if (!contains(other.keys, key.str())) continue;
      section.fail_at(key.source(),
                      fmt::format("{} is not a key of {} column, but of {} one; remove it, or "
                                  "write another type",
                                  section.name_of(key.str()), own.of, other.of));
    }
  }
  section.check_keys(own.keys, fmt::format(" of {} column", own.of));
}

void read_numeric(const TomlSection& section, const TableRules& rules, ColumnSchema& column) {
  read_spelling(section, rules, column);
  read_bounds(section, column);
  read_point_masses(section, column);

  column.scale = section.choice("scale", NumericScale::kUnit,
                                {{"unit", NumericScale::kUnit},
                                 {"symmetric", NumericScale::kSymmetric},
                                 {"standard", NumericScale::kStandard}});
  const std::optional<double> mean = section.number("mean");
  const std::optional<double> stddev = section.number("stddev");
  if (column.scale == NumericScale::kStandard) {
    if (!mean || !stddev) {
      section.fail_missing(mean ? "stddev" : "mean",
                           "the public mean = NUMBER and stddev = NUMBER "
                           "for scale = \"standard\"");
    }
    if (!(*stddev > 0)) fail_value(section, "stddev", "must be > 0");
    if (*mean < column.lower || *mean > column.upper)
      fail_value(section, "mean", "must lie within the bounds");
    column.mean = *mean;
    column.stddev = *stddev;
  } else if (mean || stddev) {
    fail_value(section, mean ? "mean" : "stddev",
               "belongs to scale = \"standard\"; remove it or set that scale");
  }
  read_missing_number(section, rules, column);
}

/// The inner edges of bins that begin with each year, month or day between the bounds.
std::vector<double> calendar_edges(const ColumnSchema& column, std::string_view step) {
  const double per_day = units_per_day(column.time->unit);
  const auto first = static_cast<int64_t>(std::floor(column.lower / per_day));
  const auto last = static_cast<int64_t>(std::floor(column.upper / per_day));
  std::vector<double> edges;
  const auto add = [&](int64_t day) {
    const double edge = static_cast<double>(day) * per_day;
    if (edge > column.lower && edge <= column.upper) edges.push_back(edge);
  };
  if (step == "day") {
    for (int64_t day = first; day <= last && edges.size() < kMaxBins; ++day) add(day);
    return edges;
  }
  auto [year, month] = month_of(first);
  if (step == "year") month = 1;
  for (int64_t day = first; day <= last && edges.size() < kMaxBins;) {
    day = first_day_of(year, month);
    if (day <= last) add(day);
    month = step == "year" ? 13 : month + 1;
    if (month <= 12) continue;
    month = 1;
    ++year;
  }
  return edges;
}

void read_bins(const TomlSection& section, ColumnSchema& column) {
  const toml::node* bins = section.table().get("bins");
  if (bins == nullptr) return;
  const auto fail = [&](std::string_view problem) { fail_value(section, "bins", "{}", problem); };
  constexpr std::string_view kKinds = "must be \"year\", \"month\", \"day\" or a number of bins";
  if (const auto* number = bins->as_integer()) {
    if (number->get() < 1 || number->get() > static_cast<int64_t>(kMaxBins))
      fail(fmt::format("must lie between 1 and {}, got {}", kMaxBins, number->get()));
    column.num_bins = static_cast<int>(number->get());
    return;
  }
  const auto* word = bins->as_string();
  if (word == nullptr) fail(kKinds);
  const std::string& step = word->get();
  if (step != "year" && step != "month" && step != "day") fail(kKinds);
  column.bin_edges = calendar_edges(column, step);
  if (column.bin_edges.size() >= kMaxBins) {
    fail(fmt::format(
        "= \"{}\" makes more than {} bins between the bounds; give {}a number of bins, or narrower "
        "bounds",
        step, kMaxBins, step == "year" ? "" : "longer ones, "));
  }
  if (column.bin_edges.empty()) column.num_bins = 1;
}

/// Reads a column of dates or timestamps: whole numbers of the format's unit, written as such.
void read_time(const TomlSection& section, const TableRules& rules, bool has_time,
               ColumnSchema& column) {
  column.time = TimeFormat();
  if (has_time) {
    constexpr std::string_view kDefault = "YYYY-MM-DDThh:mm:ss";
    const std::string format = section.text("format").value_or(std::string(kDefault));
    column.time = parse_time_format(format);
    if (!column.time || !column.time->has_time()) {
      fail_value(section, "format",
                 "must be \"YYYY-MM-DD\", T or a blank, \"hh:mm\", \"hh:mm:ss\", \"hh:mm:ss.fff\" "
                 "or \"hh:mm:ss.ffffff\" and, where cells name a time zone, Z or an offset such as "
                 "+02:00, got \"{}\"",
                 format);
    }
  }
  read_bounds(section, column);
  read_point_masses(section, column);
  read_bins(section, column);
  read_missing_number(section, rules, column);
  column.scale =
      section.choice("scale", NumericScale::kUnit,
                     {{"unit", NumericScale::kUnit}, {"symmetric", NumericScale::kSymmetric}});
}

/// Gives values the names in `labels`; the texts of cells are kept in cell_texts.
void read_labels(const TomlSection& section, ColumnSchema& column) {
  if (!section.has("labels")) return;
  const TomlSection labels = section.section("labels", "labels = { \"1\" = \"Male\" }");
  column.cell_texts = column.values;
  std::map<std::string_view, size_t> places;
  for (size_t i = 0; i < column.cell_texts.size(); ++i) places.emplace(column.cell_texts[i], i);
  for (const auto& [key, node] : labels.in_file_order()) {
    const std::string code(key->str());
    const auto found = places.find(code);
    if (found == places.end()) {
      labels.fail_at(key->source(), fmt::format("{} labels \"{}\", which is not one of values{}",
                                                section.name_of("labels"), code,
                                                did_you_mean(code, column.cell_texts)));
    }
    const std::string label = labels.text(code).value_or("");
    if (label.empty()) labels.fail(code, "a label needs a text");
    column.values[found->second] = label;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < column.values.size(); ++i) {
    const std::string& label = column.values[i];
    const bool is_twice = !names.insert(label).second;
    const auto code = places.find(label);
    const bool is_other_code = code != places.end() && code->second != i;
    if (!is_twice && !is_other_code) continue;
    fail_value(section, "labels",
               "gives two values the name \"{}\"; names must differ from one another and from "
               "other values",
               label);
  }
}

/// The name of the value for the text of its cells; other texts are returned unchanged.
std::string name_of_value(const ColumnSchema& column, std::string text) {
  if (contains(column.values, text)) return text;
  const auto cell = std::ranges::find(column.cell_texts, text);
  if (cell == column.cell_texts.end()) return text;
  return column.values[static_cast<size_t>(cell - column.cell_texts.begin())];
}

/// The two values of a truth column, false first.
std::vector<std::string> read_truth_values(const TomlSection& section) {
  const std::optional<std::vector<std::string>> values = section.texts("values");
  if (!values) return {"false", "true"};
  if (!are_truth_pair(*values)) {
    fail_value(section, "values",
               "of a boolean column must be the two texts that rows are written with, as [\"no\", "
               "\"yes\"]");
  }
  return *values;
}

void read_categorical(const TomlSection& section, const std::vector<std::string>& missing_values,
                      bool is_boolean, ColumnSchema& column) {
  std::optional<std::vector<std::string>> values =
      is_boolean ? read_truth_values(section) : section.texts("values");
  if (!values) section.fail_missing("values", "values = [\"...\", \"...\"], the public list");
  if (values->empty()) fail_value(section, "values", "is empty; list every value that may occur");
  if (values->size() > static_cast<size_t>(kMaxCategories)) {
    fail_value(section, "values", "has {} values; at most {} are possible", values->size(),
               kMaxCategories);
  }
  column.values = std::move(*values);
  read_labels(section, column);
  column.unknown =
      section.choice("unknown", UnknownPolicy::kDrop,
                     {{"drop", UnknownPolicy::kDrop}, {"other", UnknownPolicy::kOther}});
  read_missing(section, column);
  std::vector<std::string> texts = column.values;
  append(texts, column.cell_texts);
  for (const std::string& value : texts) {
    if (contains(missing_values, value) || contains(column.missing_values, value)) {
      fail_value(section, "values",
                 "holds \"{}\", which marks a missing cell; remove it here or from missing_values",
                 value);
    }
    if (value.empty()) fail_value(section, "values", "holds an empty string; remove it");
  }
  if (column.unknown == UnknownPolicy::kOther && contains(column.values, kOther)) {
    fail_value(section, "values",
               "holds \"other\", which unknown = \"other\" adds; rename the value or set unknown = "
               "\"drop\"");
  }
  if (column.missing == MissingPolicy::kCategory && contains(column.values, kMissing)) {
    fail_value(section, "values",
               "holds \"missing\", which missing = \"{}\" adds; rename the value or set missing = "
               "\"drop\"",
               column.may_be_missing ? "allowed" : "category");
  }
}

/// Whether a column is a feature. In a table of images none is.
bool read_feature(const TomlSection& section, ColumnType type, bool beside_images) {
  if (type == ColumnType::kIgnored) return false;
  const bool feature = section.boolean("feature").value_or(!beside_images);
  if (feature && beside_images) {
    fail_value(section, "feature",
               "must be false or absent: with [image] the pixels are the features, and columns can "
               "only be targets and groups");
  }
  return feature;
}

ColumnSchema read_column(const TomlSection& section, std::string_view name,
                         const TableRules& rules) {
  ColumnSchema column;
  column.name = name;
  if (!section.has("type")) {
    section.fail_missing(
        "type",
        "type = \"numeric\", \"categorical\", \"boolean\", \"date\", \"timestamp\" or \"ignored\"");
  }
  const WrittenType type = section.choice("type", WrittenType::kIgnored,
                                          {{"numeric", WrittenType::kNumeric},
                                           {"categorical", WrittenType::kCategorical},
                                           {"boolean", WrittenType::kBoolean},
                                           {"date", WrittenType::kDate},
                                           {"timestamp", WrittenType::kTimestamp},
                                           {"ignored", WrittenType::kIgnored}});
  const bool is_boolean = type == WrittenType::kBoolean;
  column.type = type == WrittenType::kIgnored                     ? ColumnType::kIgnored
                : is_boolean || type == WrittenType::kCategorical ? ColumnType::kCategorical
                                                                  : ColumnType::kNumeric;
  if (column.type != ColumnType::kIgnored)
    column.missing_values = section.texts("missing_values").value_or(column.missing_values);
  check_keys_of_column(section, type);
  if (type == WrittenType::kNumeric) {
    read_numeric(section, rules, column);
  } else if (column.type == ColumnType::kNumeric) {
    read_time(section, rules, type == WrittenType::kTimestamp, column);
  } else if (column.type == ColumnType::kCategorical) {
    read_categorical(section, rules.missing_values, is_boolean, column);
  }
  column.feature = read_feature(section, column.type, rules.beside_images);
  if (column.type == ColumnType::kNumeric && column.missing == MissingPolicy::kCategory &&
      column.feature) {
    fail_value(section, "missing",
               "= \"category\" makes a missing cell a value of its own, which a model cannot use "
               "as a number; write feature = false, or missing = \"allowed\"");
  }
  column.direction = section.choice("monotone", 0, {{"increasing", 1}, {"decreasing", -1}});
  if (column.direction != 0 && !column.feature)
    fail_value(section, "monotone", "is for features; remove it");
  return column;
}

std::vector<ColumnSchema> read_columns(const TomlSection& columns, const TableRules& rules) {
  constexpr std::string_view kExample = "[columns.NAME] and under it type = \"...\"";
  std::vector<ColumnSchema> result;
  bool is_any_read = false;
  for (const auto& [key, node] : columns.in_file_order()) {
    if (key->str().empty()) columns.fail_at(key->source(), "a column needs a name");
    if (is_like_count_column(key->str())) {
      columns.fail_at(key->source(),
                      fmt::format("{} has a name of the column of counts of counted tables; rename "
                                  "it, or leave it out where the table is counted",
                                  columns.name_of(key->str())));
    }
    const TomlSection section = columns.section(*node, columns.name_of(key->str()), kExample);
    result.push_back(read_column(section, key->str(), rules));
    is_any_read = is_any_read || result.back().type != ColumnType::kIgnored;
  }
  if (!is_any_read) {
    columns.fail(
        "", "columns declares no numeric or categorical column; write " + std::string(kExample));
  }
  return result;
}

std::optional<ImageShape> read_image(const TomlSection& root) {
  if (!root.has("image")) return std::nullopt;
  constexpr std::string_view kExample = "shape = [CHANNELS, HEIGHT, WIDTH]";
  constexpr std::string_view kTriple = "three whole numbers, [CHANNELS, HEIGHT, WIDTH]";
  const TomlSection section = root.section("image", "[image] and under it shape");
  section.check_keys({"shape"});
  const toml::array* shape = section.array("shape", kTriple);
  if (shape == nullptr) section.fail_missing("shape", kExample);
  if (shape->size() != 3) section.fail("shape", fmt::format("image.shape must be {}", kTriple));
  std::array<int64_t, 3> sizes = {};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const toml::node& node = *shape->get(i);
    if (!node.is_integer()) {
      section.fail_at(node.source(), fmt::format("image.shape must be {}", kTriple));
    }
    sizes[i] = node.as_integer()->get();
    const bool is_channels = i == 0;
    const bool fits =
        is_channels ? sizes[i] == 1 || sizes[i] == 3 : sizes[i] >= 1 && sizes[i] <= kMaxImageSide;
    if (fits) continue;
    section.fail_at(
        node.source(),
        is_channels ? fmt::format("image.shape must have 1 (grey) or 3 (red, green, blue) "
                                  "channels, got {}",
                                  sizes[i])
                    : fmt::format("image.shape must have a height and a width between 1 and {}, "
                                  "got {}",
                                  kMaxImageSide, sizes[i]));
  }
  return ImageShape{sizes[0], sizes[1], sizes[2]};
}

std::vector<std::string> column_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  return names;
}

/// Reads the privacy unit and the number of its rows that count.
void read_unit(const TomlSection& root, Schema& schema) {
  if (const std::optional<std::string> unit = root.text("unit")) {
    schema.unit_answer = unit->empty() ? UnitAnswer::kOpen : UnitAnswer::kStated;
    if (!unit->empty()) schema.unit = *unit;
  }
  const std::optional<int64_t> most = root.integer("max_records_per_unit");
  if (!schema.has_unit_column()) {
    if (most) {
      root.fail("max_records_per_unit",
                "max_records_per_unit needs unit = \"COLUMN\", an ignored column that says whose a "
                "row is; without one each row is a unit");
    }
    return;
  }
  const auto fail = [&](const std::string& problem) {
    root.fail("unit", fmt::format("unit \"{}\" {}", schema.unit, problem));
  };
  if (schema.image)
    fail("is not possible with [image]: each image is a unit; write unit = \"row\"");
  const ColumnSchema* column = schema.find_column(schema.unit);
  if (column == nullptr) {
    fail(
        fmt::format("is not a column{}; declare the column that says whose a row is with type = "
                    "\"ignored\", or write unit = \"row\" if no person has two rows",
                    did_you_mean(schema.unit, column_names(schema))));
  }
  if (root.text("target") == schema.unit)
    fail("is the target, too; it only says whose a row is, so name another column");
  if (column->type != ColumnType::kIgnored) {
    fail(
        fmt::format("must be an ignored column, since it only says whose a row is; write type = "
                    "\"ignored\" alone in [columns.{}]",
                    toml_key(schema.unit)));
  }
  if (!most) {
    root.fail_missing(
        "max_records_per_unit",
        fmt::format("max_records_per_unit = NUMBER, how many rows count for each {}", schema.unit));
  }
  if (*most < 1 || *most > kMaxRecordsPerUnit) {
    root.fail("max_records_per_unit",
              fmt::format("max_records_per_unit must lie between 1 and {}, got {}",
                          kMaxRecordsPerUnit, *most));
  }
  schema.max_records_per_unit = *most;
}

void read_public_bins(const TomlSection& root, Schema& schema) {
  const std::optional<int64_t> bins = root.integer("public_bins");
  if (!bins) return;
  if (*bins < 1 || *bins > static_cast<int64_t>(kMaxBins)) {
    root.fail("public_bins",
              fmt::format("public_bins must lie between 1 and {}, got {}", kMaxBins, *bins));
  }
  schema.public_bins = static_cast<int>(*bins);
}

void read_target(const TomlSection& root, Schema& schema) {
  schema.target = root.text("target").value_or("");
  if (!root.has("target") && root.has("favourable"))
    root.fail("favourable", "favourable names a class of the target; add target = \"COLUMN\"");
  if (!root.has("target")) return;
  const auto target = std::ranges::find(schema.columns, schema.target, &ColumnSchema::name);
  if (target == schema.columns.end()) {
    root.fail("target", fmt::format("target \"{}\" is not a column{}", schema.target,
                                    did_you_mean(schema.target, column_names(schema))));
  }
  if (target->type == ColumnType::kIgnored) {
    root.fail("target",
              fmt::format("target \"{}\" must be a categorical or numeric column", schema.target));
  }
  if (target->time) {
    root.fail("target",
              fmt::format("target \"{}\" holds {}, which no model predicts; make a number "
                          "or a category of it",
                          schema.target, target->time->has_time() ? "times" : "dates"));
  }
  if (target->may_be_missing) target->missing = MissingPolicy::kDrop;
  const bool may_be_unlabelled =
      target->missing == MissingPolicy::kCategory || target->missing == MissingPolicy::kFill;
  if (target->unknown != UnknownPolicy::kDrop || may_be_unlabelled) {
    root.fail(
        "target",
        fmt::format("target \"{}\" must have {}missing = \"allowed\" or \"none\": a record without "
                    "a label contributes nothing to a model",
                    schema.target,
                    target->type == ColumnType::kCategorical ? "unknown = \"drop\" and " : ""));
  }
  if (target->direction != 0)
    root.fail("target", fmt::format("target \"{}\" has monotone, which is for features; remove it",
                                    schema.target));
  target->feature = false;
  if (!root.has("favourable")) return;
  const std::string favourable = root.text("favourable").value_or("");
  schema.favourable = name_of_value(*target, favourable);
  if (!contains(target->values, schema.favourable)) {
    root.fail("favourable",
              fmt::format("favourable \"{}\" is not a class of the target \"{}\"{}", favourable,
                          schema.target, did_you_mean(favourable, target->values)));
  }
}

void read_cuts(const TomlSection& section, const ColumnSchema& column, GroupAttribute& attribute) {
  section.check_keys({"column", "cuts"}, " of groups of a numeric column");
  if (column.missing == MissingPolicy::kCategory) {
    fail_value(
        section, "column",
        "has missing = \"category\", but bands have no place for missing cells; write \"allowed\"");
  }
  const std::string name = section.name_of("cuts");
  attribute.time = column.time;
  const toml::array* cuts = section.array("cuts", "a list of numbers");
  if (cuts == nullptr) section.fail_missing("cuts", "cuts = [NUMBER, ...], where bands begin");
  if (cuts->empty()) fail_value(section, "cuts", "is empty; write where bands begin");
  for (const toml::node& element : *cuts) {
    const double cut = read_constant(section, element, name, column);
    const std::string text = column.text_of(cut);
    if (!(cut > column.lower && cut < column.upper)) {
      section.fail_at(element.source(),
                      fmt::format("{} must lie between the bounds {} and {} of column '{}', got {}",
                                  name, column.text_of(column.lower), column.text_of(column.upper),
                                  column.name, text));
    }
    if (!attribute.cuts.empty() && !(cut > attribute.cuts.back())) {
      section.fail_at(element.source(), fmt::format("{} must ascend, got {} after {}", name, text,
                                                    column.text_of(attribute.cuts.back())));
    }
    // A band that no record can be in.
    const double before = attribute.cuts.empty() ? column.lower : attribute.cuts.back();
    const bool is_past_all = std::ceil(cut) > std::floor(column.upper);
    if (column.whole && (is_past_all || std::ceil(cut) == std::ceil(before))) {
      section.fail_at(
          element.source(),
          fmt::format("{} holds {}, but no whole number of column '{}' is from {}", name, text,
                      column.name,
                      is_past_all ? fmt::format("{} to the upper bound", text)
                                  : fmt::format("{} to below {}", column.text_of(before), text)));
    }
    attribute.cuts.push_back(cut);
  }
}

void read_values(const TomlSection& section, const ColumnSchema& column,
                 GroupAttribute& attribute) {
  section.check_keys({"column", "values", "rest"}, " of groups of a categorical column");
  const std::string name = section.name_of("values");
  std::optional<std::vector<std::string>> values = section.texts("values");
  if (!values) section.fail_missing("values", "values = [\"...\"], categories of the column");
  if (values->empty()) fail_value(section, "values", "is empty; list at least one category");
  const std::vector<std::string> categories = column.categories();
  // A hash table, since a column may have tens of thousands of categories.
  std::unordered_map<std::string_view, std::string_view> names;
  for (const std::string& category : categories) names.emplace(category, category);
  for (size_t i = 0; i < column.cell_texts.size(); ++i)
    names.emplace(column.cell_texts[i], column.values[i]);
  std::unordered_set<std::string_view> listed;
  for (size_t i = 0; i < values->size(); ++i) {
    std::string& value = (*values)[i];
    const auto fail_here = [&](const std::string& problem) {
      section.fail_at(section.table().get("values")->as_array()->get(i)->source(), problem);
    };
    const auto known = names.find(value);
    if (known == names.end()) {
      fail_here(fmt::format("{} holds \"{}\", which is not a value of column '{}'{}", name, value,
                            column.name, did_you_mean(value, categories)));
    }
    if (!listed.insert(known->second).second) {
      fail_here(fmt::format("{} lists \"{}\" twice, as text and as label; remove one", name,
                            known->second));
    }
    value = known->second;
  }
  if (values->size() == categories.size()) {
    fail_value(section, "values", "leaves nothing for the rest; group by column '{}' itself",
               column.name);
  }
  attribute.values = std::move(*values);
  attribute.rest = section.text("rest").value_or(attribute.rest);
  if (attribute.rest.empty() || contains(attribute.values, attribute.rest)) {
    fail_value(section, "rest",
               "must be a name that is not one of the values; write rest = \"NAME\"");
  }
}

GroupAttribute read_group_attribute(const TomlSection& section, std::string_view name,
                                    const Schema& schema) {
  GroupAttribute attribute;
  attribute.name = name;
  const std::optional<std::string> column_name = section.text("column");
  if (!column_name) section.fail_missing("column", "column = \"COLUMN\", which is grouped");
  attribute.column = *column_name;
  const ColumnSchema* column = schema.find_column(*column_name);
  if (column == nullptr) {
    fail_value(section, "column", "\"{}\" is not a column{}", *column_name,
               did_you_mean(*column_name, column_names(schema)));
  }
  if (column->type == ColumnType::kIgnored) {
    fail_value(section, "column", "\"{}\" {}", *column_name,
               column->name == schema.unit
                   ? "only says whose a row is, see unit; group by another column"
                   : "is an ignored column; make it numeric or categorical, with feature = false");
  }
  const auto read = column->type == ColumnType::kNumeric ? read_cuts : read_values;
  read(section, *column, attribute);
  return attribute;
}

void read_group_attributes(const TomlSection& root, Schema& schema) {
  if (!root.has("groups")) return;
  constexpr std::string_view kExample = "[groups.NAME] and under it column = \"COLUMN\"";
  const TomlSection groups = root.section("groups", kExample);
  for (const auto& [key, node] : groups.in_file_order()) {
    const std::string_view name = key->str();
    if (name.empty()) groups.fail_at(key->source(), "a group attribute needs a name");
    if (schema.find_column(name) != nullptr) {
      groups.fail_at(key->source(), fmt::format("{} has the name of a column; give it another one",
                                                groups.name_of(name)));
    }
    schema.group_attributes.push_back(
        read_group_attribute(groups.section(*node, groups.name_of(name), kExample), name, schema));
  }
}

/// The names by which groups can be formed: of categorical columns and of group attributes.
std::vector<std::string> group_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kCategorical) names.push_back(column.name);
  }
  for (const GroupAttribute& attribute : schema.group_attributes) names.push_back(attribute.name);
  return names;
}

/// The columns of a label, which make it comparable with others: "race,sex".
std::string columns_of(const GroupLabel& group) {
  std::string names;
  for (const auto& [column, value] : group) names += column + ",";
  return names;
}

/// The size that a section declares, if any. The key for the other kind of unit is an error.
std::optional<int64_t> read_size(const TomlSection& section, const Schema& schema) {
  if (schema.has_unit_column() && section.has("num_records")) {
    fail_value(section, "num_records",
               "counts rows, but unit = \"{}\", and how many rows each {} has is private; write "
               "num_units = NUMBER, which counts units",
               schema.unit, schema.unit);
  }
  if (!schema.has_unit_column() && section.has("num_units")) {
    fail_value(section, "num_units",
               "needs unit = \"COLUMN\", an ignored column that says whose a row is; without one "
               "write num_records = NUMBER");
  }
  return section.integer(schema.size_key());
}

/// A group, sorted by column name, and its size.
std::pair<GroupLabel, int64_t> read_group(const TomlSection& entry, const Schema& schema) {
  entry.check_keys({"group", "num_records", "num_units", "exact"});
  GroupLabel label;
  const TomlSection group = entry.section("group", "group = { COLUMN = \"VALUE\" }");
  for (const auto& [key, node] : group.table()) {
    const std::string name(key.str());
    const ColumnSchema* column = schema.find_column(name);
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    const bool is_categorical = column != nullptr && column->type == ColumnType::kCategorical;
    if (!is_categorical && attribute == nullptr) {
      group.fail_at(key.source(),
                    fmt::format("'{}' is not a categorical column or one of [groups]{}", name,
                                did_you_mean(name, group_names(schema))));
    }
    std::string value = group.text(name).value_or("");
    if (is_categorical) value = name_of_value(*column, std::move(value));
    const std::vector<std::string> categories =
        is_categorical ? column->categories() : attribute->categories();
    if (!contains(categories, value)) {
      group.fail(name, fmt::format("\"{}\" is not a value of '{}'{}", value, name,
                                   did_you_mean(value, categories)));
    }
    label.emplace_back(name, value);
  }
  if (label.empty()) group.fail("", "a group needs at least one COLUMN = \"VALUE\"");
  std::ranges::sort(label);

  const std::string_view key = schema.size_key();
  const std::optional<int64_t> size = read_size(entry, schema);
  if (!size) entry.fail_missing(key, fmt::format("{} = NUMBER", key));
  if (*size < 0 || *size > schema.num_records) {
    entry.fail(key, fmt::format("a group's {} must lie between 0 and the table's {}, got {}", key,
                                schema.num_records, *size));
  }
  return {std::move(label), *size};
}

/// Reads the number of units by number of rows: for all units, or not public.
void read_rows_per_unit(const TomlSection& section, Schema& schema) {
  if (!section.has("rows_per_unit")) return;
  const std::string example = "[[public.rows_per_unit]] with rows and num_units";
  if (!schema.has_unit_column()) {
    fail_value(section, "rows_per_unit",
               "needs unit = \"COLUMN\", an ignored column that says whose a row is");
  }
  int64_t left = schema.num_records;
  int64_t rows_left = kMaxRecords;
  const toml::array* entries = section.array("rows_per_unit", "a list; write " + example);
  for (const toml::node& node : *entries) {
    const TomlSection entry = section.section(node, "public.rows_per_unit", example);
    entry.check_keys({"rows", "num_units"});
    const std::optional<int64_t> rows = entry.integer("rows");
    const std::optional<int64_t> units = entry.integer("num_units");
    if (!rows) entry.fail_missing("rows", "rows = NUMBER");
    if (!units) entry.fail_missing("num_units", "num_units = NUMBER");
    if (*rows < 1 || *rows > kMaxRecords)
      entry.fail("rows", fmt::format("rows must lie between 1 and {}, got {}", kMaxRecords, *rows));
    if (*units < 0 || *units > left) {
      entry.fail("num_units", fmt::format("num_units must lie between 0 and the {} units that are "
                                          "left of {}, got {}",
                                          left, schema.num_records, *units));
    }
    if (!schema.rows_per_unit.emplace(*rows, *units).second)
      entry.fail("rows", fmt::format("{} rows are declared twice; add up their num_units", *rows));
    if (*units > rows_left / *rows) {
      entry.fail("num_units", fmt::format("the units have more than {} rows together, which is "
                                          "more than a table may have",
                                          kMaxRecords));
    }
    rows_left -= *units * *rows;
    left -= *units;
  }
  if (left != 0) {
    fail_value(section, "rows_per_unit", "adds up to {} units, but the table has {}",
               schema.num_records - left, schema.num_records);
  }
}

void read_public(const TomlSection& root, SizesRule sizes, Schema& schema) {
  const std::string_view key = schema.size_key();
  const std::string example = fmt::format("[public] and under it {} = NUMBER", key);
  if (sizes == SizesRule::kMayBePrivate && !root.has("public")) return;
  const TomlSection section = root.section("public", example);
  section.check_keys({"num_records", "num_units", "rows_per_unit", "groups"});
  const std::optional<int64_t> size = read_size(section, schema);
  if (!size && sizes == SizesRule::kMayBePrivate && !section.has("groups")) return;
  if (!size) section.fail_missing(key, fmt::format("{} = NUMBER", key));
  if (*size < 1 || *size > kMaxRecords) {
    section.fail(
        key, fmt::format("public.{} must lie between 1 and {}, got {}", key, kMaxRecords, *size));
  }
  schema.num_records = *size;
  read_rows_per_unit(section, schema);

  if (!section.has("groups")) return;
  const std::string group_example = fmt::format("[[public.groups]] with group and {}", key);
  const toml::array* groups = section.array("groups", "a list; write " + group_example);
  std::map<std::string, int64_t> totals;  ///< by the columns of the group
  std::map<GroupLabel, TomlSection> entries;
  for (const toml::node& node : *groups) {
    const TomlSection entry = section.section(node, "public.groups", group_example);
    const auto [group, group_size] = read_group(entry, schema);
    if (!schema.public_group_sizes.emplace(group, group_size).second) {
      entry.fail("group", "this group is declared twice; remove one");
    }
    if (!entry.boolean("exact").value_or(true)) schema.inexact_group_sizes.insert(group);
    int64_t& total = totals[columns_of(group)];
    total += group_size;
    if (total > schema.num_records) {
      entry.fail(key, fmt::format("groups of the same columns add up to {} {}, but "
                                  "the table has {}; scale sizes that were released with noise",
                                  total, schema.units_name(), schema.num_records));
    }
    entries.emplace(group, entry);
  }
  const PublicSizes declared(schema);
  if (const auto found = declared.find_contradiction())
    entries.at(found->group).fail(key, found->problem);
}

}  // namespace

std::vector<std::string> ColumnSchema::categories() const {
  std::vector<std::string> result = values;
  if (type != ColumnType::kCategorical) return result;
  if (unknown == UnknownPolicy::kOther) result.emplace_back(kOther);
  if (missing == MissingPolicy::kCategory) result.emplace_back(kMissing);
  return result;
}

std::string ColumnSchema::text_of(double number) const {
  return time ? print_time(number, *time) : fmt::format("{}", number);
}

bool ColumnSchema::may_drop() const {
  if (missing == MissingPolicy::kDrop || missing == MissingPolicy::kNone) return true;
  return type == ColumnType::kCategorical ? unknown == UnknownPolicy::kDrop
                                          : malformed == MalformedPolicy::kDrop;
}

std::vector<std::string> GroupAttribute::categories() const {
  std::vector<std::string> result = values;
  if (cuts.empty()) {
    result.push_back(rest);
    return result;
  }
  const auto text = [this](double cut) {
    return time ? print_time(cut, *time) : fmt::format("{}", cut);
  };
  result.push_back(fmt::format("below {}", text(cuts.front())));
  for (size_t i = 1; i < cuts.size(); ++i)
    result.push_back(fmt::format("{} to below {}", text(cuts[i - 1]), text(cuts[i])));
  result.push_back(fmt::format("{} and above", text(cuts.back())));
  return result;
}

bool Schema::has_monotone() const {
  return std::ranges::any_of(columns, [](const auto& column) { return column.direction != 0; });
}

std::string Schema::units_name() const {
  return has_unit_column() ? fmt::format("units ({})", unit) : "records";
}

std::vector<std::string> Schema::missing_marks(const ColumnSchema& column) const {
  std::vector<std::string> marks = missing_values;
  append(marks, column.missing_values);
  return marks;
}

const ColumnSchema& Schema::column(std::string_view name) const {
  const ColumnSchema* found = find_column(name);
  if (found != nullptr) return *found;
  throw Error(ErrorKind::kInput, kWhere, "there is no column '{}'{}", name,
              did_you_mean_in_list(name, column_names(*this)));
}

const ColumnSchema* Schema::find_column(std::string_view name) const {
  for (const ColumnSchema& candidate : columns) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

const GroupAttribute* Schema::find_group_attribute(std::string_view name) const {
  for (const GroupAttribute& attribute : group_attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::optional<int64_t> Schema::public_size(GroupLabel group) const {
  return PublicSizes(*this).of(std::move(group));
}

bool Schema::has_exact_size(GroupLabel group) const {
  std::ranges::sort(group);
  if (public_group_sizes.contains(group)) return !inexact_group_sizes.contains(group);
  const auto column_of = [&](const std::string& name) {
    const GroupAttribute* attribute = find_group_attribute(name);
    return attribute != nullptr ? attribute->column : name;
  };
  return std::ranges::none_of(inexact_group_sizes, [&](const GroupLabel& inexact) {
    return std::ranges::any_of(inexact, [&](const auto& part) {
      return std::ranges::any_of(
          group, [&](const auto& own) { return column_of(own.first) == column_of(part.first); });
    });
  });
}

Schema parse_schema(std::string_view text, std::string_view origin, SizesRule sizes) {
  const toml::table document = parse_toml(text, origin, kWhere);
  const TomlSection root(document, "", origin);
  const std::optional<std::string> version = root.text("schema");
  if (!version) root.fail_missing("schema", "schema = \"equinoise/1\" at the top");
  if (*version != kVersion) {
    root.fail("schema", fmt::format("schema \"{}\" is not supported; write schema = \"{}\"",
                                    *version, kVersion));
  }
  root.check_keys({"schema", "dataset", "reviewed", "target", "favourable", "unit",
                   "max_records_per_unit", "public_bins", "missing_values", "malformed", "table",
                   "public", "image", "columns", "groups"});

  Schema schema;
  schema.source_text = without_comments(text);
  const std::optional<std::string> dataset = root.text("dataset");
  if (!dataset)
    root.fail_missing("dataset", "dataset = \"NAME\", the name of the ledger's account");
  if (!is_dataset_name(*dataset)) root.fail("dataset", fmt::format("dataset {}", kDatasetNameRule));
  schema.dataset = *dataset;
  schema.reviewed = root.boolean("reviewed").value_or(false);
  if (root.has("missing_values")) schema.missing_values = *root.texts("missing_values");

  schema.layout = read_layout(root);
  schema.image = read_image(root);
  const TableRules rules{schema.missing_values, read_malformed(root, MalformedPolicy::kStop),
                         schema.image.has_value(), schema.layout.decimal_comma};
  schema.columns = read_columns(root.section("columns", "[columns.NAME] for every column"), rules);
  read_unit(root, schema);
  read_public_bins(root, schema);
  read_target(root, schema);
  read_group_attributes(root, schema);
  read_public(root, schema.image ? SizesRule::kPublic : sizes, schema);
  return schema;
}

Schema load_schema(const SchemaFile& file) {
  const std::string name = file.path.string();
  std::string content = read_text(file.path, kWhere);
  if (file.path.extension() == ".json") {
    content = domain_to_toml(content, file);
  } else if (file.num_records || !file.target.empty() || !file.dataset.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{}: --num-records, --target and --dataset are for a domain.json of "
                "private-pgm; a TOML schema gives them itself",
                name);
  }
  Schema schema =
      with_table_options(parse_schema(content, name, file.sizes), file.table, name, file.sizes);
  if (file.missing) use_missing(schema, *file.missing);
  return schema;
}

bool has_bands(const Schema& schema, const ColumnSchema& column) {
  return std::ranges::any_of(schema.group_attributes, [&](const GroupAttribute& attribute) {
    return attribute.column == column.name && !attribute.cuts.empty();
  });
}

void use_missing(Schema& schema, MissingUse use) {
  schema.missing_use = use;
  for (ColumnSchema& column : schema.columns) {
    if (!column.may_be_missing) continue;
    const bool is_number = column.type == ColumnType::kNumeric;
    const bool cannot_keep = use == MissingUse::kKeep && has_bands(schema, column);
    const bool drops = use == MissingUse::kDrop || (use == MissingUse::kLeaveOut && is_number) ||
                       (cannot_keep && column.name == schema.target);
    const bool fills = is_number && (use == MissingUse::kFill || cannot_keep);
    column.missing = drops   ? MissingPolicy::kDrop
                     : fills ? MissingPolicy::kFill
                             : MissingPolicy::kCategory;
    if (is_number || use != MissingUse::kDrop) continue;
    std::set<std::string> names = {column.name};
    for (GroupAttribute& attribute : schema.group_attributes)
      if (attribute.column == column.name && std::erase(attribute.values, kMissing) > 0)
        names.insert(attribute.name);
    const auto is_missing = [&](const GroupLabel& group) {
      return std::ranges::any_of(group, [&](const auto& part) {
        return part.second == kMissing && names.contains(part.first);
      });
    };
    std::erase_if(schema.public_group_sizes,
                  [&](const auto& entry) { return is_missing(entry.first); });
    std::erase_if(schema.inexact_group_sizes, is_missing);
  }
}

Schema with_table_options(const Schema& schema, const TableOptions& options,
                          std::string_view origin, SizesRule sizes) {
  if (options.empty()) return schema;
  Schema result = parse_schema(with_table_options(schema.source_text, options),
                               fmt::format("{} with the options of the table", origin), sizes);
  if (schema.missing_use != result.missing_use) use_missing(result, schema.missing_use);
  return result;
}

double narrowest_bounds(double lower, double upper) {
  constexpr double kResolution = 0x1p-40;
  constexpr double kSmallest = 0x1p-126;  // squares stay above 0
  return std::max(kSmallest, kResolution * std::max(std::fabs(lower), std::fabs(upper)));
}

std::string problem_of_bounds(double lower, double upper) {
  if (!(std::max(std::fabs(lower), std::fabs(upper)) <= kLargestBound))
    return fmt::format("must lie within +-{:.2g}", kLargestBound);
  if (const double narrowest = narrowest_bounds(lower, upper); !(upper - lower >= narrowest)) {
    return fmt::format(
        "must be at least {:.2g} apart (2^-40 of their size, and 2^-126), so that double precision "
        "can tell numbers between them apart; subtract a public number, e.g. {}, from the column "
        "and from its bounds",
        narrowest, lower);
  }
  return "";
}

void require_reviewed(const Schema& schema, std::string_view origin, bool data_are_public) {
  if (schema.reviewed && schema.unit_answer == UnitAnswer::kOpen)
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", origin, kOpenUnit);
  if (schema.reviewed || data_are_public) return;
  throw Error(
      ErrorKind::kUsage, kWhere,
      "{}: the schema is not reviewed; check that its bounds, values and sizes are public and "
      "set reviewed = true in it, or give --public-data if the table itself is public",
      origin);
}

}  // namespace equinoise
