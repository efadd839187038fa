// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rows.h"

#include <algorithm>
#include <array>
#include <span>

#include "equinoise/synth/graph/rounding.h"

namespace equinoise {
namespace {

/// Cells below this count as impossible, so that what is drawn has a probability in the next clique
/// too.
constexpr double kLeastProbability = 1e-280;

/// Rows whose keys are made at once.
constexpr size_t kBlock = 4096;

/// Generates the attributes one after the other, from the root clique to the leaves.
class RowMaker {
 public:
  RowMaker(const GraphicalModel& model, size_t num_rows, RandomSource& source, bool rounds,
           const std::function<void()>& before_column)
      : model_(model), source_(source), rounds_(rounds), before_column_(before_column) {
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

  /// `table`: weights (cells of `known`, codes). Rows with equal codes of `known` get their codes
  /// of `attribute` from one list, in the order of rows.
  void make_attribute(const AttributeSet& known, int attribute, std::vector<double> table) {
    const auto num_codes = static_cast<size_t>(model_.domain().num_codes(attribute));
    for (double& p : table) p = p < kLeastProbability ? 0 : p;
    std::vector<size_t> sizes(table.size() / num_codes, 0);
    for_each_key(known, [&](size_t, size_t key) { ++sizes[key]; });
    codes_.clear();
    codes_.reserve(rows_.num_rows);
    std::vector<size_t> next(sizes.size());
    for (size_t key = 0; key < sizes.size(); ++key) {
      next[key] = codes_.size();
      if (sizes[key] == 0) continue;
      add_codes(std::span<const double>(table).subspan(key * num_codes, num_codes), sizes[key]);
    }
    std::vector<uint16_t> column(rows_.num_rows);
    for_each_key(known, [&](size_t row, size_t key) { column[row] = codes_[next[key]++]; });
    rows_.columns[attribute] = std::move(column);
  }

  /// Appends `size` codes to codes_, in random order.
  void add_codes(std::span<const double> weights, size_t size) {
    if (!rounds_) return draw_codes(weights, size, source_, codes_);
    const size_t begin = codes_.size();
    round_counts(weights, size, source_, counts_);
    for (size_t code = 0; code < counts_.size(); ++code)
      codes_.insert(codes_.end(), counts_[code], static_cast<uint16_t>(code));
    shuffle(std::span<uint16_t>(codes_).subspan(begin), source_);
  }

  /// Calls visit(row, key) of each row in turn, the key being its cell of `known`.
  template <class Visit>
  void for_each_key(const AttributeSet& known, const Visit& visit) const {
    std::array<size_t, kBlock> keys;
    for (size_t begin = 0; begin < rows_.num_rows; begin += kBlock) {
      const size_t size = std::min(kBlock, rows_.num_rows - begin);
      std::fill_n(keys.begin(), size, size_t{0});
      for (const int attribute : known) {
        const auto num_codes = static_cast<size_t>(model_.domain().num_codes(attribute));
        const uint16_t* column = rows_.columns[attribute].data() + begin;
        for (size_t i = 0; i < size; ++i) keys[i] = keys[i] * num_codes + column[i];
      }
      for (size_t i = 0; i < size; ++i) visit(begin + i, keys[i]);
    }
  }

  const GraphicalModel& model_;
  RandomSource& source_;
  bool rounds_;
  const std::function<void()>& before_column_;
  CodedRows rows_;
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
