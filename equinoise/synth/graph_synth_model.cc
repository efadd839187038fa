// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph_synth_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.model";

/// JSON has no infinity: an impossible cell is null.
nlohmann::ordered_json potential_to_json(const Factor& potential) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const double value : potential.values) {
    if (value == kLogZero) {
      values.push_back(nullptr);
    } else {
      values.push_back(value);
    }
  }
  return {{"attributes", potential.attributes}, {"values", std::move(values)}};
}

Factor potential_from_json(const nlohmann::json& json) {
  Factor potential;
  potential.attributes = json.at("attributes").get<AttributeSet>();
  for (const nlohmann::json& value : json.at("values"))
    potential.values.push_back(value.is_null() ? kLogZero : value.get<double>());
  return potential;
}

}  // namespace

GraphSynthModel::GraphSynthModel(Domain domain, std::vector<RareValues> values,
                                 GraphicalModel model)
    : domain_(std::move(domain)), values_(std::move(values)), model_(std::move(model)) {
  if (std::ssize(values_) != domain_.num_attributes() ||
      !(pooled_domain(domain_, values_) == model_.domain())) {
    throw Error(ErrorKind::kUsage, kWhere, "the values must be those of the model's attributes");
  }
}

double GraphSynthModel::megabytes() const {
  return num_cells(model_.domain(), model_.tree()) * sizeof(double) / 0x1p20;
}

Evidence GraphSynthModel::pooled(const Evidence& evidence) const {
  Evidence result;
  for (const auto& [attribute, code] : evidence) {
    if (attribute < 0 || attribute >= domain_.num_attributes() || code < 0 ||
        code >= domain_.num_codes(attribute)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("a given code must lie within the domain, got code {} of attribute "
                              "{}",
                              code, attribute));
    }
    const RareValues& values = values_[static_cast<size_t>(attribute)];
    result.emplace_back(attribute, values.code_of[static_cast<size_t>(code)]);
  }
  return result;
}

double GraphSynthModel::probability(const Evidence& evidence) const {
  if (evidence.empty()) return 1;
  const Evidence codes = pooled(evidence);
  std::vector<std::pair<int, int>> sorted(codes.begin(), codes.end());
  std::sort(sorted.begin(), sorted.end());
  AttributeSet set;
  size_t cell = 0;
  double share = 1;
  for (const auto& [attribute, code] : sorted) {
    const RareValues& values = values_[static_cast<size_t>(attribute)];
    set.push_back(attribute);
    cell = cell * values.num_codes() + static_cast<size_t>(code);
    if (static_cast<size_t>(code) >= values.kept.size())
      share /= static_cast<double>(values.pooled.size());
  }
  return share * model_.marginal(set)[cell] / model_.total();
}

CodedRows GraphSynthModel::rows(size_t num_rows, RowDraw draw, const Evidence& evidence,
                                RandomSource& source) const {
  const auto draw_from = [&](const GraphicalModel& model) {
    return draw == RowDraw::kRound ? round_rows(model, num_rows, source)
                                   : sample_rows(model, num_rows, source);
  };
  CodedRows rows = evidence.empty() ? draw_from(model_) : draw_from(model_.given(pooled(evidence)));
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].pooled.empty()) continue;
    for (uint16_t& code : rows.columns[i]) code = values_[i].decode(code, source);
  }
  for (const auto& [attribute, code] : evidence)
    rows.columns[static_cast<size_t>(attribute)].assign(num_rows, static_cast<uint16_t>(code));
  return rows;
}

nlohmann::ordered_json GraphSynthModel::to_json() const {
  nlohmann::ordered_json potentials = nlohmann::ordered_json::array();
  for (const Factor& potential : model_.potentials())
    potentials.push_back(potential_to_json(potential));
  nlohmann::ordered_json pooled = nlohmann::ordered_json::array();
  for (const RareValues& values : values_) pooled.push_back(values.pooled);
  return {{"kind", "graph"},
          {"total", model_.total()},
          {"pooled", std::move(pooled)},
          {"potentials", std::move(potentials)}};
}

std::unique_ptr<SynthModel> graph_synth_model_from_json(const nlohmann::json& json,
                                                        const Domain& domain,
                                                        const std::string& place) {
  try {
    std::vector<RareValues> values;
    const nlohmann::json& pooled = json.at("pooled");
    if (std::ssize(pooled) != domain.num_attributes())
      throw Error(ErrorKind::kInput, kWhere, place + ": pooled must name all columns");
    for (int i = 0; i < domain.num_attributes(); ++i) {
      // As if pooled codes were those below a threshold.
      std::vector<double> counts(static_cast<size_t>(domain.num_codes(i)), 1);
      for (const nlohmann::json& code : pooled[static_cast<size_t>(i)])
        counts.at(code.get<size_t>()) = 0;
      values.push_back(find_rare_values(counts, 0.5));
    }
    std::vector<Factor> potentials;
    for (const nlohmann::json& potential : json.at("potentials"))
      potentials.push_back(potential_from_json(potential));
    const auto total = json.at("total").get<double>();
    if (!(total > 0) || !std::isfinite(total))
      throw Error(ErrorKind::kInput, kWhere, place + ": total must be > 0");
    GraphicalModel model(pooled_domain(domain, values), std::move(potentials), total);
    return std::make_unique<GraphSynthModel>(domain, std::move(values), std::move(model));
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::kInput, kWhere,
                place + ": a key of the model is missing or has another type");
  } catch (const std::out_of_range&) {
    throw Error(ErrorKind::kInput, kWhere, place + ": pools a code that the column does not have");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInput) throw;
    throw Error(ErrorKind::kInput, kWhere, fmt::format("{}: {}", place, error.what()));
  }
}

}  // namespace equinoise
