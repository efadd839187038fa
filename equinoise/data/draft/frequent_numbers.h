// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <vector>

namespace equinoise {

/// A number is a point mass if more than this share of a column's numbers equal it, and at least
/// so many.
constexpr double kShareOfPointMass = 0.05;
constexpr int64_t kMinOfPointMass = 5;

/// Finds frequent numbers with a fixed number of counters. A count is below the true one by at most
/// 1/kNumCounters of all numbers. [MisraGries1982]
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

  /// Numbers that certainly have the share of a point mass, ascending.
  std::vector<double> point_masses() const {
    std::vector<double> numbers;
    for (const auto& [number, count] : counts_) {
      if (count >= kMinOfPointMass &&
          static_cast<double>(count) > kShareOfPointMass * static_cast<double>(num_numbers_))
        numbers.push_back(number + 0.0);
    }
    std::ranges::sort(numbers);
    return numbers;
  }

 private:
  static constexpr size_t kNumCounters = 200;

  std::unordered_map<double, int64_t> counts_;
  int64_t num_numbers_ = 0;
};

/// The two outermost numbers on one side, and the number of cells with the outermost one.
class OutermostNumbers {
 public:
  /// `is_below`: the smallest numbers.
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

  /// The outermost number, if it looks like a code for a missing answer and is frequent enough to
  /// reveal nobody. Such codes are the only negative number, if it is -1 or of nines (-9, -99), or
  /// nines (99, 9999) at least 1.5 times all other numbers.
  std::optional<double> sentinel() const {
    constexpr double kFar = 1.5;
    if (count_ < kMinOfPointMass || !second_) return std::nullopt;
    const bool is_far = is_below_ ? first_ < 0 && *second_ >= 0 : first_ >= kFar * *second_;
    const bool is_code = is_of_nines(std::fabs(first_)) || (is_below_ && first_ == -1);
    return is_far && is_code ? std::optional(first_) : std::nullopt;
  }
  int64_t count() const { return count_; }

  /// The distance between the two outermost numbers, if a single cell has the outermost one; else
  /// 0.
  double gap_of_single() const { return count_ == 1 && second_ ? std::fabs(first_ - *second_) : 0; }

 private:
  bool is_beyond(double a, double b) const { return is_below_ ? a < b : a > b; }
  /// Whether a number consists of nines; above 0 at least two of them.
  bool is_of_nines(double number) const {
    constexpr double kMax = 1e12;
    double nines = is_below_ ? 9 : 99;
    while (nines < number && nines < kMax) nines = 10 * nines + 9;
    return nines == number;
  }

  bool is_below_;
  double first_ = 0;
  std::optional<double> second_;
  int64_t count_ = 0;
};

}  // namespace equinoise
