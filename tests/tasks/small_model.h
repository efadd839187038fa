// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/models/registry.h"
#include "tests/schema_text.h"

namespace equinoise::testing {

/// Nine records of x in [0, 9], sex and y, for models that look at x.
inline const std::string kSmallSchema =
    schema_head("small", "y", 9) + group_sizes("sex", {{"F", 4}, {"M", 5}}) +
    numeric_section("x", 0, 9) + categorical_section("sex", {"F", "M"}) +
    categorical_section("y", {"no", "yes"});

/// The last record has no x and contributes nothing.
inline const std::string kSmallTable =
    "x,sex,y\n9,F,yes\n8,F,no\n1,F,no\n2,F,yes\n9,M,yes\n7,M,yes\n1,M,no\n0,M,no\n?,M,no\n";

/// Of kSmallSchema's logistic model: x (scaled to [0, 1]), sex=F, sex=M, bias. Says yes above 4.5.
inline const std::vector<double> kYesAboveMiddle = {2, 0, 0, -1};
inline const std::vector<double> kNoAboveMiddle = {-2, 0, 0, 1};

/// `text` with its one occurrence of `old_part` replaced.
inline std::string with(std::string text, const std::string& old_part,
                        const std::string& new_part) {
  return text.replace(text.find(old_part), old_part.size(), new_part);
}

/// A model.json of a model, not private; "auto": the one that fits the schema's target.
inline nlohmann::json small_model(const std::string& schema_text,
                                  const std::vector<double>& parameters,
                                  const std::string& kind = "auto") {
  const Schema schema = parse_schema(schema_text, "test");
  const std::unique_ptr<Model> model = make_model(kind, schema);
  const std::vector<std::string> names = model->parameter_names();
  nlohmann::json json = {{"schema", "equinoise/1"},
                         {"dataset", schema.dataset},
                         {"method", "sgd"},
                         {"status", "not private"},
                         {"model", model->name()},
                         {"target", schema.target},
                         {"classes", schema.column(schema.target).categories()},
                         {"privacy", nullptr},
                         {"split", {{"test_fraction", 0.5}, {"split_seed", 3}}},
                         {"parameters", nlohmann::json::array()},
                         {"table_schema", schema_text}};
  for (size_t i = 0; i < names.size(); ++i) {
    json["parameters"].push_back({{"name", names[i]}, {"value", parameters.at(i)}});
  }
  return json;
}

}  // namespace equinoise::testing
