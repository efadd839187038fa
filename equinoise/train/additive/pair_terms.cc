// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/pair_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/train/additive/pair_screening.h"

namespace equinoise {

namespace {

/// (cells) The part of each cell, if neighbouring parts of the column's term are merged until a
/// part has its share.
std::vector<uint32_t> merged_neighbours(const AdditiveTerm& term, size_t max_parts) {
  std::vector<uint32_t> merged;
  uint32_t part = 0;
  double held = 0;
  double left = 1;
  for (size_t begin = 0, end = 0; begin < term.parts.size(); begin = end) {
    double share = 0;
    for (; end < term.parts.size() && term.parts[end] == term.parts[begin]; ++end)
      share += term.shares[end];
    // A part ends where the next one would take it further from its share.
    const double wanted = left / static_cast<double>(max_parts - part);
    if (held > 0 && held + share / 2 > wanted && part + 1 < max_parts) {
      left -= held;
      held = 0;
      ++part;
    }
    merged.insert(merged.end(), end - begin, part);
    held += share;
  }
  return merged;
}

/// (categories) The part of each: one for each of the most frequent, and one for all others.
std::vector<uint32_t> merged_rarest(std::span<const double> shares, size_t max_parts) {
  const std::vector<size_t> order = largest_first(shares);
  std::vector<uint32_t> parts(shares.size());
  for (size_t k = 0; k < order.size(); ++k)
    parts[order[k]] = static_cast<uint32_t>(std::min(k, max_parts - 1));
  return parts;
}

/// The values with mean 0 and mean square 1 over these shares; empty if they are all the same.
std::vector<double> standardised(std::vector<double> values, std::span<const double> shares) {
  const double mean = std::inner_product(values.begin(), values.end(), shares.begin(), 0.0);
  double square = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] -= mean;
    square += shares[k] * values[k] * values[k];
  }
  if (!(square > 0)) return {};
  for (double& value : values) value /= std::sqrt(square);
  return values;
}

/// (parts) The middle rank of each.
std::vector<double> ranks_of(std::span<const double> shares) {
  std::vector<double> ranks;
  double below = 0;
  for (const double share : shares) {
    ranks.push_back(below + share / 2);
    below += share;
  }
  return ranks;
}

/// (parts) The mean contribution of each.
std::vector<double> contributions_of(const AdditiveTerm& term, std::span<const double> parameters,
                                     std::span<const uint32_t> parts,
                                     std::span<const double> shares) {
  std::vector<double> means(shares.size());
  for (size_t cell = 0; cell < parts.size(); ++cell)
    means[parts[cell]] +=
        term.shares[cell] * parameters[term.first_cell + cell] / shares[parts[cell]];
  return means;
}

}  // namespace

PairTerms::PairTerms(const AdditiveModel& model, const EncodedTable& table,
                     const AdditiveDesign& design, std::span<const double> of_columns,
                     std::span<const std::array<size_t, 2>> columns, double min_count,
                     size_t max_parts) {
  const std::vector<AdditiveTerm> single = design.terms();
  const size_t num_columns = single.size();
  for (const AdditiveTerm& term : single) first_cell_.push_back(term.first_cell);
  std::vector<AdditivePair> pairs;
  std::vector<ColumnBins> bins;
  std::vector<std::vector<double>> lines;
  const bool has_lines = of_columns.size() == design.num_cells() + 1;  // one score
  for (const std::array<size_t, 2>& both : columns) {
    AdditivePair& pair = pairs.emplace_back(AdditivePair{both, {}});
    std::array<std::vector<double>, 2>& shares = shares_.emplace_back();
    std::array<std::vector<double>, 2> positions;
    for (size_t side = 0; side < 2; ++side) {
      const AdditiveTerm& term = single[both[side]];
      pair.parts[side] = both[side] < model.cells().size() ? merged_neighbours(term, max_parts)
                                                           : merged_rarest(term.shares, max_parts);
      shares[side].resize(pair.num_parts(side));
      for (size_t cell = 0; cell < term.shares.size(); ++cell)
        shares[side][pair.parts[side][cell]] += term.shares[cell];
      if (!has_lines) continue;
      positions[side] =
          standardised(both[side] < model.cells().size()
                           ? ranks_of(shares[side])
                           : contributions_of(term, of_columns, pair.parts[side], shares[side]),
                       shares[side]);
    }
    std::vector<double>& line = lines.emplace_back();
    if (std::ranges::min(both) < model.cells().size()) {
      for (const double a : positions[0])
        for (const double b : positions[1]) line.push_back(a * b);
    }
    ColumnBins& cells = bins.emplace_back();
    for (const double a : shares[0]) {
      for (const double b : shares[1]) {
        cells.of_cell.push_back(static_cast<uint32_t>(cells.of_cell.size()));
        cells.counts.push_back(a * b * design.num_records());
      }
    }
  }
  num_column_cells_ = design.num_cells();
  model_ = model.with_pairs(std::move(pairs), table.blocks);

  table_ = model_->in_cells(table);
  std::vector<uint32_t> active;
  const size_t num_rows = table_.active.size() / table_.num_active;
  const uint32_t offset = table_.blocks[num_columns];
  for (size_t row = 0; row < num_rows; ++row)
    for (size_t p = num_columns; p < table_.num_active; ++p)
      active.push_back(table_.active[row * table_.num_active + p] - offset);
  table_.active = std::move(active);
  table_.blocks.erase(table_.blocks.begin(),
                      table_.blocks.begin() + static_cast<std::ptrdiff_t>(num_columns));
  for (uint32_t& block : table_.blocks) block -= offset;
  table_.num_active -= static_cast<uint32_t>(num_columns);
  table_.num_features -= offset;

  design_ = std::make_unique<AdditiveDesign>(std::move(bins), std::move(lines), min_count);
}

std::vector<AdditiveTerm> PairTerms::terms() const {
  std::vector<AdditiveTerm> terms;
  size_t first_cell = num_column_cells_;
  for (size_t p = 0; p < shares_.size(); ++p) {
    const auto& columns = model_->pairs()[p].columns;
    AdditiveTerm& term =
        terms.emplace_back(AdditiveTerm{{columns.begin(), columns.end()}, first_cell, {}, {}});
    for (const double a : shares_[p][0])
      for (const double b : shares_[p][1]) term.shares.push_back(a * b);
    term.parts.resize(term.shares.size());
    std::iota(term.parts.begin(), term.parts.end(), 0U);
    first_cell += term.shares.size();
  }
  return terms;
}

std::vector<double> PairTerms::parameters(std::span<const double> of_columns,
                                          std::span<const double> of_pairs,
                                          size_t num_scores) const {
  std::vector<double> parameters(of_columns.begin(), of_columns.end());
  std::vector<double> terms(of_pairs.begin(), of_pairs.end());
  const size_t constant = num_column_cells_ * num_scores;
  size_t first = 0;
  for (size_t p = 0; p < shares_.size(); ++p) {
    const AdditivePair& pair = model_->pairs()[p];
    const size_t width = shares_[p][1].size();
    for (size_t s = 0; s < num_scores; ++s) {
      const auto term = [&](size_t a, size_t b) -> double& {
        return terms[(first + a * width + b) * num_scores + s];
      };
      std::array<std::vector<double>, 2> means;
      for (size_t side = 0; side < 2; ++side) means[side].resize(shares_[p][side].size());
      double mean = 0;
      for (size_t a = 0; a < means[0].size(); ++a) {
        for (size_t b = 0; b < width; ++b) {
          means[0][a] += shares_[p][1][b] * term(a, b);
          means[1][b] += shares_[p][0][a] * term(a, b);
        }
        mean += shares_[p][0][a] * means[0][a];
      }
      for (size_t a = 0; a < means[0].size(); ++a)
        for (size_t b = 0; b < width; ++b) term(a, b) -= means[0][a] + means[1][b] - mean;
      for (size_t side = 0; side < 2; ++side) {
        const std::vector<uint32_t>& parts = pair.parts[side];
        for (size_t cell = 0; cell < parts.size(); ++cell)
          parameters[(first_cell_[pair.columns[side]] + cell) * num_scores + s] +=
              means[side][parts[cell]] - mean;
      }
      parameters[constant + s] += mean;
    }
    first += shares_[p][0].size() * width;
  }
  for (size_t s = 0; s < num_scores; ++s) parameters[constant + s] += terms[first * num_scores + s];
  parameters.insert(parameters.begin() + static_cast<std::ptrdiff_t>(constant), terms.begin(),
                    terms.end() - static_cast<std::ptrdiff_t>(num_scores));
  return parameters;
}

}  // namespace equinoise
