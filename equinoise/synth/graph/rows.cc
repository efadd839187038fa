// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rows.h"

#include <algorithm>
#include <span>

#include "equinoise/synth/synth_progress.h"

namespace equinoise {
namespace {

/// Cells below this count as impossible, so that a drawn cell has a probability in the next clique
/// too.
constexpr double kMinProbability = 1e-280;

/// Attributes one after the other, from the root clique to the leaves. The rows of each cell are
/// counted first, so that blocks of them follow from urns alone.
class GraphRows final : public RowStream {
 public:
  GraphRows(const GraphicalModel& model, size_t num_rows, RowDraw draw, RandomSource& source,
            const TaskProgress& progress)
      : domain_(model.domain()), draw_(draw), source_(source) {
    const JunctionTree& tree = model.tree();
    std::vector<std::vector<const TreeEdge*>> edges(tree.cliques.size());
    for (const TreeEdge& edge : tree.edges) {
      edges[static_cast<size_t>(edge.first)].push_back(&edge);
      edges[static_cast<size_t>(edge.second)].push_back(&edge);
    }
    // A clique that was reached: its attributes with known codes, and the rows of each of their
    // cells.
    struct Reached {
      int clique;
      AttributeSet known;
      std::vector<double> sizes;
    };
    std::vector<bool> seen(tree.cliques.size(), false);
    std::vector<Reached> queue = {{0, {}, {static_cast<double>(num_rows)}}};
    seen[0] = true;
    for (size_t i = 0; i < queue.size(); ++i) {
      const int c = queue[i].clique;
      const AttributeSet& clique = tree.cliques[static_cast<size_t>(c)];
      const std::vector<double> sizes =
          fill_clique(model, c, std::move(queue[i].known), std::move(queue[i].sizes), progress);
      for (const TreeEdge* edge : edges[static_cast<size_t>(c)]) {
        const int other = edge->first == c ? edge->second : edge->first;
        if (seen[static_cast<size_t>(other)]) continue;
        seen[static_cast<size_t>(other)] = true;
        const Broadcast onto(domain_, clique, edge->separator);
        std::vector<double> small(onto.small_cells(), 0.0);
        if (draw_ == RowDraw::kRound) onto.sum_onto(sizes, small);
        queue.push_back({other, edge->separator, std::move(small)});
      }
    }
  }

  CodedRows next(size_t num_rows) override {
    CodedRows rows;
    rows.num_rows = num_rows;
    rows.columns.assign(static_cast<size_t>(domain_.num_attributes()),
                        std::vector<uint16_t>(num_rows));
    std::vector<size_t> keys(num_rows);
    for (Step& step : steps_) {
      std::ranges::fill(keys, size_t{0});
      for (const int attribute : step.known) {
        const auto num_codes = static_cast<size_t>(domain_.num_codes(attribute));
        const uint16_t* column = rows.columns[static_cast<size_t>(attribute)].data();
        for (size_t i = 0; i < num_rows; ++i) keys[i] = keys[i] * num_codes + column[i];
      }
      uint16_t* column = rows.columns[static_cast<size_t>(step.attribute)].data();
      for (size_t i = 0; i < num_rows; ++i)
        column[i] = static_cast<uint16_t>(step.urns.draw(keys[i], source_));
    }
    return rows;
  }

 private:
  /// An attribute, with an urn for each cell of `known`.
  struct Step {
    int attribute;
    AttributeSet known;
    CodeUrns urns;
  };

  /// Adds the attributes of a clique that are not known. Returns the rows of each of its cells
  /// (kRound).
  std::vector<double> fill_clique(const GraphicalModel& model, int clique, AttributeSet known,
                                  std::vector<double> sizes, const TaskProgress& progress) {
    for (const int attribute : model.tree().cliques[static_cast<size_t>(clique)]) {
      if (std::ranges::binary_search(known, attribute)) continue;
      check_interrupted(progress);
      // (known cells, codes): the attribute comes last.
      AttributeSet set = union_of(known, {attribute});
      std::vector<int> order = known;
      order.push_back(attribute);
      std::vector<double> table = reordered_table(
          domain_, set, order, model.probabilities_within(static_cast<size_t>(clique), set));
      for (double& p : table) p = p < kMinProbability ? 0 : p;
      const auto num_codes = static_cast<size_t>(domain_.num_codes(attribute));
      CodeUrns urns(sizes.size(), num_codes, draw_);
      for (size_t key = 0; key < sizes.size(); ++key) {
        const std::span<double> weights = std::span(table).subspan(key * num_codes, num_codes);
        if (draw_ == RowDraw::kRound && sizes[key] == 0) {
          std::ranges::fill(weights, 0.0);
          continue;
        }
        const std::span<const size_t> counts =
            urns.fill(key, weights, static_cast<size_t>(sizes[key]), source_);
        std::ranges::copy(counts, weights.begin());
      }
      steps_.push_back({attribute, std::move(known), std::move(urns)});
      sizes = reordered_table(domain_, order, set, table);
      known = std::move(set);
    }
    return sizes;
  }

  Domain domain_;
  RowDraw draw_;
  RandomSource& source_;
  std::vector<Step> steps_;
};

}  // namespace

std::unique_ptr<RowStream> draw_rows(const GraphicalModel& model, size_t num_rows, RowDraw draw,
                                     RandomSource& source, const TaskProgress& progress) {
  return std::make_unique<GraphRows>(model, num_rows, draw, source, progress);
}

}  // namespace equinoise
