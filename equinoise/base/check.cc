#include "equinoise/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace equinoise {

void check_positive(std::string_view where, std::string_view name, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must be finite and > 0, got {}", name, value));
  }
}

void check_non_negative(std::string_view where, std::string_view name, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must be finite and >= 0, got {}", name, value));
  }
}

void check_open_interval(std::string_view where, std::string_view name, double value, double low,
                         double high) {
  if (!(value > low && value < high)) {
    throw Error(
        ErrorKind::kUsage, where,
        fmt::format("{} must lie strictly between {} and {}, got {}", name, low, high, value));
  }
}

void check_interval(std::string_view where, std::string_view name, double value, double low,
                    double high) {
  if (!(value >= low && value <= high)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must lie between {} and {}, got {}", name, low, high, value));
  }
}

namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
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
  std::string best;
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace equinoise
