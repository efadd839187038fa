// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/synth/graph/rounding.h"

namespace equinoise {
namespace {

/// Cells below this count as impossible, so that what is drawn has a probability in the next clique
/// too.
constexpr double kLeastProbability = 1e-280;

/// The rows from `begin` to `end` of `order`: all those with the same codes so far.
struct RowGroup {
  size_t key;
  size_t begin;
  size_t end;
};

/// Generates the attributes one after the other, from the root clique to the leaves.
class RowMaker {
 public:
  RowMaker(const GraphicalModel& model, size_t num_rows, RandomSource& source, bool rounds,
           const std::function<void()>& before_column)
      : model_(model),
        source_(source),
        rounds_(rounds),
        before_column_(before_column),
        order_(num_rows),
        keys_(num_rows) {
    rows_.num_rows = num_rows;
    rows_.columns.resize(model.domain().num_attributes());
  }

  CodedRows make() {
    const JunctionTree& tree = model_.tree();
    std::vector<bool> seen(tree.cliques.size(), false);
    std::vector<int> queue = {0};
    seen[0] = true;
    for (size_t i = 0; i < queue.size(); ++i) {
      make_clique(queue[i]);
      for (const TreeEdge& edge : tree.edges) {
        if (edge.first != queue[i] && edge.second != queue[i]) continue;
        const int other = edge.first == queue[i] ? edge.second : edge.first;
        if (seen[other]) continue;
        seen[other] = true;
        queue.push_back(other);
      }
    }
    return std::move(rows_);
  }

 private:
  void make_clique(int c) {
    const AttributeSet& clique = model_.tree().cliques[c];
    AttributeSet known;
    AttributeSet missing;
    for (int attribute : clique) (made(attribute) ? known : missing).push_back(attribute);
    for (int attribute : missing) {
      if (before_column_) before_column_();
      // (known cells, codes): the attribute comes last, given all that share a clique with it.
      const AttributeSet set = union_of(known, {attribute});
      const std::vector<double> table = model_.probabilities_within(static_cast<size_t>(c), set);
      std::vector<int> order = known;
      order.push_back(attribute);
      make_attribute(known, attribute, reordered_table(model_.domain(), set, order, table));
      known = set;
    }
  }

  bool made(int attribute) const { return !rows_.columns[attribute].empty(); }

  void make_attribute(const AttributeSet& known, int attribute, std::vector<double> table) {
    const auto num_codes = static_cast<size_t>(model_.domain().num_codes(attribute));
    for (double& p : table) p = p < kLeastProbability ? 0 : p;
    std::vector<uint16_t>& column = rows_.columns[attribute];
    column.resize(rows_.num_rows);
    for (const RowGroup& group : group_rows(known)) {
      const std::span<const double> weights =
          std::span<const double>(table).subspan(group.key * num_codes, num_codes);
      const size_t size = group.end - group.begin;
      codes_.clear();
      if (rounds_) {
        round_counts(weights, size, source_, counts_);
        for (size_t code = 0; code < num_codes; ++code) {
          codes_.insert(codes_.end(), counts_[code], static_cast<uint16_t>(code));
        }
        shuffle(codes_, source_);
      } else {
        draw_codes(weights, size, source_, codes_);
      }
      for (size_t i = 0; i < size; ++i) column[order_[group.begin + i]] = codes_[i];
    }
  }

  /// Sorts the rows by their codes of `known`.
  std::vector<RowGroup> group_rows(const AttributeSet& known) {
    std::fill(keys_.begin(), keys_.end(), size_t{0});
    for (int attribute : known) {
      const auto num_codes = static_cast<size_t>(model_.domain().num_codes(attribute));
      const std::vector<uint16_t>& column = rows_.columns[attribute];
      for (size_t row = 0; row < keys_.size(); ++row) {
        keys_[row] = keys_[row] * num_codes + column[row];
      }
    }
    std::iota(order_.begin(), order_.end(), 0U);
    std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) {
      return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b;
    });
    std::vector<RowGroup> groups;
    for (size_t begin = 0; begin < order_.size();) {
      const size_t key = keys_[order_[begin]];
      size_t end = begin + 1;
      while (end < order_.size() && keys_[order_[end]] == key) ++end;
      groups.push_back({key, begin, end});
      begin = end;
    }
    return groups;
  }

  const GraphicalModel& model_;
  RandomSource& source_;
  bool rounds_;
  const std::function<void()>& before_column_;
  CodedRows rows_;
  std::vector<uint32_t> order_;
  std::vector<size_t> keys_;
  std::vector<size_t> counts_;
  std::vector<uint16_t> codes_;
};

}  // namespace

CodedRows round_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source,
                     const std::function<void()>& before_column) {
  return RowMaker(model, num_rows, source, true, before_column).make();
}

CodedRows sample_rows(const GraphicalModel& model, size_t num_rows, RandomSource& source,
                      const std::function<void()>& before_column) {
  return RowMaker(model, num_rows, source, false, before_column).make();
}

}  // namespace equinoise
