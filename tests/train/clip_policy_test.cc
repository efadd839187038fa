#include "equinoise/train/clip_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"

namespace equinoise {
namespace {

TEST(FlatClip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/clip_policies.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["policy"] != "flat") continue;
    ++checked;
    std::vector<double> squared;
    for (const auto& norm : c["norms"]) squared.push_back(norm.get<double>() * norm.get<double>());
    std::vector<double> weights(squared.size());
    const FlatClip clip(c["max_grad_norm"].get<double>());
    clip.weights(squared, weights);
    for (size_t i = 0; i < weights.size(); ++i) {
      testing::expect_close(weights[i], c["expected"]["weights"][i], c["tolerance"], c["id"]);
    }
    testing::expect_close(c["noise_multiplier"].get<double>() * clip.bound(),
                          c["expected"]["noise_stddev"], c["tolerance"], c["id"]);
  }
  EXPECT_GT(checked, 0);
}

TEST(FlatClip, GivesWeightZeroToWhatIsNoNorm) {
  const std::vector<double> squared = {std::nan(""), std::numeric_limits<double>::infinity(), 1e300,
                                       0};
  std::vector<double> weights(squared.size());
  FlatClip(1).weights(squared, weights);
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
  EXPECT_GT(weights[2], 0);
  EXPECT_EQ(weights[3], 1);
}

TEST(FlatClip, RefusesABoundThatIsNoBound) {
  for (double bound : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(FlatClip{bound}, Error) << bound;
  }
}

TEST(NoClip, LeavesFiniteGradientsAlone) {
  const std::vector<double> squared = {4, std::nan(""), 0};
  std::vector<double> weights(squared.size());
  NoClip().weights(squared, weights);
  EXPECT_EQ(weights, (std::vector<double>{1, 0, 1}));
}

}  // namespace
}  // namespace equinoise
