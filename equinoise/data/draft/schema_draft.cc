// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/schema_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/draft/column_draft.h"
#include "equinoise/data/draft/column_section.h"
#include "equinoise/data/draft/column_survey.h"
#include "equinoise/data/draft/decimals.h"
#include "equinoise/data/draft/unit_draft.h"
#include "equinoise/data/formats/delimiter.h"
#include "equinoise/data/formats/line_reader.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/schema/count_column.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/missing_marks.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema_draft";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

/// The categories that a draft makes of a column's cells.
struct DraftedCategories {
  std::set<std::string> values;
  bool keeps_others = false;   ///< other cells are the category "other"
  bool keeps_missing = false;  ///< missing cells are the category "missing"
};

/// Counts the records of each combination of categories, for the sizes in a draft. NOT PRIVATE.
class DraftedSizes {
 public:
  /// `groupings`: the columns of each. `marks`: of missing cells. Both must outlive the object.
  /// Errors: kUsage for a column that the table does not have.
  DraftedSizes(const RecordReader& reader, const std::vector<std::vector<std::string>>& groupings,
               const std::vector<std::string>& marks)
      : groupings_(groupings), marks_(marks), counts_(groupings.size()) {
    const std::vector<std::string>& header = reader.header();
    for (const std::vector<std::string>& columns : groupings) {
      std::vector<size_t>& positions = positions_.emplace_back();
      for (const std::string& column : columns) {
        const auto found = std::ranges::find(header, column);
        if (found == header.end() || column.empty()) {
          refuse("--groups {}: there is no such column{}", column,
                 did_you_mean_in_list(column, header));
        }
        positions.push_back(static_cast<size_t>(found - header.begin()));
      }
    }
  }

  /// Counts the reader's record.
  void add(const RecordReader& reader) {
    std::vector<std::string> values;
    for (size_t i = 0; i < positions_.size(); ++i) {
      values.clear();
      for (const size_t position : positions_[i]) {
        const std::string_view cell = reader.text(position);
        const std::string_view text =
            RecordReader::is_null(cell) ? std::string_view() : without_blanks_around(cell);
        const bool is_missing = contains(marks_, text);
        values.emplace_back(is_missing ? std::string_view() : text);
      }
      ++counts_[i][values];
    }
  }

  /// A [[public.groups]] entry for each combination of categories that occurs.
  std::string to_toml(const std::map<std::string, DraftedCategories>& categories) const {
    std::string text;
    for (size_t i = 0; i < groupings_.size(); ++i) {
      std::map<std::vector<std::string>, int64_t> sizes;
      for (const auto& [cells, count] : counts_[i]) {
        std::vector<std::string> group;
        for (size_t k = 0; k < cells.size(); ++k) {
          const DraftedCategories& column = categories.at(groupings_[i][k]);
          if (column.values.count(cells[k]) != 0) {
            group.push_back(cells[k]);
          } else if (cells[k].empty() ? column.keeps_missing : column.keeps_others) {
            group.emplace_back(cells[k].empty() ? "missing" : "other");
          }
        }
        if (group.size() == cells.size()) sizes[group] += count;
      }
      for (const auto& [group, count] : sizes) {
        std::string pairs;
        for (size_t k = 0; k < group.size(); ++k) {
          pairs += fmt::format("{}{} = {}", k == 0 ? "" : ", ", toml_key(groupings_[i][k]),
                               toml_string(group[k]));
        }
        text +=
            fmt::format("\n[[public.groups]]\ngroup = {{ {} }}\nnum_records = {}\n", pairs, count);
      }
    }
    return text.empty() ? ""
                        : "\n# Counted in the records: publish these only if they are public.\n" +
                              text.substr(1);
  }

 private:
  const std::vector<std::vector<std::string>>& groupings_;
  const std::vector<std::string>& marks_;
  std::vector<std::vector<size_t>> positions_;                       ///< in the header
  std::vector<std::map<std::vector<std::string>, int64_t>> counts_;  ///< "" for a missing cell
};

bool has_unit_column(const DraftOptions& options) {
  return !options.unit.empty() && options.unit != "row";
}

bool is_unit(const DraftOptions& options, std::string_view name) {
  return has_unit_column(options) && name == options.unit;
}

/// Commented-out declarations of groups, with columns of this table.
std::string group_examples(const std::vector<ColumnSurvey>& surveys,
                           const std::vector<ColumnDraft>& drafts, char decimal_mark,
                           const DraftOptions& options) {
  const ColumnSurvey* numeric = nullptr;
  const ColumnSurvey* categorical = nullptr;
  std::set<std::string> taken;
  for (size_t i = 0; i < surveys.size(); ++i) {
    taken.insert(surveys[i].name());
    if (surveys[i].is_times()) continue;
    const ColumnSurvey*& example = drafts[i].type == ColumnType::kNumeric ? numeric : categorical;
    // The target makes a poor example, but a better one than none.
    if (drafts[i].type == ColumnType::kIgnored) continue;
    if (example == nullptr || example->name() == options.target) example = &surveys[i];
  }
  const auto free_name = [&](std::string name) {
    while (!taken.insert(name).second) name += "_";
    return toml_key(name);
  };

  std::string text =
      "\n# Groups: every categorical column is a grouping, and so is any section like these.\n";
  if (numeric != nullptr) {
    const NumericDraft draft(*numeric);
    const double third = (draft.upper - draft.lower) / 3;
    text += fmt::format("#\n# [groups.{}]\n# column = {}\n# cuts = [{}, {}]\n",
                        free_name(numeric->name() + "_band"), toml_string(numeric->name()),
                        round_to(draft.lower + third, draft.unit),
                        round_to(draft.upper - third, draft.unit));
  }
  if (categorical != nullptr) {
    const std::string value = toml_string(
        categorical->is_truth() ? "false" : sorted_values(*categorical, decimal_mark).front());
    text += fmt::format(
        "#\n# [groups.{}]\n# column = {}\n# values = [{}]\n# rest = \"all others\"\n#\n# If the "
        "size of a group is public:\n#\n# [[public.groups]]\n# group = {{ {} = {} }}\n# "
        "{} = 0\n",
        free_name(categorical->name() + "_group"), toml_string(categorical->name()), value,
        toml_key(categorical->name()), value,
        has_unit_column(options) ? "num_units" : "num_records");
  }
  return text;
}

/// One survey for each column that has a name.
std::vector<ColumnSurvey> begin_surveys(const RecordReader& reader, const Marks& marks,
                                        const DraftOptions& options) {
  std::vector<ColumnSurvey> surveys;
  const std::vector<std::string>& header = reader.header();
  if (header.empty()) reader.fail("has no rows");
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i].empty()) continue;
    // Units are counted exactly.
    surveys.emplace_back(header[i], reader.label(i), i, marks,
                         is_unit(options, header[i]) ? kMaxRecords : options.max_categories);
  }
  if (surveys.empty()) reader.fail("names no column in its first line; it needs a header");
  const size_t last = surveys.back().position();
  for (size_t i = 1; i < last; ++i) {
    if (header[i].empty())
      reader.fail(fmt::format(
          "column {} has no name in the header; name it or remove it{}", i + 1,
          reader.has_header_line() ? ", or give --no-header if the first line is a record" : ""));
  }
  const auto require_column = [&](std::string_view what, const std::string& name) {
    if (name.empty() || contains(header, name)) return;
    refuse(
        "{}: the {} '{}' is not a column{}", reader.name(), what, name,
        reader.has_header_line() ? "; is the first line a header?" : nearest_in_it(name, header));
  };
  require_column("target", options.target);
  if (has_unit_column(options)) require_column("unit", options.unit);
  return surveys;
}

/// Refuses a record that is the first line again: tables were joined line by line, or there is no
/// header.
void refuse_first_line_again(const RecordReader& reader, const std::vector<ColumnSurvey>& surveys) {
  for (const ColumnSurvey& survey : surveys) {
    const std::string_view cell = reader.text(survey.position());
    if (without_blanks_around(cell) != survey.label()) return;
  }
  reader.fail_here(
      "repeats the first line of the file; remove it if that line names the columns, or give "
      "--no-header if it is a record");
}

/// Refuses a first line that looks like a record. Nothing of it is quoted.
void check_header(const RecordReader& reader, const std::vector<ColumnSurvey>& surveys) {
  constexpr std::string_view kFix =
      "give --no-header if it is one, or add a line of names; give --header if these are the names";
  // A name that occurs again makes the first line doubtful already.
  const bool has_repeated_name = std::ranges::any_of(
      surveys, [](const ColumnSurvey& survey) { return survey.label() != survey.name(); });
  for (const ColumnSurvey& survey : surveys) {
    if (survey.has_label()) {
      reader.fail(fmt::format(
          "column {} holds its name in the first line as a cell below, too, so that line looks "
          "like a record; {}",
          survey.position() + 1, kFix));
    }
    if (survey.is_label_like_cells() || (has_repeated_name && survey.is_label_like_a_cell())) {
      reader.fail(
          fmt::format("column {} has a number, a date or an address with @ in the first line, so "
                      "that line looks like a record; {}",
                      survey.position() + 1, kFix));
    }
  }
}

/// The survey of a table's columns.
struct TableSurvey {
  std::vector<ColumnSurvey> columns;     ///< those with a name
  std::set<size_t> nameless_with_cells;  ///< positions of the others in which some cell is no blank
};

TableSurvey survey_table(OpenTable& table, const Marks& marks, const DraftOptions& options,
                         DraftedSizes& sizes) {
  RecordReader& reader = *table.reader;
  TableSurvey survey;
  survey.columns = begin_surveys(reader, marks, options);
  std::vector<size_t> nameless;
  for (size_t i = 0; i < reader.header().size(); ++i)
    if (reader.header()[i].empty()) nameless.push_back(i);
  const bool may_lack_header = table.is_csv && !options.table.has_header;
  while (reader.next()) {
    if (may_lack_header && survey.columns.size() > 1)
      refuse_first_line_again(reader, survey.columns);
    for (ColumnSurvey& column : survey.columns) column.add(reader);
    for (const size_t i : nameless) {
      if (!without_blanks_around(reader.text(i)).empty()) survey.nameless_with_cells.insert(i);
    }
    sizes.add(reader);
  }
  if (reader.row() == 0) reader.fail("has a header but no rows");
  if (survey.nameless_with_cells.size() > survey.columns.size()) {
    reader.fail(
        "leaves most columns with cells below without a name in its first line; if that line is a "
        "title, remove it and what else is above the names");
  }
  if (may_lack_header) check_header(reader, survey.columns);
  return survey;
}

/// Whether a name or a text of a column shows that the table was read in another encoding.
bool is_utf8_anywhere(const std::vector<ColumnSurvey>& surveys) {
  return std::ranges::any_of(surveys, [](const ColumnSurvey& survey) {
    const std::vector<std::string> values = survey.categories();
    return is_utf8_read_as_latin1(survey.name()) ||
           std::ranges::any_of(values, is_utf8_read_as_latin1);
  });
}

/// Notes on how the table was read and what was left out of it.
std::vector<std::string> notes_on(const OpenTable& table, const TableSurvey& survey) {
  const std::vector<ColumnSurvey>& surveys = survey.columns;
  std::vector<std::string> notes;
  const RecordReader& reader = *table.reader;
  const char delimiter = table.layout.delimiter.value_or(',');
  if (delimiter != ',')
    notes.push_back(fmt::format("Cells are separated by {}.", delimiter_name(delimiter)));
  if (table.layout.decimal_comma) notes.emplace_back("Numbers have a decimal comma.");
  if (table.layout.encoding == Encoding::kLatin1 && is_utf8_anywhere(surveys)) {
    notes.emplace_back(
        "The table seems to be in UTF-8, but was read as Latin-1: leave --encoding out.");
  }
  if (!reader.has_header()) notes.emplace_back("There is no header; columns are numbered.");
  const std::vector<std::string>& header = reader.header();
  if (header.front().empty())
    notes.emplace_back("Column 1 has no name and is left out; it may be an index.");
  if (const size_t named = surveys.back().position() + 1; named < header.size()) {
    const bool has_cells =
        survey.nameless_with_cells.lower_bound(named) != survey.nameless_with_cells.end();
    const std::string_view left_out = has_cells ? ", although there are cells below, and" : " and";
    notes.push_back(named + 1 == header.size()
                        ? fmt::format("Column {} has no name{} is left out.", named + 1, left_out)
                        : fmt::format("Columns {} to {} have no name{} are left out.", named + 1,
                                      header.size(), left_out));
  }
  for (size_t i = 0; i < header.size(); ++i) {
    if (reader.repeated_name(i).empty()) continue;
    notes.push_back(fmt::format("Column {} has the name of an earlier one, {}; it is called {}.",
                                i + 1, toml_string(reader.repeated_name(i)),
                                toml_string(header[i])));
  }
  if (std::ranges::any_of(surveys, &ColumnSurvey::has_blanks))
    notes.emplace_back("Blanks around cells are not read.");
  return notes;
}

/// [table] of the schema, where the file is not laid out as usual.
std::string layout_section(const TableLayout& layout) {
  std::string text;
  if (layout.delimiter.value_or(',') != ',' || !layout.has_header) {
    text += fmt::format("delimiter = {}\n", *layout.delimiter == '\t'
                                                ? "\"\\t\""
                                                : toml_string(std::string(1, *layout.delimiter)));
  }
  if (layout.decimal_comma) text += "decimal_comma = true\n";
  if (!layout.has_header) text += "header = false\n";
  if (layout.encoding == Encoding::kLatin1) text += "encoding = \"latin1\"\n";
  return text.empty() ? "" : "\n[table]\n" + text;
}

/// The section on the units to which rows belong, as far as they are known.
std::string unit_section(const std::vector<ColumnSurvey>& surveys, const DraftOptions& options) {
  if (has_unit_column(options)) {
    const auto unit = std::ranges::find_if(
        surveys, [&](const ColumnSurvey& survey) { return is_unit(options, survey.name()); });
    return fmt::format(
        "unit = {}\n# So many rows of one count, here all rows of 95 % of them: write a public "
        "number.\n"
        "max_records_per_unit = {}\n",
        toml_string(options.unit), rows_of_most(*unit, 0.95));
  }
  std::vector<const ColumnSurvey*> candidates;
  for (const size_t i : find_units(surveys, options.target)) candidates.push_back(&surveys[i]);
  if (options.unit.empty() && !candidates.empty()) return unit_question(candidates);
  return options.unit.empty()
             ? "# unit = \"row\"  # write this if no person has two rows; else draft with --unit "
               "COLUMN\n"
             : "unit = \"row\"\n";
}

/// Everything above the columns.
std::string draft_head(const std::string& file, const OpenTable& table,
                       const std::vector<std::string>& notes, const Marks& marks,
                       const DraftOptions& options, const std::vector<ColumnSurvey>& surveys,
                       const std::vector<ColumnDraft>& drafts) {
  // An empty cell is no category anywhere, so it is listed even where none occurs.
  std::vector<std::string> missing_values = {""};
  std::string example;
  for (size_t mark = 1; mark < marks.size(); ++mark) {
    for (size_t i = 0; i < surveys.size(); ++i) {
      if (drafts[i].type == ColumnType::kIgnored || !surveys[i].has_mark(mark)) continue;
      missing_values.push_back(marks[mark]);
      break;
    }
  }
  for (size_t i = 0; i < surveys.size(); ++i) {
    if (drafts[i].type != ColumnType::kIgnored) example = surveys[i].name();
  }
  const bool has_target = !options.target.empty();
  const bool counts_units = has_unit_column(options);
  int64_t size = surveys.front().num_records();
  for (const ColumnSurvey& survey : surveys)
    if (is_unit(options, survey.name())) size = static_cast<int64_t>(survey.distinct().count());
  std::string read_how;
  for (const std::string& note : notes) read_how += fmt::format("# {}\n", note);
  return fmt::format(
      "# A draft, NOT PRIVATE: everything below was learnt from the records of {}.\n# Check each "
      "line against what is public without these records (a code book, published counts),\n# "
      "correct it, and then set reviewed = true. See docs/guide/schema.md.\n{}schema = "
      "\"equinoise/1\"\ndataset = {}\nreviewed = false\n{}target = {}{}\n{}missing_values = "
      "{}\n{}\n# The number of {} seen; it becomes public with every result.\n[public]\n{} = "
      "{}\n",
      toml_string(file), read_how, toml_string(options.dataset), has_target ? "" : "# ",
      toml_string(has_target ? options.target : example),
      has_target ? "" : "  # the column to predict, if there is one",
      unit_section(surveys, options),
      toml_list(missing_values, std::string_view("missing_values = ").size()),
      layout_section(table.layout), counts_units ? options.unit : "rows",
      counts_units ? "num_units" : "num_records", size);
}

/// The categories that the draft makes of the cells in the columns of groupings.
std::map<std::string, DraftedCategories> categories_of_groupings(
    const std::vector<ColumnSurvey>& surveys, const std::vector<ColumnDraft>& drafts,
    const DraftOptions& options) {
  std::map<std::string, DraftedCategories> categories;
  for (const std::vector<std::string>& columns : options.groupings) {
    for (const std::string& column : columns) {
      const auto survey = std::ranges::find(surveys, column, &ColumnSurvey::name);
      const ColumnDraft& draft = drafts[static_cast<size_t>(survey - surveys.begin())];
      if (survey->is_truth()) {
        refuse(
            "--groups {}: the column has true and false in several spellings; "
            "write one, or declare the sizes yourself",
            column);
      }
      if (draft.type != ColumnType::kCategorical) {
        refuse(
            "--groups {}: the column is drafted as {}; give columns of "
            "categories, and declare bands of numbers as [groups.NAME]",
            column, draft.reason.empty() ? "numeric" : "ignored");
      }
      const bool is_target = column == options.target;
      const std::vector<std::string> values = survey->categories();
      categories[column] = {.values = {values.begin(), values.end()},
                            .keeps_others = !is_target && !has_category(*survey, "other"),
                            .keeps_missing = !is_target && !has_category(*survey, "missing")};
    }
  }
  return categories;
}

}  // namespace

SchemaDraft draft_schema(const TableSource& table, const DraftOptions& given) {
  DraftOptions options = given;
  if (options.dataset.empty()) options.dataset = dataset_name_of(table.name());
  if (!is_dataset_name(options.dataset)) {
    refuse("the name of the dataset {}", kDatasetNameRule);
  }
  if (options.max_categories < kMaxNumberCategories ||
      options.max_categories > static_cast<size_t>(kMaxCategories)) {
    refuse("max_categories must lie between {} and {}, got {}", kMaxNumberCategories,
           kMaxCategories, options.max_categories);
  }
  if (has_unit_column(options) && !options.groupings.empty()) {
    refuse(
        "--groups counts rows, but --unit {} counts units; leave --groups out, "
        "schema sizes releases sizes in units",
        options.unit);
  }
  OpenTable open = open_undescribed(table, options.table);
  const RecordReader& reader = *open.reader;
  for (const std::string& name : reader.header()) {
    if (!is_like_count_column(name)) continue;
    reader.fail(fmt::format(
        "column '{}' makes it a table of counted rows, which its schema comes before; draft one "
        "from a file of the records",
        name));
  }
  Marks marks(kUsualMissingMarks.begin(), kUsualMissingMarks.end());
  for (const std::string& mark : options.table.missing_values)
    if (!contains(marks, mark)) marks.push_back(mark);
  DraftedSizes sizes(reader, options.groupings, marks);
  const TableSurvey survey = survey_table(open, marks, options, sizes);
  const std::vector<ColumnSurvey>& surveys = survey.columns;
  std::vector<ColumnDraft> drafts;
  bool is_any_used = false;
  for (const ColumnSurvey& column : surveys) {
    const bool is_target = column.name() == options.target;
    if (is_unit(options, column.name()) && column.num_present() == 0) {
      refuse("{}: column '{}' cannot be the unit: it has no value at all", reader.name(),
             column.name());
    }
    drafts.push_back(is_unit(options, column.name())
                         ? ColumnDraft{ColumnType::kIgnored, "says whose a row is"}
                         : decide(column, reader.column_problem(column.position()), is_target));
    const bool is_ignored = drafts.back().type == ColumnType::kIgnored;
    is_any_used = is_any_used || !is_ignored;
    if (is_target && is_ignored) {
      refuse("{}: column '{}' cannot be the target: it {}", reader.name(), column.name(),
             drafts.back().reason);
    }
  }
  if (!is_any_used) {
    reader.fail(fmt::format("no column can be used; the first one {}{}", drafts.front().reason,
                            surveys.front().num_records() == 1 ? "; the table has a single record"
                            : reader.has_header_line()         ? "; is the first line a header?"
                                                               : ""));
  }
  SchemaDraft draft;
  draft.notes = notes_on(open, survey);
  if (const std::vector<size_t> units = find_units(surveys, options.target);
      options.unit.empty() && !units.empty()) {
    draft.notes.push_back(
        fmt::format("Column {} may be an identifier and repeats: say whose rows these are, see "
                    "unit.",
                    toml_string(surveys[units.front()].name())));
  }
  const std::string file = std::filesystem::path(table.name()).filename().string();
  draft.text = draft_head(file, open, draft.notes, marks, options, surveys, drafts);
  draft.text += sizes.to_toml(categories_of_groupings(surveys, drafts, options));
  const TableMarks table_marks = marks_of_table(marks, surveys, drafts);
  for (size_t i = 0; i < surveys.size(); ++i) {
    draft.text += column_section(surveys[i], drafts[i], table_marks, reader.decimal_mark(),
                                 surveys[i].name() == options.target);
  }
  draft.text += group_examples(surveys, drafts, reader.decimal_mark(), options);
  return draft;
}

std::vector<std::string> repeating_identifiers(const TableSource& table, const Schema& schema) {
  const DraftOptions options = {.table = {.delimiter = schema.layout.delimiter,
                                          .decimal_comma = schema.layout.decimal_comma,
                                          .has_header = schema.layout.has_header,
                                          .encoding = schema.layout.encoding,
                                          .missing_values = {}}};
  OpenTable open = open_undescribed(table, options.table);
  DraftedSizes sizes(*open.reader, {}, schema.missing_values);
  const TableSurvey survey = survey_table(open, schema.missing_values, options, sizes);
  std::vector<std::string> names;
  for (const size_t i : find_units(survey.columns, schema.target)) {
    const ColumnSurvey& column = survey.columns[i];
    names.push_back(schema.layout.has_header ? column.name()
                                             : schema.columns[column.position()].name);
  }
  return names;
}

}  // namespace equinoise
