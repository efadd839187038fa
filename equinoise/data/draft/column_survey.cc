// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/column_survey.h"

#include <algorithm>
#include <cmath>

#include "equinoise/data/draft/decimals.h"
#include "equinoise/data/values/blanks.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/parse_truth.h"

namespace equinoise {

namespace {

constexpr size_t kMaxCategoryBytes = 200;
constexpr double kNearlyAll = 0.9;
constexpr double kShareOfNames = 0.5;
/// Number of different texts from which fewer records each are enough for categories.
constexpr double kManyTexts = 50;
constexpr double kShareOfManyNames = 0.2;
/// A column of numbers may hold words in at most this share of its cells.
constexpr double kLargestShareOfWords = 0.5;
/// Larger numbers are left out of bounds and means, which a schema then may have.
constexpr double kLargestNumber = 1e38;

/// A whole number as 20240301.
bool is_like_day(double number) {
  if (!(number > 18'000'100 && number < 21'001'232)) return false;
  const auto digits = static_cast<int64_t>(number);
  const int64_t month = digits / 100 % 100;
  const int64_t day = digits % 100;
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

}  // namespace

ColumnSurvey::ColumnSurvey(std::string name, std::string label, size_t position, const Marks& marks,
                           size_t max_categories)
    : name_(std::move(name)),
      label_(std::move(label)),
      kind_of_label_(kind_of_cell(label_)),
      position_(position),
      marks_(marks),
      distinct_(max_categories),
      has_mark_(marks.size(), false) {
  for (size_t i = 0; i < marks.size(); ++i) {
    if (!marks[i].empty()) begins_mark_[static_cast<unsigned char>(marks[i].front())] = true;
    if (const std::optional<double> number = distinct_number(marks[i]))
      numbers_of_marks_.emplace_back(*number, i);
  }
}

void ColumnSurvey::add(const RecordReader& reader) {
  std::string_view cell = reader.text(position_);
  if (RecordReader::is_null(cell)) {
    ++num_missing_;
    return;
  }
  const size_t size = cell.size();
  cell = without_blanks_around(cell);
  has_blanks_ = has_blanks_ || cell.size() < size;
  has_label_ = has_label_ || cell == label_;
  if (cell.empty() || begins_mark_[static_cast<unsigned char>(cell.front())]) {
    const auto mark = std::ranges::find(marks_, cell);
    if (mark != marks_.end()) {
      has_mark_[static_cast<size_t>(mark - marks_.begin())] = true;
      ++num_missing_;
      return;
    }
  }
  const std::optional<double> number =
      has_too_many_words_ ? std::nullopt : parse_number(cell, reader.decimal_mark());
  if (number && is_number_of_mark(cell, *number, reader.decimal_mark())) {
    ++num_missing_;
    return;
  }
  ++num_present_;
  if (!has_too_many_words_) ++num_looked_at_;
  if (kind_of_label_ != CellKind::kName && kind_of_cell(cell) == kind_of_label_) ++num_like_label_;
  if (cell.size() > kMaxCategoryBytes && !has_long_text_) {
    has_long_text_ = true;
    distinct_.forget_texts();
  }
  distinct_.add(cell);
  num_blanks_ += std::ranges::count(cell, ' ');
  if (cell == before_)
    ++num_like_before_;
  else
    before_ = cell;
  has_codes_ = has_codes_ || (number && has_leading_zero(cell));
  if (number) {
    ++num_number_cells_;
    among_times_.add(cell);
    if (is_like_telephone(cell)) ++num_like_telephones_;
    return add_number(cell, *number);
  }
  if (is_date_in_figures(cell)) ++num_dates_in_figures_;
  if (const auto time = has_too_many_words_ ? std::nullopt : parse_time(cell)) {
    among_numbers_.add(cell);
    return times_.add(*time, cell);
  }
  const auto spelled = has_too_many_words_ || is_ordinal(cell)
                           ? std::nullopt
                           : parse_spelled_number(cell, reader.decimal_mark());
  if (spelled || is_written_number(cell)) ++num_written_numbers_;
  if (spelled) {
    ++num_number_cells_;
    among_times_.add(cell);
    return add_spelled(*spelled);
  }
  words_.add(cell);
  has_too_many_words_ = words_.is_overfull();
}

bool ColumnSurvey::is_label_like_cells() const {
  return num_like_label_ > 0 && 2 * num_like_label_ >= num_present_;
}

bool ColumnSurvey::is_truth() const {
  if (!distinct_.is_complete()) return false;
  const std::vector<std::string> texts = distinct_.texts(false);
  bool has_true = false;
  bool has_false = false;
  for (const std::string& text : texts) {
    const std::optional<bool> truth = parse_truth(text);
    if (!truth) return false;
    (*truth ? has_true : has_false) = true;
  }
  return has_true && has_false && texts.size() > 2;
}

bool ColumnSurvey::are_all_plain_numbers() const {
  return num_spelled_ == 0 && words_.count() == 0 && times_.count() == 0 && !has_too_many_words_;
}

bool ColumnSurvey::reads_as_numbers() const {
  return !has_codes_ && !is_spelling_mixed_ && !is_mostly_times() && has_few_words();
}

bool ColumnSurvey::is_written_numbers() const {
  return static_cast<double>(num_written_numbers_) >
         kLargestShareOfWords * static_cast<double>(num_present_);
}

std::vector<Word> ColumnSurvey::words() const {
  std::vector<Word> sorted = words_.words();
  sorted.insert(sorted.end(), strays().words().begin(), strays().words().end());
  std::ranges::sort(sorted, {}, &Word::text);
  return sorted;
}

double ColumnSurvey::num_distinct_numbers() const {
  return distinct_.count() - static_cast<double>(num_different_words());
}

std::vector<std::pair<double, int64_t>> ColumnSurvey::sentinels() const {
  std::vector<std::pair<double, int64_t>> found;
  for (const OutermostNumbers& side : {smallest_, largest_})
    if (const auto number = side.sentinel()) found.emplace_back(*number, side.count());
  return found;
}

double ColumnSurvey::stddev() const {
  return num_numbers_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(num_numbers_));
}

bool ColumnSurvey::has_names() const {
  return (num_records() >= kMinRecords &&
          distinct_.count() >= share_of_names() * static_cast<double>(num_present_)) ||
         is_every_value_another();
}

double ColumnSurvey::expected_repeats() const {
  const double density = static_cast<double>(num_numbers_) / (highest_ - lowest_ + 1);
  return density / -std::expm1(-density) - 1;
}

bool ColumnSurvey::are_given_out() const {
  constexpr double kUnlikely = 5;
  if (!is_integers() || num_numbers_ == 0) return false;
  const auto [num_texts, num_repeats] = distinct_.repeats();
  const double expected = num_texts * expected_repeats();
  if (!(num_repeats < expected)) return false;
  const double deviation = num_repeats > 0 ? num_repeats * std::log(num_repeats / expected) : 0;
  return expected - num_repeats + deviation >= kUnlikely;
}

bool ColumnSurvey::are_long_and_alike() const {
  constexpr double kLong = 1e9;
  return is_integers() && num_numbers_ > 0 && lowest_ >= kLong &&
         first_digit(lowest_) == first_digit(highest_) &&
         highest_ >= 2 * decimal(1, first_digit(lowest_));
}

bool ColumnSurvey::is_mostly_numbers() const {
  // Whole numbers of which hardly one occurs again, with other texts: identifiers.
  if (is_integers_ && num_spelled_ == 0 && is_nearly_all_distinct()) return false;
  return !reads_as_numbers() && !has_codes_ && 2 * num_number_cells_ > num_looked_at_;
}

bool ColumnSurvey::has_single_values() const {
  return distinct_.is_complete() && distinct_.texts(false).size() > 2 &&
         distinct_.texts(true).size() + 1 < distinct_.texts(false).size();
}

bool ColumnSurvey::leaves_many_records_out() const {
  constexpr size_t kOneIn = 20;
  return kOneIn * num_left_out() > static_cast<size_t>(num_present_);
}

bool ColumnSurvey::are_fractions() const {
  constexpr double kMin = 5;
  return reads_as_numbers() && !is_integers_ && num_distinct_numbers() >= kMin;
}

bool ColumnSurvey::are_many() const { return distinct_.count() > kManyTexts && !is_numbers(); }

double ColumnSurvey::share_of_names() const {
  return are_many() ? kShareOfManyNames : kShareOfNames;
}

bool ColumnSurvey::is_nearly_all_distinct() const {
  return distinct_.count() > static_cast<double>(kMaxNumberCategories) &&
         distinct_.count() >= kNearlyAll * static_cast<double>(num_present_ - num_words());
}

bool ColumnSurvey::has_few_words() const {
  return !has_too_many_words_ && !strays().is_overfull() && num_different_words() <= kMaxWords &&
         static_cast<double>(num_words()) <=
             kLargestShareOfWords * static_cast<double>(num_present_);
}

bool ColumnSurvey::is_number_of_mark(std::string_view cell, double number, char decimal_mark) {
  for (const auto& [mark, i] : numbers_of_marks_) {
    if (mark != number || !distinct_number(cell, decimal_mark)) continue;
    has_mark_[i] = true;
    return true;
  }
  return false;
}

bool ColumnSurvey::is_every_value_another() const {
  constexpr int64_t kMin = 5;
  return num_present_ >= kMin && distinct_.count() == static_cast<double>(num_present_);
}

void ColumnSurvey::add_number(std::string_view cell, double number) {
  if (!(std::fabs(number) <= kLargestNumber)) {
    ++num_huge_;
    return;
  }
  is_integers_ = is_integers_ && number == std::floor(number);
  has_rounded_wholes_ = has_rounded_wholes_ || is_rounded_whole(cell, number);
  if (is_integers_) {
    ++last_digits_[static_cast<size_t>(std::fmod(std::fabs(number), 10))];
    if (is_like_day(number)) ++num_like_days_;
  }
  frequent_.add(number);
  smallest_.add(number);
  largest_.add(number);
  lowest_ = std::min(lowest_, number);
  highest_ = std::max(highest_, number);
  // One pass and stable. [Welford1962]
  ++num_numbers_;
  const double difference = number - mean_;
  mean_ += difference / static_cast<double>(num_numbers_);
  squares_ += difference * (number - mean_);
}

void ColumnSurvey::add_spelled(const SpelledNumber& spelled) {
  ++num_spelled_;
  // +44 171 123 456
  if (spelled.unit.empty() && spelled.thousands == ' ' && is_like_telephone(spelled.plain))
    ++num_like_telephones_;
  if (!spelled.unit.empty()) {
    if (num_with_unit_++ == 0) unit_ = spelled.unit;
    is_spelling_mixed_ = is_spelling_mixed_ || unit_ != spelled.unit;
  }
  if (spelled.thousands != '\0') {
    if (num_with_thousands_++ == 0) thousands_ = spelled.thousands;
    is_spelling_mixed_ = is_spelling_mixed_ || thousands_ != spelled.thousands;
  }
  has_codes_ = has_codes_ || has_leading_zero(spelled.plain);
  add_number(spelled.plain, spelled.value);
}

}  // namespace equinoise
