// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

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
