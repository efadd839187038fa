// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/cnn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/lists.h"
#include "equinoise/models/network/activation.h"
#include "equinoise/models/network/convolution.h"
#include "equinoise/models/network/dense.h"
#include "equinoise/models/network/network.h"
#include "equinoise/models/network/pooling.h"
#include "tests/models/network_vectors.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::cnn_test {

using nlohmann::json;

std::unique_ptr<Model> cnn(const ImageShape& image, const NetworkOptions& options) {
  return make_cnn("cnn", image, make_softmax_loss(10), options);
}

/// The networks of paper 001: its printed 80,522 and the 97,114 of its script on MNIST, and 120,722
/// on CelebA.
TEST(Cnn, HasAsManyParametersAsTheLayersNeed) {
  EXPECT_EQ(cnn({1, 28, 28}, {{}, ActivationKind::kTanh, {32, 32, 16, 16}})->num_parameters(),
            80'522U);
  EXPECT_EQ(cnn({1, 28, 28}, {{}, ActivationKind::kTanh, {32, 16}})->num_parameters(), 97'114U);
  EXPECT_EQ(
      make_cnn("cnn", {3, 64, 64}, make_softmax_loss(2), {{}, ActivationKind::kTanh, {32, 16}})
          ->num_parameters(),
      120'722U);
}

TEST(Cnn, OptionsThatMakeNoNetworkAreRefused) {
  for (const auto& [options, named] :
       {std::pair{NetworkOptions{}, "channels must name at least one"},
        {NetworkOptions{{}, ActivationKind::kTanh, {0}},
         "channels must be sizes from 1 to 65536, got 0"},
        {NetworkOptions{{0}, ActivationKind::kTanh, {2}},
         "hidden must be sizes from 1 to 65536, got 0"},
        {NetworkOptions{{}, ActivationKind::kTanh, {2}, 0},
         "kernel_size must be at least 1, got 0"},
        {NetworkOptions{{}, ActivationKind::kTanh, {2}, 8},
         "kernel_size of 8 x 8 does not fit maps of 7 x 9"},
        {NetworkOptions{{}, ActivationKind::kTanh, {2, 2, 2, 2}}, "does not fit maps of 1 x 3"},
        {NetworkOptions{{}, ActivationKind::kTanh, {2}, 7, PoolingKind::kMax},
         "pooling of 2 x 2 does not fit maps of 1 x 3"}}) {
    EXPECT_THAT(error_of(ErrorKind::kUsage,
                         [&, options = options] {
                           cnn({1, 7, 9}, options);
                         }),
                HasSubstr(named));
  }
}

/// A case of persample_conv.json as our networks see it.
struct VectorCase {
  explicit VectorCase(const json& c) {
    MapShape map = {c["input_shape"][0], c["input_shape"][1], c["input_shape"][2]};
    const size_t num_values = map.num_values();
    std::vector<std::unique_ptr<Layer>> layers;
    size_t num_outputs = 0;
    for (const json& layer : c["layers"]) {
      const std::string type = layer["type"];
      if (type == "conv") {
        auto convolution = std::make_unique<Convolution>(map, layer["out"], layer["kernel"]);
        map = convolution->output();
        blocks.push_back({layer["in"].get<size_t>(), map.channels, layer["kernel"].get<size_t>()});
        layers.push_back(std::move(convolution));
      } else if (type == "tanh") {
        layers.push_back(std::make_unique<Tanh>(map.num_values()));
      } else if (type == "relu") {
        layers.push_back(std::make_unique<Relu>(map.num_values()));
      } else if (type == "avg_pool") {
        layers.push_back(std::make_unique<AveragePooling>(map, layer["size"]));
        map = static_cast<const Pooling&>(*layers.back()).output();
      } else if (type == "max_pool") {
        layers.push_back(std::make_unique<MaxPooling>(map, layer["size"]));
        map = static_cast<const Pooling&>(*layers.back()).output();
      } else if (type == "linear") {
        num_outputs = layer["out"];
        blocks.push_back({layer["in"], num_outputs, 0});
        layers.push_back(std::make_unique<Dense>(layer["in"].get<size_t>(), num_outputs));
        map = {num_outputs, 1, 1};
      } else {
        EXPECT_EQ(type, "flatten");
      }
    }
    json rows = json::array();
    for (const json& image : c["X"]) {
      json row = json::array();
      for (const json& channel : image) {
        for (const json& line : channel) append(row, line);
      }
      rows.push_back(row);
    }
    table = testing::dense_table(rows, c["y"], static_cast<uint32_t>(num_values));
    auto loss = c["loss"] == "logistic" ? make_logistic_loss() : make_softmax_loss(num_outputs);
    model = std::make_unique<Network>("cnn", std::make_unique<TableValues>(num_values),
                                      std::move(layers), std::move(loss));
    theta = flatten(c["params"]);
  }

  /// Our order: taps, then the bias, each with all outputs.
  std::vector<double> flatten(const json& given) const {
    std::vector<double> values;
    for (size_t l = 0; l < blocks.size(); ++l) {
      const std::string name = "layer" + std::to_string(l + 1);
      const auto& [in, out, kernel] = blocks[l];
      const json& weight = given[name + ".weight"];
      for (size_t i = 0; i < in; ++i) {
        for (size_t y = 0; y < std::max<size_t>(kernel, 1); ++y) {
          for (size_t x = 0; x < std::max<size_t>(kernel, 1); ++x) {
            for (size_t o = 0; o < out; ++o)
              values.push_back(kernel > 0 ? weight[o][i][y][x] : weight[o][i]);
          }
        }
      }
      for (const json& value : given[name + ".bias"]) values.push_back(value);
    }
    return values;
  }

  void expect_blocks(const std::vector<double>& got, const json& expected, const json& tolerance,
                     const std::string& what) const {
    const std::vector<double> want = flatten(expected);
    ASSERT_EQ(got.size(), want.size()) << what;
    double largest = 0;
    for (double value : want) largest = std::max(largest, std::fabs(value));
    for (size_t j = 0; j < got.size(); ++j) {
      EXPECT_LE(std::fabs(got[j] - want[j]),
                tolerance["abs"].get<double>() + tolerance["rel"].get<double>() * largest)
          << what << " entry " << j;
    }
  }

  double scale() const { return 1; }

  struct Block {
    size_t in;
    size_t out;
    size_t kernel;  ///< 0: fully connected
  };
  std::vector<Block> blocks;
  EncodedTable table;
  std::unique_ptr<Model> model;
  std::vector<double> theta;
};

TEST(Cnn, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/persample_conv.json");
  for (const json& c : cases) testing::expect_vector_case(c, VectorCase(c));
  EXPECT_FALSE(cases.empty());
}

}  // namespace equinoise::cnn_test
