// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/belief_propagation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/graph/exponential.h"

namespace equinoise {
namespace {

/// Smaller tables are not worth a thread; larger ones are cut into so many parts whatever the
/// number of threads.
constexpr size_t kMinSlicedCells = 32768;
constexpr size_t kMaxSlices = 8;

std::vector<Slice> slices_of(const Broadcast& table) {
  const size_t codes = table.num_sliceable();
  const size_t count = table.outer_cells() < kMinSlicedCells ? 1 : std::min(codes, kMaxSlices);
  std::vector<Slice> slices(count);
  for (size_t i = 0; i < count; ++i) slices[i] = {i * codes / count, (i + 1) * codes / count};
  return slices;
}

}  // namespace

BeliefPropagation::BeliefPropagation(const Domain& domain, JunctionTree tree,
                                     std::vector<AttributeSet> sets, int threads)
    : domain_(domain), tree_(std::move(tree)), threads_(threads) {
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
         .marginal = std::vector<double>(onto_separator.outer_cells(), 0.0),
         .slices = slices_of(onto_separator)});
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
    send_up(clique);
    if (clique.parent >= 0) ++sent;
  }
  return sent;
}

std::span<double> BeliefPropagation::part_of(std::vector<double>& table, const Clique& clique,
                                             Slice slice) const {
  const size_t stride = table.size() / clique.onto_separator.num_sliceable();
  return std::span(table).subspan(slice.begin * stride, (slice.end - slice.begin) * stride);
}

/// Of each cell of the separator: for all slices together where they fall onto different cells,
/// else for each.
std::vector<double>& BeliefPropagation::shifts_of(Clique& clique, size_t slice) const {
  return clique.shifts[clique.onto_separator.slices_small() ? 0 : slice];
}

void BeliefPropagation::send_up(Clique& clique) {
  const Broadcast& onto = clique.onto_separator;
  const size_t num_tables = onto.slices_small() ? 1 : clique.slices.size();
  const size_t num_cells = onto.small_cells();
  clique.shifts.assign(num_tables, std::vector<double>(num_cells, 0.0));
  std::vector<std::vector<double>> sums = clique.shifts;
  parallel_for(clique.slices.size(), threads_, [&](size_t i) {
    const Slice slice = clique.slices[i];
    const std::span<double> part = part_of(clique.collected, clique, slice);
    std::fill(part.begin(), part.end(), 0.0);
    for (int set : clique.sets) {
      sets_[set].broadcast.add_to(clique.collected, sets_[set].potential, slice);
    }
    for (int child : clique.children) {
      cliques_[child].parent_separator.add_to(clique.collected, cliques_[child].up, slice);
    }
    std::vector<double>& shifts = shifts_of(clique, i);
    onto.max_onto(clique.collected, shifts, slice);
    // Where everything is zero any finite shift keeps -inf - shift = -inf.
    for (double& shift : onto.fallen_onto(shifts, slice)) shift = shift == kLogZero ? 0 : shift;
    onto.exponentiate_onto(clique.collected, shifts, clique.marginal,
                           sums[onto.slices_small() ? 0 : i], slice);
  });
  for (size_t i = 0; i < num_tables; ++i) {
    for (size_t cell = 0; cell < num_cells; ++cell) {
      if (!(sums[i][cell] > 0)) clique.shifts[i][cell] = kLogZero;
    }
  }
  clique.up = clique.shifts.front();
  for (const std::vector<double>& shifts : clique.shifts) {
    for (size_t cell = 0; cell < num_cells; ++cell) {
      clique.up[cell] = std::max(clique.up[cell], shifts[cell]);
    }
  }
  std::vector<double> total(num_cells, 0.0);
  for (size_t i = 0; i < num_tables; ++i) {
    for (size_t cell = 0; cell < num_cells; ++cell) {
      if (!(sums[i][cell] > 0)) continue;
      total[cell] += sums[i][cell] * vector_exp(clique.shifts[i][cell] - clique.up[cell]);
    }
  }
  for (size_t cell = 0; cell < num_cells; ++cell) {
    if (total[cell] > 0) clique.up[cell] += std::log(total[cell]);
  }
}

int BeliefPropagation::pass_down(int num_changed) {
  int sent = 0;
  for (int c : order_) {
    Clique& clique = cliques_[c];
    find_marginal(clique);
    for (int child : clique.children) {
      // Only what changed outside the child's subtree reaches it.
      if (num_changed == cliques_[child].changed_below) continue;
      send_down(clique, cliques_[child]);
      ++sent;
    }
  }
  return sent;
}

void BeliefPropagation::find_marginal(Clique& clique) {
  const double log_all = log_partition();
  const Broadcast& onto = clique.onto_separator;
  parallel_for(clique.slices.size(), threads_, [&](size_t i) {
    const Slice slice = clique.slices[i];
    if (clique.changed_below > 0) {
      // The way up has left exp(collected - shifts), none of it above 1.
      std::vector<double>& factors = shifts_of(clique, i);
      const std::span<double> own = onto.fallen_onto(factors, slice);
      const double* const down = clique.down.data() + (own.data() - factors.data());
      for (size_t cell = 0; cell < own.size(); ++cell) {
        own[cell] = vector_exp(own[cell] + down[cell] - log_all);
      }
      onto.multiply_into(clique.marginal, factors, slice);
      return;
    }
    const std::span<double> part = part_of(clique.marginal, clique, slice);
    const std::span<const double> from = part_of(clique.collected, clique, slice);
    std::copy(from.begin(), from.end(), part.begin());
    onto.add_to(clique.marginal, clique.down, slice);
    exponentiate(part, log_all);
  });
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
  std::vector<double> exponentials(others.size());
  log_sum_exp_onto(child.parent_separator, others, message, exponentials);
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
