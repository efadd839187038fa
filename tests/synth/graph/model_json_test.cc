// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/model_json.h"

#include <gtest/gtest.h>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::model_json_test {

TEST(ModelJson, ComesBackAsItWas) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const testing::RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1000.25);
    const GraphicalModel read =
        testing::graphical_model(nlohmann::json::parse(graphical_model_to_json(model).dump()));
    EXPECT_EQ(read.domain(), model.domain());
    EXPECT_EQ(read.total(), model.total());
    ASSERT_EQ(read.potentials().size(), model.potentials().size());
    for (size_t i = 0; i < read.potentials().size(); ++i) {
      EXPECT_EQ(read.potentials()[i].values, model.potentials()[i].values);
    }
    EXPECT_LE(testing::max_difference(read.marginal(graph.domain.all()),
                                      model.marginal(graph.domain.all())),
              1e-9)
        << seed;
  }
}

}  // namespace equinoise::model_json_test
