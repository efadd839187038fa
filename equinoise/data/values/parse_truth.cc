// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/parse_truth.h"

#include <algorithm>

#include "equinoise/base/small_letters.h"

namespace equinoise {
namespace {

constexpr size_t kNumTrue = kTruthWords.size() / 2;

/// Whether a word in small letters equals the text apart from its case.
bool spells(std::string_view word, std::string_view text) {
  return std::equal(word.begin(), word.end(), text.begin(), text.end(),
                    [](char small, char c) { return small == small_letter(c); });
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  const auto* const word = std::ranges::find_if(
      kTruthWords, [&](std::string_view known) { return spells(known, text); });
  if (word == kTruthWords.end()) return std::nullopt;
  return word < kTruthWords.begin() + kNumTrue;
}

bool are_truth_pair(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < kTruthWords.size(); ++i)
    if (spells(kTruthWords[i], a) && spells(kTruthWords[(i + kNumTrue) % kTruthWords.size()], b))
      return true;
  return false;
}

bool are_truth_pair(std::span<const std::string> texts) {
  return texts.size() == 2 && are_truth_pair(texts[0], texts[1]);
}

bool are_true_and_false(std::string_view a, std::string_view b) {
  return are_truth_pair(a, b) && (are_truth_pair(a, "true") || are_truth_pair(a, "false"));
}

}  // namespace equinoise
