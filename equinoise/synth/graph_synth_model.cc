// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph_synth_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "equinoise/base/error.h"
#include "equinoise/synth/structural_zeros.h"

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

/// A column in which one code represents all of `values.pooled`.
struct PooledColumn {
  size_t column;
  RareValues values;
  CodeUrns urn;  // of the pooled codes
};

/// Rows with the codes of the original attributes.
class UnpooledRows final : public RowStream {
 public:
  UnpooledRows(std::unique_ptr<RowStream> rows, std::vector<PooledColumn> columns,
               RandomSource& source)
      : rows_(std::move(rows)), columns_(std::move(columns)), source_(source) {}

  CodedRows next(size_t num_rows) override {
    CodedRows rows = rows_->next(num_rows);
    for (PooledColumn& own : columns_) {
      const RareValues& values = own.values;
      for (uint16_t& code : rows.columns[own.column]) {
        code =
            code < values.kept.size() ? values.kept[code] : values.pooled[own.urn.draw(0, source_)];
      }
    }
    return rows;
  }

 private:
  std::unique_ptr<RowStream> rows_;
  std::vector<PooledColumn> columns_;
  RandomSource& source_;
};

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
  return megabytes_of(num_cells(model_.domain(), model_.tree()));
}

Evidence GraphSynthModel::pooled(const Evidence& evidence) const {
  Evidence result;
  for (const AttributeEvidence& own : evidence) {
    if (!fits(own, domain_)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  "a given code must lie within the domain, got code {} of attribute "
                  "{}",
                  own.code, own.attribute);
    }
    const RareValues& values = values_[static_cast<size_t>(own.attribute)];
    AttributeEvidence pooled = {own.attribute, 0, std::vector<double>(values.num_codes())};
    for (size_t code = 0; code < values.code_of.size(); ++code) {
      const size_t place = values.code_of[code];
      pooled.weights[place] += values.share_of_each(place) * own.weight_of(static_cast<int>(code));
    }
    result.push_back(std::move(pooled));
  }
  return result;
}

double GraphSynthModel::probability(const Evidence& evidence) const {
  if (evidence.empty()) return 1;
  Evidence asked = pooled(evidence);
  std::ranges::sort(asked, {}, &AttributeEvidence::attribute);
  AttributeSet set;
  // The weight of every cell of the marginal, the last attribute varying fastest.
  std::vector<double> weights = {1};
  for (const AttributeEvidence& own : asked) {
    set.push_back(own.attribute);
    multiply_out(weights, own.weights);
  }
  const std::vector<double> counts = model_.marginal(set);
  return std::inner_product(counts.begin(), counts.end(), weights.begin(), 0.0) / model_.total();
}

std::vector<double> GraphSynthModel::shares(const AttributeSet& set) const {
  domain_.check(set, kWhere);
  const std::vector<double> counts = model_.marginal(set);
  // The pooled cell of every cell, and its part of that.
  std::vector<std::pair<size_t, double>> parts = {{0, 1 / model_.total()}};
  for (const int attribute : set) {
    const RareValues& values = values_[static_cast<size_t>(attribute)];
    std::vector<std::pair<size_t, double>> longer;
    for (const auto& [cell, part] : parts) {
      for (const uint16_t code : values.code_of) {
        longer.emplace_back(cell * values.num_codes() + code, part * values.share_of_each(code));
      }
    }
    parts = std::move(longer);
  }
  std::vector<double> shares;
  shares.reserve(parts.size());
  for (const auto& [cell, part] : parts) shares.push_back(counts[cell] * part);
  return shares;
}

std::unique_ptr<RowStream> GraphSynthModel::make_rows(size_t num_rows, RowDraw draw,
                                                      const Evidence& evidence,
                                                      RandomSource& source,
                                                      const TaskProgress& progress) const {
  const auto draw_from = [&](const GraphicalModel& model) {
    return draw_rows(model, num_rows, draw, source, progress);
  };
  std::unique_ptr<RowStream> rows =
      evidence.empty() ? draw_from(model_) : draw_from(model_.given(pooled(evidence)));
  std::vector<PooledColumn> columns;
  for (size_t i = 0; i < values_.size(); ++i) {
    const RareValues& values = values_[i];
    if (values.pooled.empty()) continue;
    const auto asked =
        std::ranges::find(evidence, static_cast<int>(i), &AttributeEvidence::attribute);
    std::vector<double> weights;
    for (const uint16_t code : values.pooled)
      weights.push_back(asked == evidence.end() ? 1 : asked->weight_of(code));
    CodeUrns urn(1, weights.size(), RowDraw::kSample);
    urn.fill(0, weights, 0, source);
    columns.push_back({i, values, std::move(urn)});
  }
  if (columns.empty()) return rows;
  return std::make_unique<UnpooledRows>(std::move(rows), std::move(columns), source);
}

GraphSynthModel GraphSynthModel::within(const Evidence& evidence, const std::vector<size_t>& kept,
                                        double total) const {
  std::vector<Attribute> attributes;
  std::vector<RareValues> values;
  for (const size_t i : kept) {
    attributes.push_back(domain_.attribute(static_cast<int>(i)));
    values.push_back(values_[i]);
  }
  std::map<size_t, uint32_t> fixed;
  std::vector<Factor> potentials;
  for (const AttributeEvidence& own : pooled(evidence)) {
    const auto attribute = static_cast<size_t>(own.attribute);
    const auto place = std::ranges::find(kept, attribute);
    Factor factor{{static_cast<int>(place - kept.begin())}, {}};
    for (const double weight : own.weights) factor.values.push_back(std::log(weight));
    if (place != kept.end()) {
      potentials.push_back(std::move(factor));
    } else {
      fixed[attribute] =
          static_cast<uint32_t>(std::ranges::max_element(own.weights) - own.weights.begin());
    }
  }
  for (const Factor& potential : model_.potentials()) {
    Factor part = restrict_zeros(potential, model_.domain(), kept, fixed);
    if (!part.attributes.empty()) potentials.push_back(std::move(part));
  }
  Domain domain(std::move(attributes));
  Domain pooled = pooled_domain(domain, values);
  return {std::move(domain), std::move(values),
          GraphicalModel(std::move(pooled), std::move(potentials), total)};
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
      values.push_back(pool_codes(static_cast<size_t>(domain.num_codes(i)),
                                  codes_from_json(pooled[static_cast<size_t>(i)])));
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
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInput) throw;
    throw Error(ErrorKind::kInput, kWhere, "{}: {}", place, error.what());
  }
}

}  // namespace equinoise
