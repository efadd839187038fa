// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/gaussian.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/clamped_sum.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

namespace {

// Below, f(x) = exp(-x^2 / 2). Box i is [0, x_i) x [Y_i, Y_{i+1}) with Y_0 = 0 and
// Y_{i+1} = Y_i + area / x_i. The part of box 0 right of x_1 represents the tail, whose exponential
// envelope f(x_1) / x_1 is smaller than that part.
constexpr int kBoxes = 256;
constexpr int kPositionBits = 52;

struct Box {
  uint64_t inside;  // positions below this lie under f at any height
  double width;     // x_i * 2^-52
};

struct Ziggurat {
  std::array<Box, kBoxes> boxes;
  std::array<double, kBoxes> x;
  std::array<double, kBoxes> bottom;     // Y_i as doubles, for the first look
  std::array<Wide, kBoxes> bottom_wide;  // Y_i
  double area = 0;
  double tail_share = 0;  // tail envelope / part of box 0 that represents the tail
};

double inverse_density(double y) { return std::sqrt(-2 * std::log(y)); }

/// f^-1(y) for 0 < y < 1, off by at most one unit in the last place.
double inverse_density(const Wide& y) { return static_cast<double>(sqrt(-2 * log(y))); }

/// The height that the boxes reach when the first one ends at `base`: at least 1 is needed to cover
/// f.
double height_reached(double base) {
  double bottom = std::exp(-base * base / 2);
  const double area = (base + 1 / base) * bottom;
  for (int i = 1; i < kBoxes && bottom < 1; ++i) bottom += area / inverse_density(bottom);
  return bottom;
}

/// The area of box 0 right of x_1.
Wide tail_part(const Ziggurat& table) {
  return (Wide(table.x[0]) - Wide(table.x[1])) * Wide(table.area) / Wide(table.x[0]);
}

/// The area under f(x_1) exp(-x_1 (x - x_1)), x > x_1, which lies above f.
Wide tail_envelope(const Ziggurat& table) {
  const Wide base = table.x[1];
  return exp(-base * base / 2) / base;
}

Ziggurat make_ziggurat() {
  double low = 3;  // covers
  double high = 5;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (height_reached(middle) >= 1 ? low : high) = middle;
  }
  const double base = low - 1e-9;

  Ziggurat table;
  // Rounding the first height and the area up keeps the envelope inside its part and every later
  // box wide enough.
  const double first_height = next_up(next_up(std::exp(-base * base / 2)));
  table.area = (base + 1 / base) * first_height * (1 + 0x1p-48);
  table.x[0] = table.area / first_height;
  table.bottom_wide[0] = 0;
  for (int i = 0; i < kBoxes; ++i) {
    const Wide top = table.bottom_wide[i] + Wide(table.area) / Wide(table.x[i]);
    const double reach = top < 1 ? inverse_density(top) : 0;
    if (i + 1 < kBoxes) {
      table.bottom_wide[i + 1] = top;
      table.x[i + 1] = next_up(next_up(reach));
    } else if (top < 1) {
      throw Error(ErrorKind::kRuntime, "privacy.random", "the ziggurat does not cover the density");
    }
    table.bottom[i] = static_cast<double>(table.bottom_wide[i]);
    const double under = next_down(next_down(reach)) / table.x[i] * 0x1p52;
    table.boxes[i] = {under > 4 ? static_cast<uint64_t>(under) - 2 : 0, table.x[i] * 0x1p-52};
  }
  if (tail_part(table) < tail_envelope(table)) {
    throw Error(ErrorKind::kRuntime, "privacy.random", "the ziggurat does not cover the tail");
  }
  table.tail_share = static_cast<double>(tail_envelope(table) / tail_part(table));
  return table;
}

const Ziggurat& ziggurat() {
  static const Ziggurat table = make_ziggurat();
  return table;
}

TailBits draw_tail_bits(RandomSource& source) {
  const uint64_t high = source.next();
  return {high, source.next()};
}

int64_t round_wide(const Wide& value) { return static_cast<int64_t>(floor(value + Wide(0.5))); }

/// A uniform number: 64 bits at first, 192 on demand.
struct Uniform {
  uint64_t head;
  TailBits tail;

  static Uniform draw(RandomSource& source) {
    const uint64_t head = source.next();
    return {head, draw_tail_bits(source)};
  }
  double value() const { return (static_cast<double>(head) + 0.5) * 0x1p-64; }
  Wide exact() const { return wide_uniform(head, 64, tail); }
};

/// round(scaled), unless it is within `doubt` of a rounding boundary.
std::optional<int64_t> round_surely(double scaled, double doubt) {
  const double lower = std::floor(scaled);
  const double fraction = scaled - lower;
  if (!(std::fabs(fraction - 0.5) > doubt)) return std::nullopt;
  return static_cast<int64_t>(lower) + (fraction > 0.5 ? 1 : 0);
}

/// a < b, decided by doubles with an error of at most 1e-14 each, or else by `exact`.
template <bool kAlwaysWide, typename Exact>
bool is_less(double a, double b, Exact exact) {
  if (!kAlwaysWide && std::fabs(a - b) > 1e-13) return a < b;
  return exact();
}

/// Draws round(stddev * x) for x in the tail beyond x_1; nothing if this attempt is rejected.
template <bool kAlwaysWide>
std::optional<int64_t> draw_tail(const Ziggurat& table, double stddev, RandomSource& source) {
  const double base = table.x[1];
  const Uniform share = Uniform::draw(source);
  if (!is_less<kAlwaysWide>(share.value(), table.tail_share, [&] {
        return share.exact() * tail_part(table) < tail_envelope(table);
      })) {
    return std::nullopt;
  }
  const Uniform depth = Uniform::draw(source);
  const Uniform height = Uniform::draw(source);
  const auto exact_beyond = [&] { return -log(depth.exact()) / Wide(base); };
  const double beyond = -std::log(depth.value()) / base;
  // Above 2^-20 the head gives the logarithm to 2^-45; below, the tail bits are needed at once.
  const bool deep = depth.head < (uint64_t{1} << 44);
  const auto exact_kept = [&] {
    const Wide x = exact_beyond();
    return height.exact() < exp(-x * x / 2);
  };
  const bool kept =
      deep ? exact_kept()
           : is_less<kAlwaysWide>(height.value(), std::exp(-beyond * beyond / 2), exact_kept);
  if (!kept) return std::nullopt;
  const std::optional<int64_t> sure = round_surely((base + beyond) * stddev, stddev * 0x1p-45);
  if (!kAlwaysWide && sure && !deep) return sure;
  return round_wide(Wide(stddev) * (Wide(base) + exact_beyond()));
}

/// A uniform point of a box's width: 52 bits at first, 180 on demand.
struct Point {
  const Ziggurat& table;
  int box;
  uint64_t position;
  TailBits tail;

  /// The middle of the 52-bit cell; off by less than 2^-49.
  double value() const { return (static_cast<double>(position) + 0.5) * table.boxes[box].width; }
  Wide exact() const { return wide_uniform(position, kPositionBits, tail) * Wide(table.x[box]); }
};

/// Returns whether the point lies right of x_1.
template <bool kAlwaysWide>
bool in_tail_part(const Point& point) {
  const double base = point.table.x[1];
  const double value = point.value();
  if (!kAlwaysWide && std::fabs(value - base) > 0x1p-40) return value > base;
  return point.exact() >= Wide(base);
}

/// Returns whether a uniform height within the point's box falls under f.
template <bool kAlwaysWide>
bool under_density(const Point& point, RandomSource& source) {
  const Ziggurat& table = point.table;
  const int i = point.box;
  const Uniform share = Uniform::draw(source);
  const double x = point.value();
  const double height = table.bottom[i] + share.value() * (table.area / table.x[i]);
  return is_less<kAlwaysWide>(height, std::exp(-x * x / 2), [&] {
    const Wide exact_x = point.exact();
    const Wide exact_height =
        table.bottom_wide[i] + share.exact() * Wide(table.area) / Wide(table.x[i]);
    return exact_height < exp(-exact_x * exact_x / 2);
  });
}

/// Finishes a draw outside its box's inner part or too close to a rounding boundary; nothing if the
/// attempt is rejected.
template <bool kAlwaysWide>
std::optional<int64_t> draw_slowly(const Point& point, double stddev, double doubt,
                                   RandomSource& source) {
  if (point.position >= point.table.boxes[point.box].inside) {
    if (point.box == 0 && in_tail_part<kAlwaysWide>(point)) {
      return draw_tail<kAlwaysWide>(point.table, stddev, source);
    }
    if (!under_density<kAlwaysWide>(point, source)) return std::nullopt;
    const std::optional<int64_t> sure = round_surely(point.value() * stddev, doubt);
    if (!kAlwaysWide && sure) return sure;
  }
  return round_wide(Wide(stddev) * point.exact());
}

constexpr size_t kLanes = 4;
// Magnitudes are far below 2^51.
static_assert(kMaxGaussianStddev <= 0x1p40);

/// Draws four at a time from the words that the source has ready, and adds their noise. Stops at
/// the first four in which one is unusual: not surely inside its box, not surely rounded, or beyond
/// 64 bits. Returns the number of units that have their noise; the words of others are left.
size_t add_usual_noise(const Ziggurat& table, double stddev, double doubt, std::span<int64_t> units,
                       RandomSource& source) {
  const std::span<const uint64_t> words = source.ready();
  const size_t size = std::min(words.size(), units.size()) / kLanes * kLanes;
  // Integers below 2^52 are the low bits of the double 2^52 + them. Those below 2^51, of either
  // sign, are the low bits of 1.5 times 2^52 + them.
  const __m256d to_double = _mm256_set1_pd(0x1p52);
  const __m256d to_integer = _mm256_set1_pd(0x1.8p52);
  const __m256d half = _mm256_set1_pd(0.5);
  const __m256d sign_bit = _mm256_set1_pd(-0.0);
  size_t j = 0;
  for (; j < size; j += kLanes) {
    const auto box = [&](size_t k) {
      return _mm_loadu_pd(reinterpret_cast<const double*>(&table.boxes[words[j + k] & 255]));
    };
    const __m256d even = _mm256_set_m128d(box(2), box(0));
    const __m256d odd = _mm256_set_m128d(box(3), box(1));
    const __m256i inside = _mm256_castpd_si256(_mm256_unpacklo_pd(even, odd));
    const __m256d width = _mm256_unpackhi_pd(even, odd);
    const __m256i word = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words.data() + j));
    const __m256i position = _mm256_srli_epi64(word, 64 - kPositionBits);
    const __m256d cell = _mm256_sub_pd(
        _mm256_castsi256_pd(_mm256_or_si256(position, _mm256_castpd_si256(to_double))), to_double);
    const __m256d scaled =
        _mm256_mul_pd(_mm256_mul_pd(_mm256_add_pd(cell, half), width), _mm256_set1_pd(stddev));
    const __m256d lower = _mm256_floor_pd(scaled);
    const __m256d beyond_half = _mm256_sub_pd(_mm256_sub_pd(scaled, lower), half);
    const __m256d is_sure =
        _mm256_cmp_pd(_mm256_andnot_pd(sign_bit, beyond_half), _mm256_set1_pd(doubt), _CMP_GT_OQ);
    const __m256d up = _mm256_and_pd(_mm256_cmp_pd(beyond_half, _mm256_setzero_pd(), _CMP_GT_OQ),
                                     _mm256_set1_pd(1));
    const __m256i magnitude =
        _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(_mm256_add_pd(lower, up), to_integer)),
                         _mm256_castpd_si256(to_integer));
    const __m256i negative =
        _mm256_sub_epi64(_mm256_setzero_si256(),
                         _mm256_and_si256(_mm256_srli_epi64(word, 8), _mm256_set1_epi64x(1)));
    const __m256i noise = _mm256_sub_epi64(_mm256_xor_si256(magnitude, negative), negative);
    auto* const to = reinterpret_cast<__m256i*>(units.data() + j);
    const __m256i unit = _mm256_loadu_si256(to);
    const __m256i sum = _mm256_add_epi64(unit, noise);
    // Overflow shows in the sign bits: a sum then has another sign than both its terms.
    const __m256i overflow =
        _mm256_and_si256(_mm256_xor_si256(unit, sum), _mm256_xor_si256(noise, sum));
    const __m256i is_usual = _mm256_andnot_si256(
        overflow,
        _mm256_and_si256(_mm256_cmpgt_epi64(inside, position), _mm256_castpd_si256(is_sure)));
    const auto usual = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(is_usual)));
    if (usual != 15) {
      const auto num_usual = static_cast<size_t>(std::countr_one(usual));
      std::array<int64_t, kLanes> sums;
      std::memcpy(sums.data(), &sum, sizeof sum);
      std::copy_n(sums.begin(), num_usual, units.begin() + static_cast<std::ptrdiff_t>(j));
      j += num_usual;
      break;
    }
    _mm256_storeu_si256(to, sum);
  }
  source.discard(j);
  return j;
}

template <bool kAlwaysWide>
void add_one(const Ziggurat& table, double stddev, double doubt, int64_t& unit,
             RandomSource& source) {
  std::optional<int64_t> magnitude;
  uint64_t word = 0;
  while (!magnitude) {
    word = source.next();
    const int i = static_cast<int>(word & 255);
    const uint64_t position = word >> (64 - kPositionBits);
    if (position < table.boxes[i].inside) [[likely]] {
      const double x = (static_cast<double>(position) + 0.5) * table.boxes[i].width;
      magnitude = round_surely(x * stddev, doubt);
      if (kAlwaysWide && magnitude) {
        magnitude = round_wide(Wide(position) * Wide(table.boxes[i].width) * Wide(stddev));
      }
      if (magnitude) [[likely]]
        break;
    }
    magnitude = draw_slowly<kAlwaysWide>({table, i, position, draw_tail_bits(source)}, stddev,
                                         doubt, source);
  }
  const bool negative = (word >> 8 & 1) != 0;
  unit = clamped_sum(unit, negative ? -*magnitude : *magnitude);
}

template <bool kAlwaysWide>
void add_rounded_gaussian(double stddev, std::span<int64_t> units, RandomSource& source) {
  check_open_interval("privacy.random", "noise stddev in grid units", stddev, 0,
                      next_up(kMaxGaussianStddev));
  const Ziggurat& table = ziggurat();
  // |computed - real| <= half a position cell plus three roundings of numbers below 4.2 * stddev.
  const double doubt = stddev * 0x1p-49;
  for (size_t j = 0; j < units.size();) {
    if (!kAlwaysWide) j += add_usual_noise(table, stddev, doubt, units.subspan(j), source);
    if (j == units.size()) return;
    add_one<kAlwaysWide>(table, stddev, doubt, units[j++], source);
  }
}

}  // namespace

void add_rounded_gaussian(double stddev, std::span<int64_t> units, RandomSource& source) {
  add_rounded_gaussian<false>(stddev, units, source);
}

void add_rounded_gaussian_wide(double stddev, std::span<int64_t> units, RandomSource& source) {
  add_rounded_gaussian<true>(stddev, units, source);
}

}  // namespace equinoise
