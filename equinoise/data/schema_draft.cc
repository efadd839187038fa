// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema_draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "equinoise/base/dataset_name.h"
#include "equinoise/base/error.h"
#include "equinoise/data/blanks.h"
#include "equinoise/data/delimiter.h"
#include "equinoise/data/drafted_sizes.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/data/parse_truth.h"
#include "equinoise/data/record_reader.h"
#include "equinoise/data/schema.h"
#include "equinoise/data/spelled_number.h"
#include "equinoise/data/time_format.h"
#include "equinoise/data/toml_section.h"
#include "equinoise/data/undescribed_table.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "data.schema_draft";
constexpr std::array<std::string_view, 13> kMissingMarks = {
    "", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", ".", "n/a", "#N/A", "<NA>"};
constexpr size_t kMaxNumberCategories = 20;
constexpr size_t kMaxCategoryBytes = 200;
constexpr double kNearlyAll = 0.9;
/// From so many records on, texts that identify people are not copied.
constexpr int64_t kFewestRecords = 20;
constexpr double kShareOfNames = 0.5;
/// Of so many different texts, fewer records each are enough for categories.
constexpr double kManyTexts = 50;
constexpr double kShareOfManyNames = 0.2;
/// A column of numbers may hold so many different words, in at most this share of its cells.
constexpr size_t kMaxWords = 5;
constexpr double kLargestShareOfWords = 0.5;
/// Larger numbers are left out of bounds and means, which a schema then may have.
constexpr double kLargestNumber = 1e38;

/// A number that more of a column's numbers are, and so many, is an atom.
constexpr double kShareOfAtom = 0.05;
constexpr int64_t kFewestOfAtom = 5;

/// All texts that may mark a missing cell.
using Marks = std::vector<std::string>;

/// Whether a text is a number with what people write around one: 1,234, 12 %, $5.
bool is_written_number(std::string_view cell) {
  constexpr std::string_view kSigns = "%$, '";
  const bool may_be_one = (cell.front() >= '0' && cell.front() <= '9') || cell.front() == '-' ||
                          cell.front() == '$' || cell.front() == '%';
  if (!may_be_one) return false;
  std::string digits;
  for (const char c : cell)
    if (kSigns.find(c) == kSigns.npos) digits += c;
  return digits.size() < cell.size() && parse_number(digits).has_value();
}

/// Whether a text is a date in figures, a time behind it or not: 1950-01-01, 1.1.50.
bool is_date(std::string_view text) {
  const auto take_figures = [&text] {
    const size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(size);
    return size > 0 && size <= 4;
  };
  if (!take_figures() || text.empty()) return false;
  const char mark = text.front();
  if (mark != '-' && mark != '/' && mark != '.') return false;
  text.remove_prefix(1);
  if (!take_figures() || !text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return take_figures() && (text.empty() || text.front() == ' ' || text.front() == 'T');
}

/// Whether it is one whose parts have the sizes of days, months and years: not 123-45-6789,
/// 12-34-56 or 1.2.3.
bool is_date_in_figures(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9' || !is_date(text)) return false;
  text = text.substr(0, text.find_first_of(" T"));
  const char mark = text[text.find_first_not_of("0123456789")];
  const size_t second = text.find(mark) + 1;
  const size_t third = text.find(mark, second) + 1;
  const size_t first_size = second - 1;
  const size_t middle_size = third - 1 - second;
  const size_t last_size = text.size() - third;
  constexpr size_t kYear = 4;
  if (middle_size > 2) return false;
  if (first_size == kYear) return last_size <= 2;
  return first_size <= 2 && (last_size == kYear || (last_size == 2 && mark != '-'));
}

/// What the text of a first line would be if that line were a record.
enum class CellKind { kName, kNumber, kDate, kAddress };

CellKind kind_of_cell(std::string_view text) {
  if (text.find('@') != text.npos) return CellKind::kAddress;
  if (text.find_first_of("0123456789") == text.npos) return CellKind::kName;
  if (is_date(text)) return CellKind::kDate;
  const bool is_number =
      parse_number(text, '.') || parse_number(text, ',') || is_written_number(text);
  return is_number ? CellKind::kNumber : CellKind::kName;
}

/// Whether a number is written as codes are, with a zero before another digit.
bool has_leading_zero(std::string_view cell) {
  return cell.size() > 1 && cell[0] == '0' && cell[1] >= '0' && cell[1] <= '9';
}

/// Counts distinct texts: exactly and with the texts themselves up to a capacity, above it with an
/// error of about 3 % from the smallest hashes. [BarYossef2002]
class DistinctTexts {
 public:
  explicit DistinctTexts(size_t capacity) : capacity_(capacity) {}

  void add(std::string_view text) {
    if (!is_complete_) return add_hash(std::hash<std::string_view>()(text), 1);
    if (const auto found = texts_.find(text); found != texts_.end()) {
      ++found->second;
      return;
    }
    texts_.emplace(text, 1);
    if (texts_.size() > capacity_) forget_texts();
  }

  /// From here on only the number of distinct texts is kept.
  void forget_texts() {
    is_complete_ = false;
    for (const auto& [text, count] : texts_) add_hash(std::hash<std::string_view>()(text), count);
    texts_.clear();
  }

  bool is_complete() const { return is_complete_; }

  /// The texts, or those of them that occur more than once.
  std::vector<std::string> texts(bool repeated_only) const {
    std::vector<std::string> texts;
    for (const auto& [text, count] : texts_)
      if (count > 1 || !repeated_only) texts.push_back(text);
    return texts;
  }

  /// Of all texts, or of a sample of them that does not depend on how often they occur: how many
  /// there are, and in how many cells they occur again.
  struct Repeats {
    double num_texts = 0;
    double num_repeats = 0;
  };
  Repeats repeats() const {
    Repeats repeats;
    const auto add = [&](int64_t count) {
      ++repeats.num_texts;
      repeats.num_repeats += static_cast<double>(count - 1);
    };
    for (const auto& [text, count] : texts_) add(count);
    for (const auto& [hash, count] : hashes_) add(count);
    return repeats;
  }

  /// An estimate may be above the number of cells.
  double count() const {
    if (is_complete_) return static_cast<double>(texts_.size());
    if (hashes_.size() < kNumHashes) return static_cast<double>(hashes_.size());
    return (kNumHashes - 1) / std::ldexp(static_cast<double>(hashes_.back().first), -64);
  }

 private:
  static constexpr size_t kNumHashes = 1024;

  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void add_hash(uint64_t hash, int64_t count) {
    if (hashes_.size() == kNumHashes && hash > hashes_.back().first) return;
    const auto place =
        std::lower_bound(hashes_.begin(), hashes_.end(), std::pair(hash, int64_t{0}));
    if (place != hashes_.end() && place->first == hash) {
      place->second += count;
      return;
    }
    hashes_.insert(place, {hash, count});
    if (hashes_.size() > kNumHashes) hashes_.pop_back();
  }

  size_t capacity_;
  bool is_complete_ = true;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> texts_;  ///< cells of each
  /// The smallest ones, ascending, with the cells of each: what is small enough to be among them
  /// at the end always was.
  std::vector<std::pair<uint64_t, int64_t>> hashes_;
};

/// Finds the numbers that many are, with a fixed number of counters: what is counted of a number is
/// below its true count by at most one in kNumCounters of all. [MisraGries1982]
class FrequentNumbers {
 public:
  void add(double number) {
    ++num_numbers_;
    if (const auto found = counts_.find(number); found != counts_.end()) {
      ++found->second;
    } else if (counts_.size() < kNumCounters) {
      counts_.emplace(number, 1);
    } else {
      for (auto entry = counts_.begin(); entry != counts_.end();)
        entry = --entry->second == 0 ? counts_.erase(entry) : std::next(entry);
    }
  }

  /// Those that surely have the share of an atom, ascending.
  std::vector<double> atoms() const {
    std::vector<double> numbers;
    for (const auto& [number, count] : counts_) {
      if (count >= kFewestOfAtom &&
          static_cast<double>(count) > kShareOfAtom * static_cast<double>(num_numbers_))
        numbers.push_back(number + 0.0);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

 private:
  static constexpr size_t kNumCounters = 200;

  std::unordered_map<double, int64_t> counts_;
  int64_t num_numbers_ = 0;
};

/// The two outermost numbers of many on one side, and how many are the first.
class OutermostNumbers {
 public:
  /// `is_below`: of the smallest.
  explicit OutermostNumbers(bool is_below) : is_below_(is_below) {}

  void add(double number) {
    if (count_ > 0 && number == first_) {
      ++count_;
    } else if (count_ == 0 || is_beyond(number, first_)) {
      if (count_ > 0) second_ = first_;
      first_ = number;
      count_ = 1;
    } else if (!second_ || is_beyond(number, *second_)) {
      second_ = number;
    }
  }

  /// The first where it looks like a code for a missing answer and so many have it that it tells of
  /// nobody: the one negative number, -1 or of nines (-9, -99), or nines (99, 9999) that are half
  /// as large again as all others.
  std::optional<double> sentinel() const {
    constexpr double kFar = 1.5;
    if (count_ < kFewestOfAtom || !second_) return std::nullopt;
    const bool is_far = is_below_ ? first_ < 0 && *second_ >= 0 : first_ >= kFar * *second_;
    const bool is_code = is_of_nines(std::fabs(first_)) || (is_below_ && first_ == -1);
    return is_far && is_code ? std::optional(first_) : std::nullopt;
  }
  int64_t count() const { return count_; }

 private:
  bool is_beyond(double a, double b) const { return is_below_ ? a < b : a > b; }
  /// At least two of them above 0.
  bool is_of_nines(double number) const {
    constexpr double kMost = 1e12;
    double nines = is_below_ ? 9 : 99;
    while (nines < number && nines < kMost) nines = 10 * nines + 9;
    return nines == number;
  }

  bool is_below_;
  double first_ = 0;
  std::optional<double> second_;
  int64_t count_ = 0;
};

/// A text among numbers or dates, and how often it occurs.
struct Word {
  std::string text;
  int64_t count;
};

/// Texts that are not what most cells of a column are, as long as few differ.
class FewTexts {
 public:
  void add(std::string_view text) {
    if (is_overfull_) return;
    ++count_;
    for (Word& word : words_) {
      if (word.text != text) continue;
      ++word.count;
      return;
    }
    words_.push_back({std::string(text), 1});
    if (words_.size() <= kMaxWords) return;
    is_overfull_ = true;
    count_ = 0;
    words_.clear();
  }

  bool is_overfull() const { return is_overfull_; }  ///< nothing is kept any more
  int64_t count() const { return count_; }           ///< cells
  const std::vector<Word>& words() const { return words_; }

 private:
  bool is_overfull_ = false;
  int64_t count_ = 0;
  std::vector<Word> words_;
};

/// The dates or timestamps of a column.
class TimesSeen {
 public:
  void add(const ParsedTime& time, std::string_view cell) {
    const int64_t clock = time.day * kPerDay + time.microseconds;
    const int64_t moment = clock - time.offset.value_or(0) * kPerMinute;
    ++count_;
    frequent_.add(static_cast<double>(clock));
    const auto sentinel = std::find(sentinel_days().begin(), sentinel_days().end(), time.day);
    // Midnight, or the last minute of the day.
    const bool is_sentinel = sentinel != sentinel_days().end() &&
                             (time.microseconds == 0 || time.microseconds >= kPerDay - kPerMinute);
    if (is_sentinel) {
      Sentinel& seen = sentinels_[static_cast<size_t>(sentinel - sentinel_days().begin())];
      seen.extent.add(moment);
      seen.texts.add(cell);
    } else {
      others_.add(moment);
      days_ += (static_cast<double>(time.day) - days_) / static_cast<double>(others_.count);
      if (!time.has_time) ++num_bare_;
    }
    if (!time.has_time) return;
    const TimeUnit unit = !time.has_seconds    ? TimeUnit::kMinute
                          : time.decimals == 0 ? TimeUnit::kSecond
                          : time.decimals <= 3 ? TimeUnit::kMillisecond
                                               : TimeUnit::kMicrosecond;
    if (num_clocks_++ == 0) {
      format_.separator = time.separator;
      format_.offset = time.offset;
    }
    if (time.offset) ++num_zoned_;
    is_midnight_ = is_midnight_ && time.microseconds == 0 && !time.offset;
    // Where offsets differ, all are brought to UTC.
    if (time.offset && format_.offset && *time.offset != *format_.offset) has_one_offset_ = false;
    has_one_separator_ = has_one_separator_ && time.separator == format_.separator;
    unit_ = std::max(unit_, unit);
    if (!is_sentinel) coarsest_ = std::min(coarsest_, unit);
    most_decimals_ = std::max(most_decimals_, time.decimals);
  }

  int64_t count() const { return count_; }
  bool has_mixed_zones() const { return num_zoned_ != 0 && num_zoned_ != num_clocks_; }
  bool has_clocks() const { return num_clocks_ > 0; }
  bool are_all_midnight() const { return is_midnight_; }

  /// Bounds of fewer cells, or of cells that are all the same, would be somebody's date.
  bool are_too_few() const {
    constexpr int64_t kFewest = 5;
    const Extent extent = this->extent();
    return extent.count < kFewest || extent.earliest == extent.latest;
  }

  /// Usual dates of "none" or "for ever" that lie far beyond all others, as cells spell them.
  std::vector<Word> sentinels() const {
    std::vector<Word> words;
    for (const Sentinel& sentinel : sentinels_) {
      if (!is_far(sentinel)) continue;
      for (const Word& word : sentinel.texts.words())
        if (word.count > 1) words.push_back(word);
    }
    return words;
  }

  /// Those of them that are in one cell each: they are not copied, and lie outside the bounds.
  int64_t num_single_sentinels() const {
    int64_t num_single = 0;
    for (const Sentinel& sentinel : sentinels_)
      if (is_far(sentinel)) num_single += sentinel.extent.count;
    for (const Word& word : sentinels()) num_single -= word.count;
    return num_single;
  }

  TimeFormat format() const {
    if (is_midnight_) return {};
    TimeFormat format = format_;
    format.unit = unit_;
    if (!has_one_offset_) format.offset = 0;
    if (is_too_wide_for_microseconds()) format.unit = TimeUnit::kMillisecond;
    return format;
  }

  /// Comments on cells that are written otherwise than rows will be.
  std::string comments_on_format() const {
    if (has_clocks() && is_midnight_)
      return "# All times are midnight, so these are dates, and synthetic rows hold no times.\n";
    std::string text;
    if (!has_clocks()) return text;
    if (num_bare_ > 0) {
      text += fmt::format(
          "# Cells that name no time of day, and are midnight here: {} of {}. Synthetic rows name "
          "one.\n",
          num_bare_, count_);
    }
    if (coarsest_ < unit_)
      text += "# Some cells name the time more exactly than others; rows name it as these do.\n";
    if (most_decimals_ > 6) text += "# What is finer than microseconds is cut off.\n";
    if (is_too_wide_for_microseconds())
      text +=
          "# What is finer than milliseconds is cut off, as years before 1700 or after 2250 "
          "occur.\n";
    if (!has_one_offset_) text += "# Cells name several offsets; rows hold UTC.\n";
    if (!has_one_separator_)
      text += "# Some cells have T before the time, some a blank; rows have one of them.\n";
    return text;
  }

  /// Whether bounds are whole years, and not whole months.
  bool has_bounds_of_years() const {
    constexpr int64_t kTwoYears = 730;
    const auto [first, last] = days();
    return last - first > kTwoYears;
  }

  /// Bounds as days, rounded outward to years or months, so that they are nobody's date.
  std::pair<int64_t, int64_t> bounds() const {
    const auto [first, last] = days();
    const YearMonth begin = month_of(first);
    const YearMonth end = month_of(last);
    const bool is_of_years = has_bounds_of_years();
    const int64_t december = first_day_of(end.year, 12);
    const int64_t last_day = is_of_years || end.month == 12
                                 ? december + kDaysOfDecember - 1
                                 : first_day_of(end.year, end.month + 1) - 1;
    return {first_day_of(begin.year, is_of_years ? 1 : begin.month), last_day};
  }

  /// The first day of the month of the mean; where bounds are so narrow that this says much, or
  /// outside them, their middle.
  int64_t typical_day() const {
    constexpr int64_t kTwoMonths = 62;
    const auto [first, last] = bounds();
    const YearMonth month = month_of(static_cast<int64_t>(std::floor(days_)));
    const int64_t day = first_day_of(month.year, month.month);
    const bool is_usable = last - first >= kTwoMonths && day > first && day <= last;
    return is_usable ? day : first + (last - first) / 2;
  }

  /// Atoms, as cells spell them.
  std::vector<std::string> atoms() const {
    std::vector<std::string> texts;
    const TimeFormat format = this->format();
    if (format.offset && !has_one_offset_) return texts;
    for (const double moment : frequent_.atoms()) {
      if (is_outside(static_cast<int64_t>(moment))) continue;
      const double units = moment / static_cast<double>(kPerDay) * units_per_day(format.unit);
      texts.push_back(print_time(std::floor(units + 0.5), format));
    }
    return texts;
  }

 private:
  static constexpr int64_t kPerMinute = int64_t{60} * 1'000'000;
  static constexpr int64_t kPerDay = 24 * 60 * kPerMinute;
  static constexpr int64_t kDaysOfDecember = 31;

  /// Moments, in microseconds since the beginning of 1970 in UTC.
  struct Extent {
    void add(int64_t moment) {
      earliest = count == 0 ? moment : std::min(earliest, moment);
      latest = count == 0 ? moment : std::max(latest, moment);
      ++count;
    }
    void add(const Extent& other) {
      if (other.count == 0) return;
      const int64_t total = count + other.count;
      add(other.earliest);
      add(other.latest);
      count = total;
    }
    int64_t count = 0;
    int64_t earliest = 0;
    int64_t latest = 0;
  };
  struct Sentinel {
    Extent extent;
    FewTexts texts;
  };

  /// 0001-01-01, 1900-01-01, 1970-01-01, 2999-12-31, 9999-01-01 and 9999-12-31.
  static const std::array<int64_t, 6>& sentinel_days() {
    static const std::array<int64_t, 6> days = {
        first_day_of(1, 1),    first_day_of(1900, 1),
        first_day_of(1970, 1), first_day_of(2999, 12) + kDaysOfDecember - 1,
        first_day_of(9999, 1), first_day_of(9999, 12) + kDaysOfDecember - 1};
    return days;
  }

  static int64_t day_of(int64_t moment) {
    return moment >= 0 ? moment / kPerDay : -((-moment + kPerDay - 1) / kPerDay);
  }
  static int year_of(int64_t moment) { return month_of(day_of(moment)).year; }

  /// Farther from all other dates than these lie apart, and than ten years.
  bool is_far(const Sentinel& sentinel) const {
    if (sentinel.extent.count == 0 || others_.count == 0) return false;
    constexpr int64_t kTenYears = 3653;
    const int64_t reach = std::max(others_.latest - others_.earliest, kTenYears * kPerDay);
    return sentinel.extent.latest < others_.earliest - reach ||
           sentinel.extent.earliest > others_.latest + reach;
  }

  /// Without what is far beyond.
  Extent extent() const {
    Extent extent = others_;
    for (const Sentinel& sentinel : sentinels_)
      if (!is_far(sentinel)) extent.add(sentinel.extent);
    return extent;
  }

  /// The first and the last day on the clock of the column.
  std::pair<int64_t, int64_t> days() const {
    const Extent extent = this->extent();
    const int64_t shift = has_one_offset_ ? format_.offset.value_or(0) * kPerMinute : 0;
    // A date without a time has no zone: it may be another day after the shift.
    const int64_t margin = num_zoned_ > 0 && num_clocks_ < count_ ? 1 : 0;
    return {std::max(day_of(extent.earliest + shift) - margin, sentinel_days().front()),
            std::min(day_of(extent.latest + shift) + margin, sentinel_days().back())};
  }

  /// On the clock of the cells.
  bool is_outside(int64_t clock) const {
    const auto [first, last] = bounds();
    const int64_t day = day_of(clock);
    return day < first || day > last;
  }

  /// Microseconds of other years are no whole numbers that double precision holds.
  bool is_too_wide_for_microseconds() const {
    const Extent extent = this->extent();
    return unit_ == TimeUnit::kMicrosecond &&
           (year_of(extent.earliest) < 1700 || year_of(extent.latest) > 2250);
  }

  int64_t count_ = 0;
  int64_t num_clocks_ = 0;
  int64_t num_zoned_ = 0;
  int64_t num_bare_ = 0;  ///< dates without a time, but for sentinels
  bool is_midnight_ = true;
  bool has_one_offset_ = true;
  bool has_one_separator_ = true;
  TimeFormat format_;
  TimeUnit unit_ = TimeUnit::kDay;
  TimeUnit coarsest_ = TimeUnit::kMicrosecond;
  int most_decimals_ = 0;
  Extent others_;  ///< but for sentinels
  std::array<Sentinel, 6> sentinels_;
  double days_ = 0;  ///< the mean of the others
  FrequentNumbers frequent_;
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

/// The largest multiple of 10^exponent that is not above the value; the quotient is rounded.
double round_down(double value, int exponent) {
  const double count = std::floor(value / decimal(1, exponent));
  const double above = decimal(count + 1, exponent);
  if (above <= value) return above;
  const double found = decimal(count, exponent);
  return found <= value ? found : decimal(count - 1, exponent);
}

double round_up(double value, int exponent) { return 0.0 - round_down(-value, exponent); }

/// What was seen of one column.
class ColumnSurvey {
 public:
  /// `marks`: of missing cells; they must outlive the survey.
  ColumnSurvey(std::string name, std::string label, size_t position, const Marks& marks,
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

  void add(const RecordReader& reader) {
    std::string_view cell = reader.cells()[position_];
    if (RecordReader::is_null(cell)) {
      ++num_missing_;
      return;
    }
    const size_t size = cell.size();
    cell = without_blanks_around(cell);
    has_blanks_ = has_blanks_ || cell.size() < size;
    has_label_ = has_label_ || cell == label_;
    if (cell.empty() || begins_mark_[static_cast<unsigned char>(cell.front())]) {
      const auto mark = std::find(marks_.begin(), marks_.end(), cell);
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
    if (kind_of_label_ != CellKind::kName && kind_of_cell(cell) == kind_of_label_)
      ++num_like_label_;
    if (cell.size() > kMaxCategoryBytes && !has_long_text_) {
      has_long_text_ = true;
      distinct_.forget_texts();
    }
    distinct_.add(cell);
    has_codes_ = has_codes_ || (number && has_leading_zero(cell));
    if (number) {
      ++num_number_cells_;
      among_times_.add(cell);
      return add_number(cell, *number);
    }
    if (is_date_in_figures(cell)) ++num_dates_in_figures_;
    if (const auto time = has_too_many_words_ ? std::nullopt : parse_time(cell)) {
      among_numbers_.add(cell);
      return times_.add(*time, cell);
    }
    const auto spelled =
        has_too_many_words_ ? std::nullopt : parse_spelled_number(cell, reader.decimal_mark());
    if (spelled || is_written_number(cell)) ++num_written_numbers_;
    if (spelled) {
      ++num_number_cells_;
      among_times_.add(cell);
      return add_spelled(*spelled);
    }
    words_.add(cell);
    has_too_many_words_ = words_.is_overfull();
  }

  const std::string& name() const { return name_; }
  const std::string& label() const { return label_; }  ///< what the file calls it
  size_t position() const { return position_; }
  int64_t num_missing() const { return num_missing_; }
  int64_t num_present() const { return num_present_; }
  int64_t num_records() const { return num_missing_ + num_present_; }
  int64_t num_huge() const { return num_huge_; }
  bool has_mark(size_t mark) const { return has_mark_[mark]; }
  bool has_long_text() const { return has_long_text_; }
  bool has_blanks() const { return has_blanks_; }
  bool has_label() const { return has_label_; }  ///< a cell is the column's own name
  /// The label is a number, a date or an address, as a cell may be.
  bool is_label_like_a_cell() const { return kind_of_label_ != CellKind::kName; }
  /// And most cells are of its kind.
  bool is_label_like_cells() const {
    return num_like_label_ > 0 && 2 * num_like_label_ >= num_present_;
  }
  /// Numbers with a zero before another digit: no quantities.
  /// Numbers with one unit, or one mark between groups of three digits, some of them or all.
  bool is_spelled_numbers() const {
    return num_spelled_ > 0 && !is_spelling_mixed_ && !is_mostly_times() && !has_codes_ &&
           has_few_words();
  }
  /// What they are written with, if that is written more than once.
  std::string unit() const { return num_with_unit_ > 1 ? unit_ : ""; }
  char thousands() const { return num_with_thousands_ > 1 ? thousands_ : '\0'; }
  /// A text of one cell is not copied, and that cell is malformed.
  bool has_single_spelling() const { return num_with_unit_ == 1 || num_with_thousands_ == 1; }
  /// True and false in more than one spelling.
  bool is_truth() const {
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
  bool has_codes() const {
    return num_spelled_ == 0 && words_.count() == 0 && times_.count() == 0 &&
           !has_too_many_words_ && has_codes_;
  }
  bool is_numbers() const {
    return num_spelled_ == 0 && words_.count() == 0 && times_.count() == 0 &&
           !has_too_many_words_ && !has_codes_;
  }
  /// Numbers, but for a few words, dates among them.
  bool is_numbers_with_words() const {
    return num_spelled_ == 0 && num_words() > 0 && !is_mostly_times() && !has_codes_ &&
           has_few_words();
  }
  /// Dates or timestamps, but for a few words, numbers among them.
  bool is_times() const { return is_mostly_times() && has_few_words(); }
  /// Most cells have the form of a date: 2024-03-01, 1.3.2024, 03/01/24.
  bool is_like_dates() const { return 2 * num_dates_in_figures_ > num_present_; }
  const TimesSeen& times() const { return times_; }
  bool reads_as_numbers() const {
    return is_numbers() || is_numbers_with_words() || is_spelled_numbers();
  }
  bool has_rounded_wholes() const { return reads_as_numbers() && has_rounded_wholes_; }
  bool is_integers() const { return reads_as_numbers() && is_integers_; }
  /// Cells that are none of what most are.
  int64_t num_words() const { return words_.count() + strays().count(); }
  bool is_written_numbers() const {
    return static_cast<double>(num_written_numbers_) >
           kLargestShareOfWords * static_cast<double>(num_present_);
  }
  std::vector<Word> words() const {
    std::vector<Word> sorted = words_.words();
    sorted.insert(sorted.end(), strays().words().begin(), strays().words().end());
    std::sort(sorted.begin(), sorted.end(),
              [](const Word& a, const Word& b) { return a.text < b.text; });
    return sorted;
  }
  const DistinctTexts& distinct() const { return distinct_; }
  /// The texts that become categories. One that occurs once may be somebody's name.
  std::vector<std::string> categories() const { return distinct_.texts(keeps_names_out()); }
  size_t num_left_out() const { return distinct_.texts(false).size() - categories().size(); }
  double num_distinct_numbers() const {
    return distinct_.count() - static_cast<double>(num_different_words());
  }
  std::vector<double> atoms() const { return frequent_.atoms(); }
  /// Numbers that may be codes for missing answers, and how many cells hold them.
  std::vector<std::pair<double, int64_t>> sentinels() const {
    std::vector<std::pair<double, int64_t>> found;
    for (const OutermostNumbers& side : {smallest_, largest_})
      if (const auto number = side.sentinel()) found.emplace_back(*number, side.count());
    return found;
  }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double mean() const { return mean_; }
  double stddev() const {
    return num_numbers_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(num_numbers_));
  }
  bool has_names() const {
    return (keeps_names_out() &&
            distinct_.count() >= share_of_names() * static_cast<double>(num_present_)) ||
           is_every_value_another();
  }
  /// Whether whole numbers occur again so seldom that they were given out: numbers that measure
  /// something fall together now and then, least often where they are even over their range, which
  /// happens for these with a probability of at most e^-5 (a Poisson law, by Chernoff's bound).
  bool are_given_out() const {
    constexpr double kUnlikely = 5;
    if (!is_integers() || num_numbers_ == 0) return false;
    const double density = static_cast<double>(num_numbers_) / (highest_ - lowest_ + 1);
    const auto [num_texts, num_repeats] = distinct_.repeats();
    const double expected = num_texts * (density / -std::expm1(-density) - 1);
    if (!(num_repeats < expected)) return false;
    const double deviation = num_repeats > 0 ? num_repeats * std::log(num_repeats / expected) : 0;
    return expected - num_repeats + deviation >= kUnlikely;
  }
  /// Whole numbers of at least ten digits, all of equally many, that do not all begin with 1 as
  /// times do which are counted since 1970 in any unit.
  bool are_long_and_alike() const {
    constexpr double kLong = 1e9;
    return is_integers() && num_numbers_ > 0 && lowest_ >= kLong &&
           first_digit(lowest_) == first_digit(highest_) &&
           highest_ >= 2 * decimal(1, first_digit(lowest_));
  }
  /// Whether only one record holds the lowest or the highest number.
  bool is_lowest_single() const { return smallest_.count() == 1; }
  bool is_highest_single() const { return largest_.count() == 1; }
  /// Of numbers that are no numbers by themselves: most of the cells that were looked at.
  bool is_mostly_numbers() const {
    return !reads_as_numbers() && !has_codes_ && 2 * num_number_cells_ > num_looked_at_;
  }
  /// Whether several of its few values are of one record each, which is no stray cell.
  bool has_single_values() const {
    return distinct_.is_complete() && distinct_.texts(false).size() > 2 &&
           distinct_.texts(true).size() + 1 < distinct_.texts(false).size() &&
           (num_records() >= kFewestRecords || is_every_value_another());
  }
  bool are_many() const { return distinct_.count() > kManyTexts && !is_numbers(); }
  bool is_nearly_all_distinct() const {
    return distinct_.count() > static_cast<double>(kMaxNumberCategories) &&
           distinct_.count() >= kNearlyAll * static_cast<double>(num_present_ - num_words());
  }

 private:
  bool is_mostly_times() const { return times_.count() > num_number_cells_; }
  /// Numbers among dates, or dates among numbers.
  const FewTexts& strays() const { return is_mostly_times() ? among_times_ : among_numbers_; }
  size_t num_different_words() const { return words_.words().size() + strays().words().size(); }
  bool has_few_words() const {
    return !has_too_many_words_ && !strays().is_overfull() && num_different_words() <= kMaxWords &&
           static_cast<double>(num_words()) <=
               kLargestShareOfWords * static_cast<double>(num_present_);
  }

  /// Whether a cell is the number of a mark, as -9.0 is of -9, and which mark then occurs.
  bool is_number_of_mark(std::string_view cell, double number, char decimal_mark) {
    for (const auto& [mark, i] : numbers_of_marks_) {
      if (mark != number || !distinct_number(cell, decimal_mark)) continue;
      has_mark_[i] = true;
      return true;
    }
    return false;
  }

  bool keeps_names_out() const { return num_records() >= kFewestRecords; }
  double share_of_names() const { return are_many() ? kShareOfManyNames : kShareOfNames; }
  /// In a table of any size, but of a few records that says little.
  bool is_every_value_another() const {
    constexpr int64_t kFewest = 5;
    return num_present_ >= kFewest && distinct_.count() == static_cast<double>(num_present_);
  }

  void add_number(std::string_view cell, double number) {
    if (!(std::fabs(number) <= kLargestNumber)) {
      ++num_huge_;
      return;
    }
    is_integers_ = is_integers_ && number == std::floor(number);
    has_rounded_wholes_ = has_rounded_wholes_ || is_rounded_whole(cell, number);
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

  void add_spelled(const SpelledNumber& spelled) {
    ++num_spelled_;
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

  std::string name_;
  std::string label_;
  CellKind kind_of_label_;
  size_t position_;
  const Marks& marks_;
  std::array<bool, 256> begins_mark_ = {};  ///< by the first byte
  std::vector<std::pair<double, size_t>> numbers_of_marks_;
  DistinctTexts distinct_;
  std::vector<bool> has_mark_;
  int64_t num_missing_ = 0;
  int64_t num_present_ = 0;
  int64_t num_looked_at_ = 0;  ///< cells, until there were too many words
  bool has_long_text_ = false;
  bool has_blanks_ = false;
  bool has_label_ = false;
  int64_t num_like_label_ = 0;
  bool has_codes_ = false;
  bool is_integers_ = true;
  bool has_rounded_wholes_ = false;
  bool has_too_many_words_ = false;  ///< no more numbers and words are looked at
  int64_t num_written_numbers_ = 0;
  FewTexts words_;          ///< neither numbers nor dates
  FewTexts among_times_;    ///< numbers
  FewTexts among_numbers_;  ///< dates
  int64_t num_number_cells_ = 0;
  int64_t num_dates_in_figures_ = 0;
  TimesSeen times_;
  int64_t num_spelled_ = 0;
  int64_t num_with_unit_ = 0;
  int64_t num_with_thousands_ = 0;
  std::string unit_;
  char thousands_ = '\0';
  bool is_spelling_mixed_ = false;
  FrequentNumbers frequent_;
  OutermostNumbers smallest_{true};
  OutermostNumbers largest_{false};
  int64_t num_huge_ = 0;     ///< beyond kLargestNumber, infinite ones included
  int64_t num_numbers_ = 0;  ///< the others, which the figures below describe
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
  double mean_ = 0;
  double squares_ = 0;  ///< the sum of (number - mean)^2
};

/// The constants of a numeric column: what was seen, rounded.
struct NumericDraft {
  explicit NumericDraft(const ColumnSurvey& survey) {
    const int digits = first_digit(survey.highest() - survey.lowest()) - 1;
    unit = survey.is_integers() ? std::max(0, digits) : digits;
    lower = round_down(survey.lowest(), unit);
    upper = round_up(survey.highest(), unit);
    // Somebody's number is rounded away.
    if (lower == survey.lowest() && survey.is_lowest_single()) lower = round_down(lower, unit + 1);
    if (upper == survey.highest() && survey.is_highest_single()) upper = round_up(upper, unit + 1);
    // Three significant digits, but more of a mean that is large beside the standard deviation.
    const int spread = first_digit(survey.stddev());
    const double size = std::max(std::fabs(survey.mean()), survey.stddev());
    mean = round_to(survey.mean(), std::min(first_digit(size) - 2, spread - 1));
    stddev = round_to(survey.stddev(), spread - 2);
    is_whole = survey.is_integers() && std::max(-lower, upper) <= kMostExactWhole;
  }

  int unit = 0;  ///< the bounds are multiples of 10^unit, or of ten times that
  double lower = 0;
  double upper = 0;
  double mean = 0;
  double stddev = 0;
  bool is_whole = false;
};

/// Whether a schema can hold bounds and scale for these numbers.
bool can_be_numeric(const ColumnSurvey& survey) {
  if (!survey.reads_as_numbers() || !(survey.stddev() > 0)) return false;
  const NumericDraft draft(survey);
  return problem_of_bounds(draft.lower, draft.upper).empty();
}

struct ColumnDraft {
  ColumnType type = ColumnType::kIgnored;
  std::string reason;       ///< why a column is ignored
  bool is_surveyed = true;  ///< its cells were looked at
};

ColumnDraft ignored(std::string reason) { return {ColumnType::kIgnored, std::move(reason)}; }

/// What to make of a column.
ColumnDraft decide(const ColumnSurvey& survey, bool is_readable, bool is_target) {
  const DistinctTexts& distinct = survey.distinct();
  if (!is_readable) {
    return {ColumnType::kIgnored, "holds something other than text, numbers, dates or booleans",
            false};
  }
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
  // A number of one record is not copied as a category, but bounds are rounded.
  const bool has_many_numbers =
      survey.num_distinct_numbers() > static_cast<double>(kMaxNumberCategories) ||
      (survey.is_numbers() && (survey.has_names() || (survey.has_single_values() && !is_target)));
  if (has_many_numbers && survey.has_rounded_wholes()) {
    return ignored("has whole numbers beyond 2^53 that double precision does not hold");
  }
  if (has_many_numbers && can_be_numeric(survey)) {
    // Nobody writes an identifier with a unit or with marks between thousands.
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
  if (is_target && survey.num_left_out() > 0 && survey.categories().size() < 2)
    return ignored("has only one value that occurs more than once");
  return {ColumnType::kCategorical, ""};
}

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
  return fmt::format("{}{}, {} distinct, {}",
                     survey.num_present() == 0   ? "Nothing"
                     : survey.is_times()         ? (survey.times().has_clocks() ? "Times" : "Dates")
                     : survey.is_integers()      ? "Whole numbers"
                     : survey.reads_as_numbers() ? "Numbers"
                                                 : "Texts",
                     survey.num_words() > 0 && (survey.reads_as_numbers() || survey.is_times())
                         ? " and words"
                         : "",
                     count_of(survey),
                     survey.num_missing() == 0 ? "none missing"
                     : share < 10              ? fmt::format("{:.2g} % missing", share)
                                               : fmt::format("{:.0f} % missing", share));
}

/// The categories: numbers in their order, then texts.
std::vector<std::string> sorted_values(const ColumnSurvey& survey, char decimal_mark) {
  std::vector<std::string> values = survey.categories();
  std::sort(values.begin(), values.end());
  const auto place = [decimal_mark](const std::string& value) {
    const std::optional<double> number = parse_number(value, decimal_mark);
    return number && !std::isnan(*number) ? std::pair(0, *number) : std::pair(1, 0.0);
  };
  std::stable_sort(values.begin(), values.end(),
                   [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return values;
}

/// A category that may stand for a missing answer: the one word among numbers, the one number among
/// words, or a number that looks like a code for it.
std::optional<std::string> code_among(const ColumnSurvey& survey,
                                      const std::vector<std::string>& values, char decimal_mark) {
  constexpr size_t kFewest = 2;
  std::vector<std::string> numbers;
  std::vector<std::string> words;
  for (const std::string& value : values)
    (parse_number(value, decimal_mark) ? numbers : words).push_back(value);
  if (numbers.size() >= kFewest && words.size() == 1) {
    const bool has_figure = words[0].find_first_of("0123456789") != std::string::npos;
    return has_figure ? std::nullopt : std::optional(words[0]);
  }
  if (words.size() >= kFewest && numbers.size() == 1) return numbers[0];
  for (const std::string& value : values) {
    for (const auto& [number, count] : survey.sentinels())
      if (words.empty() && parse_number(value, decimal_mark) == number) return value;
  }
  return std::nullopt;
}

/// The words among the numbers of a column, and what they are taken for. One that occurs once may
/// be anything, so it is not copied.
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

/// What becomes of gaps in a column of `what`.
std::string gaps_are_filled(std::string_view what) {
  return fmt::format(
      "# Gaps are filled: models, means and groups take them for the fill, and synthetic rows hold "
      "{}\n# there, too. feature = false and missing = \"category\", without a fill, keep them "
      "apart.\n",
      what);
}
std::string atoms_are_copied(std::string_view what) {
  return fmt::format(
      "# Atoms were copied from the cells: {} that more than 5 % of the cells with a value hold.\n"
      "# Synthetic rows keep their shares.\n",
      what);
}
constexpr std::string_view kMayIdentify =
    "# Nearly every record has a different value: if it identifies people, write only type = "
    "\"ignored\".\n";

/// The keys that say what numbers are written with.
std::string spelling_of(const ColumnSurvey& survey) {
  std::string text;
  if (const char mark = survey.thousands(); mark != '\0')
    text += fmt::format("thousands = {}\n", toml_string(std::string(1, mark)));
  if (const std::string unit = survey.unit(); !unit.empty())
    text += fmt::format("unit = {}\n", toml_string(unit));
  return text;
}

/// The keys that say what becomes of words among numbers or dates, and of sentinels of dates.
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
  } else if (survey.is_integers() && survey.distinct().is_complete()) {
    text +=
        "# If these are codes and not a quantity, make it categorical and list them as values.\n";
  }
  if (survey.num_huge() > 0) {
    text += fmt::format("# {} infinite or huge numbers were left out of this; they are clamped.\n",
                        survey.num_huge());
  }
  for (const auto& [number, count] : survey.sentinels()) {
    text += fmt::format(
        "# {0} ({1} times) {2}: if it stands for a missing answer,\n"
        "# write missing_values = [\"{0}\"], missing = \"fill\" with a fill, and bounds, atoms, "
        "mean "
        "and stddev without it.\n",
        number, count,
        number < 0 ? "is the only number below 0" : "is far above all other numbers");
  }
  const bool is_filled =
      !is_target && (survey.num_missing() + survey.num_words() > 0 || survey.has_single_spelling());
  if (is_filled) text += gaps_are_filled("numbers");
  const std::vector<double> atoms = survey.atoms();
  if (!atoms.empty()) text += atoms_are_copied("numbers");
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
      atoms.empty() ? "" : fmt::format("atoms = [{}]\n", fmt::join(atoms, ", ")), draft.mean,
      draft.stddev);
  text += rules_for_words(survey);
  if (is_filled) text += fmt::format("missing = \"fill\"\nfill = {}\n", draft.mean);
  return text;
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
  const bool is_filled = survey.num_missing() + survey.num_words() > 0 || !sentinels.empty();
  if (is_filled) text += gaps_are_filled("dates");
  const std::vector<std::string> atoms = times.atoms();
  if (!atoms.empty()) text += atoms_are_copied("dates");
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
  constexpr std::string_view kAtoms = "atoms = ";
  if (!atoms.empty()) text += fmt::format("{}{}\n", kAtoms, toml_list(atoms, kAtoms.size()));
  text += rules_for_words(survey, sentinels);
  if (is_filled) text += fmt::format("missing = \"fill\"\nfill = {}\n", date(times.typical_day()));
  return text;
}

/// Whether a category of a column has a name that would be that of missing or other cells.
bool has_category(const ColumnSurvey& survey, std::string_view name) {
  const std::vector<std::string> values = survey.categories();
  return std::find(values.begin(), values.end(), name) != values.end();
}

/// What becomes of the values that are left out.
std::string rule_for_left_out(const ColumnSurvey& survey, bool is_target) {
  if (survey.num_left_out() == 0 || is_target) return "";
  return has_category(survey, "other") ? "unknown = \"drop\"  # \"other\" is a value already\n"
                                       : "unknown = \"other\"\n";
}

std::string categorical_section(const ColumnSurvey& survey, const Marks& all_marks,
                                char decimal_mark, bool is_target) {
  std::string text;
  std::string marks;
  for (size_t mark = 0; mark < all_marks.size(); ++mark) {
    if (!survey.has_mark(mark) || all_marks[mark].empty()) continue;
    marks += (marks.empty() ? "" : ", ") + toml_string(all_marks[mark]);
  }
  if (!marks.empty()) {
    text += fmt::format(
        "# Read as missing: {}. If that is a category, move it from missing_values to values.\n",
        marks);
  }
  if (survey.is_truth()) {
    text += fmt::format("[columns.{}]\ntype = \"boolean\"\n", toml_key(survey.name()));
    return survey.num_missing() == 0 || is_target ? text : text + "missing = \"category\"\n";
  }
  if (const size_t count = survey.num_left_out(); count > 0) {
    text += fmt::format(
        "# Values that occur once, and may tell of a person, are left out: {}. List those that "
        "are public.\n",
        count);
  }
  const std::vector<std::string> values = sorted_values(survey, decimal_mark);
  if (const std::optional<std::string> code = code_among(survey, values, decimal_mark)) {
    text +=
        fmt::format("# {} may stand for a missing answer: if it does, move it to missing_values.\n",
                    toml_string(*code));
  }
  constexpr size_t kFewest = 3;  // two codes are hardly a quantity
  if (survey.is_numbers() && survey.is_integers() && values.size() >= kFewest &&
      survey.num_huge() == 0 && std::max(-survey.lowest(), survey.highest()) <= kMostExactWhole) {
    text += fmt::format(
        "# Categories, since there are at most {} different whole numbers; if they are a quantity, "
        "write\n# type = \"numeric\", public bounds and whole = true instead of type and "
        "values.\n",
        kMaxNumberCategories);
  }
  constexpr std::string_view kValues = "values = ";
  text += fmt::format(
      "[columns.{}]\ntype = \"categorical\"\n# Copied from the cells: review each "
      "value.\n{}{}\n{}",
      toml_key(survey.name()), kValues, toml_list(values, kValues.size()),
      rule_for_left_out(survey, is_target));
  if (survey.num_missing() == 0 || is_target) return text;
  return text + (has_category(survey, "missing")
                     ? "missing = \"drop\"  # \"missing\" is a value already\n"
                     : "missing = \"category\"\n");
}

std::string column_section(const ColumnSurvey& survey, const ColumnDraft& draft, const Marks& marks,
                           char decimal_mark, bool is_target) {
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
  switch (draft.type) {
    case ColumnType::kNumeric:
      return head + (survey.is_times() ? time_section(survey) : numeric_section(survey, is_target));
    case ColumnType::kCategorical:
      return head + categorical_section(survey, marks, decimal_mark, is_target);
    case ColumnType::kIgnored:
      break;
  }
  return head + fmt::format("# Ignored: it {}.\n[columns.{}]\ntype = \"ignored\"\n", draft.reason,
                            toml_key(survey.name()));
}

/// Commented-out declarations of groups, with columns of this table.
std::string group_examples(const std::vector<ColumnSurvey>& surveys,
                           const std::vector<ColumnDraft>& drafts, char decimal_mark,
                           const std::string& target) {
  const ColumnSurvey* numeric = nullptr;
  const ColumnSurvey* categorical = nullptr;
  std::set<std::string> taken;
  for (size_t i = 0; i < surveys.size(); ++i) {
    taken.insert(surveys[i].name());
    if (surveys[i].is_times()) continue;
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
    const std::string value = toml_string(
        categorical->is_truth() ? "false" : sorted_values(*categorical, decimal_mark).front());
    text += fmt::format(
        "#\n# [groups.{}]\n# column = {}\n# values = [{}]\n# rest = \"all others\"\n#\n# If the "
        "size of a group is public:\n#\n# [[public.groups]]\n# group = {{ {} = {} }}\n# "
        "num_records = 0\n",
        free_name(categorical->name() + "_group"), toml_string(categorical->name()), value,
        toml_key(categorical->name()), value);
  }
  return text;
}

/// What the file calls a column.
const std::string& label_of(const RecordReader& reader, size_t column) {
  const std::string& repeated = reader.repeated_name(column);
  return repeated.empty() ? reader.header()[column] : repeated;
}

/// One survey for each column that has a name.
std::vector<ColumnSurvey> begin_surveys(const RecordReader& reader, const Marks& marks,
                                        const DraftOptions& options) {
  std::vector<ColumnSurvey> surveys;
  const std::vector<std::string>& header = reader.header();
  if (header.empty()) reader.fail("has no rows");
  for (size_t i = 0; i < header.size(); ++i) {
    if (header[i].empty()) continue;
    surveys.emplace_back(header[i], label_of(reader, i), i, marks, options.max_categories);
  }
  if (surveys.empty()) reader.fail("names no column in its first line; it needs a header");
  const size_t last = surveys.back().position();
  for (size_t i = 1; i < last; ++i) {
    if (header[i].empty())
      reader.fail(
          fmt::format("column {} has no name in the header; name it or remove it, or give "
                      "--no-header if the first line is a record",
                      i + 1));
  }
  if (!options.target.empty() &&
      std::find(header.begin(), header.end(), options.target) == header.end()) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{}: the target '{}' is not a column; is the first line a header?",
                            reader.name(), options.target));
  }
  return surveys;
}

/// Refuses a record that is the first line again: tables were joined line by line, or there is no
/// header.
void refuse_first_line_again(const RecordReader& reader, const std::vector<ColumnSurvey>& surveys) {
  for (const ColumnSurvey& survey : surveys) {
    const std::string_view cell = reader.cells()[survey.position()];
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
  const bool has_repeated_name =
      std::any_of(surveys.begin(), surveys.end(),
                  [](const ColumnSurvey& survey) { return survey.label() != survey.name(); });
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

/// What was seen of a table's columns.
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
      if (!without_blanks_around(reader.cells()[i]).empty()) survey.nameless_with_cells.insert(i);
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

/// How the table was read and what was left out of it.
std::vector<std::string> notes_on(const OpenTable& table, const TableSurvey& survey) {
  const std::vector<ColumnSurvey>& surveys = survey.columns;
  std::vector<std::string> notes;
  const RecordReader& reader = *table.reader;
  const char delimiter = table.layout.delimiter.value_or(',');
  if (delimiter != ',')
    notes.push_back(fmt::format("Cells are separated by {}.", delimiter_name(delimiter)));
  if (table.layout.decimal_comma) notes.emplace_back("Numbers have a decimal comma.");
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
  if (std::any_of(surveys.begin(), surveys.end(),
                  [](const ColumnSurvey& column) { return column.has_blanks(); }))
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
  std::string read_how;
  if (surveys.front().num_records() < kFewestRecords) {
    read_how +=
        "# The table is so small that values of a single record are listed, too: keep none that is "
        "not public.\n";
  }
  for (const std::string& note : notes) read_how += fmt::format("# {}\n", note);
  return fmt::format(
      "# A draft, NOT PRIVATE: everything below was learnt from the records of {}.\n# Check each "
      "line against what is public without these records (a code book, published counts),\n# "
      "correct it, and then set reviewed = true. See docs/guide/schema.md.\n{}schema = "
      "\"equinoise/1\"\ndataset = {}\nreviewed = false\n{}target = {}{}\nunit = \"row\"  # is each "
      "row one person? If not, a guarantee protects only a single row\nmissing_values = {}\n{}\n# "
      "The number of rows seen; it becomes public with every result.\n[public]\nnum_records = {}\n",
      toml_string(file), read_how, toml_string(options.dataset), has_target ? "" : "# ",
      toml_string(has_target ? options.target : example),
      has_target ? "" : "  # the column to predict, if there is one",
      toml_list(missing_values, std::string_view("missing_values = ").size()),
      layout_section(table.layout), surveys.front().num_records());
}

/// What the draft makes of the cells in the columns of groupings.
std::map<std::string, DraftedCategories> categories_of_groupings(
    const std::vector<ColumnSurvey>& surveys, const std::vector<ColumnDraft>& drafts,
    const DraftOptions& options) {
  std::map<std::string, DraftedCategories> categories;
  for (const std::vector<std::string>& columns : options.groupings) {
    for (const std::string& column : columns) {
      const auto survey =
          std::find_if(surveys.begin(), surveys.end(),
                       [&](const ColumnSurvey& candidate) { return candidate.name() == column; });
      const ColumnDraft& draft = drafts[static_cast<size_t>(survey - surveys.begin())];
      if (survey->is_truth()) {
        throw Error(ErrorKind::kUsage, kWhere,
                    fmt::format("--groups {}: the column has true and false in several spellings; "
                                "write one, or declare the sizes yourself",
                                column));
      }
      if (draft.type != ColumnType::kCategorical) {
        throw Error(ErrorKind::kUsage, kWhere,
                    fmt::format("--groups {}: the column is drafted as {}; give columns of "
                                "categories, and declare bands of numbers as [groups.NAME]",
                                column, draft.reason.empty() ? "numeric" : "ignored"));
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

SchemaDraft draft_schema(const std::filesystem::path& table, const DraftOptions& given) {
  DraftOptions options = given;
  if (options.dataset.empty()) options.dataset = dataset_name_of(table);
  if (!is_dataset_name(options.dataset)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("the name of the dataset {}", kDatasetNameRule));
  }
  if (options.max_categories < kMaxNumberCategories ||
      options.max_categories > static_cast<size_t>(kMaxCategories)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("max_categories must lie between {} and {}, got {}",
                            kMaxNumberCategories, kMaxCategories, options.max_categories));
  }
  OpenTable open = open_undescribed(table, options.table);
  const RecordReader& reader = *open.reader;
  Marks marks(kMissingMarks.begin(), kMissingMarks.end());
  for (const std::string& mark : options.table.missing_values)
    if (std::find(marks.begin(), marks.end(), mark) == marks.end()) marks.push_back(mark);
  DraftedSizes sizes(reader, options.groupings, marks);
  const TableSurvey survey = survey_table(open, marks, options, sizes);
  const std::vector<ColumnSurvey>& surveys = survey.columns;
  std::vector<ColumnDraft> drafts;
  bool is_any_used = false;
  for (const ColumnSurvey& column : surveys) {
    const bool is_target = column.name() == options.target;
    drafts.push_back(decide(column, reader.is_readable(column.position()), is_target));
    const bool is_ignored = drafts.back().type == ColumnType::kIgnored;
    is_any_used = is_any_used || !is_ignored;
    if (is_target && is_ignored) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("{}: column '{}' cannot be the target: it {}", reader.name(),
                              column.name(), drafts.back().reason));
    }
  }
  if (!is_any_used) {
    reader.fail(fmt::format("no column can be used; the first one {}{}", drafts.front().reason,
                            surveys.front().num_records() == 1 ? "; the table has a single record"
                                                               : "; is the first line a header?"));
  }
  SchemaDraft draft;
  draft.notes = notes_on(open, survey);
  draft.text =
      draft_head(table.filename().string(), open, draft.notes, marks, options, surveys, drafts);
  draft.text += sizes.to_toml(categories_of_groupings(surveys, drafts, options));
  for (size_t i = 0; i < surveys.size(); ++i) {
    draft.text += column_section(surveys[i], drafts[i], marks, reader.decimal_mark(),
                                 surveys[i].name() == options.target);
  }
  draft.text += group_examples(surveys, drafts, reader.decimal_mark(), options.target);
  return draft;
}

}  // namespace equinoise
