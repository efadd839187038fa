// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace equinoise {

/// Counts distinct texts: exactly, with the texts themselves, up to a capacity; above it with an
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

  /// Drops the texts. From here on only the number of distinct texts is kept.
  void forget_texts() {
    is_complete_ = false;
    for (const auto& [text, count] : texts_) add_hash(std::hash<std::string_view>()(text), count);
    texts_.clear();
  }

  bool is_complete() const { return is_complete_; }

  /// The texts, or only those that occur more than once.
  std::vector<std::string> texts(bool repeated_only) const {
    std::vector<std::string> texts;
    for (const auto& [text, count] : texts_)
      if (count > 1 || !repeated_only) texts.push_back(text);
    return texts;
  }

  /// The number of texts and of cells that repeat one, for all texts or for a sample of them. The
  /// sample does not depend on how often a text occurs.
  struct Repeats {
    double num_texts = 0;
    double num_repeats = 0;
  };
  Repeats repeats() const {
    Repeats repeats;
    for (const int64_t count : cells_of_each()) {
      ++repeats.num_texts;
      repeats.num_repeats += static_cast<double>(count - 1);
    }
    return repeats;
  }

  /// The number of cells with each text, or with each of such a sample.
  std::vector<int64_t> cells_of_each() const {
    std::vector<int64_t> cells;
    for (const auto& [text, count] : texts_) cells.push_back(count);
    for (const auto& [hash, count] : hashes_) cells.push_back(count);
    return cells;
  }

  /// The number of distinct texts. An estimate may exceed the number of cells.
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
    const auto place = std::ranges::lower_bound(hashes_, std::pair(hash, int64_t{0}));
    if (place != hashes_.end() && place->first == hash) {
      place->second += count;
      return;
    }
    hashes_.insert(place, {hash, count});
    if (hashes_.size() > kNumHashes) hashes_.pop_back();
  }

  size_t capacity_;
  bool is_complete_ = true;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> texts_;  ///< number of cells
  /// The smallest hashes, ascending, with the number of cells of each. The counts are complete: a
  /// hash that is among the smallest at the end always was.
  std::vector<std::pair<uint64_t, int64_t>> hashes_;
};

/// The most different words in a column of numbers.
constexpr size_t kMaxWords = 5;

/// A text among numbers or dates, and the number of its cells.
struct Word {
  std::string text;
  int64_t count;
};

/// Texts of another kind than most cells of a column, as long as they are few.
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

}  // namespace equinoise
