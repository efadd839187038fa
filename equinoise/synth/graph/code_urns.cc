// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/code_urns.h"

#include "equinoise/synth/graph/rounding.h"

namespace equinoise {

namespace {

/// Fills CodeUrns::below_ for a range of codes. Returns their sum.
uint32_t add_below(std::span<const size_t> counts, size_t begin, size_t end, uint32_t* below) {
  if (end - begin == 1) return static_cast<uint32_t>(counts[begin]);
  const size_t middle = (begin + end) / 2;
  below[middle] = add_below(counts, begin, middle, below);
  return below[middle] + add_below(counts, middle, end, below);
}

}  // namespace

CodeUrns::CodeUrns(size_t num_urns, size_t num_codes, RowDraw draw)
    : num_codes_(num_codes), draw_(draw), below_(num_urns * num_codes) {}

std::span<const size_t> CodeUrns::fill(size_t urn, std::span<const double> weights, size_t size,
                                       RandomSource& source) {
  constexpr size_t kUnits = size_t{1} << 31;
  round_counts(weights, draw_ == RowDraw::kRound ? size : kUnits, source, counts_);
  put(urn, counts_);
  return counts_;
}

void CodeUrns::put(size_t urn, std::span<const size_t> counts) {
  uint32_t* below = below_.data() + urn * num_codes_;
  below[0] = add_below(counts, 0, num_codes_, below);
}

}  // namespace equinoise
