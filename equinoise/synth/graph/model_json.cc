// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/model_json.h"

#include <string>
#include <utility>
#include <vector>

namespace equinoise {
namespace {

using OrderedJson = nlohmann::ordered_json;

}  // namespace

OrderedJson graphical_model_to_json(const GraphicalModel& model) {
  const Domain& domain = model.domain();
  OrderedJson attributes = OrderedJson::array();
  for (int a = 0; a < domain.num_attributes(); ++a) {
    attributes.push_back({{"name", domain.attribute(a).name}, {"num_codes", domain.num_codes(a)}});
  }
  OrderedJson cliques = OrderedJson::array();
  for (const AttributeSet& clique : model.tree().cliques) {
    cliques.push_back({{"attributes", names_of(domain, clique)}});
  }
  OrderedJson potentials = OrderedJson::array();
  for (const Factor& factor : model.potentials()) {
    OrderedJson values = OrderedJson::array();
    for (double value : factor.values) {
      values.push_back(value == kLogZero ? OrderedJson(nullptr) : OrderedJson(value));
    }
    potentials.push_back(
        {{"attributes", names_of(domain, factor.attributes)}, {"values", std::move(values)}});
  }
  return {{"schema", "equinoise/1"},
          {"kind", "graphical_model"},
          {"version", 1},
          {"total", model.total()},
          {"attributes", std::move(attributes)},
          {"cliques", std::move(cliques)},
          {"potentials", std::move(potentials)}};
}

}  // namespace equinoise
