// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace equinoise {

/// The binary tree of sums over a sequence of vectors. Node (level, index) holds the sum of items
/// index 2^level .. (index + 1) 2^level - 1. The sum of the first t items is that of the nodes of
/// the binary digits of t, left to right. For T items, each is in at most one node of each of the
/// floor(log2 T) + 1 levels, so that all T prefix sums together cost that many releases of it.
/// [DworkEtAl2010, ChanShiSong2011]
template <typename Number>
class PrefixTree {
 public:
  explicit PrefixTree(size_t num_entries) : num_entries_(num_entries) {}

  /// Takes the next item; returns the noisy sum of all so far, (num_entries), left to right.
  /// add_noise(level, index, node) is called once for each node of such sums, when its last item
  /// has come.
  template <typename AddNoise>
  std::vector<Number> add(std::span<const Number> item, const AddNoise& add_noise) {
    const uint64_t number = num_items_++;
    // The node that ends here and is not the right half of another one that ends here.
    const auto level = static_cast<size_t>(std::countr_one(number));
    if (plain_.size() <= level) {
      plain_.resize(level + 1);
      noisy_.resize(level + 1);
    }
    std::vector<Number> node(item.begin(), item.end());
    for (size_t half = 0; half < level; ++half) {
      for (size_t j = 0; j < num_entries_; ++j) node[j] += plain_[half][j];
      noisy_[half].clear();
    }
    plain_[level] = node;
    noisy_[level] = std::move(node);
    add_noise(level, static_cast<size_t>(number >> level), std::span<Number>(noisy_[level]));
    std::vector<Number> sum(num_entries_, Number{0});
    for (size_t i = noisy_.size(); i-- > 0;)
      for (size_t j = 0; j < noisy_[i].size(); ++j) sum[j] += noisy_[i][j];
    return sum;
  }

 private:
  size_t num_entries_;
  uint64_t num_items_ = 0;
  std::vector<std::vector<Number>> plain_;  ///< (levels) the last node that ended, without noise
  std::vector<std::vector<Number>> noisy_;  ///< (levels) the nodes of the present sum; else empty
};

}  // namespace equinoise
