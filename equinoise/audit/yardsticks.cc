// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace equinoise {

namespace {

constexpr uint64_t kBootstrapSeed = 20260101;
constexpr uint64_t kHalfSeed = 20260201;

/// SplitMix64 [SteeleLeaFlood2014], since many short streams are needed and nobody is protected.
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t word = (state_ += 0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

/// A whole number from `least` to `most` whose probability falls on both sides of `mode`: that of i
/// + 1 is ratio(i) times that of i.
template <typename Ratio>
uint64_t draw_by_ratios(double mode, uint64_t least, uint64_t most, const Ratio& ratio,
                        Stream& stream) {
  constexpr double kNothing = 0x1p-60;  // next to the mode
  const uint64_t middle = std::clamp(static_cast<uint64_t>(mode), least, most);
  const auto visit = [&](const auto& take) {
    if (take(middle, 1.0)) return;
    double mass = 1;
    for (uint64_t i = middle; i < most && mass > kNothing; ++i)
      if (take(i + 1, mass *= ratio(i))) return;
    mass = 1;
    for (uint64_t i = middle; i > least && mass > kNothing; --i)
      if (take(i - 1, mass /= ratio(i - 1))) return;
  };
  double total = 0;
  visit([&](uint64_t, double mass) {
    total += mass;
    return false;
  });
  double left = stream.fraction() * total;
  uint64_t drawn = middle;
  visit([&](uint64_t i, double mass) {
    left -= mass;
    drawn = i;
    return left < 0;
  });
  return drawn;
}

/// How many of `num` that are drawn among `all` places with replacement are in the first `some`.
uint64_t draw_binomial(uint64_t num, uint64_t some, uint64_t all, Stream& stream) {
  const auto n = static_cast<double>(num);
  const double odds = static_cast<double>(some) / static_cast<double>(all - some);
  const double share = static_cast<double>(some) / static_cast<double>(all);
  const auto ratio = [&](uint64_t i) {
    return (n - static_cast<double>(i)) / (static_cast<double>(i) + 1) * odds;
  };
  return draw_by_ratios((n + 1) * share, 0, num, ratio, stream);
}

/// The same without replacement.
uint64_t draw_hypergeometric(uint64_t num, uint64_t some, uint64_t all, Stream& stream) {
  const auto n = static_cast<double>(num);
  const auto m = static_cast<double>(some);
  const double others = static_cast<double>(all) - m - n;
  const auto ratio = [&](uint64_t i) {
    const auto x = static_cast<double>(i);
    return (n - x) * (m - x) / ((x + 1) * (others + x + 1));
  };
  const uint64_t least = num + some > all ? num + some - all : 0;
  const double mode = (n + 1) * (m + 1) / (static_cast<double>(all) + 2);
  return draw_by_ratios(mode, least, std::min(num, some), ratio, stream);
}

/// Draws some of the places of rows, which lie one after another. First how many are in the first
/// half of all places, then in the first half of each half, and so on, until the places are of one
/// row or so few that each is drawn. Each part has a stream of its own, so that what falls upon
/// places does not depend on how they are divided into rows.
class PlaceDraw {
 public:
  /// `sizes`: (rows) places of each.
  PlaceDraw(std::span<const uint32_t> sizes, bool with_replacement, uint64_t seed)
      : with_replacement_(with_replacement), seed_(seed) {
    ends_.reserve(sizes.size());
    for (const uint32_t size : sizes) ends_.push_back(num_places() + size);
  }

  uint64_t num_places() const { return ends_.empty() ? 0 : ends_.back(); }

  /// (rows) How many of the drawn ones are in each.
  std::vector<uint32_t> draw(uint64_t num) {
    drawn_.assign(ends_.size(), 0);
    divide({0, num_places()}, num, 1);
    return std::move(drawn_);
  }

 private:
  struct Places {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  size_t row_of(uint64_t place) const {
    return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), place) - ends_.begin());
  }

  /// part: 1 for all places, 2 p and 2 p + 1 for the halves of part p.
  void divide(Places places, uint64_t num, uint64_t part) {
    constexpr uint64_t kFewPlaces = 256;
    if (num == 0) return;
    const size_t row = row_of(places.begin);
    if (ends_[row] >= places.end) {
      drawn_[row] += static_cast<uint32_t>(num);
      return;
    }
    Stream stream(Stream(seed_ ^ Stream(part).next()).next());
    const uint64_t size = places.end - places.begin;
    if (size <= kFewPlaces) {
      draw_each(places, row, num, stream);
      return;
    }
    const uint64_t middle = places.begin + size / 2;
    const uint64_t in_first = with_replacement_ ? draw_binomial(num, size / 2, size, stream)
                                                : draw_hypergeometric(num, size / 2, size, stream);
    divide({places.begin, middle}, in_first, 2 * part);
    divide({middle, places.end}, num - in_first, 2 * part + 1);
  }

  void draw_each(Places places, size_t row, uint64_t num, Stream& stream) {
    const auto size = static_cast<double>(places.end - places.begin);
    if (with_replacement_) {
      for (; num > 0; --num)
        ++drawn_[row_of(places.begin + static_cast<uint64_t>(stream.fraction() * size))];
      return;
    }
    for (uint64_t place = places.begin; place < places.end && num > 0; ++place) {
      while (ends_[row] <= place) ++row;
      if (stream.fraction() * static_cast<double>(places.end - place) >= static_cast<double>(num))
        continue;
      ++drawn_[row];
      --num;
    }
  }

  bool with_replacement_;
  uint64_t seed_;
  std::vector<uint64_t> ends_;   // (rows) places of these and of those before
  std::vector<uint32_t> drawn_;  // (rows)
};

/// (units) 1 for those who have a record that counts.
std::vector<uint32_t> counting_units(std::span<const uint32_t> counts,
                                     std::span<const uint32_t> units) {
  std::vector<uint32_t> result;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const auto own = counts.subspan(units[unit], units[unit + 1] - units[unit]);
    result.push_back(std::ranges::any_of(own, [](uint32_t count) { return count > 0; }) ? 1 : 0);
  }
  return result;
}

/// (rows) Their counts as often as their unit was drawn.
std::vector<uint32_t> counts_of_units(std::span<const uint32_t> counts,
                                      std::span<const uint32_t> units,
                                      std::span<const uint32_t> drawn) {
  std::vector<uint32_t> result(counts.begin(), counts.end());
  for (size_t unit = 0; unit < drawn.size(); ++unit)
    for (size_t row = units[unit]; row < units[unit + 1]; ++row) result[row] *= drawn[unit];
  return result;
}

}  // namespace

std::vector<uint32_t> bootstrap_counts(std::span<const uint32_t> counts, int draw,
                                       std::span<const uint32_t> units) {
  if (!units.empty()) {
    const std::vector<uint32_t> all = counting_units(counts, units);
    return counts_of_units(counts, units, bootstrap_counts(all, draw));
  }
  PlaceDraw places(counts, true, kBootstrapSeed + static_cast<uint64_t>(draw));
  return places.draw(places.num_places());
}

Halves half_counts(std::span<const uint32_t> counts, std::span<const uint32_t> units) {
  if (!units.empty()) {
    const Halves all = half_counts(counting_units(counts, units));
    return {counts_of_units(counts, units, all.first), counts_of_units(counts, units, all.second)};
  }
  PlaceDraw places(counts, false, kHalfSeed);
  Halves halves{places.draw(places.num_places() / 2), {counts.begin(), counts.end()}};
  for (size_t row = 0; row < counts.size(); ++row) halves.second[row] -= halves.first[row];
  return halves;
}

std::vector<uint32_t> units_of_kept(std::span<const uint32_t> units,
                                    std::span<const uint8_t> is_kept) {
  std::vector<uint32_t> kept;
  uint32_t num_kept = 0;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const uint32_t begin = num_kept;
    for (size_t record = units[unit]; record < units[unit + 1]; ++record)
      num_kept += is_kept[record] != 0 ? 1 : 0;
    if (num_kept > begin) kept.push_back(begin);
  }
  if (!units.empty()) kept.push_back(num_kept);
  return kept;
}

}  // namespace equinoise
