// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// A column of numbers may hold so many different words.
constexpr size_t kMaxWords = 5;

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

}  // namespace equinoise
