// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "equinoise/models/mlp.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"
#include "tests/small_tables.h"

namespace equinoise::testing {

/// The network and the records of a case of excess_risk.json or dpsgd_runs.json. Blocks are turned
/// to ours: (inputs + 1, outputs), the bias last.
struct VectorNetwork {
  explicit VectorNetwork(const nlohmann::json& c) : sizes(c["sizes"].get<std::vector<size_t>>()) {
    table = dense_table(c["X"], c["y"], static_cast<uint32_t>(sizes[0]));
    for (const auto& group : c["group"]) table.groups.push_back(GroupId(group.get<uint32_t>()));
    auto loss = c["loss"] == "logistic" ? make_logistic_loss() : make_softmax_loss(sizes.back());
    if (sizes.size() == 2) {
      model = std::make_unique<Network>("linear",
                                        std::make_unique<TableDense>(table.feature_names, sizes[1]),
                                        std::vector<std::unique_ptr<Layer>>(), std::move(loss));
    } else {
      model = make_mlp(table.feature_names, std::move(loss),
                       {{sizes.begin() + 1, sizes.end() - 1},
                        value_of(kActivations, c["activation"].get<std::string>()).value()});
    }
    for (size_t l = 0; l + 1 < sizes.size(); ++l) {
      const std::string name = "layer" + std::to_string(l + 1);
      for (size_t j = 0; j < sizes[l]; ++j) {
        for (size_t k = 0; k < sizes[l + 1]; ++k)
          theta.push_back(c["params"][name + ".weight"][k][j]);
      }
      for (const nlohmann::json& value : c["params"][name + ".bias"]) theta.push_back(value);
    }
  }

  /// A flattened vector of the file: weights (outputs, inputs), then the bias, layer by layer.
  std::vector<double> flat(const nlohmann::json& values) const {
    std::vector<double> result;
    size_t begin = 0;
    for (size_t l = 0; l + 1 < sizes.size(); ++l) {
      const size_t in = sizes[l];
      const size_t out = sizes[l + 1];
      for (size_t j = 0; j < in; ++j) {
        for (size_t k = 0; k < out; ++k) result.push_back(values[begin + k * in + j]);
      }
      for (size_t k = 0; k < out; ++k) result.push_back(values[begin + in * out + k]);
      begin += (in + 1) * out;
    }
    return result;
  }

  std::vector<uint32_t> members(size_t group) const {
    std::vector<uint32_t> records;
    for (uint32_t i = 0; i < table.groups.size(); ++i) {
      if (index_of(table.groups[i]) == group) records.push_back(i);
    }
    return records;
  }

  std::vector<size_t> sizes;
  EncodedTable table;
  std::unique_ptr<Model> model;
  std::vector<double> theta;
};

}  // namespace equinoise::testing
