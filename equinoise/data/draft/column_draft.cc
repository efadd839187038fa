// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/column_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/data/draft/column_section.h"
#include "equinoise/data/draft/decimals.h"
#include "equinoise/data/draft/unit_draft.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

namespace {

/// Whether a schema can hold bounds and scale for these numbers.
bool can_be_numeric(const ColumnSurvey& survey) {
  if (!survey.reads_as_numbers() || !(survey.stddev() > 0)) return false;
  const NumericDraft draft(survey);
  return problem_of_bounds(draft.lower, draft.upper).empty();
}

ColumnDraft ignored(std::string reason) { return {ColumnType::kIgnored, std::move(reason), true}; }

/// Whether a column is named like an identifier of people, and its values repeat.
bool are_named_units(const ColumnSurvey& survey) {
  return names_unit(survey.name()) && may_be_unit(survey) &&
         survey.distinct().count() > static_cast<double>(kMaxNumberCategories);
}

}  // namespace

NumericDraft::NumericDraft(const ColumnSurvey& survey) {
  const int digits = first_digit(survey.highest() - survey.lowest()) - 1;
  unit = survey.is_integers() ? std::max(0, digits) : digits;
  lower = round_down(survey.lowest(), unit);
  upper = round_up(survey.highest(), unit);
  // A bound that equals the number of a single record is rounded once more, so that it does not
  // show that number.
  if (lower == survey.lowest() && survey.is_lowest_single()) lower = round_down(lower, unit + 1);
  if (upper == survey.highest() && survey.is_highest_single()) upper = round_up(upper, unit + 1);
  // Three significant digits, and more for a mean that is large relative to the standard deviation.
  const int spread = first_digit(survey.stddev());
  const double size = std::max(std::fabs(survey.mean()), survey.stddev());
  mean = round_to(survey.mean(), std::min(first_digit(size) - 2, spread - 1));
  stddev = round_to(survey.stddev(), spread - 2);
  is_whole = survey.is_integers() && std::max(-lower, upper) <= kMaxExactWhole;
}

ColumnDraft decide(const ColumnSurvey& survey, std::string_view problem, bool is_target) {
  const DistinctTexts& distinct = survey.distinct();
  if (!problem.empty()) return {ColumnType::kIgnored, std::string(problem), false};
  if (survey.num_present() == 0) return ignored("has no value at all");
  if (distinct.count() == 1 && (survey.num_missing() == 0 || is_target)) {
    return ignored("has only one value");
  }
  if (survey.is_times()) {
    if (survey.times().has_mixed_zones())
      return ignored("has times with a time zone and times without one");
    if (is_target) return ignored("holds dates or times, which no model predicts");
    if (survey.times().are_too_few())
      return ignored("has fewer than five dates, or one alone, so bounds would be somebody's date");
    return {ColumnType::kNumeric, ""};
  }
  if (!is_target && are_named_units(survey))
    return ignored("looks like an identifier, by its name, and repeats: see unit");
  // A number of a single record is not copied as a category. Numeric columns lose nothing, since
  // bounds are rounded.
  const bool loses_numbers =
      survey.has_single_values() && (!is_target || survey.leaves_many_records_out());
  const bool has_many_numbers =
      survey.num_distinct_numbers() > static_cast<double>(kMaxNumberCategories) ||
      survey.are_fractions() || (survey.is_numbers() && (survey.has_names() || loses_numbers));
  if (has_many_numbers && survey.has_rounded_wholes()) {
    return ignored("has whole numbers beyond 2^53 that double precision does not hold");
  }
  if (has_many_numbers && can_be_numeric(survey)) {
    if (survey.are_numbers_too_few())
      return ignored("has fewer than five numbers, so bounds and a mean would give some away");
    if (!is_target && survey.are_telephones())
      return ignored("looks like numbers of telephones, with a plus before their digits");
    // Identifiers have no unit and no marks between thousands.
    const bool is_quantity = !survey.unit().empty() || survey.thousands() != '\0';
    if (!is_quantity && survey.is_nearly_all_distinct() && survey.are_given_out()) {
      return ignored(
          "looks like a row number or an identifier: nearly every record has a different value, "
          "and whole numbers that measure something would occur again more often");
    }
    if (!is_quantity && !is_target && survey.is_nearly_all_distinct() &&
        survey.are_long_and_alike()) {
      return ignored(
          "looks like numbers of accounts, cards or telephones: nearly every record has a "
          "different "
          "whole number, and all have as many digits");
    }
    return {ColumnType::kNumeric, ""};
  }
  const bool has_many_values = distinct.count() > static_cast<double>(kMaxNumberCategories);
  if (survey.is_like_dates() && (has_many_values || survey.has_names())) {
    return ignored(
        "looks like dates, but not all exist and are ISO 8601 (2024-03-01, or 2024-03-01T10:20 "
        "with "
        "a time); write them so to use them");
  }
  if (survey.has_long_text()) return ignored("holds long texts");
  if (survey.is_nearly_all_distinct() || survey.has_names()) {
    if (survey.is_mostly_numbers()) {
      return ignored(
          "holds numbers in most cells, but too many different texts in others, or different units "
          "or marks of thousands: write these as plain numbers, or leave them empty");
    }
    return ignored(fmt::format("has a different {} for {}, like {}",
                               survey.is_numbers() ? "number" : "text",
                               survey.is_nearly_all_distinct() ? "nearly every record"
                               : survey.are_many()             ? "every fifth record or more"
                                                               : "every other record or more",
                               survey.is_numbers() ? "an identifier" : "a name or an identifier"));
  }
  if (!distinct.is_complete()) return ignored("has too many distinct values for categories");
  if (survey.is_truth()) return {ColumnType::kCategorical, ""};
  const size_t num_repeated = survey.categories().size();
  if (num_repeated == 0) return ignored("has no value that occurs more than once");
  // Values that are left out, or missing cells, become a category of their own. Not so for a
  // target, or if that name is a value already.
  const bool keeps_others =
      !is_target && survey.num_left_out() > 0 && !has_category(survey, "other");
  const bool keeps_missing =
      !is_target && survey.num_missing() > 0 && !has_category(survey, "missing");
  if (num_repeated == 1 && !keeps_others && !keeps_missing)
    return ignored("has only one value that occurs more than once");
  return {ColumnType::kCategorical, ""};
}

}  // namespace equinoise
