#include "equinoise/data/schema.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema";
constexpr std::string_view kVersion = "equinoise/1";
constexpr std::string_view kOther = "other";
constexpr std::string_view kMissing = "missing";
constexpr size_t kMaxValues = 65'000;
constexpr int64_t kMaxRecords = (int64_t{1} << 32) - 2;
constexpr size_t kMaxFileBytes = size_t{1} << 24;

bool contains(const std::vector<std::string>& values, std::string_view value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string proposal(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(word, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

/// A TOML table with its place in the file, which every message names.
class Section {
 public:
  Section(const toml::table& table, std::string path, std::string_view origin)
      : table_(table), path_(std::move(path)), origin_(origin) {}

  const toml::table& table() const { return table_; }
  std::string_view origin() const { return origin_; }

  [[noreturn]] void fail_at(const toml::source_region& region, std::string_view problem) const {
    throw Error(
        ErrorKind::kInput, kWhere,
        fmt::format("{}:{}:{}: {}", origin_, region.begin.line, region.begin.column, problem));
  }
  /// Points at the value of `key`, or at the section if it has no such key.
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    const toml::node* node = table_.get(key);
    const toml::source_region& region = node != nullptr ? node->source() : table_.source();
    // The root of an empty file has no place of its own.
    if (region.begin.line == 0) fail_at(toml::source_region{{1, 1}, {1, 1}, nullptr}, problem);
    fail_at(region, problem);
  }
  [[noreturn]] void fail_missing(std::string_view key, std::string_view example) const {
    fail(key, fmt::format("{} is missing; write {}", name_of(key), example));
  }

  /// "columns.age.bounds"
  std::string name_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  void check_keys(const std::vector<std::string>& allowed, std::string_view hint = "") const {
    for (const auto& [key, node] : table_) {
      if (contains(allowed, key.str())) continue;
      fail_at(key.source(), fmt::format("{} is not a key{}{}", name_of(key.str()), hint,
                                        proposal(key.str(), allowed)));
    }
  }

  bool has(std::string_view key) const { return table_.contains(key); }

  std::optional<std::string> text(std::string_view key) const {
    return exact<std::string>(key, "a string in quotes");
  }
  std::optional<bool> boolean(std::string_view key) const {
    return exact<bool>(key, "true or false");
  }
  std::optional<int64_t> integer(std::string_view key) const {
    return exact<int64_t>(key, "a whole number");
  }
  std::optional<double> number(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    return finite_number(*node, name_of(key));
  }
  double finite_number(const toml::node& node, std::string_view name) const {
    const std::optional<double> value =
        node.is_number() ? node.value<double>() : std::optional<double>();
    if (!value || !std::isfinite(*value)) {
      fail_at(node.source(), fmt::format("{} must be a finite number", name));
    }
    return *value;
  }

  std::optional<std::vector<std::string>> texts(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    std::vector<std::string> values;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(key, fmt::format("{} must be a list of strings", name_of(key)));
    values.reserve(array->size());
    std::set<std::string_view> seen;
    for (const toml::node& element : *array) {
      const std::optional<std::string_view> value = element.value_exact<std::string_view>();
      if (!value) {
        fail_at(element.source(),
                fmt::format("{} must hold strings only; put the value in quotes", name_of(key)));
      }
      if (!seen.insert(*value).second) {
        fail_at(element.source(),
                fmt::format("{} holds \"{}\" twice; remove one", name_of(key), *value));
      }
      values.emplace_back(*value);
    }
    return values;
  }

  /// The sub-table `key`; the message of its absence shows `example`.
  Section section(std::string_view key, std::string_view example) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) fail_missing(key, example);
    return section(*node, name_of(key), example);
  }
  Section section(const toml::node& node, std::string path, std::string_view example) const {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      fail_at(node.source(), fmt::format("{} must be a table; write {}", path, example));
    }
    return Section(*table, std::move(path), origin_);
  }

  /// One of a list of words, each with its meaning.
  template <typename Enum>
  Enum choice(std::string_view key, Enum absent,
              std::initializer_list<std::pair<std::string_view, Enum>> choices) const {
    const std::optional<std::string> word = text(key);
    if (!word) return absent;
    std::string allowed;
    for (const auto& [name, value] : choices) {
      if (name == *word) return value;
      allowed += fmt::format("{}\"{}\"", allowed.empty() ? "" : ", ", name);
    }
    fail(key, fmt::format("{} must be one of {}, got \"{}\"", name_of(key), allowed, *word));
  }

 private:
  template <typename T>
  std::optional<T> exact(std::string_view key, std::string_view kind) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return std::nullopt;
    std::optional<T> value = node->value_exact<T>();
    if (!value) fail(key, fmt::format("{} must be {}", name_of(key), kind));
    return value;
  }

  const toml::table& table_;
  std::string path_;
  std::string_view origin_;
};

void read_numeric(const Section& section, ColumnSchema& column) {
  section.check_keys({"type", "bounds", "scale", "mean", "stddev", "missing", "fill", "feature"},
                     " of a numeric column");
  const toml::node* bounds = section.table().get("bounds");
  if (bounds == nullptr) {
    section.fail_missing("bounds", "bounds = [LOWER, UPPER] from public knowledge");
  }
  const toml::array* pair = bounds->as_array();
  if (pair == nullptr || pair->size() != 2) {
    section.fail("bounds",
                 fmt::format("{} must be two numbers, [LOWER, UPPER]", section.name_of("bounds")));
  }
  column.lower = section.finite_number(*pair->get(0), section.name_of("bounds"));
  column.upper = section.finite_number(*pair->get(1), section.name_of("bounds"));
  if (!(column.lower < column.upper)) {
    section.fail("bounds", fmt::format("{} must be [LOWER, UPPER] with LOWER < UPPER, got [{}, {}]",
                                       section.name_of("bounds"), column.lower, column.upper));
  }
  // Values are kept in single precision, which must have room between the bounds.
  const double largest = std::numeric_limits<float>::max();
  if (column.lower < -largest || column.upper > largest ||
      !(std::nextafter(static_cast<float>(column.lower), HUGE_VALF) < column.upper)) {
    section.fail("bounds", fmt::format("{} must differ in single precision and lie within "
                                       "+-3.4e38, got [{}, {}]",
                                       section.name_of("bounds"), column.lower, column.upper));
  }

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
    if (!(*stddev > 0)) {
      section.fail("stddev", fmt::format("{} must be > 0", section.name_of("stddev")));
    }
    if (*mean < column.lower || *mean > column.upper) {
      section.fail("mean", fmt::format("{} must lie within the bounds", section.name_of("mean")));
    }
    column.mean = *mean;
    column.stddev = *stddev;
  } else if (mean || stddev) {
    section.fail(mean ? "mean" : "stddev",
                 fmt::format("{} belongs to scale = \"standard\"; remove it or set that scale",
                             section.name_of(mean ? "mean" : "stddev")));
  }

  column.missing = section.choice("missing", MissingPolicy::kDrop,
                                  {{"drop", MissingPolicy::kDrop}, {"fill", MissingPolicy::kFill}});
  const std::optional<double> fill = section.number("fill");
  if (column.missing == MissingPolicy::kFill) {
    if (!fill) section.fail_missing("fill", "fill = NUMBER, the public value for missing cells");
    if (*fill < column.lower || *fill > column.upper) {
      section.fail("fill", fmt::format("{} must lie within the bounds", section.name_of("fill")));
    }
    column.fill = *fill;
  } else if (fill) {
    section.fail("fill", fmt::format("{} belongs to missing = \"fill\"; remove it or set that "
                                     "policy",
                                     section.name_of("fill")));
  }
}

void read_categorical(const Section& section, const std::vector<std::string>& missing_values,
                      ColumnSchema& column) {
  section.check_keys({"type", "values", "unknown", "missing", "feature"},
                     " of a categorical column");
  const std::string values_name = section.name_of("values");
  std::optional<std::vector<std::string>> values = section.texts("values");
  if (!values) section.fail_missing("values", "values = [\"...\", \"...\"], the public list");
  if (values->empty()) {
    section.fail("values", values_name + " is empty; list every value that may occur");
  }
  if (values->size() > kMaxValues) {
    section.fail("values", fmt::format("{} has {} values; at most {} are possible", values_name,
                                       values->size(), kMaxValues));
  }
  column.values = std::move(*values);
  column.unknown =
      section.choice("unknown", UnknownPolicy::kDrop,
                     {{"drop", UnknownPolicy::kDrop}, {"other", UnknownPolicy::kOther}});
  column.missing =
      section.choice("missing", MissingPolicy::kDrop,
                     {{"drop", MissingPolicy::kDrop}, {"category", MissingPolicy::kCategory}});
  for (const std::string& value : column.values) {
    if (contains(missing_values, value)) {
      section.fail("values", fmt::format("{} holds \"{}\", which marks a missing cell; remove it "
                                         "here or from missing_values",
                                         values_name, value));
    }
    if (value.empty()) {
      section.fail("values", values_name + " holds an empty string; remove it");
    }
  }
  if (column.unknown == UnknownPolicy::kOther && contains(column.values, kOther)) {
    section.fail("values", fmt::format("{} holds \"other\", which unknown = \"other\" adds; rename "
                                       "the value or set unknown = \"drop\"",
                                       values_name));
  }
  if (column.missing == MissingPolicy::kCategory && contains(column.values, kMissing)) {
    section.fail("values", fmt::format("{} holds \"missing\", which missing = \"category\" adds; "
                                       "rename the value or set missing = \"drop\"",
                                       values_name));
  }
}

ColumnSchema read_column(const Section& section, std::string_view name,
                         const std::vector<std::string>& missing_values) {
  ColumnSchema column;
  column.name = name;
  if (!section.has("type")) {
    section.fail_missing("type", "type = \"numeric\", \"categorical\" or \"ignored\"");
  }
  column.type = section.choice("type", ColumnType::kIgnored,
                               {{"numeric", ColumnType::kNumeric},
                                {"categorical", ColumnType::kCategorical},
                                {"ignored", ColumnType::kIgnored}});
  switch (column.type) {
    case ColumnType::kNumeric:
      read_numeric(section, column);
      break;
    case ColumnType::kCategorical:
      read_categorical(section, missing_values, column);
      break;
    case ColumnType::kIgnored:
      section.check_keys({"type"}, " of an ignored column");
      break;
  }
  column.feature = column.type != ColumnType::kIgnored && section.boolean("feature").value_or(true);
  return column;
}

/// The columns in the order of the file; TOML tables come sorted by name.
std::vector<ColumnSchema> read_columns(const Section& columns,
                                       const std::vector<std::string>& missing_values) {
  constexpr std::string_view kExample = "[columns.NAME] and under it type = \"...\"";
  using Entry = std::pair<const toml::key*, const toml::node*>;
  std::vector<Entry> entries;
  for (const auto& [key, node] : columns.table()) entries.emplace_back(&key, &node);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const toml::source_position& first = a.first->source().begin;
    const toml::source_position& second = b.first->source().begin;
    return first < second;
  });

  std::vector<ColumnSchema> result;
  bool is_any_read = false;
  for (const auto& [key, node] : entries) {
    if (key->str().empty()) columns.fail_at(key->source(), "a column needs a name");
    const Section section = columns.section(*node, columns.name_of(key->str()), kExample);
    result.push_back(read_column(section, key->str(), missing_values));
    is_any_read = is_any_read || result.back().type != ColumnType::kIgnored;
  }
  if (!is_any_read) {
    columns.fail(
        "", "columns declares no numeric or categorical column; write " + std::string(kExample));
  }
  return result;
}

ColumnSchema* find_column(Schema& schema, std::string_view name) {
  for (ColumnSchema& column : schema.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

std::vector<std::string> column_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  return names;
}

void read_target(const Section& root, Schema& schema) {
  schema.target = root.text("target").value_or("");
  if (!root.has("target")) return;
  ColumnSchema* target = find_column(schema, schema.target);
  if (target == nullptr) {
    root.fail("target", fmt::format("target \"{}\" is not a column{}", schema.target,
                                    proposal(schema.target, column_names(schema))));
  }
  if (target->type != ColumnType::kCategorical) {
    root.fail("target", fmt::format("target \"{}\" must be a categorical column", schema.target));
  }
  if (target->unknown != UnknownPolicy::kDrop || target->missing != MissingPolicy::kDrop) {
    root.fail("target", fmt::format("target \"{}\" must have unknown = \"drop\" and missing = "
                                    "\"drop\": a record without a label contributes nothing",
                                    schema.target));
  }
  target->feature = false;
}

/// The columns of a label, which make it comparable with others: "race,sex".
std::string columns_of(const GroupLabel& group) {
  std::string names;
  for (const auto& [column, value] : group) names += column + ",";
  return names;
}

PublicGroupSize read_group(const Section& entry, Schema& schema) {
  entry.check_keys({"group", "num_records"});
  PublicGroupSize result;
  const Section group = entry.section("group", "group = { COLUMN = \"VALUE\" }");
  for (const auto& [key, node] : group.table()) {
    const ColumnSchema* column = find_column(schema, key.str());
    if (column == nullptr || column->type != ColumnType::kCategorical) {
      group.fail_at(key.source(), fmt::format("'{}' is not a categorical column{}", key.str(),
                                              proposal(key.str(), column_names(schema))));
    }
    const std::string value = group.text(key.str()).value_or("");
    const std::vector<std::string> categories = column->categories();
    if (!contains(categories, value)) {
      group.fail(key.str(), fmt::format("\"{}\" is not a value of column '{}'{}", value,
                                        column->name, proposal(value, categories)));
    }
    result.group.emplace_back(column->name, value);
  }
  if (result.group.empty()) group.fail("", "a group needs at least one COLUMN = \"VALUE\"");
  std::sort(result.group.begin(), result.group.end());

  const std::optional<int64_t> num_records = entry.integer("num_records");
  if (!num_records) entry.fail_missing("num_records", "num_records = NUMBER");
  if (*num_records < 0 || *num_records > schema.num_records) {
    entry.fail("num_records", fmt::format("a group's num_records must lie between 0 and the "
                                          "table's {}, got {}",
                                          schema.num_records, *num_records));
  }
  result.num_records = *num_records;
  return result;
}

void read_public(const Section& root, Schema& schema) {
  constexpr std::string_view kExample = "[public] and under it num_records = NUMBER";
  const Section section = root.section("public", kExample);
  section.check_keys({"num_records", "groups"});
  const std::optional<int64_t> num_records = section.integer("num_records");
  if (!num_records) section.fail_missing("num_records", "num_records = NUMBER");
  if (*num_records < 1 || *num_records > kMaxRecords) {
    section.fail("num_records", fmt::format("public.num_records must lie between 1 and {}, got {}",
                                            kMaxRecords, *num_records));
  }
  schema.num_records = *num_records;

  if (!section.has("groups")) return;
  constexpr std::string_view kGroupExample = "[[public.groups]] with group and num_records";
  const toml::array* groups = section.table().get("groups")->as_array();
  if (groups == nullptr) {
    section.fail("groups", "public.groups must be a list; write " + std::string(kGroupExample));
  }
  std::set<GroupLabel> seen;
  std::map<std::string, int64_t> totals;  ///< by the columns of the group
  for (const toml::node& node : *groups) {
    const Section entry = section.section(node, "public.groups", kGroupExample);
    PublicGroupSize size = read_group(entry, schema);
    if (!seen.insert(size.group).second) {
      entry.fail("group", "this group is declared twice; remove one");
    }
    int64_t& total = totals[columns_of(size.group)];
    total += size.num_records;
    if (total > schema.num_records) {
      entry.fail("num_records", fmt::format("groups of the same columns add up to {} records, but "
                                            "the table has {}",
                                            total, schema.num_records));
    }
    schema.public_group_sizes.push_back(std::move(size));
  }
}

}  // namespace

std::vector<std::string> ColumnSchema::categories() const {
  std::vector<std::string> result = values;
  if (type != ColumnType::kCategorical) return result;
  if (unknown == UnknownPolicy::kOther) result.emplace_back(kOther);
  if (missing == MissingPolicy::kCategory) result.emplace_back(kMissing);
  return result;
}

const ColumnSchema& Schema::column(std::string_view name) const {
  for (const ColumnSchema& candidate : columns) {
    if (candidate.name == name) return candidate;
  }
  throw Error(ErrorKind::kInput, kWhere,
              fmt::format("there is no column '{}'{}", name, proposal(name, column_names(*this))));
}

std::optional<int64_t> Schema::public_size(GroupLabel group) const {
  std::sort(group.begin(), group.end());
  for (const PublicGroupSize& size : public_group_sizes) {
    if (size.group == group) return size.num_records;
  }
  return std::nullopt;
}

Schema parse_schema(std::string_view text, std::string_view origin) {
  toml::table document;
  try {
    document = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::kInput, kWhere,
                fmt::format("{}:{}:{}: not valid TOML: {}", origin, error.source().begin.line,
                            error.source().begin.column, error.description()));
  }

  const Section root(document, "", origin);
  const std::optional<std::string> version = root.text("schema");
  if (!version) root.fail_missing("schema", "schema = \"equinoise/1\" at the top");
  if (*version != kVersion) {
    root.fail("schema", fmt::format("schema \"{}\" is not supported; write schema = \"{}\"",
                                    *version, kVersion));
  }
  root.check_keys(
      {"schema", "dataset", "reviewed", "target", "unit", "missing_values", "public", "columns"});

  Schema schema;
  schema.source_text = text;
  const std::optional<std::string> dataset = root.text("dataset");
  if (!dataset)
    root.fail_missing("dataset", "dataset = \"NAME\", the name of the ledger's account");
  const bool is_name = std::all_of(dataset->begin(), dataset->end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-');
  });
  if (dataset->empty() || !is_name) {
    root.fail("dataset", "dataset must consist of letters, digits and the characters _ . -");
  }
  schema.dataset = *dataset;
  schema.reviewed = root.boolean("reviewed").value_or(false);
  schema.unit = root.text("unit").value_or("row");
  if (schema.unit != "row") {
    root.fail("unit", "unit must be \"row\": one row per person");
  }
  if (root.has("missing_values")) schema.missing_values = *root.texts("missing_values");

  schema.columns = read_columns(root.section("columns", "[columns.NAME] for every column"),
                                schema.missing_values);
  read_target(root, schema);
  read_public(root, schema);
  return schema;
}

Schema load_schema(const std::filesystem::path& path) {
  const std::string name = path.string();
  const auto fail = [&](std::string_view problem) {
    throw Error(ErrorKind::kInput, kWhere, fmt::format("{}: {}", name, problem));
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) fail("no such file");
  if (!std::filesystem::is_regular_file(status)) fail("is not a regular file");
  if (std::filesystem::file_size(path, error) > kMaxFileBytes) {
    fail("is larger than 16 MiB; is this the table?");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) fail("cannot be read");
  const std::string content = std::move(text).str();
  if (content.empty()) fail("is empty");
  return parse_schema(content, name);
}

void require_reviewed(const Schema& schema) {
  if (schema.reviewed) return;
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("the schema of dataset '{}' is not reviewed: check that its bounds, "
                          "values and sizes are public, then set reviewed = true",
                          schema.dataset));
}

}  // namespace equinoise
