// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/stratum_evidence.h"

#include <algorithm>

#include "equinoise/synth/code_groups.h"

namespace equinoise {

Evidence stratum_evidence(const GroupLabel& label, const Schema& schema,
                          const std::vector<ColumnCodes>& columns) {
  std::map<int, std::vector<double>> weights;
  for (const auto& [name, value] : label) {
    const GroupAttribute* attribute = schema.find_group_attribute(name);
    const std::string& column_name = attribute != nullptr ? attribute->column : name;
    const std::optional<size_t> position = find_column(columns, column_name);
    if (!position) continue;
    std::vector<double> own(columns[*position].num_codes(), 0);
    if (attribute != nullptr) {
      const CodeGroups groups = code_groups(*attribute, columns, *position);
      if (const auto group = groups.find(value)) own = groups.weights(*group);
    } else if (const auto code = columns[*position].code_of(value)) {
      own[*code] = 1;
    }
    const auto [entry, is_new] = weights.emplace(static_cast<int>(*position), own);
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
