// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/parse_truth.h"

#include <algorithm>
#include <array>

#include "equinoise/base/small_letters.h"

namespace equinoise {
namespace {

constexpr std::array<std::string_view, 6> kTrue = {"true", "t", "yes", "y", "on", "1"};
constexpr std::array<std::string_view, 6> kFalse = {"false", "f", "no", "n", "off", "0"};

/// Whether a word in small letters equals the text apart from its case.
bool spells(std::string_view word, std::string_view text) {
  return std::equal(word.begin(), word.end(), text.begin(), text.end(),
                    [](char small, char c) { return small == small_letter(c); });
}

}  // namespace

std::optional<bool> parse_truth(std::string_view text) {
  const auto is_text = [text](std::string_view word) { return spells(word, text); };
  if (std::ranges::any_of(kTrue, is_text)) return true;
  if (std::ranges::any_of(kFalse, is_text)) return false;
  return std::nullopt;
}

bool are_truth_pair(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < kTrue.size(); ++i) {
    if (spells(kTrue[i], a) && spells(kFalse[i], b)) return true;
    if (spells(kFalse[i], a) && spells(kTrue[i], b)) return true;
  }
  return false;
}

bool are_true_and_false(std::string_view a, std::string_view b) {
  return are_truth_pair(a, b) && (are_truth_pair(a, "true") || are_truth_pair(a, "false"));
}

}  // namespace equinoise
