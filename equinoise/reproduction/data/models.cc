// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/models.h"

#include "equinoise/base/error.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"

namespace equinoise {

namespace {

std::unique_ptr<Model> make_logistic(std::string_view name,
                                     const std::vector<std::string>& feature_names,
                                     size_t num_classes) {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Sigmoid>(num_classes));
  return std::make_unique<Network>(std::string(name),
                                   std::make_unique<TableDense>(feature_names, num_classes),
                                   std::move(layers), make_softmax_loss(num_classes));
}

}  // namespace

std::unique_ptr<Model> make_reproduction_model(std::string_view name,
                                               const std::vector<std::string>& feature_names,
                                               size_t num_classes) {
  constexpr ImageShape kMnist{1, 28, 28};
  const auto cnn = [&](const ImageShape& shape, const NetworkOptions& options) {
    return make_cnn(std::string(name), shape, make_softmax_loss(num_classes), options);
  };
  const auto tanh_cnn = [&](const ImageShape& shape, std::vector<size_t> channels) {
    return cnn(shape, {.activation = ActivationKind::kTanh, .channels = std::move(channels)});
  };
  if (name == "mlp") {
    return make_mlp(feature_names, make_softmax_loss(num_classes),
                    {.hidden = {256, 256}, .activation = ActivationKind::kTanh});
  }
  if (name == "logistic of the published code")
    return make_logistic(name, feature_names, num_classes);
  // 80,522 and 97,114 parameters.
  if (name == "cnn of four convolutions") return tanh_cnn(kMnist, {32, 32, 16, 16});
  if (name == "cnn of two convolutions") return tanh_cnn(kMnist, {32, 16});
  if (name == "cnn of CelebA") return tanh_cnn({3, 64, 64}, {32, 16});
  if (name == "lenet") return cnn(kMnist, lenet_options({}));
  throw Error(ErrorKind::kUsage, "tasks.reproduce", "there is no model \"{}\"", name);
}

}  // namespace equinoise
