// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/belief_propagation.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"
#include "equinoise/synth/graph/exponential.h"

namespace equinoise {
namespace {

/// Smaller tables are not worth a thread. Larger ones are cut into this many parts, for any number
/// of threads.
constexpr size_t kMinSlicedCells = 32768;
constexpr size_t kMaxSlices = 8;

/// The attributes of a clique in the order of its tables: the one with most codes last, so that
/// innermost loops are long, the next one first, so that the table can be cut into slices.
std::vector<int> table_order(const Domain& domain, const AttributeSet& clique) {
  std::vector<int> order = clique;
  std::ranges::stable_sort(order,
                           [&](int a, int b) { return domain.num_codes(a) < domain.num_codes(b); });
  if (order.size() > 2) std::rotate(order.begin(), order.end() - 2, order.end() - 1);
  return order;
}

/// The attributes of `set` in that order.
std::vector<int> within(const std::vector<int>& order, const AttributeSet& set) {
  std::vector<int> result;
  for (const int attribute : order) {
    if (contains(set, {attribute})) result.push_back(attribute);
  }
  return result;
}

/// The positions of the attributes of `set` in that order.
AttributeSet positions_in(const std::vector<int>& order, const AttributeSet& set) {
  AttributeSet positions;
  for (size_t i = 0; i < order.size(); ++i) {
    if (contains(set, {order[i]})) positions.push_back(static_cast<int>(i));
  }
  return positions;
}

/// A domain of the attributes in that order.
Domain ordered_domain(const Domain& domain, const std::vector<int>& order) {
  std::vector<Attribute> attributes;
  attributes.reserve(order.size());
  for (const int attribute : order) attributes.push_back(domain.attribute(attribute));
  return Domain(std::move(attributes));
}

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
  std::vector<std::vector<int>> sets_of_cliques(tree_.cliques.size());
  for (AttributeSet& set : sets) {
    const int clique = smallest_clique(set);
    sets_of_cliques[clique].push_back(static_cast<int>(sets_.size()));
    std::vector<int> order = within(table_order(domain_, tree_.cliques[clique]), set);
    sets_.push_back({std::move(set), clique, std::move(order), {}});
    sets_.back().potential.assign(static_cast<size_t>(domain_.num_cells(sets_.back().attributes)),
                                  0.0);
  }
  build_cliques(sets_of_cliques);
}

int BeliefPropagation::smallest_clique(const AttributeSet& set) const {
  int smallest = -1;
  double fewest = 0;
  for (size_t c = 0; c < tree_.cliques.size(); ++c) {
    if (!contains(tree_.cliques[c], set)) continue;
    const double cells = domain_.num_cells(tree_.cliques[c]);
    if (smallest < 0 || cells < fewest) {
      smallest = static_cast<int>(c);
      fewest = cells;
    }
  }
  if (smallest < 0) {
    throw Error(ErrorKind::kUsage, "synth.belief_propagation", "no clique of the tree holds {}",
                domain_.describe(set));
  }
  return smallest;
}

void BeliefPropagation::build_cliques(const std::vector<std::vector<int>>& sets_of_cliques) {
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
    const AttributeSet& separator = *separators[c];
    const std::vector<int> order = table_order(domain_, tree_.cliques[c]);
    const std::vector<int> parent_order =
        table_order(domain_, tree_.cliques[parents[c] < 0 ? c : static_cast<size_t>(parents[c])]);
    const Domain own = ordered_domain(domain_, order);
    const Domain parent = ordered_domain(domain_, parent_order);
    std::vector<AttributeSet> sets;
    for (const int set : sets_of_cliques[c])
      sets.push_back(positions_in(order, sets_[set].attributes));
    const Broadcast onto_separator(own, own.all(), positions_in(order, separator));
    cliques_.push_back(
        {.parent = parents[c],
         .children = std::move(children[c]),
         .sets = sets_of_cliques[c],
         .order = order,
         .own = own,
         .onto_separator = onto_separator,
         .parent_separator = Broadcast(parent, parent.all(), positions_in(parent_order, separator)),
         .separator_order = within(order, separator),
         .separator_at_parent = within(parent_order, separator),
         .sums = SubsetSums(own, std::move(sets)),
         .up = std::vector<double>(onto_separator.small_cells(), 0.0),
         .up_at_parent = std::vector<double>(onto_separator.small_cells(), 0.0),
         .down = std::vector<double>(onto_separator.small_cells(), 0.0),
         .collected = std::vector<double>(onto_separator.outer_cells(), 0.0),
         .marginal = std::vector<double>(onto_separator.outer_cells(), 0.0),
         .slices = slices_of(onto_separator)});
  }
}

void BeliefPropagation::set_potential(size_t set, std::span<const double> values) {
  reorder_table(domain_, sets_[set].attributes, sets_[set].order, values, sets_[set].potential);
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

/// The shifts of each cell of the separator: one table for all slices if they fall onto different
/// cells, else one for each slice.
std::vector<double>& BeliefPropagation::shifts_of(Clique& clique, size_t slice) const {
  return clique.shifts[clique.onto_separator.slices_small() ? 0 : slice];
}

std::vector<std::span<const double>> BeliefPropagation::potentials_of(const Clique& clique) const {
  std::vector<std::span<const double>> potentials;
  potentials.reserve(clique.sets.size());
  for (const int set : clique.sets) potentials.emplace_back(sets_[set].potential);
  return potentials;
}

void BeliefPropagation::gather(Clique& clique, std::span<const std::span<const double>> tables) {
  const int threads = clique.slices.size() > 1 ? threads_ : 1;
  parallel_for(clique.sums.num_passes(), threads,
               [&](size_t pass) { clique.sums.gather(pass, tables); });
}

void BeliefPropagation::send_up(Clique& clique) {
  const Broadcast& onto = clique.onto_separator;
  const size_t num_tables = onto.slices_small() ? 1 : clique.slices.size();
  const size_t num_cells = onto.small_cells();
  clique.shifts.assign(num_tables, std::vector<double>(num_cells, 0.0));
  std::vector<std::vector<double>> sums = clique.shifts;
  const std::vector<std::span<const double>> potentials = potentials_of(clique);
  gather(clique, potentials);
  parallel_for(clique.slices.size(), threads_, [&](size_t i) {
    const Slice slice = clique.slices[i];
    const std::span<double> part = part_of(clique.collected, clique, slice);
    std::ranges::fill(part, 0.0);
    clique.sums.add_to(clique.collected, potentials, slice);
    for (int child : clique.children) {
      cliques_[child].parent_separator.add_to(clique.collected, cliques_[child].up_at_parent,
                                              slice);
    }
    std::vector<double>& shifts = shifts_of(clique, i);
    onto.max_onto(clique.collected, shifts, slice);
    // Any finite shift keeps -inf - shift = -inf if all cells are zero.
    for (double& shift : onto.marginalised(shifts, slice)) shift = shift == kLogZero ? 0 : shift;
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
  reorder_table(domain_, clique.separator_order, clique.separator_at_parent, clique.up,
                clique.up_at_parent);
}

int BeliefPropagation::pass_down(int num_changed) {
  int sent = 0;
  for (int c : order_) {
    Clique& clique = cliques_[c];
    find_marginal(clique);
    for (int child : clique.children) {
      // Only changes outside the child's subtree reach it.
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
      const std::span<double> own = onto.marginalised(factors, slice);
      const double* const down = clique.down.data() + (own.data() - factors.data());
      for (size_t cell = 0; cell < own.size(); ++cell) {
        own[cell] = vector_exp(own[cell] + down[cell] - log_all);
      }
      onto.multiply_into(clique.marginal, factors, slice);
      return;
    }
    const std::span<double> part = part_of(clique.marginal, clique, slice);
    const std::span<const double> from = part_of(clique.collected, clique, slice);
    std::ranges::copy(from, part.begin());
    onto.add_to(clique.marginal, clique.down, slice);
    exponentiate(part, log_all);
  });
}

void BeliefPropagation::send_down(Clique& parent, Clique& child) {
  // Hugin's division: the message is the parent's marginal divided by the child's message.
  std::vector<double> message(child.down.size(), 0.0);
  child.parent_separator.sum_onto(parent.marginal, message);
  constexpr double kMinSafe = 1e-290;  // below, digits are lost or the child sent a zero
  if (std::ranges::all_of(message, [](double p) { return p > kMinSafe; })) {
    const double log_all = log_partition();
    for (size_t i = 0; i < message.size(); ++i) {
      message[i] = std::log(message[i]) + log_all - child.up_at_parent[i];
    }
  } else {
    // The divisor is (next to) zero: sums the product of everything else instead.
    std::vector<double> others(parent.collected.size(), 0.0);
    parent.onto_separator.add_to(others, parent.down);
    const std::vector<std::span<const double>> potentials = potentials_of(parent);
    gather(parent, potentials);
    parent.sums.add_to(others, potentials, {});
    for (int sibling : parent.children) {
      if (&cliques_[sibling] == &child) continue;
      cliques_[sibling].parent_separator.add_to(others, cliques_[sibling].up_at_parent);
    }
    std::vector<double> exponentials(others.size());
    log_sum_exp_onto(child.parent_separator, others, message, exponentials);
  }
  reorder_table(domain_, child.separator_at_parent, child.separator_order, message, child.down);
}

std::vector<double> BeliefPropagation::marginal_within(size_t clique,
                                                       const AttributeSet& set) const {
  const std::vector<int>& order = cliques_[clique].order;
  const Domain& own = cliques_[clique].own;
  std::vector<double> sums(static_cast<size_t>(domain_.num_cells(set)), 0.0);
  Broadcast(own, own.all(), positions_in(order, set)).sum_onto(cliques_[clique].marginal, sums);
  return reordered_table(domain_, within(order, set), set, sums);
}

void BeliefPropagation::set_marginals(std::span<const std::span<double>> marginals) {
  struct Task {
    Clique* clique;
    size_t pass;
  };
  std::vector<Task> tasks;
  bool is_large = false;
  for (Clique& clique : cliques_) {
    is_large = is_large || clique.slices.size() > 1;
    for (size_t pass = 0; pass < clique.sums.num_passes(); ++pass) tasks.push_back({&clique, pass});
  }
  parallel_for(tasks.size(), is_large ? threads_ : 1, [&](size_t i) {
    Clique& clique = *tasks[i].clique;
    clique.sums.sum(tasks[i].pass, clique.marginal,
                    [&](size_t subset, std::span<const double> sums) {
                      const auto index = static_cast<size_t>(clique.sets[subset]);
                      const Set& set = sets_[index];
                      if (marginals[index].empty()) return;
                      reorder_table(domain_, set.order, set.attributes, sums, marginals[index]);
                    });
  });
}

double BeliefPropagation::max_sum(std::span<const std::vector<double>> potentials) {
  std::vector<std::vector<double>> messages(cliques_.size());
  std::vector<double> table;
  for (size_t i = order_.size(); i-- > 0;) {
    Clique& clique = cliques_[order_[i]];
    std::vector<std::vector<double>> own;
    own.reserve(clique.sets.size());
    for (const int set : clique.sets) {
      own.push_back(potentials[set].empty() ? std::vector<double>()
                                            : reordered_table(domain_, sets_[set].attributes,
                                                              sets_[set].order, potentials[set]));
    }
    const std::vector<std::span<const double>> tables(own.begin(), own.end());
    gather(clique, tables);
    table.assign(clique.collected.size(), 0.0);
    clique.sums.add_to(table, tables, {});
    for (int child : clique.children) {
      cliques_[child].parent_separator.add_to(table, messages[child]);
    }
    std::vector<double> message(clique.up.size());
    clique.onto_separator.max_onto(table, message);
    messages[order_[i]] =
        reordered_table(domain_, clique.separator_order, clique.separator_at_parent, message);
  }
  return messages[order_.front()].front();
}

}  // namespace equinoise
