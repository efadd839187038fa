// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/stratum_evidence.h"

#include <algorithm>
#include <limits>

namespace equinoise {

namespace {

/// 1 for bins from `low` to below `high`, else 0; none is in two bands (own_edges()).
std::vector<double> bins_of_band(const ColumnCodes& column, double low, double high) {
  std::vector<double> weights(column.num_codes());  // a column with bands has no missing cells
  for (size_t bin = 0; bin < column.num_bins(); ++bin)
    weights[bin] = column.edges[bin] >= low && column.edges[bin] < high ? 1 : 0;
  return weights;
}

std::vector<double> attribute_weights(const GroupAttribute& attribute, const std::string& category,
                                      const ColumnCodes& column) {
  const std::vector<std::string> categories = attribute.categories();
  const auto index =
      static_cast<size_t>(std::ranges::find(categories, category) - categories.begin());
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (column.is_numeric()) {
    const double low = index == 0 ? -kInfinity : attribute.cuts[index - 1];
    const double high = index < attribute.cuts.size() ? attribute.cuts[index] : kInfinity;
    return bins_of_band(column, low, high);
  }
  std::vector<double> weights(column.num_codes());
  for (size_t code = 0; code < weights.size(); ++code) {
    const auto& values = attribute.values;
    const auto found = std::ranges::find(values, column.values[code]);
    weights[code] = found - values.begin() == static_cast<std::ptrdiff_t>(index) ? 1 : 0;
  }
  return weights;
}

}  // namespace

Evidence stratum_evidence(const GroupLabel& label, const Schema& schema,
                          const std::vector<ColumnCodes>& columns) {
  std::map<int, std::vector<double>> weights;
  for (const auto& [name, value] : label) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    const std::string& column_name = attribute != nullptr ? attribute->column : name;
    const auto found = std::ranges::find(columns, column_name, &ColumnCodes::name);
    if (found == columns.end()) continue;
    std::vector<double> own(found->num_codes(), 0);
    if (attribute != nullptr) {
      own = attribute_weights(*attribute, value, *found);
    } else if (const auto code = found->code_of(value)) {
      own[*code] = 1;
    }
    const auto [entry, is_new] = weights.emplace(static_cast<int>(found - columns.begin()), own);
    for (size_t code = 0; code < own.size() && !is_new; ++code) entry->second[code] *= own[code];
  }
  Evidence evidence;
  for (auto& [position, own] : weights) {
    // Bands of one column that exclude each other have no members.
    if (!std::ranges::any_of(own, [](double weight) { return weight > 0; })) continue;
    evidence.push_back({position, 0, std::move(own)});
  }
  return evidence;
}

std::map<size_t, uint32_t> fixed_codes(const Evidence& evidence) {
  std::map<size_t, uint32_t> fixed;
  for (const AttributeEvidence& own : evidence) {
    const auto possible = [](double weight) { return weight > 0; };
    if (std::ranges::count_if(own.weights, possible) != 1) continue;
    const auto code = std::ranges::find_if(own.weights, possible);
    fixed[static_cast<size_t>(own.attribute)] = static_cast<uint32_t>(code - own.weights.begin());
  }
  return fixed;
}

}  // namespace equinoise
