// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/graphical_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/graph/belief_propagation.h"
#include "equinoise/synth/graph/tree_query.h"

namespace equinoise {
namespace {

constexpr std::string_view kWhere = "synth.model";

constexpr Refusal refuse{ErrorKind::kUsage, kWhere};

std::vector<AttributeSet> sets_of(const std::vector<Factor>& factors) {
  std::vector<AttributeSet> sets;
  sets.reserve(factors.size());
  for (const Factor& factor : factors) sets.push_back(factor.attributes);
  return sets;
}

}  // namespace

void check_model_size(const Domain& domain, const JunctionTree& tree, double max_cells) {
  const double cells = num_cells(domain, tree);
  if (cells <= max_cells) return;
  const auto largest =
      std::ranges::max_element(tree.cliques, [&](const AttributeSet& a, const AttributeSet& b) {
        return domain.num_cells(a) < domain.num_cells(b);
      });
  refuse(
      "the model would have {:.4g} cells, more than {:.4g}; its largest clique is ({}) "
      "with {:.4g}; measure fewer or smaller marginals",
      cells, max_cells, domain.describe(*largest), domain.num_cells(*largest));
}

GraphicalModel::GraphicalModel(Domain domain, std::vector<Factor> potentials, double total,
                               double max_cells)
    : domain_(std::move(domain)), potentials_(std::move(potentials)), total_(total) {
  JunctionTree tree = build_junction_tree(domain_, sets_of(potentials_));
  check_model_size(domain_, tree, max_cells);
  calibrate(std::move(tree));
}

GraphicalModel::GraphicalModel(Domain domain, JunctionTree tree, std::vector<Factor> potentials,
                               double total)
    : domain_(std::move(domain)), potentials_(std::move(potentials)), total_(total) {
  calibrate(std::move(tree));
}

GraphicalModel::~GraphicalModel() = default;
GraphicalModel::GraphicalModel(GraphicalModel&&) noexcept = default;
GraphicalModel& GraphicalModel::operator=(GraphicalModel&&) noexcept = default;

void GraphicalModel::calibrate(JunctionTree tree) {
  if (!(total_ > 0) || !std::isfinite(total_)) {
    refuse("total must be finite and > 0, got {}", total_);
  }
  beliefs_ = std::make_unique<BeliefPropagation>(domain_, std::move(tree), sets_of(potentials_));
  for (size_t i = 0; i < potentials_.size(); ++i) {
    const Factor& factor = potentials_[i];
    const double cells = domain_.num_cells(factor.attributes);
    if (static_cast<double>(factor.values.size()) != cells) {
      refuse("the potential over ({}) must have {:.0f} values, got {}",
             domain_.describe(factor.attributes), cells, factor.values.size());
    }
    for (double value : factor.values) {
      if (!(value < std::numeric_limits<double>::infinity())) {
        refuse("the potential over ({}) must be below infinity, got {}",
               domain_.describe(factor.attributes), value);
      }
    }
    beliefs_->set_potential(i, factor.values);
  }
  beliefs_->calibrate();
  if (!beliefs_->possible()) refuse("the potentials leave no possible record");
}

bool fits(const AttributeEvidence& evidence, const Domain& domain) {
  if (evidence.attribute < 0 || evidence.attribute >= domain.num_attributes()) return false;
  const int num_codes = domain.num_codes(evidence.attribute);
  if (evidence.weights.empty()) return evidence.code >= 0 && evidence.code < num_codes;
  return std::ssize(evidence.weights) == num_codes &&
         std::ranges::all_of(evidence.weights,
                             [](double weight) { return weight >= 0 && std::isfinite(weight); });
}

const JunctionTree& GraphicalModel::tree() const { return beliefs_->tree(); }

double GraphicalModel::log_partition() const { return beliefs_->log_partition(); }

std::vector<double> GraphicalModel::probabilities_within(size_t clique,
                                                         const AttributeSet& set) const {
  return beliefs_->marginal_within(clique, set);
}

TreeQueries GraphicalModel::queries() const { return {domain_, *beliefs_}; }

std::vector<double> GraphicalModel::marginal(const AttributeSet& set) const {
  return std::move(marginals(std::span(&set, 1), 1).front());
}

std::vector<std::vector<double>> GraphicalModel::marginals(std::span<const AttributeSet> sets,
                                                           int threads) const {
  const TreeQueries own = queries();
  std::vector<std::vector<double>> result(sets.size());
  parallel_for(sets.size(), threads, [&](size_t i) {
    domain_.check(sets[i], kWhere);
    result[i] = own.answer(sets[i]);
    for (double& count : result[i]) count *= total_;
  });
  return result;
}

GraphicalModel GraphicalModel::given(const Evidence& evidence) const {
  std::vector<Factor> potentials = potentials_;
  AttributeSet known;
  for (const AttributeEvidence& own : evidence) {
    const int attribute = own.attribute;
    if (attribute < 0 || attribute >= domain_.num_attributes()) {
      refuse("attribute {} is outside the domain, which has {}", attribute,
             domain_.num_attributes());
    }
    const std::string& name = domain_.attribute(attribute).name;
    if (!fits(own, domain_)) {
      refuse(own.weights.empty() ? fmt::format("code {} is outside attribute '{}', which has {}",
                                               own.code, name, domain_.num_codes(attribute))
                                 : fmt::format("the weights are not of attribute '{}'", name));
    }
    if (contains(known, attribute)) {
      refuse("attribute '{}' is given twice", name);
    }
    known.push_back(attribute);
    Factor weights = constant_factor(domain_, {attribute}, kLogZero);
    for (int code = 0; code < domain_.num_codes(attribute); ++code) {
      const double weight = own.weight_of(code);
      if (weight > 0) weights.values[static_cast<size_t>(code)] = std::log(weight);
    }
    potentials.push_back(std::move(weights));
  }
  GraphicalModel result(domain_, tree(), std::move(potentials), total_);
  result.total_ = total_ * std::exp(result.log_partition() - log_partition());
  return result;
}

}  // namespace equinoise
