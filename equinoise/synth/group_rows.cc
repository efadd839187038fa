// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/group_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

/// Noise of public tables puts small groups off by more (docs/evidence/synthetic-data.md).
constexpr double kFarRatio = 2;
constexpr double kFewRows = 10;
/// Tables of more cells take longer than the warning is worth.
constexpr double kMaxComparedCells = 1e6;
constexpr double kMaxComparedCellsOfAll = 3e7;

double cells_of_evidence(const Evidence& evidence) {
  double num_cells = 1;
  for (const AttributeEvidence& own : evidence)
    num_cells *= static_cast<double>(own.weights.size());
  return num_cells;
}

/// The codes of a group's members; nothing if rows do not have its columns, or their table is
/// large.
std::optional<Evidence> group_evidence(const GroupLabel& group, const SynthFile& file) {
  Evidence evidence;
  for (const auto& [name, value] : group) {
    size_t column = 0;
    std::vector<double> weights;
    if (const auto own = std::ranges::find(file.groups, name, &CodeGroups::name);
        own != file.groups.end()) {
      const std::optional<size_t> found = own->find(value);
      if (!found) return std::nullopt;
      column = own->column;
      weights = own->weights(*found);
    } else {
      const std::optional<size_t> position = find_column(file.columns, name);
      if (!position || file.columns[*position].is_numeric()) return std::nullopt;
      const std::optional<uint32_t> code = file.columns[*position].code_of(value);
      if (!code) return std::nullopt;
      column = *position;
      weights.resize(file.columns[column].num_codes());
      weights[*code] = 1;
    }
    const auto attribute = static_cast<int>(column);
    const auto known = std::ranges::find(evidence, attribute, &AttributeEvidence::attribute);
    if (known == evidence.end()) {
      evidence.push_back({attribute, 0, weights});
    } else {  // several groupings of one column
      for (size_t code = 0; code < weights.size(); ++code) known->weights[code] *= weights[code];
    }
  }
  return cells_of_evidence(evidence) <= kMaxComparedCells ? std::optional(std::move(evidence))
                                                          : std::nullopt;
}

}  // namespace

std::optional<std::vector<GroupRows>> groups_far_off(const SynthFile& file, int64_t num_rows) {
  const ReleasedFacts& facts = *file.released;
  if (facts.group_sizes.empty() || facts.num_records.value_or(0) == 0) return std::nullopt;
  const double rows_of_record =
      static_cast<double>(num_rows) / static_cast<double>(*facts.num_records);
  std::vector<GroupRows> found;
  double num_cells = 0;
  for (const auto& [group, size] : facts.group_sizes) {
    const std::optional<Evidence> evidence = group_evidence(group, file);
    if (!evidence) continue;
    num_cells += cells_of_evidence(*evidence) * static_cast<double>(file.strata.size());
    if (num_cells > kMaxComparedCellsOfAll) return std::nullopt;
    const double share = share_of(file, *evidence);
    const double rows = share * static_cast<double>(num_rows);
    const double due = rows_of_record * static_cast<double>(size);
    const bool is_far = kFarRatio * rows < due || rows > kFarRatio * due;
    if (is_far && std::abs(rows - due) >= kFewRows)
      found.push_back({group, size, std::llround(rows)});
  }
  if (num_cells == 0) return std::nullopt;  // none was compared
  std::ranges::stable_sort(found, {}, [](const GroupRows& own) { return own.group.size(); });
  return found;
}

std::vector<std::string> strata_for(const std::vector<GroupRows>& groups, const Schema& schema,
                                    const std::vector<std::string>& strata) {
  const auto is_declared = [&](const std::set<std::string>& names) {
    int64_t num_records = 0;
    for (const auto& [group, size] : schema.public_group_sizes)
      if (std::ranges::equal(group, names, {}, &GroupLabel::value_type::first)) num_records += size;
    return num_records == schema.num_records;
  };
  std::set<std::string> of_all(strata.begin(), strata.end());
  std::set<std::string> of_first = of_all;
  for (const GroupRows& own : groups) {
    for (const auto& [name, value] : own.group) {
      of_all.insert(name);
      if (&own == &groups.front()) of_first.insert(name);
    }
  }
  for (const std::set<std::string>& names : {of_all, of_first})
    if (names.size() > strata.size() && is_declared(names)) return {names.begin(), names.end()};
  return {};
}

}  // namespace equinoise
