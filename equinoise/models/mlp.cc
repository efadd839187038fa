#include "equinoise/models/mlp.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/dense.h"
#include "equinoise/models/network/network.h"

namespace equinoise {

namespace {

constexpr size_t kLargestLayer = 65'536;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorKind::kUsage, "models.mlp", message);
}

TableDense make_first(std::vector<std::string> feature_names, const NetworkOptions& options) {
  if (options.hidden.empty()) {
    refuse(
        "hidden must name the size of at least one layer, e.g. 256,256; without one use "
        "logistic, softmax or linear");
  }
  for (size_t size : options.hidden) {
    if (size < 1 || size > kLargestLayer) {
      refuse(fmt::format("hidden must be sizes from 1 to {}, got {}", kLargestLayer, size));
    }
  }
  return {std::move(feature_names), options.hidden[0]};
}

std::unique_ptr<Layer> make_activation(const std::string& name, size_t size) {
  if (name == "tanh") return std::make_unique<Tanh>(size);
  if (name == "relu") return std::make_unique<Relu>(size);
  refuse(fmt::format("activation must be tanh or relu, got \"{}\"", name));
}

std::vector<std::unique_ptr<Layer>> make_layers(const NetworkOptions& options, size_t num_scores) {
  std::vector<std::unique_ptr<Layer>> layers;
  for (size_t l = 0; l < options.hidden.size(); ++l) {
    const size_t size = options.hidden[l];
    const size_t next = l + 1 < options.hidden.size() ? options.hidden[l + 1] : num_scores;
    layers.push_back(make_activation(options.activation, size));
    layers.push_back(std::make_unique<Dense>(size, next));
  }
  return layers;
}

}  // namespace

std::unique_ptr<Model> make_mlp(std::vector<std::string> feature_names, std::unique_ptr<Loss> loss,
                                const NetworkOptions& options) {
  TableDense first = make_first(std::move(feature_names), options);
  std::vector<std::unique_ptr<Layer>> layers = make_layers(options, loss->num_scores());
  return std::make_unique<Network>("mlp", std::move(first), std::move(layers), std::move(loss));
}

}  // namespace equinoise
