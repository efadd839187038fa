#include "equinoise/synth/graph/marginal_loss.h"

#include <map>

namespace equinoise {

MarginalLoss::MarginalLoss(const Domain& domain, const std::vector<NoisyMarginal>& measurements) {
  std::map<AttributeSet, std::vector<const NoisyMarginal*>> by_clique;
  for (const NoisyMarginal& m : measurements) by_clique[m.clique].push_back(&m);
  for (const auto& [clique, group] : by_clique) {
    const size_t begin = begins_.back();
    const size_t end = begin + static_cast<size_t>(domain.num_cells(clique));
    cliques_.push_back(clique);
    begins_.push_back(end);
    precisions_.resize(end, 0.0);
    centres_.resize(end, 0.0);
    for (const NoisyMarginal* m : group) {
      for (size_t i = 0; i < m->values.size(); ++i) {
        const double weight = m->weights.empty() ? 1 : m->weights[i];
        const double scaled = weight / m->noise_stddev;
        if (scaled == 0) {  // this cell was not measured
          offset_ += 0.5 * m->values[i] * m->values[i] / (m->noise_stddev * m->noise_stddev);
          continue;
        }
        // Two parabolas are one with both precisions around their weighted mean.
        double& precision = precisions_[begin + i];
        double& centre = centres_[begin + i];
        const double added = scaled * scaled;
        const double distance = m->values[i] / weight - centre;
        offset_ += 0.5 * distance * distance * precision * (added / (precision + added));
        centre += distance * (added / (precision + added));
        precision += added;
      }
    }
  }
}

double MarginalLoss::evaluate(std::span<const double> counts, std::vector<double>& gradient) const {
  gradient.resize(size());
  double loss = 0;
  for (size_t i = 0; i < size(); ++i) {
    const double distance = counts[i] - centres_[i];
    gradient[i] = precisions_[i] * distance;
    loss += 0.5 * gradient[i] * distance;
  }
  return loss + offset_;
}

double MarginalLoss::lower_bound(std::span<const double> gradient, double total,
                                 const BeliefPropagation& tree) const {
  // For any g: loss(m) >= offset + <g, m - centre> - sum of g^2 / precision / 2, and the least <g,
  // m> of any distribution is that of one record, times the total.
  std::vector<std::vector<double>> potentials(tree.num_sets());
  for (size_t k = 0; k < cliques_.size(); ++k) {
    const auto values = part(gradient, k);
    potentials[k].assign(values.begin(), values.end());
    for (double& value : potentials[k]) value = -value;
  }
  double linear = -total * tree.max_sum(potentials);
  double square = 0;
  for (size_t i = 0; i < size(); ++i) {
    if (precisions_[i] == 0) continue;
    linear -= gradient[i] * centres_[i];
    square += gradient[i] * gradient[i] / precisions_[i];
  }
  // t linear - t^2 square / 2 is largest at t = linear / square; t >= 0, since the least of <-g, m>
  // is another one.
  if (!(linear > 0) || !(square > 0)) return offset_;
  return offset_ + 0.5 * linear * (linear / square);
}

}  // namespace equinoise
