// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/model_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/synth/graph/graph_cases.h"
#include "tests/test_support.h"

namespace equinoise::model_json_test {
namespace {

using ::testing::HasSubstr;

TEST(ModelJson, ComesBackAsItWas) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const testing::RandomGraph graph = testing::random_graph(seed);
    const GraphicalModel model(graph.domain, graph.potentials, 1000.25);
    const GraphicalModel read =
        parse_graphical_model(graphical_model_to_json(model).dump(), "model.json");
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

TEST(ModelJson, RefusesOtherVersionsAndDamage) {
  const Domain domain({{"age", 3}, {"sex", 2}});
  const GraphicalModel model(domain, {{{0, 1}, {0, 1, 2, 3, 4, 5}}}, 10.0);
  const nlohmann::json good = nlohmann::json::parse(graphical_model_to_json(model).dump());
  const auto message = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    return error_of(ErrorKind::kInput, [&] { parse_graphical_model(bad.dump(), "model.json"); });
  };
  EXPECT_THAT(message("/version", 2),
              HasSubstr("[synth.model] model.json: is a model of version 2, and this program reads "
                        "version 1"));
  EXPECT_THAT(message("/kind", "mixture"), HasSubstr("kind must be \"graphical_model\""));
  EXPECT_THAT(message("/total", 0), HasSubstr("total must be finite and > 0"));
  EXPECT_THAT(message("/attributes/0/num_codes", 0), HasSubstr("num_codes must be from 1"));
  EXPECT_THAT(message("/attributes/0/num_codes", 4), HasSubstr("a list of 8 numbers (it has 6)"));
  EXPECT_THAT(message("/attributes/1/name", "age"), HasSubstr("'age' is declared twice"));
  EXPECT_THAT(message("/cliques/0/attributes", {"sex", "age"}), HasSubstr("in its order"));
  EXPECT_THAT(message("/potentials/0/attributes", {"race"}), HasSubstr("attributes must be some"));
  EXPECT_THAT(message("/potentials/0/values/2", "x"), HasSubstr("numbers or null"));
  EXPECT_THAT(message("/potentials/0/values", nlohmann::json(std::vector<std::nullptr_t>(6))),
              HasSubstr("no possible record"));
  EXPECT_THAT(message("/cliques", nlohmann::json::array()), HasSubstr("no clique of the tree"));
  EXPECT_ERROR(kInput, HasSubstr("model.json:1:2: is not JSON"),
               parse_graphical_model("{", "model.json"));
}

}  // namespace
}  // namespace equinoise::model_json_test
