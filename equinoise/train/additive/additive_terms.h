// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// A term of an additive model: what its columns' values add to the scores, each in a cell, and the
/// share of records behind each cell. A post-processing of released histograms.
struct AdditiveTerm {
  std::vector<size_t> columns;  ///< among the model's columns: the numbers, then the categories
  size_t first_cell = 0;        ///< among the model's cells
  std::vector<double> shares;   ///< (cells) of the records
  /// (cells) from 0, ascending: in the cells of a part contributions follow one straight line.
  std::vector<uint32_t> parts;
};

/// Moves a term's contributions to one score to the nearest ones that never fall from cell to cell
/// (`sign` 1) or never rise (-1), by squares weighted with the shares [AyerEtAl1955]. Their mean
/// over the shares stays; parts are divided where one line no longer holds. parameters: those of
/// the model.
void keep_monotone(AdditiveTerm& term, double sign, std::span<double> parameters);

}  // namespace equinoise
