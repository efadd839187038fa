// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/unit_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/base/small_letters.h"
#include "equinoise/data/draft/decimals.h"
#include "equinoise/data/schema/toml_section.h"

namespace equinoise {

namespace {

constexpr std::array<std::string_view, 30> kPersonWords = {
    "account", "beneficiary",  "borrower",   "citizen",     "client",     "customer",
    "donor",   "driver",       "employee",   "guest",       "household",  "individual",
    "insured", "member",       "owner",      "participant", "passenger",  "patient",
    "person",  "policyholder", "pupil",      "resident",    "respondent", "student",
    "subj",    "subject",      "subscriber", "user",        "visitor",    "worker"};
constexpr std::array<std::string_view, 9> kIdWords = {
    "id", "identifier", "guid", "mrn", "pid", "pseudonym", "ssn", "uid", "uuid"};
constexpr std::array<std::string_view, 9> kBesideWords = {"code", "hash", "key",    "nbr",  "no",
                                                          "nr",   "num",  "number", "token"};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

/// The words of a name in small letters. "PatientID" and "patient_id" have two each.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = '_';
  for (const char c : name) {
    const bool begins = is_letter(c) && (!is_letter(before) || (is_upper(c) && !is_upper(before)));
    if (begins) words.emplace_back();
    if (is_letter(c)) words.back() += small_letter(c);
    before = c;
  }
  return words;
}

bool names_place(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPlaceWords = {"county",   "fips", "plz",    "postal",
                                                           "postcode", "zip",  "zipcode"};
  const std::vector<std::string> words = words_of(name);
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return contains(kPlaceWords, word); });
}

/// Whether one value has many rows, as 0 among amounts or the home country.
bool has_large_value(const ColumnSurvey& survey) {
  constexpr double kFewValues = 5;  // times the average number of rows of a value
  const std::vector<int64_t> cells = survey.distinct().cells_of_each();
  const auto largest = static_cast<double>(*std::ranges::max_element(cells));
  const auto present = static_cast<double>(survey.num_present());
  if (!survey.distinct().is_complete() && !survey.point_masses().empty()) return true;
  return largest >
         std::max(kShareOfPointMass * present, kFewValues * present / survey.distinct().count());
}

}  // namespace

bool names_unit(std::string_view name) {
  bool is_any_named = false;
  for (const std::string& word : words_of(name)) {
    const std::string_view without_id =
        std::string_view(word).substr(0, word.ends_with("id") ? word.size() - 2 : word.size());
    if (contains(kPersonWords, word) || contains(kPersonWords, without_id) ||
        contains(kIdWords, word)) {
      is_any_named = true;
    } else if (!contains(kBesideWords, word)) {
      return false;
    }
  }
  return is_any_named;
}

bool may_be_unit(const ColumnSurvey& survey) {
  constexpr double kMinNamed = 5;
  constexpr double kMaxRows = 500;  // of a value on average
  const auto [num_texts, num_repeats] = survey.distinct().repeats();
  if (num_repeats == 0 || survey.is_times() || survey.is_truth() || survey.are_fractions() ||
      !survey.unit().empty() || survey.thousands() != '\0')
    return false;
  const double count = survey.distinct().count();
  if (names_unit(survey.name())) return count >= kMinNamed;
  const auto present = static_cast<double>(survey.num_present());
  const double rows = present / count;
  // Columns of identifiers have few missing cells.
  constexpr double kMaxMissing = 0.05;
  if (present < (1 - kMaxMissing) * static_cast<double>(survey.num_records())) return false;
  if (count <= static_cast<double>(kMaxNumberCategories) || rows > kMaxRows ||
      names_place(survey.name()) || has_large_value(survey))
    return false;
  if (!survey.is_integers()) {
    // Some people have the same name.
    constexpr double kOfNames = 0.01;
    return !survey.reads_as_numbers() && !survey.has_long_text() && !survey.is_free_text() &&
           (!survey.has_several_words() || num_repeats >= kOfNames * num_texts);
  }
  if (survey.are_rounded() || survey.are_dates_in_digits()) return false;
  if (survey.are_rows_together()) return true;
  // Identifiers either repeat far more often than by chance, in a range unlike that of a skewed
  // quantity. Or they fill their range evenly, with few rows each, as consecutive numbers do.
  constexpr double kTimes = 5;
  constexpr double kMinEvenness = 0.35;
  if (num_repeats >= kTimes * num_texts * survey.expected_repeats())
    return survey.evenness() >= kMinEvenness;
  constexpr double kMinCounted = 150;
  constexpr double kMaxRowsOfCounted = 20;
  constexpr double kMinEven = 0.8;
  constexpr double kMaxEven = 1.15;
  return count > kMinCounted && rows <= kMaxRowsOfCounted && survey.evenness() >= kMinEven &&
         survey.evenness() <= kMaxEven;
}

std::vector<size_t> find_units(const std::vector<ColumnSurvey>& surveys,
                               const std::string& target) {
  std::vector<size_t> found;
  for (size_t i = 0; i < surveys.size(); ++i)
    if (surveys[i].name() != target && may_be_unit(surveys[i])) found.push_back(i);
  const auto key = [&](size_t i) {
    return std::pair(names_unit(surveys[i].name()), surveys[i].distinct().count());
  };
  std::ranges::stable_sort(found, [&](size_t a, size_t b) { return key(a) > key(b); });
  return found;
}

int64_t rows_of_most(const ColumnSurvey& survey, double share) {
  std::vector<int64_t> counts = survey.distinct().cells_of_each();
  std::ranges::sort(counts);
  return counts[static_cast<size_t>(share * static_cast<double>(counts.size() - 1))];
}

std::string unit_question(const std::vector<const ColumnSurvey*>& candidates) {
  const ColumnSurvey& survey = *candidates.front();
  double num_ids = survey.distinct().count();
  if (!survey.distinct().is_complete()) num_ids = round_to(num_ids, first_digit(num_ids) - 1);
  std::string others;
  for (size_t i = 1; i < candidates.size(); ++i)
    others += fmt::format("{}{}", i == 1 ? "" : ", ", toml_string(candidates[i]->name()));
  return fmt::format(
      "# Whose rows are these? Column {0} may be an identifier, and repeats: about {1:.0f}\n"
      "# different values in {2} rows, half of them in at most {3}, 95 % in at most {4}.\n"
      "{5}# Write \"row\" if no person has two rows. If not, draft again with --unit {0}, and\n"
      "# the guarantee covers all rows of a person.\n"
      "unit = \"\"\n",
      toml_string(survey.name()), num_ids, survey.num_present(), rows_of_most(survey, 0.5),
      rows_of_most(survey, 0.95), others.empty() ? "" : fmt::format("# So may: {}.\n", others));
}

}  // namespace equinoise
