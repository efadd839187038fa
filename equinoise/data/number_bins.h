// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Edges of bins of numbers, (bins + 1) ascending ones. A bin begins with its lower edge and ends
/// before its upper one, the last one with it. All are public: they follow from the schema.

/// Bins of equal width.
std::vector<double> even_edges(double lower, double upper, int num_bins);

/// Bins of whole numbers: equally many in each, to within one. If there are no more whole numbers
/// than bins, each is a bin. The last one ends where the next whole number would begin.
std::vector<double> whole_edges(double lower, double upper, int num_bins);

/// Edges that make each number a bin of its own, which ends at the next double, or the next whole
/// number if `whole`.
std::vector<double> edges_around(std::span<const double> numbers, bool whole);

/// Edges that the bins of a numeric column always have, ascending. Each point mass is a bin of its
/// own, so that rows hold exactly that number. Cuts of the schema's bands are edges, so that the
/// numbers of a bin are in one band. A point mass at the upper end is the last bin.
std::vector<double> own_edges(const Schema& schema, const ColumnSchema& column);

/// The edges of both lists, ascending.
std::vector<double> with_edges(std::vector<double> edges, std::span<const double> own);

/// The same with exactly `num_bins` bins: the widest ones are halved until there are as many. Pre:
/// there are not more, and at least `num_bins` whole numbers if `whole`.
std::vector<double> with_edges(std::vector<double> edges, std::span<const double> own, bool whole,
                               size_t num_bins);

}  // namespace equinoise
