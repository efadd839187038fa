// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/model_json.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/data/schema/json_section.h"

namespace equinoise {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view kKind = "graphical_model";

std::vector<std::string> clique_names(const Domain& domain, const AttributeSet& set) {
  std::vector<std::string> names;
  for (int attribute : set) names.push_back(domain.attribute(attribute).name);
  return names;
}

Domain read_domain(const JsonSection& root) {
  std::vector<Attribute> attributes;
  for (const JsonSection& section : root.sections("attributes")) {
    const uint64_t codes = section.unsigned_integer("num_codes");
    if (codes < 1 || codes > Domain::kMaxCodes) {
      section.wrong("num_codes", fmt::format("from 1 to {}", Domain::kMaxCodes));
    }
    attributes.push_back({section.text("name"), static_cast<int>(codes)});
  }
  return Domain(std::move(attributes));
}

AttributeSet read_set(const Domain& domain, const JsonSection& section) {
  AttributeSet set;
  for (const std::string& name : section.texts("attributes")) {
    const std::optional<int> position = domain.find(name);
    if (!position || (!set.empty() && *position <= set.back())) {
      section.wrong("attributes", "some of the model's attributes, in its order");
    }
    set.push_back(*position);
  }
  return set;
}

Factor read_potential(const Domain& domain, const JsonSection& section) {
  Factor factor = {read_set(domain, section), {}};
  const Json& values = section.list("values");
  if (static_cast<double>(values.size()) != domain.num_cells(factor.attributes)) {
    section.wrong("values", fmt::format("a list of {:.0f} numbers (it has {})",
                                        domain.num_cells(factor.attributes), values.size()));
  }
  for (const Json& value : values) {
    if (!value.is_null() && !value.is_number()) section.wrong("values", "numbers or null");
    factor.values.push_back(value.is_null() ? kLogZero : value.get<double>());
  }
  return factor;
}

GraphicalModel read_model(const JsonSection& root) {
  const Domain domain = read_domain(root);
  std::vector<AttributeSet> cliques;
  for (const JsonSection& section : root.sections("cliques")) {
    cliques.push_back(read_set(domain, section));
  }
  std::vector<Factor> potentials;
  for (const JsonSection& section : root.sections("potentials")) {
    potentials.push_back(read_potential(domain, section));
  }
  JunctionTree tree = build_junction_tree(domain, cliques);
  check_model_size(domain, tree, GraphicalModel::kMaxCells);
  return GraphicalModel(domain, std::move(tree), std::move(potentials), root.number("total"));
}

}  // namespace

OrderedJson graphical_model_to_json(const GraphicalModel& model) {
  const Domain& domain = model.domain();
  OrderedJson attributes = OrderedJson::array();
  for (int a = 0; a < domain.num_attributes(); ++a) {
    attributes.push_back({{"name", domain.attribute(a).name}, {"num_codes", domain.num_codes(a)}});
  }
  OrderedJson cliques = OrderedJson::array();
  for (const AttributeSet& clique : model.tree().cliques) {
    cliques.push_back({{"attributes", clique_names(domain, clique)}});
  }
  OrderedJson potentials = OrderedJson::array();
  for (const Factor& factor : model.potentials()) {
    OrderedJson values = OrderedJson::array();
    for (double value : factor.values) {
      values.push_back(value == kLogZero ? OrderedJson(nullptr) : OrderedJson(value));
    }
    potentials.push_back(
        {{"attributes", clique_names(domain, factor.attributes)}, {"values", std::move(values)}});
  }
  return {{"schema", "equinoise/1"},
          {"kind", kKind},
          {"version", kGraphicalModelVersion},
          {"total", model.total()},
          {"attributes", std::move(attributes)},
          {"cliques", std::move(cliques)},
          {"potentials", std::move(potentials)}};
}

GraphicalModel parse_graphical_model(std::string_view text, std::string_view origin) {
  const JsonSource source = {.origin = std::string(origin),
                             .where = "synth.model",
                             .kind = "a graphical model",
                             .hint = "give the model.json that equinoise infer wrote with --out"};
  const Json json = parse_json(text, source);
  const JsonSection root(json, "", source);
  if (root.text("kind") != kKind) root.wrong("kind", fmt::format("\"{}\"", kKind));
  const uint64_t version = root.unsigned_integer("version");
  if (version != kGraphicalModelVersion) {
    source.fail(
        fmt::format("is a model of version {}, and this program reads version {}; make the "
                    "model again, or use the program that made it",
                    version, kGraphicalModelVersion));
  }
  try {
    return read_model(root);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    source.fail(fmt::format("is damaged or not {} ({})", source.kind, error.what()));
  }
}

}  // namespace equinoise
