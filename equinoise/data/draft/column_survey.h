// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/draft/cell_kind.h"
#include "equinoise/data/draft/distinct_texts.h"
#include "equinoise/data/draft/frequent_numbers.h"
#include "equinoise/data/draft/times_seen.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/values/spelled_number.h"

namespace equinoise {

/// The most different values of numbers that may be categories.
constexpr size_t kMaxNumberCategories = 20;
/// Number of records from which the share of different texts distinguishes names from categories.
constexpr int64_t kMinRecords = 20;

/// All texts that may mark a missing cell.
using Marks = std::vector<std::string>;

/// The statistics of one column's cells.
class ColumnSurvey {
 public:
  /// `marks`: of missing cells; they must outlive the survey.
  ColumnSurvey(std::string name, std::string label, size_t position, const Marks& marks,
               size_t max_categories);

  void add(const RecordReader& reader);

  const std::string& name() const { return name_; }
  const std::string& label() const { return label_; }  ///< the name in the file
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
  /// The same, and most cells are of its kind.
  bool is_label_like_cells() const;
  /// The unit and the mark of these numbers, if more than one cell has it.
  std::string unit() const { return num_with_unit_ > 1 ? unit_ : ""; }
  char thousands() const { return num_with_thousands_ > 1 ? thousands_ : '\0'; }
  /// A unit or mark of a single cell is not copied, and that cell is malformed.
  bool has_single_spelling() const { return num_with_unit_ == 1 || num_with_thousands_ == 1; }
  /// True and false in more than one spelling.
  bool is_truth() const;
  /// Numbers with a zero before another digit: no quantities.
  bool has_codes() const { return are_all_plain_numbers() && has_codes_; }
  bool is_numbers() const { return are_all_plain_numbers() && !has_codes_; }
  /// Dates or timestamps, except for a few words or numbers.
  bool is_times() const { return is_mostly_times() && has_few_words(); }
  /// Most cells have the form of a date: 2024-03-01, 1.3.2024, 03/01/24.
  bool is_like_dates() const { return 2 * num_dates_in_figures_ > num_present_; }
  const TimesSeen& times() const { return times_; }
  /// Numbers, except for a few words or dates. Some or all may have the same unit, or the same mark
  /// between groups of three digits.
  bool reads_as_numbers() const;
  bool has_rounded_wholes() const { return reads_as_numbers() && has_rounded_wholes_; }
  bool is_integers() const { return reads_as_numbers() && is_integers_; }
  /// Cells of another kind than most.
  int64_t num_words() const { return words_.count() + strays().count(); }
  bool is_written_numbers() const;
  std::vector<Word> words() const;
  const DistinctTexts& distinct() const { return distinct_; }
  /// The texts that become categories. A text that occurs once may be a person's name.
  std::vector<std::string> categories() const { return distinct_.texts(true); }
  size_t num_left_out() const { return distinct_.texts(false).size() - categories().size(); }
  double num_distinct_numbers() const;
  std::vector<double> point_masses() const { return frequent_.point_masses(); }
  /// Numbers that may be codes for missing answers, and the number of cells with each.
  std::vector<std::pair<double, int64_t>> sentinels() const;
  /// Bounds and a mean of fewer numbers would reveal some of them.
  bool are_numbers_too_few() const {
    constexpr int64_t kMin = 5;
    return num_numbers_ < kMin;
  }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }
  double mean() const { return mean_; }
  double stddev() const;
  bool has_names() const;
  /// Four words and more on average: comments, addresses.
  bool is_free_text() const { return 5 * num_present_ <= 2 * num_blanks_; }
  /// Blanks in most cells, as in people's names.
  bool has_several_words() const { return 2 * num_blanks_ > num_present_; }
  /// Many cells repeat the text of the row before, as in a file sorted by person.
  bool are_rows_together() const { return 10 * num_like_before_ >= 3 * num_present_; }
  /// Many end in the same digit, as rounded amounts and prices do.
  bool are_rounded() const {
    return 10 * *std::ranges::max_element(last_digits_) > 3 * num_numbers_;
  }
  /// All are dates written as a number: 20240301.
  bool are_dates_in_digits() const { return num_like_days_ == num_numbers_; }
  /// The expected number of repetitions of a number if they were uniform over their range: a
  /// Poisson distribution.
  double expected_repeats() const;
  /// The spread of the numbers relative to uniform ones over their range, which have 1.
  double evenness() const { return std::sqrt(12) * stddev() / (highest_ - lowest_ + 1); }
  /// The largest share of the range that a single cell adds at one end.
  double share_of_one_cell() const {
    return std::max(smallest_.gap_of_single(), largest_.gap_of_single()) / (highest_ - lowest_);
  }
  /// Whether whole numbers repeat so seldom that they were assigned. Measured numbers coincide now
  /// and then, least often if they are uniform over their range. For uniform ones so few
  /// repetitions have a probability of at most e^-5 (a Poisson distribution, by Chernoff's bound).
  bool are_given_out() const;
  /// Whole numbers of at least ten digits, all of the same length. Not all begin with 1, unlike
  /// times counted since 1970 in any unit.
  bool are_long_and_alike() const;
  /// Whether most cells are written like telephone numbers, and none is a negative number.
  bool are_telephones() const { return 2 * num_like_telephones_ > num_present_ && lowest_ >= 0; }
  /// Whether only one record holds the lowest or the highest number.
  bool is_lowest_single() const { return smallest_.count() == 1; }
  bool is_highest_single() const { return largest_.count() == 1; }
  /// Whether most of the cells examined are numbers, in a column that is not one of numbers.
  bool is_mostly_numbers() const;
  /// Whether several of its few values have one record each, so that they are not stray cells.
  bool has_single_values() const;
  /// Whether more than one in 20 records has a value that no other record has.
  bool leaves_many_records_out() const;
  /// Several different numbers, not all whole: a quantity, however few they are.
  bool are_fractions() const;
  /// So many different texts that fewer records of each suffice for categories.
  bool are_many() const;
  bool is_nearly_all_distinct() const;

 private:
  bool is_mostly_times() const { return times_.count() > num_number_cells_; }
  /// Numbers among dates, or dates among numbers.
  const FewTexts& strays() const { return is_mostly_times() ? among_times_ : among_numbers_; }
  size_t num_different_words() const { return words_.words().size() + strays().words().size(); }
  bool has_few_words() const;
  bool are_all_plain_numbers() const;

  /// Whether a cell equals the number of a mark, as -9.0 equals -9. If so, that mark is recorded.
  bool is_number_of_mark(std::string_view cell, double number, char decimal_mark);

  double share_of_names() const;
  /// Whether all cells differ, at any size of the table. With few records that is weak evidence.
  bool is_every_value_another() const;

  void add_number(std::string_view cell, double number);

  void add_spelled(const SpelledNumber& spelled);

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
  int64_t num_looked_at_ = 0;  ///< cells examined before there were too many words
  bool has_long_text_ = false;
  bool has_blanks_ = false;
  bool has_label_ = false;
  int64_t num_like_label_ = 0;
  bool has_codes_ = false;
  bool is_integers_ = true;
  bool has_rounded_wholes_ = false;
  bool has_too_many_words_ = false;  ///< further cells are not examined for numbers and words
  int64_t num_written_numbers_ = 0;
  FewTexts words_;          ///< neither numbers nor dates
  FewTexts among_times_;    ///< numbers
  FewTexts among_numbers_;  ///< dates
  int64_t num_number_cells_ = 0;
  int64_t num_dates_in_figures_ = 0;
  int64_t num_like_telephones_ = 0;
  int64_t num_blanks_ = 0;  ///< within cells
  int64_t num_like_before_ = 0;
  std::string before_;  ///< the cell of the row before
  std::array<int64_t, 10> last_digits_ = {};
  int64_t num_like_days_ = 0;
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
  int64_t num_numbers_ = 0;  ///< other numbers, described by the figures below
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
  double mean_ = 0;
  double squares_ = 0;  ///< the sum of (number - mean)^2
};

}  // namespace equinoise
