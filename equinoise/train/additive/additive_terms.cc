// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/additive_terms.h"

#include <utility>

namespace equinoise {

namespace {

/// Neighbouring cells with one contribution.
struct Pool {
  size_t size = 1;
  double share = 0;
  double mean = 0;  ///< of contributions; that of a single cell as it is
};

/// The fewest pools whose means ascend, if `sign` is 1, or descend, if it is -1.
std::vector<Pool> pools_of(std::span<const double> shares, std::span<const double> added,
                           double sign) {
  std::vector<Pool> pools;
  for (size_t cell = 0; cell < added.size(); ++cell) {
    Pool pool{1, shares[cell], added[cell]};
    while (!pools.empty() && sign * pools.back().mean > sign * pool.mean) {
      const Pool& last = pools.back();
      const double share = pool.share + last.share;
      pool = {pool.size + last.size, share,
              (pool.share * pool.mean + last.share * last.mean) / share};
      pools.pop_back();
    }
    pools.push_back(pool);
  }
  return pools;
}

}  // namespace

void keep_monotone(AdditiveTerm& term, double sign, std::span<double> parameters) {
  const std::span<double> added = parameters.subspan(term.first_cell, term.shares.size());
  std::vector<uint32_t> parts;
  bool was_alone = false;
  for (const Pool& pool : pools_of(term.shares, added, sign)) {
    const bool is_alone = pool.size == 1;
    for (size_t k = 0; k < pool.size; ++k) {
      const size_t cell = parts.size();
      const bool goes_on = is_alone ? was_alone && term.parts[cell] == term.parts[cell - 1] : k > 0;
      parts.push_back(cell == 0 ? 0 : parts.back() + (goes_on ? 0 : 1));
      if (!is_alone) added[cell] = pool.mean;
    }
    was_alone = is_alone;
  }
  term.parts = std::move(parts);
}

}  // namespace equinoise
