#include "equinoise/synth/graph/belief_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"

namespace equinoise {

BeliefPropagation::BeliefPropagation(const Domain& domain, JunctionTree tree,
                                     std::vector<AttributeSet> sets)
    : domain_(domain), tree_(std::move(tree)) {
  build_cliques();
  for (AttributeSet& set : sets) {
    int smallest = -1;
    for (size_t c = 0; c < cliques_.size(); ++c) {
      if (!contains(tree_.cliques[c], set)) continue;
      if (smallest < 0 || cliques_[c].collected.size() < cliques_[smallest].collected.size()) {
        smallest = static_cast<int>(c);
      }
    }
    if (smallest < 0) {
      throw Error(ErrorKind::kUsage, "synth.belief_propagation",
                  fmt::format("no clique of the tree holds {}", domain_.describe(set)));
    }
    cliques_[smallest].sets.push_back(static_cast<int>(sets_.size()));
    const Broadcast broadcast(domain_, tree_.cliques[smallest], set);
    sets_.push_back(
        {std::move(set), smallest, broadcast, std::vector<double>(broadcast.small_cells(), 0.0)});
  }
}

void BeliefPropagation::build_cliques() {
  const size_t k = tree_.cliques.size();
  std::vector<std::vector<int>> edges_at(k);
  for (size_t e = 0; e < tree_.edges.size(); ++e) {
    edges_at[tree_.edges[e].first].push_back(static_cast<int>(e));
    edges_at[tree_.edges[e].second].push_back(static_cast<int>(e));
  }
  std::vector<int> parents(k, -1);
  std::vector<const AttributeSet*> separators(k);
  std::vector<std::vector<int>> children(k);
  const AttributeSet nothing;
  separators[0] = &nothing;
  order_ = {0};
  for (size_t i = 0; i < order_.size(); ++i) {
    const int c = order_[i];
    for (int e : edges_at[c]) {
      const TreeEdge& edge = tree_.edges[e];
      const int other = edge.first == c ? edge.second : edge.first;
      if (other == parents[c]) continue;
      parents[other] = c;
      separators[other] = &edge.separator;
      children[c].push_back(other);
      order_.push_back(other);
    }
  }
  cliques_.reserve(k);
  for (size_t c = 0; c < k; ++c) {
    const int parent = parents[c] < 0 ? static_cast<int>(c) : parents[c];
    const Broadcast onto_separator(domain_, tree_.cliques[c], *separators[c]);
    cliques_.push_back(
        {.parent = parents[c],
         .children = std::move(children[c]),
         .sets = {},
         .onto_separator = onto_separator,
         .parent_separator = Broadcast(domain_, tree_.cliques[parent], *separators[c]),
         .up = std::vector<double>(onto_separator.small_cells(), 0.0),
         .down = std::vector<double>(onto_separator.small_cells(), 0.0),
         .collected = std::vector<double>(onto_separator.outer_cells(), 0.0),
         .marginal = std::vector<double>(onto_separator.outer_cells(), 0.0)});
  }
}

void BeliefPropagation::set_potential(size_t set, std::span<const double> values) {
  std::copy(values.begin(), values.end(), sets_[set].potential.begin());
  cliques_[sets_[set].clique].changed = true;
}

int BeliefPropagation::calibrate() {
  const int sent_up = pass_up();
  const int num_changed = cliques_[order_.front()].changed_below;
  const int sent_down = num_changed > 0 && possible() ? pass_down(num_changed) : 0;
  // A distribution without a record has no messages back; they are all made anew once it has one.
  for (Clique& clique : cliques_) clique.changed = num_changed > 0 && !possible();
  return sent_up + sent_down;
}

int BeliefPropagation::pass_up() {
  int sent = 0;
  for (size_t i = order_.size(); i-- > 0;) {
    Clique& clique = cliques_[order_[i]];
    clique.changed_below = clique.changed ? 1 : 0;
    for (int child : clique.children) clique.changed_below += cliques_[child].changed_below;
    if (clique.changed_below == 0) continue;
    std::fill(clique.collected.begin(), clique.collected.end(), 0.0);
    for (int set : clique.sets) {
      sets_[set].broadcast.add_to(clique.collected, sets_[set].potential);
    }
    for (int child : clique.children) {
      cliques_[child].parent_separator.add_to(clique.collected, cliques_[child].up);
    }
    clique.onto_separator.log_sum_exp_onto(clique.collected, clique.up);
    if (clique.parent >= 0) ++sent;
  }
  return sent;
}

int BeliefPropagation::pass_down(int num_changed) {
  int sent = 0;
  const double log_all = log_partition();
  for (int c : order_) {
    Clique& clique = cliques_[c];
    std::copy(clique.collected.begin(), clique.collected.end(), clique.marginal.begin());
    clique.onto_separator.add_to(clique.marginal, clique.down);
    exponentiate(clique.marginal, log_all);
    for (int child : clique.children) {
      // Only what changed outside the child's subtree reaches it.
      if (num_changed == cliques_[child].changed_below) continue;
      send_down(clique, cliques_[child]);
      ++sent;
    }
  }
  return sent;
}

void BeliefPropagation::send_down(const Clique& parent, Clique& child) {
  // Hugin's division: the message is the parent's marginal without what the child told it.
  std::vector<double>& message = child.down;
  std::fill(message.begin(), message.end(), 0.0);
  child.parent_separator.sum_onto(parent.marginal, message);
  constexpr double kLeastSafe = 1e-290;  // below, digits are lost or the child told it was zero
  if (std::all_of(message.begin(), message.end(), [](double p) { return p > kLeastSafe; })) {
    const double log_all = log_partition();
    for (size_t i = 0; i < message.size(); ++i) {
      message[i] = std::log(message[i]) + log_all - child.up[i];
    }
    return;
  }
  // What was divided by is (next to) zero: the product of everything else, summed.
  std::vector<double> others(parent.collected.size(), 0.0);
  parent.onto_separator.add_to(others, parent.down);
  for (int set : parent.sets) sets_[set].broadcast.add_to(others, sets_[set].potential);
  for (int sibling : parent.children) {
    if (&cliques_[sibling] == &child) continue;
    cliques_[sibling].parent_separator.add_to(others, cliques_[sibling].up);
  }
  child.parent_separator.log_sum_exp_onto(others, message);
}

void BeliefPropagation::set_marginal(size_t set, std::span<double> marginal) const {
  std::fill(marginal.begin(), marginal.end(), 0.0);
  sets_[set].broadcast.sum_onto(cliques_[sets_[set].clique].marginal, marginal);
}

double BeliefPropagation::max_sum(std::span<const std::vector<double>> potentials) const {
  std::vector<std::vector<double>> messages(cliques_.size());
  std::vector<double> table;
  for (size_t i = order_.size(); i-- > 0;) {
    const Clique& clique = cliques_[order_[i]];
    table.assign(clique.collected.size(), 0.0);
    for (int set : clique.sets) {
      if (!potentials[set].empty()) sets_[set].broadcast.add_to(table, potentials[set]);
    }
    for (int child : clique.children) {
      cliques_[child].parent_separator.add_to(table, messages[child]);
    }
    messages[order_[i]].resize(clique.up.size());
    clique.onto_separator.max_onto(table, messages[order_[i]]);
  }
  return messages[order_.front()].front();
}

}  // namespace equinoise
