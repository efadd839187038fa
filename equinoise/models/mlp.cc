// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/mlp.h"

#include "equinoise/base/error.h"
#include "equinoise/models/network/builder.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"

namespace equinoise {

std::unique_ptr<Model> make_mlp(std::vector<std::string> feature_names, std::unique_ptr<Loss> loss,
                                const NetworkOptions& options) {
  if (options.hidden.empty()) {
    throw Error(ErrorKind::kUsage, "models.mlp",
                "hidden must name the size of at least one layer, e.g. 256,256; without one use "
                "logistic, softmax or linear");
  }
  check_layer_sizes("hidden", options.hidden);
  const size_t first = options.hidden[0];
  Layers layers;
  add_activation(options.activation, first, layers);
  NetworkOptions rest = options;
  rest.hidden.erase(rest.hidden.begin());
  add_dense_layers(first, rest, loss->num_scores(), layers);
  return std::make_unique<Network>("mlp",
                                   std::make_unique<TableDense>(std::move(feature_names), first),
                                   std::move(layers), std::move(loss));
}

}  // namespace equinoise
