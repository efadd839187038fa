// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/values/time_format.h"

namespace equinoise {

/// The most categories of a column and the most records of a table.
inline constexpr int64_t kMaxCategories = 65'000;
inline constexpr int64_t kMaxRecords = (int64_t{1} << 32) - 2;

/// The most rows of a unit that a schema may count.
inline constexpr int64_t kMaxRecordsPerUnit = 1'000'000;

/// The most point_masses of a column, i.e. numbers declared as held by many records.
inline constexpr size_t kMaxPointMasses = 64;

/// The most bins of a numeric column.
inline constexpr size_t kMaxBins = 4096;

/// Double precision holds all whole numbers up to this size, and the next one: 2^53 - 1.
inline constexpr double kMaxExactWhole = 0x1p53 - 1;

enum class ColumnType {
  kNumeric,      ///< A real number within public bounds.
  kCategorical,  ///< One of a public list of values.
  kIgnored,      ///< In the file, never read.
};

/// The map from a numeric column to a feature. Every constant is public and comes from the schema.
enum class NumericScale {
  kUnit,       ///< bounds -> [0, 1]
  kSymmetric,  ///< bounds -> [-1, 1]
  kStandard,  ///< (x - mean) / stddev with the public mean and stddev, after clamping to the bounds
};

/// The rule for a category that the schema does not list.
enum class UnknownPolicy {
  kDrop,   ///< The record contributes nothing (it becomes the null record of `zero_out`).
  kOther,  ///< It becomes the extra category "other".
};

/// The rule for a missing cell.
enum class MissingPolicy {
  kDrop,      ///< The record contributes nothing.
  kCategory,  ///< It becomes the extra category "missing"; in a numeric column, a value of its own.
  kFill,      ///< It becomes the public value `fill` (numeric only).
  kNone,      ///< It is public that there is none; any that occurs is as kDrop.
};

/// The use that a task makes of missing cells in columns with missing = "allowed".
enum class MissingUse : uint8_t {
  kFill,      ///< For models: a number becomes `fill`, a category "missing".
  kLeaveOut,  ///< For means: a number is left out, not its record; a category as in kFill.
  kKeep,  ///< For counted or synthetic rows: a value of its own. Numbers cut by [groups.NAME] as in
          ///< kFill, a target as in kDrop.
  kDrop,  ///< The record contributes nothing.
};

/// The rule for a cell of a numeric column that holds no number.
enum class MalformedPolicy {
  kStop,     ///< The run stops with an error that names row and column.
  kDrop,     ///< The record contributes nothing.
  kMissing,  ///< It counts as a missing cell.
};

/// One column of the table. `values`, `unknown` are for categorical columns; `bounds`, `scale`,
/// `fill` for numeric ones.
struct ColumnSchema {
  std::string name;
  ColumnType type = ColumnType::kCategorical;
  bool feature = true;  ///< false: may be a group or the target, is never a model input
  MissingPolicy missing = MissingPolicy::kDrop;
  /// monotone, of a feature: larger values never lower a prediction (1), or never raise it (-1).
  int direction = 0;
  bool may_be_missing = false;  ///< missing = "allowed": the task decides, see use_missing
  std::vector<std::string> missing_values;  ///< in addition to the table's

  double lower = 0;
  double upper = 0;
  NumericScale scale = NumericScale::kUnit;
  double mean = 0;     ///< for kStandard
  double stddev = 1;   ///< for kStandard
  double fill = 0;     ///< for MissingPolicy::kFill and `may_be_missing`
  bool whole = false;  ///< values are whole numbers, including synthetic ones
  /// Ascending numbers that many records hold; synthetic rows keep their shares.
  std::vector<double> point_masses;
  /// The format of dates and timestamps, which are whole numbers of its unit.
  std::optional<TimeFormat> time = {};
  /// Notation of numbers: the mark between groups of three digits ('\0': none, ' ' is any blank),
  /// and the unit before or after them (kg, $). Cells may omit both.
  char thousands = '\0';
  bool may_have_point = false;  ///< a decimal point is allowed in a table with decimal commas
  std::string number_unit = {};
  /// Bins of synthetic rows, if the schema gives them: their number, or inner edges.
  std::optional<int> num_bins = {};
  std::vector<double> bin_edges = {};
  MalformedPolicy malformed = MalformedPolicy::kStop;  ///< for a numeric column

  std::vector<std::string> values;  ///< names of categories
  /// The texts of cells for each of `values`, if the schema labels them; empty: the same texts.
  std::vector<std::string> cell_texts = {};
  UnknownPolicy unknown = UnknownPolicy::kDrop;

  /// (values) the texts that cells hold for them.
  const std::vector<std::string>& texts() const { return cell_texts.empty() ? values : cell_texts; }

  /// `values`, then "other" if `unknown` is kOther, then "missing" if `missing` is kCategory.
  std::vector<std::string> categories() const;

  /// A number as cells of a numeric column show it: 0.5, 2024-03-01.
  std::string text_of(double number) const;

  /// Whether one of its rules may drop a record.
  bool may_drop() const;
};

/// A way to group by a column other than its own categories: bands of a numeric column, or some
/// categories of a categorical one and the rest. Its name can be used wherever a column can be
/// grouped by.
struct GroupAttribute {
  std::string name;
  std::string column;
  std::vector<double> cuts;  ///< numeric: ascending, within the bounds; bands [cut, next cut)
  std::vector<std::string> values;      ///< categorical: these categories; all others are `rest`
  std::string rest = "rest";            ///< the name of other categories
  std::optional<TimeFormat> time = {};  ///< for cuts that are dates or timestamps

  /// "below 25", "25 to below 45", "45 and above"; or `values`, then `rest`.
  std::vector<std::string> categories() const;
};

/// The shape of every image of a table. Its pixels are a record's features.
struct ImageShape {
  int64_t channels = 1;  ///< 1: grey, 3: red, green and blue
  int64_t height = 0;
  int64_t width = 0;

  size_t num_values() const { return static_cast<size_t>(channels * height * width); }
  bool operator==(const ImageShape&) const = default;
};

/// The largest height and width of images in a schema.
inline constexpr int64_t kMaxImageSide = 1024;

/// A combination of categories, in the order of the grouping's columns: {{"sex", "Female"},
/// {"race", "White"}}. A group attribute appears in it by its name.
using GroupLabel = std::vector<std::pair<std::string, std::string>>;

/// The privacy unit in a schema.
enum class UnitAnswer {
  kAssumed,  ///< Not given: each row is protected by itself.
  kOpen,     ///< unit = "", the question that a draft asks: nothing private runs.
  kStated,   ///< A column, or "row": the owner states that no person has two rows.
};

/// The public facts about a table: the only source of bounds, categories, scales and group lists.
struct Schema {
  std::string dataset;  ///< the name of the ledger's account
  bool reviewed = false;
  MissingUse missing_use = MissingUse::kFill;  ///< the use for which the columns are now read
  std::string target;
  std::string favourable = {};  ///< the target's class that is good for a person; "": unknown
  /// The privacy unit of the guarantee: "row", or the name of an ignored column with the owner of a
  /// row.
  std::string unit = "row";
  UnitAnswer unit_answer = UnitAnswer::kAssumed;  ///< if it is open, `unit` is "row"
  /// The most rows of a unit that count, see data/units.h; 1 if a unit is a row.
  int64_t max_records_per_unit = 1;
  std::vector<std::string> missing_values = {"", "?"};
  /// The number of public bins into which numbers are put when they are read. Each becomes the
  /// number that represents its bin (public_bins.h). Nothing: numbers are kept.
  std::optional<int> public_bins = {};
  TableLayout layout;
  /// Public; the table must have exactly so many rows, or units if these are not rows. 0: not
  /// declared, see SizesRule.
  int64_t num_records = 0;
  /// Numbers of units, by the number of their rows; empty: not public.
  std::map<int64_t, int64_t> rows_per_unit;
  /// Sizes of groups sorted by column name, in records or units.
  std::map<GroupLabel, int64_t> public_group_sizes;
  std::set<GroupLabel> inexact_group_sizes;  ///< sizes that a table need not have
  std::optional<ImageShape> image;           ///< for a table of images; then no column is a feature
  std::vector<ColumnSchema> columns;         ///< in the order of the schema file
  std::vector<GroupAttribute> group_attributes;  ///< [groups.NAME], in the order of the file
  std::string source_text;  ///< without comments, which may hold anything; stored with models

  /// Whether a feature is monotone.
  bool has_monotone() const;

  /// Whether a unit may have several rows.
  bool has_unit_column() const { return unit != "row"; }

  /// The key of sizes in a schema: "num_records", or "num_units".
  std::string_view size_key() const { return has_unit_column() ? "num_units" : "num_records"; }

  /// The unit of sizes for messages: "records", or "units (person_id)".
  std::string units_name() const;

  /// The marks of missing cells in a column: those of the table, then its own.
  std::vector<std::string> missing_marks(const ColumnSchema& column) const;

  /// The column of that name; throws an input error that proposes the nearest name.
  const ColumnSchema& column(std::string_view name) const;

  /// The column of that name, or nullptr.
  const ColumnSchema* find_column(std::string_view name) const;

  /// The group attribute of that name, or nullptr.
  const GroupAttribute* find_group_attribute(std::string_view name) const;

  /// The public size of a group (in any order of columns): the declared one, else the sum of
  /// declared sizes of smaller groups (public_sizes.h), if there is one.
  std::optional<int64_t> public_size(GroupLabel group) const;

  /// Whether a group's public size is that of the table: it is declared without `exact = false`, or
  /// no size with it shares a column with the group.
  bool has_exact_size(GroupLabel group) const;
};

/// Whether a schema must declare the number of records of the table.
enum class SizesRule {
  kPublic,
  /// The number may be omitted, except for images: under `add_remove`, and if no table or any table
  /// is read.
  kMayBePrivate,
};

/// Parses and validates a schema in TOML (`schema = "equinoise/1"`, see docs/guide/schema.md).
/// Columns that may be missing are read as for models. Errors: kInput; the message names `origin`,
/// line and column, and a remedy. Unknown keys are errors.
Schema parse_schema(std::string_view text, std::string_view origin,
                    SizesRule sizes = SizesRule::kPublic);

/// A schema file, and facts that a private-pgm domain file does not hold.
struct SchemaFile {
  std::filesystem::path path;
  std::optional<int64_t> num_records = {};  ///< for domain.json only
  std::string target = {};                  ///< for domain.json only; "": none
  std::string dataset = {};                 ///< for domain.json only; "": the name of the file
  SizesRule sizes = SizesRule::kPublic;
  std::optional<MissingUse> missing = {};  ///< option of the command; nothing: the task's use
  TableOptions table = {};                 ///< options of the command; they override the schema
};

/// Sets the rule for each column that may be missing; other columns have one already. With kDrop no
/// group is "missing", and declared sizes of such groups are removed. Public.
void use_missing(Schema& schema, MissingUse use);

/// Whether [groups.NAME] cuts the numbers of the column into bands, which have no place for missing
/// cells.
bool has_bands(const Schema& schema, const ColumnSchema& column);

/// Reads and parses a schema file: TOML, or with the extension .json a domain of private-pgm
/// ({"COLUMN": NUMBER OF CODES}). A domain counts as reviewed: it is a declaration, not drafted
/// from data. Errors: kInput (missing, unreadable, a directory, empty, invalid); kUsage for facts
/// of a domain file that are missing, or that are given for a TOML schema.
Schema load_schema(const SchemaFile& file);

/// The schema with options about the table applied, in its `source_text` as well; its use of
/// missing cells is kept. Errors: kInput, naming `origin`, for a mark of missing cells that is a
/// value of a column.
Schema with_table_options(const Schema& schema, const TableOptions& options,
                          std::string_view origin, SizesRule sizes = SizesRule::kPublic);

/// The largest size of bounds, so that squares, and sums of many, stay finite.
inline constexpr double kLargestBound = 0x1p128;

/// The smallest distance between bounds of that size. Columns are kept in double precision. At
/// 2^-40 of the size 12 bits are left to distinguish numbers, and a figure is rounded by at most
/// 2^-12 of the width.
double narrowest_bounds(double lower, double upper);

/// The reason why a column cannot have these bounds, and a remedy; "" if it can.
std::string problem_of_bounds(double lower, double upper);

/// The message about a schema whose unit is open, with a remedy.
inline constexpr std::string_view kOpenUnit =
    "the schema does not say whose rows these are; write unit = \"COLUMN\", the column that says "
    "it, or unit = \"row\" if no person has two rows";

/// Throws a usage error that names `origin` unless the schema is marked `reviewed = true` or
/// `data_are_public`: nothing may be learnt from data without a charge. Throws an input error for a
/// reviewed schema whose unit is open; without a review no guarantee is given.
void require_reviewed(const Schema& schema, std::string_view origin, bool data_are_public = false);

}  // namespace equinoise
