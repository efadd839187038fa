// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/released_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"
#include "equinoise/privacy/unit_events.h"
#include "equinoise/synth/rare_values.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

double rho_of_gaussian(double noise_stddev) { return 0.5 / (noise_stddev * noise_stddev); }

/// Counts with noise are whole, and shorter so.
Json numbers_entry(const std::vector<double>& counts) {
  Json values = Json::array();
  for (const double count : counts) {
    const auto whole = static_cast<int64_t>(count);
    values.push_back(static_cast<double>(whole) == count ? Json(whole) : Json(count));
  }
  return values;
}

Json measured_entry(const MeasuredFacts& facts) {
  Json marginals = Json::array();
  for (const MeasuredFacts::Marginal& marginal : facts.marginals) {
    marginals.push_back({{"columns", marginal.columns},
                         {"noise_stddev", marginal.noise_stddev},
                         {"counts", marginal.num_counts}});
    Json& entry = marginals.back();
    if (marginal.is_cell) entry["one_count"] = true;
    if (marginal.parts > 0) entry["parts"] = marginal.parts;
    if (!marginal.cell.empty()) entry["cell"] = marginal.cell;
    if (!marginal.pooled.empty()) entry["pooled"] = marginal.pooled;
    if (!marginal.counts.empty()) entry["values"] = numbers_entry(marginal.counts);
  }
  return {{"marginals", std::move(marginals)}, {"rho_of_choices", facts.rho_of_choices}};
}

MeasuredFacts measured_from_json(const nlohmann::json& json) {
  MeasuredFacts facts;
  for (const nlohmann::json& entry : json.at("marginals")) {
    MeasuredFacts::Marginal& marginal = facts.marginals.emplace_back();
    marginal.columns = entry.at("columns").get<std::vector<std::string>>();
    marginal.noise_stddev = entry.at("noise_stddev").get<double>();
    marginal.num_counts = entry.at("counts").get<double>();
    marginal.is_cell = entry.value("one_count", false);
    marginal.parts = entry.value("parts", size_t{0});
    if (entry.contains("cell")) marginal.cell = entry["cell"].get<std::vector<uint32_t>>();
    if (entry.contains("values")) marginal.counts = entry["values"].get<std::vector<double>>();
    if (!entry.contains("pooled")) continue;
    for (const nlohmann::json& codes : entry["pooled"])
      marginal.pooled.push_back(codes_from_json(codes));
  }
  facts.rho_of_choices = json.at("rho_of_choices").get<double>();
  return facts;
}

template <typename Value>
std::optional<Value> optional_from_json(const nlohmann::json& json, const char* key) {
  return json.contains(key) ? std::optional(json[key].get<Value>()) : std::nullopt;
}

}  // namespace

double MeasuredFacts::rho() const {
  double sum = rho_of_choices;
  for (const Marginal& marginal : marginals) sum += rho_of_gaussian(marginal.noise_stddev);
  return sum;
}

double ReleasedFacts::row_rho() const { return rho / rho_factor(max_records_per_unit); }

double ReleasedFacts::Distribution::rho() const {
  return num_levels * rho_of_gaussian(noise_stddev);
}

bool ReleasedFacts::has_counts() const {
  const auto has = [](const MeasuredFacts& measured) {
    return std::ranges::any_of(measured.marginals, [](const MeasuredFacts::Marginal& marginal) {
      return !marginal.counts.empty();
    });
  };
  return has(everybody) ||
         std::ranges::any_of(strata, [&](const Stratum& stratum) { return has(stratum.measured); });
}

MeasuredFacts measured_facts(const Domain& domain, const SynthOutcome& outcome) {
  MeasuredFacts facts;
  for (const SynthMeasurement& measurement : outcome.measurements) {
    facts.marginals.push_back({names_of(domain, measurement.attributes), measurement.noise_stddev,
                               static_cast<double>(measurement.counts.size()),
                               !measurement.cell.empty(), measurement.counts, measurement.pooled,
                               measurement.cell, measurement.parts});
  }
  facts.rho_of_choices = outcome.rho_of_scores;
  for (const SynthRound& round : outcome.rounds)
    facts.rho_of_choices += round.epsilon * round.epsilon / 8;
  return facts;
}

Json to_json(const ReleasedFacts& facts) {
  Json distributions = Json::array();
  for (const ReleasedFacts::Distribution& distribution : facts.distributions) {
    distributions.push_back({{"column", distribution.column},
                             {"levels", distribution.num_levels},
                             {"noise_stddev", distribution.noise_stddev}});
  }
  Json strata = Json::array();
  for (const ReleasedFacts::Stratum& stratum : facts.strata) {
    Json& entry = strata.emplace_back(Json{{"measures", stratum.measures}});
    if (stratum.public_size) entry["num_records"] = *stratum.public_size;
    if (stratum.noise_error) entry["noise_error"] = *stratum.noise_error;
    entry["measured"] = measured_entry(stratum.measured);
  }
  Json bounds = Json::array();
  for (const ReleasedFacts::Bound& bound : facts.bounds)
    bounds.push_back({{"columns", bound.columns}, {"records", bound.records}});
  Json json = {{"version", facts.version},
               {"unit", facts.unit},
               {"unit_stated", facts.unit_stated},
               {"rho", facts.rho}};
  if (facts.max_records_per_unit > 1) json["max_records_per_unit"] = facts.max_records_per_unit;
  if (facts.attack) json["attack_bounds"] = to_json(*facts.attack);
  if (facts.num_records) json["num_records"] = *facts.num_records;
  for (const auto& [group, size] : facts.group_sizes) {
    Json& entry = json["group_sizes"].emplace_back(Json{{"num_records", size}});
    for (const auto& [name, value] : group) entry["group"][name] = value;
  }
  if (!facts.target.empty()) json["target"] = facts.target;
  json.update({{"gaps", facts.gaps},
               {"ignored", facts.ignored},
               {"impossible", facts.impossible},
               {"impossible_cells", facts.impossible_cells},
               {"workload",
                {{"degree", facts.goal.degree},
                 {"target", facts.goal.target},
                 {"listed", facts.goal.listed}}},
               {"number_laws", std::move(distributions)},
               {"measured", measured_entry(facts.everybody)},
               {"strata_share", facts.strata_share},
               {"strata", std::move(strata)},
               {"bounds", std::move(bounds)}});
  return json;
}

ReleasedFacts released_facts_from_json(const nlohmann::json& json, size_t num_columns,
                                       size_t num_strata, const std::string& place) {
  ReleasedFacts facts;
  facts.version = json.at("version").get<std::string>();
  facts.unit = json.at("unit").get<std::string>();
  facts.unit_stated = json.value("unit_stated", false);
  facts.rho = json.at("rho").get<double>();
  facts.max_records_per_unit = json.value("max_records_per_unit", int64_t{1});
  if (facts.max_records_per_unit < 1) {
    throw Error(ErrorKind::kInput, "synth.released_facts",
                place + ": max_records_per_unit must be at least 1");
  }
  if (const auto attack = json.find("attack_bounds"); attack != json.end()) {
    facts.attack = attack_bounds_from_json(*attack);
    if (!facts.attack) {
      throw Error(
          ErrorKind::kInput, "synth.released_facts",
          place + ": attack_bounds must hold true_positive_rate and advantage, from 0 to 1");
    }
  }
  facts.num_records = optional_from_json<int64_t>(json, "num_records");
  for (const nlohmann::json& entry : json.value("group_sizes", nlohmann::json::array())) {
    GroupLabel group;
    for (const auto& [name, value] : entry.at("group").items())
      group.emplace_back(name, value.get<std::string>());
    facts.group_sizes.emplace(std::move(group), entry.at("num_records").get<int64_t>());
  }
  facts.target = json.value("target", "");
  facts.gaps = json.at("gaps").get<std::vector<std::string>>();
  facts.ignored = json.at("ignored").get<std::vector<std::string>>();
  facts.impossible = json.at("impossible").get<std::vector<std::vector<std::string>>>();
  if (json.contains("impossible_cells")) {
    facts.impossible_cells = json["impossible_cells"].get<std::vector<std::vector<uint32_t>>>();
  }
  const nlohmann::json& goal = json.at("workload");
  facts.goal = {goal.at("degree").get<int>(), goal.at("target").get<std::string>(),
                goal.at("listed").get<std::vector<std::vector<std::string>>>()};
  for (const nlohmann::json& distribution : json.at("number_laws")) {
    facts.distributions.push_back({distribution.at("column").get<std::string>(),
                                   distribution.at("levels").get<int>(),
                                   distribution.at("noise_stddev").get<double>()});
  }
  facts.everybody = measured_from_json(json.at("measured"));
  facts.strata_share = json.at("strata_share").get<bool>();
  for (const nlohmann::json& entry : json.at("strata")) {
    ReleasedFacts::Stratum& stratum = facts.strata.emplace_back();
    stratum.public_size = optional_from_json<int64_t>(entry, "num_records");
    stratum.measures = entry.at("measures").get<bool>();
    stratum.noise_error = optional_from_json<double>(entry, "noise_error");
    stratum.measured = measured_from_json(entry.at("measured"));
  }
  for (const nlohmann::json& bound : json.at("bounds")) {
    facts.bounds.push_back(
        {bound.at("columns").get<std::vector<std::string>>(), bound.at("records").get<double>()});
  }
  const bool fits_impossible =
      facts.impossible_cells.empty() || facts.impossible_cells.size() == facts.impossible.size();
  if (facts.gaps.size() != num_columns || !fits_impossible ||
      (!facts.strata.empty() && facts.strata.size() != num_strata)) {
    throw Error(ErrorKind::kInput, "synth.released_facts",
                "{}: released does not fit the columns and strata of the model; it is "
                "damaged, copy it again",
                place);
  }
  return facts;
}

}  // namespace equinoise
