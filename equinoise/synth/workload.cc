// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/schema/json_section.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/synth/marginal_counts.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.workload";

bool is_before(const AttributeSet& a, const AttributeSet& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

WeightedMarginal parse_entry(const nlohmann::json& entry, const Domain& domain,
                             const std::vector<std::string>& ignored, const std::string& place) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", place, problem);
  };
  if (!entry.is_object() || !entry.contains("columns") || !entry["columns"].is_array())
    fail("must be {\"columns\": [\"COLUMN\", ...], \"weight\": NUMBER}");
  for (const auto& [key, value] : entry.items()) {
    if (key != "columns" && key != "weight") fail(fmt::format("has an unknown key \"{}\"", key));
  }
  WeightedMarginal marginal;
  for (const nlohmann::json& column : entry["columns"]) {
    if (!column.is_string()) fail("columns must be names");
    const auto name = column.get<std::string>();
    const std::optional<int> position = domain.find(name);
    if (!position) fail(unknown_column(name, names_of(domain, domain.all()), ignored));
    marginal.attributes.push_back(*position);
  }
  std::ranges::sort(marginal.attributes);
  if (marginal.attributes.empty()) fail("columns must name at least one");
  if (std::ranges::adjacent_find(marginal.attributes) != marginal.attributes.end()) {
    fail("columns must name each column once");
  }
  if (entry.contains("weight")) {
    if (!entry["weight"].is_number()) fail("weight must be a number");
    marginal.weight = entry["weight"].get<double>();
    if (!(marginal.weight > 0) || !std::isfinite(marginal.weight))
      fail("weight must be finite and > 0");
  }
  return marginal;
}

}  // namespace

Workload all_marginals(const Domain& domain, int degree, std::optional<int> target) {
  if (degree < 1) {
    throw Error(ErrorKind::kUsage, kWhere, "degree must be at least 1, got {}", degree);
  }
  Workload workload;
  for (AttributeSet& set :
       sets_of_degree(domain.num_attributes(), std::min(degree, domain.num_attributes()))) {
    if (!target || contains(set, {*target})) workload.push_back({std::move(set), 1});
  }
  return workload;
}

Workload parse_workload(std::string_view text, const Domain& domain, std::string_view origin,
                        const std::vector<std::string>& ignored) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = kWhere,
      .kind = "a list of marginals",
      .hint = R"(write [{"columns": ["COLUMN", ...], "weight": NUMBER}, ...])"};
  const nlohmann::json json = parse_json(text, source);
  if (!json.is_array() || json.empty())
    source.fail(fmt::format("must be a JSON list of marginals; {}", source.hint));
  Workload workload;
  std::set<AttributeSet> seen;
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string place = fmt::format("{}: marginal {}", origin, i + 1);
    workload.push_back(parse_entry(json[i], domain, ignored, place));
    if (!seen.insert(workload.back().attributes).second) {
      throw Error(ErrorKind::kInput, kWhere,
                  place + " is listed twice; list it once, with the sum of the weights");
    }
  }
  return workload;
}

std::vector<WeightedMarginal> candidates_of(const Workload& workload) {
  constexpr size_t kMaxCandidates = 1'000'000;
  constexpr size_t kMaxDegree = 16;
  const Refusal refuse{ErrorKind::kUsage, kWhere};
  // The weight of a subset is a sum over its attributes.
  std::map<int, double> weight_of;
  std::set<AttributeSet, decltype(&is_before)> sets(&is_before);
  for (const WeightedMarginal& marginal : workload) {
    const AttributeSet& all = marginal.attributes;
    if (all.size() > kMaxDegree) {
      refuse("a marginal must have at most {} attributes, got {}", kMaxDegree, all.size());
    }
    for (const int attribute : all) weight_of[attribute] += marginal.weight;
    for (size_t bits = 1; bits < size_t{1} << all.size(); ++bits) {
      AttributeSet subset;
      for (size_t i = 0; i < all.size(); ++i) {
        if ((bits >> i & 1) != 0) subset.push_back(all[i]);
      }
      sets.insert(std::move(subset));
    }
    if (sets.size() > kMaxCandidates) {
      refuse("a workload must have at most {} subsets of marginals, got more", kMaxCandidates);
    }
  }
  std::vector<WeightedMarginal> candidates;
  candidates.reserve(sets.size());
  for (const AttributeSet& set : sets) {
    double weight = 0;
    for (const int attribute : set) weight += weight_of[attribute];
    candidates.push_back({set, weight});
  }
  return candidates;
}

double largest_weight(const std::vector<WeightedMarginal>& marginals) {
  double largest = 0;
  for (const WeightedMarginal& marginal : marginals) largest = std::max(largest, marginal.weight);
  return largest;
}

std::string unknown_column(const std::string& name, const std::vector<std::string>& names,
                           const std::vector<std::string>& ignored) {
  if (contains(ignored, name))
    return fmt::format("column \"{}\" is ignored by the schema, so rows do not hold it", name);
  return fmt::format("there is no column \"{}\"{}", name, did_you_mean(name, names));
}

}  // namespace equinoise
