// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/nearest_name.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/small_letters.h"

namespace equinoise {

namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row = numbers_below(b.size() + 1);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string small = in_small_letters(std::string(word));
  std::string best;
  const size_t num_letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  size_t best_distance = std::min(std::max<size_t>(2, word.size() / 3), (num_letters + 1) / 2) + 1;
  for (const std::string& candidate : candidates) {
    if (in_small_letters(candidate) == small) return candidate;
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_in_it(std::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : fmt::format("; the nearest name in it is '{}'", nearest);
}

void refuse_unknown(std::string_view where, std::string_view what, std::string_view name,
                    const std::vector<std::string>& names, std::string_view hint) {
  const std::string nearest = nearest_name(name, names);
  throw Error(ErrorKind::kUsage, where, "there is no {} \"{}\"; {}", what, name,
              !nearest.empty() ? fmt::format("did you mean \"{}\"?", nearest)
              : !hint.empty()  ? std::string(hint)
                               : fmt::format("choose one of {}", fmt::join(names, ", ")));
}

}  // namespace equinoise
