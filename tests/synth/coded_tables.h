// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "equinoise/privacy/accountants/zcdp.h"
#include "equinoise/synth/coded_table.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise::testing {

/// Rows of codes, [[1, 0], ...].
inline CodedTable coded_table(const std::vector<size_t>& sizes, const nlohmann::json& rows) {
  CodedTable table(sizes);
  for (const auto& row : rows) {
    for (size_t i = 0; i < sizes.size(); ++i) table.columns[i].append(row[i].get<uint32_t>());
    ++table.num_records;
  }
  return table;
}

/// Uniform codes of a fixed seed.
inline CodedTable random_table(const std::vector<size_t>& sizes, size_t num_records,
                               uint32_t seed) {
  std::mt19937 random(seed);
  CodedTable table(sizes);
  for (size_t record = 0; record < num_records; ++record) {
    for (CodedColumn& column : table.columns)
      column.append(static_cast<uint32_t>(random() % column.num_values));
  }
  table.num_records = num_records;
  return table;
}

/// The public facts of a table: its domain and size.
inline SynthFacts facts_of(const CodedTable& table) {
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < table.columns.size(); ++i)
    attributes.push_back({"c" + std::to_string(i), static_cast<int>(table.columns[i].num_values)});
  SynthFacts facts;
  facts.domain = Domain(attributes);
  facts.ordered.assign(attributes.size(), false);
  facts.num_records = static_cast<int64_t>(table.num_records);
  return facts;
}

inline double rho_of(const std::vector<Event>& events, Relation relation = Relation::kZeroOut) {
  ZcdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  return accountant.rho();
}

}  // namespace equinoise::testing
