// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/int128.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// The method of drawing rows from a model.
enum class RowDraw {
  kRound,   ///< rounded counts, closer to the model's than independent draws
  kSample,  ///< independent draws
};

inline constexpr EnumWords<RowDraw, 2> kRowDraws = {
    {{RowDraw::kRound, "round"}, {RowDraw::kSample, "sample"}}};
template <>
inline constexpr auto words_for<RowDraw> = kRowDraws;

/// Urns of codes, from which rows draw their codes one after the other. Post-processing, in which
/// probabilities may be rounded.
class CodeUrns {
 public:
  /// Empty urns; each has room for codes below `num_codes`.
  CodeUrns(size_t num_urns, size_t num_codes, RowDraw draw);

  /// Fills an urn. kRound: `size` codes, each with its share of `weights` rounded as round_counts()
  /// does; drawn codes leave the urn. kSample: any number of draws, and `size` does not matter;
  /// probabilities are rounded to 2^-31. Returns the number of each code in the urn, valid until
  /// the next call. Weights are >= 0; a code of weight 0 gets nothing unless all are 0, when they
  /// count as equal.
  std::span<const size_t> fill(size_t urn, std::span<const double> weights, size_t size,
                               RandomSource& source);

  /// Puts `counts` of each code into an urn, together below 2^32.
  void put(size_t urn, std::span<const size_t> counts);

  /// A random code of the urn. Pre: there is one.
  uint32_t draw(size_t urn, RandomSource& source);

 private:
  size_t num_codes_;
  RowDraw draw_;
  // (urns, num_codes): at 0 the codes of the urn, at the middle of each range of codes, which
  // halving reaches, those below it in that range.
  std::vector<uint32_t> below_;
  std::vector<size_t> counts_;  // of the urn that is filled
};

inline uint32_t CodeUrns::draw(size_t urn, RandomSource& source) {
  uint32_t* below = below_.data() + urn * num_codes_;
  // The product's high word is uniform below the number of codes, up to 2^-32.
  auto place = static_cast<uint32_t>(high_word(static_cast<Uint128>(source.next()) * below[0]));
  const uint32_t taken = draw_ == RowDraw::kRound ? 1 : 0;
  size_t begin = 0;
  size_t end = num_codes_;
  while (end - begin > 1) {
    const size_t middle = (begin + end) / 2;
    const uint32_t lower = below[middle];
    // Conditional moves: which half it is cannot be foreseen.
    const bool is_upper = place >= lower;
    below[middle] = lower - (is_upper ? 0 : taken);
    place -= is_upper ? lower : 0;
    begin = is_upper ? middle : begin;
    end = is_upper ? end : middle;
  }
  below[0] -= taken;
  return static_cast<uint32_t>(begin);
}

}  // namespace equinoise
