// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/column_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/data/draft/decimals.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise {

std::vector<std::string> sorted_values(const ColumnSurvey& survey, char decimal_mark) {
  std::vector<std::string> values = survey.categories();
  std::ranges::sort(values);
  const auto place = [decimal_mark](const std::string& value) {
    const std::optional<double> number = parse_number(value, decimal_mark);
    return number && !std::isnan(*number) ? std::pair(0, *number) : std::pair(1, 0.0);
  };
  std::ranges::stable_sort(
      values, [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return values;
}

bool has_category(const ColumnSurvey& survey, std::string_view name) {
  const std::vector<std::string> values = survey.categories();
  return contains(values, name);
}

namespace {

/// "9", "about 22000"
std::string count_of(const ColumnSurvey& survey) {
  const double count = survey.distinct().count();
  if (survey.distinct().is_complete()) return fmt::format("{:.0f}", count);
  const double rounded = round_to(count, first_digit(count) - 1);
  const auto most = static_cast<double>(survey.num_present());
  return rounded < most ? fmt::format("about {}", rounded) : fmt::format("up to {}", most);
}

std::string seen(const ColumnSurvey& survey) {
  const double share =
      100.0 * static_cast<double>(survey.num_missing()) / static_cast<double>(survey.num_records());
  return fmt::format(
      "{}{}, {} distinct, {}",
      survey.num_present() == 0   ? "Nothing"
      : survey.is_times()         ? (survey.times().has_clocks() ? "Times" : "Dates")
      : survey.is_integers()      ? "Whole numbers"
      : survey.reads_as_numbers() ? "Numbers"
                                  : "Texts",
      survey.num_words() > 0 && (survey.reads_as_numbers() || survey.is_times()) ? " and words"
                                                                                 : "",
      count_of(survey),
      survey.num_missing() == 0                   ? "none missing"
      : share < 10                                ? fmt::format("{:.2g} % missing", share)
      : share < 99.5 || survey.num_present() == 0 ? fmt::format("{:.0f} % missing", share)
                                                  : "more than 99 % missing");
}

/// A category that may represent a missing answer: the only word among numbers, the only number
/// among words, or a number that looks like a code for it.
std::optional<std::string> code_among(const ColumnSurvey& survey,
                                      const std::vector<std::string>& values, char decimal_mark) {
  constexpr size_t kMin = 2;
  std::vector<std::string> numbers;
  std::vector<std::string> words;
  for (const std::string& value : values)
    (parse_number(value, decimal_mark) ? numbers : words).push_back(value);
  if (numbers.size() >= kMin && words.size() == 1) {
    const bool has_figure = words[0].find_first_of("0123456789") != std::string::npos;
    return has_figure ? std::nullopt : std::optional(words[0]);
  }
  if (words.size() >= kMin && numbers.size() == 1) return numbers[0];
  for (const std::string& value : values) {
    for (const auto& [number, count] : survey.sentinels())
      if (words.empty() && parse_number(value, decimal_mark) == number) return value;
  }
  return std::nullopt;
}

/// A comment on the words among the numbers of a column and how they are read. A word that occurs
/// once may be personal, so it is not copied.
std::string words_in_numbers(const ColumnSurvey& survey) {
  std::vector<std::string> marks;
  std::string counts;
  int64_t num_single = 0;
  for (const auto& [word, count] : survey.words()) {
    if (count == 1) {
      ++num_single;
      continue;
    }
    marks.push_back(word);
    counts += fmt::format("{}{} ({} times)", counts.empty() ? "" : ", ", toml_string(word), count);
  }
  std::string text;
  if (!marks.empty()) {
    text += fmt::format("# Not {}, copied from the cells: {}. They are taken for missing.\n",
                        survey.is_times() ? "dates" : "numbers", counts);
  }
  if (num_single > 0) {
    text += fmt::format("# Cells that hold another text, each its own: {}. They are malformed.\n",
                        num_single);
  }
  return text;
}

/// The key for missing cells.
constexpr std::string_view kAllowed = "missing = \"allowed\"";

std::string known_of_gaps(bool has_gaps) {
  return has_gaps ? fmt::format("{}\n", kAllowed)
                  : "missing = \"none\"  # as in this table; \"allowed\" where cells may be "
                    "missing\n";
}

std::string point_masses_are_copied(std::string_view what) {
  return fmt::format(
      "# Atoms were copied from the cells: {} that more than 5 % of the cells with a value hold.\n"
      "# Synthetic rows keep their shares.\n",
      what);
}
constexpr std::string_view kMayIdentify =
    "# Nearly every record has a different value: if it identifies people, write only type = "
    "\"ignored\".\n";

/// The keys for the unit and the marks of numbers.
std::string spelling_of(const ColumnSurvey& survey) {
  std::string text;
  if (const char mark = survey.thousands(); mark != '\0')
    text += fmt::format("thousands = {}\n", toml_string(std::string(1, mark)));
  if (const std::string unit = survey.unit(); !unit.empty())
    text += fmt::format("unit = {}\n", toml_string(unit));
  return text;
}

/// The keys for words among numbers or dates, and for sentinels of dates.
std::string rules_for_words(const ColumnSurvey& survey, const std::vector<Word>& sentinels = {}) {
  std::vector<std::string> marks;
  for (const Word& sentinel : sentinels) marks.push_back(sentinel.text);
  bool is_any_malformed = survey.has_single_spelling();
  for (const auto& [word, count] : survey.words()) {
    if (count > 1) marks.push_back(word);
    is_any_malformed = is_any_malformed || count == 1;
  }
  std::string text;
  constexpr std::string_view kMarks = "missing_values = ";
  if (!marks.empty()) text += fmt::format("{}{}\n", kMarks, toml_list(marks, kMarks.size()));
  if (is_any_malformed) text += "malformed = \"missing\"\n";
  return text;
}

/// Whether each cell holds a number.
bool is_complete(const ColumnSurvey& survey) {
  return survey.num_missing() + survey.num_words() == 0 && !survey.has_single_spelling();
}

/// The marks that a section lists already, as the beginning of a list with one more.
std::string marks_before(const ColumnSurvey& survey) {
  std::string text;
  for (const auto& [word, count] : survey.words())
    if (count > 1) text += toml_string(word) + ", ";
  return text;
}

/// Whether the different cells are few enough for categories, and some repeat.
bool has_few_values(const ColumnSurvey& survey) {
  const double count = survey.distinct().count();
  return count <= static_cast<double>(kMaxNumberCategories) &&
         count < static_cast<double>(survey.num_present());
}

/// Advice for numbers that are codes. It loses no record: cells in another spelling, one record
/// each, would not be in the list of values.
std::string if_codes(const ColumnSurvey& survey, bool is_target) {
  const std::vector<Word> words = survey.words();
  const auto is_single = [](const Word& word) { return word.count == 1; };
  const bool has_single = survey.has_single_spelling() || std::ranges::any_of(words, is_single);
  const bool has_mark = !std::ranges::all_of(words, is_single);
  std::vector<std::string_view> keys = {"type = \"categorical\"", "a list of values"};
  if (!is_target && has_single) keys.emplace_back("unknown = \"other\"");
  return fmt::format(
      "# If these are codes and not a quantity, write {} and {}\n# instead of all the lines "
      "below but {}missing.\n",
      fmt::join(keys.begin(), keys.end() - 1, ", "), keys.back(),
      has_mark ? "missing_values and " : "");
}

/// Advice if bounds are far from nearly all numbers.
std::string if_bounds_are_wide(const ColumnSurvey& survey, const NumericDraft& draft) {
  constexpr double kWide = 100;
  constexpr double kLargeShare = 0.5;
  const double width = (draft.upper - draft.lower) / survey.stddev();
  const double share = survey.share_of_one_cell();
  if (width < kWide && share < kLargeShare) return "";
  return fmt::format(
      "# {}: noise grows with the bounds.\n# Write narrower public ones; numbers outside are "
      "clamped.\n",
      share < kLargeShare
          ? fmt::format("The bounds are {:.0f} standard deviations apart", width)
          : fmt::format("One cell alone sets {:.0f} % of the bounds' width", 100 * share));
}

std::string numeric_section(const ColumnSurvey& survey, bool is_target) {
  const NumericDraft draft(survey);
  std::string text = words_in_numbers(survey);
  if (const std::string spelling = spelling_of(survey); !spelling.empty())
    text += "# How numbers are written was copied from the cells; rows hold plain numbers.\n";
  if (survey.thousands() == ',')
    text += "# 1,234 is read as 1234: if the comma stands before decimals, give --decimal-comma.\n";
  if (survey.thousands() == '.')
    text += "# 1.234 is read as 1234: if the point stands before decimals, give --decimal-point.\n";
  if (survey.is_nearly_all_distinct()) {
    text += kMayIdentify;
  } else if (survey.distinct().is_complete() && (survey.is_integers() || has_few_values(survey))) {
    text += if_codes(survey, is_target);
  }
  if (survey.num_huge() > 0) {
    text += fmt::format("# {} infinite or huge numbers were left out of this; they are clamped.\n",
                        survey.num_huge());
  }
  for (const auto& [number, count] : survey.sentinels()) {
    text += fmt::format(
        "# {0} ({1} times) {2}: if it stands for a missing answer,\n"
        "# write missing_values = [{3}\"{0}\"]{4}, and bounds, atoms, mean and stddev without "
        "it.\n",
        number, count, number < 0 ? "is the only number below 0" : "is far above all other numbers",
        marks_before(survey), is_complete(survey) ? fmt::format(", {}", kAllowed) : "");
  }
  text += if_bounds_are_wide(survey, draft);
  const std::vector<double> point_masses = survey.point_masses();
  if (!point_masses.empty()) text += point_masses_are_copied("numbers");
  text += fmt::format(
      "[columns.{}]\n"
      "type = \"numeric\"\n"
      "bounds = [{}, {}]\n"
      "{}"
      "{}"
      "{}"
      "scale = \"standard\"\n"
      "mean = {}\n"
      "stddev = {}\n",
      toml_key(survey.name()), draft.lower, draft.upper, spelling_of(survey),
      draft.is_whole ? "whole = true\n" : "",
      point_masses.empty() ? "" : fmt::format("atoms = [{}]\n", fmt::join(point_masses, ", ")),
      draft.mean, draft.stddev);
  text += rules_for_words(survey);
  return text + known_of_gaps(!is_complete(survey));
}

std::string time_section(const ColumnSurvey& survey) {
  const TimesSeen& times = survey.times();
  const TimeFormat format = times.format();
  const auto [first, last] = times.bounds();
  const auto date = [](int64_t day) {
    return toml_string(print_time(static_cast<double>(day), TimeFormat()));
  };
  constexpr int64_t kFewDays = 92;
  constexpr int64_t kFiveYears = 1827;
  constexpr int64_t kCentury = 36'526;
  const int64_t days = last - first + 1;
  const std::vector<Word> sentinels = times.sentinels();
  std::string text = words_in_numbers(survey);
  for (const auto& [word, count] : sentinels) {
    text += fmt::format("# Far from all other dates, and taken for missing: {} ({} times).\n",
                        toml_string(word), count);
  }
  if (const int64_t num_single = times.num_single_sentinels(); num_single > 0) {
    text += fmt::format(
        "# Cells far from all other dates, each its own: {}. They are outside the bounds and "
        "clamped.\n",
        num_single);
  }
  text += times.comments_on_format();
  if (survey.is_nearly_all_distinct()) text += kMayIdentify;
  const std::vector<std::string> point_masses = times.point_masses();
  if (!point_masses.empty()) text += point_masses_are_copied("dates");
  if (days > kCentury) {
    text +=
        "# The bounds are more than a century apart, so that bins of synthetic rows are wide: "
        "narrower\n# bounds, or more bins, tell dates apart.\n";
  }
  text += fmt::format(
      "# Bounds are the first and the last date, rounded outward to {}: write public ones.\n",
      times.has_bounds_of_years() ? "years" : "months");
  text += fmt::format("[columns.{}]\ntype = \"{}\"\nbounds = [{}, {}]\n", toml_key(survey.name()),
                      format.has_time() ? "timestamp" : "date", date(first), date(last));
  if (format.has_time()) text += fmt::format("format = {}\n", toml_string(to_string(format)));
  if (days > kFewDays && days <= kCentury)
    text += fmt::format("bins = \"{}\"\n", days <= kFiveYears ? "month" : "year");
  constexpr std::string_view kPointMasses = "atoms = ";
  if (!point_masses.empty())
    text += fmt::format("{}{}\n", kPointMasses, toml_list(point_masses, kPointMasses.size()));
  text += rules_for_words(survey, sentinels);
  const bool has_gaps = !is_complete(survey) || !sentinels.empty();
  text += known_of_gaps(has_gaps);
  if (has_gaps) text += fmt::format("fill = {}\n", date(times.typical_day()));
  return text;
}

/// The rule for values that are left out.
std::string rule_for_left_out(const ColumnSurvey& survey, bool is_target) {
  if (survey.num_left_out() == 0 || is_target) return "";
  return has_category(survey, "other") ? "unknown = \"drop\"  # \"other\" is a value already\n"
                                       : "unknown = \"other\"\n";
}

/// The rule for missing cells of categories.
std::string rule_for_gaps(const ColumnSurvey& survey) {
  const bool has_gaps = survey.num_missing() > 0;
  return has_gaps && has_category(survey, "missing")
             ? "missing = \"drop\"  # \"missing\" is a value already\n"
             : known_of_gaps(has_gaps);
}

/// The marks of missing values that a column of categories holds.
std::string marks_among(const ColumnSurvey& survey, const TableMarks& marks) {
  std::string list;
  bool is_any_shared = false;
  for (size_t mark = 0; mark < marks.all.size(); ++mark) {
    if (!survey.has_mark(mark) || marks.all[mark].empty()) continue;
    list += (list.empty() ? "" : ", ") + toml_string(marks.all[mark]);
    is_any_shared = is_any_shared || marks.shared.contains(marks.all[mark]);
  }
  if (list.empty()) return "";
  return fmt::format(
      "# Read as missing: {}. If that is a category, move it from missing_values to values{}.\n",
      list, is_any_shared ? "\n# and list it in missing_values of other columns that hold it" : "");
}

/// Advice on categories that may represent a missing answer: those read as missing in columns of
/// numbers, else code_among.
std::string codes_among(const ColumnSurvey& survey, const std::vector<std::string>& values,
                        const TableMarks& marks, char decimal_mark) {
  std::string known;
  for (const std::string& value : values)
    if (marks.of_numbers.contains(value)) known += (known.empty() ? "" : ", ") + toml_string(value);
  const std::string also_write =
      survey.num_missing() == 0 ? fmt::format(",\n# and write {}", kAllowed) : "";
  if (!known.empty()) {
    return fmt::format(
        "# Taken for missing in columns of numbers or dates: {}. If that is so here, too,\n"
        "# move it from values to missing_values{}.\n",
        known, also_write);
  }
  const std::optional<std::string> code = code_among(survey, values, decimal_mark);
  return code ? fmt::format(
                    "# {} may stand for a missing answer: if it does, move it to "
                    "missing_values{}.\n",
                    toml_string(*code), also_write)
              : "";
}

/// Advice for few numbers that are a quantity. If a number of one record is left out of the values,
/// no figure may reveal it: then the user is asked for public ones.
std::string if_quantity(const ColumnSurvey& survey, bool is_target) {
  constexpr double kMin = 3;  // two codes are hardly a quantity
  if (!survey.is_numbers() || survey.num_distinct_numbers() < kMin || survey.num_huge() > 0)
    return "";
  const NumericDraft draft(survey);
  if (survey.is_integers() && std::max(-draft.lower, draft.upper) > kMaxExactWhole) return "";
  if (!problem_of_bounds(draft.lower, draft.upper).empty()) return "";
  const bool hides = survey.num_left_out() > 0;
  std::vector<std::string> keys = {
      "type = \"numeric\"", hides ? "bounds = [LOWER, UPPER]"
                                  : fmt::format("bounds = [{}, {}]", draft.lower, draft.upper)};
  if (draft.is_whole) keys.emplace_back("whole = true");
  std::vector<std::string_view> replaced = {"type", "values"};
  if (!rule_for_left_out(survey, is_target).empty()) replaced.emplace_back("unknown");
  if (!is_target && !hides && survey.num_missing() > 0)
    keys.push_back(fmt::format("fill = {}", draft.mean));
  return fmt::format(
      "# Categories, since there are at most {} different numbers; if they are a quantity, write\n"
      "# {} and {}\n# instead of {} and {}.\n",
      kMaxNumberCategories, fmt::join(keys.begin(), keys.end() - 1, ", "), keys.back(),
      fmt::join(replaced.begin(), replaced.end() - 1, ", "), replaced.back());
}

std::string categorical_section(const ColumnSurvey& survey, const TableMarks& marks,
                                char decimal_mark, bool is_target) {
  std::string text = marks_among(survey, marks);
  if (survey.is_truth()) {
    text += fmt::format("[columns.{}]\ntype = \"boolean\"\n", toml_key(survey.name()));
    return text + rule_for_gaps(survey);
  }
  if (const size_t count = survey.num_left_out(); count > 0) {
    text += fmt::format(
        "# Values that occur once, and may tell of a person, are left out: {}. List those that "
        "are public.\n",
        count);
  }
  const std::vector<std::string> values = sorted_values(survey, decimal_mark);
  text += codes_among(survey, values, marks, decimal_mark);
  text += if_quantity(survey, is_target);
  constexpr std::string_view kValues = "values = ";
  text += fmt::format(
      "[columns.{}]\ntype = \"categorical\"\n# Copied from the cells: review each "
      "value.\n{}{}\n{}",
      toml_key(survey.name()), kValues, toml_list(values, kValues.size()),
      rule_for_left_out(survey, is_target));
  return text + rule_for_gaps(survey);
}

}  // namespace

TableMarks marks_of_table(const Marks& marks, const std::vector<ColumnSurvey>& surveys,
                          const std::vector<ColumnDraft>& drafts) {
  TableMarks result{marks, {}, {}};
  std::set<std::string> seen;
  for (size_t i = 0; i < surveys.size(); ++i) {
    if (drafts[i].type == ColumnType::kIgnored) continue;
    for (size_t mark = 0; mark < marks.size(); ++mark)
      if (surveys[i].has_mark(mark) && !seen.insert(marks[mark]).second)
        result.shared.insert(marks[mark]);
    if (drafts[i].type != ColumnType::kNumeric) continue;
    for (const auto& [word, count] : surveys[i].words())
      if (count > 1) result.of_numbers.insert(word);
  }
  return result;
}

std::string column_section(const ColumnSurvey& survey, const ColumnDraft& draft,
                           const TableMarks& marks, char decimal_mark, bool is_target) {
  std::string head = draft.is_surveyed
                         ? fmt::format("\n# {}.{}\n", seen(survey), is_target ? " The target." : "")
                         : "\n";
  if (survey.is_written_numbers() && !survey.reads_as_numbers()) {
    head +=
        "# Most cells are numbers with signs, as 1,234 or 12 % or $5, but not with one unit and "
        "one mark: "
        "write\n# 1234, 12, 5. If a comma stands before decimals, give --decimal-comma.\n";
  }
  if (survey.has_codes())
    head += "# Cells begin with a zero before another digit: codes, not numbers.\n";
  if (draft.type == ColumnType::kNumeric)
    return head + (survey.is_times() ? time_section(survey) : numeric_section(survey, is_target));
  if (draft.type == ColumnType::kCategorical)
    return head + categorical_section(survey, marks, decimal_mark, is_target);
  return head + fmt::format("# Ignored: it {}.\n[columns.{}]\ntype = \"ignored\"\n", draft.reason,
                            toml_key(survey.name()));
}

}  // namespace equinoise
