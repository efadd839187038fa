// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/data/record_reader.h"
#include "equinoise/data/schema.h"
#include "equinoise/data/toml_section.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema_draft";
constexpr std::array<std::string_view, 10> kMissingMarks = {"",    "?",    "NA",   "N/A",  "NaN",
                                                            "nan", "null", "NULL", "None", "."};
constexpr size_t kLongestMark = 4;
constexpr size_t kMaxNumberCategories = 20;
constexpr size_t kMaxCategoryBytes = 200;
constexpr double kNearlyAll = 0.9;
/// Larger numbers are left out of bounds and means, which a schema then may have.
constexpr double kLargestNumber = 1e38;

/// Counts distinct texts: exactly and with the texts themselves up to a capacity, above it with an
/// error of about 3 % from the smallest hashes. [BarYossef2002]
class DistinctTexts {
 public:
  explicit DistinctTexts(size_t capacity) : capacity_(capacity) {}

  void add(std::string_view text) {
    if (!is_complete_) return add_hash(std::hash<std::string_view>()(text));
    if (texts_.find(text) != texts_.end()) return;
    texts_.emplace(text);
    if (texts_.size() > capacity_) forget_texts();
  }

  /// From here on only the number of distinct texts is kept.
  void forget_texts() {
    is_complete_ = false;
    for (const std::string& text : texts_) add_hash(std::hash<std::string_view>()(text));
    texts_.clear();
  }

  bool is_complete() const { return is_complete_; }
  std::vector<std::string> texts() const { return {texts_.begin(), texts_.end()}; }

  double count() const {
    if (is_complete_) return static_cast<double>(texts_.size());
    if (hashes_.size() < kNumHashes) return static_cast<double>(hashes_.size());
    return (kNumHashes - 1) / std::ldexp(static_cast<double>(hashes_.back()), -64);
  }

 private:
  static constexpr size_t kNumHashes = 1024;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void add_hash(uint64_t hash) {
    if (hashes_.size() == kNumHashes && hash >= hashes_.back()) return;
    const auto place = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
    if (place != hashes_.end() && *place == hash) return;
    hashes_.insert(place, hash);
    if (hashes_.size() > kNumHashes) hashes_.pop_back();
  }

  size_t capacity_;
  bool is_complete_ = true;
  std::unordered_set<std::string, Hash, std::equal_to<>> texts_;
  std::vector<uint64_t> hashes_;  ///< the smallest ones, ascending
};

/// What was seen of one column.
class ColumnSurvey {
 public:
  ColumnSurvey(std::string name, size_t max_categories)
      : name_(std::move(name)), distinct_(max_categories) {}

  void add(std::string_view cell) {
    if (RecordReader::is_null(cell)) {
      ++num_missing_;
      return;
    }
    if (cell.size() <= kLongestMark) {
      const auto mark = std::find(kMissingMarks.begin(), kMissingMarks.end(), cell);
      if (mark != kMissingMarks.end()) {
        has_mark_[static_cast<size_t>(mark - kMissingMarks.begin())] = true;
        ++num_missing_;
        return;
      }
    }
    ++num_present_;
    if (cell.size() > kMaxCategoryBytes && !has_long_text_) {
      has_long_text_ = true;
      distinct_.forget_texts();
    }
    distinct_.add(cell);
    if (is_numbers_) add_number(cell);
  }

  const std::string& name() const { return name_; }
  int64_t num_missing() const { return num_missing_; }
  int64_t num_present() const { return num_present_; }
  int64_t num_records() const { return num_missing_ + num_present_; }
  int64_t num_huge() const { return num_huge_; }
  bool has_mark(size_t mark) const { return has_mark_[mark]; }
  bool has_long_text() const { return has_long_text_; }
  bool is_numbers() const { return is_numbers_; }
  bool has_rounded_wholes() const { return is_numbers_ && has_rounded_wholes_; }
  bool is_integers() const { return is_numbers_ && is_integers_; }
  const DistinctTexts& distinct() const { return distinct_; }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double mean() const { return mean_; }
  double stddev() const {
    return num_numbers_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(num_numbers_));
  }
  bool is_nearly_all_distinct() const {
    return distinct_.count() > static_cast<double>(kMaxNumberCategories) &&
           distinct_.count() >= kNearlyAll * static_cast<double>(num_present_);
  }

 private:
  void add_number(std::string_view cell) {
    const std::optional<double> number = parse_number(cell);
    is_numbers_ = number.has_value();
    if (!number) return;
    if (!(std::fabs(*number) <= kLargestNumber)) {
      ++num_huge_;
      return;
    }
    is_integers_ = is_integers_ && *number == std::floor(*number);
    has_rounded_wholes_ = has_rounded_wholes_ || is_rounded_whole(cell, *number);
    lowest_ = std::min(lowest_, *number);
    highest_ = std::max(highest_, *number);
    // One pass and stable. [Welford1962]
    ++num_numbers_;
    const double difference = *number - mean_;
    mean_ += difference / static_cast<double>(num_numbers_);
    squares_ += difference * (*number - mean_);
  }

  std::string name_;
  DistinctTexts distinct_;
  std::array<bool, kMissingMarks.size()> has_mark_ = {};
  int64_t num_missing_ = 0;
  int64_t num_present_ = 0;
  bool has_long_text_ = false;
  bool is_numbers_ = true;
  bool is_integers_ = true;
  bool has_rounded_wholes_ = false;
  int64_t num_huge_ = 0;     ///< beyond kLargestNumber, infinite ones included
  int64_t num_numbers_ = 0;  ///< the others, which the figures below describe
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
  double mean_ = 0;
  double squares_ = 0;  ///< the sum of (number - mean)^2
};

/// The double that is nearest to count * 10^exponent, so that its shortest form is short.
double decimal(double count, int exponent) {
  const std::string text = fmt::format("{:.0f}e{}", count, exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value + 0.0;  // -0 becomes 0
}

/// The power of ten of the first digit of a number > 0.
int first_digit(double value) { return static_cast<int>(std::floor(std::log10(value))); }

double round_to(double value, int exponent) {
  return decimal(std::round(value / decimal(1, exponent)), exponent);
}

/// The constants of a numeric column: what was seen, rounded.
struct NumericDraft {
  explicit NumericDraft(const ColumnSurvey& survey) {
    const int digits = first_digit(survey.highest() - survey.lowest()) - 1;
    unit = survey.is_integers() ? std::max(0, digits) : digits;
    lower = round_to(survey.lowest(), unit);
    upper = round_to(survey.highest(), unit);
    if (lower > survey.lowest()) lower = round_to(survey.lowest() - decimal(1, unit), unit);
    if (upper < survey.highest()) upper = round_to(survey.highest() + decimal(1, unit), unit);
    // Three significant digits, but more of a mean that is large beside the standard deviation.
    const int spread = first_digit(survey.stddev());
    const double size = std::max(std::fabs(survey.mean()), survey.stddev());
    mean = round_to(survey.mean(), std::min(first_digit(size) - 2, spread - 1));
    stddev = round_to(survey.stddev(), spread - 2);
    is_whole = survey.is_integers() && std::max(-lower, upper) <= kMostExactWhole;
  }

  int unit = 0;  ///< the bounds are multiples of 10^unit
  double lower = 0;
  double upper = 0;
  double mean = 0;
  double stddev = 0;
  bool is_whole = false;
};

/// Whether a schema can hold bounds and scale for these numbers.
bool can_be_numeric(const ColumnSurvey& survey) {
  if (!survey.is_numbers() || !(survey.stddev() > 0)) return false;
  const NumericDraft draft(survey);
  return problem_of_bounds(draft.lower, draft.upper).empty();
}

struct ColumnDraft {
  ColumnType type = ColumnType::kIgnored;
  std::string reason;  ///< why a column is ignored
};

ColumnDraft ignored(std::string reason) { return {ColumnType::kIgnored, std::move(reason)}; }

/// What to make of a column.
ColumnDraft decide(const ColumnSurvey& survey, bool is_target) {
  const DistinctTexts& distinct = survey.distinct();
  if (survey.num_present() == 0) return ignored("has no value at all");
  if (distinct.count() == 1 && (survey.num_missing() == 0 || is_target)) {
    return ignored("has only one value");
  }
  if (distinct.count() > static_cast<double>(kMaxNumberCategories) && survey.has_rounded_wholes()) {
    return ignored("has whole numbers beyond 2^53 that double precision does not hold");
  }
  if (distinct.count() > static_cast<double>(kMaxNumberCategories) && can_be_numeric(survey)) {
    const double range = survey.highest() - survey.lowest();
    if (survey.is_integers() && survey.is_nearly_all_distinct() &&
        range <= 2 * static_cast<double>(survey.num_records())) {
      return ignored("looks like a row number: nearly every record has a different value");
    }
    return {ColumnType::kNumeric, ""};
  }
  if (survey.has_long_text()) return ignored("holds long texts");
  if (survey.is_nearly_all_distinct()) {
    return ignored(fmt::format("has a different {} for nearly every record, like {}",
                               survey.is_numbers() ? "number" : "text",
                               survey.is_numbers() ? "an identifier" : "a name or an identifier"));
  }
  if (!distinct.is_complete()) return ignored("has too many distinct values for categories");
  return {ColumnType::kCategorical, ""};
}

/// "9", "about 22000"
std::string count_of(const DistinctTexts& distinct) {
  if (distinct.is_complete()) return fmt::format("{:.0f}", distinct.count());
  return fmt::format("about {}", round_to(distinct.count(), first_digit(distinct.count()) - 1));
}

std::string seen(const ColumnSurvey& survey) {
  const double share =
      100.0 * static_cast<double>(survey.num_missing()) / static_cast<double>(survey.num_records());
  return fmt::format(
      "{}, {} distinct, {}",
      survey.num_present() == 0 ? "Nothing"
      : survey.is_integers()    ? "Whole numbers"
      : survey.is_numbers()     ? "Numbers"
                                : "Texts",
      count_of(survey.distinct()),
      survey.num_missing() == 0 ? "none missing" : fmt::format("{:.2g} % missing", share));
}

/// The categories in the order of the numbers, or of the texts.
std::vector<std::string> sorted_values(const ColumnSurvey& survey) {
  std::vector<std::string> values = survey.distinct().texts();
  std::sort(values.begin(), values.end());
  if (survey.is_numbers()) {
    std::stable_sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
      return *parse_number(a) < *parse_number(b);
    });
  }
  return values;
}

std::string numeric_section(const ColumnSurvey& survey, bool is_target) {
  const NumericDraft draft(survey);
  std::string text;
  if (survey.is_nearly_all_distinct()) {
    text +=
        "# Nearly every record has a different value: if it identifies people, write only type = "
        "\"ignored\".\n";
  } else if (survey.is_integers() && survey.distinct().is_complete()) {
    text +=
        "# If these are codes and not a quantity, make it categorical and list them as values.\n";
  }
  if (survey.num_huge() > 0) {
    text += fmt::format("# {} infinite or huge numbers were left out of this; they are clamped.\n",
                        survey.num_huge());
  }
  text += fmt::format(
      "[columns.{}]\n"
      "type = \"numeric\"\n"
      "bounds = [{}, {}]\n"
      "{}"
      "scale = \"standard\"\n"
      "mean = {}\n"
      "stddev = {}\n",
      toml_key(survey.name()), draft.lower, draft.upper, draft.is_whole ? "whole = true\n" : "",
      draft.mean, draft.stddev);
  if (survey.num_missing() > 0 && !is_target) {
    text += fmt::format("missing = \"fill\"\nfill = {}\n", draft.mean);
  }
  return text;
}

std::string categorical_section(const ColumnSurvey& survey, bool is_target) {
  std::string text;
  std::string marks;
  for (size_t mark = 0; mark < kMissingMarks.size(); ++mark) {
    if (!survey.has_mark(mark) || kMissingMarks[mark].empty()) continue;
    marks += (marks.empty() ? "" : ", ") + toml_string(kMissingMarks[mark]);
  }
  if (!marks.empty()) {
    text += fmt::format(
        "# Read as missing: {}. If that is a category, move it from missing_values to values.\n",
        marks);
  }
  const std::vector<std::string> values = sorted_values(survey);
  constexpr std::string_view kValues = "values = ";
  text += fmt::format("[columns.{}]\ntype = \"categorical\"\n{}{}\n", toml_key(survey.name()),
                      kValues, toml_list(values, kValues.size()));
  if (survey.num_missing() == 0 || is_target) return text;
  const bool is_taken = std::find(values.begin(), values.end(), "missing") != values.end();
  return text + (is_taken ? "missing = \"drop\"  # \"missing\" is a value already\n"
                          : "missing = \"category\"\n");
}

std::string column_section(const ColumnSurvey& survey, const ColumnDraft& draft, bool is_target) {
  const std::string head =
      fmt::format("\n# {}.{}\n", seen(survey), is_target ? " The target." : "");
  switch (draft.type) {
    case ColumnType::kNumeric:
      return head + numeric_section(survey, is_target);
    case ColumnType::kCategorical:
      return head + categorical_section(survey, is_target);
    case ColumnType::kIgnored:
      break;
  }
  return head + fmt::format("# Ignored: it {}.\n[columns.{}]\ntype = \"ignored\"\n", draft.reason,
                            toml_key(survey.name()));
}

/// Commented-out declarations of groups, with columns of this table.
std::string group_examples(const std::vector<ColumnSurvey>& surveys,
                           const std::vector<ColumnDraft>& drafts, const std::string& target) {
  const ColumnSurvey* numeric = nullptr;
  const ColumnSurvey* categorical = nullptr;
  std::set<std::string> taken;
  for (size_t i = 0; i < surveys.size(); ++i) {
    taken.insert(surveys[i].name());
    const ColumnSurvey*& example = drafts[i].type == ColumnType::kNumeric ? numeric : categorical;
    // The target makes a poor example, but a better one than none.
    if (drafts[i].type == ColumnType::kIgnored) continue;
    if (example == nullptr || example->name() == target) example = &surveys[i];
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
    const std::string value = toml_string(sorted_values(*categorical).front());
    text += fmt::format(
        "#\n# [groups.{}]\n# column = {}\n# values = [{}]\n# rest = \"all others\"\n#\n# If the "
        "size of a group is public:\n#\n# [[public.groups]]\n# group = {{ {} = {} }}\n# "
        "num_records = 0\n",
        free_name(categorical->name() + "_group"), toml_string(categorical->name()), value,
        toml_key(categorical->name()), value);
  }
  return text;
}

std::vector<ColumnSurvey> survey_columns(RecordReader& reader, const DraftOptions& options) {
  std::vector<ColumnSurvey> surveys;
  std::set<std::string_view> names;
  if (reader.header().empty()) reader.fail("has no rows");
  for (const std::string& name : reader.header()) {
    if (name.empty()) {
      reader.fail(
          fmt::format("column {} has no name in the header; name it or leave it out (pandas writes "
                      "one for the index unless index=False)",
                      surveys.size() + 1));
    }
    // Not by name: a file without a header has a record there.
    if (!names.insert(name).second) {
      reader.fail(
          fmt::format("column {} has the same name as an earlier one; is the first line a header?",
                      surveys.size() + 1));
    }
    surveys.emplace_back(name, options.max_categories);
  }
  if (!options.target.empty() && names.count(options.target) == 0) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{}: the target '{}' is not a column; is the first line a header?",
                            reader.name(), options.target));
  }
  while (reader.next()) {
    const std::span<const std::string_view> cells = reader.cells();
    for (size_t i = 0; i < surveys.size(); ++i) surveys[i].add(cells[i]);
  }
  if (reader.row() == 0) reader.fail("has a header but no rows");
  return surveys;
}

/// Everything above the columns.
std::string draft_head(const std::string& table, const std::string& dataset,
                       const DraftOptions& options, const std::vector<ColumnSurvey>& surveys,
                       const std::vector<ColumnDraft>& drafts) {
  // An empty cell is no category anywhere, so it is listed even where none occurs.
  std::vector<std::string> missing_values = {""};
  std::string example;
  for (size_t mark = 1; mark < kMissingMarks.size(); ++mark) {
    for (size_t i = 0; i < surveys.size(); ++i) {
      if (drafts[i].type == ColumnType::kIgnored || !surveys[i].has_mark(mark)) continue;
      missing_values.emplace_back(kMissingMarks[mark]);
      break;
    }
  }
  for (size_t i = 0; i < surveys.size(); ++i) {
    if (drafts[i].type != ColumnType::kIgnored) example = surveys[i].name();
  }
  const bool has_target = !options.target.empty();
  return fmt::format(
      "# A draft, NOT PRIVATE: everything below was learnt from the records of {}.\n# Check each "
      "line against what is public without these records (a code book, published counts),\n# "
      "correct it, and then set reviewed = true. See docs/guide/schema.md.\nschema = "
      "\"equinoise/1\"\ndataset = {}\nreviewed = false\n{}target = {}{}\nunit = \"row\"  # is each "
      "row one person? If not, a guarantee protects only a single row\nmissing_values = {}\n\n# "
      "The number of rows seen; it becomes public with every result.\n[public]\nnum_records = {}\n",
      toml_string(table), toml_string(dataset), has_target ? "" : "# ",
      toml_string(has_target ? options.target : example),
      has_target ? "" : "  # the column to predict, if there is one",
      toml_list(missing_values, std::string_view("missing_values = ").size()),
      surveys.front().num_records());
}

}  // namespace

std::string draft_schema(const std::filesystem::path& table, const DraftOptions& options) {
  const std::string dataset = options.dataset.empty() ? dataset_name_of(table) : options.dataset;
  if (!is_dataset_name(dataset)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("the name of the dataset {}", kDatasetNameRule));
  }
  if (options.max_categories < kMaxNumberCategories ||
      options.max_categories > static_cast<size_t>(kMaxCategories)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("max_categories must lie between {} and {}, got {}",
                            kMaxNumberCategories, kMaxCategories, options.max_categories));
  }
  const std::unique_ptr<RecordReader> reader = open_table(table);
  const std::vector<ColumnSurvey> surveys = survey_columns(*reader, options);
  std::vector<ColumnDraft> drafts;
  bool is_any_used = false;
  for (const ColumnSurvey& survey : surveys) {
    const bool is_target = survey.name() == options.target;
    drafts.push_back(decide(survey, is_target));
    const bool is_ignored = drafts.back().type == ColumnType::kIgnored;
    is_any_used = is_any_used || !is_ignored;
    if (is_target && is_ignored) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("{}: column '{}' cannot be the target: it {}", reader->name(),
                              survey.name(), drafts.back().reason));
    }
  }
  if (!is_any_used) {
    reader->fail(fmt::format("no column can be used; the first one {}; is the first line a header?",
                             drafts.front().reason));
  }
  std::string text = draft_head(table.filename().string(), dataset, options, surveys, drafts);
  for (size_t i = 0; i < surveys.size(); ++i) {
    text += column_section(surveys[i], drafts[i], surveys[i].name() == options.target);
  }
  return text + group_examples(surveys, drafts, options.target);
}

}  // namespace equinoise
