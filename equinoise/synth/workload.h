// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/synth/graph/domain.h"

namespace equinoise {

/// A marginal and how much it matters.
struct WeightedMarginal {
  AttributeSet attributes;
  double weight = 1;
};

/// The marginals that synthetic rows are wanted for. Public: it is chosen without the records.
using Workload = std::vector<WeightedMarginal>;

/// All marginals of `degree` attributes, or of all where there are fewer, with weight 1; with
/// `target` those that hold it. Errors: kUsage for a degree below 1 or too many marginals.
Workload all_marginals(const Domain& domain, int degree, std::optional<int> target = {});

/// A list in JSON: [{"columns": ["age", "sex"], "weight": 2}, ...]; the default weight is 1.
/// `ignored`: columns of the table that rows do not have. Errors: kInput that names `origin` and
/// the mistake: no JSON (with the line), not such a list, an unknown column (unknown_column), one
/// twice, a weight that is not finite and > 0, the same marginal twice.
Workload parse_workload(std::string_view text, const Domain& domain, std::string_view origin,
                        const std::vector<std::string>& ignored = {});

/// All non-empty subsets of the workload's marginals, by size and then lexicographic. The weight of
/// a subset r is the sum over marginals s of the weight of s times the number of attributes that r
/// and s share. [McKennaMullinsSheldonMiklau2022, Alg. 4] Errors: kUsage for more than a million.
std::vector<WeightedMarginal> candidates_of(const Workload& workload);

/// The largest weight of marginals; 0 of none.
double largest_weight(const std::vector<WeightedMarginal>& marginals);

/// Why rows have no column of that name, among those of these names: the schema ignores it, or
/// there is none, with the nearest name.
std::string unknown_column(const std::string& name, const std::vector<std::string>& names,
                           const std::vector<std::string>& ignored);

}  // namespace equinoise
