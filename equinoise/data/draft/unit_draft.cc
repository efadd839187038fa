// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/unit_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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
constexpr std::array<std::string_view, 8> kBesideWords = {"code", "hash", "key",    "no",
                                                          "nr",   "num",  "number", "token"};

template <size_t kSize>
bool is_among(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

/// The words of a name in small letters: "PatientID" and "patient_id" are two each.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  char before = '_';
  for (const char c : name) {
    const bool begins = is_letter(c) && (!is_letter(before) || (is_upper(c) && !is_upper(before)));
    if (begins) words.emplace_back();
    if (is_letter(c)) words.back() += static_cast<char>(is_upper(c) ? c - 'A' + 'a' : c);
    before = c;
  }
  return words;
}

}  // namespace

bool names_unit(std::string_view name) {
  bool is_any_named = false;
  for (const std::string& word : words_of(name)) {
    const std::string_view without_id =
        std::string_view(word).substr(0, word.ends_with("id") ? word.size() - 2 : word.size());
    if (is_among(kPersonWords, word) || is_among(kPersonWords, without_id) ||
        is_among(kIdWords, word)) {
      is_any_named = true;
    } else if (!is_among(kBesideWords, word)) {
      return false;
    }
  }
  return is_any_named;
}

bool repeats(const ColumnSurvey& survey, double times) {
  const double count = survey.distinct().count();
  return count > static_cast<double>(kMaxNumberCategories) &&
         static_cast<double>(survey.num_present()) >= times * count;
}

std::optional<size_t> find_unit(const std::vector<ColumnSurvey>& surveys,
                                const std::vector<ColumnDraft>& drafts) {
  std::optional<size_t> found;
  const auto key = [&](size_t i) {
    return std::pair(names_unit(surveys[i].name()), surveys[i].distinct().count());
  };
  for (size_t i = 0; i < surveys.size(); ++i)
    if (drafts[i].may_be_unit && (!found || key(i) > key(*found))) found = i;
  return found;
}

std::string unit_choice(const ColumnSurvey& survey) {
  std::vector<int64_t> counts = survey.distinct().cells_of_each();
  std::sort(counts.begin(), counts.end());
  constexpr double kMost = 0.95;
  double num_ids = survey.distinct().count();
  if (!survey.distinct().is_complete()) num_ids = round_to(num_ids, first_digit(num_ids) - 1);
  const int64_t half = counts[(counts.size() - 1) / 2];
  const int64_t most = counts[static_cast<size_t>(kMost * static_cast<double>(counts.size() - 1))];
  return fmt::format(
      "# Column {0} looks like an identifier and repeats: about {1:.0f} different values in {2}\n"
      "# rows, half of them in at most {3}, 95 % in at most {4}. If it says whose a row is, rows "
      "are\n"
      "# not people, and the line above protects a single row of theirs. To protect all rows of "
      "a\n"
      "# person, of which so many count, write the lines below with a public number, and "
      "num_units, how\n"
      "# many people there are, for num_records under [public] and in [[public.groups]]:\n"
      "# unit = {0}\n"
      "# max_records_per_unit = {3}\n",
      toml_string(survey.name()), num_ids, survey.num_present(), half, most);
}

}  // namespace equinoise
