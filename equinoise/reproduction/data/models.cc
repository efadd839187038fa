// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/data/models.h"

#include <array>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/cnn.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/table_dense.h"

namespace equinoise {

namespace {

using Make = std::unique_ptr<Model> (*)(std::string_view name,
                                        const std::vector<std::string>& feature_names,
                                        size_t num_classes);

struct ReproductionModelRow {
  std::string_view name;
  Make make;
};

std::unique_ptr<Model> make_wide_mlp(std::string_view,
                                     const std::vector<std::string>& feature_names,
                                     size_t num_classes) {
  return make_mlp(feature_names, make_softmax_loss(num_classes),
                  {.hidden = {256, 256}, .activation = ActivationKind::kTanh});
}

std::unique_ptr<Model> make_logistic(std::string_view name,
                                     const std::vector<std::string>& feature_names,
                                     size_t num_classes) {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Sigmoid>(num_classes));
  return std::make_unique<Network>(std::string(name),
                                   std::make_unique<TableDense>(feature_names, num_classes),
                                   std::move(layers), make_softmax_loss(num_classes));
}

/// A model for MNIST with 80,522 parameters.
std::unique_ptr<Model> make_four_convolutions(std::string_view name,
                                              const std::vector<std::string>&, size_t num_classes) {
  return make_cnn(std::string(name), {1, 28, 28}, make_softmax_loss(num_classes),
                  {.activation = ActivationKind::kTanh, .channels = {32, 32, 16, 16}});
}

/// A model for MNIST with 97,114 parameters.
std::unique_ptr<Model> make_two_convolutions(std::string_view name, const std::vector<std::string>&,
                                             size_t num_classes) {
  return make_cnn(std::string(name), {1, 28, 28}, make_softmax_loss(num_classes),
                  {.activation = ActivationKind::kTanh, .channels = {32, 16}});
}

std::unique_ptr<Model> make_mnist_lenet(std::string_view name, const std::vector<std::string>&,
                                        size_t num_classes) {
  return make_cnn(std::string(name), {1, 28, 28}, make_softmax_loss(num_classes),
                  lenet_options({}));
}

std::unique_ptr<Model> make_celeba_cnn(std::string_view name, const std::vector<std::string>&,
                                       size_t num_classes) {
  return make_cnn(std::string(name), {3, 64, 64}, make_softmax_loss(num_classes),
                  {.activation = ActivationKind::kTanh, .channels = {32, 16}});
}

constexpr std::array kRows = {
    ReproductionModelRow{"mlp", make_wide_mlp},
    ReproductionModelRow{"logistic of the published code", make_logistic},
    ReproductionModelRow{"cnn of four convolutions", make_four_convolutions},
    ReproductionModelRow{"cnn of two convolutions", make_two_convolutions},
    ReproductionModelRow{"cnn of CelebA", make_celeba_cnn},
    ReproductionModelRow{"lenet", make_mnist_lenet},
};

}  // namespace

bool is_reproduction_model(std::string_view name) {
  return contains(kRows, name, &ReproductionModelRow::name);
}

std::unique_ptr<Model> make_reproduction_model(std::string_view name,
                                               const std::vector<std::string>& feature_names,
                                               size_t num_classes) {
  for (const ReproductionModelRow& row : kRows)
    if (row.name == name) return row.make(name, feature_names, num_classes);
  throw Error(ErrorKind::kUsage, "tasks.reproduce", "there is no model \"{}\"", name);
}

}  // namespace equinoise
