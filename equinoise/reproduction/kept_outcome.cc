// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/kept_outcome.h"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no number that is not finite; such a figure means that a run diverged.
Json from_numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(std::isfinite(value) ? Json(value) : Json());
  return json;
}

std::vector<double> to_numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json) {
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                     : value.get<double>());
  }
  return values;
}

std::optional<double> to_optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace

KeptRunsHeader kept_outcomes(Json identity, bool is_drawn) {
  return {is_drawn ? "figures from simulated records, which belong to nobody"
                   : "NOT PRIVATE, DO NOT PUBLISH: figures computed from the records with an "
                     "insecure random source",
          std::move(identity),
          [](const Json& outcome) { static_cast<void>(outcome_from_json(outcome)); }};
}

Json key_of_run(const std::string& method, uint64_t seed, const std::string& series) {
  Json key = {{"method", method}, {"seed", seed}};
  if (!series.empty()) key["series"] = series;
  return key;
}

Json outcome_to_json(const ReproductionOutcome& outcome) {
  Json json = {{"accuracy", from_numbers(outcome.accuracy)},
               {"epsilon_by_rdp", nullptr},
               {"epsilon_by_pld", nullptr},
               {"points", Json::array()}};
  if (outcome.epsilon_by_rdp) json["epsilon_by_rdp"] = *outcome.epsilon_by_rdp;
  if (outcome.epsilon_by_pld) json["epsilon_by_pld"] = *outcome.epsilon_by_pld;
  for (const ReproductionPoint& point : outcome.points) {
    json["points"].push_back(
        {{"position", point.position}, {"values", from_numbers(point.values)}});
  }
  return json;
}

ReproductionOutcome outcome_from_json(const Json& json) {
  ReproductionOutcome outcome;
  outcome.accuracy = to_numbers(json.at("accuracy"));
  outcome.epsilon_by_rdp = to_optional(json.at("epsilon_by_rdp"));
  outcome.epsilon_by_pld = to_optional(json.at("epsilon_by_pld"));
  for (const Json& point : json.at("points"))
    outcome.points.push_back({point.at("position").get<double>(), to_numbers(point.at("values"))});
  return outcome;
}

}  // namespace equinoise
