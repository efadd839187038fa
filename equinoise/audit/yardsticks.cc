// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

namespace equinoise {

namespace {

constexpr uint64_t kBootstrapSeed = 20260101;
constexpr uint64_t kHalfSeed = 20260201;

/// SplitMix64 [SteeleLeaFlood2014], because many short streams are needed and they protect nobody.
class Stream {
 public:
  explicit Stream(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t word = (state_ += 0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

  /// A number in [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

/// log(n!) of a whole number, by Stirling's series.
double log_factorial(uint64_t number) {
  constexpr double kHalfLogTwoPi = 0.91893853320467274;
  constexpr uint64_t kFew = 16;
  const auto n = static_cast<double>(number);
  if (number >= kFew)
    return (n + 0.5) * std::log(n) - n + kHalfLogTwoPi + (1.0 / 12 - 1 / (360 * n * n)) / n;
  double product = 1;
  for (uint64_t i = 2; i <= number; ++i) product *= static_cast<double>(i);
  return std::log(product);
}

/// A whole number from `least` to `most` with log-concave probabilities, exp(log_mass), in a time
/// that does not grow with their number [Devroye1987]. A draw under a flat top with exponential
/// sides is rejected until it is under the probabilities.
template <typename LogMass>
uint64_t draw_log_concave(double mode, uint64_t least, uint64_t most, const LogMass& log_mass,
                          Stream& stream) {
  const uint64_t middle = std::clamp(static_cast<uint64_t>(mode), least, most);
  const double log_top = log_mass(middle);
  const double top = std::exp(log_top);
  const double width = 1 + top / 2;  // of one half of the flat top, in units of 1 / top
  for (;;) {
    double place = stream.fraction() * (1 + width);
    if (place > width) place = width - std::log1p(-stream.fraction());
    const bool is_below = stream.next() % 2 == 0;
    const double height = stream.fraction() * std::min(1.0, std::exp(width - place));
    const double distance = std::round(place / top);
    if (distance > static_cast<double>(is_below ? middle - least : most - middle)) continue;
    const auto steps = static_cast<uint64_t>(distance);
    const uint64_t drawn = is_below ? middle - steps : middle + steps;
    if (height <= std::exp(log_mass(drawn) - log_top)) return drawn;
  }
}

/// The number of `num` draws among `all` places, with replacement, that fall into the first `some`.
uint64_t draw_binomial(uint64_t num, uint64_t some, uint64_t all, Stream& stream) {
  const double share = static_cast<double>(some) / static_cast<double>(all);
  const double log_share = std::log(share);
  const double log_rest = std::log1p(-share);
  const double ways = log_factorial(num);
  const auto log_mass = [&](uint64_t i) {
    return ways - log_factorial(i) - log_factorial(num - i) + static_cast<double>(i) * log_share +
           static_cast<double>(num - i) * log_rest;
  };
  return draw_log_concave((static_cast<double>(num) + 1) * share, 0, num, log_mass, stream);
}

/// The number of such draws without replacement.
uint64_t draw_hypergeometric(uint64_t num, uint64_t some, uint64_t all, Stream& stream) {
  const uint64_t others = all - some;
  const double ways = log_factorial(some) + log_factorial(others) + log_factorial(num) +
                      log_factorial(all - num) - log_factorial(all);
  const auto log_mass = [&](uint64_t i) {
    return ways - log_factorial(i) - log_factorial(some - i) - log_factorial(num - i) -
           log_factorial(others - (num - i));
  };
  const double mode = (static_cast<double>(num) + 1) * (static_cast<double>(some) + 1) /
                      (static_cast<double>(all) + 2);
  return draw_log_concave(mode, num > others ? num - others : 0, std::min(num, some), log_mass,
                          stream);
}

/// Draws some of the places of rows, which lie one after another. First it draws the number in the
/// first half of all places, then in the first half of each half, and so on. It stops at places of
/// one row, or so few that each is drawn. Each part has its own stream, so that the drawn places do
/// not depend on the division into rows.
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
    divide({0, num_places()}, 0, num, 1);
    return std::move(drawn_);
  }

 private:
  static constexpr uint64_t kFewPlaces = 64;

  struct Places {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  /// Places of `first_row` or further rows. part: 1 for all places, 2 p and 2 p + 1 for the halves
  /// of part p.
  void divide(Places places, size_t first_row, uint64_t num, uint64_t part) {
    if (num == 0) return;
    const auto row =
        static_cast<size_t>(std::upper_bound(ends_.begin() + static_cast<std::ptrdiff_t>(first_row),
                                             ends_.end(), places.begin) -
                            ends_.begin());
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
    divide({places.begin, middle}, row, in_first, 2 * part);
    divide({middle, places.end}, row, num - in_first, 2 * part + 1);
  }

  void draw_each(Places places, size_t row, uint64_t num, Stream& stream) {
    const uint64_t size = places.end - places.begin;
    std::array<uint32_t, kFewPlaces> times{};
    if (with_replacement_) {
      for (; num > 0; --num)
        ++times[static_cast<size_t>(stream.fraction() * static_cast<double>(size))];
    } else {
      for (uint64_t i = 0; i < size; ++i) {
        const bool is_drawn =
            stream.fraction() * static_cast<double>(size - i) < static_cast<double>(num);
        times[i] = is_drawn ? 1 : 0;
        num -= times[i];
      }
    }
    for (uint64_t i = 0; i < size; ++i) {
      while (ends_[row] <= places.begin + i) ++row;
      drawn_[row] += times[i];
    }
  }

  bool with_replacement_;
  uint64_t seed_;
  std::vector<uint64_t> ends_;   // (rows) places of these and of those before
  std::vector<uint32_t> drawn_;  // (rows)
};

/// (units) 1 for those with a record that counts.
std::vector<uint32_t> counting_units(std::span<const uint32_t> counts,
                                     std::span<const uint32_t> units) {
  std::vector<uint32_t> result;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const auto own = counts.subspan(units[unit], units[unit + 1] - units[unit]);
    result.push_back(std::ranges::any_of(own, [](uint32_t count) { return count > 0; }) ? 1 : 0);
  }
  return result;
}

/// (rows) The counts of rows, times the draws of their unit.
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

Yardsticks draw_yardsticks(std::span<const uint32_t> counts, std::span<const uint32_t> units) {
  Yardsticks yardsticks{{}, half_counts(counts, units)};
  for (int draw = 0; draw < kNumBootstraps; ++draw)
    yardsticks.bootstraps.push_back(bootstrap_counts(counts, draw, units));
  return yardsticks;
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
