// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/marginal_loss.h"

#include <algorithm>
#include <map>

#include "equinoise/base/lists.h"

namespace equinoise {
namespace {

constexpr int kBisections = 60;

}  // namespace

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

double MarginalLoss::separate_bound(double total) const {
  double bound = offset_;
  for (size_t k = 0; k < cliques_.size(); ++k) bound += separate_bound_of(k, total);
  return bound;
}

double MarginalLoss::separate_bound_of(size_t clique, double total) const {
  const std::span<const double> precisions = part(precisions_, clique);
  const std::span<const double> centres = part(centres_, clique);
  // Weak duality: for any price of a record, the least of loss + price (sum - total) over
  // counts >= 0 is a bound. It is concave in the price, and best where the sum is the total.
  const auto least = [&](double price, double& sum) {
    double value = -price * total;
    sum = 0;
    for (size_t i = 0; i < centres.size(); ++i) {
      if (precisions[i] == 0) continue;  // price >= 0 then, and a count of 0 is best
      const double count = std::max(0.0, centres[i] - price / precisions[i]);
      const double distance = count - centres[i];
      value += 0.5 * precisions[i] * distance * distance + price * count;
      sum += count;
    }
    return value;
  };
  const bool unmeasured = contains(precisions, 0.0);
  double low = 0;
  double high = 0;
  for (size_t i = 0; i < centres.size(); ++i) {
    high = std::max(high, precisions[i] * centres[i]);
    if (!unmeasured) low = std::min(low, precisions[i] * (centres[i] - total));
  }
  double sum = 0;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    least(middle, sum);
    (sum > total ? low : high) = middle;
  }
  return std::max({0.0, least(low, sum), least(high, sum)});
}

double MarginalLoss::lower_bound(std::span<const double> gradient, double total,
                                 BeliefPropagation& tree) const {
  // Bound for any g: loss(m) >= offset + <g, m - centre> - sum of g^2 / precision / 2. The least
  // <g, m> of any distribution is that of one record, times the total.
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
  // is a different number.
  if (!(linear > 0) || !(square > 0)) return offset_;
  return offset_ + 0.5 * linear * (linear / square);
}

}  // namespace equinoise
