// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/stratum_evidence.h"

#include "equinoise/synth/graph_synth_model.h"
#include "tests/matchers.h"
#include "tests/synth/grouped_people.h"

namespace equinoise::stratum_evidence_test {

class StratumEvidence : public ::testing::Test, protected testing::GroupedPeople {
 protected:
  Evidence of(const GroupLabel& label) { return stratum_evidence(label, schema, columns); }
};

TEST_F(StratumEvidence, ACategoryFixesItsColumn) {
  const Evidence evidence = of({{"town", "east"}});
  ASSERT_EQ(evidence.size(), 1);
  EXPECT_EQ(evidence[0].attribute, 1);
  EXPECT_THAT(evidence[0].weights, ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(fixed_codes(evidence), (std::map<size_t, uint32_t>{{1, 1}}));
}

TEST_F(StratumEvidence, WhatAGroupAttributeMergesStaysApart) {
  const Evidence evidence = of({{"place", "elsewhere"}});
  EXPECT_THAT(evidence[0].weights, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(fixed_codes(evidence), IsEmpty());
  EXPECT_THAT(of({{"place", "south"}})[0].weights, ElementsAre(0, 0, 1, 0));
}

/// Bins of ten years, of which that from 20 ends at 25.
TEST_F(StratumEvidence, ABandHasTheBinsBetweenItsCuts) {
  const std::vector<std::string> bands = schema.group_attributes[0].categories();
  EXPECT_THAT(of({{"band", bands[0]}})[0].weights, ElementsAre(1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(of({{"band", bands[1]}})[0].weights, ElementsAre(0, 0, 0, 1, 1, 0, 0));
  EXPECT_THAT(of({{"band", bands[2]}})[0].weights, ElementsAre(0, 0, 0, 0, 0, 1, 1));
}

TEST_F(StratumEvidence, BothSpeakTogetherAndWhatIsNoColumnSaysNothing) {
  const Evidence evidence = of({{"place", "elsewhere"}, {"town", "west"}});
  ASSERT_EQ(evidence.size(), 1);
  EXPECT_THAT(evidence[0].weights, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(of({{"weather", "rain"}}), IsEmpty());
}

/// The model of a stratum is that of everybody given the stratum, without what it fixes.
TEST(GraphSynthModel, WithinAStratumIsWhatItIsGivenIt) {
  const Domain domain({{"a", 3}, {"b", 2}, {"c", 2}});
  GraphicalModel model(domain, {{{0, 1}, {0, 1, 2, -1, 0.5, 0}}, {{1, 2}, {0, 0.3, -2, 1}}}, 100);
  const Evidence evidence = {{0, 0, {1, 0.5, 0}}, {1, 1}};
  const GraphicalModel given = model.given(evidence);
  std::vector<RareValues> values = {keep_all(3), keep_all(2), keep_all(2)};
  const GraphSynthModel whole(domain, values, std::move(model));
  const GraphSynthModel stratum = whole.within(evidence, {0, 2}, 40);
  EXPECT_EQ(stratum.domain(), Domain({{"a", 3}, {"c", 2}}));
  EXPECT_EQ(stratum.total(), 40);
  const std::vector<double> expected = given.marginal({0, 2});
  const std::vector<double> own = stratum.model().marginal({0, 1});
  for (size_t cell = 0; cell < 6; ++cell)
    EXPECT_NEAR(own[cell] / 40, expected[cell] / given.total(), 1e-12);
}

/// Evidence of a code that is pooled with others is evidence of what they are pooled into.
TEST(GraphSynthModel, WithinAStratumWhoseCodeIsPooled) {
  const Domain domain({{"a", 4}, {"b", 2}});
  const std::vector<double> counts = {50, 1, 1, 60};
  std::vector<RareValues> values = {find_rare_values(counts, 3), keep_all(2)};
  GraphicalModel model(pooled_domain(domain, values), {{{0, 1}, {0, 1, 2, 3, 1, 4}}}, 112);
  const GraphSynthModel whole(domain, values, std::move(model));
  const std::vector<double> own = whole.within({{0, 2}}, {1}, 10).model().marginal({0});
  EXPECT_NEAR(own[1] / own[0], std::exp(3), 1e-9);
}

}  // namespace equinoise::stratum_evidence_test
