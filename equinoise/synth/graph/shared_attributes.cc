// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/shared_attributes.h"

#include <cmath>

namespace equinoise {
namespace {

/// gradient -= fraction * (its mean given the attribute - mean), means under the counts.
void take_out(const Broadcast& onto, double fraction, double mean, std::span<const double> counts,
              std::span<double> gradient) {
  std::vector<double> weighted(counts.begin(), counts.end());
  for (size_t i = 0; i < weighted.size(); ++i) weighted[i] *= gradient[i] - mean;
  std::vector<double> sums(onto.small_cells(), 0.0);
  std::vector<double> weights(onto.small_cells(), 0.0);
  onto.sum_onto(weighted, sums);
  onto.sum_onto(counts, weights);
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i] = weights[i] > 0 ? -fraction * sums[i] / weights[i] : 0;
  }
  onto.add_to(gradient, sums);
}

}  // namespace

SharedAttributes::SharedAttributes(const Domain& domain, std::span<const AttributeSet> cliques) {
  std::vector<int> num_holding(domain.num_attributes(), 0);
  for (const AttributeSet& clique : cliques) {
    for (int attribute : clique) ++num_holding[attribute];
  }
  for (const AttributeSet& clique : cliques) {
    Clique result = {static_cast<size_t>(domain.num_cells(clique)), {}};
    for (int attribute : clique) {
      const double kept = 1.0 / num_holding[attribute];
      result.parts.push_back(
          {Broadcast(domain, clique, {attribute}), 1 - std::sqrt(kept), 1 - kept});
    }
    cliques_.push_back(std::move(result));
  }
}

void SharedAttributes::damp(std::span<const double> counts, std::span<double> gradient) const {
  size_t begin = 0;
  for (const Clique& clique : cliques_) {
    const auto counts_here = counts.subspan(begin, clique.num_cells);
    const auto gradient_here = gradient.subspan(begin, clique.num_cells);
    begin += clique.num_cells;
    double sum = 0;
    double total = 0;
    for (size_t i = 0; i < clique.num_cells; ++i) {
      sum += counts_here[i] * gradient_here[i];
      total += counts_here[i];
    }
    const double mean = total > 0 ? sum / total : 0;
    const size_t num_parts = clique.parts.size();
    for (size_t p = 0; p + 1 < num_parts; ++p) {
      take_out(clique.parts[p].onto, clique.parts[p].outer_loss, mean, counts_here, gradient_here);
    }
    if (num_parts > 0) {
      const Part& last = clique.parts.back();
      take_out(last.onto, last.inner_loss, mean, counts_here, gradient_here);
    }
    for (size_t p = num_parts; p-- > 1;) {
      const Part& part = clique.parts[p - 1];
      take_out(part.onto, part.outer_loss, mean, counts_here, gradient_here);
    }
  }
}

}  // namespace equinoise
