// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/mixture_marginals.h"

#include <Eigen/Core>
#include <algorithm>
#include <map>

#include "equinoise/base/lists.h"
#include "equinoise/base/parallel.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.mixture_marginals";
/// Components of a piece of work of one thread.
constexpr size_t kPiece = 64;
/// The size of a table of products that is kept at once.
constexpr size_t kMaxValues = size_t{1} << 22;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(size_t value) { return static_cast<Eigen::Index>(value); }

Eigen::Map<Matrix> view(AlignedVector<float>& values, size_t rows, size_t columns) {
  return {values.data(), index(rows), index(columns)};
}

}  // namespace

size_t MixtureMarginals::find_part(size_t block, const AttributeSet& attributes) {
  for (size_t p = 0; p < parts_.size(); ++p) {
    if (parts_[p].block == block && parts_[p].attributes == attributes) return p;
  }
  Part part{block, attributes, 1, {}, 0};
  for (size_t b = 0; b < block; ++b) part.begin += blocks_.blocks()[b].cells.size();
  for (const int attribute : attributes)
    part.num_codes *= static_cast<size_t>(blocks_.domain().num_codes(attribute));
  const size_t size = blocks_.blocks()[block].cells.size();
  const bool is_whole = attributes == blocks_.blocks()[block].attributes && part.num_codes == size;
  for (size_t cell = 0; cell < (is_whole ? 0 : size); ++cell) {
    uint32_t code = 0;
    for (const int attribute : attributes) {
      code = code * static_cast<uint32_t>(blocks_.domain().num_codes(attribute)) +
             blocks_.codes_of(attribute)[cell];
    }
    part.code_of.push_back(code);
  }
  parts_.push_back(std::move(part));
  return parts_.size() - 1;
}

void MixtureMarginals::add(const AttributeSet& set) {
  blocks_.domain().check(set, kWhere);
  std::map<size_t, AttributeSet> of_block;
  for (const int attribute : set) of_block[blocks_.block_of(attribute)].push_back(attribute);
  std::vector<size_t> parts;
  parts.reserve(of_block.size());
  for (const auto& [block, attributes] : of_block) parts.push_back(find_part(block, attributes));
  const size_t right = parts.back();
  parts.pop_back();
  auto found = std::ranges::find(groups_, parts, &Group::lefts);
  if (found == groups_.end()) {
    Group group;
    for (const size_t part : parts) group.num_left *= parts_[part].num_codes;
    group.lefts = std::move(parts);
    found = groups_.insert(groups_.end(), std::move(group));
  }
  found->rights.push_back(right);
  found->sets.push_back(sets_.size());
  sets_.push_back(set);
}

void MixtureMarginals::take_part(const Part& part, const float* probabilities, size_t first,
                                 size_t count, float* table) const {
  const size_t pitch = blocks_.num_cells();
  for (size_t row = 0; row < count; ++row) {
    const float* from = probabilities + (first + row) * pitch + part.begin;
    float* to = table + row * part.num_codes;
    if (part.code_of.empty()) {
      std::copy_n(from, part.num_codes, to);
    } else {
      std::fill_n(to, part.num_codes, 0.0F);
      for (size_t cell = 0; cell < part.code_of.size(); ++cell)
        to[part.code_of[cell]] += from[cell];
    }
  }
}

void MixtureMarginals::add_part(const Part& part, const float* table, size_t first, size_t count,
                                float* derivatives) const {
  const size_t pitch = blocks_.num_cells();
  for (size_t row = 0; row < count; ++row) {
    const float* from = table + row * part.num_codes;
    float* to = derivatives + (first + row) * pitch + part.begin;
    if (part.code_of.empty()) {
      for (size_t cell = 0; cell < part.num_codes; ++cell) to[cell] += from[cell];
    } else {
      for (size_t cell = 0; cell < part.code_of.size(); ++cell)
        to[cell] += from[part.code_of[cell]];
    }
  }
}

void MixtureMarginals::take_lefts(const Group& group, const float* probabilities, size_t first,
                                  size_t count, AlignedVector<float>& products) const {
  products.assign(count, 1.0F);
  size_t width = 1;
  AlignedVector<float> table;
  AlignedVector<float> wider;
  for (const size_t left : group.lefts) {
    const Part& part = parts_[left];
    const size_t num_codes = part.num_codes;
    table.resize(count * num_codes);
    take_part(part, probabilities, first, count, table.data());
    wider.resize(count * width * num_codes);
    for (size_t row = 0; row < count; ++row) {
      const float* codes = table.data() + row * num_codes;
      float* to = wider.data() + row * width * num_codes;
      for (size_t cell = 0; cell < width; ++cell) {
        const float product = products[row * width + cell];
        for (size_t code = 0; code < num_codes; ++code) *to++ = product * codes[code];
      }
    }
    width *= num_codes;
    products.swap(wider);
  }
}

std::vector<int> MixtureMarginals::order_of(const Group& group, size_t right) const {
  std::vector<int> order;
  for (const size_t left : group.lefts) append(order, parts_[left].attributes);
  append(order, parts_[right].attributes);
  return order;
}

void MixtureMarginals::evaluate(const float* probabilities, size_t num_components, int threads,
                                const Consumer& consume) const {
  const double share = 1 / static_cast<double>(num_components);
  parallel_for(groups_.size(), threads, [&](size_t g) {
    const Group& group = groups_[g];
    size_t width = 0;
    for (const size_t right : group.rights) width += parts_[right].num_codes;
    AlignedVector<float> lefts;
    AlignedVector<float> rights;
    AlignedVector<float> table;
    Matrix products = Matrix::Zero(index(group.num_left), index(width));
    const size_t piece = std::clamp<size_t>(kMaxValues / group.num_left, 1, num_components);
    for (size_t first = 0; first < num_components; first += piece) {
      const size_t count = std::min(piece, num_components - first);
      take_lefts(group, probabilities, first, count, lefts);
      rights.resize(count * width);
      size_t begin = 0;
      for (const size_t right : group.rights) {
        const size_t num_codes = parts_[right].num_codes;
        table.resize(count * num_codes);
        take_part(parts_[right], probabilities, first, count, table.data());
        view(rights, count, width).middleCols(index(begin), index(num_codes)) =
            view(table, count, num_codes);
        begin += num_codes;
      }
      products.noalias() +=
          view(lefts, count, group.num_left).transpose() * view(rights, count, width);
    }
    size_t begin = 0;
    std::vector<double> shares;
    for (size_t i = 0; i < group.rights.size(); ++i) {
      const size_t num_codes = parts_[group.rights[i]].num_codes;
      shares.clear();
      for (size_t row = 0; row < group.num_left; ++row) {
        const float* from = products.data() + row * width + begin;
        for (size_t code = 0; code < num_codes; ++code) shares.push_back(share * from[code]);
      }
      begin += num_codes;
      const AttributeSet& set = sets_[group.sets[i]];
      const std::vector<int> order = order_of(group, group.rights[i]);
      if (order != set) shares = reordered_table(blocks_.domain(), order, set, shares);
      consume(group.sets[i], shares);
    }
  });
}

void MixtureMarginals::add_derivatives(const float* probabilities, size_t num_components,
                                       const std::vector<std::vector<double>>& of_shares,
                                       int threads, float* derivatives) const {
  // `of_shares` in the order of their parts, and in single precision.
  std::vector<AlignedVector<float>> tables(sets_.size());
  const float share = 1.0F / static_cast<float>(num_components);
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.rights.size(); ++i) {
      const size_t set = group.sets[i];
      const std::vector<int> order = order_of(group, group.rights[i]);
      std::vector<double> moved = of_shares[set];
      if (order != sets_[set]) moved = reordered_table(blocks_.domain(), sets_[set], order, moved);
      for (const double value : moved) tables[set].push_back(share * static_cast<float>(value));
    }
  }
  const size_t num_pieces = (num_components + kPiece - 1) / kPiece;
  parallel_for(num_pieces, threads, [&](size_t piece) {
    const size_t first = piece * kPiece;
    const size_t count = std::min(kPiece, num_components - first);
    AlignedVector<float> lefts;
    AlignedVector<float> table;
    AlignedVector<float> of_right;
    AlignedVector<float> of_lefts;
    AlignedVector<float> others;
    for (const Group& group : groups_) {
      take_lefts(group, probabilities, first, count, lefts);
      of_lefts.assign(count * group.num_left, 0);
      for (size_t i = 0; i < group.rights.size(); ++i) {
        const Part& right = parts_[group.rights[i]];
        const auto derivative = view(tables[group.sets[i]], group.num_left, right.num_codes);
        table.resize(count * right.num_codes);
        of_right.resize(count * right.num_codes);
        take_part(right, probabilities, first, count, table.data());
        view(of_right, count, right.num_codes).noalias() =
            view(lefts, count, group.num_left) * derivative;
        add_part(right, of_right.data(), first, count, derivatives);
        view(of_lefts, count, group.num_left).noalias() +=
            view(table, count, right.num_codes) * derivative.transpose();
      }
      // The product rule: for each left part the others are constants.
      for (size_t l = 0; l < group.lefts.size(); ++l) {
        const Part& left = parts_[group.lefts[l]];
        Group rest;
        size_t inner = 1;
        for (size_t m = 0; m < group.lefts.size(); ++m) {
          if (m == l) continue;
          rest.lefts.push_back(group.lefts[m]);
          if (m > l) inner *= parts_[group.lefts[m]].num_codes;
        }
        take_lefts(rest, probabilities, first, count, others);
        const size_t num_others = group.num_left / left.num_codes;
        const size_t outer = num_others / inner;
        table.assign(count * left.num_codes, 0);
        for (size_t row = 0; row < count; ++row) {
          const float* from = of_lefts.data() + row * group.num_left;
          for (size_t o = 0; o < outer; ++o) {
            const float* constants = others.data() + row * num_others + o * inner;
            for (size_t code = 0; code < left.num_codes; ++code) {
              float sum = 0;
              for (size_t k = 0; k < inner; ++k) sum += constants[k] * from[k];
              table[row * left.num_codes + code] += sum;
              from += inner;
            }
          }
        }
        add_part(left, table.data(), first, count, derivatives);
      }
    }
  });
}

}  // namespace equinoise
