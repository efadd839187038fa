// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/stratum_models.h"

#include "equinoise/data/table.h"
#include "equinoise/synth/graph_synth_model.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::stratum_models_test {

const std::string kSchema =
    schema_head("people", "", 300) + group_sizes("g", {{"a", 200}, {"b", 100}}) +
    categorical_section("g", {"a", "b"}) +
    numeric_section("age", 0, 15, "whole = true\nmissing = \"category\"\nfeature = false\n") +
    categorical_section("town", {"north", "south", "east"});

/// 300 people; the last one is in b, 7 years old, from the south, or not there (zero_out).
std::string people(bool with_last) {
  std::string text = "g,age,town\n";
  const std::vector<std::string> towns = {"north", "south", "east"};
  for (int i = 0; i < 299; ++i) {
    text += i < 200 ? "a," : "b,";
    text += i % 9 == 0 ? "" : std::to_string(i % 16);
    text += "," + towns[static_cast<size_t>(i % 3)] + "\n";
  }
  return text + (with_last ? "b,7,south\n" : "c,7,south\n");
}

using Measured = std::vector<std::vector<SynthMeasurement>>;

/// What strata release with noise of a fixed seed, next to a model that says nothing.
Measured measured(bool with_last, SynthSetup& setup) {
  const TempFolder folder;
  const Domain domain = setup.shared->plan.facts.domain;
  std::vector<RareValues> values;
  for (int i = 0; i < domain.num_attributes(); ++i)
    values.push_back(keep_all(static_cast<size_t>(domain.num_codes(i))));
  const GraphSynthModel everybody(domain, values, GraphicalModel(domain, {}, 300));
  SeededSource source(5);
  Charge charge = Charge::unpaid(setup.events, setup.relation, source);
  static_cast<void>(charge.take_part(0));
  SynthChoices choices;
  choices.stratify = {"g"};
  const TableSource table = folder.write_file("people.csv", people(with_last));
  TaskProgress silent;
  SynthRecords records(table, choices, setup, silent);
  return make_shared_strata(records, setup, everybody, charge.take_part(1).take_groups(), source,
                            silent)
      .measured;
}

/// A record changes one count of each answer of its stratum by 1, and nothing of another one: the
/// sensitivity that strata are charged for.
TEST(StratumModels, ARecordChangesOneCountOfEachAnswerOfItsStratum) {
  SynthChoices choices;
  choices.epsilon = 4;
  choices.stratify = {"g"};
  choices.number_share = 0;
  SynthSetup setup = set_up_synth(choices, {parse_schema(kSchema, "people")});
  ASSERT_TRUE(setup.shared.has_value());
  const Measured with = measured(true, setup);
  const Measured without = measured(false, setup);
  ASSERT_THAT(with, SizeIs(2));
  for (size_t s = 0; s < with.size(); ++s) {
    const std::vector<StratumQuestion>& questions = setup.strata[s].questions;
    ASSERT_GT(questions.size(), 3) << "codes of both columns and parts of ages";
    ASSERT_THAT(with[s], SizeIs(questions.size()));
    ASSERT_THAT(without[s], SizeIs(questions.size()));
    const std::vector<Event>& events = setup.strata[s].plan.events;
    ASSERT_THAT(events, SizeIs(questions.size()));
    for (size_t q = 0; q < with[s].size(); ++q) {
      EXPECT_EQ(with[s][q].noise_stddev, questions[q].noise_stddev);
      EXPECT_EQ(events[q], Event::discrete_gaussian(questions[q].noise_stddev, 1));
      ASSERT_EQ(with[s][q].counts.size(), without[s][q].counts.size());
      double change = 0;
      for (size_t i = 0; i < with[s][q].counts.size(); ++i)
        change += std::abs(with[s][q].counts[i] - without[s][q].counts[i]);
      EXPECT_EQ(change, s == 1 ? 1 : 0) << s << " " << q;
    }
  }
}

}  // namespace equinoise::stratum_models_test
