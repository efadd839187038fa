// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "equinoise/synth/graph/domain.h"
#include "equinoise/synth/graph/factor.h"
#include "equinoise/synth/graph/junction_tree.h"

namespace equinoise {

class BeliefPropagation;
class TreeQueries;

/// Errors: kUsage if the cliques have more than `max_cells` cells together, naming the largest.
void check_model_size(const Domain& domain, const JunctionTree& tree, double max_cells);

/// Evidence for an attribute: its code, or a weight for the records of each code.
struct AttributeEvidence {
  int attribute = 0;                 ///< position in the domain
  int code = 0;                      ///< used if there are no weights
  std::vector<double> weights = {};  ///< (num_codes) >= 0 and finite; only their ratios count

  double weight_of(int of_code) const {
    if (weights.empty()) return of_code == code ? 1 : 0;
    return weights[static_cast<size_t>(of_code)];
  }
};
using Evidence = std::vector<AttributeEvidence>;

/// Returns whether an attribute and its code or weights are within the domain.
bool fits(const AttributeEvidence& evidence, const Domain& domain);

/// A distribution over all records of a domain: the product of the exponentials of its potentials,
/// normalised. Immutable; calibrated once when it is made.
///
/// Post-processing: it contains only potentials, which follow from released measurements.
class GraphicalModel {
 public:
  /// `total`: the number of records that marginals sum to. Cells with kLogZero are impossible.
  /// Errors: kUsage if a potential is NaN or +inf, its table has a wrong size, every record is
  /// impossible, or the model would have more than `max_cells` cells (the message names the largest
  /// clique).
  GraphicalModel(Domain domain, std::vector<Factor> potentials, double total,
                 double max_cells = kMaxCells);
  /// The model on a given tree; each potential must be contained in a clique.
  GraphicalModel(Domain domain, JunctionTree tree, std::vector<Factor> potentials, double total);
  ~GraphicalModel();
  GraphicalModel(GraphicalModel&&) noexcept;
  GraphicalModel& operator=(GraphicalModel&&) noexcept;

  static constexpr double kMaxCells = 1e9;

  const Domain& domain() const { return domain_; }
  const std::vector<Factor>& potentials() const { return potentials_; }
  const JunctionTree& tree() const;
  double total() const { return total_; }
  /// Logarithm of the sum over all records of the exponentiated potentials.
  double log_partition() const;

  /// Expected counts of the cells of a table over `set`, exact for any set; sums to total().
  /// Thread-safe. Errors: kUsage for a set outside the domain or a table that does not fit. Time:
  /// that of reading the tree at least; queries() reads it once for many sets.
  std::vector<double> marginal(const AttributeSet& set) const;

  /// The marginals of many sets, in the order of `sets`. Same values as one by one.
  std::vector<std::vector<double>> marginals(std::span<const AttributeSet> sets, int threads) const;

  /// Probabilities for any sets, one after the other. Refers to this model.
  TreeQueries queries() const;

  /// Probabilities of the cells of a table over `set`, all of it in that clique of the junction
  /// tree.
  std::vector<double> probabilities_within(size_t clique, const AttributeSet& set) const;

  /// The model of the records that have these codes, or of each record with the weight of its
  /// codes; the total is their expected number, or weight. Errors: kUsage for an attribute, code or
  /// weights outside the domain, an attribute that comes twice, or evidence that is impossible
  /// together.
  GraphicalModel given(const Evidence& evidence) const;

 private:
  void calibrate(JunctionTree tree);

  Domain domain_;
  std::vector<Factor> potentials_;
  double total_ = 1;
  std::unique_ptr<BeliefPropagation> beliefs_;
};

}  // namespace equinoise
