// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/mlp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/network_vectors.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::mlp_test {

using nlohmann::json;

std::unique_ptr<Model> mlp(const NetworkOptions& options) {
  return make_mlp({"x"}, make_squared_loss(), options);
}

TEST(Mlp, OptionsThatMakeNoNetworkAreRefused) {
  for (const auto& [options, named] :
       {std::pair{NetworkOptions{{}, ActivationKind::kTanh}, "hidden must name"},
        {NetworkOptions{{5, 0}, ActivationKind::kTanh},
         "hidden must be sizes from 1 to 65536, got 0"},
        {NetworkOptions{{1'000'000'000'000}, ActivationKind::kTanh}, "got 1000000000000"}}) {
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&, options = options] { mlp(options); }),
                HasSubstr(named));
  }
}

TEST(Mlp, HasAsManyParametersAsTheLayersNeed) {
  // 98 features, two hidden layers of 256, two classes: the network of paper 001 on Adult.
  const auto model = make_mlp(std::vector<std::string>(98, "x"), make_softmax_loss(2),
                              {{256, 256}, ActivationKind::kTanh});
  EXPECT_EQ(model->num_parameters(), 91'650U);
}

/// A case of persample_mlp.json as our models see it: blocks are (inputs + 1, outputs), the bias
/// last, and the squared loss is half of the file's.
struct VectorCase {
  explicit VectorCase(const json& c)
      : sizes(c["sizes"].get<std::vector<size_t>>()), is_squared(c["loss"] == "squared") {
    table = testing::dense_table(c["X"], json::array(), static_cast<uint32_t>(sizes[0]));
    std::unique_ptr<Loss> loss;
    if (is_squared) {
      table.targets = c["y"].get<std::vector<float>>();
      loss = make_squared_loss();
    } else {
      table.labels = c["y"].get<std::vector<uint16_t>>();
      loss = c["loss"] == "logistic" ? make_logistic_loss() : make_softmax_loss(sizes.back());
    }
    const NetworkOptions options{
        {sizes.begin() + 1, sizes.end() - 1},
        value_of(kActivations, c["activation"].get<std::string>()).value()};
    model = make_mlp(table.feature_names, std::move(loss), options);
    theta = flatten(c["params"]);
  }

  std::vector<double> flatten(const json& blocks) const {
    std::vector<double> values;
    for (size_t l = 0; l + 1 < sizes.size(); ++l) {
      const std::string name = "layer" + std::to_string(l + 1);
      const json& weight = blocks[name + ".weight"];
      for (size_t j = 0; j < sizes[l]; ++j) {
        for (size_t k = 0; k < sizes[l + 1]; ++k) values.push_back(weight[k][j]);
      }
      for (const json& value : blocks[name + ".bias"]) values.push_back(value);
    }
    return values;
  }

  /// The blocks are compared one by one, each by its largest entry.
  void expect_blocks(const std::vector<double>& got, const json& expected, const json& tolerance,
                     const std::string& what) const {
    const std::vector<double> want = flatten(expected);
    ASSERT_EQ(got.size(), want.size()) << what;
    size_t begin = 0;
    for (size_t l = 0; l + 1 < sizes.size(); ++l) {
      const size_t end = begin + (sizes[l] + 1) * sizes[l + 1];
      double largest = 0;
      for (size_t j = begin; j < end; ++j) largest = std::max(largest, std::fabs(want[j]));
      for (size_t j = begin; j < end; ++j) {
        EXPECT_LE(std::fabs(scale() * got[j] - want[j]),
                  tolerance["abs"].get<double>() + tolerance["rel"].get<double>() * largest)
            << what << " layer " << l + 1 << " entry " << j - begin;
      }
      begin = end;
    }
  }

  double scale() const { return is_squared ? 2 : 1; }

  std::vector<size_t> sizes;
  bool is_squared;
  EncodedTable table;
  std::unique_ptr<Model> model;
  std::vector<double> theta;
};

TEST(Mlp, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/persample_mlp.json");
  for (const json& c : cases) testing::expect_vector_case(c, VectorCase(c));
  EXPECT_FALSE(cases.empty());
}

}  // namespace equinoise::mlp_test
